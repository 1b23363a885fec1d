"""lm-evaluation-harness: a suite by its own command with a model of chance and tasks of our own.

Filters, choices, repeats, a trial under a limit before the whole run, a run of its own file name.
"""

import contextlib
import json
import os
import random
import sys
import tempfile
from pathlib import Path

os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
os.environ["HF_HOME"] = tempfile.mkdtemp()

from lm_eval.__main__ import cli_evaluate
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model

MODELS = {"tiny-a": 0.4, "tiny-b": 0.8}
NUMBER = r"""{function: regex, group_select: -1, regex_pattern: '(-?\d+)'}"""
ASKED = """
output_type: generate_until
doc_to_text: "{{q}}"
doc_to_target: "{{a}}"
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]
"""
TASKS = {
    "arith": f"""{ASKED}
generation_kwargs: {{until: ["\\n"], do_sample: false}}
filter_list:
- {{name: strict-match, filter: [{{function: regex, regex_pattern: '#### (\\d+)'}},
    {{function: take_first}}]}}
- {{name: flexible-extract, filter: [{NUMBER}, {{function: take_first}}]}}
""",
    "often": f"""{ASKED}
repeats: 4
generation_kwargs: {{until: ["\\n"], do_sample: true, temperature: 0.7}}
filter_list: [{{name: first, filter: [{NUMBER}, {{function: take_first}}]}}]
""",
    "pick": """
output_type: multiple_choice
doc_to_text: "{{q}}"
doc_to_target: gold
doc_to_choice: choices
metric_list:
- {metric: acc, aggregation: mean, higher_is_better: true}
- {metric: acc_norm, aggregation: mean, higher_is_better: true}
""",
}
WANTED = {"arith": "exact_match,strict-match", "pick": "acc_norm,none"}


@register_model("chance")
class Chance(LM):
    """Answers at random; how often it is right is its argument."""

    def __init__(self, pretrained="", right=0.5, **_):
        super().__init__()
        self.right, self.chance = float(right), random.Random(pretrained)

    @classmethod
    def create_from_arg_obj(cls, arg_dict, *_, **__):
        return cls(**arg_dict)

    def generate_until(self, requests, **_):
        return [self.answer(int(one.args[0].split("+")[0])) for one in requests]

    def answer(self, number):
        told = number + (1 if self.chance.random() < self.right else 5)
        return f"it is {'#### ' if self.chance.random() < 0.7 else ''}{told}"

    def loglikelihood(self, requests, **_):
        return [(-self.chance.random() * 9, False) for _ in requests]

    def loglikelihood_rolling(self, requests, **_):
        raise NotImplementedError


def define(home):
    rows = [{"q": f"{n}+1=", "a": str(n + 1), "gold": n % 3} for n in range(12)]
    choices = ["red", "green", "a long blue"]
    told = "".join(json.dumps(row | {"choices": choices}) + "\n" for row in rows)
    (home / "rows.jsonl").write_text(told)
    for name, text in TASKS.items():
        (home / f"{name}.yaml").write_text(
            f"task: {name}\ndataset_path: json\ntest_split: test\n{text}"
            f"dataset_kwargs: {{data_files: {{test: {home / 'rows.jsonl'}}}}}\n"
        )


def main(folder):
    home = Path(tempfile.mkdtemp())
    define(home)
    for model, right in MODELS.items():
        words = ["lm_eval", "run", "--model", "chance", "--include_path", str(home)]
        words += ["--model_args", f"pretrained=org/{model},right={right}", "--log_samples"]
        for more in (
            ["--tasks", "pick", "--output_path", folder, "--limit", "3"],
            ["--tasks", "pick,often", "--output_path", folder],
            ["--tasks", "arith", "--output_path", f"{folder}/file/{model}.json"],
        ):
            sys.argv = words + more
            with contextlib.redirect_stdout(sys.stderr):
                cli_evaluate()
    values = {}
    for path in sorted(Path(folder).rglob("*_20*.json")):  # of the same task the later one
        told = json.loads(path.read_text())
        for task, found in told["results"].items():
            key = WANTED.get(task)
            if key:
                values[task, told["model_name"]] = found[key]
    often = repeats(folder)
    source = {"filter": ["strict-match"], "metric": ["acc_norm"]}
    listed = [(*key, value) for key, value in (values | often).items()]
    print(json.dumps({"source": source, "metric": "pass@1", "values": listed}))


def repeats(folder):
    """Right answers of all repeats, by the regular expression; the harness prints the first's."""
    import re

    found = {}
    for path in Path(folder).rglob("samples_often_*.jsonl"):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        right = [re.findall(r"-?\d+", one)[-1] == row["target"] for row in rows for one in
                 row["resps"][0]]  # fmt: skip
        found["often", path.parent.name.replace("__", "/")] = sum(right) / len(right)
    return found


main(sys.argv[1])
