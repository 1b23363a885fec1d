"""What the paths of like files tell: the parts in which they differ, and a pattern for `path`.

`runs/tiny-a/arith_t0.6_s1.jsonl` has a text (`tiny-a`), another (`arith`), and numbers that are
named by the word before them (`t`, `s`). A part that is a time or a hash tells no setting.
"""

from __future__ import annotations

import itertools
import os
import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from heatproof.formats import detection
from heatproof.start import tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

NUMBER = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
FIRST = (
    "top|max|min|num|n|tokens?|context|ctx|prompt|batch|kv|window|local|learning|repetition|few"
    "|presence|frequency|weight|warmup|beam|best|train|test|sample|prune|block|chunk|hidden"
)
"""Words that begin a name of two."""
KEYED = re.compile(
    rf"(?:(?<=[_\-/ ,@+])|^)(?P<key>(?:(?:{FIRST})_)?[A-Za-z]+)[=\-_ ]?(?P<value>{NUMBER})"
    r"(?=$|[_\-/ ,@+])",
    re.ASCII,
)
"""A number behind a word: `temp-0.6`, `seed1`, `top_p=0.9`."""
PAIR = re.compile(
    r"(?:(?<=[_\-/ ,;&])|^)(?P<key>[A-Za-z]\w*?)=(?P<value>[^,;&=/]+?)(?=$|[,;&]|_\w+=)"
)
MARK = "\x00"
"""Stands on both sides of what was taken out of a text."""
WORDS = (
    r"(?:prompt_?|reasoning_?)?(?:style|effort|template|method|mode|variant|strategy|quant|format)"
    r"|quantization|prompt|retriever|retrieval|scaffold|optimizer|scheduler|decoding|language|lang"
    r"|difficulty|condition|ablation"
)
"""Names of settings that are texts."""
WORDED = re.compile(rf"(?P<key>{WORDS})(?P<sign>[=\-_ ])(?P<value>[A-Za-z][^{MARK}]*)")
NAMED = re.compile(
    rf"(?:(?<=[_\-/ ,@+])|^)(?P<key>{WORDS})[=\-_ ](?P<value>[A-Za-z][^_\-/ ,@+{MARK}]*)"
    r"(?=$|[_\-/ ,@+])"
)
"""A text behind such a word: `style-cot`."""
STAMP = re.compile(
    r"\d{4}[-_]?\d\d[-_]?\d\d(?:[T_ -]\d\d[-:_]?\d\d(?:[-:_]?\d\d)?(?:[.\-+]\d+)*)?(?!\d)"
    r"|(?<![0-9a-zA-Z])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}(?![0-9a-zA-Z])"
)
"""A time or a hash."""
MODELS = {
    "gpt", "llama", "qwen", "claude", "gemma", "mistral", "mixtral", "phi", "pythia", "opus", "o",
    "deepseek", "falcon", "yi", "glm", "grok", "gemini", "command", "bloom", "opt", "bert", "v",
    "r", "palm", "vicuna", "olmo", "sonnet", "haiku", "turbo", "model", "tiny", "base", "ckpt",
    "qa", "aime", "amc", "hmmt", "gsm", "math", "mmlu", "bbh",
}  # fmt: skip
"""Words before a number that is part of a name, of a model or a benchmark."""
ROOMS = {
    "result", "results", "eval", "evals", "out", "output", "outputs", "run", "runs", "log", "logs",
    "sample", "samples", "pred", "preds", "predictions", "exp", "model", "models",
}  # fmt: skip
"""Words before a model's name that are no part of it."""
SEPARATORS = (" - ", "__", "--", ",", "_", "-", " ")
CUTS = 4
"""Separators from either end at which a text may be cut in two."""
FEW = 40
"""Texts of a part that a pattern lists."""
LONG = 64
"""Characters of a part that may be a setting."""


class Part(NamedTuple):
    """A part in which paths differ."""

    key: str
    """The word before it; empty if there is none."""
    values: list[str]
    """In the order of the paths."""
    regex: str
    stamp: bool = False
    """Whether it is a time or a hash, and so no setting."""

    @property
    def numeric(self) -> bool:
        """Whether all its values are numbers."""
        return all(re.fullmatch(NUMBER, value) for value in self.values)


Token = str | Part
"""A piece of all paths: the same text, or a part."""


def parts(paths: Sequence[str]) -> list[Token]:
    """All paths as one row of pieces; none where nothing can be said."""
    split = [path.split("/") for path in paths]
    depth = min(len(one) for one in split)
    found: list[Token] = []
    for level in range(-depth, 0):
        texts = [one[level] for one in split]
        cut = _ending(texts) if level == -1 else ""
        pieces = _pieces([text.removesuffix(cut) for text in texts])
        found += ["/" if found else "", *pieces, cut]
    return _joined(found)


