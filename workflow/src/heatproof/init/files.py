"""Files of a folder: which may be logs, the pattern that names some, what their paths say."""

from __future__ import annotations

import os
import re
import zlib
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from heatproof.formats import detection
from heatproof.logs.logs import fits
from heatproof.logs.streams import POINTER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

SKIPPED = {"__pycache__", "node_modules"}  # folders that hold no logs, beside hidden ones
OWN = {"results", "workflow"}
"""Folders of a project that hold none, if it is the project itself that is looked through."""
LIKELY = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".eval")
"""Endings of files that may be logs."""
TEXTS = (".txt", ".log", ".out", "")
"""Endings of files that may be lines of JSON all the same."""
LFS = "git-LFS pointers, not logs: git lfs pull, then heatproof init --add"
EMPTY, OTHER = "empty", "plots, texts and the like"
SETTINGS = "settings, not logs; write results as JSON lines or CSV, one problem per line"
CLOSED = {
    (".yaml", ".yml", ".toml", ".ini"): SETTINGS,
    (".pkl", ".pickle", ".pt", ".pth", ".npy", ".npz", ".joblib", ".dill"): (
        "pickles and arrays are not opened; export JSON lines, one problem per line"
    ),
    (".xlsx", ".xls", ".ods"): "spreadsheets are not opened; save them as CSV",
    (".db", ".sqlite", ".sqlite3", ".duckdb", ".feather", ".arrow", ".h5", ".hdf5"): (
        "databases are not opened; export CSV or Parquet, one problem per row"
    ),
    (".zip", ".tar", ".tgz", ".7z", ".rar", ".bz2", ".xz"): (
        "archives of files are not opened; unpack them"
    ),
}
"""Endings of files that may hold data, and why they are not read."""
BLANK = 4096  # bytes of a file that is empty if it holds blanks alone
FEW = 12  # folders of which each has a pattern, at most
LISTED = 200  # files that are listed one by one, at most
SUFFIX = re.compile(r"(?:\.[A-Za-z_-]+)*\.[^.]*$")
"""What a file's kind is known by: `.eval_results.json` of `_0.2.eval_results.json`."""


def inventory(folder: Path, within: str) -> dict[str, list[str]]:
    """Why files of a folder can be no logs → these files; "": those that may be some.

    Args:
        folder: where it lies; a file stands for itself.
        within: what it is called in the project (empty: the project itself).
    """
    listed: dict[str, list[str]] = defaultdict(list)
    alone = [(within, str(folder))]
    for path, place in alone if folder.is_file() else _walk(folder, within, frozenset()):
        end, size = ending(path), os.stat(place).st_size
        reason = next((why for ends, why in CLOSED.items() if end in ends), "")
        start = b"x"
        if size < BLANK and os.access(place, os.R_OK):
            with open(place, "rb") as file:
                start = file.read(BLANK)
        if start.startswith(POINTER):
            reason = LFS
        elif not reason and end not in LIKELY and end not in TEXTS:
            reason = OTHER
        elif not reason and not start.strip():
            reason = EMPTY
        listed[reason].append(path)
    return listed


