"""What a wrong entry of config.yaml was meant as: the text to write in its place.

People come from other tools, and with habits of other files: keys that seaborn or Vega-Lite have,
`[0, 1]` written as `0-1`, a list where a mapping belongs. Each function gives what ends a message,
or nothing where no meaning is likely.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from heatproof.util.errors import choices, likeliest
from heatproof.util.numerals import is_format

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

LONGEST = 60
"""Characters of a wrong value that a message has."""
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
PAIR = re.compile(rf"\s*[\[(]?\s*({NUMBER})\s*(?:-|,|\.\.|…|to|:)\s*({NUMBER})\s*[\])]?\s*")
EQUATION = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:==?|:)\s*(['\"]?)([^'\"<>=]+)\2\s*")
COMPARED = re.compile(r"\s*[<>!]=?")
LENGTHS = (".width", ".height")
"""What keys end in that ask for a length."""

ENDS = "domain: [lowest, highest], in the unit shown: [0, 100] of percent"

HABITS: dict[str, Sequence[str]] = {
    "annot": ("text", "annotate"),
    "annotation": ("annotate",),
    "cbar": ("legend",),
    "cmap colormap colorscheme scheme": ("palette",),
    "vmin vmax zmin zmax clim limits": (ENDS,),
    "fmt": ("format",),
    "figsize size": ("width",),
    "order": ("sort",),
    "filter": ("where", "only: {PLACE: value}"),
    "query transform mask": ("where",),
    "facet facets panels groupby": ("panel",),
    "col": ("column",),
    "rows": ("row",),
    "xlabel ylabel": ("labels: {COLUMN: text}",),
    "xticklabels yticklabels rename": ("names: {COLUMN: {value: text}}",),
    "aggregate average agg": ("mean_over", "pool"),
    "index": ("encoding: {y: COLUMN}", "y", "sample_id"),
    "values metric": ("encoding: {color: METRIC}", "color"),
    "value": ("value", "color"),
    "x": ("encoding: {x: COLUMN}",),
    "y": ("encoding: {y: COLUMN}",),
    "color": ("encoding: {color: METRIC}",),
    "hue z fill": ("color", "encoding: {color: METRIC}"),
    "baseline": ("relative_to",),
    "mark chart": ("kind",),
    "type": ("kind", "format"),
    "plot": ("kind", "figures"),
    "data": ("source", "logs", "sources"),
    "dataset": ("source", "logs", "task", "sources"),
    "files inputs logs": ("logs", "sources"),
    "glob file": ("logs",),
    "pattern": ("path", "logs"),
    "regex": ("path",),
    "columns": ("fields",),
    "hyperparameters settings": ("params",),
    "defaults constants": ("set",),
    "center": ("color_scale: {center: 0}",),
    "norm": ("color_scale: {type: log}",),
    "robust": ("color_scale: {clip: [2, 98]}",),
    "reverse": ("palette: NAME_r",),
    "errorbar errorbars bootstrap": ("uncertainty: interval",),
    "yerr error": ("uncertainty: se",),
    "ci confidence": ("interval", "uncertainty: interval"),
    "stderr": ("se", "uncertainty: se"),
    "mean": ("mean_over",),
    "higher_is_better": ("best: highest",),
    "lower_is_better": ("best: lowest",),
    "direction": ("best: highest, or lowest",),
    "max maximum": ("highest",),
    "min minimum": ("lowest",),
    "reversed": ("descending",),
    "score": ("score", "value"),
    "output filename save": ("formats: [pdf, png], and files are called as the figure is",),
    "dpi": ("formats: [pdf], which has no pixels",),
    "theme style grid background linewidths linewidth square": (),
    "aspect": ("width: 5in, and height",),
    "n": ("expect: samples of a run",),
    "plots charts": ("figures",),
    "double number": ("float",),
    "text": ("text", "str"),
    "place key": ("field",),
    "dtype": ("type",),
    "id": ("sample_id", "id"),
    "question_id problem_id doc_id qid": ("sample_id",),
    "accuracy acc correct reward passed": ("score",),
    "benchmark": ("task",),
    "trial attempt repetition": ("epoch",),
    "scale": ("range: {score: [lowest, highest]}",),
    "logarithmic log10 lognorm": ("log",),
    "separator sep": ("delimiter",),
}  # fmt: skip
"""Keys, in lower case, of seaborn, pandas, matplotlib, Vega-Lite and others → what says so here; of
several, the first that the entry has. Nothing says so of those with none."""
HERE = {word: meanings for words, meanings in HABITS.items() for word in words.split()}

GONE: dict[str, str] = {
    "figures.NAME(heatmap).verdict: dots": "dots are gone; there are outline and none",
    "figures.NAME(heatmap).margins: bar": "bars are gone; there is margins: true",
    "figures.NAME(heatmap).margins: mean": "there is margins: true",
    "figures.NAME(heatmap).relative_to.figure": "other figures are no baselines; of other logs, "
    "name a source beside: source: [now, before], where: {source: now}, "
    "relative_to: {source: before}",
    "figures.NAME(heatmap).as": "ratios are gone; values beside a baseline are differences",
    "figures.NAME(heatmap).color_scale.reverse": "palettes are turned by their names: "
    "palette: lagoon_r",
    "figures.NAME(heatmap).color_scale.type: symlog": "symlog is gone; linear scales hold values "
    "of both signs, and clip: [2, 98] leaves out the largest",
    "figures.NAME.formats: html-light": "gone; a page holds its drawing library: html",
    "sources.NAME(json).ids": "lists of ids are gone; write a record a problem, or read reports of "
    "SWE-bench with format: swebench",
    "sources.NAME(jsonl).ids": "lists of ids are gone; write a record a problem",
    "sources.NAME(dynts).metrics": "compare_printed: false leaves printed numbers unread",
    "roots": "logs may lie anywhere: sources.NAME.logs: ../evaluations/*.jsonl",
    "sources.NAME(csv).epochs": "columns of epochs are named where they are read: "
    "fields: {answer: 'Answer {epoch}'}",
    "figures.NAME(pairwise).color": "colours of panels count instances; a board shows differences",
    "figures.NAME(pairwise).scale": "colours of counts lie on a log scale, of right and wrong "
    "answers on a linear one",
    "figures.NAME(pairwise).points": "single instances are not drawn; bins show where they lie, "
    "`bins: 100` finely, and the page lists those in each bin",
}
"""Pattern of a place, perhaps with the value there → what there is instead of it.

