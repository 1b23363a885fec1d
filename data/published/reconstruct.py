"""Write logs that give exactly the digits of dynts_pass_at_1.csv, one a cell, into logs/.

    python data/published/reconstruct.py

A table of Pass@1 in percent says for each run how many problems were asked how often; the only
count of right answers that rounds to the printed digit is then known, although no log is. *Which*
answers are right is made up: they are put in the order of a digest of file name, problem and
answer, and the first ones are right. No per-problem pattern may be read from these logs, nor pass@k
for k > 1, nor a standard error. The order is scrambled, and differently in each file, because an
even or a common one would let differences between cells look certain that are not.
"""

from __future__ import annotations

import csv
import gzip
import io
from math import ceil, floor
from pathlib import Path

import msgspec
from blake3 import blake3

from compare import span

HERE = Path(__file__).parent
PRUNED_AT = 5000
"""Entries of the KV cache at which these runs pruned it (arXiv 2601.18383)."""
UNKNOWN = dict.fromkeys(("prompt", "decode_text", "ground_truth", "pred_answer"))


def right_answers(printed: str, graded: int) -> int:
    """How many graded answers were right: the one count that prints so, in percent.

    Raises:
        ValueError: no count does, or more than one.
    """
    low, high = (share * graded / 100 for share in span(printed))
    (count,) = range(max(0, ceil(low)), min(graded, floor(high)) + 1)
    return count


def log(cell: dict[str, str]) -> tuple[str, str]:
    """Name and text of the log of a printed number."""
    problems, graded = int(cell["samples"]), int(cell["epochs"])
    epochs = graded // problems
    run = f"{cell['model']}_{cell['task']}_N{epochs}-R{cell['ratio']}"
    name = f"{run}-KW{cell['local_window']}-PKVL{PRUNED_AT}.jsonl"
    answers = [(q, a) for q in range(problems) for a in range(epochs)]
    scrambled = sorted(answers, key=lambda at: blake3(f"{name}:{at[0]}:{at[1]}".encode()).digest())
    solved = {*scrambled[: right_answers(cell["pass@1"], graded)]}
    lines = [
        {"question_id": question, "answer_id": answer, **UNKNOWN}
        | {"score": (question, answer) in solved, "num_decode_tokens": None, "reconstructed": True}
        for question, answer in answers
    ]
    return name, "".join(msgspec.json.encode(line).decode() + "\n" for line in lines)


def packed(text: str) -> bytes:
    """A log as gzip, without name and time in its head."""
    data = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=data, mtime=0) as file:
        file.write(text.encode())
    return data.getvalue()


if __name__ == "__main__":
    with (HERE / "dynts_pass_at_1.csv").open(newline="") as table:
        for name, text in map(log, csv.DictReader(table)):
            (HERE / "logs" / f"{name}.gz").write_bytes(packed(text))
