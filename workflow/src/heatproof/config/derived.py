"""Columns made of columns (`columns` of a source): their mistakes, what figures have of them."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from heatproof.config import roles
from heatproof.config.entries import OPERATIONS, family_fault, unfit
from heatproof.util.errors import Error, Mistake, not_one_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from heatproof.config.entries import Derived, Figure, Source
    from heatproof.config.roles import Type

SIZE = re.compile(r"([-+]?[0-9.]+(?:e[-+]?[0-9]+)?)(k|m|b|ki|mi)?", re.IGNORECASE)
FACTORS = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "ki": 2**10, "mi": 2**20}
"""Unit behind an end of a bin → how many it stands for."""
NEEDED = {
    "bin": (("at", "quantiles"), "its ends, at: [8k, 16k], or quantiles: 4"),
    "match": (("pattern",), "a regular expression with one group, pattern: '(\\d+)b'"),
    "join": (("take",), "the place of the value in the file, take: difficulty"),
    "map": (("to",), "the new values, to: {old: new}"),
}
"""Operation → keys of which it needs one, and what to write."""
FILES = (".csv", ".tsv", ".xlsx", ".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".parquet")
PACKED = (".gz", ".zst")


def number_of_end(end: float | str) -> float:
    """An end of a bin as a number: 8k is 8000, 8Ki is 8192. Raises Error: it is none."""
    if not isinstance(end, str):
        return float(end)
    match = SIZE.fullmatch(end.strip())
    try:
        if match:
            number = float(match[1])
        else:
            number = None
    except ValueError:
        number = None
    if match is None or number is None:
        raise Error(f"{end!r} is not a number; write 8000, 8k or 8Ki")
    return number * FACTORS[(match[2] or "").lower()]


def mistakes(source: Source) -> list[Mistake]:
    """What is wrong with the columns of a source that are made of others."""
    columns = source.columns()
    kinds: dict[str, Type] = dict.fromkeys(columns.numbers(), "float")
    kinds |= columns.identity()
    problems: list[Mistake] = []
    for name, derived in source.derived.items():
        place = f".columns.{name}"
        if name in kinds or name in roles.TAKEN:
            problems.append(Mistake(place, f"{name!r} is the name of another column; rename it"))
        rows = list(_wrong_keys(derived)) or list(_wrong_values(derived, kinds))
        problems += [Mistake(f"{place}{key}", message) for key, message in rows]
        if derived.quantiles and (source.shards or 1) > 1:
            why = f"needs all logs in one table, not in {source.shards} (shards)"
            problems.append(
                Mistake(f"{place}.quantiles", f"{why}; leave that key out, or write at")
            )
        if derived.default is not None:
            problems += unfit(derived.default, derived.type, f"{place}.default")
        for value, new in derived.to.items():
            problems += unfit(new, derived.type, f"{place}.to.{value}")
        kinds[name] = derived.type
    return problems


def _wrong_keys(derived: Derived) -> Iterator[tuple[str, str]]:
    """Key and message, of keys that do not go together."""
    used = [key for key in OPERATIONS if getattr(derived, key)]
    if len(used) != 1:
        hint = "write one of bin, match, join and map: {bin: COLUMN, at: [10, 20]}"
        yield "", f"has {' and '.join(used)}; {hint}" if used else f"is made of nothing; {hint}"
        return
    (operation,) = used
    for kind, keys in OPERATIONS.items():
        for key in keys:
            is_given = getattr(derived, key) not in ("", [], {}, None, "left")
            if kind != operation and is_given:
                yield f".{key}", f"goes with {kind}, not with {operation}"
    needed, example = NEEDED[operation]
    keys_given = [key for key in needed if getattr(derived, key)]
    if not keys_given:
        yield "", f"{operation} needs {example}"
    elif len(keys_given) > 1:
        yield f".{keys_given[1]}", f"beside {keys_given[0]}; keep one of the two"
    if operation == "bin" and derived.type != "str":
        yield ".type", "the name of a bin is text; leave this key out"


def _wrong_values(derived: Derived, kinds: Mapping[str, Type]) -> Iterator[tuple[str, str]]:
    """Key and message, of values that are wrong. `kinds`: columns of which it may be made."""
    key = "by" if derived.join else derived.operation
    for column in derived.origins():
        if not column:
            yield ".by", "names no column; write by: sample_id, or by: model"
        elif column not in kinds:
            yield f".{key}", not_one_of(column, "column above it", kinds)
        elif derived.bin and kinds[column] not in ("int", "float"):
            yield ".bin", f"{column!r} holds {kinds[column]}, and bins are of numbers"
    if derived.bin:
        yield from _wrong_bins(derived)
    elif derived.match and (fault := family_fault(derived.pattern)):
        yield ".pattern", f"{derived.pattern!r} {fault}"
    elif derived.join:
        yield from _wrong_file(derived.join)


def _wrong_bins(derived: Derived) -> Iterator[tuple[str, str]]:
    if derived.quantiles is not None and derived.quantiles < 2:
        yield ".quantiles", f"{derived.quantiles} is not 2 or more"
    try:
        ends = [number_of_end(end) for end in derived.at]
    except Error as error:
        yield ".at", str(error)
        return
    if any(low >= high for low, high in pairwise(ends)):
        yield ".at", f"{derived.at} does not rise"
    count = len(ends) + 1 if ends else derived.quantiles
    if derived.names and len(derived.names) != count:
        yield ".names", f"names {len(derived.names)} bins, but there are {count}"
    elif len(set(derived.names)) < len(derived.names):
        yield ".names", "names two bins alike"


def _wrong_file(path: str) -> Iterator[tuple[str, str]]:
    name = path
    for packed in PACKED:
        name = name.removesuffix(packed)
    if not name.endswith(FILES):
        yield ".join", f"{path!r} does not end in {', '.join(FILES)}"
    if path.startswith("/") or ".." in path.split("/"):
        yield ".join", f"{path!r} is not a name, or a path in the project"


def of_source(source: Source) -> dict[str, Derived]:
    """The columns made of others, of a source or of all that are joined in it."""
    derived = dict(source.derived)
    for member in getattr(source, "sources", {}).values():
        derived |= member.derived
    return derived


def mixable_settings(figure: Figure, source: Source) -> list[str]:
    """Settings that a cell may mix unasked.

    Those made of others vary where these do; and who asks for bins of a setting wants its values
    together.
    """
    params, derived = source.all_columns().params, of_source(source)
    names = [name for name in derived if name in params]
    used = list(figure.used().values())
    for name in used:
        if name in derived and (derived[name].bin or derived[name].map in derived):
            used += derived[name].origins()
            names += [origin for origin in derived[name].origins() if origin in params]
    return [name for name in dict.fromkeys(names) if name not in figure.used().values()]


def bin_orders(figure: Figure, source: Source) -> dict[str, list[str]]:
    """Column → its bins in order, of those that a figure names."""
    used, orders = set(figure.used().values()), {}
    for name, derived in of_source(source).items():
        bins: Sequence[str] = derived.bins()
        if bins and name in used:
            default = derived.default
            if default is None or default in bins:
                beyond = []
            else:
                beyond = [str(default)]
            orders[name] = [*bins, *beyond]
    return orders
