"""What `heatproof init` says and writes: sources, figures, roles of columns, what to decide."""

from __future__ import annotations

import shlex
from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Any

import yaml

from heatproof.init import offers
from heatproof.init.files import ending
from heatproof.init.frame import label
from heatproof.init.layouts import FORMS
from heatproof.init.records import as_written, plain
from heatproof.util import terminal
from heatproof.util.errors import Error
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from heatproof.init.folder import Start
    from heatproof.init.source import Source

SCHEMA = ".heatproof.schema.json"
"""Beside the config: by it editors complete keys and show what they mean."""
HEADER = f"""\
# yaml-language-server: $schema={SCHEMA}
# Written by `heatproof init`: at the end stands what it found. `heatproof guide` has examples.
"""
WIDE = 96  # characters of a line of YAML
MANY = 4  # columns left out for one reason, from which they share a line
SHOWN = 24  # places of a record that are listed
HARNESSES = "heatproof guide logs#logs-of-the-common-harnesses"
LAYOUTS = "heatproof guide logs#your-own-layouts"
FORMATS = {".jsonl": "jsonl", **FORMS}
WORD, COLUMN = 10, 24  # width of the first column of the screen, and of names of columns


def facts(start: Start) -> dict[str, Any]:
    """What was found and what is to be decided, for programs."""
    return {
        "sources": {name: _source_facts(name, source) for name, source in start.sources.items()},
        "decide": list(map(_question_facts, start.open)),
        "unread": {reason: paths for reason, paths in start.unread.items() if paths},
        "beside": {reason: paths for reason, paths in start.beside.items() if paths},
    }


def _source_facts(name: str, source: Source) -> dict[str, Any]:
    roles = source.roles.items()
    return {
        "logs": len(source.paths),
        "samples": len(source.trial.samples),
        "entry": source.entry,
        "columns": {_column(column): plain(role) for column, role in roles},
        "notes": list(map(plain, source.notes)),
        "refused": source.trial.refused.splitlines(),
        "cells": source.examples,
        "figures": {f"{name}{figure.end}": figure.what for figure in source.figures},
    }


def _question_facts(source: Source) -> dict[str, Any]:
    answers: list[dict[str, str]] = []
    for words, given in source.answers:
        answers.append({"words": plain(words), "score": as_written(given.score)})
    return {
        "logs": len(source.paths),
        "first": source.paths[0],
        "question": plain(source.question),
        "answers": answers,
        "places": source.places,
    }


def _column(name: str) -> str:
    """A column as config.yaml writes its place; a part of paths without the sign for it."""
    return str(as_written(name.lstrip("/")))


def screen(start: Start) -> str:
    """What was found: sources, and files that are not read."""
    rows: list[tuple[str, str]] = []
    for name, source in start.sources.items():
        rows += _source(name, source)
    for word, reasons in ("beside", start.beside), ("unread", start.unread):
        for reason, paths in reasons.items():
            if paths:
                rows.append((word, f"{_files(paths)}: {reason}"))
    if not (rows or start.open):
        rows = [("unread", f"{start.place}: no file in it may be a log")]
    return _lines(rows)


def _lines(rows: Iterable[tuple[str, str]]) -> str:
    lines = (f"{word.ljust(WORD - 1)} {plain(text)}" for word, text in rows)
    return "\n".join(lines)


def decisions(start: Start, again: str = "--force") -> str:
    """What is to be decided, and the answers; once where several layouts raise one question.

    `again`: the option with which `init` writes once more.
    """
    paths: dict[str, list[str]] = defaultdict(list)  # a question with its answers → its logs
    indent = "\n" + " " * WORD
    for source in start.open:
        rows = [source.question]
        rows += [f"  {words}" for words, _ in source.answers]
        rows += _way_out(source, start.place, again)
        paths[indent.join(rows)] += source.paths
    questions = [f"{_files(logs)}: {question}" for question, logs in paths.items()]
    return _lines(("decide", question) for question in questions)


