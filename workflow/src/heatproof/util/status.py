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
"""Rule → what is counted of it; the others are few and short."""
TOTAL = "total"
"""Among the numbers of jobs, that of all."""
SURE = 3
"""Jobs that must have ended before a time is predicted."""


class Status:
    """The jobs of a run."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._jobs = Counter[str]()
        self._names: dict[int, tuple[str, str]] = {}
        self._started: dict[int, float] = {}
        self._took: defaultdict[str, list[float]] = defaultdict(list)
        self._parallel = 1

    def plan(self, jobs: Mapping[str, int]) -> None:
        """What is to be done: rule → number of jobs."""
        self._jobs = Counter[str]()
        for rule, number in jobs.items():
            if rule != TOTAL:
                self._jobs[_stage(rule)] += number

    def name(self, job: int, rule: str, what: str) -> None:
        """What a job is called."""
        self._names[job] = _stage(rule), what

    def start(self, job: int) -> None:
        """A job begins."""
        self._started[job] = self._clock()
        self._parallel = max(self._parallel, len(self._started))

    def end(self, job: int) -> None:
        """A job has ended well, or badly."""
        if job in self._started:
            stage = self._names.get(job, ("", ""))[0]
            self._took[stage].append(self._clock() - self._started.pop(job))

    @property
    def done(self) -> bool:
        """Whether nothing is left to do."""
        return sum(map(len, self._took.values())) >= self._jobs.total()

    def text(self, wide: int) -> str:
        """The line, of no more characters than `wide`; empty where nothing is to be done.

        Where it has no room, it says less of what is counted, and keeps how long it may take.
        """
        if not self._jobs:
            return ""
        for stages in (STAGES, {rule: words.split()[-1] for rule, words in STAGES.items()}):
            parts = [
                f"{len(self._took[rule])}/{self._jobs[rule]} {words}"
                for rule, words in stages.items()
                if self._jobs[rule]
            ]
            parts += [f"about {duration(left)} left"] if (left := self._left()) is not None else []
            if self._started:  # the job that has been at work for longest
                job = min(self._started, key=self._started.__getitem__)
                parts.append("now " + " ".join(self._names.get(job, ("", ""))).strip())
            line = " · ".join(parts)
            if len(line) <= wide:
                return line
        return f"{line[: wide - 1]}…"

    def _left(self) -> float | None:
        """Seconds that the rest may take, by how long jobs of their rules took; None at first."""
        times = [took for stage in self._took.values() for took in stage]
        if len(times) < SURE or self.done:
            return None
        seconds = 0.0
        for rule, number in self._jobs.items():
            own = self._took[rule]
            seconds += (number - len(own)) * (sum(own or times) / len(own or times))
        begun = (self._clock() - start for start in self._started.values())
        return max(seconds - sum(begun), 0.0) / self._parallel


def _stage(rule: str) -> str:
    """A figure is drawn by `draw`, or by `draw_pdf_svg`, which makes these two files."""
    return rule.partition("_")[0]


def duration(seconds: float) -> str:
    """Seconds as people say them: 40 s, 3 min, 1.5 h."""
    if seconds < 60:
        return f"{max(round(seconds), 1)} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 60 else f"{minutes / 60:.1f} h"