`figures.NAME.relative_to.figure`: a key, in any figure. `figures.NAME(pairwise).form: radar`:
one of its values, in figures of a kind. `sources.NAME(csv).ids`: a key of a format. NAME stands for
any one key; in a list, an item may be the value.
"""
WILD = re.compile(r"NAME(?:\((\w+)\))?")
"""Any key in such a pattern, perhaps that of an entry of one kind or format."""

FORMS = (
    (r"\.range", "{{score: {value}}}"),
    (r"\.epochs", "{{lists: [score]}} of lists; else `fields: {{epoch: ITS PLACE IN A RECORD}}`"),
    (r"\.params\.([^.]+)", "its type, and none of its values: params: {{{0}: float}}"),
    (r"\.(where|relative_to|set|labels)", "{{COLUMN: {value}}}"),
    (r"\.sort", "{{COLUMN: {value}}}: ascending, descending, value, …, or a list of its values"),
    (r"\.names", "{{COLUMN: {{VALUE: {value}}}}}"),
    (r"\.names\.([^.]+)", "names: {{COLUMN: {{{0}: {value}}}}}, the column above its values"),
    (r"\.groups", "{{COLUMN: {{LABEL: {value}}}}}"),
    (r"\.groups\.[^.]+", "{{LABEL: {value}}}"),
    (r"\.(only|finished)", "{{PLACE: {value}}}"),
    (r"\.params", "{{{value}: float}}, or int, str, bool"),
    (r"\.(measures|aggregates)", "{{{value}: ITS PLACE IN A RECORD}}"),
    (r"\.fields", "{{sample_id: ITS PLACE IN A RECORD, score: …, model: …}}"),
    (r"\.verdicts", "{{{value}: 1}}"),
    (r"\.highlight(\[\d+\])?", "highlight: [{{COLUMN: VALUE, label: what it means}}]"),
)
"""Pattern of a place → how a mapping is written there; `value` is what stands there instead, and
behind it come the groups of the pattern."""
CHOSEN = re.compile(r"\.(where|only|finished)\.[^.]+")
"""Places at which values are chosen."""
SELECTS = re.compile(r"\s*([!~<>^]|not |in \[|re:|/.*/)|.*([*?|]|\.\.|…|\$$|\[.*\])", re.DOTALL)
"""A text that other tools would take for a choice of values, not for one."""
LISTED = "values are listed, not compared, excluded or matched: [a, b]"

ALL = ("all", "*", "any", "auto")
"""Words for all values of a column."""
NEEDED = {
    "models": ", two or more values of what `compare` names (model): models: [A, B]; "
    "`models: all` has those told that there are",
    "logs": ", a pattern of paths: logs: 'data/**/*.jsonl'",
    "source": ", the name of a block under sources",
}
"""What to tell of a key that is not there."""

MARKS = {
    "rect": "heatmap", "tile": "heatmap", "imshow": "heatmap", "matrix": "heatmap",
    "point": "scatter", "circle": "scatter", "bubble": "scatter", "lineplot": "line",
    "curve": "line", "bar": "forest", "barplot": "forest", "barh": "forest", "dot": "forest",
    "errorbar": "forest", "leaderboard": "table", "ndjson": "jsonl", "parquet": "jsonl",
    "arrow": "jsonl", "tsv": "csv",
}  # fmt: skip
"""Marks of Vega-Lite and others, and endings of files → the kind of figure, or the format of logs,
that is for them here."""
TRUTHS = {"yes": "true", "on": "true", "no": "false", "off": "false"}
PRINTF = re.compile(r"%(.*)|\{:?(.*)\}")
"""A format of numbers as C, and as Python has it."""


def excerpt(value: object) -> str:
    """A wrong value as a message has it: no more than tells which it is."""
    text = repr(value)
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


def several(text: str, valid: Iterable[str]) -> str:
    """How a text was meant in which the names of several columns stand, with commas between."""
    names = [name.strip() for name in text.split(",")]
    return f"; write [{', '.join(names)}]" if len(names) > 1 and {*names} <= {*valid} else ""


def expression(error: re.error, pattern: str) -> str:
    """Why a pattern is no regular expression, as Python has them."""
    perl = "(?<" in pattern and "extension" in error.msg
    hint = " (a group with a name is (?P<NAME>…) here)" * perl
    return f"{pattern!r} is not a regular expression{hint}: {error}"


def chosen(place: str, value: object) -> str:
    """What to tell of a value that was meant to choose others; nothing of one that is a value."""
    if not CHOSEN.search(place) or not isinstance(value, str | dict):
        return ""
    text = value if isinstance(value, str) else ""
    selects = not text or (
        (PAIR.fullmatch(text) or SELECTS.match(text)) and not COMPARED.match(text)
    )
    return f"; {LISTED}" if selects else ""


def selection(value: object, there: Iterable[object]) -> str:
    """The same of a value that no sample has; `there`: the values of samples."""
    if not isinstance(value, str):
        return ""
    return several(value, map(str, there)) or f"; {LISTED}" * bool(SELECTS.match(value))


def plain(value: object) -> str:
    """A value as it is written in brackets of YAML."""
    if isinstance(value, list):
        return f"[{', '.join(map(plain, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {plain(part)}' for key, part in value.items())}}}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def form(place: str, value: object) -> str:
    """How a mapping is written at a place at which a text, a number or a list stands."""
    pair = PAIR.fullmatch(value) if isinstance(value, str) else None
    written = f"[{pair[1]}, {pair[2]}]" if pair else plain(value)
    if place.endswith(".range") and not pair and not isinstance(value, list):
        written = f"[0, {value}]" if isinstance(value, int | float) else "[0, 100]"
    if (
        isinstance(value, str)
        and place.endswith(".where")
        and re.search(r"[<>!=]| (not )?in ", value)
    ):
        return f"; {LISTED}, as in {{COLUMN: [a, b]}}"
    for pattern, template in FORMS:
        is_list = isinstance(value, list) and ("{{{value}" in template or place.endswith(".labels"))
        if not is_list and (match := re.search(f"{pattern}$", place)):
            return f"; write {template.format(*match.groups(), value=written)}"
    return ""


def mapping(value: object, place: str = "") -> str:
    """How a list, or a text, was meant that stands where keys and values belong."""
    if isinstance(value, str) and (match := EQUATION.fullmatch(value)):
        return f"; write {{{match[1]}: {match[3].strip()}}}"
    items = value if isinstance(value, list) else []
    if items and all(isinstance(item, dict) and len(item) == 1 for item in items):
        pairs = {name: item for pair in items for name, item in pair.items()}
        if all(isinstance(item, str | int | float) for item in pairs.values()):
            return f"; without the dashes: {plain(pairs)}"
    if value and not isinstance(value, dict) and (hint := form(place, value)):
        return hint
    if items and all(isinstance(item, str) for item in items):
        return f"; each with a value of its own: {{{', '.join(f'{word}: …' for word in items)}}}"
    return "; keys and values, without dashes" if items else ""


def listed(value: object, *, mappings: bool = False) -> str:
    """How a text or a mapping was meant that stands where a list belongs, perhaps of `mappings`."""
    if isinstance(value, dict):
        numbers = all(isinstance(part, int | float) for part in value.values())
        items = [value] if mappings else [*(value.values() if numbers else value)]
        return f"; write {plain(items)}" if value else ""
    match = PAIR.fullmatch(value) if isinstance(value, str) else None
    return f"; write [{match[1]}, {match[2]}]" if match else ""


def scalar(kind: type, value: object, place: str) -> str:
    """How a value was meant where a text or a number belongs."""
    if hint := chosen(place, value):
        return hint
    if isinstance(value, list):
        single = len(value) == 1 and isinstance(value[0], str | int | float)
        return f"; write {value[0]}, without brackets" if single else "; one, no list"
    if isinstance(value, dict) and isinstance(value.get("field"), str):
        return f"; write {value['field']}"
    if kind is str and place.endswith(LENGTHS) and type(value) in (int, float):
        return "; a length has a unit: 5.5in, 89mm, 240pt"
    if kind is bool:
        word = str(value).casefold()
        word = TRUTHS.get(word, word if word in TRUTHS.values() else "")
        return f"; write {word}, without quotes" if word else ""
    return number(kind, value) if kind is not str else ""


def number_format(text: str) -> str:
    """What is told of a format of numbers that is none: those there are, and which was meant."""
    match = PRINTF.fullmatch(text)
    near = (match[1] or match[2] or "") if match else ""
    hint = f" (did you mean {near!r}?)" if near and is_format(near) else ""
    return f"{text!r} is not a format; there are .1f, .3~s, ,d, …{hint}"


def number(kind: type, value: object) -> str:
    """How a text was meant where a number belongs."""
    if not isinstance(value, str):
        return ""
    if COMPARED.match(value):
        return "; values are listed, not compared: [0.1, 0.2]"
    digits = re.sub(r"(?<=\d)[,_ ](?=\d{3})", "", value.strip())
    share = digits.removesuffix("%").strip()
    if not re.fullmatch(NUMBER, share):
        return ""
    if share != digits:
        return f"; write {float(share) / 100:g}" if kind is float else ""
    fits = kind is not int or float(digits).is_integer()
    return f"; write {digits}, without quotes" if fits else ""


def entry(block: Mapping[str, Any], needed: str, names: Sequence[str]) -> str:
    """The key of an entry that was meant as the one that says what it is; empty if none is sure.

    `needed`: `kind` or `format`, one of `names`.
    """
    for wrong, value in block.items():
        if wrong != needed and likely(wrong, [needed]):
            word = MARKS.get(str(value).casefold(), str(value).casefold())
            nearest = word if word in names else needed.upper()
            return f"{wrong!r} is not a key here; write {needed}: {nearest}"
    return ""


def misplaced(name: str, block: object, section: str, above: str) -> str:
    """What to tell of a key of an entry that stands where names of entries do."""
    inside = "a figure" if section == "figures" else "a source"
    what = f"{name!r} is a key of {inside}, not its name"
    if above:
        return f"{what}: indent it below {above!r}, as deep as its other keys"
    part = block if isinstance(block, str) and len(block) < LONGEST else "…"
    written = f"{section}: {{NAME: {{{name}: {part}, …}}}}"
    return f"{what}: write {written}, NAME a word of your own"


def take_gone(raw: dict[str, Any], table: Mapping[str, str] = GONE) -> Iterator[tuple[str, str]]:
    """Take out of a config what there is no more; each place, and what there is instead."""
    for pattern, sentence in table.items():
        path, _, value = pattern.partition(": ")
        for place in _taken(raw, path.split("."), value, ""):
            yield place, sentence


def _taken(node: Any, keys: Sequence[str], value: str, above: str) -> Iterator[str]:
    """Places at or below a node that such a pattern fits, each taken out of the node."""
    key, *deeper = keys
    for name, inner in [*node.items()] if isinstance(node, dict) else ():
        place, rest, full = f"{above}.{name}" if above else name, inner, bool(inner)
        if not _fits(key, name, inner):
            continue
        if deeper:
            yield from _taken(inner, deeper, value, place)
        elif isinstance(inner, list) and value in (words := [*map(plain, inner)]):
            yield f"{place}[{words.index(value)}]"
            rest = [item for item, word in zip(inner, words, strict=True) if word != value]
        elif value in ("", plain(inner)):
            yield place
            rest = None
        if rest is not None and (rest or not full):
            node[name] = rest
        elif name not in ("kind", "format"):  # without them nothing else can be checked
            del node[name]


def _fits(key: str, name: str, inner: object) -> bool:
    """Whether a key of such a pattern stands for one of a config."""
    wild = WILD.fullmatch(key)
    if not wild:
        return key == name
    entry = inner if isinstance(inner, dict) else {}
    return not wild[1] or wild[1] in (entry.get("kind"), entry.get("format"))
