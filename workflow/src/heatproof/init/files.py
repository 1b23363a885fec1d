"""Files of a folder: which may be logs, the pattern that names some, what their paths say."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from contextlib import suppress
from glob import escape
from itertools import chain, product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blake3 import blake3

from heatproof.formats import detection
from heatproof.init.facts import holds, models, weight, weights
from heatproof.logs.logs import fits
from heatproof.logs.streams import POINTER
from heatproof.util import hashed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

SKIPPED = {"__pycache__", "node_modules"}  # folders that hold no logs, beside hidden ones
OWN = {"results", "workflow"}  # nor do these of a project
YAML, SHEET = (".yaml", ".yml"), ".xlsx"
LIKELY = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".eval", SHEET, *YAML)
TEXTS = (".txt", ".log", ".out", "")  # these may be lines of JSON all the same
LFS = "git-LFS pointers, not logs: git lfs pull, then heatproof init --add"
EMPTY, OTHER = "empty", "plots, texts and the like"
BLANK = 4096  # bytes of a file that is empty if it holds blanks alone
SUFFIX = re.compile(r"(?:\.[A-Za-z_-]+)*\.[^.]*$")
"""What a file's kind is known by: `.eval_results.json` of `_0.2.eval_results.json`."""


def inventory(folder: Path, within: str) -> dict[str, list[str]]:
    """Why files of a folder can be no logs → these files; "": those that may be some.

    `within`: what the folder, or the file alone, is called in the project (empty: that itself).
    """
    listed: dict[str, list[str]] = defaultdict(list)
    closed = {end: why for why, ends in weights()["closed"].items() for end in ends}
    stores = weights()["stores"].items()
    for path, place in [(within, folder)] if folder.is_file() else _walk(folder, within):
        end, start = ending(path), b"x"
        if place.stat().st_size < BLANK:
            with suppress(OSError):
                start = place.read_bytes()
        may_hold = EMPTY * (not start.strip()) if end in LIKELY + TEXTS else OTHER
        store = next((why for why, pattern in stores if re.search(pattern, path)), "")
        why = LFS if start.startswith(POINTER) else store or closed.get(end, may_hold)
        listed[why].append(path)
    return listed


def _walk(folder: Path, within: str) -> Iterator[tuple[str, Path]]:
    """Path in the project and place of each file; a loop of links has an end."""
    passed: set[str] = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        real, below = os.path.realpath(place), Path(place).relative_to(folder).as_posix()
        skipped = SKIPPED if within or below != "." else SKIPPED | OWN
        again = real in passed
        passed.add(real)
        folders[:] = [] if again else sorted(filter(_is_visible, set(folders) - skipped))
        for name in [] if again else sorted(filter(_is_visible, names)):
            if (file := Path(place, name)).is_file():
                yield Path(within, below, name).as_posix(), file


def _is_visible(name: str) -> bool:
    return name[0] != "." and name.isprintable()


def copies(paths: Sequence[str], root: Path) -> list[str]:
    """Files with the bytes of another, in a folder such as `backup`, or further folders."""
    again = {path: any(holds("copies", n) for n in path.split("/")[:-1]) for path in paths}
    size = {path: (root / path).stat().st_size for path in paths}
    often = Counter(size.values())
    copies_by_depth: dict[str, dict[int, set[frozenset[str]]]] = {}
    """Digest → number of the parts of paths → these parts."""
    same = []
    for path in sorted(paths, key=lambda path: (again[path], path.count("/"), path)):
        if often[size[path]] == 1:
            continue
        digest, parts = hashed.content(root / path).digest, frozenset(path.split("/"))
        if digest in copies_by_depth and (
            again[path] or _is_deeper(parts, copies_by_depth[digest])
        ):
            same.append(path)
        else:
            copies_by_depth.setdefault(digest, {}).setdefault(len(parts), set()).add(parts)
    return same


