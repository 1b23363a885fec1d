"""Ways to damage a built project, each at a random place and with the old times restored."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from pathlib import Path

Damage = Callable[[bytes, random.Random], bytes]


def flip(data: bytes, chance: random.Random) -> bytes:
    """One bit of one byte."""
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << chance.randrange(8))]) + data[place + 1 :]


def truncate(data: bytes, chance: random.Random) -> bytes:
    """The end is missing."""
    return data[: chance.randrange(len(data))]


def duplicate(data: bytes, chance: random.Random) -> bytes:
    """A line is there twice."""
    lines = data.splitlines(keepends=True)
    place = chance.randrange(len(lines))
    return b"".join([*lines[: place + 1], *lines[place:]])


def change(data: bytes, chance: random.Random) -> bytes:
    """A score or another number is another, as long as before if it has one digit."""
    found = list(re.finditer(rb'(?<="score": )(?:true|false)|(?<=[:,>\s])\d(?=[,<\s}.])', data))
    if not found:
        return flip(data, chance)
    one = chance.choice(found)
    new = {b"true": b"false", b"false": b"true "}.get(one[0]) or b"%d" % ((int(one[0]) + 1) % 10)
    return data[: one.start()] + new + data[one.end() :]


DAMAGES: dict[str, Damage] = {
    "flip a bit": flip,
    "truncate": truncate,
    "repeat a line": duplicate,
    "change a number": change,
}


def kinds(root: Path) -> dict[str, list[Path]]:
    """Kind of file → those of the project."""
    results = root / "results"
    patterns = {
        "log": (root / "data", "tiny-kv/logs/sweep/*/files/*.jsonl"),
        "log (progress)": (root / "data", "tiny-kv/logs/progress/*.jsonl"),
        "log (tests)": (root / "data", "runs/*.jsonl"),
        "printed digits": (root / "data", "published/*.csv"),
        "log (packed)": (root / "data", "published/logs/*.gz"),
        "samples table": (results, "tables/*/[0-9][0-9][0-9][0-9].parquet"),
        "partial counts": (results, "counts/*/*.parquet"),
        "rejected table": (results, "tables/*/*.rejected.parquet"),
        "manifest of logs": (results, "tables/*/*.logs.csv"),
        "grid": (results, "grids/*.parquet"),
        "spec": (results, "specs/*.vl.json"),
        "svg": (results, "figures/*.svg"),
        "pdf": (results, "figures/*.pdf"),
        "png": (results, "figures/*.png"),
        "html": (results, "figures/*.html"),
        "csv": (results, "tables/*.csv"),
        "tex": (results, "tables/*.tex"),
        "json": (results, "tables/*.json"),
        "published": (results, "published/*"),
        "printed by the harness": (results, "printed/*"),
        "printed numbers": (root / "data", "metrics.jsonl"),
        "index.html": (results, "index.html"),
        "README.md": (results, "README.md"),
        "vega.js": (results, "vega.js"),
        "ledger": (results, "ledger.json"),
        "piece": (results, ".ledger/*/*.json"),
        "library": (root, "workflow/src/heatproof/kinds/heatmap/aggregate.py"),
        "template": (root, "workflow/src/heatproof/export/templates/*.j2"),
        "script": (root, "workflow/scripts/[!l]*.py"),
    }
    found = {name: sorted(top.glob(pattern)) for name, (top, pattern) in patterns.items()}
    return {name: [p for p in paths if p.stat().st_size] for name, paths in found.items() if paths}


PLACES = ("figures/old.svg", "figures/.hidden.svg", ".hidden/a", "log/old.svg", "tables/x/y.csv",
          "published/x/extra.jsonl", "grids/old/")  # fmt: skip
"""Where a stray may lie below the results."""
INSTEAD = ("a folder", "a named pipe", "a link")
"""What may lie in the place of a result."""


@contextmanager
def strayed(root: Path, name: str) -> Iterator[str]:
    """A file, or by a slash a folder, that no job makes; its path. Gone afterwards."""
    path, made = root / "results" / name, []
    for folder in (*reversed(path.parents), *([path] if name.endswith("/") else [])):
        if not folder.exists():
            folder.mkdir()
            made.append(folder)
    try:
        if not name.endswith("/"):
            path.write_text("x")
        yield f"results/{name}"
    finally:
        if not name.endswith("/"):
            path.unlink()
        for folder in reversed(made):
            folder.rmdir()


@contextmanager
def replaced(root: Path, path: Path, instead: str) -> Iterator[None]:
    """Something else in the place of a file; afterwards as before."""
    kept = root / ".snakemake" / "kept"
    os.rename(path, kept)
    try:
        if instead == "a folder":
            path.mkdir()
        elif instead == "a named pipe":
            os.mkfifo(path)
        else:
            path.symlink_to("/dev/null")
        yield
    finally:
        path.rmdir() if instead == "a folder" else path.unlink()
        os.rename(kept, path)


@contextmanager
def damaged(paths: list[Path], new: list[bytes]) -> Iterator[None]:
    """Files with other bytes, but the times they had; afterwards as before."""
    before = [(path.read_bytes(), path.stat()) for path in paths]
    try:
        for path, data, (_, stat) in zip(paths, new, before, strict=True):
            path.write_bytes(data)
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        yield
    finally:
        for path, (data, stat) in zip(paths, before, strict=True):
            path.write_bytes(data)
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def mutations(
    root: Path, number: int, chance: random.Random
) -> Iterator[tuple[str, str, list[Path], list[bytes]]]:
    """Kind of file, kind of damage, files, their new bytes: each kind in its turn."""
    there = kinds(root)
    done = 0
    while done < number:
        for kind, paths in there.items():
            name = chance.choice([*DAMAGES, "swap two files"])
            chosen = chance.sample(paths, 2) if name == "swap two files" and len(paths) > 1 else []
            if not chosen:
                name = name if name in DAMAGES else "flip a bit"
                chosen = [chance.choice(paths)]
            old = [path.read_bytes() for path in chosen]
            new = old[::-1] if len(old) > 1 else [DAMAGES[name](old[0], chance)]
            if new == old:
                continue
            yield kind, name, chosen, new
            done += 1
            if done == number:
                return


def configurations(text: str, chance: random.Random) -> Iterator[str]:
    """config.yaml with one value of one entry changed, without end."""
    while True:
        config = yaml.safe_load(text)
        section = chance.choice(["sources", "figures"])
        name = chance.choice(sorted(config[section]))
        new = {"title": f"Other {chance.random()}", "caption": "Other.", "width": "single"}
        key = chance.choice(sorted(new)) if section == "figures" else "strict"
        config[section][name][key] = new.get(key, True)
        yield yaml.safe_dump(config)
