"""What a wrong entry of config.yaml was meant as: the text to write in its place.

People come from other tools, and with habits of other files: keys that seaborn or Vega-Lite have,
`[0, 1]` written as `0-1`, a list where a mapping belongs. Each function gives what ends a message,
or nothing where no meaning is likely.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from heatproof.util.errors import choices, likeliest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LONGEST = 60
"""Characters of a wrong value that a message has."""
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
PAIR = re.compile(rf"\s*[\[(]?\s*({NUMBER})\s*(?:-|,|\.\.|…|to|:)\s*({NUMBER})\s*[\])]?\s*")
EQUATION = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:==?|:)\s*(['\"]?)([^'\"<>=]+)\2\s*")
COMPARED = re.compile(r"\s*[<>!]=?")
LENGTHS = (".width", ".height")
"""What keys end in that ask for a length."""

HERE: dict[str, Sequence[str]] = {
    "annot": ("text", "annotate"),
    "annotation": ("annotate",),
    "cbar": ("legend",),
    "cmap": ("palette",),
    "colormap": ("palette",),
    "colorscheme": ("palette",),
    "scheme": ("palette",),
    "vmin": ("domain: [lowest, highest]",),
    "vmax": ("domain: [lowest, highest]",),
    "zmin": ("domain: [lowest, highest]",),
    "zmax": ("domain: [lowest, highest]",),
    "clim": ("domain: [lowest, highest]",),
    "limits": ("domain: [lowest, highest]",),
    "fmt": ("format",),
    "figsize": ("width",),
    "size": ("width",),
    "order": ("sort",),
    "filter": ("where",),
    "query": ("where",),
    "transform": ("where",),
    "facet": ("panel",),
    "facets": ("panel",),
    "panels": ("panel",),
    "col": ("column",),
    "rows": ("row",),
    "xlabel": ("labels: {COLUMN: text}",),
    "ylabel": ("labels: {COLUMN: text}",),
    "xticklabels": ("names: {COLUMN: {value: text}}",),
    "yticklabels": ("names: {COLUMN: {value: text}}",),
    "rename": ("names: {COLUMN: {value: text}}",),
    "aggregate": ("mean_over", "pool"),
    "average": ("mean_over", "pool"),
    "groupby": ("panel",),
    "index": ("encoding: {y: COLUMN}", "y"),
    "values": ("encoding: {color: METRIC}", "color"),
    "metric": ("encoding: {color: METRIC}", "color"),
    "x": ("encoding: {x: COLUMN}",),
    "y": ("encoding: {y: COLUMN}",),
    "color": ("encoding: {color: METRIC}",),
    "hue": ("color", "encoding: {color: METRIC}"),
    "z": ("color", "encoding: {color: METRIC}"),
    "fill": ("color", "encoding: {color: METRIC}"),
    "baseline": ("relative_to",),
    "mark": ("kind",),
    "type": ("kind", "format"),
    "chart": ("kind",),
    "plot": ("kind",),
    "data": ("source", "logs"),
    "dataset": ("source", "logs"),
    "files": ("logs",),
    "glob": ("logs",),
    "pattern": ("path", "logs"),
    "regex": ("path",),
    "columns": ("fields",),
    "hyperparameters": ("params",),
    "settings": ("params",),
    "defaults": ("set",),
    "constants": ("set",),
    "scale": ("range: {score: [lowest, highest]}",),
    "separator": ("delimiter",),
    "sep": ("delimiter",),
}  # fmt: skip
"""Key, in lower case, of seaborn, pandas, matplotlib, Vega-Lite and others → what says so here; of
several, the first that the entry has."""

MARKS = {"rect": "heatmap", "tile": "heatmap", "point": "scatter", "circle": "scatter"}
"""Marks of Vega-Lite and others → the kind of figure that shows them here."""


def shown(value: object) -> str:
    """A wrong value as a message has it: no more than tells which it is."""
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def likely(wrong: object, valid: Iterable[str]) -> str:
    """The key, perhaps with how it is written, that a wrong one was meant as; empty if none is."""
    names = [*valid]
    here = (one for one in HERE.get(str(wrong).casefold(), ()) if one.partition(":")[0] in names)
    return next(here, "") or likeliest(wrong, names)


def key(wrong: object, valid: Iterable[str]) -> str:
    """Which keys there are, and which of them a wrong one was meant as."""
    names = [*valid]
    found = likely(wrong, names)
    return choices("", names) + (f" (did you mean {found!r}?)" if found else "")


def several(text: str, valid: Iterable[str]) -> str:
    """How a text was meant in which the names of several columns stand, with commas between."""
    names = [name.strip() for name in text.split(",")]
    return f"; write [{', '.join(names)}]" if len(names) > 1 and {*names} <= {*valid} else ""


def rest(before: str, given: Mapping[str, Any]) -> str:
    """How a key without a value was meant behind another: as one more value of that."""
    if not before or not isinstance(given[before], str | int | float):
        return ""
    keys = [*given]
    more = []
    for name in keys[keys.index(before) + 1 :]:
        if given[name] is not None:
            break
        more.append(name)
    values = ", ".join(map(str, [given[before], *more]))
    return f"several values are a list: write {before}: [{values}]"


def expression(error: re.error, pattern: str) -> str:
    """Why a pattern is no regular expression, as Python has them."""
    perl = "(?<" in pattern and "extension" in error.msg
    hint = " (a group with a name is (?P<NAME>…) here)" * perl
    return f"{pattern!r} is not a regular expression{hint}: {error}"


def mapping(value: object) -> str:
    """How a list, or a text, was meant that stands where keys and values belong."""
    if isinstance(value, str) and (match := EQUATION.fullmatch(value)):
        return f"; write {{{match[1]}: {match[3].strip()}}}"
    if not isinstance(value, list) or not value:
        return ""
    if all(isinstance(one, dict) and len(one) == 1 for one in value):
        pairs = [pair for one in value for pair in one.items()]
        if all(isinstance(held, str | int | float) for _, held in pairs):
            return f"; without the dashes: {{{', '.join(f'{name}: {v}' for name, v in pairs)}}}"
    if all(isinstance(one, str) for one in value):
        return f"; each with a value of its own: {{{', '.join(f'{one}: …' for one in value)}}}"
    return "; keys and values, without dashes"


def entries(section: str, value: object) -> str:
    """How a section was meant that holds no names."""
    if not isinstance(value, list):
        return ""
    names = [one["name"] for one in value if isinstance(one, dict) and "name" in one]
    name = names[0] if names else "NAME"
    return f"; write its name as a key, without a dash: {section}: {{{name}: {{…}}}}"


def listed(value: object) -> str:
    """How a text or a mapping was meant that stands where a list belongs."""
    if isinstance(value, dict):
        return f"; write [{', '.join(map(str, value))}]" if value else ""
    match = PAIR.fullmatch(value) if isinstance(value, str) else None
    return f"; write [{match[1]}, {match[2]}]" if match else ""


def scalar(kind: type, value: object, place: str) -> str:
    """How a value was meant where a text or a number belongs."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str | int | float):
        return f"; write {value[0]}, without brackets"
    if isinstance(value, list):
        return "; one, no list"
    if isinstance(value, dict) and isinstance(value.get("field"), str):
        return f"; write {value['field']}"
    if kind is str and place.endswith(LENGTHS) and type(value) in (int, float):
        return "; a length has a unit: 5.5in, 89mm, 240pt"
    return number(kind, value) if kind in (int, float) else ""


