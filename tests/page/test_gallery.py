"""The page of all figures, and what it tells of each."""

import json
import re
from base64 import b64encode
from dataclasses import asdict
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from heatproof import page as gallery
from heatproof.formats import jsonl_format
from heatproof.kinds.heatmap.entry import Encoding, Entry
from heatproof.kinds.picture import Table, TableRow

ENCODING = Encoding(x="ratio", y="local_window", color="pass@1")
TABLE = Table(
    columns=("Task", "Score", "± SE"),
    texts=1,
    rows=(TableRow(("a", "49.3", "4.1"), best=True), TableRow(("b", "–", "–"), incomplete=True)),
    n="30 problems a cell",
    incomplete=["Task a: 149 of 150 graded rows"],
)
ABOUT: dict[str, Any] = {
    "alt": "Four cells", "width": 9.0, "height": 9.0, "tapped": 0.0, "models": ["m"],
    "reconstructed": True, "spoken": "Four cells, one by one", "omitted": ["the <b> of it"],
}  # fmt: skip
CARD: dict[str, Any] = {
    "entry": Entry(
        name="toy-sweep", kind="heatmap", source="toy", encoding=ENCODING, title="Toy <1>",
        caption="What it & shows.",
    ),
    "about": ABOUT,
    "table": asdict(TABLE),
    "story": {},
    "files": (("svg", "figures/toy-sweep.svg"), ("csv", "tables/toy-sweep.csv")),
}  # fmt: skip
SOURCES = {"s": {"logs": 1600, "rows": 1234567, "rejected": 0}}


