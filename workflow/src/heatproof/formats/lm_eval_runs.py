"""Files of lm-evaluation-harness: the results beside a samples file, and which run replaces which.

`--output_path FOLDER` makes a folder for each model with `results_{time}.json` in it,
`--output_path x.json` writes `x_{time}.json` beside the samples (`loggers/evaluation_tracker.py`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.formats.documents import decoded
from heatproof.formats.harness import Refused
from heatproof.logs import logs
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from heatproof.config.entries import Source
    from heatproof.formats.api import Log


NAME = re.compile(
    r"(?P<folder>(?:.*/)?)samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl(\.gz|\.zst)?"
)
RESULTS = re.compile(r"(?:.*/)?[^/]+_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+)\.json")
FORM = "samples_{task}_{time}.jsonl"
SAME = ("model", "model_args", "gen_kwargs", "random_seed", "numpy_seed", "torch_seed")
"""Settings in which a rerun agrees with the run that it replaces, beside those of the task."""


class Results(msgspec.Struct):
    """The places wanted of a results file."""

    results: dict[str, dict[str, Any]] = {}
    configs: dict[str, dict[str, Any]] = {}
    config: dict[str, Any] = {}
    model_name: str | None = None
    sizes: Any = msgspec.field(name="n-samples", default=None)
    """Task → problems that there are (`original`) and that were asked for (`effective`)."""


class Run(msgspec.Struct):
    """What the results file tells of one samples file."""

    model: str
    task: str
    metrics: list[tuple[str, str]]
    """Pairs of metric and filter."""
    config: dict[str, Any]
    """Settings of the whole run."""
    settings: dict[str, Any]
    """The task's own configuration."""
    problems: int | None = None
    """How many were asked for, where the file tells."""
    there: int | None = None
    """How many there are, likewise."""

    def repeats(self) -> int:
        """How often each problem was asked."""
        told = self.settings.get("repeats")
        return told if type(told) is int and told > 1 else 1

    def part(self) -> tuple[int, int] | None:
        """How many problems of how many were asked for, where the file tells both."""
        return None if self.problems is None or self.there is None else (self.problems, self.there)

    def places(self) -> list[Any]:
        """Where a hyper-parameter may lie, the most telling first."""
        task = [self.settings.get("generation_kwargs"), self.settings]
        return [self.config.get("gen_kwargs"), self.config.get("model_args"), *task, self.config]


def results(path: str, root: Path) -> str:
    """The results file of the same time as a samples file; empty if the name is no such name."""
    match = NAME.fullmatch(path)
    if match is None:
        return ""
    usual = f"{match['folder']}results_{match['time']}.json"
    if (root / usual).is_file() or not (root / match["folder"]).is_dir():
        return usual
    found = [name for name in _listed(root / match["folder"]) if _is_at(name, match["time"])]
    return match["folder"] + found[0] if len(found) == 1 else usual


def _is_at(name: str, time: str) -> bool:
    """Whether a file is one of results of this time."""
    match = RESULTS.fullmatch(name)
    return match is not None and match["time"] == time


def load(log: Log, limit: int) -> Run:
    """The run of a samples file.

    Raises:
        Refused: its name or its results file does not tell.
        Unreadable: the results file is damaged or too large.
    """
    match = NAME.fullmatch(log.path)
    if match is None:
        raise Refused(f"the file name is not {FORM}", "path")
    beside = results(log.path, log.root)
    if not (log.root / beside).is_file():
        raise Refused(
            f"no {beside.rsplit('/', 1)[-1]} beside it: the run's settings are there", "missing"
        )
    data, name = log.beside(beside, limit), beside.rsplit("/", 1)[-1]
    try:
        told = decoded(data, Results, name)
    except Error as error:
        raise Refused(str(error), error.kind) from error
    if match["task"] not in told.results:
        there = choices(match["task"], told.results)
        raise Refused(f"{name} has no results of task {match['task']!r}; {there}", "missing")
    return _run(told, match["task"])


def _run(told: Results, task: str) -> Run:
    keys = [key.rpartition(",") for key in told.results.get(task, {})]
    metrics = [(m, chosen) for m, _, chosen in keys if m and not m.endswith("_stderr")]
    settings = told.configs.get(task, {})
    asked, there = problems(told, task), problems(told, task, "original")
    return Run(_model(told), task, metrics, told.config, settings, asked, there)


def problems(told: Results, task: str, which: str = "effective") -> int | None:
    """How many problems of a task were asked for, or are in it (`original`), where it tells."""
    found = told.sizes.get(task) if isinstance(told.sizes, dict) else None
    number = found.get(which) if isinstance(found, dict) else None
    return number if type(number) is int and number >= 0 else None


def _model(told: Results) -> str:
    if told.model_name:
        return told.model_name
    args = told.config.get("model_args")
    if isinstance(args, str):
        args = dict(part.split("=", 1) for part in args.split(",") if "=" in part)
    if isinstance(args, dict):
        for key in ("pretrained", "model", "path"):
            if isinstance(args.get(key), str):
                return str(args[key])
    return str(told.config.get("model") or "")


def superseded(path: str, root: Path, source: Source) -> str:
    """The results file of the latest run of the same task, model and settings; empty if none.

    Only runs that the source's own patterns name can replace one of its logs, and none that was
    asked for fewer problems: the trial under a limit is replaced by the whole run after it.
    """
    match = NAME.fullmatch(path)
    if match is None:
        return ""
    mine, asked = _identity(root / results(path, root), match["task"])
    for time, other in sorted(_reruns(match, root), reverse=True):
        if time <= match["time"] or not mine:
            return ""
        beside = results(other, root)
        same, more = _identity(root / beside, match["task"])
        if logs.matches(source, other) and same == mine and more >= asked:
            return beside
    return ""


def _reruns(match: re.Match[str], root: Path) -> Iterator[tuple[str, str]]:
    for name in _listed(root / match["folder"]):
        other = NAME.fullmatch(match["folder"] + name)
        if other and other["task"] == match["task"]:
            yield other["time"], other[0]


def _listed(folder: Path) -> tuple[str, ...]:
    return _names(str(folder), folder.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _names(folder: str, _mtime: int) -> tuple[str, ...]:
    from os import listdir

    kept = (name for name in listdir(folder) if name.startswith("samples_") or RESULTS.match(name))
    return tuple(sorted(kept))


def _identity(path: Path, task: str) -> tuple[bytes, float]:
    """The settings that tell one run of a task from another, empty where they cannot be read; and
    how many problems were asked for, infinite without a limit.
    """
    try:
        stat = path.stat()
        return _read_identity(str(path), task, stat.st_mtime_ns, stat.st_size)
    except OSError:
        return b"", 0


@lru_cache(maxsize=1 << 16)
def _read_identity(path: str, task: str, _mtime: int, size: int) -> tuple[bytes, float]:
    if size > 256 << 20:
        return b"", 0
    with open(path, "rb") as file:
        data = file.read()
    try:
        told = decoded(data, Results)
    except Error:
        return b"", 0
    settings = told.configs.get(task, {})
    run = {key: told.config.get(key) for key in SAME}
    run |= {key: settings.get(key) for key in ("num_fewshot", "generation_kwargs", "repeats")}
    limit = told.config.get("limit")
    known = limit if isinstance(limit, int | float) else 0
    asked = inf if limit is None else problems(told, task) or known
    return msgspec.json.encode([_model(told), run], order="deterministic"), asked