def common(paths: Sequence[str], column: str) -> str:
    """What all paths have in common and can only name a `model`, or a `task`; empty if nothing."""
    split = [[*path.split("/")[:-1], _stem(path)] for path in paths]
    for name in split[0]:
        if all(name in one for one in split):
            pieces = [name] if column == "model" else [name, *re.split(r"_+", name)]
            found = next((piece for piece in pieces if tasks.names(piece, column)), "")
            if found:
                return tasks.bare(found) if column == "model" else found
    return ""


def _stem(path: str) -> str:
    return os.path.splitext(detection.plain(path.rpartition("/")[2]))[0]


def _ending(texts: Sequence[str]) -> str:
    """The ending that all names have."""
    plain = [detection.plain(text) for text in texts]
    found = {os.path.splitext(name)[1] + text.removeprefix(name)
             for name, text in zip(plain, texts, strict=True)}  # fmt: skip
    return found.pop() if len(found) == 1 else ""


def _joined(pieces: Sequence[Token]) -> list[Token]:
    """The same with neighbouring texts as one."""
    found: list[Token] = []
    for piece in pieces:
        if isinstance(piece, str) and found and isinstance(found[-1], str):
            found[-1] += piece
        elif piece:
            found.append(piece)
    return found


def _pieces(texts: Sequence[str]) -> list[Token]:
    """Pieces of one folder's or file's name."""
    if len({*texts}) == 1:
        return [texts[0]]
    taken: dict[str, Part] = {}
    rest = _stamps(texts, taken)
    rest = _taken(rest, PAIR, taken, lambda _: True)
    rest = _taken(rest, KEYED, taken, lambda key: key.lower() not in MODELS)
    if worded := _worded(rest):
        return worded
    rest = _taken(rest, NAMED, taken, lambda _: True)
    return _joined([piece for token in _split(rest) for piece in _restored(token, taken)])


def _worded(texts: Sequence[str]) -> list[Token]:
    """A word, and all that stands behind it; nothing if not all texts are such."""
    found = [match for text in texts if (match := WORDED.fullmatch(text))]
    starts = {match["key"] + match["sign"] for match in found}
    if len(starts) != 1 or len(found) < len(texts):
        return []
    return [starts.pop(), Part(found[0]["key"], [match["value"] for match in found], r"[^/]+?")]


def _stamps(texts: Sequence[str], taken: dict[str, Part]) -> list[str]:
    """The texts with times and hashes taken out, where all have the same number of them."""
    counts = {len(STAMP.findall(text)) for text in texts}
    if len(counts) != 1 or not (count := counts.pop()):
        return list(texts)
    for number in range(count):
        values = [STAMP.findall(text)[number] for text in texts]
        regex = r"[^/]+?"
        taken[f"{MARK}stamp{number}{MARK}"] = Part("", values, regex, stamp=True)
    found = []
    for text in texts:
        rest = STAMP.split(text)
        marks = [f"{MARK}stamp{number}{MARK}" for number in range(count)]
        found.append(
            "".join(piece for pair in zip(rest, [*marks, ""], strict=True) for piece in pair)
        )
    return found


def _taken(
    texts: Sequence[str],
    pattern: re.Pattern[str],
    taken: dict[str, Part],
    wanted: Callable[[str], bool],
) -> list[str]:
    """The texts with values that differ taken out, of words that all of them have just once."""
    found: list[dict[str, str]] = []
    for text in texts:
        pairs = [(match["key"], match["value"]) for match in pattern.finditer(text)]
        found.append({k: v for k, v in pairs if [key for key, _ in pairs].count(k) == 1})
    common = [key for key in found[0] if all(key in one for one in found) and wanted(key)]
    rest = list(texts)
    for key in common:
        values = [one[key] for one in found]
        if len({*values}) == 1 and pattern is not PAIR:
            continue
        number = all(re.fullmatch(NUMBER, value) for value in values)
        mark = f"{MARK}{key}{MARK}"
        taken[mark] = Part(key, values, number_regex(values) if number else r"[^/,;&]+?")
        rest = [
            re.sub(rf"((?:(?<=[_\-/ ,;&@+])|^){re.escape(key)}[=\-_ ]?){re.escape(value)}",
                   rf"\g<1>{mark}", text, count=1)
            for text, value in zip(rest, values, strict=True)
        ]  # fmt: skip
    return rest


def number_regex(values: Sequence[str]) -> str:
    """The shortest expression for numbers that are written like these."""
    for regex in (r"\d+", r"[\d.]+"):
        if all(re.fullmatch(regex, value) for value in values):
            return regex
    return NUMBER


