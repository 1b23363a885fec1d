"""Pages without findings of axe, the checker of accessibility that browsers' own audits run."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from heatproof import changes
from heatproof.export import export
from heatproof.provenance.diff import CellChange, FigureChange
from support import browser, toys
from support.galleries import write_gallery

# The package brings axe as one script; what it would need to run a browser is not used.
AXE = importlib.util.find_spec("axe_playwright_python")
pytestmark = [
    pytest.mark.skipif(browser.CHROMIUM is None, reason="needs Chromium"),
    pytest.mark.skipif(AXE is None, reason="needs axe: --no-deps axe-playwright-python"),
]

OPENED = """(async () => {
  const wait = () => new Promise((done) => setTimeout(done, 50));
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  document.querySelector(".walker")?.focus();
  document.querySelector(".walker")?.click();
  for (let tries = 0; tries < 60 && document.querySelector(".walker") && !document.querySelector(".story dl"); tries += 1) await wait();
  await wait();
})()"""
FINDINGS = """axe.run(document).then(({ passes, violations }) => [passes.length,
  violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).slice(0, 3).join(" | ")}`)])"""
LEAST = 8  # rules that find something on each page and are kept, at least


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each sort: of all figures, of some that failed, of one figure, of changes."""
    folder = tmp_path_factory.mktemp("axe")
    made = {"index": write_gallery(folder, 4)}
    cell = CellChange({"ratio": 0.1}, {"value": (0.5, 0.8)}, (0.4, 0.6))
    new_cell = CellChange({"ratio": 0.2}, {"value": (None, 0.8)}, None)
    changed = FigureChange("f0", cells=9, changes=[cell, new_cell])
    texts = {
        "changes": changes.changes_page([changed, FigureChange("f1", "is new")], "a", "b"),
        "no changes": changes.changes_page([], "a", "b"),
    }
    for kind in ("heatmap", "board", "pairwise"):
        spec: Any = toys.drawn(kind)[3]
        texts[f"figure {kind}"] = export.render(spec, ["html"])["html"].decode()
    for name, text in texts.items():
        made[name] = folder / f"{name}.html"
        made[name].write_text(text, encoding="utf-8")
    return made


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(
    "name", ["index", "changes", "no changes", "figure heatmap", "figure board", "figure pairwise"]
)
def test_axe_finds_nothing(
    window: browser.Browser, pages: dict[str, Path], name: str, width: int, dark: bool
) -> None:
    """On wide and narrow windows, light and dark, with all that can be opened open."""
    assert AXE
    assert AXE.submodule_search_locations
    window.open(pages[name], width=width, dark=dark)
    window.run(OPENED)
    (folder,) = AXE.submodule_search_locations
    window.run(f"{(Path(folder) / 'axe.min.js').read_text(encoding='utf-8')}; 0")
    kept, found = window.run(FINDINGS)
    assert found == [], json.dumps(found, indent=1)
    assert kept > LEAST
