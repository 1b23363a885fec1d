"""Find the logs of a source and deal them into shards.

In patterns of paths `*` and `?` stay within a folder, `**` stands for any folders. A log is known
by its path from the project folder; one that lies elsewhere, by one that begins with / or ../.
"""

from __future__ import annotations

import os
import re
import zlib
from collections import Counter
from fnmatch import fnmatchcase, translate
from itertools import takewhile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from blake3 import blake3

from heatproof.util.errors import Error, Mistake, likeliest, why_unread
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from heatproof.config.entries import Source


PER_SHARD, BYTES = 1000, 200_000_000
"""Logs and bytes that a job reads, in a second or two: little to redo when one changes."""
DOZEN = 12  # shards for the number of logs: Snakemake's own time grows with jobs times logs
GRADED = 100  # logs of a shard whose answers `math` grades, which takes long


def find(source: Source, root: Path, later: Collection[str] = ()) -> list[str]:
    """Paths of the source's logs, sorted; relative to the project folder `root`, if they lie in it.

    `later`: paths in `logs` that need not be there yet.

    Raises Error: a pattern matches no file or one that cannot be read.
    """
    logs: set[str] = set()
    for number, given_pattern in enumerate(source_patterns(source)):
        pattern = os.path.normpath(given_pattern) if given_pattern else ""
        place = f"sources.{source.name}.logs"
        place += f"[{number}]" if isinstance(source.logs, list) else ""
        inner = os.path.relpath(pattern, root.resolve()) if os.path.isabs(pattern) else ""
        if inner and ".." not in inner.split("/"):
            message = f"{pattern!r} is a path inside the project: write {inner}"
            raise Error(Mistake(place, message))
        if given_pattern in later:
            logs.add(pattern)
            continue
        try:
            files = list(matching_files(pattern, str(root)))
        except OSError as error:
            message = f"{os.path.relpath(error.filename, root)}: {why_unread(error)}"
            raise Error(Mistake(place, message)) from error
        if not files:
            habits = (words for habit, words in HABITS.items() if re.match(habit, given_pattern))
            words = next(habits, "")
            message = f"no file matches {pattern!r}; {_nearest_folder(pattern, root)}"
            message = f"{given_pattern!r} {words}" if words else message
            raise Error(Mistake(place, message))
        logs.update(files)
    for path in logs:
        try:
            path.encode()
        except UnicodeEncodeError as error:  # no table, page or message could hold it
            printable = os.fsencode(path).decode(errors="backslashreplace")
            message = f"the name of {printable} is not UTF-8; rename it"
            raise Error(Mistake(f"sources.{source.name}.logs", message)) from error
    left_aside = {path for path in logs if source.leaves_out(path) or source.joins(path)}
    return sorted(logs - left_aside) or sorted(logs)


def source_patterns(source: Source) -> list[str]:
    """The patterns of a source's logs."""
    return [source.logs] if isinstance(source.logs, str) else source.logs


def in_full(logs: object) -> list[str]:
    """The patterns without a wildcard, each once."""
    paths = logs if isinstance(logs, list) else [logs]
    return sorted({path for path in paths if isinstance(path, str) and not WILD.search(path)})


def matches(source: Source, path: str) -> bool:
    """Whether one of the source's patterns names a path."""
    names = path.split("/")
    return any(
        fits(os.path.normpath(pattern).split("/"), names) for pattern in source_patterns(source)
    )


