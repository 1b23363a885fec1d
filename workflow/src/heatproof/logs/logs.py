"""Find the logs of a source, know them by content, and deal them into shards.

In patterns of paths `*` and `?` stay within a folder, `**` stands for any folders.
"""

from __future__ import annotations

import os
import re
import stat
import zlib
from collections import Counter
from fnmatch import fnmatchcase, translate
from itertools import takewhile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from blake3 import blake3

from heatproof.util.errors import Error, likeliest, unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from heatproof.config.entries import Source


PER_SHARD, BYTES = 1000, 200_000_000
"""Logs and bytes that a job reads, about: a second or two, little to redo when one changes."""
GRADED = 100
"""Logs in a shard whose answers a library grades: that takes long, and other cores can help."""


def find(
    source: Source, root: Path, later: Collection[str] = (), links: set[str] | None = None
) -> list[str]:
    """Paths of the source's logs relative to the project folder `root`, sorted.

    `later`: paths that `logs` names in full and that need not be there yet. `links`: takes the
    paths of all links on the way to the logs.

    Raises:
        Error: a pattern matches no file or one that is not to be had, or reaches outside the
            project.
    """
    given = [source.logs] if isinstance(source.logs, str) else source.logs
    found: set[str] = set()
    for number, pattern in enumerate(given):
        place = f"config.yaml: sources.{source.name}.logs"
        place += f"[{number}]" if isinstance(source.logs, list) else ""
        inside = os.path.relpath(pattern, root.resolve()) if os.path.isabs(pattern) else ""
        if inside and ".." not in inside.split("/"):
            raise Error(f"{place}: {pattern!r} hangs on where the project lies: write {inside}")
        if os.path.isabs(pattern) or ".." in pattern.split("/"):
            raise Error(f"{place}: {pattern!r} leaves the project folder; {_rooted(pattern)}")
        if pattern in later:
            found.add(pattern)
            continue
        try:
            files = list(matching_files(pattern, str(root), links))
        except OSError as error:
            raise unreadable(f"{place}: {os.path.relpath(error.filename, root)}", error) from error
        if not files:
            said = unlike(pattern, root) or f"no file matches {pattern!r}; {nearest(pattern, root)}"
            raise Error(f"{place}: {said}")
        found.update(files)
    _require_utf8(found, f"config.yaml: sources.{source.name}.logs")
    return sorted(path for path in found if not source.leaves_out(path)) or sorted(found)


def _require_utf8(paths: Iterable[str], place: str) -> None:
    """Raise Error if a path could not be written down in a table, a page or a message."""
    for path in paths:
        try:
            path.encode()
        except UnicodeEncodeError as error:
            shown = os.fsencode(path).decode(errors="backslashreplace")
            raise Error(f"{place}: the name of {shown} is not UTF-8; rename it") from error


def in_full(given: object) -> list[str]:
    """The paths among the patterns of `logs`, each once: what has no wildcard."""
    paths = given if isinstance(given, list) else [given]
    return sorted({path for path in paths if isinstance(path, str) and not WILD.search(path)})


def matches(source: Source, path: str) -> bool:
    """Whether one of the source's patterns names a path."""
    given = [source.logs] if isinstance(source.logs, str) else source.logs
    names = path.split("/")
    return any(fits(pattern.split("/"), names) for pattern in given)


def with_sidecars(source: Source, paths: Iterable[str], root: Path) -> list[str]:
    """Logs and what they are read together with: all whose content a shard's digest covers."""
    found = set(paths)
    for path in list(found):
        found.update(source.sidecars(path, root))
    return sorted(found)


