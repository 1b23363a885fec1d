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

    from heatproof.kinds.trace import Behind
    from heatproof.provenance.identify import Included, Match


def trace(args: argparse.Namespace) -> int:
    """Name the records behind a number of a figure.

    FIGURE is a file (svg, pdf, png, html, spec or grid), a figure's name, or the id printed in its
    corner. Without --cell: the files, digests and versions that the figure was made of. Of a PDF
    paper with several figures: which they are, on which pages, and whether each is as it was drawn.

    The exit status is 1 if the number counted anew is another, or a file has changed.
    """
    from heatproof.cli import main as cli
    from heatproof.provenance import identify, reread
    from heatproof.provenance import trace as tracing

    root = cli.project(args.project, [args.figure], args.configfile)
    several = identify.figures_in(args.figure, root) if args.cell is None else []
    if len(several) > 1:
        return _several(args.figure, several, root, args.json)
    match = identify.find(args.figure, root)
    unlike = identify.differing(args.figure, match, root)
    changed = unlike + tracing.changed(match.record, root, drawn=args.cell is None)
    plain: dict[str, Any] = {
        "figure": match.figure,
        "id": match.record.get("id"),
        "found": match.how,
    }
    agrees = True
    if args.cell is None:
        then, now = tracing.logs_now(match.record, root)
        changed += reread.differing(then, now)
        stages = tracing.stages(match.record, root, now)
        keys = ("stage", "what", "digest")
        plain["stages"] = [dict(zip(keys, stage, strict=True)) for stage in stages]
        width = max(len(what) for _, what, _ in stages)
        lines = [
            f"{stage:7} {terminal.name(what):{width}}  {hash_}" for stage, what, hash_ in stages
        ]
        words = "\n".join([_head(match), *lines, ""])
    else:
        behind = tracing.cell(match.record, root, args.cell)
        changed += behind.changed + behind.grown
        agrees = behind.agrees is not False
        if args.records:
            _read([record for part in behind.parts for record in part.records], root)
        plain |= msgspec.to_builtins(behind)
        words = text(match, behind, unlike=bool(unlike))
    for line in changed:
        terminal.say(f"heatproof: {terminal.name(line)}", error=True)
    if args.json:
        terminal.say(json.dumps(plain | {"changed": changed}, indent=1))
    else:
        terminal.say(words, end="")
    return int(bool(changed) or not agrees)


def _several(paper: str, contained: list[Included], root: Path, as_json: bool) -> int:
    """The figures in a paper; 0 if each is as it was drawn, else 1."""
    from heatproof.provenance import identify

    faults = [identify.standing(item, root) for item in contained]
    if as_json:
        keys = ("figure", "id", "pages", "wrong")
        rows = [
            (item.figure, item.id, item.pages, why)
            for item, why in zip(contained, faults, strict=True)
        ]
        figures = [dict(zip(keys, row, strict=True)) for row in rows]
        terminal.say(json.dumps({"file": paper, "figures": figures}, indent=1))
        return int(any(faults))
    labels = [f"{item.figure or '?'} (heatproof {item.id or '?'})" for item in contained]
    names, places = max(map(len, labels)), max(len(item.where) for item in contained)
    lines = [
        f"  {item.where:{places}}  {terminal.name(name):{names}}  {why or 'as it was drawn'}"
        for item, name, why in zip(contained, labels, faults, strict=True)
    ]
    head = f"{terminal.name(paper)} holds {len(contained)} figures of heatproof:"
    terminal.say("\n".join([head, *lines, "heatproof trace NAME tells what is behind one."]))
    return int(any(faults))


def _read(records: list[dict[str, Any]], root: Path) -> None:
    """Add the bytes of each record, as its log has them now."""
    from heatproof.provenance import trace as tracing

    raw = tracing.raw(records, root)
    for record in records:
        place = record["log"], record["member"], record["offset"], record["length"]
        if place in raw:
            record["record"] = raw[place].decode("utf-8", "backslashreplace")


def text(match: Match, behind: Behind, *, unlike: bool = False) -> str:
    """The answer in words: the number, then every record under the part it belongs to.

    `unlike`: the picture handed in is not the one that was drawn.
    """
    cell = ", ".join(f"{name}={value}" for name, value in behind.cell.items())
    size = _size(behind, bool(behind.printed))
    if behind.expected is not None and behind.expected > behind.epochs:
        size += f" of {behind.expected:,} expected"
    size += f"; asked for {behind.asked}" if behind.asked else ""
    lines = [_head(match), cell, f"{behind.metric} = {_shown(behind)}, {size}"]
    lines += [faults for faults in (behind.printed, behind.against, behind.beside) if faults]
    if behind.heads:
        heads = (terminal.name(f"{column} at {place}") for column, place in behind.heads.items())
        lines.append(f"told by the head of each log: {', '.join(heads)}")
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
    faults = right if behind.agrees else "NOT what the figure shows"
    read = "the logs as they are now" if behind.changed else "these records"
    return f"counted anew from {read}: {behind.gap or _number(behind.counted)}, {faults}"


def _head(match: Match) -> str:
    made_up = (
        "; its logs are reconstructed from printed digits" if match.record["reconstructed"] else ""
    )
    how = terminal.name(match.how)
    return f"{match.figure} (heatproof {match.record.get('id', '?')}), found {how}{made_up}"


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


COMMAND = Command(
    trace,
    [
        ("figure", {"metavar": "FIGURE"}),
        ("--cell", {"help": "task=AIME24,ratio=0.3,local_window=2000"}),
        ("--records", {"action": "store_true", "help": "print the records themselves"}),
        JSON,
    ],
)
