"""Write logs that give exactly the digits of dynts_pass_at_1.csv, one a cell, into logs/.

    PYTHONPATH=workflow/src python data/published/reconstruct.py

A table of Pass@1 in percent says for each run how many problems were asked how often; the only
count of right answers that rounds to the printed digit is then known, although no log is. *Which*
answers are right is made up: they are put in the order of a digest of file name, problem and
answer, and the first ones are right. No per-problem pattern may be read from these logs, nor pass@k
for k > 1, nor a standard error. The order is scrambled, and differently in each file, because an
even or a common one would let differences between cells look certain that are not.
"""

from __future__ import annotations

import gzip
import io
from math import ceil, floor
from pathlib import Path

import msgspec
from blake3 import blake3

from heatproof import paper

HERE = Path(__file__).parent
PRUNED_AT = 5000
"""Entries of the KV cache at which these runs pruned it (arXiv 2601.18383)."""
UNKNOWN = dict.fromkeys(("prompt", "decode_text", "ground_truth", "pred_answer"))


def right_answers(digits: paper.Digits) -> int:
    """How many graded answers were right: the one count that prints as `digits`.

    Raises:
        ValueError: no count does, or more than one.
    """
    low, high = (share * digits.graded for share in digits.span)
    (count,) = range(max(0, ceil(low)), min(digits.graded, floor(high)) + 1)
    return count


def log(digits: paper.Digits) -> tuple[str, str]:
    """Name and text of the log of a printed number."""
    run = f"{digits.model}_{digits.benchmark}_N{digits.samples}-R{digits.ratio}"
    name = f"{run}-KW{digits.local_window}-PKVL{PRUNED_AT}.jsonl"
    answers = [(q, a) for q in range(digits.problems) for a in range(digits.samples)]
    scrambled = sorted(answers, key=lambda at: blake3(f"{name}:{at[0]}:{at[1]}".encode()).digest())
    solved = {*scrambled[: right_answers(digits)]}
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
    table = HERE / "dynts_pass_at_1.csv"
    for name, text in map(log, paper.read(table.read_text(), str(table))):
        (HERE / "logs" / f"{name}.gz").write_bytes(packed(text))
