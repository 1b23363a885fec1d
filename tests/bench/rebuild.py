"""Build the project in many surroundings: is every artefact the same, byte for byte?

    python tests/bench/rebuild.py

Twice from clean; on one core and on two; in another folder, with another home, locale, time zone
and hash seed; from a git clone; from an unpacked archive. `--only NAME` runs some of them.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
Place = Callable[[Path], None]


def clone(folder: Path) -> None:
    """A git clone of what is committed."""
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", PROJECT, folder], check=True)


def unpacked(folder: Path) -> None:
    """The archive of what is committed, unpacked: no git there, and other times."""
    folder.mkdir()
    archive = subprocess.run(
        ["git", "-C", PROJECT, "archive", "HEAD"], check=True, capture_output=True
    )
    subprocess.run(["tar", "-xmf", "-", "-C", folder], input=archive.stdout, check=True)


STRANGE = {"LC_ALL": "C", "LANG": "C", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "7",
           "POLARS_MAX_THREADS": "1"}  # fmt: skip
WAYS: dict[str, tuple[Place, list[str], dict[str, str]]] = {
    "clone, 2 cores": (clone, [], {}),
    "clone, once more": (clone, [], {}),
    "clone, 1 core": (clone, ["--cores", "1"], {}),
    "archive, 2 cores": (unpacked, [], {}),
    "archive, strange surroundings": (unpacked, [], STRANGE),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=list(WAYS))
    given = parser.parse_args()
    first: dict[str, str] = {}
    different = 0
    for name in given.only:
        place, options, surroundings = WAYS[name]
        with tempfile.TemporaryDirectory(prefix="another place ") as folder:
            home = Path(folder) / "home"
            home.mkdir()
            root = Path(folder) / f"project of {name.split(',')[0]}"
            place(root)
            subprocess.run(
                [sys.executable, "-m", "snakemake", "--quiet", "all", *options],
                cwd=root, env={**os.environ, "HOME": str(home), **surroundings}, check=True,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            found = digests(root / "results")
        first = first or found
        wrong = sorted(p for p in first.keys() | found.keys() if first.get(p) != found.get(p))
        different += len(wrong)
        print(f"{name:32} {len(found)} artefacts, {len(wrong)} different {wrong[:5]}", flush=True)
    sys.exit(bool(different))


def digests(results: Path) -> dict[str, str]:
    """Path → SHA-256 of every artefact; hidden files are none."""
    return {
        path.relative_to(results).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(results.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


if __name__ == "__main__":
    main()
