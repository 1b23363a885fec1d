"""A figure as an Altair chart that looks the same wherever it is shown or saved."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import altair as alt

from heatproof.config import paths
from heatproof.config.entries import FORMATS
from heatproof.export import export, png
from heatproof.library.calls import brief
from heatproof.util.errors import Error

USUAL = "default"
"""Altair's renderer where nobody chose one: it loads scripts from the net, and no typeface."""
CSS = 96
"""Pixels of a page to an inch."""


class Chart(alt.ConcatChart):
    """A figure; notebooks show it as it is printed, at its size, without the net.

    With a renderer that was chosen (`alt.renderers.enable("html")`) it is shown by that.
    """

    def save(self, fp: Any, *args: Any, **kwargs: Any) -> None:
        """As `hp.save`; what that does not write (json, a file that is open, a scale) by Altair."""
        if args or kwargs or not isinstance(fp, str | Path) or paths.form_of(f"{fp}") is None:
            super().save(fp, *args, **kwargs)
        else:
            save(self, fp)

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        if alt.renderers.active != USUAL:
            return super()._repr_mimebundle_(*args, **kwargs)
        image = export.render(self.to_dict(validate=False), ["png"])["png"]
        sides = zip(("width", "height"), struct.unpack(">II", image[16:24]), strict=True)
        size = {side: round(pixels * CSS / png.PPI) for side, pixels in sides}
        shown = {"image/png": image, "text/plain": repr(self)}
        return shown, {"image/png": size}


@brief
def save(chart: alt.ConcatChart, path: str | Path) -> None:
    """Write a chart as svg, pdf, png or html, in its typeface, as a run does; by the path's ending.

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
        raise Error(f"{type(chart).__name__} is no chart; hp.heatmap and hp.figure give one")
    data = export.render(chart.to_dict(validate=False), [form])[form]
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        reason = error.strerror or error
        if not (folder := Path(path).parent).is_dir():
            reason = f"there is no folder {folder}"
        raise Error(f"{path}: it cannot be written: {reason}") from None
