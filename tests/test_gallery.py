"""The page of all figures, and what it tells of each."""

import json
import re
from base64 import b64encode
from dataclasses import asdict, replace
from hashlib import sha256
from html.parser import HTMLParser

import polars as pl
import pytest

from heatproof.kinds.heatmap import report
from heatproof.kinds.heatmap.entry import Encoding, Entry
from heatproof.kinds.pairwise import report as pairwise
from heatproof.kinds.pairwise.entry import Entry as Pairwise
from heatproof.kinds.tables import Row
from heatproof.page import gallery, summary
from toys import peered

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'
CARD = gallery.FigureCard(
    name="toy-sweep",
    kind="heatmap",
    source="toy",
    image=SVG,
    width=504,
    title="Toy <1>",
    caption="What it & shows.",
    alt="Four cells",
    n="30 problems a cell",
    columns=("Task", "Score", "± SE"),
    texts=1,
    rows=(
        Row(("a", "49.3", "4.1"), best=True),
        Row(("b", "–", "–"), incomplete=True),
    ),
    files=(("svg", "figures/toy-sweep.svg"), ("csv", "tables/toy-sweep.csv")),
)
TOTALS = gallery.Totals(sources=1, logs=1600, rows=1234567, rejected=0)
ENTRY = Entry(
    name="toy",
    kind="heatmap",
    source="toy",
    encoding=Encoding(x="ratio", y="local_window", color="pass@1"),
    panel="task",
)
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
PAIRS = pl.DataFrame(
    {
        "x_model": ["A", "A", "B"],
        "y_model": ["B", "B", "C"],
        "pair_n": [1200, 1200, 7],
        "wins": [700, 700, 1],
        "ties": [100, 100, 2],
        "losses": [400, 400, 4],
        "mean": [0.031, 0.031, -0.2],
        "simultaneous_low": [-0.002, -0.002, None],
        "simultaneous_high": [0.064, 0.064, None],
        "p_holm": [0.21, 0.21, 0.0],
        "units": [1200, 1200, 7],
        **{key: [0, 0, 0] for key in ("x0", "x1", "y0", "y1", "samples", "difference")},
    }
)


def numbers(grid: pl.DataFrame) -> dict[str, object]:
    """The table of a heatmap, as it is handed to the page."""
    return asdict(report.table(grid, ENTRY))


class Outline(HTMLParser):
    """Tags that are open at each moment, and all attributes met."""

    VOID = {"meta", "img", "link", "br"}

    def __init__(self, page):
        super().__init__()
        self.open, self.met = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.met.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def all(self, tag):
        return [attributes for met, attributes in self.met if met == tag]


def shown(**changes):
    return gallery.page([replace(CARD, **changes)], TOTALS)


def test_page_is_well_formed():
    """Every element that is opened is closed, in order."""
    page = shown(reconstructed=True, incomplete=["a: no data"])
    assert Outline(page).open == []


def test_same_cards_same_bytes():
    """The page depends on its cards alone."""
    assert shown() == shown()


def test_page_needs_nothing_beside_it():
    """Pictures and fonts are inside; nothing is loaded."""
    outline = Outline(shown())
    policy = outline.all("meta")[3]["content"]
    assert policy.startswith("default-src 'none'")
    assert all(image["src"].startswith("data:") for image in outline.all("img"))
    assert not outline.all("link")
    assert all("src" not in script for script in outline.all("script"))


def test_only_the_page_s_own_script_runs():
    """The policy names the digest of the one script; data stands beside it as JSON."""
    page = shown(audit={"logs": ["</script><b>–"]})
    data, script = re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in page
    assert json.loads(data) == {"logs": ["</script><b>–"]}


def test_without_data_there_are_no_cells():
    """A figure of which nothing more is known is a picture."""
    assert "walker" not in shown().split("</style>")[1].split("<script>")[0]


def test_text_is_escaped():
    """Titles and captions are text, whatever signs they hold."""
    page = shown()
    assert "Toy &lt;1&gt;</h2>" in page
    assert "What it &amp; shows." in page


def test_totals_are_told():
    """The header says how many logs and rows went in and how many records were refused."""
    page = shown()
    for words in ("<b>1,600</b> logs", "<b>1,234,567</b> graded rows", "<b>0</b> records refused"):
        assert words in page
    assert "<b>1</b> source<" in page


def test_each_figure_can_be_reached():
    """The list of figures leads to each of them, and each has its title as heading."""
    outline = Outline(shown())
    assert "#toy-sweep" in [link["href"] for link in outline.all("a")]
    assert outline.all("article") == [{"id": "toy-sweep", "aria-labelledby": "toy-sweep-title"}]


def test_files_are_linked():
    """All that can be had of a figure is linked, each link with a name of its own."""
    links = {link["href"]: link.get("aria-label") for link in Outline(shown()).all("a")}
    assert links["figures/toy-sweep.svg"] == "toy-sweep as svg"
    assert links["tables/toy-sweep.csv"] == "toy-sweep as csv"


def test_picture_is_described():
    """The picture has a text for those who do not see it."""
    assert Outline(shown()).all("img")[0]["alt"] == "Four cells"
    assert Outline(shown(alt="")).all("img")[0]["alt"] == "Toy <1>"


def test_what_scrolls_takes_the_keyboard():
    """Regions that scroll are named and can be focused."""
    regions = [at for tag, at in Outline(shown()).met if at.get("role") == "region"]
    assert len(regions) == 2
    assert all(at["tabindex"] == "0" and at["aria-label"] for at in regions)


def test_png_stands_in():
    """A figure that is not exported as SVG is shown as PNG."""
    page = shown(image=b"\x89PNG\r\n\x1a\n")
    assert Outline(page).all("img")[0]["src"].startswith("data:image/png;base64,")


