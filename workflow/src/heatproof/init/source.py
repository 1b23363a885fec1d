"""A reading as a source of config.yaml; with a question, where only a person can say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from heatproof.config.roles import TAKEN
from heatproof.init import files
from heatproof.init.frame import ABSENT
from heatproof.init.roles import listed, numbers
from heatproof.init.text import values_in_words
from heatproof.init.words import holds, verdict, weight, weights
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection

    from heatproof.init.roles import Facts, Reading

FIELDS = ("model", "task", "sample_id", "epoch")
"""Columns of ours that a source gives a place."""
SAME = 0.9
"""Part of the rows of two files that must have the same text, to be the same problems."""
SHOWN = 6
"""Numbers that are listed of a column."""
LOST = 0.08
"""Part of the records without a score from which the config says that they may be so many."""


@dataclass
class Proposal:
    """A source that may be written."""

    entry: dict[str, Any]
    metric: str = "pass@1"
    """What its figures show."""
    pooled: list[str] = field(default_factory=list)
    """Settings that number repetitions."""
    notes: list[str] = field(default_factory=list)
    """What was assumed."""
    whys: dict[str, str] = field(default_factory=dict)
    """Key of the entry → what was seen that tells it."""
    roles: dict[str, str] = field(default_factory=dict)
    """Column of the logs → its role, or why it is left out."""
    graded: bool = False
    """Whether a harness says what the score is."""
    question: str = ""
    """What only a person can say."""
    answers: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Of each answer its words, and the keys that it gives the entry."""

    @property
    def printed(self) -> bool:
        """Whether each record is a printed number, with no records below."""
        return self.metric.startswith("printed")


def propose(reading: Reading, others: Collection[str], within: str) -> Proposal:
    """The source of a reading.

    Args:
        reading: what its columns are.
        others: files that are none of its logs.
        within: what the folder is called: the model or task, where none is known.
    """
    frame, family = reading.frame, reading.frame.family
    entry: dict[str, Any] = {
        "format": family.format,
        "logs": files.patterns(family.paths, [*others]),
        "delimiter": family.delimiter if family.delimiter != "," else "",
        "decimal": family.decimal if family.decimal != "." else "",
        "sidecar": family.sidecar,
        "each": frame.at,
    }
    proposal = Proposal(entry, notes=reading.notes)
    names = _names(reading)
    _place(reading, entry, names)
    if _is_printed(reading):
        _printed(reading, proposal, names)
    else:
        _samples(reading, proposal, names)
    present = {*names.values(), *entry["fields"]}
    if "model" not in present:
        entry.setdefault("set", {})["model"] = within
    if "task" not in present:
        entry.setdefault("set", {})["task"] = within if "model" in present else "all"
    for key, value in reading.layout.get("entry", {}).items():
        entry[key] = {**(entry.get(key) or {}), **value}
    proposal.entry = {k: v for k, v in entry.items() if v not in ("", None, {}, [])}
    repeats = (n for n in reading.settings if weight("epoch", n) > weight("setting", n))
    proposal.pooled += [names[name] for name in repeats]
    if names.get(reading.repetition, "epoch") not in ("epoch", *proposal.pooled):
        proposal.pooled.append(names[reading.repetition])
    proposal.roles = {name: _described(reading, name) for name in reading.roles}
    unnamed = [name for name in names.values() if re.fullmatch(r"(part|key)_\d", name)]
    if unnamed:
        proposal.notes.append(f"nothing names {listed(unnamed)}: give it a name in config.yaml")
    return proposal


def _described(reading: Reading, name: str) -> str:
    """The role of a column and its values, or why it is left out."""
    role, facts = reading.roles[name], reading.facts.get(name)
    if facts is None or role.startswith("left out") or not facts.values:
        return role
    if facts.distinct > SHOWN and facts.type in ("int", "float"):
        return f"{role}: {facts.low:g} to {facts.high:g}"
    return f"{role}: {values_in_words(facts.values)}"


# ------------------------------------------------------------------------------------ names, places


def _names(reading: Reading) -> dict[str, str]:
    """Column of the frame → what it is called in the samples table."""
    columns = (reading.model, reading.task, reading.problem, reading.repetition)
    names = {name: role for name, role in zip(columns, FIELDS, strict=True) if name}
    if repetition := reading.repetition:
        facts = reading.facts[repetition]
        texts = all(re.fullmatch(r"0|[1-9]\d*", str(value)) for value in facts.values)
        if facts.missing or not (texts or (facts.type == "int" and facts.low >= 0)):
            del names[repetition]  # an epoch is a whole number in all records
    for name in [*reading.settings, repetition]:
        if name and name not in names:
            names[name] = free(name, {*names.values()})
    return names


