"""Grade an answer against its target where a log holds no grade: pure functions, 0 or 1."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Literal

from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable


Grade = Literal["exact", "includes", "number", "choice", "math"]
VOTED: tuple[Grade, ...] = ("exact", "number")  # of which a text tells what was graded of an answer
MISSING = "'math' needs math-verify: pip install 'heatproof[math]'"
LONGEST = 100_000  # characters of an answer that are looked at, from its end: results come last

NUMBER = re.compile(r"[-+]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,3})?(?!\w)")

LETTER = re.compile(r"(?<![\w'’])[A-Z](?![\w'’])")  # of a choice, which stands alone

APART = re.compile(r"(\A\s*|[=:({\[$~≈][ \t]*)([-+])[ \t]+(?=\.?\d)")
"""A sign with blanks behind it: one of a number where nothing stands before that it could join."""


def grader(kind: Grade) -> Callable[[str, str], float]:
    """The function from answer and target to 1.0 (right) or 0.0.

    Raises Error: `math` is asked for and its library is not installed.
    """
    plain = {"exact": exact, "includes": includes, "number": number, "choice": choice}
    if kind == "math":
        return _math()
    return plain[kind]


def exact(answer: str, target: str) -> float:
    """Whether both are the same text, blanks at either end aside."""
    return float(answer.strip() == target.strip())


def includes(answer: str, target: str) -> float:
    """Whether the target stands in the answer, as whole words; small and capital letters are equal.

    Raises Error: the target is empty.
    """
    words = target.split()
    if not words:
        raise Error("target is empty: each answer would include it")
    pattern = r"\s+".join(map(re.escape, words))
    match = re.search(rf"(?i)(?<!\w){pattern}(?!\w)", answer[-LONGEST:])
    return float(match is not None)


def choice(answer: str, target: str) -> float:
    """Whether the last capital letter that stands alone in the answer is that of the target.

    It is B of `The answer is (B).` and of `#### B`.

    Raises Error: no letter stands alone in the target.
    """
    letters = LETTER.findall(target)
    if not letters:
        raise Error(f"target {target[:60]!r} names no choice by a letter")
    return float(LETTER.findall(answer[-LONGEST:])[-1:] == letters[-1:])


def number(answer: str, target: str) -> float:
    """Whether the last number in the answer equals the target's; commas may group thousands.

    A minus may be U+2212, and a sign may stand apart: −3, - 3 and -3 are one number.

    Raises Error: the target holds no number, so there is nothing to compare with.
    """
    right = _last(target)
    if right is None:
        raise Error(f"target {target[:60]!r} contains no number")
    return float(_last(answer) == right)


def graded_of(answer: str, kind: Grade) -> str:
    """What is graded of an answer, as a text that equal ones share; empty where nothing is."""
    if kind != "number":
        return answer.strip()
    value = _last(answer)
    text = "" if value is None else format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _last(text: str) -> Decimal | None:
    numbers = NUMBER.findall(APART.sub(r"\1\2", text[-LONGEST:].replace("\u2212", "-")))
    try:
        return Decimal(numbers[-1].replace(",", "")) if numbers else None
    except InvalidOperation:
        return None


def _math() -> Callable[[str, str], float]:
    """Equality of mathematical expressions as math-verify judges it (LaTeX, fractions, sets)."""
    try:
        from math_verify import parse, verify
        from math_verify.errors import TimeoutException
    except ImportError:
        raise Error(f"grade: {MISSING}") from None

    def judge(answer: str, target: str, *, strict: bool) -> float:
        # A bare fraction is only seen between dollars.
        latex = target if "$" in target or "\\boxed" in target else f"${target}$"
        gold = parse(latex, raise_on_error=strict)
        if not gold:
            raise Error(f"target {target[:60]!r} contains nothing that math-verify can read")
        return float(verify(gold, parse(answer, raise_on_error=strict), raise_on_error=strict))

    def math(answer: str, target: str) -> float:
        # Only when asked to raise does the library tell "too slow" from "different".
        try:
            return judge(answer[-LONGEST:], target, strict=True)
        except TimeoutException:
            raise Error("math-verify did not finish in time") from None
        except Error:
            raise
        except Exception:  # noqa: BLE001
            return judge(answer[-LONGEST:], target, strict=False)

    return math
