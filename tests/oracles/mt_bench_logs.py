"""MT-bench: judgments of answers, and the averages of both turns that `show_result` prints.

The average of all counts each judgment once, ours each question: they differ by the judgments that
failed at one turn of a question alone.
"""

import argparse
import contextlib
import io
import json
import random
import sys
from pathlib import Path

import pandas
from fastchat.llm_judge.show_result import display_result_single


def main(folder: str) -> None:
    chance = random.Random(7)
    judgments = [
        {
            "question_id": question,
            "model": model,
            "judge": ["judge-x", "single-v1" if turn == 1 else "single-v1-multi-turn"],
            "user_prompt": "?",
            "judgment": "[[7]]",
            "score": chance.choice([-1, 1, 3.5, 7, 8, 10]),
            "turn": turn,
            "tstamp": 1.5,
        }
        for model in ("tiny-a", "tiny-b")
        for turn in (1, 2)
        for question in range(81, 161)
    ]
    file = Path(folder) / "mt_bench" / "model_judgment" / "judge-x_single.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(one) + "\n" for one in judgments))
    given = argparse.Namespace(input_file=str(file), model_list=None, bench_name="mt_bench")
    said = io.StringIO()
    pandas.set_option("display.precision", 16)
    with contextlib.redirect_stdout(said):
        display_result_single(given)
    rows = [line.split() for line in said.getvalue().splitlines() if line.startswith("tiny")]
    turns = [row for row in rows if len(row) == 3]  # of the average, there are two columns
    values = [(int(turn), model, float(mean) / 10) for model, turn, mean in turns]
    print(json.dumps({"source": {}, "x": "turn", "metric": "mean(score)", "values": values}))


main(sys.argv[1])
