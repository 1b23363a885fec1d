"""What an Inspect log holds: its head, its samples as bytes, and their scores as numbers."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.formats.api import Place
from heatproof.formats.decoding import Decoder, fault, plain, require_unique
from heatproof.formats.documents import decoded, members, object_in, one, places
from heatproof.formats.params import Int64, excerpted, number_from_text
from heatproof.logs.streams import Unreadable
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from heatproof.logs.archives import Archive


HEADER, START, SAMPLES = "header.json", "_journal/start.json", "samples/"
HEAD = "sample.json"
"""Of a sample that is a folder: the member with its scores."""
WHOLE = re.compile(r"samples/.+_epoch_\d+\.json", re.DOTALL)
FOLDER = re.compile(r"samples/.+?_epoch_\d+/", re.DOTALL)
JOURNAL, TABLES = "_journal/", {HEADER, "summaries.json", "reductions.json"}
"""What else Inspect keeps in an archive."""
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Values that Inspect's `value_to_float` knows: correct, partial, incorrect, no answer."""
Part = tuple[str, Place, bytes | Unreadable]
"""A sample: its member, its place there, its bytes."""


class Header(msgspec.Struct):
    """What is read of a log's head."""

    version: int = 2
    status: str = "started"
    eval: dict[str, Any] = {}
    plan: dict[str, Any] = {}
    results: dict[str, Any] | None = None

    def scorers(self) -> list[str]:
        """Names of the scores, as far as the head tells; `name.key` of one that is a mapping.

        A key has its own entry, which tells the scorer that it is of; beside such entries there
        may be one of the scorer alone, without numbers (`_eval/task/results.py`).
        """
        lists = [(self.results or {}).get("scores"), self.eval.get("scorers")]
        scores = next((names for names in lists if isinstance(names, list) and names), [])
        scores = [item for item in scores if isinstance(item, dict) and item.get("name")]
        names = {name_of(item) for item in scores}
        mappings = {str(s.get("scorer")) for s in scores if name_of(s) != str(s["name"])}
        return sorted(names - mappings)

    def params(self) -> list[Any]:
        """Where hyper-parameters may lie; the plan's override the model's.

        Solver and models in other roles (`grader`) are found by these names.
        """
        keys = ("model_generate_config", "task_args", "solver_args", "model_args")
        roles = object_in(self.eval, "model_roles").items()
        models = {role: model.get("model") for role, model in roles if isinstance(model, dict)}
        return [self.plan.get("config"), *map(self.eval.get, (*keys, "config", "metadata")),
                {"solver": self.eval.get("solver")} | models]  # fmt: skip


def name_of(score: dict[str, Any]) -> str:
    """What a score of the results is called: its key, behind the scorer that it is of."""
    name, scorer = str(score.get("name")), str(score.get("scorer") or score.get("name"))
    return name if name == scorer else f"{scorer}.{name}"


class Document(Header):
    """A `.json` log: head and samples in one."""

    samples: list[msgspec.Raw] | None = None


class Score(msgspec.Struct):
    """One scorer's judgement, and what it took for the answer; many tell none."""

    value: Any = None
    answer: Any = None


class Sample(msgspec.Struct):
    id: int | str
    epoch: Int64
    scores: dict[str, Score] | None = None
    error: Any = None
    invalidation: Any = None
    model_usage: dict[str, dict[str, Any]] | None = None
    total_time: float | None = None

    def tokens(self) -> float | None:
        """Tokens that the models of a sample put out."""
        counts = [usage.get("output_tokens") for usage in (self.model_usage or {}).values()]
        numbers = [count for count in counts if isinstance(count, int)]
        return float(sum(numbers)) if numbers and max(numbers) < 2**53 else None


SAMPLE = Decoder(msgspec.json.Decoder(Sample))


def head_of(archive: Archive, limit: int) -> tuple[Header, str]:
    """The head of an archive; one that was never finished has only its start."""
    name = next((name for name in (HEADER, START) if name in archive.names), None)
    if name is None:
        raise Error(f"an archive without {HEADER}: no Inspect log")
    header: Header = decoded(archive.read(name, limit), Header)
    if name == START:
        header.status = "started"
    return header, name


