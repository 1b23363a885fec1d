"""The numbers of figures by name: what values.json and values.tex hold, and what TeX prints."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from heatproof.kinds import api
from heatproof.kinds.printed_values import (
    Exact,
    PrintedCell,
    PrintedDifference,
    PrintedFigure,
    PrintedPanel,
)
from heatproof.paper import values
from support import engines, heatmaps, views


def cell(value: str, exact: float, **address: str) -> PrintedCell:
    """A cell of eight problems with an interval."""
    return PrintedCell(
        address=address, names=address, value=value, interval="−1.0 to 9.0", low="−1.0",
        high="9.0", se="2.0", n="1,008", verdict="highest", exact=Exact(exact),
    )  # fmt: skip


@pytest.fixture(scope="module")
def odd() -> dict[str, PrintedFigure]:
    """A figure whose names TeX would not take as they are."""
    figure = PrintedFigure(id="0123abcd", columns={"local_window": "", "task": ""}, missing=2)
    figure.add(cell("49.3", 49.333333, local_window="2000", task="a_b & 50% #1"))
    figure.add(cell("−0.5", -0.5, local_window="500", task="a_b & 50% #1"))
    figure.add(cell("11.2", 11.25, local_window="2000", task="Größe, x"))
    figure.cells["local_window=500,task=a_b & 50% #1"].names = {
        "local_window": "5_00",
        "task": "A, b",
    }
    panel = PrintedPanel(address={"task": "Größe, x"}, best="11.2", setting="window 2000")
    figure.panels["task=Größe, x"] = panel
    large, small, _ = figure.cells
    ends = {"interval": "−1.0 to 98.0", "low": "−1.0", "high": "98.0"}
    turned = {"interval": "−98.0 to 1.0", "low": "−98.0", "high": "1.0"}
    figure.differences[large] = {small: PrintedDifference(value="49.8", n="8", **ends)}
    figure.differences[small] = {large: PrintedDifference(value="−49.8", n="8", **turned)}
    return {"odd_one": figure}


@pytest.mark.parametrize("kind", ["heatmap", *views.ENTRIES])
def test_values_are_those_that_the_table_of_the_figure_has(kind: str) -> None:
    """Of each kind, the value of each cell is the text that its table on the page prints."""
    if kind == "heatmap":
        entry, grid = heatmaps.entry(), heatmaps.grid()
    else:
        entry = views.entry(kind)
        grid = views.grid(entry)
    printed = api.kind(kind).printed_values(grid, entry)
    table = api.kind(kind).table(grid, entry)
    rows = [row.cells[: table.texts + 1] for row in table.rows]
    texts = [(*one.names.values(), one.value or "–") for one in printed.cells.values()]
    assert texts == rows


def test_numbers_along_x_stand_beside_the_value() -> None:
    """A scatter chart has two of each cell, and a difference those of both sides."""
    entry = views.entry("scatter")
    grid = views.grid(entry)
    printed = api.kind("scatter").printed_values(grid, entry)
    shares = [cell.exact.beside for cell in printed.cells.values() if cell.exact.value is not None]
    assert shares == [[pytest.approx(100 * x)] for x in grid["x_value"].drop_nulls()]


def test_the_best_of_a_panel_is_named_with_its_setting() -> None:
    """So are cells that lack records counted, and how each cell stands is told."""
    grid = heatmaps.grid(tasks=("AIME24",), ratios=(0.1, 0.3), windows=(500,))
    printed = api.kind("heatmap").printed_values(grid, heatmaps.entry())
    (panel,) = printed.panels.values()
    assert (panel.best, panel.setting) == ("20.5", "Local Window Size 500, Ratio 0.3")
    assert [one.standing for one in printed.cells.values()] == ["unjudged", "unjudged"]
    assert printed.missing == 0


def test_json_is_read_back_as_it_was(odd: dict[str, PrintedFigure]) -> None:
    """Addresses have their columns in the order of the alphabet, whatever that of the figure."""
    data = values.json_text(odd)
    assert values.read_values(data) == odd
    cells = json.loads(data)["figures"]["odd_one"]["cells"]
    assert cells["local_window=500,task=a_b & 50% #1"]["value"] == "−0.5"


def typeset(engine: str, folder: Path, odd: Any, body: str) -> tuple[int, str]:
    """The exit status of TeX, and what it says."""
    command = engines.command(engine)
    (folder / "values.tex").write_text(values.tex_text(odd), encoding="utf-8")
    text = rf"""\documentclass{{article}}
