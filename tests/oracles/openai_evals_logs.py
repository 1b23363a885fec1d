"""OpenAI evals: events that its recorder writes, and the report of `evals.metrics`."""

import json
import os
import random
import sys
from pathlib import Path

os.environ.setdefault("OPENAI_API_KEY", "none")  # it makes a client when imported

from evals.base import RunSpec
from evals.metrics import get_accuracy
from evals.record import LocalRecorder


def main(folder: str) -> None:
    chance, values = random.Random(8), []
    for model in ("tiny-a", "tiny-b"):
        spec = RunSpec(
            completion_fns=[model],
            eval_name="add.dev.v0",
            base_eval="add",
            split="dev",
            run_config={"seed": 1, "max_samples": None},
            created_by="",
        )
        recorder = LocalRecorder(str(Path(folder) / f"{spec.run_id}_{model}.jsonl"), spec)
        for number in range(30):
            with recorder.as_default_recorder(f"add.dev.{number}"):
                recorder.record_sampling("1 + 1", ["2"])
                recorder.record_match(chance.random() < 0.5, expected="2", picked="2")
        rate = get_accuracy(recorder.get_events("match"))
        recorder.record_final_report({"accuracy": rate})
        recorder.flush_events()
        values.append(("add.dev.v0", model, rate))
    print(json.dumps({"source": {}, "metric": "pass@1", "values": values}))


main(sys.argv[1])
