"""The gallery in a real browser: cells are opened by mouse and keyboard, offline."""

from pathlib import Path

import msgspec
import pytest

from heatproof import page as gallery
from heatproof.export import drawing, export
from support import browser, toys

pytestmark = pytest.mark.skipif(browser.CHROMIUM is None, reason="needs Chromium")

NAMES = {
    "heatmap": "toy-heat", "pairwise": "toy-pair", "board": "toy-board", "margins": "means of <a>"
}  # fmt: skip
PART = """(async () => {{
  for (let tries = 0; tries < 100; tries += 1) {{
    const part = document.getElementById("{figure}")?.querySelector(".{part}");
    if (part && `${{part.{what}}}` !== "") return `${{part.{what}}}`;
    await new Promise((again) => setTimeout(again, 30));
  }}
}})()"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gallery of four figures, with their pictures and scripts beside it."""
    folder = tmp_path_factory.mktemp("a b")
    cards = []
    for kind in ("heatmap", "pairwise", "board", "margins"):
        card = toys.card(kind)
        card["entry"] = msgspec.structs.replace(card["entry"], name=NAMES[kind])
        card["story"]["quotes"] = {"most": 2, "texts": {"0:0": ["<b>1", "2", "3"]}}
        for row, mark in zip(card["table"]["rows"], ("best", "tied"), strict=False):
            row[mark] = True
        name, text = NAMES[kind], {part: card[part] for part in ("about", "table", "story")}
        for place, content in {
            f"figures/{name}.svg": toys.drawn(kind)[-1],
            f"pages/{name}.js": gallery.script(name, text).encode(),
        }.items():
            (folder / place).parent.mkdir(exist_ok=True)
            (folder / place).write_bytes(content)
        cards.append(card)
    (folder / "index.html").write_text(
        gallery.page(cards, {"s": {"logs": 2, "rows": 3, "rejected": 0}})
    )
    return folder / "index.html"


@pytest.fixture
def shown(window: browser.Browser, page: Path) -> browser.Browser:
    """The page, just opened, the pointer at no figure."""
    window.call("Input.dispatchMouseEvent", type="mouseMoved", x=0, y=0)
    window.asked.clear()
    window.problems.clear()
    window.open(page)
    return window


def told(
    shown: browser.Browser, part: str, figure: str = "toy-heat", what: str = "innerText"
) -> str:
    """Text, or another property, of a part of a figure's article, when its data is there."""
    return str(shown.run(PART.format(figure=figure, part=part, what=what)))


def spot(shown: browser.Browser, figure: str, panel: int, x: float, y: float) -> list[float]:
    """Where a part (0 to 1, from the upper left) of a panel's width and height is in the window."""
    (kind,) = (kind for kind, name in NAMES.items() if name == figure)
    story = toys.story(kind)
    left, top, wide, high = story["boxes"][panel]
    script = f"""(() => {{
      const sheet = document.getElementById("{figure}").querySelector(".sheet");
      sheet.scrollIntoView({{ block: "center" }});
      const area = sheet.getBoundingClientRect();
      const scale = area.width / {story["size"][0]};
      return [area.left + {left + x * wide} * scale, area.top + {top + y * high} * scale];
    }})()"""
    return list(shown.run(script))


def click(shown: browser.Browser, figure: str, panel: int, x: float, y: float) -> None:
    """Click at such a place."""
    shown.click(*spot(shown, figure, panel, x, y))


def focus(shown: browser.Browser) -> None:
    """Reach the cells of a figure as the Tab key would."""
    shown.run("document.querySelector('#toy-heat .picture').focus()")
    shown.press("Tab")


def test_a_click_opens_the_cell(shown: browser.Browser) -> None:
    """Value, counts, scores, lines and command stand below the picture."""
    click(shown, "toy-heat", 0, 0.1, 0.9)
    assert told(shown, "where") == "<a>, Ratio 0.1, Window 5"
    text = " ".join(told(shown, "story").split())
    assert "Pass@1 (%) 75.0 Standard error ± 14.4 95 % interval 5.8 to 98.1 Problems 4" in text
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


def test_a_cell_quotes_its_first_records(shown: browser.Browser) -> None:
    """As text, below the command, where its figure has any; as many as the source says."""
    click(shown, "toy-heat", 0, 0.1, 0.9)
    assert told(shown, "quoted") == "First records\n<b>1\n2"
    click(shown, "toy-heat", 1, 0.9, 0.1)
    assert told(shown, "where") == "b's, Ratio 0.3, Window 10"
    assert shown.run("document.querySelector('#toy-heat .quoted').textContent") == ""


def test_numbers_are_sorted_by_any_column(shown: browser.Browser) -> None:
    """Upwards, then downwards; dashes stand behind numbers, and names are no numbers."""
    shown.run("document.querySelector('#toy-heat details.table summary').click()")
    told(shown, "table tbody")
    column = "[...document.querySelectorAll('#toy-heat tbody tr')].map((row) => row.cells[{}].textContent)"

    def sort(number: int) -> list[str]:
        shown.run(f"document.querySelectorAll('#toy-heat thead button')[{number}].click()")
        return list(shown.run(column.format(number)))

    for way in (1, -1):
        texts = sort(3)
        numbers = [way * float(text.strip(" •†")) for text in texts if text != "–"]
        assert numbers == sorted(numbers)
        assert texts[len(numbers) :] == ["–"]
    names = sort(0)
    assert names == sorted(names)
    assert sort(0) == names[::-1]
    head = "document.querySelector('#toy-heat thead [aria-sort]').getAttribute('aria-sort')"
    assert shown.run(head) == "descending"