\input{{values.tex}}
\newcommand\says[1]{{\typeout{{>>\detokenize\expandafter{{#1}}<<}}}}
\begin{{document}}
{body}
\end{{document}}
"""
    (folder / "main.tex").write_text(text, encoding="utf-8")
    options = ["-interaction=nonstopmode", "main.tex"]
    ran = subprocess.run([*command, *options], cwd=folder, capture_output=True, check=False)
    return ran.returncode, ran.stdout.decode("utf-8", "replace")


def require_printed(engine: str, folder: Path, odd: Any, calls: dict[str, str], *rest: str) -> None:
    """TeX prints each call as it should, among the `rest` of a document."""
    lines = [rf"\hplet\found{call}\says\found" for call in calls]
    status, said = typeset(engine, folder, odd, "\n".join([*lines, *rest]))
    assert status == 0, said[-2000:]
    assert re.findall(">>(.*?)<<", said) == [*calls.values()]


@pytest.mark.parametrize("engine", engines.NAMES)
def test_tex_prints_numbers_by_name(
    engine: str, tmp_path: Path, odd: dict[str, PrintedFigure]
) -> None:
    """Columns come in any order, names as they are written or with backslashes; titles work too."""
    first = r"local_window=2000, task=a_b \& 50\% \#1"
    calls = {
        rf"{{odd_one}}{{{first}}}": "49.3",
        r"{odd_one}{task=a\_b & 50\% \#1,local\_window=500}": "$-$0.5",
        rf"[interval]{{odd_one}}{{{first}}}": "$-$1.0 to 9.0",
        rf"[n]{{odd_one}}{{{first}}}": "1,008",
        rf"[verdict]{{odd_one}}{{{first}}}": "highest",
        "{odd_one}{task=Größe, x, local_window=2000}": "11.2",
        r"{odd_one}{task=A, b, local_window=5\_00}": "$-$0.5",
        "[best]{odd_one}{task=Größe, x}": "11.2",
        "[best-setting]{odd_one}{task=Größe, x}": "window 2000",
        "[missing]{odd_one}{}": "2",
    }
    title = rf"\section{{\hp{{odd_one}}{{{first}}}}}\tableofcontents"
    require_printed(engine, tmp_path, odd, calls, title, rf"\emph{{\hp[se]{{odd_one}}{{{first}}}}}")


@pytest.mark.parametrize("engine", engines.NAMES)
def test_tex_prints_differences_of_two_cells(
    engine: str, tmp_path: Path, odd: dict[str, PrintedFigure]
) -> None:
    """With their interval, either way round; the second cell names only what is different."""
    task = r"task=a_b \& 50\% \#1"
    first = rf"{{odd_one}}{{local_window=2000, {task}}}{{local_window=500}}"
    second = rf"{{odd_one}}{{local_window=500, {task}}}{{local_window=2000}}"
    other = rf"{{odd_one}}{{local_window=2000, {task}}}{{task=Größe, x}}"
    calls = {
        f"[delta]{first}": "49.8",
        f"[delta-interval]{first}": "$-$1.0 to 98.0",
        f"[delta]{second}": "$-$49.8",
        f"[delta-interval]{second}": "$-$98.0 to 1.0",
        f"[delta]{other}": "38.1",  # of no pair, so subtracted to the last digit
    }
    require_printed(engine, tmp_path, odd, calls, rf"\section{{\hp[delta]{first}}}")
    status, said = typeset(engine, tmp_path, odd, rf"\hp[delta-interval]{other}")
    assert status == 1
    assert "it takes counts of problems and one panel" in re.sub(
        r"\s*\n\(heatproof\)\s*", " ", said
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("{odd_won}{}", "no figure 'odd_won' in values.tex; the nearest is 'odd_one'"),
        (r"[intervall]{odd_one}{}", "the nearest is 'interval'"),
        ("{odd_one}{window=500}", "no column 'window' in odd_one; the nearest is 'local_window'"),
        ("{odd_one}{local_window=200, task=x}", "the nearest is '2000'; there are 2000, 500"),
        ("{odd_one}{local_window=500}", "odd_one: name the task, one of"),
        ("{odd_one}{local_window=500, task=Größe, x}", "odd_one: no value at"),
    ],
)
def test_an_unknown_name_stops_tex_with_the_nearest(
    call: str, words: str, tmp_path: Path, odd: dict[str, PrintedFigure]
) -> None:
    """The exit status says so, and what there is."""
    status, said = typeset("lualatex", tmp_path, odd, rf"\hp{call}")
    assert status == 1
    assert words in re.sub(r"\s*\n\(heatproof\)\s*", " ", said)


TYPST = """
#let numbers = json("values.json").figures
#let hp(figure, cell, fact: "value") = {
  let address = cell.split(",").map(pair => pair.trim()).sorted().join(",")
  numbers.at(figure).cells.at(address).at(fact)
}
#assert.eq(hp("plain", "task=sum, ratio=0.3"), "49.3")
#assert.eq(hp("plain", "ratio=0.3,task=sum", fact: "interval"), "−1.0 to 9.0")
#let sorted(cell) = cell.split(",").map(pair => pair.trim()).sorted().join(",")
#let delta(figure, first, second, fact: "value") = {
  numbers.at(figure).differences.at(sorted(first)).at(sorted(second)).at(fact)
}
#assert.eq(delta("plain", "task=sum, ratio=0.3", "task=sum, ratio=0.5"), "−2.0")
"""


def test_typst_reads_the_json(tmp_path: Path) -> None:
    """Eight lines look a number up, with columns in any order."""
    typst = pytest.importorskip("typst")
    figure = PrintedFigure()
    figure.add(cell("49.3", 49.3, task="sum", ratio="0.3"))
    pair = PrintedDifference(value="−2.0", interval="−7.0 to 3.0")
    figure.differences["ratio=0.3,task=sum"] = {"ratio=0.5,task=sum": pair}
    (tmp_path / "values.json").write_bytes(values.json_text({"plain": figure}))
    (tmp_path / "main.typ").write_text(TYPST)
    assert typst.compile(tmp_path / "main.typ").startswith(b"%PDF")
    (tmp_path / "main.typ").write_text(TYPST + '#hp("plain", "task=sums, ratio=0.3")')
    with pytest.raises(Exception, match="dictionary does not contain key"):
        typst.compile(tmp_path / "main.typ")