def members_of(archive: Archive, limit: int) -> Iterator[Part]:
    """The samples of an archive: a member each, or a folder each with the scores in its head.

    A sample is a member `{id}_epoch_{n}.json`, or a folder of that name: there `sample.json` holds
    all but the long lists (messages, events, calls, attachments), which lie beside it in pieces
    (inspect_ai, `log/_recorders/chunked/format.py`). An archive may have both; ids, a slash.
    A member of any other name is refused if the archive contradicts itself about the name: it may
    have been a sample's before it was damaged.
    """
    inside = {n for n in archive.names if n.startswith(SAMPLES) and n.endswith(".json")}
    samples = {name for name in inside if WHOLE.fullmatch(name) or name.endswith(f"/{HEAD}")}
    folders = {name.removesuffix(HEAD) for name in samples if not WHOLE.fullmatch(name)}
    loose = {
        name
        for name in inside - samples
        if folders.isdisjoint(name[: slash.end()] for slash in re.finditer("/", name))
    }
    headless = {folder[0] for name in loose if (folder := FOLDER.match(name))}
    samples |= {name for name in loose if not FOLDER.match(name)}
    for name in sorted(samples):
        if name in archive.repeated:
            twice = Unreadable("the archive holds this member twice")
            yield from [(name, Place(1, 0, 0), twice)] * archive.repeated[name]
            continue
        try:
            data = archive.read(name, limit)
            yield name, Place(1, 0, len(data)), data
        except Unreadable as error:
            yield name, Place(1, 0, 0), error
    for name in sorted(headless):
        yield name, Place(1, 0, 0), Unreadable(f"the folder of this sample has no {HEAD}")
    for name in archive.names:
        if name not in inside | TABLES and not name.startswith(JOURNAL):
            try:
                archive.head(name, 0)
            except Unreadable as error:
                yield name, Place(1, 0, 0), error


def samples_of(data: bytes) -> tuple[Header, Iterator[Part]]:
    """Head and samples of a document. Raises msgspec.DecodeError and what that is kin to."""
    header = msgspec.json.decode(data, type=Document)
    parts = members(data, Document.__struct_fields__)
    for name in parts.keys() & {*Header.__struct_fields__}:  # of samples, each is looked at later
        require_unique(bytes(memoryview(parts[name])))
    raws = header.samples or []
    spots = zip(raws, places(data, raws), strict=True)
    return header, (("", place, bytes(memoryview(raw))) for raw, place in spots)


def sample_of(data: bytes) -> Sample:
    """A sample that can be graded. Raises Error with the reason why it cannot."""
    try:
        data.isascii() or data.decode()
    except UnicodeDecodeError as error:
        raise fault(error, data) from error
    try:
        sample: Sample = one(SAMPLE, data)
    except Error:
        sample = one(SAMPLE, plain(data))
    if sample.error:
        message = sample.error.get("message") if isinstance(sample.error, dict) else sample.error
        raise Error(f"sample ended in an error: {excerpted(message)}", "absent")
    if sample.invalidation:
        raise Error("the sample was invalidated", "absent")
    if not sample.scores:
        raise Error("the sample has no score", "absent")
    return sample


def single(scores: Mapping[str, Score]) -> Iterator[str]:
    """Names of scores, of mappings those of their keys, in the order of the names."""
    for name in sorted(scores):
        value = scores[name].value
        yield from (f"{name}.{k}" for k in sorted(value)) if isinstance(value, dict) else (name,)


def key_in(scores: Mapping[str, Score], name: str) -> tuple[str, str]:
    """The scorer that a name means, and the key in its mapping; '' for the score as a whole.

    Both may have a point in their names. Raises Error where there is none.
    """
    if name in scores:
        return name, ""
    for point in re.finditer(r"\.", name):
        base, key = name[: point.start()], name[point.end() :]
        if base in scores and isinstance(scores[base].value, dict) and key in scores[base].value:
            return base, key
    raise Error(f"no score by {name!r}; {choices(name, sorted(scores))}", "missing")


def value_of(scores: Mapping[str, Score], name: str) -> float:
    """A score as a number, as Inspect reads it; what Inspect would count as 0 unseen is refused."""
    base, key = key_in(scores, name)
    value = scores[base].value[key] if key else scores[base].value
    if value == []:
        raise Error("the score is NaN, infinite or empty", "unscored")
    if isinstance(value, dict):
        keys = excerpted(", ".join(f"{name}.{key}" for key in sorted(value)))
        raise Error(f"the score is a mapping; choose one with `scorer`: {keys}", "type")
    number = value
    if isinstance(value, str):
        number = GRADES.get(value, GRADES.get(value.lower()) if len(value) > 1 else None)
        with suppress(ValueError):
            number = number_from_text(value) if number is None else number
    if not isinstance(number, (int, float)):
        raise Error(f"the score is {excerpted(value)}, no grade that is known", "type")
    try:
        return number if isinstance(number, bool) else float(number)
    except OverflowError:
        raise Error("the score is a number beyond all bounds", "type") from None