def shards(source: Source, count: int, size: int = 0) -> list[str]:
    """Names of the source's shards, one for about each `PER_SHARD` logs or `BYTES` of all."""
    several = GRADED if source.libraries() else PER_SHARD
    wanted = max(1, -(-count // several), min(count, size // BYTES))
    return [f"{number:04d}" for number in range(source.shards or wanted)]


def deal(paths: Iterable[str], names: Sequence[str]) -> dict[str, list[str]]:
    """Shard name → its logs. A log's shard hangs on its path alone: others never move it.

    One shard more splits just one of the others in two (linear hashing, Litwin 1980): from one
    power of two to the next the shards are split in their order, each by one more bit of the hash.
    """
    dealt: dict[str, list[str]] = {name: [] for name in names}
    whole = 1 << (len(names).bit_length() - 1)
    split = len(names) - whole
    for path in paths:
        code = zlib.crc32(path.encode())
        number = code % whole
        dealt[names[code % (2 * whole) if number < split else number]].append(path)
    return dealt


def manifest(digests: Mapping[str, str]) -> str:
    """One digest for many: BLAKE3 of the sorted lines `digest  path`."""
    lines = "".join(f"{digests[path]}  {path}\n" for path in sorted(digests))
    return blake3(lines.encode()).hexdigest()


BACKSLASH = "\\"
WILD = re.compile(r"[*?[]")
ENDING = re.compile(r"\.\w+\*?$")
"""Ends a pattern that means files of a kind."""


def matching_files(pattern: str, root: str, links: set[str] | None = None) -> Iterator[str]:
    """Files below `root` that a pattern names, as paths below it; some may come twice.

    `links`: takes the links that were followed, as such paths.

    Raises:
        OSError: a folder on the way may not be listed, or a link leads nowhere.
    """
    yield from _walk(root, "", pattern.split("/"), frozenset(), set() if links is None else links)


def _walk(
    root: str, folder: str, parts: list[str], above: frozenset[str], links: set[str]
) -> Iterator[str]:
    """Files below `folder` that match the parts of a pattern, as paths below `root`.

    Links are followed, but not into a folder that the path has come through: a loop has no end.
    """
    here = os.path.join(root, folder)
    if parts[0] == "**":
        yield from _walk(root, folder, parts[1:] or ["*"], above, links)
    real = os.path.realpath(here)
    if real in above:
        return
    try:
        with os.scandir(here) as listed:
            entries = list(listed)
    except (FileNotFoundError, NotADirectoryError):
        return
    matches = _matcher(parts[0])
    for entry in entries:
        path = os.path.join(folder, entry.name)
        below = _within(root, path, entry, parts, matches, above | {real}, links)
        yield from _noting(below, path, links) if entry.is_symlink() else below


def _noting(files: Iterator[str], link: str, links: set[str]) -> Iterator[str]:
    """The files that lie behind a link; where there are any, it is noted."""
    for path in files:
        links.add(link)
        yield path


def _within(
    root: str,
    path: str,
    entry: os.DirEntry[str],
    parts: list[str],
    matches: Callable[[str], object],
    above: frozenset[str],
    links: set[str],
) -> Iterator[str]:
    """The entry of a folder, at `path`, if it is a file that matches; or such files below it."""
    if parts[0] == "**":
        if not entry.name.startswith(".") and _is(entry, entry.is_dir):
            yield from _walk(root, path, parts, above, links)
    elif not matches(entry.name):
        return
    elif len(parts) > 1:
        if _is(entry, entry.is_dir):
            yield from _walk(root, path, parts[1:], above, links)
    elif _is(entry, entry.is_file):
        yield path
    else:
        _require_folder(entry, parts[0])


def _require_folder(entry: os.DirEntry[str], part: str) -> None:
    """Raise OSError for what matches a pattern and is no file.

    Folders may well match one that has no ending, or any.
    """
    mode = os.stat(entry.path).st_mode
    if stat.S_ISDIR(mode):
        if ENDING.search(part):
            raise OSError(0, "it is a folder; name the files in it", entry.path)
        return
    kinds = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket"}
    kind = kinds.get(stat.S_IFMT(mode), "a device")
    raise OSError(0, f"it is {kind}, which has no content to come back to", entry.path)


def _matcher(part: str) -> Callable[[str], object]:
    """What tells whether a name matches a part of a pattern; a hidden one only by a dot."""
    return re.compile(("" if part.startswith(".") else "(?![.])") + translate(part)).match


def _is(entry: os.DirEntry[str], kind: Callable[[], bool]) -> bool:
    """Whether an entry is of a kind; raises where a link leads nowhere, and might be of any."""
    if kind():
        return True
    if entry.is_symlink() and not os.path.exists(entry.path):
        said = f"it is a link that leads nowhere, to {os.readlink(entry.path)}"
        raise OSError(0, said, entry.path)
    return False


def fits(parts: list[str], names: list[str]) -> bool:
    """Whether the parts of a pattern match the parts of a path; `**` stands for any folders."""
    if not parts:
        return not names
    if parts[0] == "**":
        return any(fits(parts[1:], names[start:]) for start in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], parts[0]) and fits(parts[1:], names[1:])


WINDOWS = re.compile(r"[A-Za-z]:[\\/]")
HOME = re.compile(r"~[^/]*|\$\w+|\$?\{[A-Za-z_]\w*\}")
"""Begins a path as shells and templates have it."""
BRACES = re.compile(r"\{([^{},]*(?:,[^{},]*)+)\}")
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def unlike(pattern: str, root: Path) -> str:
    """How a pattern without a file was meant: as of a shell, of Windows; empty if as ours."""
    if ADDRESS.match(pattern):
        return f"{pattern!r} is an address; logs are files: fetch them, and name their folder here"
    if WINDOWS.match(pattern):
        return f"{pattern!r} leaves the project folder; {_rooted(pattern.replace(BACKSLASH, '/'))}"
    if match := HOME.match(pattern):
        filled = os.path.expanduser(os.path.expandvars(pattern))
        known = filled if os.path.isabs(filled) else f"FOLDER{pattern[match.end() :]}"
        return f"{match[0]!r} is not filled in here; {_rooted(known)}"
    if match := BRACES.search(pattern):
        start, end = pattern[: match.start()], pattern[match.end() :]
        each = ", ".join(f"{start}{word.strip()}{end}" for word in match[1].split(","))
        return f"{pattern!r}: braces stand for themselves here; write logs: [{each}]"
    return _parted(pattern, root)


def _parted(pattern: str, root: Path) -> str:
    """Of several patterns in one text, or folders parted by backslashes, where this finds files."""
    slashes = pattern.replace(BACKSLASH, "/")
    if slashes != pattern and any(matching_files(slashes, str(root))):
        return f"{pattern!r}: folders are parted by /: write {slashes}"
    parts = re.split(r",\s*|\s+", pattern)
    if len(parts) > 1 and any(any(matching_files(one, str(root))) for one in parts):
        return f"{pattern!r} is one pattern; several are a list: write [{', '.join(parts)}]"
    return ""


def _rooted(pattern: str) -> str:
    """How to name a folder that lies elsewhere."""
    folder = literal(pattern)
    below = pattern.removeprefix(folder)
    return (
        "give the folder a name in it, by a section of config.yaml: "
        f"roots: {{logs: {folder.rstrip('/') or '/'}}}, and logs: logs/{below}"
    )


def literal(pattern: str) -> str:
    """The folders that a pattern names in full, with a slash behind each."""
    folders = pattern.split("/")[:-1]
    return "".join(f"{name}/" for name in takewhile(lambda part: not WILD.search(part), folders))


def nearest(pattern: str, root: Path) -> str:
    """What lies in the deepest existing folder on the way of a pattern that matches nothing."""
    folder = root
    for part in pattern.split("/")[:-1]:
        if not (folder / part).is_dir():
            break
        folder /= part
    inside = sorted(entry.name for entry in folder.iterdir())[:8]
    said = f"{folder.relative_to(root)}/ holds {', '.join(inside) or 'nothing'}"
    return said + _meant(pattern, root)


def _meant(pattern: str, root: Path) -> str:
    """A pattern much like one that matches nothing, and how many files it has; or nothing."""
    if pattern.strip("/") and (root / pattern).is_dir():
        pattern = f"{pattern.strip('/')}/*"
    *folders, last = (part for part in pattern.split("/") if part not in ("", "."))
    here, parts = root, []
    for part in folders:
        if WILD.search(part):
            parts.append(part)
            continue
        below = sorted(one.name for one in here.iterdir() if one.is_dir()) if here.is_dir() else []
        found = part if part in below else likeliest(part, below)
        if not found:
            return ""
        parts.append(found)
        here /= found
    if not folders:  # beside the config lies too much else
        return ""
    files = [*matching_files("/".join([*parts, "*"]), str(root))]
    endings = Counter("".join(PurePosixPath(name).suffixes[-1:]) for name in files)
    other = [f"*{ending}" for ending, _ in endings.most_common(1) if ending]
    for name in (*other, last) if last == "*" else (last, *other):
        tried = "/".join([*parts, name])
        if count := len([*matching_files(tried, str(root))]):
            return f" (did you mean {tried!r}, which has {count:,} file{'s' * (count > 1)}?)"
    return ""