def free(name: str, taken: Collection[str]) -> str:
    """A name for a setting: the last part of its place, and of none of our own columns."""
    parts = [re.sub(r"\W+", "_", part).strip("_") for part in name.lstrip("^/").split(".")]
    short = parts[-1].strip("{}") or "setting"
    if short.lower() in ("name", "id", "type", "key", "value") and len(parts) > 1:
        short = f"{parts[-2]}_{short}"
    short = short if not short[0].isdigit() else f"n_{short}"
    while short in taken or short.lower() in TAKEN | {"source"}:
        short += "_"
    return short


def _place(reading: Reading, entry: dict[str, Any], names: dict[str, str]) -> None:
    """Write where each column stands: fields, params, groups of the path, holes of `each`."""
    places = reading.frame.places
    pattern, at = reading.frame.pattern, entry["each"] or ""
    for name, place in places.items():
        if place.part == "hole":
            own = names.setdefault(name, free(name, {*names.values()}))
            at = at.replace(f"{{{place.text}}}", f"{{{own}}}")
        elif place.part == "path":
            group = f"(?P<{names[name]}>" if name in names else "(?:"
            pattern = pattern.replace(f"(?P<{place.text}>", group)
    parts = any(places[name].part == "path" for name in names)
    entry |= {"path": pattern if parts else "", "each": at}
    fields = {own: name for name, own in names.items() if own in FIELDS}
    fields = {own: n for own, n in fields.items() if places[n].part not in ("path", "hole")}
    entry["fields"] = {own: places[name].text for own, name in fields.items()}
    params = {own: name for name, own in names.items() if own not in FIELDS}
    entry["params"] = {own: _param(reading, name, own) for own, name in params.items()}


def _param(reading: Reading, name: str, own: str) -> Any:
    """The type of a setting, and its place where that is not its name."""
    facts, place = reading.facts[name], reading.frame.places[name]
    kind = facts.type if facts.type in ("int", "float", "bool") else "str"
    if place.part in ("path", "hole"):
        values = [str(value) for value in facts.values if value != ""]
        if all(re.fullmatch(r"(0|[1-9]\d*)(\.\d+)?", value) for value in values):
            kind = "float" if any("." in value for value in values) else "int"
        return {"type": "int", "default": 1} if "" in facts.values else kind
    if facts.missing:
        return {"type": "str", "field": place.text, "default": ABSENT}
    return kind if place.text == own else {"type": kind, "field": place.text}


def _score_place(reading: Reading, names: dict[str, str]) -> str:
    """Where the score stands; a hole in it has the name of the column that it fills."""
    place = reading.frame.places[reading.score].text
    for name, own in names.items():
        place = place.replace(f"{{{name}}}", f"{{{own}}}")
    return place


# ---------------------------------------------------------------------------------- printed numbers


def _is_printed(reading: Reading) -> bool:
    """Whether records are numbers that were printed of several samples each."""
    facts = reading.facts[reading.score]
    if facts.single or reading.part(reading.score) == "list":
        return False
    summed = holds("summed", reading.score) or bool(_stderr(reading))
    summary = reading.unique and not reading.problem and summed
    alone = reading.is_unique(reading.cell)
    return ((alone or summary) and not (reading.repetition and not summed)) or _is_count(facts)


def _is_count(facts: Facts) -> bool:
    """Whether the score is a number of things: whole, above 1, and called no rating."""
    rated = weight("score", facts.name) > 0 and holds("rated", facts.name)
    scale = facts.low >= 1 and facts.high <= 10
    return facts.type == "int" and facts.low >= 0 and facts.high > 1 and not (rated or scale)


def _stderr(reading: Reading) -> str:
    """The column that holds the standard error of the score; empty if there is none."""
    facts = reading.facts
    likely = [n for n in facts if weight("stderr", n) >= 1.2 and facts[n].type in ("float", "int")]
    own = [name for name in likely if name.startswith(reading.score)]
    return next(iter(own or (likely if len(likely) == 1 else [])), "")


