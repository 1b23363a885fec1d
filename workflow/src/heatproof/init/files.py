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
    if folder.is_file():
        places = iter([(within, folder)])
    else:
        places = _walk(folder, within)
    for path, place in places:
        listed[_why_no_log(path, place)].append(path)
    return listed


def _why_no_log(path: str, place: Path) -> str:
    """Why a file can be no log, by its name and its first bytes; empty if it may be one."""
    start = b"x"
    if place.stat().st_size < BLANK:
        with suppress(OSError):
            start = place.read_bytes()
    if start.startswith(POINTER):
        return LFS
    for why, pattern in weights()["stores"].items():
        if re.search(pattern, path):
            return str(why)
    end = ending(path)
    for why, ends in weights()["closed"].items():
        if end in ends:
            return str(why)
    if end not in LIKELY + TEXTS:
        return OTHER
    return "" if start.strip() else EMPTY


def _walk(folder: Path, within: str) -> Iterator[tuple[str, Path]]:
    """Path in the project and place of each file; a loop of links has an end."""
    passed: set[str] = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        if real in passed:
            folders.clear()
            continue
        passed.add(real)
        below = Path(place).relative_to(folder).as_posix()
        is_project = below == "." and not within
        skipped = SKIPPED | OWN if is_project else SKIPPED
        entered = set(folders) - skipped
        folders[:] = sorted(filter(_is_visible, entered))
        for name in sorted(filter(_is_visible, names)):
            file = Path(place, name)
            if file.is_file():
                yield Path(within, below, name).as_posix(), file


def _is_visible(name: str) -> bool:
    return name[0] != "." and name.isprintable()


def copies(paths: Sequence[str], root: Path) -> list[str]:
    """Files with the bytes of another, in a folder such as `backup`, or further folders."""
    kept_away = {path: _is_in_backup(path) for path in paths}
    size = {path: (root / path).stat().st_size for path in paths}
    often = Counter(size.values())
    originals: dict[str, dict[int, set[frozenset[str]]]] = {}
    """Digest → number of the parts of paths of files that are no copies → these parts."""
    same: list[str] = []
    for path in sorted(paths, key=lambda path: (kept_away[path], path.count("/"), path)):
        if often[size[path]] == 1:
            continue
        digest = hashed.content(root / path).digest
        parts = frozenset(path.split("/"))
        by_depth = originals.setdefault(digest, defaultdict(set))
        in_backup = kept_away[path] and by_depth
        if in_backup or _is_deeper(parts, by_depth):
            same.append(path)
        else:
            by_depth[len(parts)].add(parts)
    return same


def _is_deeper(parts: frozenset[str], by_depth: Mapping[int, Iterable[frozenset[str]]]) -> bool:
    """Whether a path without some of its folders is known. Of thousands of files with the same
    bytes in one folder none is compared with another.
    """
    for depth, originals in by_depth.items():
        if depth < len(parts) and any(others < parts for others in originals):
            return True
    return False


def _is_in_backup(path: str) -> bool:
    folders = path.split("/")[:-1]
    return any(holds("copies", name) for name in folders)


def retold(paths: Sequence[str]) -> list[str]:
    """Files whose numbers another file beside them holds, by the names that tools give them."""
    names, there = weights()["retold"], set(paths)
    again: list[str] = []
    for path in paths:
        folder, name = os.path.split(path)
        if name in names and os.path.join(folder, names[name]) in there:
            again.append(path)
    return again


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
        alike = [likely[kind] for kind in _kinds(path) if kind in likely]
        group = alike[0] if alike else none
        group.append(path)
    for group in groups:
        group.sort()


