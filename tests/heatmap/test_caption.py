"""Captions that are pasted into papers: what they say, and that LaTeX takes them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from heatproof.export import drawing, pdf
from heatproof.kinds import api, captions
from heatproof.kinds.captions import Shown
from toys import drawn

SHOWN = Shown(
    "a_b",
    {"description": "x − 1 {~50 %}\u00a0& more", "usermeta": {"heatproof": {"id": "1a2b3c4d"}}},
    238.0,
    ["pdf", "svg"],
)


def said(kind: str) -> list[str]:
    """What the caption of a toy says."""
    entry, _, grid, *_ = drawn(kind)
    return api.kind(entry.kind).caption(grid, entry)


def test_latex_has_the_file_its_width_a_label_and_a_text_for_the_blind() -> None:
    """In inches, and free of what LaTeX would take for commands."""
    text = captions.write(["Rises by 5 %", ""], SHOWN)["tex"]
    assert r"\includegraphics[width=3.306in, alt={x - 1 50 \% \& more}]{a_b.pdf}" in text
    assert r"\caption{Rises by 5 \%.}" in text
    assert r"\label{fig:a_b}" in text
    assert text.startswith("% a_b, heatproof 1a2b3c4d: `heatproof trace 1a2b3c4d` tells")


def test_markdown_shows_the_picture_and_means_what_it_says() -> None:
    """Signs that would be marks of Markdown are taken for what they are."""
    text = captions.write(["a_b < c*", "Two."], SHOWN)["md"]
    assert text.startswith("![x − 1 {~50 %}\u00a0& more](a_b.svg)\n\na\\_b \\< c\\*. Two.\n\n<!--")


def test_titles_and_labels_are_no_markup() -> None:
    """In the alternative text as in the caption; neither ends at an empty line."""
    hostile = "![x](y) *a*\n\n<img src=x> `b` &lt; $c$ ~~d~~ R&D"
    spec = {"description": hostile, "usermeta": SHOWN.spec["usermeta"]}
    written = captions.write([hostile], SHOWN._replace(spec=spec))
    safe = r"!\[x\](y) \*a\* \<img src=x\> \`b\` \&lt; \$c\$ \~~d\~~ R&D"
    assert written["md"].startswith(f"![{safe}](a_b.svg)\n\n{safe}.\n\n<!--")
    assert "\n\n" not in written["tex"]


def test_the_width_is_that_of_the_drawing() -> None:
    """As its SVG has it; one without is no figure."""
    assert drawing.size('<svg viewBox="0 0 504 120.5">') == (504, 120.5)
    with pytest.raises(ValueError, match="viewBox"):
        drawing.size("<svg>")


def test_a_heatmap_says_what_it_shows_and_what_is_missing() -> None:
    """Its axes, problems and samples, the verdict of each panel, and cells with gaps by name."""
    shown, counts, *rest = said("heatmap")
    assert shown == "Pass@1 (%) by Ratio (across) and Window (up), a panel for each task"
    assert counts == "3–4 problems a cell, 6–8 graded samples"
    assert [one for one in rest if one.startswith("For <a>: ")]
    *_, gaps, looks = rest
    assert gaps.startswith("Incomplete: Task <a>, Window 5, Ratio 0.3: 6 of 8 graded rows; ")
    assert looks.startswith("Verdicts are for one look at a finished sweep")


def test_pairs_are_compared_in_numbers() -> None:
    """The difference of each pair with its interval and p."""
    *_, pairs = said("pairwise")
    assert pairs.startswith("Mean differences over problems, with intervals that hold for all ")
    assert ": m − n: " in pairs
    assert " to " in pairs


def test_a_board_names_the_pairs_that_are_not_told_apart() -> None:
    """What stands below the diagonal, how many pairs are told apart, and by what."""
    *_, below, apart = said("board")
    assert below.startswith("Below the diagonal: mean progress of column − row; models are sorted")
    assert below.endswith("by their mean lead over the others: o +0.075, m −0.037, n −0.038.")
    assert apart.startswith("0 of 3 pairs are told apart (zero lies outside their interval, which")
    assert "; not o and " in apart


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs pdflatex")
def test_latex_takes_it(tmp_path: Path) -> None:
    """With all the signs that captions have, and a figure beside it."""
    entry, _, _, made, picture = drawn("heatmap")
    shown = Shown(entry.name, made, drawing.size(picture.decode())[0], ["pdf"])
    signs = "≤ ≥ × · … → ± − 95\u00a0% <a> µ # $ & _ { } ~ ^ \\"
    text = captions.write([*said("heatmap"), signs], shown)["tex"]
    packages = r"\usepackage{graphicx}\usepackage{booktabs}"
    paper = rf"\documentclass{{article}}{packages}\begin{{document}}{text}\end{{document}}"
    (tmp_path / "paper.tex").write_text(paper)
    (tmp_path / f"{entry.name}.pdf").write_bytes(pdf.write(drawing.draw(made)))
    command = ["pdflatex", "-interaction=nonstopmode", "-draftmode", "paper.tex"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert [line for line in found.stdout.splitlines() if line.startswith("!")] == []