def _printed(reading: Reading, proposal: Proposal, names: dict[str, str]) -> None:
    """Write the printed number with what is known of its uncertainty."""
    entry, facts, group = proposal.entry, reading.facts[reading.score], reading.frame.group
    own, value = free("number" if group else reading.score, names), _score_place(reading, names)
    proposal.metric = f"printed({own})"
    _tell_printed_apart(reading, proposal, names)
    number: dict[str, Any] = {"value": value}
    roles = {"n": "number of problems", "stderr": "standard error"}
    for key, name in {"n": _size(reading), "stderr": _stderr(reading)}.items():
        if name:
            number[key], reading.roles[name] = reading.frame.places[name].text, roles[key]
    number |= {"of": group} if group else {}
    entry["aggregates"] = {own: number if len(number) > 1 else value}
    for column in reading.facts.values():  # what tells whether a run finished
        done = [v for v in column.values if str(v).casefold() in weights()["finished"]]
        if column.type == "text" and column.distinct <= 6 and len(done) == 1:
            reading.roles[column.name] = f"finished: {done[0]}"
            entry["finished"] = {reading.frame.places[column.name].text: done[0]}
    percent = holds("summed", facts.name) or holds("percent", facts.name) or facts.type == "float"
    if _is_count(facts):
        proposal.question = f"{facts.name} counts {facts.low:g} to {facts.high:g}"
        proposal.question += ": what is to be drawn?"
        for total in _totals(reading)[:3]:
            share = {own: {"value": value, "total": reading.frame.places[total].text}}
            proposal.answers.append((f"its share of {total}", {"aggregates": share}))
        proposal.answers.append(("the count itself", {"aggregates": {own: value}}))
    elif facts.low >= 0 and 10 < facts.high <= 100 and percent:
        entry["range"] = {own: [0, 100]}
        proposal.whys["range"] = "taken for percent"


def _tell_printed_apart(reading: Reading, proposal: Proposal, names: dict[str, str]) -> None:
    """A problem is the task of a printed number; its repetitions are a setting, and averaged."""
    entry = proposal.entry
    if reading.problem:
        if reading.task or not reading.is_unique(reading.key):
            proposal.question = f"several printed {reading.score} of equal settings: what is each?"
        if "sample_id" in entry["fields"]:
            entry["fields"]["task"] = entry["fields"].pop("sample_id")
        names[reading.problem] = reading.roles[reading.problem] = "task"
    if name := reading.repetition:
        names[name] = again = free(name, names.values())
        entry["fields"].pop("epoch", None)
        entry["path"] = entry["path"].replace("(?P<epoch>", f"(?P<{again}>")
        entry["params"][again] = _param(reading, name, again)
        proposal.pooled.append(again)
    elif not reading.unique:
        proposal.question = f"several printed {reading.score} of equal settings: what differs?"


def _totals(reading: Reading) -> list[str]:
    """Columns of whole numbers that the score is never above, the likeliest total first."""
    score = numbers(reading.frame, reading.score).cast(pl.Float64)
    weighed = []
    for facts in reading.facts.values():
        name = facts.name
        countable = facts.type == "int" and facts.low >= 1 and facts.missing <= 0.05
        if name == reading.score or not countable or reading.part(name) in ("path", "key", "hole"):
            continue
        near = name.rpartition(".")[0] == reading.score.rpartition(".")[0]
        above = (score <= numbers(reading.frame, name).cast(pl.Float64)).all()
        if above and (near or weight("count", name) >= 2):
            weighed.append((weight("count", name) + near, facts.high, name))
    return [name for _, _, name in sorted(weighed, reverse=True)]


def _size(reading: Reading) -> str:
    """The column of the number of problems behind a share: share × number is whole."""
    unit = 100.0 if reading.facts[reading.score].high > 1 else 1.0
    shares = numbers(reading.frame, reading.score).cast(pl.Float64) / unit
    best = (1.9, "")
    for column in reading.facts.values():
        counts = weight("count", column.name)
        if column.type != "int" or column.low < 1 or column.name == reading.score or counts <= 0:
            continue
        sizes = numbers(reading.frame, column.name).cast(pl.Float64)
        right = shares * sizes
        exact = ((right - right.round()).abs() <= 0.011 + 0.00051 * sizes).mean()
        integral = isinstance(exact, float) and exact > 0.95 and column.high < 1000
        best = max(best, (counts + integral, column.name))
    return best[1]


# ------------------------------------------------------------------------------------------ samples


def _samples(reading: Reading, proposal: Proposal, names: dict[str, str]) -> None:
    """Write the score of samples, and what tells problems and repetitions apart."""
    entry, facts = proposal.entry, reading.facts[reading.score]
    entry["fields"]["score"] = _score_place(reading, names)
    if reading.part(reading.score) == "list":
        entry["epochs"] = {"lists": ["score"]}
    if facts.type == "text":
        stands = {value: verdict(value) for value in facts.values}
        entry["verdicts"] = stands
        if None in stands.values():
            words = ", ".join(map(str, facts.values))
            proposal.question = f"{reading.score} is one of {words}: which is right?"
            for value in facts.values:
                right = {"verdicts": {word: int(word == value) for word in facts.values}}
                proposal.answers.append((f"{value} is right, the others are wrong", right))
    elif facts.type != "bool" and not 0 <= facts.low <= facts.high <= 1:
        ends, words = _ends(facts)
        entry["range"] = {"score": ends}
        proposal.whys["range"] = f"taken for {words}: all in {facts.low:g} to {facts.high:g}"
    _write_lost(reading, proposal)
    if not reading.problem:
        _problems(reading, proposal)
    elif not reading.unique and not reading.repetition:
        entry["fields"]["epoch"] = _row(reading)
        proposal.notes.append("records that nothing tells apart count as repetitions")