def _split(texts: Sequence[str]) -> list[Token]:
    """Texts as pieces between the separator that cuts all of them into as many."""
    if len({*texts}) == 1:
        return [texts[0]]
    if any(MARK in text for text in texts):
        return _split_marked(texts)
    for sign in SEPARATORS:
        cut = [text.split(sign) for text in texts]
        if len({len(one) for one in cut}) == 1 and len(cut[0]) > 1:
            columns = [list(column) for column in zip(*cut, strict=True)]
            return _between(_merged(columns, sign), sign)
        if sign == "_" and len(found := _trimmed(texts)) > 1:
            return found  # words of whole names go before half of these
    return _cut(texts) or _trimmed(texts)


def _cut(texts: Sequence[str]) -> list[Token]:
    """Parts that vary on their own, each with the next; nothing if there are none."""
    for number, cutter in itertools.product(range(1, CUTS + 1), (_last, _first)):
        if pair := cutter(texts, number):
            return [
                one
                for piece in pair
                for one in (isinstance(piece, Part) and _cut(piece.values)) or [piece]
            ]
    return []


def _trimmed(texts: Sequence[str]) -> list[Token]:
    """One part, without the words that all texts begin or end with, but for half a model's name."""
    before = _begun(texts)
    word = re.split(r"[_ /]", before.rstrip("_ /"))[-1].lower()
    if tasks.is_model(word) and not re.search(r"\d", word) and word not in ROOMS:
        before = ""
    rest = [text.removeprefix(before) for text in texts]
    after = _begun([text[::-1] for text in rest])[::-1]
    middle = [text.removesuffix(after) for text in rest]
    if not all(middle):
        return [Part("", list(texts), r"[^/]*?")]
    if not before + after:
        return [Part("", middle, r"[^/]+?")]
    return [before, *_split(middle), after]


def _begun(texts: Sequence[str]) -> str:
    """The whole words that all texts begin with."""
    first, last = min(texts), max(texts)
    same = next(
        (n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first)
    )
    return re.sub(r"[^_ /]*$", "", first[:same]) or re.sub(r"[^-=,].*$", "", first[: min(same, 1)])


def _merged(columns: list[list[str]], sign: str) -> list[list[str]]:
    """Columns with those as one that are parts of one name: `gpt`, `4` beside `tiny`, `a`.

    So are neighbours of which one tells the other, and what stands the same before a part and
    looks like a model's name.
    """
    found: list[list[str]] = []
    for column in columns:
        if found and _is_one(found[-1], column, sign):
            found[-1] = [f"{a}{sign}{b}" for a, b in zip(found[-1], column, strict=True)]
        else:
            found.append(column)
    if sign == "-":
        _prefix(found)
    return found


def _prefix(found: list[list[str]]) -> None:
    """Give a model's name the words before it, which all have: `code` of `code-davinci-a`."""
    at = next((n for n, one in enumerate(found) if len({*one}) > 1), 0)
    before = [one[0] for one in found[:at]]
    own = any(tasks.is_model(text) for text in found[at]) if found else False
    if own and before and not any(text.lower() in ROOMS for text in before):
        found[: at + 1] = [["-".join([*before, text]) for text in found[at]]]


def _is_one(before: list[str], column: list[str], sign: str) -> bool:
    """Whether two neighbours are parts of one name."""
    if len({*column}) == 1:
        return len({*before}) == 1 and tasks.is_model(before[0])
    if len({*before}) == 1:
        short = all(len(text) < 3 and text.isalpha() for text in column)
        whole = sign == "_" and re.search(r"\d", before[0])  # gpt-4o_direct, but tiny_a
        own = tasks.is_model(before[0]) and not (whole and not any(map(tasks.is_model, column)))
        return own or (short and before[0].isalpha())
    both = len({*zip(before, column, strict=True)})
    return both in (len({*column}), len({*before}))


def _between(columns: list[list[str]], sign: str) -> list[Token]:
    found: list[Token] = []
    for number, column in enumerate(columns):
        found += [sign] if number else []
        if len({*column}) == 1:
            found.append(column[0])
        else:
            found.append(Part("", column, r"[^/]+?"))
    return found


def _split_marked(texts: Sequence[str]) -> list[Token]:
    """Texts that differ around what was taken out of them."""
    marks = re.findall(rf"{MARK}[^{MARK}]+{MARK}", texts[0])
    cut = [re.split(rf"{MARK}[^{MARK}]+{MARK}", text) for text in texts]
    if len({len(one) for one in cut}) > 1:
        return [Part("", list(texts), r"[^/]+?")]
    found: list[Token] = []
    for number, column in enumerate(zip(*cut, strict=True)):
        found += [column[0]] if len({*column}) == 1 else _trimmed(column)
        found += marks[number : number + 1]
    return found


