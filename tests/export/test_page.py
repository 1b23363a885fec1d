"""The gallery in a real browser: cells are opened by mouse and keyboard, offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from heatproof import page as gallery
from support import browser, toys

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(browser.CHROMIUM is None, reason="needs Chromium")

FOUND = "document.querySelector('#{figure} .{part}').{what}"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gallery of three figures."""
    path = tmp_path_factory.mktemp("a b") / "index.html"
    shown = [toys.card("heatmap"), toys.card("pairwise"), toys.card("board")]
    path.write_text(gallery.page(shown, {"s": {"logs": 2, "rows": 3, "rejected": 0}}))
    return path


@pytest.fixture(scope="module")
def window() -> Iterator[browser.Browser]:
    """One browser for all tests."""
    found = browser.Browser()
    yield found
    found.close()


@pytest.fixture
def shown(window: browser.Browser, page: Path) -> browser.Browser:
    """The page, just opened."""
    window.asked.clear()
    window.open(page)
    return window


def told(
    shown: browser.Browser, part: str, figure: str = "toy-heat", what: str = "innerText"
) -> str:
    """Text, or another property, of a part of a figure's article."""
    return str(shown.run(FOUND.format(figure=figure, part=part, what=what)))


def click(shown: browser.Browser, figure: str, panel: int, x: float, y: float) -> None:
    """Click at a part (0 to 1, from the upper left) of a panel's width and height."""
    kinds = {"toy-heat": "heatmap", "toy-pair": "pairwise", "toy-board": "board"}
    left, top, wide, high = toys.story(kinds[figure])["boxes"][panel]
    script = f"""(() => {{
      const sheet = document.querySelector("#{figure} .sheet");
      sheet.scrollIntoView({{ block: "center" }});
      const area = sheet.getBoundingClientRect();
      const scale = area.width / sheet.querySelector("img").naturalWidth / 0.75;
      return [area.left + {left + x * wide} * scale, area.top + {top + y * high} * scale];
    }})()"""
    shown.click(*shown.run(script))


def focus(shown: browser.Browser, figure: str = "toy-heat") -> None:
    """Reach the cells of a figure as the Tab key would."""
    shown.run(f"document.querySelector('#{figure} .picture').focus()")
    shown.press("Tab")


def test_a_click_opens_the_cell(shown: browser.Browser) -> None:
    """Value, counts, scores, lines and command stand below the picture."""
    click(shown, "toy-heat", 0, 0.1, 0.9)
    assert told(shown, "where") == "<a>, Ratio 0.1, Window 5"
    text = " ".join(told(shown, "story").split())
    assert "Pass@1 (%) 75.0 Standard error ± 14.4 95 % interval 21.6 to 97.0 Problems 4" in text
    assert "data/<a>/mixed.jsonl line 1, bytes 0–8; line 5, bytes 40–48" in text
    assert told(shown, "command") == (
        "heatproof trace results/figures/toy-heat.png --cell 'task=<a>,ratio=0.1,window=5'"
    )
    link = "document.querySelector('#toy-heat .logs a').getAttribute('href')"
    assert shown.run(link) == "../data/%3Ca%3E/mixed.jsonl"  # from results/, whatever its name
    click(shown, "toy-heat", 1, 0.1, 0.9)  # the command means the same cell in a shell
    assert told(shown, "command").endswith("--cell 'task=b'\\''s,ratio=0.1,window=5'")
    click(shown, "toy-heat", 1, 0.9, 0.1)
    assert told(shown, "where") == "b's, Ratio 0.3, Window 10"
    assert "no data" in told(shown, "story")


def test_the_keyboard_is_enough(shown: browser.Browser) -> None:
    """Tab reaches the cells, arrows move, Enter opens, Escape closes and keeps the place."""
    focus(shown)
    assert shown.run("document.activeElement.className") == "walker"
    shown.press("ArrowRight", "ArrowDown", "Enter")
    assert told(shown, "where") == "<a>, Ratio 0.2, Window 5"
    shown.press("ArrowLeft")
    assert told(shown, "where") == "<a>, Ratio 0.1, Window 5"
    shown.press("Escape")
    assert shown.run("document.querySelector('#toy-heat .cell').hidden") is True
    assert shown.run("document.activeElement.getAttribute('aria-label')") == (
        "<a>, Ratio 0.1, Window 5: 75.0"
    )
    shown.press("Enter")
    shown.run("document.querySelector('#toy-heat .copy').click()")
    shown.run("new Promise((done) => setTimeout(done, 50))")
    assert told(shown, "copied") == "Copied"


def test_a_square_of_a_board_is_one_cell(shown: browser.Browser) -> None:
    """It tells how two models compare, as a bin of their density tells of itself."""
    click(shown, "toy-board", 0, 0.9, 0.1)
    assert told(shown, "where", "toy-board") == "x: o, y: m"
    words = " ".join(told(shown, "story", "toy-board").split())
    assert words.startswith("Mean of x − y +0.075 Instances 12 Verdict not told apart")
    trace = "heatproof trace results/figures/toy-board.png --cell"
    assert told(shown, "command", "toy-board") == f"{trace} x_model=o,y_model=m"
    click(shown, "toy-board", 3, 0.1, 0.9)
    assert told(shown, "where", "toy-board") == "x: m 0 to 0.2, y: o 0 to 0.2"
    assert told(shown, "command", "toy-board") == f"{trace} x_model=m,y_model=o,x=0.0,y=0.0"


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_shows_all(window: browser.Browser, page: Path, dark: bool) -> None:
    """At phone width only pictures and tables scroll sideways, not the page."""
    window.open(page, 390, 844, dark)
    click(window, "toy-heat", 0, 0.1, 0.9)
    click(window, "toy-pair", 0, 0.1, 0.9)
    assert window.run("document.documentElement.scrollWidth") <= 390


def test_nothing_is_fetched_and_nothing_fails(shown: browser.Browser, page: Path) -> None:
    """The page is all that is read; titles, axes and colour bars are no cells."""
    click(shown, "toy-heat", 0, 0.5, -0.2)
    assert shown.run("document.querySelector('#toy-heat .cell').hidden") is True
    click(shown, "toy-heat", 0, 0.1, 0.9)
    assert {url for url in shown.asked if not url.startswith("data:")} == {page.as_uri()}
    assert shown.problems == []
