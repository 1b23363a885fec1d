"""A reading as a source of config.yaml; or a question, where only a person can say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.config.roles import TAKEN
from heatproof.init import files
from heatproof.init.facts import numbers
from heatproof.init.frame import ABSENT
from heatproof.init.words import holds, verdict, weight, weights
from heatproof.init.write import listed
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from heatproof.init.roles import Reading

FIELDS = ("model", "task", "sample_id", "epoch")
"""Columns of ours that a source gives a place."""
SAME = 0.9
"""Part of the rows of two files that must have the same text, to be the same problems."""
SHOWN = 6
"""Numbers that are listed of a column."""
LOST = 0.08
"""Part of the records without a score from which the config says that they may be so many."""


class Option(NamedTuple):
    """An answer to a question, and the source that it gives."""

    label: str
    proposal: Proposal


class Question(Exception):
    """What only a person can say; `options`: what would be written for each answer, if known."""

    def __init__(self, text: str, options: Sequence[Option] = ()) -> None:
        super().__init__(text)
        self.text, self.options = text, list(options)


@dataclass
class Proposal:
    """A source that may be written."""

    entry: dict[str, Any]
    metric: str
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
    numbered: bool = False
    """Whether each record is a printed number, with no records below."""
    question: tuple[str, list[tuple[str, dict[str, Any]]]] | None = None
    """What only a person can say; of each answer its words, and the keys that it gives."""


def propose(reading: Reading, others: Collection[str], within: str) -> Proposal:
    """The source of a reading.

    Args:
        reading: what its columns are.
        others: files that are none of its logs.
        within: what the folder is called: the model or task, where none is known.

    Raises:
        Question: only a person can say what the score means.
    """
    proposal = Proposal(_layout(reading, others), "", notes=[*reading.notes])
    names = column_names(reading)
    _place(reading, proposal, names)
    if _is_printed(reading):
        _printed(reading, proposal, names)
    else:
        _samples(reading, proposal, names)
    _fixed(proposal, names, within)
    for key, value in reading.layout.entry.items():
        own = proposal.entry.get(key, {})
        proposal.entry[key] = {**own, **value} if isinstance(value, dict) else value
    proposal.entry = {key: value for key, value in proposal.entry.items() if value not in ({}, [])}
    proposal.pooled += [
        names[name] for name in reading.settings if weight("epoch", name) > weight("setting", name)
    ]
    proposal.roles = {name: _described(reading, name) for name in reading.roles}
    if proposal.question:
        raise _question_of(proposal)
    return proposal


def _described(reading: Reading, name: str) -> str:
    """The role of a column and its values, or why it is left out."""
    role, facts = reading.roles[name], reading.facts.get(name)
    if facts is None or role.startswith("left out") or not facts.values:
        return role
    if facts.distinct > SHOWN and facts.numeric:
        return f"{role}: {facts.low:g} to {facts.high:g}"
    return f"{role}: {listed(facts.values)}"


def _question_of(proposal: Proposal) -> Question:
    """The question of a proposal, with the source that each answer gives."""
    text, answers = proposal.question or ("", [])
    options = [
        Option(label, replace(proposal, entry={**proposal.entry, **keys}, question=None))
        for label, keys in answers
    ]
    return Question(text, options)


def _layout(reading: Reading, others: Collection[str]) -> dict[str, Any]:
    family, frame = reading.frame.family, reading.frame
    entry: dict[str, Any] = {
        "format": family.format,
        "logs": files.patterns(family.paths, [*others], more=True),
    }
    if family.delimiter != ",":
        entry["delimiter"] = family.delimiter
    if family.decimal != ".":
        entry["decimal"] = family.decimal
    if family.sidecar:
        entry["sidecar"] = family.sidecar
    if frame.at is not None:
        entry["each"] = frame.at
    return entry


# ------------------------------------------------------------------------------------ names, places


def column_names(reading: Reading) -> dict[str, str]:
    """Column of the frame → what it is called in the samples table."""
    names: dict[str, str] = {}
    roles = {
        reading.model: "model", reading.task: "task",
        reading.problem: "sample_id", reading.repetition: "epoch",
    }  # fmt: skip
    names |= {name: role for name, role in roles.items() if name}
    if reading.repetition and not _counts_from(reading, reading.repetition):
        del names[reading.repetition]
    for name in [*reading.settings, reading.repetition]:
        if name and name not in names:
            names[name] = free(name, {*names.values()})
    return names


def _counts_from(reading: Reading, name: str) -> bool:
    """Whether a column holds whole numbers in all records, as an epoch must."""
    facts = reading.facts[name]
    counted = facts.type == "int" and facts.low >= 0
    texts = all(re.fullmatch(r"0|[1-9]\d*", str(value)) for value in facts.values)
    return not facts.missing and (counted or texts)


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


def _place(reading: Reading, proposal: Proposal, names: dict[str, str]) -> None:
    """Write where each column stands: fields, params, groups of the path, holes of `each`."""
    entry, places = proposal.entry, reading.frame.places
    pattern, records_at = reading.frame.pattern, reading.frame.at or ""
    for name, place in places.items():
        if place.part == "hole":
            own = names.setdefault(name, free(name, {*names.values()}))
            records_at = records_at.replace(f"{{{place.text}}}", f"{{{own}}}")
        elif place.part == "path":
            group = f"(?P<{names[name]}>" if name in names else "(?:"
            pattern = pattern.replace(f"(?P<{place.text}>", group)
    if any(places[name].part == "path" for name in names):
        entry["path"] = pattern
    if records_at:
        entry["each"] = records_at
    entry["fields"] = {
        own: places[name].text
        for name, own in names.items()
        if own in FIELDS and places[name].part not in ("path", "hole")
    }
    entry["params"] = {
        own: _param(reading, name, own) for name, own in names.items() if own not in FIELDS
    }


def _score_place(reading: Reading, names: dict[str, str]) -> str:
    """Where the score stands; a hole in it has the name of the column that it fills."""
    place = reading.frame.places[reading.score].text
    for name, own in names.items():
        place = place.replace(f"{{{name}}}", f"{{{own}}}")
    return place


def _param(reading: Reading, name: str, own: str) -> Any:
    """The type of a setting, and its place where that is not its name."""
    facts, place = reading.facts[name], reading.frame.places[name]
    kind = facts.type if facts.type in ("int", "float", "bool") else "str"
    if place.part in ("path", "hole"):
        values = [str(value) for value in facts.values if value != ""]
        if all(re.fullmatch(r"0|[1-9]\d*", value) for value in values):
            kind = "int"
        elif all(re.fullmatch(r"(0|[1-9]\d*)(\.\d+)?", value) for value in values):
            kind = "float"
        return {"type": "int", "default": 1} if "" in facts.values else kind
    if facts.missing:
        return {"type": "str", "field": place.text, "default": ABSENT}
    return kind if place.text == own else {"type": kind, "field": place.text}


def _fixed(proposal: Proposal, names: dict[str, str], within: str) -> None:
    """Name model, task and problem where no column does; tell of settings that have no name."""
    entry = proposal.entry
    present = {*names.values(), *entry["fields"]}
    if "model" not in present:
        entry.setdefault("set", {})["model"] = within
    if "task" not in present:
        entry.setdefault("set", {})["task"] = within if "model" in present else "all"
    for name in names.values():
        if re.fullmatch(r"(part|key)_\d", name):
            proposal.notes.append(f"nothing names {name}: give it a name of yours in config.yaml")


# ------------------------------------------------------------------------------ what the score is


def _is_printed(reading: Reading) -> bool:
    """Whether records are numbers that were printed of several samples each."""
    facts = reading.facts[reading.score]
    single = facts.type in ("bool", "text") or (
        facts.type == "int" and facts.low >= 0 and facts.high <= 1
    )
    if single or reading.part(reading.score) == "list":
        return False
    alone = reading.texts.unique(reading.cell)
    summed = holds("summed", reading.score) or any(_errors(reading))
    summary = bool(reading.unique and not reading.problem and summed)
    printed = (alone or summary) and not (reading.repetition and not summed)
    return printed or _is_count(reading)


def _is_count(reading: Reading) -> bool:
    """Whether the score is a number of things: whole, above 1, and called no rating."""
    facts = reading.facts[reading.score]
    rated = weight("score", reading.score) > 0 and holds("rated", reading.score)
    scale = facts.low >= 1 and facts.high <= 10
    return facts.type == "int" and facts.low >= 0 and facts.high > 1 and not (rated or scale)


def _errors(reading: Reading) -> list[str]:
    """Columns that may hold the standard error of the score, the likeliest first."""
    facts = reading.facts
    likely = [n for n in facts if weight("stderr", n) >= 1.2 and facts[n].type in ("float", "int")]
    own = [name for name in likely if name.startswith(reading.score)]
    return own or (likely if len(likely) == 1 else [])


def _totals(reading: Reading) -> list[str]:
    """Columns of whole numbers that the score is never above, the likeliest total first."""
    score = numbers(reading.frame, reading.score).cast(pl.Float64)
    folder = reading.score.rpartition(".")[0]
    weighed = []
    for facts in reading.facts.values():
        name = facts.name
        countable = facts.type == "int" and facts.low >= 1 and facts.missing <= 0.05
        if name == reading.score or not countable or reading.part(name) in ("path", "key", "hole"):
            continue
        near = name.rpartition(".")[0] == folder
        above = (score <= numbers(reading.frame, name).cast(pl.Float64)).all()
        if above and (near or weight("count", name) >= 2):
            weighed.append((weight("count", name) + near, facts.high, name))
    return [name for _, _, name in sorted(weighed, reverse=True)]


def _printed(reading: Reading, proposal: Proposal, names: dict[str, str]) -> None:
    """Write the printed number with what is known of its uncertainty."""
    group = "number" if reading.frame.group else reading.score
    own, value = free(group, {*names.values()}), _score_place(reading, names)
    proposal.numbered, proposal.metric = True, f"printed({own})"
    if reading.problem:
        _problem_as_task(reading, proposal, names)
    proposal.entry["fields"].pop("epoch", None)
    if reading.repetition:
        _repeat_printed(reading, proposal, names)
    elif not reading.unique:
        raise Question(f"several printed {reading.score} of equal settings: what tells them apart?")
    number: dict[str, Any] = {"value": value, **_beside(reading)}
    if state := _state(reading):
        proposal.entry["finished"] = state
    proposal.entry["aggregates"] = {own: number if len(number) > 1 else value}
    if _is_count(reading):
        proposal.question = _count_question(reading, own)
    elif _is_percent(reading):
        proposal.entry["range"] = {own: [0, 100]}
        proposal.whys["range"] = "taken for percent"


def _beside(reading: Reading) -> dict[str, Any]:
    """What is known of the uncertainty of a printed number; its columns, if it has several."""
    places, beside = reading.frame.places, {}
    if size := _size(reading):
        beside["n"] = places[size].text
        reading.roles[size] = "number of problems"
    for name in _errors(reading)[:1]:
        beside["stderr"] = places[name].text
        reading.roles[name] = "standard error"
    return beside | ({"of": reading.frame.group} if reading.frame.group else {})


def _state(reading: Reading) -> dict[str, str]:
    """The place that tells whether a run finished, and what it says of those that did."""
    for facts in reading.facts.values():
        done = [value for value in facts.values if str(value).casefold() in weights()["finished"]]
        if facts.type == "text" and facts.distinct <= 6 and len(done) == 1:
            reading.roles[facts.name] = f"finished: {done[0]}"
            return {reading.frame.places[facts.name].text: done[0]}
    return {}


def _problem_as_task(reading: Reading, proposal: Proposal, names: dict[str, str]) -> None:
    """Take what was a problem for the task: a printed number of it is of several samples.

    Raises:
        Question: it does not tell the numbers apart.
    """
    name, fields = reading.problem, proposal.entry["fields"]
    if reading.task or not reading.texts.unique([*reading.cell, name]):
        raise Question(f"several printed {reading.score} of equal settings: what is each of?")
    if "sample_id" in fields:
        fields["task"] = fields.pop("sample_id")
    names[name] = reading.roles[name] = "task"


def _repeat_printed(reading: Reading, proposal: Proposal, names: dict[str, str]) -> None:
    """Repetitions of printed numbers are a setting over which figures show the mean."""
    name = reading.repetition
    own = names[name] = free(name, {*names.values()})
    if reading.part(name) == "path":
        path = proposal.entry["path"]
        proposal.entry["path"] = path.replace("(?P<epoch>", f"(?P<{own}>")
    proposal.entry["params"][own] = _param(reading, name, own)
    proposal.pooled.append(own)


def _count_question(reading: Reading, own: str) -> tuple[str, list[tuple[str, dict[str, Any]]]]:
    """The question what a count is of, and what would be written for each answer."""
    facts, value = reading.facts[reading.score], reading.frame.places[reading.score].text
    answers: list[tuple[str, dict[str, Any]]] = []
    for total in _totals(reading)[:3]:
        share = {own: {"value": value, "total": reading.frame.places[total].text}}
        answers.append((f"its share of {total}", {"aggregates": share}))
    answers.append(("the count itself", {"aggregates": {own: value}}))
    return (
        f"{reading.score} counts {facts.low:g} to {facts.high:g}: what is to be drawn?",
        answers,
    )


def _is_percent(reading: Reading) -> bool:
    """Whether a number of 0 to 100 is a percentage: fractions, or a name that says so."""
    facts = reading.facts[reading.score]
    share = holds("summed", reading.score) or holds("percent", reading.score)
    inside = facts.low >= 0 and 10 < facts.high <= 100
    return inside and (facts.type == "float" or share)


def _size(reading: Reading) -> str:
    """The column of the number of problems behind a share: share × number is whole."""
    facts = reading.facts
    unit = 100.0 if facts[reading.score].high > 1 else 1.0
    shares = numbers(reading.frame, reading.score).cast(pl.Float64) / unit
    best = (1.9, "")
    for column in facts.values():
        counts = weight("count", column.name)
        if column.type != "int" or column.low < 1 or column.name == reading.score or counts <= 0:
            continue
        sizes = numbers(reading.frame, column.name).cast(pl.Float64)
        right = shares * sizes
        exact = ((right - right.round()).abs() <= 0.011 + 0.00051 * sizes).mean()
        integral = isinstance(exact, float) and exact > 0.95 and column.high < 1000
        best = max(best, (counts + integral, column.name))
    return best[1]


def _samples(reading: Reading, proposal: Proposal, names: dict[str, str]) -> None:
    """Write the score of samples, and what tells problems and repetitions apart."""
    fields = proposal.entry["fields"]
    fields["score"] = _score_place(reading, names)
    if reading.part(reading.score) == "list":
        proposal.entry["epochs"] = {"lists": ["score"]}
    _scaled(reading, proposal)
    if not reading.problem:
        _problems(reading, proposal)
    elif not reading.unique and not reading.repetition:
        fields["epoch"] = _row(reading)
        proposal.notes.append("records that nothing tells apart count as repetitions")


def _scaled(reading: Reading, proposal: Proposal) -> None:
    """Write the scale of a score of single records, and what stands for none.

    Raises:
        Question: it is words of which not all are known.
    """
    facts, entry = reading.facts[reading.score], proposal.entry
    single = facts.type in ("bool", "text") or (facts.type == "int" and facts.high <= 1)
    proposal.metric = "pass@1" if single and facts.low >= 0 else "mean(score)"
    if facts.type == "text":
        stands = {value: verdict(value) for value in facts.values}
        if None in stands.values():
            answers: list[tuple[str, dict[str, Any]]] = [
                (
                    f"{value} is right, the others are wrong",
                    {"verdicts": {word: int(word == value) for word in facts.values}},
                )
                for value in facts.values
            ]
            words_ = ", ".join(map(str, facts.values))
            proposal.question = f"{reading.score} is one of {words_}: which is right?", answers
        entry["verdicts"] = stands
    elif ends := _ends(reading):
        entry["range"] = {"score": ends[0]}
        proposal.whys["range"] = (
            f"taken for {ends[1]}: all lie within {facts.low:g} and {facts.high:g}"
        )
    lost = facts.missing
    if facts.sentinel is not None:
        scores = numbers(reading.frame, reading.score).cast(pl.Float64)
        lost += float((scores == facts.sentinel).fill_null(value=False).mean())  # type: ignore[arg-type]
        proposal.notes.append(f"{facts.sentinel:g} is no score: such records are missing")
    if (lost > LOST or facts.sentinel is not None) and lost < 0.5:
        entry["refused"] = round(lost + 0.03, 2)
        proposal.whys["refused"] = f"{lost:.0%} of the records have no score"


def _ends(reading: Reading) -> tuple[list[float], str] | None:
    """The lowest and highest value of a score, and in words; None for 0 to 1."""
    facts = reading.facts[reading.score]
    low, high = facts.low, facts.high
    if facts.type == "bool" or (low >= 0 and high <= 1):
        return None
    if low >= -1 and low < 0 and high <= 1:
        return [-1, 1], "-1 to 1"
    if low >= 1 and 5 < high <= 10:
        return [1, 10], "1 to 10"
    if low >= 0 and 5 < high <= 10:
        return [0, 10], "0 to 10"
    if low >= 0 and 10 < high <= 100:
        return [0, 100], "percent" if facts.type == "float" else "0 to 100"
    top = float(-int(-high // 1))
    bottom = -max(top, -float(int(low // 1))) if low < 0 else 0.0
    return [bottom, max(top, -bottom)], "the range of what is there"


# ----------------------------------------------------------------------------------------- problems


def _row(reading: Reading) -> str:
    """The place of the number of a record."""
    return "$key" if reading.frame.family.format == "json" else "$row"


def _problems(reading: Reading, proposal: Proposal) -> None:
    """Write what tells problems apart where no column is called so."""
    frame, entry, notes = reading.frame, proposal.entry, proposal.notes
    fields, fixed = entry["fields"], entry.setdefault("set", {})
    fixed["sample_id"] = "all"
    if reading.repetition and reading.unique:
        notes.append("no record names a problem: those of a cell are repetitions of one")
        return
    if reading.texts.unique(reading.cell):
        notes.append("one record a cell, of one problem")
        return
    if text := _prompt(reading):
        column, alone = text
        if column:
            fields["sample_id"] = frame.places[column].text
            del fixed["sample_id"]
            reading.roles[column] = "sample_id: the text tells problems apart"
        if not alone:
            fields["epoch"] = _row(reading)
        return
    keyed = any(place.part == "key" for place in frame.places.values())
    if keyed or _same_rows(reading):
        fields["sample_id"] = "$key" if keyed else _row(reading)
        del fixed["sample_id"]
        if not keyed:
            notes.append(
                "the number of a record is its problem: files have the same texts in order"
            )
        return
    fields["epoch"] = _row(reading)
    notes.append(
        "nothing shows that records of two files are of the same problems: those of a cell count "
        "as repetitions of one, and no cell is compared with another"
    )


def _prompt(reading: Reading) -> tuple[str, bool] | None:
    """The text that tells problems apart, and whether each has one record of a cell.

    An empty name: all records of a cell have the same text.
    """
    frame, cell = reading.frame, reading.cell
    prompts = [
        facts
        for facts in reading.facts.values()
        if facts.type in ("long", "text")
        and not facts.missing
        and facts.name not in cell
        and frame.places[facts.name].part == "field"
        and holds("prompts", facts.name)
    ]
    for facts in sorted(prompts, key=lambda facts: -facts.distinct):
        rows, pairs = len(frame.data), frame.data.select([*cell, facts.name]).n_unique()
        if pairs >= 0.9 * rows:
            return facts.name, pairs == rows
        if cell and pairs == frame.data.select(cell).n_unique() < rows:
            return "", False
    return None


def _same_rows(reading: Reading) -> bool:
    """Whether the n-th records of all files have the same text, as the same problem has."""
    data = reading.frame.data.with_columns(pl.int_range(pl.len()).over("$file").alias("$n"))
    files = data["$file"].n_unique()
    for facts in reading.facts.values():
        shared = (
            facts.type in ("long", "text") and facts.distinct > 2 and facts.name not in reading.cell
        )
        if not shared or reading.frame.places[facts.name].part != "field" or files < 2:
            continue
        alike = data.group_by("$n").agg(
            (pl.col(facts.name).n_unique() == 1).alias("$same"), pl.len().alias("$files")
        )
        repeated = alike.filter(pl.col("$files") > 1)
        if len(repeated) and float(repeated["$same"].mean()) >= SAME:  # type: ignore[arg-type]
            return True
    return False
