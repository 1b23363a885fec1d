"""The page of all figures, and what it tells of each."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import asdict
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import polars as pl
import pytest

from heatproof import page as gallery
from heatproof import page as summary
from heatproof.kinds.heatmap import report
from heatproof.kinds.heatmap.entry import Encoding, Entry
from heatproof.kinds.pairwise.entry import Entry as Pairwise
from heatproof.kinds.picture import Table, TableRow
from toys import peered

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'
ENCODING = Encoding(x="ratio", y="local_window", color="pass@1")
ENTRY = Entry(name="toy", kind="heatmap", source="toy", encoding=ENCODING, panel="task")
TABLE = Table(
    columns=("Task", "Score", "± SE"),
    texts=1,
    rows=(TableRow(("a", "49.3", "4.1"), best=True), TableRow(("b", "–", "–"), incomplete=True)),
    n="30 problems a cell",
    incomplete=["Task a: 149 of 150 graded rows"],
)
CARD: dict[str, Any] = {
    "entry": Entry(
        name="toy-sweep", kind="heatmap", source="toy", encoding=ENCODING, title="Toy <1>",
        caption="What it & shows.",
    ),
    "table": asdict(TABLE),
    "image": SVG,
    "spec": {
        "description": "Four cells",
        "usermeta": {"heatproof": {"reconstructed": True}, "omitted": ["the <b> of it"]},
    },
    "files": (("svg", "figures/toy-sweep.svg"), ("csv", "tables/toy-sweep.csv")),
}  # fmt: skip
TOTALS = gallery.Totals(sources=1, logs=1600, rows=1234567, rejected=0)
GRID = peered(
    pl.DataFrame(
        {
            "task": ["a"] * 4,
            "y": [500, 500, 1000, 1000],
            "x": [0.1, 0.2] * 2,
            "value": [0.4, 0.5, None, 0.3],
            "samples": [30, 30, 0, 29],
            "epochs": [150, 150, 0, 145],
            "expected": [150] * 4,
            "se": [0.04, 0.041, None, None],
            "low": [0.31, 0.41, None, None],
            "high": [0.49, 0.591, None, None],
            "best": [False, True, False, False],
            "tied": [None] * 4,
        },
        schema_overrides={"low": pl.Float64, "high": pl.Float64, "tied": pl.Boolean},
    ),
    "task",
)


class Outline(HTMLParser):
    """Tags that are open at each moment, and the attributes of all."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "img", "link", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, name: str) -> list[dict[str, Any]]:
        return [attributes for tag, attributes in self.tags if tag == name]


def page(**changes: Any) -> str:
    return gallery.page([gallery.card(**CARD | changes)], TOTALS)


def test_page_is_well_formed_and_needs_nothing_beside_it() -> None:
    """Every element is closed, in order; pictures and fonts are inside; the same bytes each time."""
    outline = Outline(page())
    assert outline.open == []
    assert outline.all("meta")[3]["content"].startswith("default-src 'none'")
    assert all(image["src"].startswith("data:") for image in outline.all("img"))
    assert not outline.all("link")
    assert all("src" not in script for script in outline.all("script"))
    assert page() == page()
    faces = re.findall(r'font-family:"Source Sans Pro";font-weight:(\d+);font-style:(\w+)', page())
    assert faces == [("400", "normal"), ("700", "normal"), ("400", "italic")]


def test_only_the_page_s_own_script_runs() -> None:
    """The policy names the digest of the one script; data stands beside it as JSON."""
    text = page(story={"logs": ["</script><b>–"]})
    data, script = re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in text
    assert json.loads(data) == {"logs": ["</script><b>–"]}
    assert "walker" not in page().split("</style>")[1].split("<script>")[0], "no cell can be opened"


