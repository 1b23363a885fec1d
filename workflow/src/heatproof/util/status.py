"""How far a run is, in one line: what is being made, how much of it, how long it may still take.

Without a terminal there is no such line: what a log file or CI keeps is Snakemake's own words.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

STAGES = {"normalize": "shards read", "aggregate": "figures counted", "draw": "figures drawn"}
"""Rule → what is told of it; the others are few and short."""
TOTAL = "total"
"""Among the numbers of jobs, that of all."""
SURE = 3
"""Jobs that must have ended before a time is told."""


class Status:
    """The jobs of a run."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wanted = Counter[str]()
        self._names: dict[int, tuple[str, str]] = {}
        self._started: dict[int, float] = {}
        self._took: defaultdict[str, list[float]] = defaultdict(list)
        self._most = 1

    def plan(self, jobs: Mapping[str, int]) -> None:
        """What is to be done: rule → number of jobs."""
        self._wanted = Counter[str]()
        for rule, number in jobs.items():
            if rule != TOTAL:
                self._wanted[_stage(rule)] += number

    def name(self, job: int, rule: str, what: str) -> None:
        """What a job is called."""
        self._names[job] = _stage(rule), what

    def start(self, job: int) -> None:
        """A job begins."""
        self._started[job] = self._clock()
        self._most = max(self._most, len(self._started))

    def end(self, job: int) -> None:
        """A job has ended well, or badly."""
        begun = self._started.pop(job, None)
        if begun is not None:
            self._took[self._rule(job)].append(self._clock() - begun)

    def _rule(self, job: int) -> str:
        return self._names.get(job, ("", ""))[0]

    @property
    def done(self) -> bool:
        """Whether nothing is left to do."""
        return sum(map(len, self._took.values())) >= self._wanted.total()

    def text(self, wide: int) -> str:
        """The line, of no more characters than `wide`; empty where nothing is to be done.

        Where it has no room, it says less of what is counted, and keeps how long it may take.
        """
        if not self._wanted:
            return ""
        full = self._line(STAGES)
        if len(full) <= wide:
            return full
        short = self._line({rule: words.split()[-1] for rule, words in STAGES.items()})
        return short if len(short) <= wide else f"{short[: wide - 1]}…"

    def _line(self, stages: Mapping[str, str]) -> str:
        parts = [
            f"{len(self._took[rule])}/{self._wanted[rule]} {words}"
            for rule, words in stages.items()
            if self._wanted[rule]
        ]
        parts += [f"about {duration(left)} left"] if (left := self._left()) is not None else []
        parts += [f"now {now}"] if (now := self._now()) else []
        return " · ".join(parts)

    def _left(self) -> float | None:
        """Seconds that the rest may take, by how long jobs of their rules took; None at first."""
        known = [took for each in self._took.values() for took in each]
        if len(known) < SURE or self.done:
            return None
        usual = sum(known) / len(known)
        left = 0.0
        for rule, wanted in self._wanted.items():
            own = self._took[rule]
            left += (wanted - len(own)) * (sum(own) / len(own) if own else usual)
        begun = (self._clock() - start for start in self._started.values())
        return max(left - sum(begun), 0.0) / self._most

    def _now(self) -> str:
        """The job that has been at work for longest."""
        job = min(self._started, key=self._started.__getitem__, default=None)
        rule, what = self._names.get(job, ("", "")) if job is not None else ("", "")
        return f"{rule} {what}".strip()


def _stage(rule: str) -> str:
    """A figure is drawn by `draw`, or by `draw_pdf_svg`, which makes these two files."""
    return rule.partition("_")[0]


def duration(seconds: float) -> str:
    """Seconds as people say them: 40 s, 3 min, 1.5 h."""
    if seconds < 60:
        return f"{max(round(seconds), 1)} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 60 else f"{minutes / 60:.1f} h"