def _last(texts: Sequence[str], number: int) -> list[Token]:
    """Two parts that vary on their own, cut at a separator counted from the end."""
    for sign in ("_", "-", " "):
        if all(text.count(sign) >= number for text in texts):
            cut = [text.rsplit(sign, number) for text in texts]
            before, after = [one[0] for one in cut], [sign.join(one[1:]) for one in cut]
            if _crossed(before, after):
                own = rf"[^/{sign}]+?"
                return [
                    Part("", before, r"[^/]+"),
                    sign,
                    Part("", after, sign.join([own] * number)),
                ]
    return []


def _first(texts: Sequence[str], number: int) -> list[Token]:
    """The same, counted from the beginning."""
    for sign in ("_", "-", " "):
        if all(text.count(sign) >= number for text in texts):
            cut = [text.split(sign, number) for text in texts]
            before, after = [sign.join(one[:-1]) for one in cut], [one[-1] for one in cut]
            if _crossed(before, after):
                own = rf"[^/{sign}]+"
                return [
                    Part("", before, sign.join([own] * number)),
                    sign,
                    Part("", after, r"[^/]+?"),
                ]
    return []


def _crossed(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether each value of one stands with several of the other, and the other way round."""
    for first, second in ((one, other), (other, one)):
        beside: dict[str, set[str]] = defaultdict(set)
        for value, against in zip(first, second, strict=True):
            beside[value].add(against)
        if len(beside) < 2 or min(len(values) for values in beside.values()) < 2:
            return False
    return True


def _restored(token: Token, taken: Mapping[str, Part]) -> list[Token]:
    """A piece with the parts that were taken out of it."""
    if isinstance(token, Part):
        if not any(MARK in value for value in token.values):
            return [token]
        return [Part("", [_spelled(v, n, taken) for n, v in enumerate(token.values)], r"[^/]+?")]
    return [taken.get(piece, piece) for piece in re.split(rf"({MARK}[^{MARK}]+{MARK})", token)]


def _spelled(value: str, number: int, taken: Mapping[str, Part]) -> str:
    for mark, part in taken.items():
        value = value.replace(mark, part.values[number])
    return value


def pattern(tokens: Sequence[Token], named: Mapping[int, str], paths: Sequence[str]) -> str:
    """A regular expression with a group for each part that has a name; empty if none fits all.

    Args:
        tokens: of `parts`.
        named: number of a piece in `tokens` → name of the group.
        paths: that it must read as the parts do.
    """
    if not named:
        return ""
    first, last = min(named), max(named)
    start = first - 1 if first and isinstance(tokens[first - 1], str) else 0
    near = min(last + 2, len(tokens))
    for begin, stop, above in (
        (start, near, "" if start else "^"),
        (0, len(tokens), "^"),
        (0, len(tokens), "(?:^|/)"),  # some lie deeper
    ):
        for exact in (False, True):
            found = above
            for number in range(begin, stop):
                token = _exact(tokens[number]) if exact else tokens[number]
                found += _regex(token, named.get(number, ""), number == begin > 0)
            found += "$" if stop == len(tokens) else ""
            if _fits(found, tokens, named, paths):
                return found
    return ""


def _exact(token: Token) -> Token:
    """A part as the list of its texts, where nothing shorter tells where each ends."""
    if isinstance(token, str) or token.stamp or token.numeric:
        return token
    texts = sorted({*token.values}, key=lambda text: (-len(text), text))
    return token._replace(regex="|".join(map(_escaped, texts))) if len(texts) <= FEW else token


def _regex(token: Token, name: str, first: bool) -> str:
    if isinstance(token, Part):
        if "|" in token.regex and not name:
            return f"(?:{token.regex})"
        return f"(?P<{name}>{token.regex})" if name else token.regex
    text = token.rpartition("/")[2] if first else token
    text = "/" + text if first and "/" in token else text
    return _escaped(text)


def _escaped(text: str) -> str:
    return re.sub(r"([.^$*+?{}\[\]\\|()])", r"\\\1", text)


def _fits(
    found: str, tokens: Sequence[Token], named: Mapping[int, str], paths: Sequence[str]
) -> bool:
    for number, path in enumerate(paths):
        match = re.search(found, path)
        if match is None:
            return False
        for at, name in named.items():
            part = tokens[at]
            if isinstance(part, Part) and match[name] != part.values[number]:
                return False
    return True
