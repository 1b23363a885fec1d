"""simple-evals: results that it puts together, written as its script does."""

import json
import random
import sys
from pathlib import Path

from simple_evals import common
from simple_evals.types import SingleEvalResult

ANSWER = [{"role": "user", "content": "1 + 1?"}]


def main(folder: str) -> None:
    chance, values = random.Random(9), []
    for model in ("gpt-tiny_a", "tiny-b"):
        held = []
        for _ in range(30):
            score = float(chance.random() < 0.5)
            page = common.jinja_env.from_string(common.HTML_JINJA).render(
                prompt_messages=ANSWER,
                next_message={"role": "assistant", "content": "<h3>Score: 7</h3> 2"},
                score=score,
                correct_answer="2",
                extracted_answer="2",
            )
            held.append(SingleEvalResult(html=page, score=score, convo=ANSWER))
        result = common.aggregate_results(held)
        stem = Path(folder) / f"math_{model}_20260102_030405"
        stem.with_suffix(".html").write_text(common.make_report(result))
        stem.with_suffix(".json").write_text(json.dumps(result.metrics | {"score": result.score}))
        told = {name: getattr(result, name) for name in ("score", "metrics", "htmls", "convos")}
        Path(f"{stem}_allresults.json").write_text(json.dumps(told | {"metadata": result.metadata}))
        values.append(("math", model, result.score))
    print(json.dumps({"source": {}, "metric": "pass@1", "values": values}))


main(sys.argv[1])