def _is_deeper(
    parts: frozenset[str], copies_by_depth: Mapping[int, Iterable[frozenset[str]]]
) -> bool:
    """Whether a path without some of its folders is known."""
    shorter = chain(*(copies_by_depth[number] for number in copies_by_depth if number < len(parts)))
    return any(others < parts for others in shorter)


def retold(paths: Sequence[str]) -> list[str]:
    """Files whose numbers another file beside them holds, by the names that tools give them."""
    names, there = weights()["retold"], set(paths)
    pairs = [(path, names.get(os.path.basename(path), "")) for path in paths]
    return [p for p, name in pairs if name and os.path.join(os.path.dirname(p), name) in there]


def ending(path: str) -> str:
    """How a file's name ends, without what packs it: `.jsonl` of `a.jsonl.gz`."""
    return os.path.splitext(detection.plain(path))[1].lower()


def mixed(paths: Iterable[str]) -> list[str]:
    """Paths in an order without a pattern, always the same.

    Sorted names have one (a seed, a temperature), and each n-th of them may be all of one kind.
    """
    return sorted(paths, key=lambda path: blake3(path.encode()).digest())


def complete(groups: Sequence[list[str]], rest: Iterable[str], none: list[str]) -> None:
    """Add files to the groups whose files lie and are called like them; to `none`, if none are."""
    likely: dict[str, list[str]] = {}
    for group in groups:
        for path in group:
            for kind in _kinds(path):
                likely.setdefault(kind, group)
    for path in rest:
        group = next((likely[kind] for kind in _kinds(path) if kind in likely), none)
        group.append(path)
    for group in groups:
        group.sort()


def _kinds(path: str) -> tuple[str, str, str]:
    """What files are alike by, the surest first."""
    end = ending(path)
    return re.sub(r"\d+", "0", path), f"{os.path.dirname(path)}/*{end}", end


def patterns(paths: Sequence[str], others: Sequence[str]) -> str | list[str]:
    """The plainest pattern, or patterns, that match all `paths` and none of `others`.

    A single file stands for those that its harness will write beside it.
    """
    globs = _globs(paths, others)
    return globs if len(globs) > 1 else globs[0]


def _globs(paths: Sequence[str], others: Sequence[str]) -> list[str]:
    """One pattern for all paths, or one for those of each depth, of each folder, or each path."""
    folders = _grouped(paths, os.path.dirname)
    depths = _grouped(paths, lambda path: path.count("/"))
    base = os.path.commonpath(folders) if all(folders) else ""
    below = f"{escape(base)}/" if base else ""
    levels = [f"{below}**/"] if len(folders) > 1 else [below]
    if len(folders) > 1 and len(depths) == 1:
        deeper = next(iter(depths)) - below.count("/")
        levels.append(below + "*/" * deeper)
    for folder, name in product(levels, _name_patterns(paths)):
        pattern = (folder + name).split("/")
        if not any(fits(pattern, other.split("/")) for other in others):
            return [folder + name]
    for groups in (depths, folders):
        if len(groups) > 1:
            return [glob for group in groups.values() for glob in _globs(group, others)]
    return [escape(path) for path in paths]


def _grouped(paths: Sequence[str], key: Callable[[str], Any]) -> dict[Any, list[str]]:
    groups: dict[Any, list[str]] = defaultdict(list)
    for path in paths:
        groups[key(path)].append(path)
    return groups


def _name_patterns(paths: Sequence[str]) -> list[str]:
    """Patterns of the names of files, the plainest first."""
    names = [os.path.basename(path) for path in paths]
    start, end = _common_ends(names)
    match = SUFFIX.search(end)
    suffix = match[0] if match else end
    if len(set(names)) == 1:
        return [f"*{escape(suffix)}", escape(names[0])]
    if len(start + suffix) > min(map(len, names)):
        start = ""
    return [f"*{escape(suffix)}", f"{escape(start)}*{escape(suffix)}"]


def _common_ends(names: Sequence[str]) -> tuple[str, str]:
    """What all names begin with, and what all end with."""
    start = os.path.commonprefix(list(names))  # noqa: RUF071  of signs, not of folders
    end = os.path.commonprefix([name[::-1] for name in names])  # noqa: RUF071
    return start, end[::-1]


