"""Logs that give exactly the digits printed in a paper.

A table of Pass@1 in percent says for each run how many problems were asked how often; the only
count of right answers that rounds to the printed digit is then known, although no log is.

    python -m heatproof.paper TABLE FOLDER

writes such logs once; from then on they are data like any other.
"""

from __future__ import annotations

import gzip
import io
from math import ceil, floor
from typing import TYPE_CHECKING

import msgspec
from blake3 import blake3

from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable

    from heatproof.paper.published import Digits

PRUNED_AT = 5000
"""Entries of the KV cache at which these runs pruned it (arXiv 2601.18383)."""

UNKNOWN = dict.fromkeys(("prompt", "decode_text", "ground_truth", "pred_answer"))


def right(digits: Digits) -> int:
    """How many graded answers were right: the one count that prints as `digits`.

    Raises:
        Error: no count does, or more than one.
    """
    low, high = (share * digits.graded for share in digits.span)
    fitting = range(max(0, ceil(low)), min(digits.graded, floor(high)) + 1)
    if len(fitting) != 1:
        said = f"{len(fitting)} counts" if fitting else "no count"
        raise Error(f"{digits}: {said} of right answers in {digits.graded} can be printed so")
    return fitting[0]


def reconstruct(rows: Iterable[Digits]) -> dict[str, str]:
    """File name → text of a log in the layout of DynTS, one for each printed number.

    The count of right answers is the printed one. *Which* answers are right is made up: the
    answers are put in the order of a digest of file name, problem and answer, and the first ones
    are right. No per-problem pattern may be read from these logs, nor pass@k for k > 1, nor a
    standard error. The order is scrambled, and differently in each file, because an even or a
    common one would let differences between cells look certain that are not.

    Raises:
        Error: no count, or more than one, gives the printed number.
    """
    return dict(_log(digits) for digits in rows)


def packed(text: str) -> bytes:
    """A log as gzip, without name and time in its head."""
    found = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=found, mtime=0) as file:
        file.write(text.encode())
    return found.getvalue()


def _name(digits: Digits) -> str:
    """What the log of a printed number is called."""
    run = f"{digits.model}_{digits.benchmark}_N{digits.samples}-R{digits.ratio}"
    return f"{run}-KW{digits.local_window}-PKVL{PRUNED_AT}.jsonl"


def _log(digits: Digits) -> tuple[str, str]:
    called = _name(digits)
    answers = [(q, a) for q in range(digits.problems) for a in range(digits.samples)]
    scrambled = sorted(
        answers, key=lambda at: blake3(f"{called}:{at[0]}:{at[1]}".encode()).digest()
    )
    solved = set(scrambled[: right(digits)])
    return called, "".join(_line(q, a, score=(q, a) in solved) for q, a in answers)


def _line(question: int, answer: int, *, score: bool) -> str:
    record = {"question_id": question, "answer_id": answer, **UNKNOWN, "score": score}
    record |= {"num_decode_tokens": None, "reconstructed": True}
    return msgspec.json.encode(record).decode() + "\n"
