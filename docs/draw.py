#!/usr/bin/env python3
"""Draw the pictures of docs/figures.md: `python docs/draw.py [FIGURE ...]`.

The blocks of that page, one below the other, are a config. Its figures are drawn as a build draws
them, but without their provenance records, which hold digests of the code: so a picture in
docs/figures/, and the id in it, changes only where what it shows does. With `--check` nothing is
written, and pictures that would change are named.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import yaml
from PIL import Image

from heatproof.charts import spec, theme
from heatproof.config import configuration, venues
from heatproof.export import export
from heatproof.kinds import api
from heatproof.library import reading
from heatproof.logs import logs
from heatproof.provenance import record
from heatproof.util.errors import Error

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
    content = configuration.read(config(), PROJECT)
    names = options.figures or [name for name in content.figures if not name.startswith(".")]
    if unknown := [name for name in names if name not in content.figures]:
        there = ", ".join(content.figures)
        print(f"docs/figures.md has no figure {', '.join(unknown)}; it has {there}")
        return 2
    changed = []
    for name in names:
        picture = _picture(_draw(content.figures[name], content))
        path = PICTURES / f"{name}.png"
        if not path.exists() or path.read_bytes() != picture:
            changed.append(name)
            if not options.check:
                path.write_bytes(picture)
    print(f"{len(names)} drawn, {len(changed)} changed{': ' * bool(changed)}{', '.join(changed)}")
    return int(options.check and bool(changed))


def _draw(entry: Any, content: Any) -> bytes:
    """A figure as PNG."""
    kind = api.kind(entry.kind)
    samples = _samples(entry.source, content)
    notes = record.notes({"reconstructed": samples["reconstructed"].any()})
    grid = kind.aggregate(samples.lazy(), entry)
    with theme.using(venues.type_of(entry.type, entry.width)):
        text = spec.text(kind.draw(grid, entry, notes=notes), {})
        return export.render(json.loads(text), ["png"])["png"]


SAMPLES: dict[str, Any] = {}  # source → its samples


def _samples(name: str, content: Any) -> Any:
    if name not in SAMPLES:
        source = content.sources[name]
        tables, _, problems = reading.tables_of(source, logs.find(source, PROJECT), PROJECT)
        if problems:
            raise Error(problems)
        SAMPLES[name] = tables.samples
    return SAMPLES[name]


def _picture(png: bytes) -> bytes:
    """The picture in fewer pixels, without what else the file holds."""
    with Image.open(io.BytesIO(png)) as image:
        ppi = image.info["dpi"][0]
        size = tuple(round(side * SCALE / ppi) for side in image.size)
        small = image.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    palette = small.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    data = io.BytesIO()
    palette.save(data, "PNG", optimize=True)
    return data.getvalue()


if __name__ == "__main__":
    sys.exit(main())
