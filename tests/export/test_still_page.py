"""The page where nobody can click, on paper and without scripts, in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support import browser
from support.galleries import write_gallery

pytestmark = pytest.mark.skipif(browser.CHROMIUM is None, reason="needs Chromium")

FIGURES = 8
PAPER = 718, 1046  # px of A4 within the usual margins
BLOCKS = """Promise.all([...document.querySelectorAll("article")].map(async (article) => {
  const picture = article.querySelector(".sheet img");
  picture.loading = "eager";
  await picture.decode();
  const foot = picture.getBoundingClientRect().bottom;
  const drawn = picture.naturalWidth / picture.naturalHeight;
  const shape = picture.clientWidth / picture.clientHeight;
  return [foot - article.getBoundingClientRect().top, shape / drawn];
}))"""
SEEN = """[...document.querySelectorAll("SELECTOR")].filter((found) => found.checkVisibility()
  && (found.tagName !== "IMG" || found.naturalWidth > 0)).length"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Figures of four kinds."""
    return write_gallery(tmp_path_factory.mktemp("still"), FIGURES)


@pytest.fixture
def window() -> Iterator[browser.Browser]:
    """A browser of its own: what is set in it lasts."""
    found = browser.Browser()
    yield found
    found.close()


def test_no_printed_page_is_half_empty(window: browser.Browser, page: Path) -> None:
    """What must stay together, a title and its picture, is half as high as a page at most."""
    tall = '<svg xmlns="http://www.w3.org/2000/svg" width="400pt" height="640pt"/>'
    (page.parent / "figures/f0.svg").write_text(tall)
    wide, high = PAPER
    window.open(page, width=wide, height=high)
    window.call("Emulation.setEmulatedMedia", media="print")
    blocks = window.run(BLOCKS)
    assert len(blocks) == FIGURES
    for together, stretch in blocks:
        assert together <= high / 2
        assert stretch == pytest.approx(1, rel=0.02)


def test_without_scripts_there_are_pictures_captions_and_files(
    window: browser.Browser, page: Path
) -> None:
    """And nothing that only scripts would open."""
    window.call("Emulation.setScriptExecutionDisabled", value=True)
    window.open(page, height=20_000)
    window.call("Emulation.setScriptExecutionDisabled", value=False)
    kept = ("article .sheet img", "nav img", "figcaption > p", "article .says", ".files a")
    for selector in kept:
        assert window.run(SEEN.replace("SELECTOR", selector)) == FIGURES, selector
    for selector in ("details[class]", ".keys", ".filter", ".walker", "section.cell"):
        assert window.run(SEEN.replace("SELECTOR", selector)) == 0, selector
    assert window.run(SEEN.replace("SELECTOR", "noscript p")) == 1
