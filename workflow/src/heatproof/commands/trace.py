"""Name the records behind a number of a figure.

FIGURE is a file (svg, pdf, png, html, spec or grid), a figure's name, or the id printed in its
corner. Without --cell: the files, digests and versions that the figure was made of.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.numerals import numbered

if TYPE_CHECKING:
    import argparse

    from heatproof.proof.behind import Behind
    from heatproof.proof.identify import Found


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `trace` takes."""
    parser.add_argument("figure", metavar="FIGURE")
    parser.add_argument("--cell", help="task=AIME24,ratio=0.3,local_window=2000")
    parser.add_argument("--records", action="store_true", help="print the records themselves")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(given: argparse.Namespace) -> int:
    """0; or 1 if the number counted anew from the records is another, or a file has changed."""
    from heatproof import cli
    from heatproof.proof import identify, trace

    root = cli.project(given.project, [given.figure])
    found = identify.find(given.figure, root)
    changed = trace.changed(found.record, root)
    for line in changed:
        print(f"heatproof: {line}", file=sys.stderr)
    if given.cell is None:
        _chain(found, trace.stages(found.record, root), given.json)
        return int(bool(changed))
    behind = trace.cell(found.record, root, given.cell)
    records = [record for part in behind.parts for record in part.records]
    raw = trace.raw(records, root) if given.records else {}
    for record in records if raw else []:
        place = record["log"], record["member"], record["offset"], record["length"]
        record["record"] = raw[place].decode("utf-8", "backslashreplace")
    if given.json:
        found_by = {"figure": found.figure, "id": found.record.get("id"), "found": found.how}
        _json(found_by | {"changed": changed} | msgspec.to_builtins(behind))
    else:
        sys.stdout.write(text(found, behind))
    return int(bool(changed) or behind.agrees is False)


def _chain(found: Found, stages: list[tuple[str, str, str]], as_json: bool) -> None:
    if as_json:
        chain = [dict(zip(("stage", "what", "digest"), stage, strict=True)) for stage in stages]
        _json(
            {
                "figure": found.figure,
                "id": found.record.get("id"),
                "found": found.how,
                "stages": chain,
            }
        )
        return
    width = max(len(what) for _, what, _ in stages)
    lines = [f"{stage:7} {what:{width}}  {digest}" for stage, what, digest in stages]
    sys.stdout.write("\n".join([_head(found), *lines, ""]))


def text(found: Found, behind: Behind) -> str:
    """The answer in words: the number, then every record under the part it belongs to."""
    cell = ", ".join(f"{name}={value}" for name, value in behind.cell.items())
    lines = [_head(found), cell, f"{behind.metric} = {_number(behind.value)}, {_size(behind)}"]
    for part in behind.parts:
        if len(behind.parts) > 1:
            lines += ["", f"{part.title}: {_number(part.value)}, {_size(part)}"]
        lines += _records(part.records)
    return "\n".join([*lines, "", _verdict(behind), ""])


def _verdict(behind: Behind) -> str:
    if behind.agrees is None:
        return behind.note
    said = "as in the figure" if behind.agrees else "NOT what the figure shows"
    return f"counted anew from these records: {_number(behind.counted)}, {said}"


def _head(found: Found) -> str:
    made_up = (
        "; its logs are reconstructed from printed digits" if found.record["reconstructed"] else ""
    )
    return f"{found.figure} (heatproof {found.record.get('id', '?')}), found {found.how}{made_up}"


def _size(part: Any) -> str:
    return f"{numbered(part.samples, 'problem')}, {numbered(part.epochs, 'record')}"


def _records(records: list[dict[str, Any]]) -> list[str]:
    lines, log = [], None
    for record in records:
        if log != (log := (record["log"], record["member"])):
            lines.append(f"  {' in '.join(filter(None, reversed(log)))}")
        start, length = record["offset"], record["length"]
        place = f"line {record['line']}, bytes {start}–{start + length - 1}"
        scorer = f", scorer {record['scorer']}" if record["scorer"] else ""
        what = f"sample {record['sample_id']}, epoch {record['epoch']}{scorer}"
        lines.append(f"    {place}: {what}: {_number(record['value'])}")
        if "record" in record:
            lines.append(f"      {record['record']}")
    return lines


def _number(value: float | None) -> str:
    return "no data" if value is None else f"{value:.10g}"


def _json(value: Any) -> None:
    print(json.dumps(value, indent=1, ensure_ascii=False))