def _kinds(path: str) -> tuple[str, str, str]:
    """What files are alike by, the surest first."""
    end = ending(path)
    numberless = re.sub(r"\d+", "0", path)
    return numberless, f"{os.path.dirname(path)}/*{end}", end


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
    levels = [below]
    if len(folders) > 1:
        levels = [f"{below}**/"]
    if len(folders) > 1 and len(depths) == 1:
        [depth] = depths
        deeper = depth - below.count("/")
        levels.append(below + "*/" * deeper)
    for folder, name in product(levels, _name_patterns(paths)):
        pattern = folder + name
        signs = pattern.split("/")
        if not any(fits(signs, other.split("/")) for other in others):
            return [pattern]
    for groups in (depths, folders):
        if len(groups) > 1:
            globs = (_globs(group, others) for group in groups.values())
            return list(chain(*globs))
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
    by_suffix = f"*{escape(suffix)}"
    if len(set(names)) == 1:
        return [by_suffix, escape(names[0])]
    shortest = min(map(len, names))
    if len(start + suffix) > shortest:
        start = ""
    return [by_suffix, escape(start) + by_suffix]


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
    names = [level[-1] for level in levels]
    stems = [ENDING.sub("", name) for name in names]
    endings = sorted({name.removeprefix(stem) for name, stem in zip(names, stems, strict=True)})
    depth = min(map(len, levels)) - 1
    uneven = max(map(len, levels)) > depth + 1
    told_apart = {(*level[:depth], level[-1]) for level in levels}
    if uneven and len(told_apart) < len(paths):
        levels, uneven = _evened(levels), False
        depth = len(levels[0]) - 1
    values_of: dict[str, list[str]] = {}
    pattern = "^"
    for number in range(depth):
        folders = [level[number] for level in levels]
        pattern += _groups(_cut(folders), values_of) + "/"
    if uneven:
        pattern += "(?:[^/]+/)*"
    first_runs, runs = _runs(stems)
    pattern += _groups(_cut(first_runs) + [runs], values_of)
    pattern += f"(?:{'|'.join(map(re.escape, endings))})$"
    matches = [re.search(pattern, path) for path in paths]
    rows = [match.groupdict() for match in matches if match]
    for name, values in values_of.items():
        if [row[name] for row in rows] != values:
            return {}, ""
    return dict(zip(paths, rows, strict=True)), pattern


def _evened(levels: list[list[str]]) -> list[list[str]]:
    """Folders and names of files of as many levels: folders of several depths as one level.

    It ends before a folder that all paths have, as in `1/evals/a.json` and `1/gpt-4o/evals/a.json`.
    """
    columns = zip(*levels, strict=False)
    start = next(number for number, names in enumerate(columns) if len(set(names)) > 1)
    ends = [len(level) - 1 for level in levels]
    for name in levels[0][start:-1]:
        if not all(name in level for level in levels):
            continue
        starts = [level.index(name) for level in levels]
        behind = {len(level) - at for level, at in zip(levels, starts, strict=True)}
        if len(behind) == 1:
            ends = starts
            break
    depth = max(min(ends) - 1, 0)
    evened: list[list[str]] = []
    for level, end in zip(levels, ends, strict=True):
        joined = "/".join(level[depth:end])
        evened.append(level[:depth] + [joined] + level[end:])
    return evened


def _runs(names: list[str]) -> tuple[list[str], list[str]]:
    """Names without the `_2` of a later run, and these ends.

    Names of models have such ends too: all must end alike before it.
    """
    matches = [re.fullmatch(f"(.+?)({AGAIN})", name) for name in names]
    first_runs = [match[1] for match in matches if match]
    runs = [match[2] for match in matches if match]
    *_, ends = _without_ends(first_runs)
    if "" in runs and any(runs) and ends[0]:
        return first_runs, runs
    return names, [""] * len(names)


def _without_ends(names: list[str], signs: str = "_") -> list[list[str]]:
    """Names in three: what all begin with, up to a sign, what differs, what all end with."""
    start, end = _common_ends(names)
    start = start[: start.rfind("_") + 1]
    match = re.search(f"[{signs}](?=[A-Za-z])", end)
    end = end[match.start() :] if match else ""
    shortest = min(map(len, names))
    if len(start) + len(end) >= shortest:
        start = end = ""
    middle = [name.removeprefix(start).removesuffix(end) for name in names]
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
        counts = {name.count(sign) for name in names}
        if len(counts) > 1 or 0 in counts:
            continue
        rows = [name.split(sign) for name in names]
        columns = [list(column) for column in zip(*rows, strict=True)]
        if _is_one_name(columns, len(set(names))):
            break
        for column in columns:
            pieces.append([sign] * len(names))
            pieces += _cut_inside(column, signs[number + 1 :])
        return pieces[1:]
    return _peeled(names)


