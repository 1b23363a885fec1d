"""`heatproof guide`: the pages of docs/, which a wheel carries too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from heatproof.cli.main import JSON, Command
from heatproof.util import repository, terminal
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from argparse import Namespace

PAGES = repository.ROOT / "docs"
HEADING = re.compile(r"(#+) (.+)")


def guide(args: Namespace) -> int:
    """Print a page for coding assistants, or the page of the documentation that PAGE names.

    Without PAGE it says what to ask, what to write, what never to do; it has a config for each of
    the ten commonest folders of logs, and the keys of all JSON. `guide logs` prints the page logs,
    and `guide logs#aggregates` one section of it.
    """
    if args.page:
        text = _page(args.page)
    else:
        text = (PAGES / "llms.txt").read_text(encoding="utf-8")
    if args.json:
        terminal.say_json({"page": text})
    else:
        terminal.say(text, end="")
    return 0


def _page(address: str) -> str:
    """A page, or the section of it that is named behind `#`. Raises Error: there is none."""
    name, _, heading = address.partition("#")
    name = name.removeprefix("docs/").removesuffix(".md")
    pages = {path.stem: path for path in sorted(PAGES.glob("*.md"))}
    if name not in pages:
        raise Error(f"{name!r} is no page; {choices(name, pages)}")
    text = pages[name].read_text(encoding="utf-8")
    if heading:
        return section(text, heading, name)
    return text


def section(text: str, heading: str, name: str) -> str:
    """The section of a page `name` below a heading, as links call it, with those inside it."""
    lines = text.splitlines(keepends=True)
    headings = _headings(text)
    addresses = [address for _, _, address in headings]
    if heading not in addresses:
        raise Error(f"the page {name} has no section {heading!r}; {choices(heading, addresses)}")
    index = addresses.index(heading)
    begin, level, _ = headings[index]
    later = [number for number, depth, _ in headings[index + 1 :] if depth <= level]
    if later:
        end = later[0]
    else:
        end = len(lines)
    return "".join(lines[begin:end])


def _headings(text: str) -> list[tuple[int, int, str]]:
    """The number of the line, the level and the address of each heading outside of blocks."""
    headings = []
    is_block = False
    for number, line in enumerate(text.splitlines()):
        if line.startswith("```"):
            is_block = not is_block
        match = HEADING.fullmatch(line)
        if match and not is_block:
            words = re.sub(r"[^\w\s-]", "", match[2]).lower()
            headings.append((number, len(match[1]), re.sub(r"\s+", "-", words)))
    return headings


PAGE = "page", {"metavar": "PAGE", "nargs": "?", "help": "a page, or a section: logs#aggregates"}
COMMANDS = (Command(guide, [PAGE, JSON]),)
