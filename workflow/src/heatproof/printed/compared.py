"""A number that a harness printed, beside the one counted of the same samples.

They agree if they differ by no more than half a unit of the last digit to which the harness rounds,
or by 1e-9 where it writes all digits; and if as many problems were counted as it says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from heatproof.statistics.reductions import is_known
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heatproof.printed.moments import Scored
    from heatproof.readers.api import Printed

NOISE = 1e-9
"""Of 1, or of the number if that is more: sums of floats depend on their order."""
UNKNOWN = "no reason is known"


class Compared(NamedTuple):
    """A printed number beside the one counted of the samples."""

    log: str
    told: Printed
    scored: Scored | None = None
    """What was counted; None: no sample of it."""
    refused: int = 0
    """Records of the log that were refused."""

    @property
    def counted(self) -> float | None:
        """The number counted by the harness's rule, in its unit."""
        told = self.told
        if self.scored is None or told.why or not is_known(told.over):
            return None
        return _in_unit(self.scored.by[told.over].statistic(told.statistic), told)

    @property
    def mean(self) -> float | None:
        """The mean of all samples, each problem with the same weight, in the harness's unit."""
        if self.scored is None:
            return None
        return _scaled(self.scored.by["mean"].statistic("mean"), self.told)

    @property
    def problems(self) -> int:
        """Problems of which samples were counted."""
        return self.scored.by["mean"].n if self.scored else 0

    @property
    def printed(self) -> float | None:
        """What is printed; of several lines the one that agrees, or else the last."""
        told, mine = self.told, self.counted
        fits = (one for one in told.earlier if mine is not None and _is_near(one, mine, told))
        return told.value if _is_near(told.value, mine, told) else next(fits, told.value)

    @property
    def agree(self) -> bool | None:
        """Whether both are the same; None where they cannot be compared."""
        if self.told.why or not is_known(self.told.over):
            return None
        return _is_near(self.printed, self.counted, self.told) and self._is_whole()

    def _is_whole(self) -> bool:
        samples = self.scored.samples if self.scored else 0
        return self.told.problems in (None, self.problems, samples)

    @property
    def note(self) -> str:
        """Why they differ, as far as that is known; or what a figure shows of it otherwise."""
        if self.agree is None:
            unknown = f"repeats are reduced by {self.told.over!r}, which is not known here"
            return self.told.why or unknown
        return self._same() if self.agree else "; ".join(self._reasons()) or UNKNOWN

    def _same(self) -> str:
        told, mean = self.told, self.mean
        named = told.statistic != "mean" or told.over.startswith("pass_")
        if named or _is_near(mean, self.counted, told):
            return ""
        rule = (
            "the first repeat alone" if told.over == "first" else f"the {told.over} of the repeats"
        )
        return f"{rule}; the mean of all is {shown(mean)}"

    def _reasons(self) -> Iterator[str]:
        if self.scored is None:
            yield "none of its samples is read"
        elif not self._is_whole():
            yield f"printed of {self.told.problems:,}, {numbered(self.problems, 'problem')} read"
        elif self.told.run not in (None, self.scored.samples):
            read = numbered(self.scored.samples, "sample")
            yield f"printed of a run of {self.told.run:,}, {read} read"
        if self.refused:
            yield f"{numbered(self.refused, 'record')} of the log refused"
        if how := self._otherwise():
            yield how

    def _otherwise(self) -> str:
        """By what other rule the number would be right."""
        told, printed, mine = self.told, self.printed, self.counted
        if printed is None or mine is None or _is_near(printed, mine, told):
            return ""
        if mine and _is_near(printed / 100, mine, told):
            return "it is in percent"
        if told.statistic == "mean" and _is_near(printed, self.mean, told):
            return "it is the mean of all repeats"
        return ""


def _scaled(value: float | None, told: Printed) -> float | None:
    return None if value is None else told.low + (told.high - told.low) * value


def _in_unit(value: float | None, told: Printed) -> float | None:
    """A statistic of our scores, in the harness's unit."""
    if value is None or told.statistic == "mean":
        return _scaled(value, told)
    return value * (told.high - told.low) ** (2 if told.statistic == "var" else 1)


def _is_near(printed: float | None, counted: float | None, told: Printed) -> bool:
    if printed is None or counted is None:
        return False
    half = 0.0 if told.decimals is None else 0.5 * 10.0**-told.decimals
    return abs(printed - counted) <= half + NOISE * max(1.0, abs(printed))


def shown(value: float | None) -> str:
    """A number with twelve digits; nothing of none."""
    return "" if value is None else f"{value:.12g}"
