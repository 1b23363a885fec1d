"""What a wrong entry of config.yaml was meant as: the text to write in its place.

People come from other tools, and with habits of other files: keys that seaborn or Vega-Lite have,
`[0, 1]` written as `0-1`, a list where a mapping belongs. Each habit is a row of a table.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from heatproof.util.errors import choices, likeliest
from heatproof.util.numerals import is_format

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST = 60  # characters of a wrong value that a message has

HABITS: dict[str, tuple[str, ...]] = {
    "annot": ("text", "annotate"),
    "cbar": ("legend",),
    "cmap colormap colorscheme scheme": ("palette",),
    "vmin vmax zmin zmax clim limits": (
        "domain: [lowest, highest], in the unit shown: [0, 100] of percent",
    ),
    "fmt": ("format",),
    "figsize size": ("width",),
    "filter query mask": ("where",),
    "facet facets panels groupby col": ("panel", "column"),
    "xlabel ylabel": ("labels: {COLUMN: text}",),
    "xticklabels yticklabels rename": ("names: {COLUMN: {value: text}}",),
    "aggregate average agg mean": ("mean_over", "pool"),
    "x y": ("encoding: {x: COLUMN, y: COLUMN}",),
    "hue z color values": ("color", "encoding: {color: METRIC}"),
    "baseline": ("relative_to",),
    "mark chart type plot": ("kind", "format", "figures"),
    "data dataset": ("source", "logs", "task", "sources"),
    "files inputs logs": ("logs", "sources"),
    "norm center": ("color_scale: {type: log}, or {center: 0}",),
    "errorbar ci yerr": ("interval", "uncertainty: interval"),
    "max maximum": ("highest",),
    "min minimum": ("lowest",),
    "double number": ("float",),
    "id question_id problem_id": ("sample_id", "id"),
    "accuracy acc correct reward passed": ("score",),
    "rect imshow": ("heatmap",),
    "theme style grid background linewidths linewidth square": (),
}
"""Words, in lower case, of seaborn, pandas, matplotlib, Vega-Lite and others → keys and values here
that say so; of several, the first that fits. Nothing says so of those with none."""
HERE = {word: meanings for words, meanings in HABITS.items() for word in words.split()}

GONE: dict[str, str] = {
    "paper": "tables of printed digits are a key of their source: published: [a.csv]",
    "figures heatmap verdict dots": "dots were removed; choose outline or none",
    "figures heatmap margins bar": "bars were removed; write margins: true",
    "figures heatmap margins mean": "write margins: true",
    "figures heatmap relative_to.figure": "other figures are no baselines; of other logs, name a "
    "source beside: source: [now, before], where: {source: now}, relative_to: {source: "
    "before}",
    "figures heatmap as": "ratios were removed; values against a baseline are differences",
    "figures heatmap color_scale.reverse": "_r reverses a palette: palette: lagoon_r",
    "figures heatmap color_scale.type symlog": "symlog is gone; linear scales hold values of both "
    "signs, and clip: [2, 98] leaves out the largest",
    "figures * formats html-light": "removed; write html, which includes its drawing library",
    "sources json ids": "lists of ids were removed; write one record per problem, or read "
    "reports of SWE-bench with format: swebench",
    "sources jsonl ids": "lists of ids were removed; write one record per problem",
    "sources dynts models": "for models with an underscore, write a pattern: path: "
    "(?P<model>my_model)_(?P<task>.+)_N",
    "sources dynts statistics": "measures of batches were removed; for records, format: jsonl has "
    "measures: {NAME: place}",
    "sources dynts metrics": "write compare_printed: false to ignore printed numbers",
    "sources csv epochs": "name columns of epochs where they are read: fields: {answer: "
    "'Answer {epoch}'}",
    "figures line errors": "errors are bands, or bars over names; write x_scale: ordinal for bars",
    "figures pairwise color": "colours of panels count instances; a board shows differences",
    "figures pairwise columns": "as many panels are in a row as a page needs; there is width",
    "figures pairwise scale": "colours of counts lie on a log scale, of right and wrong answers "
    "on a linear one",
    "figures pairwise points": "single instances are not drawn; bins show where they lie, `bins: "
    "100` finely, and the page lists those in each bin",
    "roots": "logs may lie anywhere: sources.NAME.logs: ../evaluations/*.jsonl",
}
"""Section, kind or format (* for all), key, perhaps below another, and value, or an item of a list,
if only that is gone → what there is instead."""

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
PAIR = rf"[\[(]?\s*({NUMBER})\s*(?:-|,|\.\.|…|to|:)\s*({NUMBER})\s*[\])]?"
LISTED = "list values; they cannot be compared, excluded or matched: [a, b]"
SELECTS = r"[!~<>^].*|(?:not |in \[|re:|/.*/).*|.*(?:[*?|]|\.\.|…|\$$|\[.*\]).*"
"""A text that other tools would take for a choice of values, not for one."""
FORMS = (
    ("", r"\.(?:where|only|finished)\.[^.]+", rf"\{{.*|{SELECTS}|{PAIR}", LISTED),
    ("list", "", PAIR, "write [{1}, {2}]"),
    ("list", "", rf"\{{\w+: ({NUMBER}), \w+: ({NUMBER})\}}", "write [{1}, {2}]"),
    ("list", "", r"\{.+\}", "write [{0}]"),
    ("mapping", r"\.where", r".*(?:[<>!]| in ).*", LISTED + ", as in {{COLUMN: [a, b]}}"),
    ("mapping", "", r"(\w+)\s*==?\s*['\"]?([^'\"<>=]+?)['\"]?", "write {{{1}: {2}}}"),
    ("mapping", "", r"\[\{.*", "write keys and values without dashes: {{KEY: value, …}}"),
    ("mapping", r"\.range", PAIR, "write {{score: [{1}, {2}]}}"),
    ("mapping", r"\.range", "", "write {{score: [lowest, highest]}}"),
    ("mapping", r"\.epochs", "", "write {{lists: [score]}}, or epoch: PLACE under fields"),
    ("mapping", r"\.params\.[^.]+", "", "write its type, not a value: float, int, str or bool"),
    ("mapping", r"\.(?:where|relative_to|set|labels|sort)", "", "write {{COLUMN: {0}}}"),
    ("mapping", r"\.names(?:\.[^.]+)?", "", "write {{COLUMN: {{VALUE: {0}}}}}"),
    ("mapping", r"\.groups", "", "write {{COLUMN: {{LABEL: {0}}}}}"),
    ("mapping", r"\.color_scale", "", "write {{type: linear}} or {{type: log}}"),
    ("mapping", r"\.type", "", "write {{cell: 7, label: 6}}, sizes in pt; what is drawn is `kind`"),
    ("mapping", r"\.params", "", "write {{{0}: float}}, or int, str, bool"),
    ("mapping", r"\.(?:measures|aggregates)", "", "write {{{0}: PLACE}}"),
    ("mapping", r"\.fields", "", "write {{sample_id: PLACE, score: PLACE, model: …}}"),
    ("mapping", "", r"\[.*", "keys and values, without dashes"),
    ("scalar", "", r"\[([^,\[\]{}]+)\]", "write {1}, without brackets"),
    ("scalar", "", r"\[.+", "write one value, not a list"),
    ("scalar", "", r"\{.*\bfield: (\w+).*", "write {1}"),
    ("text", r"\.(?:width|height)", NUMBER, "write a length with its unit: 5.5in, 89mm, 240pt"),
    ("true or false", "", "(?i:yes|on|true)", "write true, without quotes"),
    ("true or false", "", "(?i:no|off|false)", "write false, without quotes"),
    ("number", "", r"[<>!]=?.*", "list values; they cannot be compared: [0.1, 0.2]"),
    ("number", "", rf"({NUMBER})\s*%", "write a share without percent sign: 0.3 for 30%"),
    ("number", "", rf"({NUMBER})", "write {1}, without quotes"),
    ("number", "", r"\d{1,3}([,_ ]\d{3})+", "write digits together, without quotes: 1000"),
)  # fmt: skip
"""What belongs there, pattern of the place's end, pattern of what stands there instead → what to
write; {0} is what stands there, and numbers behind it are groups of its pattern."""


def excerpt(value: object) -> str:
    """A wrong value as a message has it: no more than tells which it is."""
    text = str(value) if isinstance(value, datetime) else repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def likely(wrong: object, valid: Iterable[str]) -> str:
    """The key, perhaps with how it is written, that a wrong one was meant as; empty if none is."""
    names = [*valid]
    equivalents = HERE.get(str(wrong).casefold())
    here = (meaning for meaning in equivalents or () if meaning.partition(":")[0] in names)
    return next(here, "") or ("" if equivalents == () else likeliest(wrong, names))


def key(wrong: object, valid: Iterable[str]) -> str:
    """Which keys there are, and which of them a wrong one was meant as."""
    names = [*valid]
    nearest = likely(wrong, names)
    return choices("", names) + (f" (did you mean {nearest!r}?)" if nearest else "")


def form(what: str, place: str, value: object) -> str:
    """How to write `what` belongs at a place where something else stands: the end of a message."""
    written = plain(value).strip()
    for habit, where, stands, text in FORMS:
        is_scalar = "list" not in what and "mapping" not in what
        fits = habit in what or (habit == "scalar" and is_scalar)
        fits = fits and (habit != "number" or isinstance(value, str))
        match = re.fullmatch(stands or ".*", written, re.DOTALL) if fits else None
        if match and re.search(f"(?:{where})$", place):
            return f"; {text.format(written, *match.groups(''))}"
    return ""


def selection(value: object, there: Iterable[object]) -> str:
    """How a value was meant that no sample has; `there`: the values of samples."""
    text = value if isinstance(value, str) else ""
    return several(text, map(str, there)) or (f"; {LISTED}" if re.fullmatch(SELECTS, text) else "")


def several(text: str, valid: Iterable[str]) -> str:
    """How a text was meant in which the names of several columns stand, with commas between."""
    names = [name.strip() for name in text.split(",")]
    return f"; write [{', '.join(names)}]" if len(names) > 1 and {*names} <= {*valid} else ""


def expression(error: re.error, pattern: str) -> str:
    """Why a pattern is no regular expression, as Python has them."""
    perl = "(?<" in pattern and "extension" in error.msg
    hint = " (a group with a name is (?P<NAME>…) here)" * perl
    return f"{pattern!r} is not a regular expression{hint}: {error}"


def number_format(text: str) -> str:
    """What is told of a format of numbers that is none: those there are, and which was meant."""
    near = re.sub(r"^(%|\{:?)|\}$", "", text)
    hint = f" (did you mean {near!r}?)" if near != text and is_format(near) else ""
    return f"{text!r} is not a format; there are .1f, .3~s, ,d, …{hint}"


def plain(value: object) -> str:
    """A value as it is written in brackets of YAML."""
    if isinstance(value, list):
        return f"[{', '.join(map(plain, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {plain(part)}' for key, part in value.items())}}}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def take_gone(raw: dict[str, Any]) -> Iterator[tuple[str, str]]:  # noqa: C901 - YAML may hold all
    """Take out of a config what there is no more; each place, and what there is instead."""
    for pattern, sentence in GONE.items():
        section, word, keys, value = [*pattern.split(), "", "", ""][:4]
        if not keys and section in raw:
            del raw[section]
            yield section, sentence
        entries = raw.get(section)
        for name, entry in entries.items() if keys and isinstance(entries, dict) else ():
            *above, key = keys.split(".")
            node = entry
            for step in above:
                node = node.get(step) if isinstance(node, dict) else None
            if not isinstance(node, dict) or key not in node:
                continue
            if word not in ("*", entry.get("kind"), entry.get("format")):
                continue
            place, words = f"{section}.{name}.{keys}", plain(node[key])
            if value in ("", words):
                del node[key]
                yield place, sentence
            elif isinstance(node[key], list) and value in node[key]:
                yield f"{place}[{node[key].index(value)}]", sentence
                node[key] = [item for item in node[key] if item != value]
                if not node[key]:
                    del node[key]
