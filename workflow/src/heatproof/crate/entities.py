"""Entities of an RO-Crate, one function a kind: plain mappings, to be written as JSON-LD."""

from __future__ import annotations

from functools import cache
from os.path import splitext
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
