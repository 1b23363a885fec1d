"""Entities of an RO-Crate, one function a kind: plain mappings, to be written as JSON-LD.

Parameters are what a step takes or makes, and how steps connect by it, and what config.yaml says of
the sources and figures shown, key by key.
"""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from os.path import splitext
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import msgspec

from heatproof.util.structs import usual

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from heatproof.crate.jobs import Job
    from heatproof.plan.plan import Plan


Entity = dict[str, Any]

ROOT = "results"
"""The folder that is described; what lies beside it is named by `../`."""

PRONOM = "https://www.nationalarchives.gov.uk/PRONOM/"
FORMATS: dict[str, tuple[str, str]] = {
    ".csv": ("text/csv", "x-fmt/18"),
    ".gz": ("application/gzip", "x-fmt/266"),
    ".html": ("text/html", "fmt/471"),
    ".j2": ("text/plain", "x-fmt/111"),
    ".js": ("text/javascript", "x-fmt/423"),
    ".json": ("application/json", "fmt/817"),
    ".md": ("text/markdown", "fmt/1149"),
    ".jsonl": ("application/x-ndjson", ""),
    ".parquet": ("application/vnd.apache.parquet", ""),
    ".pdf": ("application/pdf", "fmt/276"),
    ".png": ("image/png", "fmt/13"),
    ".py": ("text/x-python", ""),
    ".svg": ("image/svg+xml", "fmt/92"),
    ".tex": ("application/x-tex", ""),
    ".zip": ("application/zip", "x-fmt/263"),
    ".zst": ("application/zstd", ""),
}
"""Ending → media type and, where it is known, entry in the PRONOM register; else plain text."""
TEXT = ("text/plain", "x-fmt/111")
DONE = "http://schema.org/CompletedActionStatus"


def ref(identifier: str) -> Entity:
    """A reference to an entity."""
    return {"@id": identifier}


def refs(identifiers: Iterable[str]) -> Entity | list[Entity]:
    """References in order, each once; a single one stands alone, as the specification asks."""
    found = [ref(one) for one in sorted(set(identifiers))]
    return found[0] if len(found) == 1 else found


@cache
def address(path: str) -> str:
    """The @id of a file or folder: its path from the folder of results, percent-encoded."""
    inside = path.removeprefix(f"{ROOT}/")
    return quote(inside if inside != path else f"../{path}")


def file(path: str, digest: str, size: int | None = None, by: str = "sha256") -> Entity:
    """A file with its digest (hexadecimal), by SHA-256 or another way, and its size (bytes)."""
    kind, pronom = FORMATS.get(splitext(path)[1], TEXT)
    return {
        "@id": address(path),
        "@type": "File",
        "name": path,
        **({by: digest} if by == "sha256" else {"identifier": f"{by}:{digest}"}),
        **({} if size is None else {"contentSize": str(size)}),
        "encodingFormat": [kind, ref(PRONOM + pronom)] if pronom else kind,
    }


def formats(files: Iterable[Entity]) -> list[Entity]:
    """The entries of the PRONOM register that the files refer to."""
    listed = (one["encodingFormat"] for one in files)
    used = {(kind[0], kind[1]["@id"]) for kind in listed if isinstance(kind, list)}
    names: dict[str, str] = {}
    for media, entry in sorted(used):
        names.setdefault(entry, media)
    told = names.items()
    return [{"@id": entry, "@type": "WebSite", "name": f"PRONOM: {kind}"} for entry, kind in told]


def folder(path: str, name: str, parts: Iterable[str]) -> Entity:
    """A folder; `parts` are paths of files in it."""
    inside = refs(map(address, parts))
    return {"@id": address(path), "@type": "Dataset", "name": name, "hasPart": inside}


def licence(path: str, there: bool) -> Entity:
    """The licence: the project's file of it, or that there is none."""
    if there:
        return {"@id": address(path), "@type": ["File", "CreativeWork"]}
    text = f"not stated: the project has no file {path}"
    return {"@id": "#licence", "@type": "CreativeWork", "name": text, "description": text}


def action(
    identifier: str, name: str, instrument: str, given: Iterable[str], made: Iterable[str]
) -> Entity:
    """A run of a tool or of the workflow. Without times: the same inputs give the same bytes."""
    return {
        "@id": identifier,
        "@type": "CreateAction",
        "actionStatus": DONE,
        "description": f"{name}: what it took is under object, what it made under result",
        "instrument": ref(instrument),
        "name": name,
        "object": refs(given),
        "result": refs(made),
    }


def profile(identifier: str, name: str) -> Entity:
    """A profile that the crate follows; its version ends its address."""
    version = identifier.rsplit("/", 1)[1]
    return {"@id": identifier, "@type": "CreativeWork", "name": name, "version": version}


def text(entities: Iterable[Mapping[str, Any]], context: list[Any]) -> str:
    """The crate as JSON-LD; the descriptor and the root come first, the others by their @id."""
    first = {"ro-crate-metadata.json": 0, "./": 1}
    told = ({key: value for key, value in one.items() if value != []} for one in entities)
    graph = sorted(told, key=lambda one: (first.get(one["@id"], 2), one["@id"]))
    crate = msgspec.json.encode({"@context": context, "@graph": graph}, order="sorted")
    return msgspec.json.format(crate, indent=1).decode() + "\n"


