"""What `heatproof init` says and writes: sources, figures, roles of columns, what to decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.init import files
from heatproof.init.write import Line, listed
from heatproof.util import terminal
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heatproof.init.folder import Start
    from heatproof.init.proposals import Proposal
    from heatproof.init.readings import Open, Source

WORD = 10
"""Width of the first column."""
FIGURES = 12
"""Figures that are listed one by one."""
REASONS = 3
ROLES = ("score", "model", "task", "sample_id", "problem", "repetition", "setting")


def screen(start: Start) -> str:
    """All of it, but for what was written."""
    rows = [*_pointers(start)]
    for name, source in start.sources.items():
        rows += _source(name, source)
    for question in start.open:
        rows.append(_row("decide", f"{_files(question.paths)}: {question.question}"))
        rows += [_row("", f"  {option.label}") for option in question.options]
        rows += [_row("", f"  {column}") for column in question.columns]
    for reason, paths in start.beside.items():
        rows += [_row("beside", f"{_files(paths)}: {reason}")] if paths else []
    for reason, paths in (*start.unread.items(), *start.inventory.closed.items()):
        rows += [_row("unread", f"{_files(paths)}: {reason}")] if paths else []
    if start.inventory.empty:
        rows.append(_row("empty", _files(start.inventory.empty)))
    if passed := [path for paths in start.inventory.passed.values() for path in paths]:
        ends = listed(sorted({files.ending(path) or "no ending" for path in passed}))
        rows.append(_row("passed", f"{numbered(len(passed), 'other file')} ({ends})"))
    if start.configured:
        rows.append(
            _row("known", f"{numbered(start.configured, 'file')} that the config reads already")
        )
    return "\n".join(rows)


def _row(word: str, text: str) -> str:
    return f"{word.ljust(WORD - 1)} {text}"


def _files(paths: Sequence[str]) -> str:
    name = terminal.name(paths[0])
    return name if len(paths) == 1 else f"{numbered(len(paths), 'file')}, such as {name}"


def _pointers(start: Start) -> Iterator[str]:
    if pointers := start.inventory.pointers:
        size = sum(file.size for file in pointers)
        are = "is a git-LFS pointer" if len(pointers) == 1 else "are git-LFS pointers"
        yield _row(
            "pointer",
            f"{_files([file.path for file in pointers])} {are}, not logs ({size:,} bytes "
            "elsewhere): git lfs pull, then heatproof init --add",
        )


def _source(name: str, source: Source) -> Iterator[str]:
    """What a source reads, what its columns are, what is not sure."""
    entry, trial = source.proposal.entry, source.trial
    part = "" if trial.complete else f"; {trial.logs:,} of them read"
    yield _row(entry["format"], f"{_files(source.paths)}{part} -> {name}")
    yield from (_row("", line) for line in _columns(source, 24))
    samples = trial.samples
    runs = samples.select("model", "task", *trial.source.columns().params).n_unique()
    yield _row("runs", f"{numbered(runs, 'run')}, {numbered(len(samples), 'sample')}")
    for reason, count in trial.refused.most_common(REASONS):
        first = trial.first[reason]
        yield _row("refused", f"{numbered(count, 'record')}: {reason} (first: {first})")
    for note in (*source.proposal.notes, *(f"not {reason}" for reason in source.refused)):
        yield _row("note", note)


def _columns(source: Source, width: int) -> list[str]:
    """The columns of the logs, each with its role."""
    rows = sorted(source.proposal.roles.items(), key=lambda pair: _rank(pair[1]))
    return [f"{column.lstrip('/').ljust(width)}  {role}" for column, role in rows]


def _rank(role: str) -> tuple[int, str]:
    """Roles before what is left out."""
    word = role.partition(":")[0]
    return (ROLES.index(word), "") if word in ROLES else (len(ROLES), role)


def sections(start: Start) -> dict[str, list[Line]]:
    """The sources and figures of a config."""
    sources = [
        Line(name, _lines(source.proposal, numbered(len(source.paths), "file")))
        for name, source in start.sources.items()
    ]
    figures = [
        figure.line(name) for name, source in start.sources.items() for figure in source.figures
    ]
    for number, question in enumerate(start.open, 1):
        sources += [
            Line(f"decide{number}", _lines(option.proposal), f"if it is {option.label}", off=True)
            for option in question.options
        ]
    return {"sources": sources, "figures": figures}


def _lines(proposal: Proposal, logs: str = "") -> list[Line]:
    """The keys of a source; `logs`: what stands beside its pattern."""
    whys = {"logs": logs, **proposal.whys}
    return [Line(key, value, whys.get(key, "")) for key, value in proposal.entry.items()]


def notes(start: Start) -> list[str]:
    """The role of each column of the logs, and questions, as they stand at the end of a config."""
    lines: list[str] = []
    for name, source in start.sources.items():
        if source.proposal.roles:
            lines.append(f"columns of {name}:")
            lines += [f"  {line}" for line in _columns(source, 29)]
        lines += [f"  note: {note}" for note in source.proposal.notes]
    for question in start.open:
        lines.append(f"to be decided, {_files(question.paths)}: {question.question}")
        lines += [f"  {column}" for column in question.columns]
    return lines


def written(start: Start, name: str, verb: str) -> str:
    """What was written, and what is to be decided."""
    inside = sum(len(source.paths) for source in start.sources.values())
    drawn = [(f"{n}{f.end}", f.what) for n, s in start.sources.items() for f in s.figures]
    wide = max((len(figure) for figure, _ in drawn), default=0)
    names = ", ".join(start.sources)
    sources = f"source{'s' if len(start.sources) > 1 else ''} {names} ({numbered(inside, 'log')})"
    rows = [f"{name} {verb}: {sources if start.sources else 'what is to be decided'}"]
    rows += [_row("", f"figure {figure.ljust(wide)}  {what}") for figure, what in drawn[:FIGURES]]
    if len(drawn) > FIGURES:
        rows.append(_row("", f"and {len(drawn) - FIGURES} more"))
    rows += [_row("next", "heatproof run")] if start.sources else []
    return "\n".join([*rows, *(_decide(question, name) for question in start.open)])


def _decide(question: Open, name: str) -> str:
    return _row("decide", f"{_files(question.paths)}: {question.question} (see {name})")
