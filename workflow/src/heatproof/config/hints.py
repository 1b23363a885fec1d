"""What to write in place of a wrong entry of config.yaml: habits of other tools, a row each."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from heatproof.util.errors import choices, likeliest
from heatproof.util.numerals import is_format

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 60  # characters of a wrong value that a message has

HABITS: dict[str, tuple[str, ...]] = {
    "annot": ("text", "annotate"),
    "cbar": ("legend",),
    "cmap colormap colorscheme scheme": ("palette",),
    "vmin vmax zmin zmax clim limits": (
        "domain: [lowest, highest], in the unit shown: [0, 100] for percent",
    ),
    "fmt": ("format",),
    "figsize size": ("width",),
    "fontsize font_size textsize labelsize": ("type: {cell: 7, label: 6}, in pt",),
    "dpi": ("width",),
    "asterisks significance pvalues p_values": ("stars", "verdict"),
    "exclude drop without leave_out ignore skip": ("not", "where: {COLUMN: {not: [VALUE]}}"),
    "bar bars barplot dot dotplot": ("forest",),
    "lineplot curve": ("line",),
    "matrix confusion confusion_matrix": ("heatmap", "share"),
    "leaderboard board versus duel": ("pairwise",),
    "filter query mask": ("where", "only"),
    "facet facets panels groupby col": ("panel", "column"),
    "xlabel ylabel": ("labels: {COLUMN: text}",),
    "xticklabels yticklabels rename": ("names: {COLUMN: {value: text}}",),
    "aggregate average agg mean": ("mean_over", "pool"),
    "x y": ("encoding: {x: COLUMN, y: COLUMN}",),
    "hue z color value values": ("color", "encoding: {color: METRIC}"),
    "baseline": ("relative_to",),
    "mark chart type plot": ("kind", "format", "figures"),
    "data dataset": ("source", "logs", "task", "sources"),
    "files inputs logs": ("logs", "sources"),
    "normalize normalise": ("color: share", "share"),
    "norm center": ("color_scale: {type: log}, or {center: 0}",),
    "errorbar ci yerr": ("interval", "uncertainty: interval"),
    "max maximum": ("highest",),
    "min minimum": ("lowest",),
    "double number": ("float",),
    "id question_id problem_id": ("sample_id", "id"),
    "accuracy acc correct reward passed": ("score",),
    "rect imshow": ("heatmap",),
    "on true": ("by",),  # YAML 1.1 takes a bare on for true
    "theme style grid background linewidths linewidth square": (),
}
"""Words, in lower case, of seaborn, pandas, matplotlib, Vega-Lite … → keys and values here; the
first that fits is told."""
EQUIVALENTS: dict[str, tuple[str, ...]] = {}
for _words, _meanings in HABITS.items():
    EQUIVALENTS |= dict.fromkeys(_words.split(), _meanings)

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
PAIR = rf"[\[(]?\s*({NUMBER})\s*(?:-|,|\.\.|…|to|:)\s*({NUMBER})\s*[\])]?"
LISTED = "list values; they cannot be compared or matched: [a, b]"
OTHERS = f"{LISTED}, or {{not: [a, b]}} for all others"
SELECTS = r"[!~<>^].*|(?:not |in \[|re:|/.*/).*|.*(?:[*?|]|\.\.|…|\$$|\[.*\]).*"
"""A text that other tools take for a choice of several values."""
FORMS = (
    ("", r"\.(?:only|finished)\.[^.]+", rf"\{{.*|{SELECTS}|{PAIR}", LISTED),
    ("", r"\.where\.[^.]+", rf"{SELECTS}|{PAIR}", OTHERS.replace("{", "{{").replace("}", "}}")),
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
    ("mapping", r"\.groups", r"\w+", "write {{COLUMN: {0}}}"),
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
    ("choice", r"\.uncertainty", "std|sd|stdev",
     "for the spread over seeds write annotate: {{std: seed}}"),
    ("choice", r"\.uncertainty", r"(?i:ci\W?\d+%?|confidence.*)", "write interval, of 95 %"),
    ("choice", r"\.formats\[\d+\]", r"\w+(?:[, ]+\w+)+", "write a list: [pdf, png]"),
    ("true or false", "", "(?i:yes|on|true)", "write true, without quotes"),
    ("true or false", "", "(?i:no|off|false)", "write false, without quotes"),
    ("number", "", r"[<>!]=?.*", "list values; they cannot be compared: [0.1, 0.2]"),
    ("number", r"domain\[\d\]", rf"({NUMBER})\s*%", "write {1}, without percent sign"),
    ("number", "", rf"({NUMBER})\s*%", "write a share without percent sign: 0.3 for 30%"),
    ("number", "", rf"({NUMBER})", "write {1}, without quotes"),
    ("number", "", r"\d{1,3}([,_ ]\d{3})+", "write digits together, without quotes: 1000"),
)  # fmt: skip
"""What belongs there, pattern of the place's end, pattern of the wrong value → what to write, where
{0} is the wrong value and {1} a group of its pattern."""


def excerpt(value: object) -> str:
    """A wrong value as a message has it, cut after LONGEST characters."""
    if isinstance(value, datetime):
        text = str(value)
    else:
        text = repr(value)
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST - 1]}…"


def likely(wrong: object, valid: Iterable[str]) -> str:
    """The valid key, perhaps with its form, that a wrong one stands for; empty if there is none."""
    names = list(valid)
    equivalents = EQUIVALENTS.get(str(wrong).casefold())
    if equivalents == ():  # nothing stands for it here
        return ""
    for meaning in equivalents or ():
        if meaning.partition(":")[0] in names:
            return meaning
    return likeliest(wrong, names)


def key(wrong: object, valid: Iterable[str]) -> str:
    """The valid keys, and the likeliest of them, for a message about a wrong one."""
    names = list(valid)
    nearest = likely(wrong, names)
    listed = choices("", names)
    if nearest:
        return f"{listed} (did you mean {nearest!r}?)"
    return listed


def form(noun: str, place: str, value: object) -> str:
    """How to write the `noun` that belongs at a place, for the end of a message about a value."""
    written = plain(value).strip()
    for habit, ending, pattern, text in FORMS:
        if not _is_asked(habit, noun) or (habit == "number" and not isinstance(value, str)):
            continue
        match = re.fullmatch(pattern or ".*", written, re.DOTALL)
        if match and re.search(f"(?:{ending})$", place):
            return f"; {text.format(written, *match.groups(''))}"
    return ""


def _is_asked(habit: str, noun: str) -> bool:
    """Whether a row of FORMS is of what belongs at a place."""
    if habit == "scalar":
        return not re.search("list|mapping", noun)
    return habit in noun


def selection(value: object, valid: Iterable[object]) -> str:
    """What to write for a value that no sample has; `valid`: the values of samples."""
    if not isinstance(value, str):
        return ""
    listed = several(value, map(str, valid))
    if not listed and re.fullmatch(SELECTS, value):
        return f"; {OTHERS}"
    return listed


def several(text: str, valid: Iterable[str]) -> str:
    """The list to write for a text of several names with commas."""
    names = [name.strip() for name in text.split(",")]
    if len(names) < 2 or not set(names) <= set(valid):
        return ""
    return f"; write [{', '.join(names)}]"


def expression(error: re.error, pattern: str) -> str:
    """Why a pattern is no regular expression, as Python has them."""
    hint = ""
    if "(?<" in pattern and "extension" in error.msg:
        hint = " (a group with a name is (?P<NAME>…) here)"
    return f"{pattern!r} is not a regular expression{hint}: {error}"


def number_format(text: str) -> str:
    """The message about a text that is no format of numbers."""
    nearest = re.sub(r"^(%|\{:?)|\}$", "", text)
    hint = ""
    if nearest != text and is_format(nearest):
        hint = f" (did you mean {nearest!r}?)"
    return f"{text!r} is not a format; there are .1f, .3~s, ,d, …{hint}"


def plain(value: object) -> str:
    """A value as YAML has it in brackets."""
    if isinstance(value, list):
        return f"[{', '.join(map(plain, value))}]"
    if isinstance(value, dict):
        pairs = [f"{key}: {plain(item)}" for key, item in value.items()]
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
