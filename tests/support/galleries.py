"""Pages of toy figures, as large as a test wants them."""

from pathlib import Path

import msgspec

from heatproof import page as gallery
from support import toys

KINDS = ("heatmap", "pairwise", "board", "margins")


def write_gallery(folder: Path, number: int) -> Path:
    """A page of so many figures of four kinds, whose captions differ in length."""
    cards = []
    for n in range(number):
        kind, name = KINDS[n % len(KINDS)], f"f{n}"
        caption = "It says what is shown. " * (1 + 5 * n % 13)
        card = toys.card(kind)
        card["entry"] = msgspec.structs.replace(card["entry"], name=name, caption=caption)
        card["files"] = [("svg", f"figures/{name}.svg")]
        text = {part: card[part] for part in ("about", "table", "story")}
        files = {
            f"figures/{name}.svg": toys.drawn(kind)[-1],
            f"pages/{name}.js": gallery.script(name, text).encode(),
        }
        for place, content in files.items():
            (folder / place).parent.mkdir(exist_ok=True)
            (folder / place).write_bytes(content)
        cards.append(card)
    page = folder / "index.html"
    page.write_text(gallery.page(cards, {"s": {"logs": 2, "rows": 3, "rejected": 0}}))
    return page
