"""How much memory and time a job asks for: more only of what ran out, no more than there is.

Where Slurm says that a try ran out of time, the next one asks for four times as much of it; out of
memory, for twice. A try that was cancelled, lost with its node, or failed by itself is sent again
unchanged. Other schedulers do not say how a try ended: there each asks for more of both.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from heatproof.cluster import slurm
from heatproof.util import terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    Resource = Callable[[Any, int], int]

PLUGIN = "snakemake_executor_plugin_slurm"
TIME, MEMORY = "TIMEOUT", "OUT_OF_MEMORY"
STAGES = {"tables": 1, "figures": 2}
"""Group → jobs of one shard or figure in it, one after the other: aggregate and draw."""
MORE = {TIME: "with more time", MEMORY: "with more memory"}


class Asking:
    """What the jobs of a run ask for; they are known by their log files, `{wildcards}` in them."""

    def __init__(self, workflow: Any, begin: Callable[[], None] = lambda: None) -> None:
        """`workflow` is Snakemake's. `begin` is called once, before any job is sent elsewhere."""
        self._workflow = workflow
        self._begin: Callable[[], None] | None = begin
        self._ends: dict[str, list[str]] = {}
        self._begun: dict[str, str] = {}
        self._told: set[str] = set()

    def memory(self, log: str, base: int) -> Resource:
        """MB, at the first try `base`."""

        def resource(wildcards: Any, attempt: int) -> int:
            mine = _log(log, wildcards)
            wanted = base * 2 ** self._times(mine, attempt, MEMORY)
            return self._capped(mine, wanted, self._limits[1], self._at_once, "MB")

        return resource

    def minutes(self, log: str, base: int, group: str = "figures") -> Resource:
        """Minutes, at the first try `base`, of a job that is sent with others in a `group`."""

        def resource(wildcards: Any, attempt: int) -> int:
            mine = _log(log, wildcards)
            wanted = base * 4 ** self._times(mine, attempt, TIME)
            return self._capped(mine, wanted, self._limits[0], self._in_turn(group), "minutes")

        return resource

    def _capped(self, log: str, wanted: int, limit: int | None, shared: int, unit: str) -> int:
        most = wanted if limit is None else max(1, limit // shared)
        if wanted > most:
            self._say(f"{log}: asks for {most} {unit}, not {wanted}: the partition gives {limit}")
        return min(wanted, most)

    @property
    def _at_once(self) -> int:
        """Jobs that one Slurm job does at the same time, at most."""
        cores = self._workflow.resource_settings.cores
        return cores if isinstance(cores, int) else 1

    def _in_turn(self, group: str) -> int:
        """Jobs that one Slurm job does one after the other, at most."""
        several = int(self._workflow.group_settings.group_components.get(group, 1))
        return STAGES[group] * -(-several // self._at_once)

    def _times(self, log: str, attempt: int, what: str) -> int:
        """How often a job ran out of something before this attempt."""
        if not self._workflow.is_main_process:
            return 0
        if self._begin and not self._workflow.local_exec:
            self._begin()
            self._begin = None
        if not self._is_slurm:
            return attempt - 1
        ends = self._ends.setdefault(log, [])
        while len(ends) < attempt - 1:
            ends.append(self._end(log))
        return ends[: attempt - 1].count(what)

    def _end(self, log: str) -> str:
        """How the last try of a job ended; empty if it never began, or Slurm does not know."""
        number = slurm.last(log)
        if not number or number == self._begun.get(log):
            return ""
        self._begun[log] = number
        state = slurm.ended(number)
        again = MORE.get(state, "unchanged")
        self._say(f"Slurm job {number} ended as {state or 'unknown'}: {log} is done again {again}")
        return state

    def _say(self, what: str) -> None:
        if what not in self._told:
            self._told.add(what)
            terminal.say(f"heatproof: {what}", error=True)

    @property
    def _is_slurm(self) -> bool:
        return type(self._workflow.executor_settings).__module__ == PLUGIN

    @cached_property
    def _limits(self) -> tuple[int | None, int | None]:
        """Minutes and MB that a job may have."""
        if not (self._is_slurm and self._workflow.is_main_process):
            return None, None
        there = slurm.partitions()
        found = [there[name] for name in self._partitions() if name in there]
        if not found:
            return None, None
        times, sizes = zip(*found, strict=True)
        return _most(times), _most(sizes)

    def _partitions(self) -> list[str]:
        """Where jobs are sent to, as far as default resources tell."""
        resources = (rule.resources.get("slurm_partition") for rule in self._workflow.rules)
        told = ((one.raw or one.value) for one in resources if one is not None)
        return str(next(filter(None, told), "")).split(",")


def _log(pattern: str, wildcards: Any) -> str:
    """The log file of a job."""
    return pattern.format(**dict(wildcards.items()))


def _most(limits: tuple[int | None, ...]) -> int | None:
    known = [limit for limit in limits if limit is not None]
    return max(known) if len(known) == len(limits) else None