def test_the_keyboard_is_enough(shown: browser.Browser) -> None:
    """Tab reaches the cells, arrows move, Enter opens, Escape closes and keeps the place."""
    focus(shown)
    assert shown.run("document.activeElement.className") == "walker"
    told(shown, "walker", what="style.left")
    shown.press("ArrowRight", "ArrowDown", "Enter")
    assert told(shown, "where") == "<a>, Ratio 0.2, Window 5"
    shown.press("ArrowLeft")
    assert told(shown, "where") == "<a>, Ratio 0.1, Window 5"
    shown.press("Escape")
    assert shown.run("document.querySelector('#toy-heat .cell').hidden") is True
    assert shown.run("document.activeElement.getAttribute('aria-label')") == (
        "<a>, Ratio 0.1, Window 5: 75.0"
    )
    shown.press("Enter", "End")
    assert told(shown, "where") == "<a>, Ratio 0.3, Window 5"
    shown.press("Home")
    assert told(shown, "where") == "<a>, Ratio 0.1, Window 5"
    shown.run("document.querySelector('#toy-heat .copy').click()")
    assert told(shown, "copied") == "Copied"


def test_a_square_of_a_board_is_one_cell(shown: browser.Browser) -> None:
    """It tells how two models compare, as their density does the other way round."""
    click(shown, "toy-board", 0, 0.9, 0.1)
    assert told(shown, "where", "toy-board") == "x: o, y: m"
    words = " ".join(told(shown, "story", "toy-board").split())
    assert words.startswith("Mean of x − y +0.075 Instances 12 95 % interval")
    assert "Verdict cannot be told apart x ahead 1 Equal 11 y ahead 0" in words
    trace = "heatproof trace results/figures/toy-board.png --cell"
    assert told(shown, "command", "toy-board") == f"{trace} model=o,against=m"
    click(shown, "toy-board", 3, 0.1, 0.9)
    assert told(shown, "where", "toy-board") == "x: m, y: o"
    assert told(shown, "command", "toy-board") == f"{trace} model=m,against=o"
    words = " ".join(told(shown, "story", "toy-board").split())
    assert words.startswith("Mean of x − y −0.075 Instances 12")


def test_a_phone_shows_all(window: browser.Browser, page: Path) -> None:
    """At phone width only pictures and tables scroll sideways, not the page."""
    window.open(page, 390, 844, dark=True)
    click(window, "toy-heat", 0, 0.1, 0.9)
    click(window, "toy-pair", 0, 0.1, 0.9)
    assert window.run("document.documentElement.scrollWidth") <= 390


def test_nothing_is_fetched_and_nothing_fails(shown: browser.Browser, page: Path) -> None:
    """Of a page, its pictures and a script of each figure that is asked of; titles, axes and colour
    bars are no cells.
    """
    click(shown, "toy-heat", 0, 0.5, -0.2)
    assert shown.run("document.querySelector('#toy-heat .cell').hidden") is True
    click(shown, "toy-heat", 0, 0.1, 0.9)
    assert told(shown, "where") == "<a>, Ratio 0.1, Window 5"
    asked = {url.removeprefix(page.parent.as_uri()) for url in shown.asked if url[:5] != "data:"}
    pictures = {url for url in asked if url.startswith("/figures/")}
    assert asked - pictures == {"/index.html", "/pages/toy-heat.js"}
    assert shown.problems == []


def test_pointing_at_a_cell_tells_its_value(shown: browser.Browser) -> None:
    """Before a click, beside the cell."""
    focus(shown)
    told(shown, "walker", what="style.left")
    x, y = spot(shown, "toy-heat", 0, 1 / 6, 0.75)
    shown.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    assert told(shown, "tip") == "<a>, Ratio 0.1, Window 5: 75.0"


def test_a_mean_opens_and_names_its_cells(shown: browser.Browser) -> None:
    """Means of rows, columns and panels stand beside the cells, of groups among them; keys reach them."""
    name = NAMES["margins"]
    click(shown, name, 0, 0.97, 0.9)
    assert told(shown, "where", name) == "Mean of <a>"
    assert " ".join(told(shown, "story", name).split()).startswith("Pass@1 (%) 34.0 Mean of Cell")
    assert told(shown, "trace", name, "hidden") == "true"
    shown.press("ArrowUp")
    assert told(shown, "where", name) == "Mean of <a>, Window 5"
    shown.press("ArrowLeft")
    assert told(shown, "where", name) == "<a>, Ratio 0.3, Window 5"
    assert told(shown, "trace", name, "hidden") == "false"
    shown.press("ArrowLeft")
    assert told(shown, "where", name) == "Mean of <a>, Low, Window 5"