def _write_lost(reading: Reading, proposal: Proposal) -> None:
    """Write how many records have no score, where they are many."""
    facts = reading.facts[reading.score]
    lost = facts.missing
    if facts.sentinel is not None:
        scores = numbers(reading.frame, reading.score).cast(pl.Float64)
        lost += int((scores == facts.sentinel).sum()) / len(scores)
        proposal.notes.append(f"{facts.sentinel:g} is no score: such records are missing")
    if (lost > LOST or facts.sentinel is not None) and lost < 0.5:
        proposal.entry["refused"] = round(lost + 0.03, 2)
        proposal.whys["refused"] = f"{lost:.0%} of the records have no score"


def _ends(facts: Facts) -> tuple[list[float], str]:
    """The lowest and highest value of a score, and in words."""
    low, high = facts.low, facts.high
    for least, beyond, ends, words in (
        (-1, -2, [-1, 1], "-1 to 1"), (1, 5, [1, 10], "1 to 10"), (0, 5, [0, 10], "0 to 10"),
        (0, 10, [0, 100], "percent" if facts.type == "float" else "0 to 100"),
    ):  # fmt: skip
        if least <= low and beyond < high <= ends[1]:
            return [*ends], words
    top = float(-int(-high // 1))
    bottom = -max(top, -float(int(low // 1))) if low < 0 else 0.0
    return [bottom, max(top, -bottom)], "the range of what is there"


def _row(reading: Reading) -> str:
    """The place of the number of a record."""
    return "$key" if reading.frame.family.format == "json" else "$row"


def _problems(reading: Reading, proposal: Proposal) -> None:
    """Write what tells problems apart where no column is called so."""
    places, fields, notes = reading.frame.places, proposal.entry["fields"], proposal.notes
    keyed = any(place.part == "key" for place in places.values())
    text, alone = _prompt(reading)
    if reading.repetition and reading.unique:
        notes.append("no record names a problem: those of a cell are repetitions of one")
    elif reading.is_unique(reading.cell):
        notes.append("one record a cell, of one problem")
    elif text:
        fields["sample_id"] = places[text].text
        reading.roles[text] = "sample_id: the text tells problems apart"
        fields |= {} if alone else {"epoch": _row(reading)}
    elif alone and (keyed or _same_rows(reading)):
        fields["sample_id"] = "$key" if keyed else _row(reading)
        if not keyed:
            notes.append("records of a number are one problem: files have the same texts in order")
    else:
        fields["epoch"] = _row(reading)
        if alone:
            notes.append(
                "nothing shows that records of two files are of the same problems: those of a cell "
                "count as repetitions of one, and no cell is compared with another"
            )
    if "sample_id" not in fields:
        proposal.entry["set"] = {"sample_id": "all"}


def _prompt(reading: Reading) -> tuple[str, bool]:
    """The text that tells problems apart, and whether each has one record of a cell.

    No text, and False: all records of a cell have the same. No text, and True: nothing is known.
    """
    data, cell = reading.frame.data, reading.cell
    prompts = [
        facts
        for facts in reading.facts.values()
        if facts.type in ("long", "text")
        and not facts.missing
        and facts.name not in cell
        and reading.part(facts.name) == "field"
        and holds("prompts", facts.name)
    ]
    for facts in sorted(prompts, key=lambda facts: -facts.distinct):
        pairs = data.select([*cell, facts.name]).n_unique()
        if pairs >= 0.9 * len(data):
            return facts.name, pairs == len(data)
        if cell and pairs == data.select(cell).n_unique() < len(data):
            return "", False
    return "", True


def _same_rows(reading: Reading) -> bool:
    """Whether the n-th records of all files have the same text, as the same problem has."""
    data = reading.frame.data.with_columns(pl.int_range(pl.len()).over("$file").alias("$n"))
    for facts in reading.facts.values():
        texts = facts.type in ("long", "text") and facts.distinct > 2
        if not texts or facts.name in reading.cell or reading.part(facts.name) != "field":
            continue
        alike = data.group_by("$n").agg((pl.col(facts.name).n_unique() == 1), pl.len().alias("$f"))
        again = alike.filter(pl.col("$f") > 1)[facts.name]
        if len(again) and again.sum() >= SAME * len(again):
            return True
    return False