def _walk(folder: str | Path, within: str, above: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Path in the project and place of each file; a loop of links has an end."""
    real = os.path.realpath(folder)
    with os.scandir(folder) as listed:
        entries = sorted(listed, key=lambda entry: entry.name) if real not in above else []
    for entry in entries:
        name = entry.name
        if name.startswith(".") or name in SKIPPED or not name.isprintable():
            continue
        path = f"{within}/{name}" if within else name
        if entry.is_file():
            yield path, entry.path
        elif entry.is_dir() and (within or name not in OWN):
            yield from _walk(entry.path, path, above | {real})


def ending(path: str) -> str:
    """How a file's name ends, without what packs it: `.jsonl` of `a.jsonl.gz`."""
    return os.path.splitext(detection.plain(path))[1].lower()


def mixed(paths: Iterable[str]) -> list[str]:
    """Paths in an order without a pattern, the first of each folder and ending before the second.

    Sorted names have one (a seed, a temperature), and each n-th of them may be all of one kind.
    """
    counts: Counter[tuple[str, str]] = Counter()
    ranks = []
    for path in sorted(paths, key=lambda path: zlib.crc32(path.encode())):
        kind = path.rpartition("/")[0], ending(path)
        ranks.append((counts[kind], path))
        counts[kind] += 1
    return [path for _, path in sorted(ranks, key=lambda rank: rank[0])]


def kinds(path: str) -> list[tuple[str, ...]]:
    """What files are alike by, the surest first."""
    folder, _, name = path.rpartition("/")
    plain = re.sub(r"\d+", "0", name)
    end = ending(path)
    return [(folder, plain), (re.sub(r"\d+", "0", folder), plain), (folder, "", end), ("", "", end)]


# ---------------------------------------------------------------------------------------- patterns


def patterns(paths: Sequence[str], others: Sequence[str]) -> str | list[str]:
    """The plainest pattern, or patterns, that match all `paths` and none of `others`.

    A single file stands for those that its harness will write beside it.
    """
    if plainest := _pattern(paths, others):
        return plainest
    by_folder: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        by_folder[path.rpartition("/")[0]].append(path)
    each = [_pattern(group, others) for group in by_folder.values()]
    if 1 < len(each) <= FEW and all(each):
        return each
    files = [_escaped(path) for path in paths]
    return files[0] if len(files) == 1 else files if len(files) <= LISTED else _pattern(paths, [])


def _pattern(paths: Sequence[str], others: Sequence[str]) -> str:
    """One pattern of `paths` that matches none of `others`; empty if there is none."""
    folders = sorted({os.path.dirname(path) for path in paths})
    names = [os.path.basename(path) for path in paths]
    base = os.path.commonpath(folders) if all(folders) else ""
    below = (f"{_escaped(base)}/" if base else "") + ("**/" if len(folders) > 1 else "")
    start, end = _common(names), _common([name[::-1] for name in names])[::-1]
    shortest = min(map(len, names))
    match = SUFFIX.search(end)
    suffix = match[0] if match else end
    candidates = [("", suffix)] + [(start, suffix)] * (len(start) + len(suffix) <= shortest)
    globs = [f"{_escaped(first)}*{_escaped(last)}" for first, last in candidates]
    globs = globs if len({*names}) > 1 else [globs[0], _escaped(names[0])]
    for glob in globs:
        parts = f"{below}{glob}".split("/")
        if not any(fits(parts, other.split("/")) for other in others):
            return f"{below}{glob}"
    return ""


def _common(names: Sequence[str]) -> str:
    """What all names begin with."""
    first, last = min(names), max(names)
    same = (n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    return first[: next(same, min(len(first), len(last)))]


def _escaped(text: str) -> str:
    """A text that a pattern takes as it is."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in text)


# ----------------------------------------------------------------------------------- parts of paths

ENDING = re.compile(r"(\.(jsonl|ndjson|json|csv|tsv|parquet|gz|zst))+$")
SIGNS = ("__", " - ", ",", "=", "_")
"""What stands between the parts of a name for certain, the strongest first."""
TOKENS = re.compile(r"(__| - |(?<=\D)\.(?=\D)|[=_\-, ]+)")
"""What may stand there: names of models have such signs too."""
WORD_AND_NUMBER = re.compile(r"([A-Za-z]{1,12})(\d[\d.]*[A-Za-z]?)")
NUMBER, SIZE = re.compile(r"\d+(\.\d+)?"), re.compile(r"[\d.]+[bB]")
AGAIN = re.compile(r"(.+)_(\d)")
"""A name with a number behind it that another file has without: a repetition of that."""
UNNAMED = "part"  # what a part is called that nothing names


def parts(paths: Sequence[str]) -> tuple[dict[str, list[str]], str]:
    """Name → its value in each path, and the pattern that gives them, checked on all paths.

    Nothing where there is one path, or where no one pattern takes all apart.
    """
    if len(paths) < 2:
        return {}, ""
    levels = [path.split("/") for path in paths]
    stems = [ENDING.sub("", level[-1]) for level in levels]
    endings = sorted({level[-1][len(stem) :] for level, stem in zip(levels, stems, strict=True)})
    values_of: dict[str, list[str]] = {}
    pattern = "(?:^|/)"
    if len({len(level) for level in levels}) == 1:
        folders = zip(*(level[:-1] for level in levels), strict=True)
        pattern = "^" + "".join(_groups(_cut([*names]), values_of) + "/" for names in folders)
    matches = [AGAIN.fullmatch(stem) for stem in stems]
    again = [match[2] if match and match[1] in stems else "" for match in matches]
    if any(again):
        stems = [s.removesuffix(f"_{n}") if n else s for s, n in zip(stems, again, strict=True)]
    pattern += _groups(_cut(stems), values_of)
    if any(again):
        values_of["repeat"] = again
        pattern += "(?:_(?P<repeat>[0-9]))?"
    pattern += f"(?:{'|'.join(map(re.escape, endings))})$"
    texts = [re.search(pattern, path) for path in paths]
    for name, values in values_of.items():
        if [(match[name] or "") if match else None for match in texts] != values:
            return {}, ""
    return values_of, pattern


def _cut(names: list[str], signs: Sequence[str] = SIGNS) -> list[list[str]]:
    """Pieces of names, cut at the strongest sign that all have equally often."""
    if len({*names}) == 1:
        return [names]
    for number, sign in enumerate(signs):
        if sign in names[0] and len({name.count(sign) for name in names}) == 1:
            pieces: list[list[str]] = []
            for column in zip(*(name.split(sign) for name in names), strict=True):
                pieces += [[sign] * len(names)] if pieces else []
                pieces += _cut([*column], signs[number + 1 :])
            return pieces
    return _numbered(names) or _peeled(names)


def _numbered(names: list[str]) -> list[list[str]]:
    """A word that is alike in all names, and the number behind it; nothing if they are not such."""
    matches = [WORD_AND_NUMBER.fullmatch(name) for name in names]
    words = [match[1] for match in matches if match]
    if len(words) < len(names) or len({*words}) > 1:
        return []
    return [words, [name[len(words[0]) :] for name in names]]


def _is_number(values: list[str]) -> bool:
    return all(re.fullmatch(r"[\d.]+[kKmM]?", value) for value in values)


def _peeled(names: list[str]) -> list[list[str]]:
    """What is alike or crossed at the right of names of any length, and the rest before it."""
    cut = [TOKENS.split(name) for name in names]
    right: list[list[list[str]]] = []
    while min(map(len, cut)) > 2:
        last, signs = [tokens[-1] for tokens in cut], [tokens[-2] for tokens in cut]
        before = ["".join(tokens[:-2]) for tokens in cut]
        pairs = {*zip(before, last, strict=True)}
        crossed = len(pairs) == len({*before}) * len({*last}) and len({*before}) > 1
        crossed = crossed and not any(map(SIZE.fullmatch, last))
        after_word = _is_number(last) and len({tokens[-3] for tokens in cut}) == 1
        if len({*signs}) > 1 or not (crossed or _numbered(last) or after_word):
            break
        right.insert(0, [signs, *(_numbered(last) or [last])])
        cut = [tokens[:-2] for tokens in cut]
    rest = ["".join(tokens) for tokens in cut]
    while right and len({*right[0][-1]}) == 1:
        number = right[1][1] if right[1:] else []
        if number and len({*number}) > 1 and _is_number(number):
            break  # it is the word that names the number
        # What is alike at the end of the rest belongs to it.
        rest = ["".join(tokens) for tokens in zip(rest, *right.pop(0), strict=True)]
    return [rest, *(piece for group in right for piece in group)]


def _groups(pieces: list[list[str]], values_of: dict[str, list[str]]) -> str:
    """Pieces as a regular expression; adds the values of those that differ to `values_of`."""
    pattern = alike = ""
    for number, values in enumerate(pieces):
        if len({*values}) == 1:
            pattern += re.escape(values[0])
            alike += values[0]
            continue
        match = re.search(r"([A-Za-z]+)[^A-Za-z\d]*$", alike)  # the word before it
        word = match[1].lower() if match else ""
        base = word if word and (alike.endswith("=") or _is_number(values)) else UNNAMED
        count = sum(re.fullmatch(rf"{base}(_\d+)?", name) is not None for name in values_of)
        name = f"{base}_{count + 1}" if count or base == UNNAMED else base
        values_of[name], alike = values, ""
        rest = r"[^/]+?" if number < len(pieces) - 1 else r"[^/]+"
        rest = rest if any(re.search("[_-]", value) for value in values) else "[^/_-]+"
        numbers = all(NUMBER.fullmatch(value) for value in values)
        pattern += f"(?P<{name}>{'[0-9]+(?:[.][0-9]+)?' if numbers else rest})"
    return pattern