def test_a_cell_has_an_address(shown: browser.Browser) -> None:
    """The page has it while the cell is open, and opens the cell where it is called by it."""
    click(shown, NAMES["margins"], 0, 0.1, 0.1)
    assert told(shown, "where", NAMES["margins"]) == "<a>, Ratio 0.1, Window 10"
    address = shown.run("location.href")
    assert address.endswith("#means%20of%20%3Ca%3E?task=%3Ca%3E&ratio=0.1&window=10")
    assert told(shown, "link", NAMES["margins"], "href") == address
    shown.call("Page.navigate", url="about:blank")
    shown.call("Page.navigate", url=address)
    assert told(shown, "where", NAMES["margins"]) == "<a>, Ratio 0.1, Window 10"


def test_figures_are_filtered(shown: browser.Browser) -> None:
    """By words of their titles, tasks and models, by kind and model; an address shows its figure."""
    visible = "[...document.querySelectorAll('article:not([hidden])')].map(({ id }) => id)"

    def choose(field: str, value: str) -> list[str]:
        put = f"const field = document.querySelector('#{field}'); field.value = '{value}';"
        shown.run(f"{{ {put} field.dispatchEvent(new Event('input', {{ bubbles: true }})); }}")
        return list(shown.run(visible))

    assert choose("of-kind", "pairwise") == ["toy-pair", "toy-board"]
    assert choose("of-model", "o") == ["toy-board"]
    assert shown.run("document.querySelector('.matches').textContent") == "1 of 4 figures"
    assert shown.run("document.querySelectorAll('nav li:not([hidden])').length") == 1
    assert choose("find", "no such words") == []
    shown.run("location.hash = '#toy-heat:task=<a>,ratio=0.1,window=5'")
    assert told(shown, "where") == "<a>, Ratio 0.1, Window 5"
    assert len(shown.run(visible)) == 4
    assert choose("find", "MEANS of") == [NAMES["margins"]]


def test_numbers_and_gaps_come_when_they_are_asked_for(shown: browser.Browser) -> None:
    """A row for each cell, marked as the figure marks it; the highest is bold."""
    shown.run("document.querySelector('#toy-heat details.table summary').click()")
    shown.run("document.querySelector('#toy-heat details.gaps summary').click()")
    assert "Task b's, Window 10, Ratio 0.3: no data" in told(shown, "gaps ul")
    cells = "[...document.querySelectorAll('#toy-heat tbody td:nth-of-type(1)')].map((td) => td.innerHTML)"
    assert shown.run(cells)[:4] == ["<b>75.0</b>", "12.5 •", "16.7 †", "12.5"]
    row = ["<a>", "5", "0.3", "16.7 †", "± 16.7", "0.0 to 100.0", "3", "6 of 8"]
    assert told(shown, "table .incomplete").split("\t") == row


def test_a_page_without_its_folder_says_what_is_missing(
    window: browser.Browser, page: Path, tmp_path: Path
) -> None:
    """It was sent alone: figures and numbers lie beside it."""
    (tmp_path / "index.html").write_bytes(page.read_bytes())
    window.open(tmp_path / "index.html")
    focus(window)
    assert told(window, "note") == "There is no pages/toy-heat.js beside this page."


def test_cells_of_a_figure_s_own_page_answer_the_keyboard(
    window: browser.Browser, tmp_path: Path
) -> None:
    """Tab reaches the picture, arrows go from cell to cell, and what a cell says stands below."""
    spec = toys.drawn("heatmap")[3]
    (tmp_path / "toy.html").write_bytes(export.render(spec, ["html"])["html"])
    window.open(tmp_path / "toy.html", dark=True)
    window.run("""new Promise((done) => {
      const look = () => document.querySelector("#view > div") ? done() : setTimeout(look, 30);
      look();
    })""")  # Vega has drawn the picture anew
    window.press("Tab", "ArrowDown")
    text = "document.getElementById('cell').textContent"
    assert window.run(text).startswith("Ratio 0.1, Window 10: Pass@1 (%) 12.5")
    window.press("ArrowDown", *["ArrowRight"] * 4)
    assert window.run(text).startswith("Ratio 0.2, Window 5: Pass@1 (%)"), "of the second panel"
    assert window.run("document.activeElement.getAttribute('aria-label')") == window.run(text)


def test_lines_of_an_svg_say_how_wide_they_are(window: browser.Browser, tmp_path: Path) -> None:
    """As a browser that reads the typeface inside sets them."""
    (tmp_path / "toy.svg").write_bytes(export.svg_text(drawing.draw(toys.drawn("board")[3])))
    window.open(tmp_path / "toy.svg")
    widths = window.run("""document.fonts.ready.then(() =>
      [...document.querySelectorAll("text, tspan")].filter((line) => line.firstChild?.data?.trim())
        .map((line) => {
          const width = line.getAttribute("textLength");
          line.removeAttribute("textLength");
          return [line.textContent, Number(width), line.getComputedTextLength()];
        }))""")
    assert len(widths) > 10
    for words, width, measured in widths:
        assert width == pytest.approx(measured, rel=0.01), words
