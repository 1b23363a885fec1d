"""The command that lists the records behind a number of a figure."""

from __future__ import annotations

import json
from textwrap import indent
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.cli import JSON, Command
from heatproof.util import terminal
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from heatproof.kinds.cell_records import Behind
    from heatproof.provenance.identify import Included, Match


def trace(given: argparse.Namespace) -> int:
    """Name the records behind a number of a figure.

    FIGURE is a file (svg, pdf, png, html, spec or grid), a figure's name, or the id printed in its
    corner. Without --cell: the files, digests and versions that the figure was made of. Of a PDF
    paper with several figures: which they are, on which pages, and whether each is as it was drawn.

    The exit status is 1 if the number counted anew is another, or a file has changed.
    """
    from heatproof.cli import main as cli
    from heatproof.provenance import identify, reread
    from heatproof.provenance import trace as tracing

    root = cli.project(given.project, [given.figure], given.configfile)
    several = identify.held(given.figure, root) if given.cell is None else []
    if len(several) > 1:
        return _several(given.figure, several, root, given.json)
    found = identify.find(given.figure, root)
    unlike = identify.differing(given.figure, found, root)
    changed = unlike + tracing.changed(found.record, root, drawn=given.cell is None)
    if given.cell is None:
        then, now = tracing.logs_now(found.record, root)
        changed += reread.differing(then, now)
        _say(changed)
        _chain(found, tracing.stages(found.record, root, now), changed, given.json)
        return int(bool(changed))
    behind = tracing.cell(found.record, root, given.cell)
    changed += behind.changed + behind.grown
    _say(changed)
    if given.records:
        _read([record for part in behind.parts for record in part.records], root)
    if given.json:
        _json({**_found(found), **msgspec.to_builtins(behind), "changed": changed})
    else:
        terminal.say(text(found, behind, unlike=bool(unlike)), end="")
    return int(bool(changed) or behind.agrees is False)


def _several(paper: str, held: list[Included], root: Path, as_json: bool) -> int:
    """The figures in a paper; 0 if each is as it was drawn, else 1."""
    from heatproof.provenance import identify

    said = [identify.standing(one, root) for one in held]
    if as_json:
        keys = ("figure", "id", "pages", "wrong")
        rows = [(one.figure, one.id, one.pages, why) for one, why in zip(held, said, strict=True)]
        figures = [dict(zip(keys, row, strict=True)) for row in rows]
        _json({"file": paper, "figures": figures})
        return int(any(said))
    named = [f"{one.figure or '?'} (heatproof {one.id or '?'})" for one in held]
    names, places = max(map(len, named)), max(len(one.where) for one in held)
    lines = [
        f"  {one.where:{places}}  {terminal.name(name):{names}}  {why or 'as it was drawn'}"
        for one, name, why in zip(held, named, said, strict=True)
    ]
    head = f"{terminal.name(paper)} holds {len(held)} figures of heatproof:"
    terminal.say("\n".join([head, *lines, "heatproof trace NAME tells what is behind one."]))
    return int(any(said))


def _say(changed: list[str]) -> None:
    """What has changed, before all else."""
    for line in changed:
        terminal.say(f"heatproof: {terminal.name(line)}", error=True)


def _read(records: list[dict[str, Any]], root: Path) -> None:
    """Add the bytes of each record, as its log has them now."""
    from heatproof.provenance import trace as tracing

    raw = tracing.raw(records, root)
    for record in records:
        place = record["log"], record["member"], record["offset"], record["length"]
        if place in raw:
            record["record"] = raw[place].decode("utf-8", "backslashreplace")


def _found(found: Match) -> dict[str, Any]:
    return {"figure": found.figure, "id": found.record.get("id"), "found": found.how}


def _chain(
    found: Match, stages: list[tuple[str, str, str]], changed: list[str], as_json: bool
) -> None:
    if as_json:
        chain = [dict(zip(("stage", "what", "digest"), stage, strict=True)) for stage in stages]
        _json({**_found(found), "changed": changed, "stages": chain})
        return
    width = max(len(what) for _, what, _ in stages)
    lines = [f"{stage:7} {terminal.name(what):{width}}  {digest}" for stage, what, digest in stages]
    terminal.say("\n".join([_head(found), *lines]))


