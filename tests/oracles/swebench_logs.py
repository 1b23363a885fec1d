"""SWE-bench: reports of instances, and the report of a run that the harness makes of them."""

import contextlib
import json
import os
import random
import sys
from pathlib import Path

from swebench.harness.constants import LOG_REPORT, RUN_EVALUATION_LOG_DIR
from swebench.harness.reporting import make_run_report

CHANCE = random.Random(5)


def main(folder: str) -> None:
    os.chdir(folder)
    dataset = [{"instance_id": f"org__repo-{n}"} for n in range(40)]
    values = []
    for model, skill in (("org/tiny-a.1", 0.6), ("tiny-b", 0.3)):
        predictions = {}
        for number, instance in enumerate(dataset[:36]):
            name = instance["instance_id"]
            patch = "" if number < 4 else "diff"
            predictions[name] = {
                "instance_id": name,
                "model_name_or_path": model,
                "model_patch": patch,
            }
            told = RUN_EVALUATION_LOG_DIR / "run1" / model.replace("/", "__") / name / LOG_REPORT
            if patch and number > 6:  # the others ended in an error
                told.parent.mkdir(parents=True)
                told.write_text(json.dumps({name: {"resolved": CHANCE.random() < skill}}))
        with contextlib.redirect_stdout(sys.stderr):
            report = json.loads(Path(make_run_report(predictions, dataset, "run1")).read_text())
        rate = report["resolved_instances"] / report["total_instances"]
        values.append(("SWE-bench", model, rate))
    for told in sorted(Path("logs").rglob(LOG_REPORT)):
        told.unlink()  # of a run, its report is enough
    print(json.dumps({"source": {"unjudged": "wrong"}, "metric": "pass@1", "values": values}))


main(sys.argv[1])
