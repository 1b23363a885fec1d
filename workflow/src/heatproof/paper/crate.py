"""crate: a build as a folder that journals and archives take (RO-Crate)."""

from __future__ import annotations

import csv
import io
import mimetypes
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof import __version__, ledger
from heatproof.config import paths, syntax
from heatproof.provenance import identify
from heatproof.util.errors import Error
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heatproof.plan import Plan
    from heatproof.util.hashed import Extent

DIGESTS = "logs.csv"  # path, bytes and BLAKE3 of all logs
README = """\
# {title}

{figures} of {logs}, made by heatproof {version}. Three commands check them:

    pip install 'heatproof[run]=={version}'
    heatproof verify{quick}
    heatproof rebuild results/figures/{first}.svg

`results/index.html` shows the figures, and the log lines behind each cell. `logs.csv` has the
digest of each log. The digest of `results/ledger.json` belongs into the paper: it holds all else.
"""


def write_crate(plan: Plan, folder: Path, *, date: str, logs: bool) -> list[str]:
    """Write the crate of a build; what of it lies elsewhere and was left out.

    Raises Error: rocrate is not installed, the folder is not empty, or the build is not whole.
    """
    try:
        from rocrate.rocrate import ROCrate
    except ImportError:
        raise Error("a crate takes rocrate: pip install 'heatproof[paper]'") from None
    if folder.exists() and any(folder.iterdir()):
        raise Error(f"{folder} is not empty")
    pieces = ledger.load(plan.root)
    missing = [path for path in plan.results() if not (plan.root / path).is_file()]
    if missing:
        raise Error(f"{missing[0]} is not there: call `heatproof run` first")
    read = _logs(pieces)
    crate: Any = ROCrate()
    files = dict.fromkeys([syntax.USUAL, ledger.LEDGER] + sorted(plan.results()))
    if logs:
        files |= dict.fromkeys(sorted(read))
    left_out = []
    titles = _figure_titles(plan)
    for path in files:
        if path.startswith(("../", "/")) or not (plan.root / path).is_file():
            left_out.append(path)
            continue
        crate.add_file(str(plan.root / path), path, properties=_properties(path, titles))
    crate.add_file(io.StringIO(_digests(read)), DIGESTS, properties=_properties(DIGESTS, {}))
    text = README.format(
        title=plan.root.resolve().name,
        figures=numbered(len(plan.figures), "figure"),
        logs=numbered(len(read), "log"),
        version=__version__,
        quick="" if logs and not left_out else " --quick",
        first=next(iter(plan.figures), "FIGURE"),
    )
    crate.add_file(io.StringIO(text), "README.md", properties=_properties("README.md", {}))
    crate.name = plan.root.resolve().name
    crate.description = (
        f"Figures of evaluation logs, with their numbers, by heatproof {__version__}"
    )
    crate.root_dataset["datePublished"] = date
    crate.write(str(folder))
    return left_out


def _logs(pieces: Mapping[str, ledger.Piece]) -> dict[str, Extent]:
    """The files that jobs read and none made."""
    outputs = set(chain.from_iterable(piece.outputs for piece in pieces.values()))
    folder = f"{ledger.FOLDER}/"
    read: dict[str, Extent] = {}
    for piece in pieces.values():
        read |= piece.inputs
    return {
        p: extent for p, extent in read.items() if p not in outputs and not p.startswith(folder)
    }


def _figure_titles(plan: Plan) -> dict[str, dict[str, str]]:
    """File of a figure → its name and id."""
    titles = {}
    for name, record in identify.drawn(plan.root).items():
        if name not in plan.figures:
            continue
        title = plan.figures[name].title or name
        for form in plan.formats_of(name):
            titles[paths.picture(name, form)] = {"name": title, "identifier": record["id"]}
    return titles


def _properties(path: str, titles: Mapping[str, dict[str, str]]) -> dict[str, str]:
    kind = mimetypes.guess_type(path)[0] or TYPES.get(Path(path).suffix, "application/octet-stream")
    return {"encodingFormat": kind, "name": path} | titles.get(path, {})


TYPES = {
    ".parquet": "application/vnd.apache.parquet",
    ".jsonl": "application/jsonl",
    ".yaml": "application/yaml",
    ".md": "text/markdown",
    ".tex": "text/x-tex",
}
"""What not every system knows."""


def _digests(read: Mapping[str, Extent]) -> str:
    file = io.StringIO()
    table = csv.writer(file, lineterminator="\n")
    table.writerow(["log", "bytes", "blake3"])
    for path, extent in sorted(read.items()):
        table.writerow([path, extent.size, extent.digest])
    return file.getvalue()
