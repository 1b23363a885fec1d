"""A figure as an Altair chart that looks the same in notebooks and files; figures of a run."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import altair as alt

from heatproof.config import paths
from heatproof.config.entries import FORMATS
from heatproof.export import export
from heatproof.library.frames import public
from heatproof.provenance import trace
from heatproof.samples import tables
from heatproof.util.errors import Error, not_one_of

if TYPE_CHECKING:
    from heatproof.kinds.trace import Behind
    from heatproof.util.lazy import polars as pl

USUAL = "default"
"""Altair's usual renderer, which loads scripts from the net and no typeface."""
SIDE_BY_SIDE = (
    "figures are not joined by |, & or +, as each has its own size, verdicts and record; write "
    "panel='COLUMN' or metric=[A, B] for panels in one figure, or save both and let the paper set "
    "them side by side"
)
CSS = 96  # pixels of a page to an inch


class Chart(alt.ConcatChart):
    """A figure; notebooks show it as it is printed, at its size, without the net.

    A renderer chosen by `alt.renderers.enable` shows it instead.
    """

    @classmethod
    def of_spec(cls, spec: dict[str, Any]) -> Chart:
        """The chart of a spec of ours; `from_dict` would try each part on schemas, for 0.3 s."""
        panels = [alt.LayerSpec(**panel) for panel in spec["concat"]]
        return cls(**spec | {"concat": panels})

    def __or__(self, chart: object) -> NoReturn:
        """Raises Error: a figure is whole, with its size, its verdicts and its record."""
        raise Error(SIDE_BY_SIDE)

    __and__ = __add__ = __or__

    def save(self, fp: Any, *args: Any, **kwargs: Any) -> None:
        """As `hp.save`; for other formats, open files and options as Altair does."""
        is_ours = isinstance(fp, str | Path) and paths.form_of(f"{fp}") is not None
        if is_ours and not args and not kwargs:
            save(self, fp)
        else:
            super().save(fp, *args, **kwargs)

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        if alt.renderers.active != USUAL:
            return super()._repr_mimebundle_(*args, **kwargs)
        image = export.render(self.to_dict(validate=False), ["png"])["png"]
        width, height = struct.unpack(">II", image[16:24])
        size = {"width": _css_pixels(width), "height": _css_pixels(height)}
        return {"image/png": image, "text/plain": repr(self)}, {"image/png": size}


def _css_pixels(pixels: int) -> int:
    return round(pixels * CSS / export.PPI)


@public()
def save(chart: alt.ConcatChart, path: str | Path) -> None:
    """Write a chart as a run does: svg, pdf, png or html, by the ending of the path.

    Raises:
        Error: the ending is none of these, or the file cannot be written.

    >>> import heatproof as hp
    >>> table = {"lr": [0.1, 0.2], "model": ["a", "a"], "accuracy": [0.5, 0.75]}
    >>> chart = hp.heatmap(table, x="lr", y="model", value="accuracy")
    >>> hp.save(chart, "accuracy.svg")
    >>> chart.save("accuracy.pdf")  # the same
    """
    form = paths.form_of(f"{path}")
    if form is None:
        ends = ", ".join(f".{end}" for end in FORMATS.values())
        raise Error(f"{path}: its ending names no format; there are {ends}")
    if not isinstance(chart, alt.TopLevelMixin):
        raise Error(f"{type(chart).__name__} is not a chart; hp.heatmap and hp.figure return one")
    try:
        rendered = export.render(chart.to_dict(validate=False), [form])
        Path(path).write_bytes(rendered[form])
    except OSError as error:
        folder = Path(path).parent
        reason = error.strerror
        if not folder.is_dir():
            reason = f"there is no folder {folder}"
        raise Error(f"{path}: it cannot be written: {reason}") from None


class RunFigure:
    """A figure that a run has made."""

    def __init__(self, name: str, root: Path) -> None:
        self.name = name
        self._root = root

    @property
    def chart(self) -> Chart:
        """Its chart, which notebooks show."""
        return Chart.of_spec(self._spec())

    @property
    def grid(self) -> pl.DataFrame:
        """Its numbers, a row per cell."""
        return tables.read(self._root / paths.grid(self.name))[0]

    @property
    def record(self) -> dict[str, Any]:
        """Its provenance record: block of the config, logs, digests, versions."""
        return dict(self._spec()["usermeta"]["heatproof"])

    @public()
    def trace(self, **cell: object) -> Behind:
        """What lies behind a cell: `trace(task="sum", ratio=0.3)`. Its logs are read again.

        Raises:
            Error: there is no such cell.
        """
        place = ",".join(f"{column}={value}" for column, value in cell.items())
        return trace.cell(self.record, self._root, place)

    def _spec(self) -> dict[str, Any]:
        text = (self._root / paths.spec(self.name)).read_text(encoding="utf-8")
        return dict(json.loads(text))


class Build(dict[str, RunFigure]):
    """The figures that a run has made, by their names."""

    def __missing__(self, name: str) -> RunFigure:
        raise Error(not_one_of(name, "figure here", self))


@public()
def open_build(folder: str | Path = ".") -> Build:
    """The figures that a run made; `folder`: the project, or its `results`.

    Raises:
        Error: there are none.

    >>> import heatproof as hp
    >>> build = hp.open_build(".")  # doctest: +SKIP
    """
    root = Path(folder)
    if root.name == "results":
        root = root.parent
    specs = sorted((root / paths.spec("x")).parent.glob("*.vl.json"))
    if not specs:
        raise Error(f"{folder}: no figure has been made here; run heatproof or snakemake first")
    build = Build()
    for file in specs:
        name = file.name.removesuffix(".vl.json")
        build[name] = RunFigure(name, root)
    return build