ENDING = re.compile(r"(\.(jsonl|ndjson|json|csv|tsv|parquet|ya?ml|xlsx|gz|zst|log|out|txt))+$")
SIGNS = ("__", " - ", ",", "=", "_")
"""What stands between the parts of a name for certain, the strongest first."""
DATED = re.compile(r"(.*?)(20\d\d_[01]\d_[0-3]\d)(?!\d)(.*)")
BRACKETED = re.compile(r"(.+?)( ?\()([^()]+)(\))")
TOKENS = re.compile(r"(__| - |(?<=\D)\.(?=\D)|[=_\-, ]+)")
"""What may stand there: names of models have such signs too."""
WORD_AND_NUMBER = re.compile(r"([A-Za-z]{1,12})(\d[\d.]*(?:[A-Za-z](?![A-Za-z]*\d))?)")
VERSION = re.compile(r"([A-Za-z]+)-[1-9]\d?(?:\.\d+)*")
NUMBERED_ROLES = ("setting", "epoch", "task", "sample_id", "count", "time", "not_score")
"""What a word before a number may be, other than a model."""
SIZE = re.compile(r"[\d.]+[bB]")
MODELS = 0.4  # part of some names from which they are models
AGAIN = "(?:_[0-9]+)?"  # ends the names of later runs, where the first has none
FORMS = ("[0-9]+(?:[.][0-9]+)?", AGAIN, "[^/_-]+", "[^/-]+", "[^/_]+", "[^/]*?", ".*?")
"""What a part may look like, the strictest first."""
PIECES = {"part", "shard", "chunk", "rank"}  # words before the number of a piece of one log
PIECE = re.compile(r"[0-9]+(p|of|-of-)[0-9]+")  # one of several pieces of a log
STAMP = re.compile(r"[0-9a-f]{8,}|[0-9a-f]{8}(-[0-9a-f]{4,12}){4}")
"""A name that a machine gave: a digest, a unique id."""
UNNAMED, RUN = "part", "run"  # what a part is called that nothing names; one that numbers runs


def parts(paths: Sequence[str]) -> tuple[dict[str, dict[str, str]], str]:
    """Path → name → its value there, and the pattern that gives them, checked on all paths.

    Nothing where there is one path, or where no one pattern takes all apart.
    """
    levels = [path.split("/") for path in paths]
    stems = [ENDING.sub("", level[-1]) for level in levels]
    endings = sorted({level[-1][len(stem) :] for level, stem in zip(levels, stems, strict=True)})
    values_of: dict[str, list[str]] = {}
    depth = min(map(len, levels)) - 1
    uneven = max(map(len, levels)) > depth + 1
    if uneven and len({(*level[:depth], level[-1]) for level in levels}) < len(paths):
        levels = _evened(levels)
        depth, uneven = len(levels[0]) - 1, False
    folders = zip(*(level[:depth] for level in levels), strict=True)
    pattern = "^" + "".join(_groups(_cut(list(names)), values_of) + "/" for names in folders)
    if uneven:
        pattern += "(?:[^/]+/)*"
    first_runs, runs = _runs(stems)
    pattern += _groups(_cut(first_runs) + [runs], values_of)
    pattern += f"(?:{'|'.join(map(re.escape, endings))})$"
    matches = [re.search(pattern, path) for path in paths]
    rows = [match.groupdict() for match in matches if match]
    right = [[row[name] for row in rows] for name in values_of] == list(values_of.values())
    return (dict(zip(paths, rows, strict=True)), pattern) if right else ({}, "")


