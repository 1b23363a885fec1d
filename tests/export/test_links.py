"""Links of a page, in a real browser: each leads to what it names, however many figures there are."""

from pathlib import Path
from typing import Any

import pytest

from support import browser
from support.galleries import write_gallery
from support.quick import slow_but

pytestmark = pytest.mark.skipif(browser.CHROMIUM is None, reason="needs Chromium")

NEAR = 10  # px that a link may miss its target by
FOLLOW = """(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const off = {};
  for (const link of document.querySelectorAll("SELECTOR")) {
    const id = decodeURIComponent(link.getAttribute("href").slice(1));
    scrollTo(0, id.length % 2 ? 0 : document.body.scrollHeight);
    link.click();
    await frame();
    off[id] = document.getElementById(id).getBoundingClientRect().top;
  }
  return off;
})()"""
OPEN = """(async () => {
  const found = [];
  for (const address of ADDRESSES) {
    scrollTo(0, 0);
    location.hash = address;
    const article = document.getElementById(address.slice(1).split("?")[0]);
    const where = article.querySelector(".where");
    for (let tries = 0; tries < 100 && !article.querySelector(".cell").checkVisibility(); tries += 1) {
      await new Promise((again) => setTimeout(again, 10));
    }
    const { top, bottom } = article.querySelector(".story dl").getBoundingClientRect();
    found.push([article.getBoundingClientRect().top, where.textContent, top > 0 && bottom < innerHeight]);
  }
  return found;
})()"""


@pytest.fixture(scope="module", params=slow_but([8, 64], [8]))
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of few and of many figures."""
    return write_gallery(tmp_path_factory.mktemp("links"), request.param)


def off(tops: dict[str, float]) -> dict[str, float]:
    """Those that are not where they should be."""
    return {name: top for name, top in tops.items() if abs(top) > NEAR}


def test_links_lead_to_their_figure(window: browser.Browser, page: Path) -> None:
    """From the overview and from the figures themselves, wherever one was before."""
    window.open(page)
    for selector in ("nav a", "article .about a"):
        tops = window.run(FOLLOW.replace("SELECTOR", selector))
        assert len(tops) >= 8
        assert off(tops) == {}


def test_addresses_lead_to_their_cell(window: browser.Browser, page: Path) -> None:
    """Its figure stands at the top and its numbers in sight."""
    window.open(page)
    number = window.run("document.querySelectorAll('article').length")
    cells = [(n, f"#f{n}?task=b's&ratio=0.2&window=10") for n in range(0, number, 4)]
    cells += [(n, f"#f{n}?task=<a>&window=5") for n in range(3, number, 4)]
    found = window.run(OPEN.replace("ADDRESSES", f"{[address for _, address in cells]}"))
    words = {0: "b's, Ratio 0.2, Window 10", 3: "Mean of <a>, Window 5"}
    for (n, address), (top, where, seen) in zip(cells, found, strict=True):
        assert (abs(top) <= NEAR, where, seen) == (True, words[n % 4], True), address


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of four figures."""
    return write_gallery(tmp_path_factory.mktemp("links"), 4)


def state(window: browser.Browser) -> list[Any]:
    """The cell that is open in the first figure, and what is wrong with the address."""
    script = """(async () => {
      const wait = (time) => new Promise((done) => setTimeout(done, time));
      const [where, cell, line] = ["#f0 .where", "#f0 .cell", ".unknown"].map((name) => document.querySelector(name));
      await wait(300);
      // A script of a figure may come late where the machine is busy.
      const isAsked = /[?:]/.test(location.hash);
      for (let tries = 0; isAsked && cell.hidden && !line.textContent && tries < 60; tries += 1) await wait(50);
      return [cell.hidden ? "" : where.textContent, line.textContent];
    })()"""
    return list(window.run(script))


@pytest.mark.parametrize(
    ("address", "cell"),
    [
        ("f0?task=%3Ca%3E&ratio=0.1&window=5", "<a>, Ratio 0.1, Window 5"),
        ("f0?window=5.0&ratio=1e-1&task=<a>", "<a>, Ratio 0.1, Window 5"),
        ("f0:window=5,task=<a>,ratio=.10", "<a>, Ratio 0.1, Window 5"),
    ],
)
def test_an_address_has_any_order(
    window: browser.Browser, small: Path, address: str, cell: str
) -> None:
    """Numbers are compared as numbers; the form of `heatproof trace` is taken as well."""
    window.open(small)
    window.run(f"location.hash = {address!r}")
    assert state(window) == [cell, ""]
    canonical = "#f0?task=%3Ca%3E&ratio=0.1&window=5"
    assert window.run("document.querySelector('#f0 .link').getAttribute('href')") == canonical


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("f0?task=<a>&ratio=0.7", "f0 has no cell with task=<a>, ratio=0.7"),
        ("f0?model=m", "f0 has no cell with model=m"),
        ("f7", "This page has no figure f7."),
    ],
)
def test_an_address_of_nothing_is_told(
    window: browser.Browser, small: Path, address: str, words: str
) -> None:
    """An unknown figure, an unknown cell, and what tells no cell from others."""
    window.open(small)
    window.run(f"location.hash = {address!r}")
    cell, line = state(window)
    assert (cell, line[: len(words)]) == ("", words)


def test_an_address_of_nothing_is_told_in_view(window: browser.Browser, small: Path) -> None:
    """On a phone, too: the line breaks, and lies within the window as a whole."""
    window.open(small, width=390, height=844)
    window.run("location.hash = 'f0?task=<a>&ratio=0.7'")
    assert state(window)[1] != ""
    left, right, top, bottom = window.run("""(() => {
      const { left, right, top, bottom } = document.querySelector(".unknown").getBoundingClientRect();
      return [left, right, top, bottom];
    })()""")
    assert 0 <= left < right <= 390
    assert 0 <= top < bottom <= 844


def test_back_leads_back(window: browser.Browser, small: Path) -> None:
    """From a cell to the cell before it, and to none; arrows are no steps of it."""
    window.open(small)
    window.run("document.querySelector('#f0 .walker').focus()")
    state(window)
    window.press("Enter", "ArrowRight", "Escape")
    assert state(window)[0] == ""
    assert window.run("location.hash") == "#f0"
    window.run("history.back()")
    assert state(window)[0] == "<a>, Ratio 0.2, Window 10"
    window.run("history.back()")
    assert state(window) == ["", ""]
    window.run("history.forward()")
    assert state(window)[0] == "<a>, Ratio 0.2, Window 10"


def test_a_filter_stays(window: browser.Browser, small: Path) -> None:
    """It is in the address, so it is there when the page is opened by it, or loaded again."""
    window.open(small)
    window.run("""{
      const field = document.querySelector("#of-kind");
      field.value = "pairwise";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }""")
    address = window.run("location.href")
    assert address.endswith("index.html?of-kind=pairwise")
    window.visit("about:blank")
    window.visit(f"{address}#f1")
    state(window)
    shown = "[...document.querySelectorAll('article:not([hidden])')].map(({ id }) => id)"
    assert window.run(shown) == ["f1", "f2"]
