"""The command that lists the records behind a number of a figure."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.cli import JSON, Command
from heatproof.util import terminal
from heatproof.util.errors import Error
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    import argparse

    from heatproof.kinds.trace import Behind
    from heatproof.provenance.identify import Match


def trace(args: argparse.Namespace) -> int:
    """Name the records behind a number of a figure.

    FIGURE is a file (svg, pdf, png, html, spec or grid), a figure's name, or the id printed in its
    corner. Without --cell: the files, digests and versions that the figure was made of. Of a PDF
    paper with several figures: which they are, on which pages, and whether each is as it was drawn.

    The exit status is 1 if the number counted anew is another, or a file has changed.
    """
    from heatproof.cli import main as cli
    from heatproof.provenance import identify
    from heatproof.provenance import trace as tracing

    root = cli.project(args.project, [args.figure], args.configfile)
    matches = identify.find(args.figure, root)
    if len(matches) > 1:
        return _paper(args, matches)
    (match,) = matches
    chain, changed = tracing.files(match.record, root, logs=args.cell is None)
    if match.fault:
        name = Path(args.figure).name
        changed.insert(0, f"{name} does not show what was drawn as {match.figure}: {match.fault}")
    plain: dict[str, Any] = {
        "figure": match.figure,
        "id": match.record["id"],
        "found": match.how,
    }
    agrees = True
    if args.cell is None:
        plain["stages"] = [
            dict(zip(("stage", "what", "digest"), row, strict=True)) for row in chain
        ]
        width = max(len(what) for _, what, _ in chain)
        lines = [
            f"{stage:9} {terminal.name(what):{width}}  {hash_}" for stage, what, hash_ in chain
        ]
        words = "\n".join([_head(match), *lines, ""])
    else:
        behind = tracing.cell(match.record, root, args.cell)
        changed += behind.changed + behind.grown
        agrees = behind.agrees is not False
        if args.records:
            _add_bytes([record for part in behind.parts for record in part.records], root)
        plain |= msgspec.to_builtins(behind)
        words = text(match, behind)
    for line in changed:
        terminal.say(f"heatproof: {terminal.name(line)}", error=True)
    if args.json:
        terminal.say(json.dumps(plain | {"changed": changed}, indent=1))
    else:
        terminal.say(words, end="")
    return int(bool(changed) or not agrees)


def _paper(args: argparse.Namespace, matches: list[Match]) -> int:
    """The figures in a paper; 0 if each is as it was drawn, else 1."""
    head = f"{terminal.name(args.figure)} holds {len(matches)} figures"
    if args.cell is not None:
        labels = "; ".join(match.label for match in matches)
        raise Error(f"{head} ({labels}): name the one that you mean")
    if args.json:
        rows = [msgspec.to_builtins(match) | {"figure": match.figure} for match in matches]
        terminal.say(json.dumps({"file": args.figure, "figures": rows}, indent=1))
    else:
        lines = [f"  {match.label}: {match.fault or 'as it was drawn'}" for match in matches]
        end = "heatproof trace NAME tells what is behind one."
        terminal.say("\n".join([f"{head}:", *map(terminal.name, lines), end]))
    return int(any(match.fault for match in matches))


def _add_bytes(records: list[dict[str, Any]], root: Path) -> None:
    """Add the bytes of each record, as its log has them now."""
    from heatproof.provenance import trace as tracing

    data = tracing.raw(records, root)
    for record in records:
        place = record["log"], record["member"], record["offset"], record["length"]
        if place in data:
            record["record"] = data[place].decode("utf-8", "backslashreplace")


def text(match: Match, behind: Behind) -> str:
    """The answer in words: the number, then every record under the part it belongs to."""
    printed = bool(behind.printed)
    cell = ", ".join(f"{name}={value}" for name, value in behind.cell.items())
    size = _size(behind, printed)
    if behind.expected is not None and behind.expected > behind.epochs:
        size += f" of {behind.expected:,} expected"
    size += f"; asked for {behind.asked}" if behind.asked else ""
    # No data only where there is no record.
    failed = behind.failed and not behind.parts
    none = behind.value is None and behind.gap not in ("", "no record") and not failed
    value = "no value" if none else _number(behind.value)
    lines = [_head(match), cell, f"{behind.metric} = {value}, {size}"]
    lines += filter(None, [behind.printed, behind.against, behind.beside])
    if behind.heads:
        heads = (terminal.name(f"{column} at {place}") for column, place in behind.heads.items())
        lines.append(f"told by the head of each log: {', '.join(heads)}")
    for part in behind.parts:
        if len(behind.parts) > 1:
            lines += ["", f"{part.title}: {_number(part.value)}, {_size(part, printed)}"]
        lines += _records(part.records, behind.unread, printed)
    none_of_log = "its run did not finish" if printed else "no graded sample"
    lines += [f"{terminal.name(path)}: {none_of_log}" for path in behind.failed]
    verdict = behind.note
    if behind.agrees is not None:
        right = "as in the grid; not so the picture" if match.fault else "as in the figure"
        right = right if behind.agrees else "NOT what the figure shows"
        read = "the logs as they are now" if behind.changed else "these records"
        verdict = f"counted anew from {read}: {behind.gap or _number(behind.counted)}, {right}"
    return "\n".join([*lines, "", verdict, ""])


def _head(match: Match) -> str:
    made_up = "; its logs are reconstructed from printed digits"
    note = made_up if match.record["reconstructed"] else ""
    id_ = match.record.get("id", "?")
    return f"{match.figure} (heatproof {id_}), found {terminal.name(match.how)}{note}"


def _size(part: Any, printed: bool) -> str:
    if printed:
        return numbered(part.epochs, "printed number")
    return f"{numbered(part.samples, 'problem')}, {numbered(part.epochs, 'record')}"


def _records(records: list[dict[str, Any]], unread: list[str], printed: bool) -> list[str]:
    lines, log = [], None
    for record in records:
        if log != (log := (record["log"], record["member"])):
            old = " (not read: as the samples table has it)" if log[0] in unread else ""
            place = terminal.name(" in ".join(filter(None, reversed(log))))
            lines.append(f"  {place}{old}")
        start, length = record["offset"], record["length"]
        place = f"line {record['line']}, bytes {start}–{start + length - 1}"
        scorer = f", scorer {record['scorer']}" if record["scorer"] else ""
        answer = record.get("answer")
        answer = f", answer {answer}" if answer else ", no answer" if "answer" in record else ""
        what = f"sample {record['sample_id']}, epoch {record['epoch']}{scorer}{answer}"
        what = f"printed number{scorer}" if printed else what
        lines.append(f"    {place}: {terminal.name(what)}: {_number(record['value'])}")
        if "record" in record:
            lines.append(indent(record["record"], " " * 6))
    return lines


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
