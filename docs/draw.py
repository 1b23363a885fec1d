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
SCALE = 144  # pixels per inch in which pictures are shown: half of what is exported


def config() -> Any:
    """The config that the page's blocks make."""
    page = (PROJECT / "docs/figures.md").read_text(encoding="utf-8")
    shared, *figures = re.findall(r"^```yaml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    blocks = "".join(textwrap.indent(block, "  ") for block in figures)
    return yaml.safe_load(f"{shared}figures:\n{blocks}")


def main() -> int:
    """Draw, and copy or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", nargs="*", help="figures to draw; none: all")
    parser.add_argument("--check", action="store_true", help="compare, copy nothing")
    options = parser.parse_args()
    figures = config()["figures"]
    names = options.figures or list(figures)
    if unknown := [name for name in names if name not in figures]:
        print(f"docs/figures.md has no figure {', '.join(unknown)}; it has {', '.join(figures)}")
        return 2
    changed = []
    with TemporaryDirectory() as folder:
        _build(Path(folder), names)
        for name in names:
            picture = _picture(Path(folder, f"results/figures/{name}.png"))
            path = PICTURES / f"{name}.png"
            if not path.exists() or path.read_bytes() != picture:
                changed.append(name)
                if not options.check:
                    path.write_bytes(picture)
    print(f"{len(names)} drawn, {len(changed)} changed{': ' * bool(changed)}{', '.join(changed)}")
    return int(options.check and bool(changed))


def _build(folder: Path, names: list[str]) -> None:
    """Build the figures in an empty folder, from copies of logs and workflow."""
    for name in ("data", "workflow"):
        shutil.copytree(PROJECT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PROJECT / "Snakefile", folder)
    content = config()
    for figure in content["figures"].values():
        figure.setdefault("formats", ["png"])
    (folder / "config.yaml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    files = [f"results/figures/{name}.png" for name in names]
    command = [sys.executable, "-m", "snakemake", "--quiet", "rules", "host"]
    command += ["--cores", str(os.cpu_count()), "--", *files]
    subprocess.run(command, cwd=folder, check=True)  # noqa: S603


def _picture(path: Path) -> bytes:
    """The picture in fewer pixels, without what else the file holds."""
    with Image.open(path) as image:
        ppi = image.info["dpi"][0]
        size = tuple(round(side * SCALE / ppi) for side in image.size)
        small = image.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    palette = small.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    data = io.BytesIO()
    palette.save(data, "PNG", optimize=True)
    return data.getvalue()


if __name__ == "__main__":
    sys.exit(main())