def number(kind: type, value: object) -> str:
    """How a text was meant where a number belongs."""
    if not isinstance(value, str):
        return ""
    if COMPARED.match(value):
        return "; values are listed, not compared: [0.1, 0.2]"
    plain = re.sub(r"(?<=\d)[,_ ](?=\d{3})", "", value.strip())
    share = plain.removesuffix("%").strip()
    if not re.fullmatch(NUMBER, share):
        return ""
    if share != plain:
        return f"; write {float(share) / 100:g}" if kind is float else ""
    if kind is int and not float(plain).is_integer():
        return ""
    return f"; write {plain}, without quotes"


def entry(given: Mapping[str, Any], needed: str, names: Sequence[str]) -> str:
    """The key of an entry that was meant as the one that says what it is; empty if none is sure.

    `needed`: `kind` or `format`, one of `names`.
    """
    for wrong, value in given.items():
        if wrong != needed and likely(wrong, [needed]):
            word = MARKS.get(str(value).casefold(), str(value).casefold())
            found = word if word in names else needed.upper()
            return f"{wrong!r} is not a key here; write {needed}: {found}"
    return ""


def misplaced(name: str, given: object, section: str, above: str) -> str:
    """What to tell of a key of an entry that stands where names of entries do."""
    inside = "a figure" if section == "figures" else "a source"
    what = f"{name!r} is a key of {inside}, not its name"
    if above:
        return f"{what}: indent it below {above!r}, as deep as its other keys"
    held = given if isinstance(given, str) and len(given) < LONGEST else "…"
    written = f"{section}: {{NAME: {{{name}: {held}, …}}}}"
    return f"{what}: write {written}, NAME a word of your own"