def _is_one_name(columns: Sequence[list[str]], count: int) -> bool:
    """Whether each column tells all names apart: parts of aime_2025_II and hmmt_feb_2025."""
    apart = all(len(set(column)) == count for column in columns)
    return apart and not any(map(_are_numbers, columns))


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
    counted = any(weight(role, word) >= 1 for role, word in product(NUMBERED_ROLES, words))
    if all(matches) and not counted:
        return [names]
    return _cut(names, signs)


def _numbered(names: list[str]) -> list[list[str]]:
    """Words that are alike in all names, and the numbers behind them; nothing if there are none."""
    rows: list[tuple[str, ...]] = []
    for name in names:
        pairs = WORD_AND_NUMBER.findall(name)
        rows.append(tuple(chain(*pairs)))
    words = {row[::2] for row in rows}
    if len(words) > 1 or list(map("".join, rows)) != names:
        return []
    return list(map(list, zip(*rows, strict=True)))


def _are_numbers(values: list[str]) -> bool:
    return all(re.fullmatch(r"[\d.]+[kKmM]?", value) for value in values)


def _crossed(names: list[str]) -> list[list[str]]:
    """Pieces of what is left and right of a sign, if each left meets each right; or nothing."""
    signs = [list(TOKENS.finditer(name)) for name in names]
    if not all(signs):
        return []
    ends = Counter(map(_end, chain(*signs)))
    for end, count in list(ends.items()):
        if count >= len(names):
            del ends[end]
    for side in (1, -1):  # of equal ends the shortest, or the longest
        best = [max(own, key=lambda sign: (ends[_end(sign)], side * sign.end())) for own in signs]
        left = [sign.string[: sign.start()] for sign in best]
        right = [_end(sign) for sign in best]
        if _meet(left, right) and not _is_number_of_word(left, right):
            between = [sign[0] for sign in best]
            return _cut_inside(left) + [between] + _cut_inside(right)
    return []


def _end(sign: re.Match[str]) -> str:
    """What stands behind a sign in a name."""
    return sign.string[sign.end() :]


def _meet(left: list[str], right: list[str]) -> bool:
    """Whether each left meets each right, and both vary."""
    pairs = set(zip(left, right, strict=True))
    sizes = len(set(left)), len(set(right))
    return len(pairs) == prod(sizes) > max(sizes)


def _is_number_of_word(left: list[str], right: list[str]) -> bool:
    """Whether what is right belongs to the word before it: a number, or the size of a model."""
    words = {TOKENS.split(name)[-1] for name in left}
    one_word = len(words) == 1 and _are_numbers(right)
    return one_word or any(map(SIZE.fullmatch, right))


def _peeled(names: list[str]) -> list[list[str]]:
    """The rest of names of any length, and the numbers at their right."""
    cut = [TOKENS.split(name) for name in names]
    right: list[list[str]] = []
    while min(map(len, cut)) > 2:
        words = {tokens[-3] for tokens in cut}
        signs = [tokens[-2] for tokens in cut]
        last = [tokens[-1] for tokens in cut]
        numbered = _numbered(last)
        after_word = len(words) == 1 and _are_numbers(last)
        names_number = len(set(last)) == 1 and len(right) > 1 and _are_numbers(right[1])
        if len(set(signs)) > 1 or not (numbered or after_word or names_number):
            break
        right = [signs] + (numbered or [last]) + right
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
        match = re.search(r"([A-Za-z]+)(=?)[^A-Za-z\d]*$", alike)
        word = match[1].lower() if match else ""
        alike = ""
        numbers = _are_numbers(values)
        if (word in PIECES and numbers) or all(map(PIECE.fullmatch, values)):
            pattern += "[^/_-]+"
            continue
        form = next(form for form in FORMS if _have_form(values, form))
        base = UNNAMED
        if form == AGAIN or all(map(STAMP.fullmatch, values)):
            base = RUN
        elif match and (match[2] or numbers):
            base = word
        earlier = [name for name in values_of if re.fullmatch(rf"{base}(_\d+)?", name)]
        name = base
        if earlier or base == UNNAMED:
            name = f"{base}_{len(earlier) + 1}"
        values_of[name] = values
        pattern += f"(?P<{name}>{form})"
    return pattern


def _have_form(values: Iterable[str], form: str) -> bool:
    return all(re.fullmatch(form, value) for value in values)
