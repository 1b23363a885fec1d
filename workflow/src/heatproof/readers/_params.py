"""Hyper-parameters of a run, named and typed in config.yaml, found wherever the log keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heatproof.config import Columns, Source, Type
from heatproof.errors import Error
from heatproof.readers._documents import LIMIT
from heatproof.readers._typed import from_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Tuned(Source, kw_only=True):
    """Keys of a source whose logs tell the hyper-parameters of their run."""

    params: dict[str, Type] = {}
    """Hyper-parameter → type; its name is the one in the log, dotted for what lies deeper."""
    max_document: int = LIMIT
    """Bytes of a document that is held in memory whole at most: a larger one is refused."""

    range: list[float] = []
    """The lowest and highest score, brought to 0 and 1, as true and false are."""

    def mistakes(self) -> list[str]:
        """What is wrong with the keys beyond their types."""
        if self.range and (len(self.range) != 2 or self.range[0] >= self.range[1]):
            return [f".range: {self.range} is not [lowest, highest]"]
        return []

    def columns(self) -> Columns:
        return Columns({_column(name): kind for name, kind in self.params.items()}, [])


def _column(name: str) -> str:
    return name.rsplit(".", 1)[-1]


def unit(score: float, ends: list[float]) -> float:
    """A stored score brought to 0–1; true and false are so already, whatever the range."""
    if isinstance(score, bool):
        return float(score)
    low, high = ends or (0.0, 1.0)
    return (score - low) / (high - low)


def lookup(params: Mapping[str, Type], sources: Iterable[object]) -> dict[str, Any]:
    """Each parameter's value in the first of `sources` that has it; null where none does.

    `sources` are what the log holds: mappings, or text such as `a=1,b=x`; others are skipped.

    Raises:
        Error: a value is not of the type that config.yaml gives it.
    """
    mappings = [_mapping(source) for source in sources]
    return {_column(name): _first(name, kind, mappings) for name, kind in params.items()}


def _first(name: str, kind: Type, mappings: list[dict[str, Any]]) -> Any:
    for mapping in mappings:
        value: Any = mapping.get(name)
        if value is None and "." in name:
            value = mapping
            for part in name.split("."):
                value = value.get(part) if isinstance(value, dict) else None
        if value is not None:
            return typed(value, kind, name)
    return None


def _mapping(source: object) -> dict[str, Any]:
    if isinstance(source, dict):
        return source
    if isinstance(source, str):
        pairs = (part.partition("=") for part in source.split(","))
        return {key.strip(): value.strip() for key, found, value in pairs if found}
    return {}


def typed(value: Any, kind: Type, name: str) -> Any:
    """A value of a log as the type that config.yaml gives it.

    Raises:
        Error: it is of another type; a text that reads as the type will do.
    """
    if isinstance(value, str):
        return _within(from_text(value, kind, name), name)
    if kind == "str" and isinstance(value, (bool, int, float)):
        return str(value)
    right = {"int": (int,), "float": (int, float), "bool": (bool,)}.get(kind, ())
    if not isinstance(value, right) or (isinstance(value, bool) and kind != "bool"):
        raise Error(f"{name}: {excerpted(value)} is not {kind}")
    return _within(float(value) if kind == "float" else value, name)


def _within(value: Any, name: str) -> Any:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise Error(f"{name}: a whole number beyond 64 bits")
    return value


def excerpted(value: object) -> str:
    """A value as it may stand in a message: short."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