@pytest.mark.parametrize("reconstructed", [True, False])
def test_reconstruction_is_marked(reconstructed):
    """A figure made of reconstructed logs says so beside its title, and no other does."""
    assert ("<b>Reconstructed</b>" in shown(reconstructed=reconstructed)) is reconstructed


def test_incomplete_cells_are_listed():
    """Incomplete cells are counted beside the title and named below the picture."""
    page = shown(incomplete=["Task a, Ratio 0.1: 149 of 150 graded rows"])
    assert "<b>Incomplete</b>: 1 of 2 cells" in page
    assert "<li>Task a, Ratio 0.1: 149 of 150 graded rows</li>" in page


def test_best_value_is_bold():
    """In the table, the best value is bold and an incomplete row is marked."""
    page = shown()
    assert '<th scope="row" class="name">a</th><td><b>49.3</b></td><td>4.1</td>' in page
    assert '<tr class="incomplete"><th scope="row" class="name">b</th>' in page


def test_no_figures_is_no_error():
    """Without figures there is a page that says so."""
    assert "There are no figures in config.yaml yet." in gallery.page([], TOTALS)


def test_fonts_hold_the_signs_of_the_page():
    """The embedded typeface has every sign that the page shows."""
    faces = re.findall(r'font-family:"Source Sans Pro";font-weight:(\d+);font-style:(\w+)', shown())
    assert faces == [("400", "normal"), ("600", "normal"), ("400", "italic")]


def test_card_reads_like_the_figure():
    """A card's numbers have the unit, digits and words of the figure; gaps are dashes."""
    card = gallery.card(ENTRY, numbers(GRID), SVG, {}, [])
    assert card.columns[:4] == ("Task", "Local Window", "Ratio", "Pass@1 (%)")
    assert card.rows[1] == Row(
        ("a", "500", "0.2", "50.0", "41.0–59.1", "4.1", "30", "150", "150"), best=True
    )
    assert card.rows[2].cells[3:6] == ("–", "–", "–")
    assert card.n == "29–30 problems a cell"


def test_card_knows_what_is_not_told_apart():
    """Rows that are not told apart from the highest are marked in the table, with words for it."""
    more = pl.concat([GRID, GRID.filter(x=0.2, y=500).with_columns(x=0.3)])
    ties = more.with_columns(tied=pl.Series([True, True, None, False, False]))
    card = gallery.card(ENTRY, numbers(ties), SVG, {}, [])
    assert [row.tied for row in card.rows] == [True, True, False, False, False]
    assert not any(row.excluded for row in card.rows)
    page = gallery.page([card], TOTALS)
    assert "<td>40.0 †</td>" in page
    assert "†: not told apart from the highest (95\u00a0%, paired, 30 problems)" in page
    assert "†: " not in shown()


def test_card_marks_what_is_told_apart_as_the_figure_does():
    """Where most are not told apart and the figure has bars, their rows are underlined, with words."""
    ties = GRID.with_columns(tied=pl.Series([True, True, None, False]))
    card = gallery.card(ENTRY, numbers(ties), SVG, {}, [])
    assert [row.excluded for row in card.rows] == [False, False, False, True]
    assert not any(row.tied for row in card.rows)
    page = gallery.page([card], TOTALS)
    assert page.count("<td><u>") == 1
    assert "underlined: told apart from the highest (95\u00a0%, paired, 29 problems)" in page
    assert "†" not in page


def test_card_names_gaps():
    """Cells without data and cells with too few rows are told apart."""
    assert gallery.card(ENTRY, numbers(GRID), SVG, {}, []).incomplete == [
        "Task a, Local Window 1000, Ratio 0.1: no data",
        "Task a, Local Window 1000, Ratio 0.2: 145 of 150 graded rows",
    ]


def test_card_takes_words_from_the_spec():
    """Description and reconstruction come from the spec, as they do in the figure's files."""
    spec = {"description": "seen", "usermeta": {"heatproof": {"reconstructed": True}}}
    card = gallery.card(ENTRY, numbers(GRID), SVG, spec, [])
    assert (card.alt, card.reconstructed) == ("seen", True)


def test_what_a_figure_leaves_out_stands_beside_it():
    """As in the last lines of the run."""
    card = gallery.card(ENTRY, numbers(GRID), SVG, {"usermeta": {"omitted": ["the <b> of it"]}}, [])
    assert "<li><b>Left out</b>: the &lt;b&gt; of it</li>" in gallery.page([card], TOTALS)


def test_card_of_pairs():
    """A pairwise figure's card has a row per pair of models."""
    entry = Pairwise(name="toy", kind="pairwise", source="toy", models=["A", "B", "C"])
    card = gallery.card(entry, asdict(pairwise.table(PAIRS, entry)), SVG, {}, [])
    assert [row.cells for row in card.rows] == [
        ("A", "B", "1,200", "700", "100", "400", "+0.031", "−0.002 to +0.064", "0.21"),
        ("B", "C", "7", "1", "2", "4", "−0.200", "–", "< 0.001"),
    ]
    assert card.n == "7–1,200 instances a pair"


def test_the_folder_of_results_says_what_it_holds() -> None:
    """A line for each figure; words of a title stay words, whatever they hold."""
    entry = Pairwise(
        name="a-b", kind="pairwise", source="runs", models=["m", "n_1"], title="<b> | two\nlines"
    )
    lines = summary.readme_text([entry]).splitlines()
    shown = r"\<b\> \| two lines: progress of m, n\_1, each against each"
    assert f"| a-b | pairwise | {shown} |" in lines
    assert lines[0].startswith("# ")