@pytest.mark.parametrize(
    "words",
    [
        "Toy &lt;1&gt;</h2>",
        "What it &amp; shows.",
        "<b>1,600</b> logs",
        "<b>1,234,567</b> graded rows",
        "<b>0</b> records refused",
        "<b>1</b> source<",
        "<b>Reconstructed</b>",
        "<b>Incomplete</b>: 1 of 2 cells",
        "<li>Task a: 149 of 150 graded rows</li>",
        "<li><b>Left out</b>: the &lt;b&gt; of it</li>",
        '<th scope="row" class="name">a</th><td><b>49.3</b></td><td>4.1</td>',
        '<tr class="incomplete"><th scope="row" class="name">b</th>',
    ],
)
def test_the_page_tells(words: str) -> None:
    """What went in, and of a figure what is wrong with it; text is text, whatever signs it holds."""
    assert words in page()


def test_a_sound_figure_has_no_flags() -> None:
    assert "<b>Reconstructed</b>" not in page(spec={})
    assert "There are no figures in config.yaml yet." in gallery.page([], TOTALS)


def test_figures_and_files_are_reached_and_described() -> None:
    """By links with names of their own, by keyboard, and by those who do not see the picture."""
    outline = Outline(page())
    links = {link["href"]: link.get("aria-label") for link in outline.all("a")}
    assert "#toy-sweep" in links
    assert links["figures/toy-sweep.svg"] == "toy-sweep as svg"
    assert outline.all("article") == [{"id": "toy-sweep", "aria-labelledby": "toy-sweep-title"}]
    assert outline.all("img")[0]["alt"] == "Four cells"
    assert Outline(page(spec={})).all("img")[0]["alt"] == "Toy <1>"
    regions = [attributes for _, attributes in outline.tags if attributes.get("role") == "region"]
    assert len(regions) == 2
    assert all(region["tabindex"] == "0" and region["aria-label"] for region in regions)
    png = Outline(page(image=b"\x89PNG\r\n\x1a\n")).all("img")[0]["src"]
    assert png.startswith("data:image/png;base64,")


def card(grid: pl.DataFrame) -> dict[str, Any]:
    """The card of a heatmap, made of its table as the page gets it."""
    return gallery.card(ENTRY, asdict(report.table(grid, ENTRY)), SVG, {})


def test_card_reads_like_the_figure() -> None:
    """A card's numbers have the unit, digits and words of the figure; gaps are dashes."""
    table = report.table(GRID, ENTRY)
    assert table.columns[:4] == ("Task", "Local Window", "Ratio", "Pass@1 (%)")
    assert table.rows[1] == TableRow(
        ("a", "500", "0.2", "50.0", "± 4.1", "41.0 to 59.1", "30", "150 of 150"), best=True
    )
    assert table.rows[2].cells[3:6] == ("–", "–", "–")
    assert table.n == "29–30 problems a cell"
    assert table.incomplete == [
        "Task a, Local Window 1000, Ratio 0.1: no data",
        "Task a, Local Window 1000, Ratio 0.2: 145 of 150 graded rows",
    ]


@pytest.mark.parametrize(
    ("tied", "rows", "words"),
    [
        (
            [True, True, None, False, False],
            ["<td>40.0 †</td>"],
            "†: not told apart from the highest (95\u00a0%, paired, 30 problems)",
        ),
        (
            [True, True, None, False],
            ["<td><u>"],
            "underlined: told apart from the highest (95\u00a0%, paired, 29 problems)",
        ),
    ],
)
def test_the_page_marks_what_the_figure_marks(
    tied: list[bool | None], rows: list[str], words: str
) -> None:
    """Rows that are not told apart from the highest, or, where these are most, the others."""
    grid = pl.concat([GRID, GRID.filter(x=0.2, y=500).with_columns(x=0.3)])[: len(tied)]
    text = gallery.page([card(grid.with_columns(tied=pl.Series(tied)))], TOTALS)
    assert [text.count(row) for row in rows] == [1]
    assert words in text
    assert words not in page()


def test_the_folder_of_results_says_what_it_holds() -> None:
    """A line for each figure; words of a title stay words, whatever they hold."""
    entry = Pairwise(
        name="a-b", kind="pairwise", source="runs", models=["m", "n_1"], title="<b> | two\nlines"
    )
    lines = summary.readme_text([entry]).splitlines()
    words = r"\<b\> \| two lines: progress of m, n\_1, each against each"
    assert f"| a-b | pairwise | {words} |" in lines
    assert lines[0].startswith("# ")
