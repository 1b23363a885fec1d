"""EvalPlus: solutions of invented problems, run by its `evaluate`, summed up as it does."""

import contextlib
import io
import json
import os
import random
import sys
from pathlib import Path

SIZE = 12
"""Problems; each answer is run in two new processes."""
WORDS = {
    "right": "    return x + 1\n",
    "base": "    return x + 1 if x < 9 else x\n",
    "wrong": "    return x\n",
    "broken": "    return x +\n",
}


def problem(number: int) -> dict[str, object]:
    return {
        "task_id": f"HumanEval/{number}",
        "prompt": f"def f{number}(x):\n",
        "entry_point": f"f{number}",
        "canonical_solution": WORDS["right"],
        "contract": "",
        "base_input": [[1], [2]],
        "plus_input": [[1], [20]],
        "atol": 0,
    }


def main(folder: str) -> None:
    home = Path(folder).parent
    os.environ["XDG_CACHE_HOME"] = str(home / "cache")
    os.environ["HUMANEVAL_OVERRIDE_PATH"] = str(home / "problems.jsonl")
    (home / "problems.jsonl").write_text(
        "".join(json.dumps(problem(n)) + "\n" for n in range(SIZE))
    )
    from evalplus.eval import estimate_pass_at_k
    from evalplus.evaluate import evaluate

    chance, values = random.Random(6), []
    for model in ("org--tiny-a", "tiny-b.1"):
        samples = Path(folder) / f"{model}_vllm_temp_0.2.jsonl"
        tried = [
            {
                "task_id": f"HumanEval/{n}",
                "solution": f"def f{n}(x):\n" + WORDS[chance.choice([*WORDS])],
            }
            for n in range(SIZE)
            for _ in range(2 if n < 8 else 1)
        ]
        samples.write_text("".join(json.dumps(one) + "\n" for one in tried))
        with contextlib.redirect_stdout(io.StringIO()):
            evaluate("humaneval", str(samples), parallel=2)
        [result] = Path(folder).glob(f"{model}*eval_results.json")
        told = json.loads(result.read_text())["eval"].values()
        right = [
            sum(one["base_status"] == one["plus_status"] == "pass" for one in held) for held in told
        ]
        rate = estimate_pass_at_k([len(held) for held in told], right, 1).mean()
        values.append(("humaneval", model.replace("--", "/"), float(rate)))
    print(json.dumps({"source": {}, "metric": "pass@1", "values": values}))


if __name__ == "__main__":
    main(sys.argv[1])