def _evened(levels: list[list[str]]) -> list[list[str]]:
    """Folders and names of files of as many levels: folders of several depths as one level.

    It ends before a folder that all paths have, as in `1/evals/a.json` and `1/gpt-4o/evals/a.json`.
    """
    columns = zip(*levels, strict=False)
    start = next(number for number, names in enumerate(columns) if len(set(names)) > 1)
    ends = [len(level) - 1 for level in levels]
    for name in levels[0][start:-1]:
        behind = {len(level) - level.index(name) if name in level else 0 for level in levels}
        if len(behind) == 1:
            ends = [level.index(name) for level in levels]
            break
    depth = max(min(ends) - 1, 0)
    evened: list[list[str]] = []
    for level, end in zip(levels, ends, strict=True):
        evened.append(level[:depth] + ["/".join(level[depth:end])] + level[end:])
    return evened


def _runs(names: list[str]) -> tuple[list[str], list[str]]:
    """Names without the `_2` of a later run, and these ends.

    Names of models have such ends too: all must end alike before it.
    """
    cut = [re.fullmatch(f"(.+?)({AGAIN})", name) for name in names]
    first_runs, runs = zip(*(match.groups() for match in cut if match), strict=True)
    if "" in runs and any(runs) and _without_ends(list(first_runs))[2][0]:
        return list(first_runs), list(runs)
    return names, [""] * len(names)


def _without_ends(names: list[str], signs: str = "_") -> list[list[str]]:
    """Names in three: what all begin with, up to a sign, what differs, what all end with."""
    start, end = _common_ends(names)
    start = start[: start.rfind("_") + 1]
    match = re.search(f"[{signs}](?=[A-Za-z])", end)
    end = end[match.start() :] if match else ""
    if len(start) + len(end) >= min(map(len, names)):
        start = end = ""
    middle = [name[len(start) : len(name) - len(end)] for name in names]
    return [[start] * len(names), middle, [end] * len(names)]


def _cut(names: list[str], signs: Sequence[str] = SIGNS) -> list[list[str]]:
    """Pieces of names, cut at the strongest sign that all have equally often."""
    if len(set(names)) == 1:
        return [names]
    start, middle, end = _without_ends(names)
    if middle != names:
        return [start] + _cut(middle, signs) + [end]
    if pieces := _dated(names) or _bracketed(names) or _numbered(names) or _crossed(names):
        return pieces
    for number, sign in enumerate(signs):
        if sign in names[0] and len({name.count(sign) for name in names}) == 1:
            columns = [
                list(column) for column in zip(*(name.split(sign) for name in names), strict=True)
            ]
            if all(len(set(c)) == len(set(names)) and not _are_numbers(c) for c in columns):
                break  # each tells all apart: parts of one name, as aime_2025_II and hmmt_feb_2025
            for column in columns:
                pieces += [[sign] * len(names)] + _cut_inside(column, signs[number + 1 :])
            return pieces[1:]
    return _peeled(names)


def _dated(names: list[str]) -> list[list[str]]:
    """Pieces of names around a date, which is one piece; nothing if some have none."""
    matches = [DATED.fullmatch(name) for name in names]
    rows = [match.groups() for match in matches if match]
    if len(rows) < len(names):
        return []
    left, dates, right = map(list, zip(*rows, strict=True))
    return [*_cut(left), dates, *_cut(right)]


def _bracketed(names: list[str]) -> list[list[str]]:
    """Pieces of names that end with something in brackets, as A (run 2); none if they do not."""
    matches = [BRACKETED.fullmatch(name) for name in names]
    rows = [match.groups() for match in matches if match]
    if len(rows) < len(names) or len({opening for _, opening, *_ in rows}) > 1:
        return []
    outside, opening, inside, closing = map(list, zip(*rows, strict=True))
    return [*_cut(outside), opening, *_cut(inside), closing]


def _cut_inside(names: list[str], signs: Sequence[str] = SIGNS) -> list[list[str]]:
    """Pieces of a part of names; a word and its version stay together: mini-1, but not seed-1."""
    matches = [VERSION.fullmatch(name) for name in names]
    words = {match[1] for match in matches if match}
    counted = any(weight(role, word) >= 1 for word in words for role in NUMBERED_ROLES)
    return [names] if all(matches) and not counted else _cut(names, signs)


