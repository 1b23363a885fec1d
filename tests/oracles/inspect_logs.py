"""Inspect: a suite that its own mock model answers; each task has scorers, epochs, errors of its own.

The model of Inspect counts tokens by a table that it would download, unless the usage is told.
"""

import json
import random
import sys

from inspect_ai import Epochs, Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import list_eval_logs, read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, includes, match, mean, scorer, stderr
from inspect_ai.solver import generate, solver

MODELS = {"tiny-a": 0.5, "tiny-b": 0.8}
PROBLEMS = 8


@scorer(metrics={"tone": [accuracy(), stderr()], "facts": [mean()]})
def judged():
    """A score that is a mapping, with partial credit."""

    async def score(state, target):
        right = state.output.completion.endswith(f" {target.text}")
        return Score(value={"tone": "C" if right else "P", "facts": 0.25 if right else 0.75})

    return score


@scorer(metrics=[accuracy(), stderr()])
def graded():
    """All letters that stand for a grade."""

    async def score(state, target):
        return Score(value="CIPN"[(int(target.text) + len(state.output.completion)) % 4])

    return score


@solver
def faulty():
    """Breaks on one problem in five."""

    async def solve(state, _generate):
        if int(state.input_text.split("+")[0]) % 5 == 2:
            raise ValueError("no such problem")
        return state

    return solve


def task(name, scorers, *before, **keys):
    data = [Sample(id=f"q{n}", input=f"{n}+1", target=str(n + 1)) for n in range(PROBLEMS)]
    solvers = [*before, generate()]
    return Task(MemoryDataset(data), solver=solvers, scorer=scorers, name=name, **keys)


def model(name, right):
    chance = random.Random(name)

    def answer(messages, *_):
        number = int(messages[-1].text.split("+")[0]) + (1 if chance.random() < right else 7)
        output = ModelOutput.from_content(f"mockllm/{name}", f"the answer is {number}")
        output.usage = ModelUsage(input_tokens=5, output_tokens=4, total_tokens=9)
        return output

    return get_model(f"mockllm/{name}", custom_outputs=answer, memoize=False)


def main(folder):
    for name, right in MODELS.items():
        one = model(name, right)
        for made, keys in (
            (task("arith", match(numeric=True)), {}),
            (task("document", match(numeric=True)), {"log_format": "json"}),
            (task("epochs", includes(), epochs=Epochs(4, "mean")), {}),
            (task("judged", judged()), {}),
            (task("graded", graded()), {}),
            (task("both", [includes(), graded()]), {}),
            (task("faulty", includes(), faulty()), {"fail_on_error": False}),
            (task("part", includes()), {"limit": (2, 7)}),
        ):
            evaluate(made, model=one, log_dir=folder, display="none", temperature=0.5, **keys)
    evaluate(
        task("arith", includes(), faulty()), model=one, log_dir=folder, display="none"
    )  # fails
    edited = next(one for one in list_eval_logs(folder) if "_graded_" in one.name)
    write_eval_log(read_eval_log(edited), edited.name)  # written by the other writer, whole
    wanted = {"judged": ("facts", "tone"), "both": ("includes",)}
    values = []
    for place in list_eval_logs(folder):
        log = read_eval_log(place, header_only=True)
        for score in log.results.scores if log.status == "success" else ():
            key = next((key for key in ("accuracy", "mean") if key in score.metrics), "")
            first = wanted.get(log.eval.task, (score.name,))[0]
            if score.name == first:
                values.append((log.eval.task, log.eval.model, score.metrics[key].value))
    print(json.dumps({"source": {}, "metric": "mean(score)", "values": values}))


main(sys.argv[1])