def _way_out(source: Source, place: str, again: str) -> Iterable[str]:
    """How a question is answered off a terminal: by naming a score, or in the config."""
    scores = [given.score for _, given in source.answers if not given.grade]
    is_of_scores = bool(scores) and all(scores)
    told_apart = len(set(scores)) == len(source.answers)
    if is_of_scores and told_apart and source.is_nameable:
        score = as_written(scores[0])
        command = shlex.join(["heatproof", "init", place, "--score", score, again])
        yield f"  such as: {command}"
    elif source.is_proposed or (source.options and source.options[0][1].guess):
        yield f"  such as: {shlex.join(['heatproof', 'init', place, '--yes', again])}"
    elif source.answers:
        yield "  uncomment one in config.yaml, or ask on a terminal"


def _files(paths: Sequence[str]) -> str:
    name = terminal.name(paths[0])
    if len(paths) == 1:
        return name
    return f"{numbered(len(paths), 'file')}, such as {name}"


def _source(name: str, source: Source) -> Iterable[tuple[str, str]]:
    trial = source.trial
    yield source.entry["format"], f"{_files(source.paths)}{trial.part} -> {name}"
    left: dict[str, list[str]] = {}  # reason → columns
    for column, role in source.roles.items():
        if "left out" in role:
            left.setdefault(role, []).append(_column(column))
        else:
            called = as_written(label(column)) or label(column)
            yield "", f"{called.ljust(COLUMN)}  {role}"
    for role, columns in left.items():
        names = columns if len(columns) < MANY else [_listed(columns)]
        yield from (("", f"{column.ljust(COLUMN)}  {role}") for column in names)
    settings = [name for name in trial.source.columns().params if name not in source.attributes]
    runs = trial.samples.select("model", "task", *settings).n_unique()
    samples = numbered(len(trial.samples), "sample")
    yield "runs", f"{numbered(runs, 'run')}, {samples}"
    yield from (("cell", line) for line in source.examples)
    yield from (("refused", line.strip()) for line in trial.refused.splitlines())
    yield from (("note", note) for note in source.notes)
    yield from (("note", f"not {reason}") for reason in source.rejected)
    for figure in source.figures:
        called = f"{name}{figure.end}"
        yield "figure", f"{called.ljust(COLUMN)}  {figure.what}"


def _listed(columns: Sequence[str]) -> str:
    """Names of columns, of very many the first."""
    if len(columns) <= 2 * SHOWN:
        return ", ".join(columns)
    first = ", ".join(columns[:SHOWN])
    return f"{first} … {len(columns)} in all"


def written(start: Start, name: str, *, is_added: bool) -> str:
    """What was found, what was written, and what is to be decided."""
    verb, again = ("has more", "--add") if is_added else ("written", "--force")
    rows = [screen(start)]
    if start.sources:
        noun = "sources" if len(start.sources) > 1 else "source"
        paths = chain(*(source.paths for source in start.sources.values()))
        inside = numbered(len(list(paths)), "log")
        rows.append(f"{name} {verb}: {noun} {', '.join(start.sources)} ({inside})")
        rows.append("next      heatproof run")
    else:
        rows.append(f"{name} {verb}: what is to be decided")
    rows.append(decisions(start, again))
    return "\n".join(filter(None, rows))


def skeleton(start: Start) -> str:
    """What to write by hand where nothing was found: a source with keys to fill in."""
    likely = [path for path in start.every if ending(path) in FORMATS]
    path = likely[0] if likely else f"{start.place}/**/*.jsonl"
    form = FORMATS[ending(path)]
    return f"""\
no log can be read; nothing was written. To say where scores stand, write config.yaml:
  sources:
    mine:
      format: {form}  # or json, jsonl, csv, yaml, xlsx, or a harness: `{HARNESSES}`
      logs: {path}
      fields: {{model: PLACE, sample_id: PLACE, score: PLACE}}
`heatproof peek mine` shows what is read; examples of layouts: `{LAYOUTS}`"""


