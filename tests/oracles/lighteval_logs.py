"""lighteval: details and results that its tracker saves, with its own mean and standard error."""

import json
import random
import sys
import time
from types import SimpleNamespace
from typing import Any

import numpy
from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.models.abstract_model import ModelConfig
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc

TASKS = ("add|0", "suite:pick|5")


def main(folder: str) -> None:
    chance, values = random.Random(10), []
    for model in ("org/tiny-a", "tiny-b"):
        tracker = EvaluationTracker(folder, save_details=True)
        config = ModelConfig(model_name=model)
        tracker.general_config_logger.log_model_info(config)
        for task in TASKS:
            for number in range(25):
                doc = Doc("1 + 1?", ["2", "3"], 0, id=str(number), task_name=task)
                answer = ModelResponse(input="1 + 1?", text=["2"])
                scores: dict[str, Any] = {"em": int(chance.random() < 0.4), "f1": chance.random()}
                tracker.metrics_logger.log(task, scores)
                tracker.details_logger.log(task, doc, answer, scores)
        means = SimpleNamespace(aggregation=lambda: {"em": numpy.mean, "f1": numpy.mean})
        tracker.metrics_logger.aggregate(dict.fromkeys(TASKS, means))
        tracker.details_logger.aggregate()
        tracker.save()
        time.sleep(0.01)  # a file is named by the time
        for task in TASKS:
            rate = float(tracker.metrics_logger.metric_aggregated[task]["em"])
            values.append((task.partition("|")[0], model, rate))
    print(json.dumps({"source": {"metric": "em"}, "metric": "pass@1", "values": values}))


main(sys.argv[1])