class Setting(NamedTuple):
    """What stands for a key, be it written or taken for granted."""

    value: Any
    required: bool
    """Whether it has to be written."""
    usual: Any = None
    """What is taken where nothing is written, if that is more than nothing."""


def settings(plan: Plan) -> dict[str, Setting]:
    """Key in config.yaml, such as `figures.r1-llama.encoding.x` → what stands for it.

    Defaults are told like what was written; what is empty is left out.
    """
    sources = {f"sources.{name}": plan.sources[name] for name in plan.shards}
    figures = {f"figures.{name}": entry for name, entry in plan.figures.items()}
    others = {one.key: one.entry for one in plan.checks}
    shown: dict[str, msgspec.Struct] = {**sources, **figures, **others}
    return {key: one for place, entry in shown.items() for key, one in of_entry(place, entry)}


def of_entry(
    place: str, entry: msgspec.Struct, without: Collection[str] = ()
) -> Iterator[tuple[str, Setting]]:
    """The same of one entry, `place` being its key in config.yaml, `without` some of its parts."""
    values = msgspec.to_builtins(entry)
    for field in _fields(type(entry)):
        if field.name == "name" or field.name in without:
            continue  # the key says the name
        key = f"{place}.{field.encode_name}"
        default = msgspec.to_builtins(None if field.required else usual(field))
        for leaf, value in _leaves(values[field.encode_name], key):
            yield leaf, Setting(value, field.required, default if leaf == key else None)


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _leaves(value: Any, key: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name in value:
            yield from _leaves(value[name], f"{key}.{name}")
    elif value not in (None, "", []):
        yield key, value


def setting(key: str, one: Setting) -> list[Entity]:
    """A key of config.yaml as a parameter of the workflow, and its value."""
    slot, held = f"#parameter/{quote(key)}", f"#setting/{quote(key)}"
    kind = {bool: "Boolean", int: "Integer", float: "Float"}.get(type(one.value), "Text")
    given = {"valueRequired": one.required}
    if one.usual not in (None, "", []):
        given["defaultValue"] = _plain(one.usual)
    return [
        parameter(slot, key, kind, [held], f"{key} in config.yaml") | given,
        {
            "@id": held,
            "@type": "PropertyValue",
            "name": key,
            "value": _plain(one.value),
            "exampleOfWork": ref(slot),
        },
    ]


def _plain(value: Any) -> Any:
    """A value as JSON-LD can hold it: lists and mappings as text."""
    return value if isinstance(value, str | int | float) else json.dumps(value, sort_keys=True)


def parameter(
    identifier: str, name: str, kind: str, examples: Iterable[str], description: str
) -> Entity:
    """What a step or the workflow takes or makes, with the files or values that took its place."""
    return {
        "@id": identifier,
        "@type": "FormalParameter",
        "additionalType": kind,
        "conformsTo": ref("https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"),
        "description": description,
        "name": name,
        "workExample": refs(examples),
    }


WORKFLOW = "Snakefile"


class Slot(NamedTuple):
    """What a step takes or makes, by its name."""

    step: str
    name: str
    made: bool

    @property
    def id(self) -> str:
        return f"#{self.step}/{'result' if self.made else 'object'}/{self.name}"


def slots(jobs: Iterable[Job]) -> dict[Slot, list[str]]:
    """What steps take and make → the files, over all jobs."""
    found: defaultdict[Slot, list[str]] = defaultdict(list)
    for job in jobs:
        for made, given in ((False, job.inputs), (True, job.outputs)):
            for name, paths in given.items():
                found[Slot(job.step, name, made)] += paths
    return dict(found)


def parameters(slots: Mapping[Slot, Sequence[str]]) -> list[Entity]:
    """A parameter for each slot, and on the side of the files what they are examples of."""
    examples: defaultdict[str, list[str]] = defaultdict(list)
    made = []
    for slot, paths in slots.items():
        said = f"{slot.name} that {slot.step} {'makes' if slot.made else 'takes'}"
        made.append(parameter(slot.id, slot.name, "File", map(address, paths), said))
        for path in paths:
            examples[address(path)].append(slot.id)
    return [*made, *({"@id": path, "exampleOfWork": refs(of)} for path, of in examples.items())]


def script(step: str) -> str:
    """Path of the script that a step runs."""
    return f"workflow/scripts/{step}.py"


def step(name: str) -> str:
    """The @id of a step."""
    return f"#step/{name}"


def connections(slots: Mapping[Slot, Sequence[str]]) -> list[Entity]:
    """That what one step makes another takes; told by the workflow and by the step that takes."""
    source = {path: slot for slot, paths in slots.items() if slot.made for path in paths}
    pairs = {
        (source[path], slot)
        for slot, paths in slots.items()
        if not slot.made
        for path in paths
        if path in source
    }
    told: defaultdict[str, list[str]] = defaultdict(list)
    found: list[Entity] = []
    for one, other in sorted(pairs):
        name = f"#connection/{one.step}/{one.name}/{other.step}/{other.name}"
        ends = {"sourceParameter": ref(one.id), "targetParameter": ref(other.id)}
        found.append({"@id": name, "@type": "ParameterConnection", **ends})
        for place in (address(WORKFLOW), step(other.step)):
            told[place].append(name)
    return [*found, *({"@id": place, "connection": refs(names)} for place, names in told.items())]