def _numbered(names: list[str]) -> list[list[str]]:
    """Words that are alike in all names, and the numbers behind them; nothing if there are none."""
    cut = [WORD_AND_NUMBER.findall(name) for name in names]
    words = {tuple(word for word, _ in pairs) for pairs in cut}
    if len(words) > 1 or ["".join(chain(*pairs)) for pairs in cut] != names:
        return []
    return [list(column) for column in zip(*(chain(*pairs) for pairs in cut), strict=True)]


def _are_numbers(values: list[str]) -> bool:
    return all(re.fullmatch(r"[\d.]+[kKmM]?", value) for value in values)


def _crossed(names: list[str]) -> list[list[str]]:
    """Pieces of what is left and right of a sign, if each left meets each right; or nothing."""
    signs = [list(TOKENS.finditer(name)) for name in names]
    ends = Counter(sign.string[sign.end() :] for own in signs for sign in own)
    ends = Counter({end: count for end, count in ends.items() if count < len(names)})
    for side in (1, -1) if all(signs) else ():  # of equal ends the shortest, or the longest
        best = [
            max(own, key=lambda s: (ends[s.string[s.end() :]], side * s.end())) for own in signs
        ]
        left, right = [s.string[: s.start()] for s in best], [s.string[s.end() :] for s in best]
        sizes, pairs = (len(set(left)), len(set(right))), set(zip(left, right, strict=True))
        word = len({TOKENS.split(name)[-1] for name in left}) == 1 and _are_numbers(right)
        odd = word or any(map(SIZE.fullmatch, right))  # a word belongs to its number
        if len(pairs) == prod(sizes) > max(sizes) and not odd:
            return _cut_inside(left) + [[s[0] for s in best]] + _cut_inside(right)
    return []


def _peeled(names: list[str]) -> list[list[str]]:
    """The rest of names of any length, and the numbers at their right."""
    cut = [TOKENS.split(name) for name in names]
    right: list[list[str]] = []
    while min(map(len, cut)) > 2:
        last, signs = [tokens[-1] for tokens in cut], [tokens[-2] for tokens in cut]
        after_word = _are_numbers(last) and len({tokens[-3] for tokens in cut}) == 1
        names_number = len(set(last)) == 1 and len(right) > 1 and _are_numbers(right[1])
        if len(set(signs)) > 1 or not (_numbered(last) or after_word or names_number):
            break
        right = [signs, *(_numbered(last) or [last]), *right]
        cut = [tokens[:-2] for tokens in cut]
    rest = ["".join(tokens) for tokens in cut]
    # The size of a model belongs to its name, and so does `shot` to `zero-shot`.
    words_end = right and models(rest) < MODELS
    return _without_ends(rest, "_-" if words_end else "_") + right


def _groups(pieces: list[list[str]], values_of: dict[str, list[str]]) -> str:
    """Pieces as a regular expression; adds the values of those that differ to `values_of`."""
    pattern = alike = ""
    for values in pieces:
        if len(set(values)) == 1:
            pattern += re.escape(values[0])
            alike += values[0]
            continue
        word = re.search(r"([A-Za-z]+)(=?)[^A-Za-z\d]*$", alike)
        numbered = word and word[1].lower() in PIECES and _are_numbers(values)
        if numbered or all(map(PIECE.fullmatch, values)):
            pattern, alike = f"{pattern}[^/_-]+", ""
            continue
        form = next(form for form in FORMS if all(re.fullmatch(form, value) for value in values))
        base = word[1].lower() if word and (word[2] or _are_numbers(values)) else UNNAMED
        base = RUN if form == AGAIN or all(map(STAMP.fullmatch, values)) else base
        count = sum(re.fullmatch(rf"{base}(_\d+)?", name) is not None for name in values_of)
        name = f"{base}_{count + 1}" if count or base == UNNAMED else base
        values_of[name], alike = values, ""
        pattern += f"(?P<{name}>{form})"
    return pattern
