#!/usr/bin/env python3
"""Draw the pictures of docs/figures.md: `python docs/draw.py [FIGURE ...]`.

The blocks of that page, one below the other, are a config. It is built in a folder of its own, and
the pictures are copied to docs/figures/ without their provenance records, which hold digests of the
code: so a picture changes only where what it shows does. With `--check` nothing is copied, and
pictures that would change are named.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from PIL import Image

PROJECT = Path(__file__).resolve().parent.parent
PICTURES = PROJECT / "docs/figures"
SCALE = 144
"""Pixels per inch in which pictures are shown: half of what is exported."""


def config() -> Any:
    """The config that the page's blocks make."""
    page = (PROJECT / "docs/figures.md").read_text(encoding="utf-8")
    shared, *figures = re.findall(r"^```yaml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    blocks = "".join(textwrap.indent(block, "  ") for block in figures)
    return yaml.safe_load(f"{shared}figures:\n{blocks}")


def main() -> int:
    """Draw, and copy or compare."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("figures", nargs="*", help="figures to draw; none: all")
    asked.add_argument("--check", action="store_true", help="compare, copy nothing")
    given = asked.parse_args()
    every = config()["figures"]
    wanted = given.figures or list(every)
    if unknown := [name for name in wanted if name not in every]:
        print(f"docs/figures.md has no figure {', '.join(unknown)}; it has {', '.join(every)}")
        return 2
    with TemporaryDirectory() as folder:
        _build(Path(folder), wanted)
        drawn = {name: _picture(Path(folder, f"results/figures/{name}.png")) for name in wanted}
    changed = [name for name in wanted if _differs(PICTURES / f"{name}.png", drawn[name])]
    if not given.check:
        PICTURES.mkdir(exist_ok=True)
        for name in changed:
            (PICTURES / f"{name}.png").write_bytes(drawn[name])
    print(f"{len(wanted)} drawn, {len(changed)} changed{': ' * bool(changed)}{', '.join(changed)}")
    return int(given.check and bool(changed))


def _build(folder: Path, figures: list[str]) -> None:
    """Build the figures in an empty folder, from copies of logs and workflow."""
    for name in ("data", "workflow"):
        shutil.copytree(PROJECT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PROJECT / "Snakefile", folder)
    drawn = config()
    for figure in drawn["figures"].values():
        figure.setdefault("formats", ["png"])
    (folder / "config.yaml").write_text(yaml.safe_dump(drawn, sort_keys=False), encoding="utf-8")
    files = [f"results/figures/{name}.png" for name in figures]
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--cores",
        str(os.cpu_count()),
        "--quiet",
        "rules",
        "host",
    ]
    subprocess.run([*command, "--", *files], cwd=folder, check=True)  # noqa: S603


def _picture(path: Path) -> bytes:
    """The picture in fewer pixels, without what else the file holds."""
    with Image.open(path) as found:
        ppi = found.info["dpi"][0]
        size = tuple(round(side * SCALE / ppi) for side in found.size)
        small = found.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    palette = small.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    made = io.BytesIO()
    palette.save(made, "PNG", optimize=True)
    return made.getvalue()


def _differs(path: Path, picture: bytes) -> bool:
    return not path.exists() or path.read_bytes() != picture


if __name__ == "__main__":
    sys.exit(main())