class Outline(HTMLParser):
    """Tags that are open at each moment, and the attributes of all."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "img", "link", "br", "input"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, name: str) -> list[dict[str, Any]]:
        return [attributes for tag, attributes in self.tags if tag == name]


def page(**about: Any) -> str:
    return gallery.page([CARD | {"about": ABOUT | about}], SOURCES)


def test_page_is_well_formed_and_asks_for_pictures_alone() -> None:
    """Every element is closed, in order; fonts are inside, pictures come when they are looked at;
    the same bytes each time.
    """
    outline = Outline(page())
    assert outline.open == []
    assert outline.all("meta")[3]["content"].startswith("default-src 'none'")
    images = [(image["src"], image["loading"]) for image in outline.all("img")]
    assert images == [("figures/toy-sweep.svg", "lazy")] * 2
    assert not outline.all("link")
    assert all("src" not in script for script in outline.all("script"))
    assert page() == page()
    faces = re.findall(r'font-family:"Source Sans Pro";font-weight:(\d+);font-style:(\w+)', page())
    assert faces == [("400", "normal"), ("700", "normal"), ("400", "italic")]


def test_only_the_page_s_own_script_runs() -> None:
    """The policy names the digest of the one script, and trusts what that loads; a figure's data
    can end no script.
    """
    text = page()
    (script,) = re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}' 'strict-dynamic';" in text
    data = gallery.script("a</script>", {"logs": ["</script><b>–"]})
    call = re.fullmatch(r"heatproof\((.*), (.*)\);\n", data)
    assert call
    assert [json.loads(part) for part in call.groups()] == [
        "a</script>",
        {"logs": ["</script><b>–"]},
    ]
    assert "<" not in data


WORDS = [
    "Toy &lt;1&gt;</h2>", "What it &amp; shows.", "<b>1,600</b> logs", "<b>1,234,567</b> graded rows",
    "<b>0</b> records refused", "<b>1</b> source<", "<b>Reconstructed</b>",
    "<b>Incomplete</b>: 1 of 2 cells", "<summary>Which cells are incomplete</summary>",
    "<li><b>Left out</b>: the &lt;b&gt; of it</li>", "<summary>All numbers</summary>",
]  # fmt: skip


def test_the_page_tells() -> None:
    """What went in, and of a figure what is wrong with it; text is text, whatever signs it holds."""
    text = page()
    assert [words for words in WORDS if words not in text] == []
    assert "<b>Reconstructed</b>" not in page(reconstructed=False)
    assert "There are no figures in config.yaml yet." in gallery.page([], SOURCES)


def test_figures_and_files_are_reached_and_described() -> None:
    """By links with names of their own, by keyboard, and by those who do not see the picture."""
    outline = Outline(page())
    links = {link["href"]: link.get("aria-label") for link in outline.all("a")}
    assert "#toy-sweep" in links
    assert links["figures/toy-sweep.svg"] == "toy-sweep as svg"
    (article,) = outline.all("article")
    assert (article["id"], article["aria-labelledby"]) == ("toy-sweep", "toy-sweep-title")
    assert json.loads(article["data-model"]) == ["m"]
    assert [image["alt"] for image in outline.all("img")] == ["", "Four cells"]
    assert Outline(page(alt="")).all("img")[1]["alt"] == "Toy <1>"
    regions = [attributes for _, attributes in outline.tags if attributes.get("role") == "region"]
    assert len(regions) == 1
    assert all(region["tabindex"] == "0" and region["aria-label"] for region in regions)


def test_a_page_of_many_figures_is_small() -> None:
    """Numbers and cells are not in it: it is small, however many there are of them."""
    story = {"cells": [{"facts": ["1.0"], "logs": [[0, [1, 1, 0, 9]]]}] * 2_000}
    rows = [asdict(TableRow(("a", "49.3", "4.1")))] * 2_000
    card = CARD | {"story": story, "table": asdict(TABLE) | {"rows": rows}}
    assert len(gallery.page([card] * 20, SOURCES)) < 400_000


def test_what_figures_leave_out_is_told() -> None:
    """By name, ten lines at most."""
    omitted = {f"f{n}": ["it"] for n in range(12)}
    counts = {"figures": 12, "files": 12, "omitted": omitted, "sources": {}}
    lines = gallery.text(counts).splitlines()
    assert lines[1:11] == [f"  left out: f{n}: it" for n in range(10)]
    assert lines[11:] == ["  left out: 2 more, see results/index.html"]


def test_reasons_that_differ_by_their_record_are_one_line(tmp_path: Path) -> None:
    """Of a kind of reason the first is told; it does not hide the others."""
    (tmp_path / "results/tables/s").mkdir(parents=True)
    scores = {7: "above", 8: "above", -1: "below", 9: "above"}
    reasons = [(kind, "", f"score {n} is not between 0 and 1") for n, kind in scores.items()]
    reasons += [
        ("unscored", "", "score is missing"),
        *(("type", "b", f"b: '{n}' is not int") for n in range(9)),
    ]
    rows = [
        {"log": "l", "line": n, "offset": 0, "kind": kind, "field": field, "reason": reason}
        for n, (kind, field, reason) in enumerate(reasons, 1)
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "results/tables/s/0000.rejected.parquet")
    head = "log,blake3,bytes,records,rows,rejected\n"
    (tmp_path / "results/tables/s/0000.logs.csv").write_text(
        f"{head}l,x,1,16,2,14\nconfig,x,1,0,0,0\n"
    )
    sources = gallery.sources({"s": ["results/tables/s/0000.parquet"]}, tmp_path, [])
    assert sources["s"]["logs"] == 1  # a sidecar is none
    assert gallery.lines(sources)[1:5] == [
        "      9 × such as b: '0' is not int (first: l:6)",
        "      3 × such as score 7 is not between 0 and 1 (first: l:1)",
        "      1 × score -1 is not between 0 and 1 (first: l:3)",
        "      1 × score is missing (first: l:5)",
    ]


def test_a_source_without_a_failed_record_says_where_it_looked() -> None:
    """A misspelt place under `failed` is told; without the key, or with failures, nothing is."""
    keys = {"name": "s", "logs": "*", "format": "jsonl", "fields": {"score": "ok"}}
    plain, asked = (
        msgspec.convert(keys | more, jsonl_format.Entry)
        for more in ({}, {"failed": {"eror": "present"}})
    )
    assert gallery.unfailed_words(plain, 0) == gallery.unfailed_words(asked, 3) == []
    assert gallery.unfailed_words(asked, 0) == ["no record failed, by `failed`: eror"]
    source = {"logs": 1, "rows": 2, "whole": gallery.unfailed_words(asked, 0)}
    assert gallery.lines({"s": source})[1:] == ["      no record failed, by `failed`: eror"]