def shard_names(source: Source, count: int, size: int = 0) -> list[str]:
    """Names of the source's shards: one for about `PER_SHARD` logs, or for `BYTES` of them."""
    by_count = count_shards(count, graded=getattr(source, "grade", None) == "math")
    enough = max(by_count, min(count, size // BYTES))
    if any(column.quantiles for column in source.derived.values()):
        enough = 1  # their ends follow from all logs
    return [f"{number:04d}" for number in range(source.shards or enough)]


def count_shards(count: int, *, graded: bool) -> int:
    """Shards for so many logs; `graded`: their answers are graded here, which takes long."""
    if graded:
        return max(1, -(-count // GRADED))
    return max(1, min(DOZEN, -(-count // PER_SHARD)))


def deal(paths: Iterable[str], names: Sequence[str]) -> dict[str, list[str]]:
    """Shard name → its logs. The shard of a log depends on its path alone.

    One shard more splits just one of the others in two (linear hashing, Litwin 1980).
    """
    dealt: dict[str, list[str]] = {name: [] for name in names}
    power = 1 << (len(names).bit_length() - 1)
    split = len(names) - power
    for path in paths:
        code = zlib.crc32(path.encode())
        number = code % power
        dealt[names[code % (2 * power) if number < split else number]].append(path)
    return dealt


def manifest_digest(digests: Mapping[str, str]) -> str:
    """One digest for many: BLAKE3 of the sorted lines `digest  path`."""
    lines = "".join(f"{digests[path]}  {path}\n" for path in sorted(digests))
    return blake3(lines.encode()).hexdigest()


WILD = re.compile(r"[*?[]")
ENDING = re.compile(r"\.\w+\*?$")  # ends a pattern that means files of a kind


def matching_files(pattern: str, root: str) -> Iterator[str]:
    """Files that match a pattern, as paths seen from `root`; some may come twice.

    Raises OSError: a folder on the way may not be listed, or a link leads nowhere.
    """
    folder = literal_folders(pattern)
    yield from _matching_files(root, folder, pattern.removeprefix(folder).split("/"), frozenset())


def _matching_files(
    root: str, folder: str, patterns: list[str], parents: frozenset[str]
) -> Iterator[str]:
    """Files below `folder` that match the pieces of a pattern; no link back to `parents`."""
    anywhere = patterns[0] == "**"
    if anywhere:
        yield from _matching_files(root, folder, patterns[1:] or ["*"], parents)
    real = os.path.realpath(os.path.join(root, folder))
    if real in parents:
        return
    try:
        with os.scandir(os.path.join(root, folder)) as listing:
            entries = list(listing)
    except (FileNotFoundError, NotADirectoryError):
        return
    hidden = "" if patterns[0].startswith(".") else "(?![.])"
    fitting = re.compile(hidden + translate("*" if anywhere else patterns[0]))
    rest = patterns if anywhere else patterns[1:]
    for entry in entries:
        path = f"{folder}{entry.name}"
        if not fitting.match(entry.name):
            continue
        if rest and entry.is_dir():
            yield from _matching_files(root, f"{path}/", rest, parents | {real})
        elif not rest and entry.is_file():
            yield path
        else:
            _require_folder(entry, "" if rest else patterns[0])


def _require_folder(entry: os.DirEntry[str], pattern: str) -> None:
    """Raise OSError for a link that leads nowhere, and for what matches `pattern` and is no file.

    A folder may match a part without an ending.
    """
    if entry.is_symlink() and not os.path.exists(entry.path):
        raise OSError(0, f"it is a broken link to {os.readlink(entry.path)}", entry.path)
    if pattern and not entry.is_dir():
        raise OSError(0, "it is not a regular file, so it cannot be read again", entry.path)
    if ENDING.search(pattern):
        raise OSError(0, "it is a folder; name the files in it", entry.path)


def fits(patterns: list[str], names: list[str]) -> bool:
    """Whether the parts of a pattern match the parts of a path; `**` stands for any folders."""
    if not patterns:
        return not names
    if patterns[0] == "**":
        return any(fits(patterns[1:], names[start:]) for start in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], patterns[0]) and fits(patterns[1:], names[1:])


def literal_folders(pattern: str) -> str:
    """The folders that a pattern names in full, with a slash behind each."""
    folders = pattern.split("/")[:-1]
    return "".join(
        f"{name}/" for name in takewhile(lambda folder: not WILD.search(folder), folders)
    )


HABITS = {
    r"[A-Za-z][A-Za-z0-9+.-]+://": "is an address; logs are local files: download them",
    r"[A-Za-z]:[\\/]": "is a Windows path; write it as it is called here",
    r"~|\$\w|\$?\{[A-Za-z_]\w*\}": "is not expanded here: write the folder itself",
    r".*\\": "matches no file; separate folders with /",
    r".*\{.*,.*\}": "matches no file; braces do not expand: write several patterns as a list",
}
"""Patterns of shells, templates and other systems → what to do instead."""


def _nearest_folder(pattern: str, root: Path) -> str:
    """What the deepest existing folder of a pattern holds."""
    folder = root / "/" if pattern.startswith("/") else root
    for name in pattern.split("/")[:-1]:
        if not (folder / name).is_dir():
            break
        folder /= name
    entries = sorted(entry.name for entry in folder.iterdir())[:8]
    place = folder.relative_to(root) if folder.is_relative_to(root) else folder
    inside_words = ", ".join(entries) or "nothing"
    return f"{os.path.join(place, '')} holds {inside_words}{_likeliest(pattern, root)}"


def _likeliest(pattern: str, root: Path) -> str:
    """A pattern like one that matches nothing, and how many files it matches; or nothing."""
    if pattern.strip("/") and (root / pattern).is_dir():
        is_flat = any(matching_files(f"{pattern}/*", str(root)))
        pattern = f"{pattern}/*" if is_flat else f"{pattern}/**/*"
    *folders, last = pattern.split("/")
    steps: list[str] = []
    for step in folders:
        here = root.joinpath(*steps)
        subfolders = (
            [entry.name for entry in here.iterdir() if entry.is_dir()] if here.is_dir() else []
        )
        name = (
            step if step in subfolders or WILD.search(step) else likeliest(step, sorted(subfolders))
        )
        if not name:
            return ""
        steps.append(name)
    if not folders:  # beside the config lies too much else
        return ""
    files = list(matching_files("/".join(steps + ["*"]), str(root)))
    endings = Counter("".join(PurePosixPath(name).suffixes[-1:]) for name in files)
    endings_there = [f"*{ending}" for ending, _ in endings.most_common(1) if ending]
    for name in (*endings_there, last) if last == "*" else (last, *endings_there):
        similar = "/".join(steps + [name])
        if count := len(list(matching_files(similar, str(root)))):
            return f" (did you mean {similar!r}, which has {numbered(count, 'file')}?)"
    return ""