def text(found: Match, behind: Behind, *, unlike: bool = False) -> str:
    """The answer in words: the number, then every record under the part it belongs to.

    `unlike`: the picture handed in is not the one that was drawn.
    """
    cell = ", ".join(f"{name}={value}" for name, value in behind.cell.items())
    size = _size(behind, bool(behind.printed))
    if behind.expected is not None and behind.expected > behind.epochs:
        size += f" of {behind.expected:,} expected"
    size += f"; asked for {behind.asked}" if behind.asked else ""
    lines = [_head(found), cell, f"{behind.metric} = {_shown(behind)}, {size}"]
    lines += [said for said in (behind.printed, behind.against, behind.beside) if said]
    if behind.heads:
        told = (terminal.name(f"{column} at {place}") for column, place in behind.heads.items())
        lines.append(f"told by the head of each log: {', '.join(told)}")
    for part in behind.parts:
        if len(behind.parts) > 1:
            size = _size(part, bool(behind.printed))
            lines += ["", f"{part.title}: {_number(part.value)}, {size}"]
        lines += _records(part.records, behind.unread, bool(behind.printed))
    none = "its run did not finish" if behind.printed else "no graded sample"
    lines += [f"{terminal.name(path)}: {none}" for path in behind.failed]
    return "\n".join([*lines, "", _verdict(behind, unlike), ""])


def _shown(behind: Behind) -> str:
    """The value; "no data" only where there is no record."""
    failed = behind.failed and not behind.parts
    none = behind.value is None and behind.gap not in ("", "no record") and not failed
    return "no value" if none else _number(behind.value)


def _verdict(behind: Behind, unlike: bool) -> str:
    if behind.agrees is None:
        return behind.note
    right = "as in the grid; not so the picture" if unlike else "as in the figure"
    said = right if behind.agrees else "NOT what the figure shows"
    read = "the logs as they are now" if behind.changed else "these records"
    return f"counted anew from {read}: {behind.gap or _number(behind.counted)}, {said}"


def _head(found: Match) -> str:
    made_up = (
        "; its logs are reconstructed from printed digits" if found.record["reconstructed"] else ""
    )
    how = terminal.name(found.how)
    return f"{found.figure} (heatproof {found.record.get('id', '?')}), found {how}{made_up}"


def _size(part: Any, printed: bool = False) -> str:
    if printed:
        return numbered(part.epochs, "printed number")
    return f"{numbered(part.samples, 'problem')}, {numbered(part.epochs, 'record')}"


def _records(records: list[dict[str, Any]], unread: list[str], printed: bool = False) -> list[str]:
    lines, log = [], None
    for record in records:
        if log != (log := (record["log"], record["member"])):
            old = " (not read: as the samples table has it)" if log[0] in unread else ""
            place = terminal.name(" in ".join(filter(None, reversed(log))))
            lines.append(f"  {place}{old}")
        start, length = record["offset"], record["length"]
        place = f"line {record['line']}, bytes {start}–{start + length - 1}"
        scorer = f", scorer {record['scorer']}" if record["scorer"] else ""
        what = f"sample {record['sample_id']}, epoch {record['epoch']}{scorer}{_answer(record)}"
        what = f"printed number{scorer}" if printed else what
        lines.append(f"    {place}: {terminal.name(what)}: {_number(record['value'])}")
        if "record" in record:
            lines.append(indent(record["record"], " " * 6))
    return lines


def _answer(record: dict[str, Any]) -> str:
    """What stands for the answer, where answers count."""
    if "answer" not in record:
        return ""
    return f", answer {record['answer']}" if record["answer"] else ", no answer"


def _number(value: float | None) -> str:
    return "no data" if value is None else f"{value:.10g}"


def _json(value: Any) -> None:
    terminal.say(json.dumps(value, indent=1))


COMMAND = Command(
    trace,
    [
        ("figure", {"metavar": "FIGURE"}),
        ("--cell", {"help": "task=AIME24,ratio=0.3,local_window=2000"}),
        ("--records", {"action": "store_true", "help": "print the records themselves"}),
        JSON,
    ],
)
