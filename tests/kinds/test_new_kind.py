"""A new kind is one new file: the example that docs/extend.md names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof import kinds
from heatproof.export import drawing, svg
from heatproof.kinds import api
from heatproof.page import gallery
from support.views import draw, grid
from toys import behind, sweep

if TYPE_CHECKING:
    import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_a_kind_of_one_file_has_all_that_figures_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spec, caption, LaTeX, CSV, page, trace and recount."""
    monkeypatch.setattr(kinds, "__path__", [*kinds.__path__, str(EXAMPLES)])
    encoding = {"x": "window", "y": "pass@1", "detail": "ratio"}
    block = {"name": "toy", "kind": "bar", "source": "toy", "panel": "task", "encoding": encoding}
    figure: Any = api.read(block)
    assert figure.mistakes() == []
    cells, samples = grid(figure), sweep().lazy()
    chart = draw(figure, cells)
    text = gallery.figure_text(behind([samples], figure, cells), figure, cells)
    story = gallery.audit(text["story"], chart, svg.write(drawing.draw(chart)), ["a.svg"])
    assert len(story["places"]) == len(cells) == len(text["table"]["rows"])
    assert "3–4 problems a bar" in " ".join(api.kind("bar").caption(cells, figure))
    assert api.kind("bar").latex(cells, figure).count(r"\midrule") == 2
    assert api.kind("bar").csv(cells, figure).startswith("task,window,ratio,value")
    trace = api.kind("bar")
    assert all(agrees for *_, agrees in trace.recounted(samples, cells, figure))
    assert trace.behind(
        samples, cells, figure, {"task": "<a>", "ratio": "0.1", "window": "5"}
    ).agrees
