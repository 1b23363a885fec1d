"""Parameters of an RO-Crate: what a step takes or makes, and what config.yaml sets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from heatproof.crate.entities import ref, refs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from heatproof.crate.entities import Entity
    from heatproof.crate.settings import Setting


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