def _blocks(start: Start) -> dict[str, list[str]]:
    """Section of a config → the lines of its entries."""
    sources: list[str] = []
    figures: list[str] = []
    for name, source in start.sources.items():
        sources += _block(name, source.entry) + offers.comments(source)
        figures += _figures(name, source)
    number = 0
    for open_question in start.open:
        options = [(words, option) for words, option in open_question.options if option.figures]
        for words, option in options or ([("", open_question)] if open_question.entry else []):
            number += 1
            name = f"answer{number}"
            what = f"{open_question.question} {words}".strip()
            sources += _commented(_block(name, option.entry, what))
            figures += _commented(_figures(name, option))
        if open_question.places:
            places = map(terminal.name, open_question.places[:SHOWN])
            sources.append(f"# # its places: {', '.join(places)} ({LAYOUTS})")
    return {"sources": sources, "figures": figures}


def _figures(name: str, source: Source) -> list[str]:
    """The lines of the figures of a source."""
    lines: list[str] = []
    for figure in source.figures:
        keys = {"kind": figure.keys["kind"], "source": name, **figure.keys}
        lines += _block(f"{name}{figure.end}", keys, figure.what)
    return lines


def _commented(lines: Iterable[str]) -> list[str]:
    return [f"# {line}" for line in lines]


def _block(name: str, keys: Mapping[str, Any], what: str = "") -> list[str]:
    text: str = yaml.safe_dump(
        {name: keys}, default_flow_style=None, sort_keys=False, allow_unicode=True, width=WIDE
    )
    first, *rows = text.splitlines()
    if what:
        comment = " ".join(what.split())
        first = f"{first}  # {plain(comment)}"
    return [first] + rows


def new(start: Start) -> str:
    """A config of its own, with what the screen says at its end."""
    lines = f"{screen(start)}\n{decisions(start)}".strip()
    comments = (f"# {line}".rstrip() for line in lines.splitlines())
    return "\n".join([added(HEADER, start, ""), *comments, ""])


def added(text: str, start: Start, name: str) -> str:
    """A config with more sources and figures; no other line of it is changed.

    Raises Error: its sections are written so that nothing can be put behind them.
    """
    for section, lines in _blocks(start).items():
        text = _in_section(text, section, lines, name) if lines else text
    return text


def _in_section(text: str, section: str, lines: list[str], name: str) -> str:
    """The text with lines at the end of a section, which begins where the text has none."""
    root = yaml.compose(text)
    rows = text.splitlines()
    nodes = {key.value: (key, node) for key, node in root.value} if root else {}
    if section not in nodes:
        sign = ""
        if all(line.startswith("# ") for line in lines):  # answers, of which one is chosen
            sign = "# "
        inside = [f"{sign}  {line.removeprefix(sign)}" for line in lines]
        return "\n".join([text.rstrip(), "", f"{sign}{section}:"] + inside + [""])
    key, node = nodes[section]
    end, indent = key.end_mark.line + 1, 2
    if isinstance(node, yaml.MappingNode) and node.value and not node.flow_style:
        is_last = node is root.value[-1][1]
        end = len(rows) if is_last else node.end_mark.line
        indent = node.value[0][0].start_mark.column
        while _is_blank(rows[end - 1]):
            end -= 1
    elif node.value:
        paste = "\n".join(lines)
        raise Error(f"{name}: {section}: nothing can be added to it; paste this there:\n{paste}")
    margin = " " * indent
    more = [f"{margin}{line}" for line in lines]
    return "\n".join(rows[:end] + more + rows[end:] + [""])


def _is_blank(row: str) -> bool:
    """Whether a line holds nothing, or a comment that is no part of a section."""
    return not row.strip() or row.startswith("#")
