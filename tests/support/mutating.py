"""Damage to the files of a project, one file after the other, undone afterwards."""

import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path


def flip(data: bytes, chance: random.Random) -> bytes:
    """One bit of one byte."""
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << chance.randrange(8))]) + data[place + 1 :]


DAMAGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "flip a bit": flip,
    "truncate": lambda data, chance: data[: chance.randrange(len(data))],
}
FILES = {
    "log": "data/runs/*.jsonl",
    "log (packed)": "data/runs/*.gz",
    "samples table": "results/tables/*/[0-9][0-9][0-9][0-9].parquet",
    "partial counts": "results/counts/*/*.parquet",
    "rejected table": "results/tables/*/*.rejected.parquet",
    "manifest of logs": "results/tables/*/*.logs.csv",
    "grid": "results/grids/*.parquet",
    "spec": "results/specs/*.vl.json",
    **{end: f"results/figures/*.{end}" for end in ("svg", "pdf", "png", "html")},
    **{end: f"results/tables/*.{end}" for end in ("csv", "tex", "json")},
    "printed by the harness": "results/printed/*",
    "printed numbers": "data/metrics.jsonl",
    "page": "results/index.html",
    "ledger": "results/ledger.json",
    "piece": "results/.ledger/*/*.json",
    "library": "workflow/src/heatproof/kinds/heatmap/aggregate.py",
    "template": "workflow/src/heatproof/export/templates/*.j2",
    "script": "workflow/scripts/[!l]*.py",
}
"""Kind of file → pattern of those of a project."""
INSTEAD = ("a folder", "a named pipe", "a link")
"""What may lie in the place of a result."""


def kinds(root: Path) -> dict[str, list[Path]]:
    """Kind of file → those of the project that are not empty."""
    files = {name: sorted(root.glob(pattern)) for name, pattern in FILES.items()}
    return {name: [p for p in paths if p.stat().st_size] for name, paths in files.items() if paths}


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

    def write(contents: list[bytes]) -> None:
        for path, data, (_, stat) in zip(paths, contents, before, strict=True):
            path.write_bytes(data)
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    try:
        write(new)
        yield
    finally:
        write([data for data, _ in before])


def mutations(
    root: Path, number: int, chance: random.Random
) -> Iterator[tuple[str, str, list[Path], list[bytes]]]:
    """Kind of file, kind of damage, files, their new bytes: each kind in its turn."""
    for kind, paths in islice(cycle(kinds(root).items()), number):
        name = chance.choice([*DAMAGES, "swap two files"])
        if name == "swap two files" and len(paths) > 1:
            files = chance.sample(paths, 2)
            new = [path.read_bytes() for path in files[::-1]]
        else:
            files = [chance.choice(paths)]
            new = [DAMAGES.get(name, flip)(files[0].read_bytes(), chance)]
        if new != [path.read_bytes() for path in files]:
            yield kind, name, files, new
