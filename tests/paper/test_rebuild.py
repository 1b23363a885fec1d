"""Figures are drawn again from a file alone: their own, or a paper that includes them."""

import io
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pikepdf
import pytest
from PIL import Image

from heatproof.charts import spec as specs_module
from heatproof.cli.main import main
from heatproof.export import export, packed
from heatproof.paper import rebuild
from heatproof.util.errors import Error
from support import engines, heatmaps, views
from support.quick import slow_but

FORMS = ("svg", "pdf", "png", "html")


@pytest.fixture(scope="module")
def spec() -> dict[str, Any]:
    """A figure with a record, as the workflow draws it."""
    from heatproof import ledger
    from heatproof.kinds import api

    entry = heatmaps.entry()
    record = {
        "figure": "figure", "entry": {"title": "R1", "name": "figure"}, "logs": {"count": 3, "blake3": "ab"},
        "versions": ledger.versions("draw"), "reconstructed": False,
    }  # fmt: skip
    chart = api.kind("heatmap").draw(heatmaps.grid(), entry)
    return dict(json.loads(specs_module.text(chart, record)))


@pytest.fixture(scope="module")
def drawn(spec: dict[str, Any]) -> dict[str, bytes]:
    return export.render(spec, FORMS)


@pytest.mark.parametrize("form", slow_but(FORMS, ["svg"]))
def test_each_file_of_a_figure_draws_all_others_again(
    form: str, drawn: dict[str, bytes], tmp_path: Path
) -> None:
    """To the byte, with the versions that drew it."""
    path = tmp_path / f"copy.{form}"
    path.write_bytes(drawn[form])
    (figure,) = rebuild.rebuild(path)
    assert figure.files == {name: drawn[name] for name in rebuild.FORMATS}
    assert (figure.how, figure.sound, len(figure.cells)) == (rebuild.ALIKE, True, 80)
    assert figure.is_file == (form != "html")


def test_the_spec_takes_little_room(spec: dict[str, Any], drawn: dict[str, bytes]) -> None:
    """Less than a tenth of what it is, and of a PNG less than three hundredths."""
    size = len(packed.pack(spec))
    assert size < len(json.dumps(spec)) / 8
    assert size < len(drawn["png"]) * 0.05


PAPER = r"""\documentclass{article}\usepackage{graphicx}
\begin{document}A\includegraphics[width=3in]{figure.pdf}\end{document}"""


@pytest.mark.parametrize("engine", engines.NAMES)
def test_a_paper_alone_draws_its_figures_again(
    engine: str, drawn: dict[str, bytes], tmp_path: Path
) -> None:
    """As TeX includes them, and as a stamp and a new save leave them."""
    command = engines.command(engine)
    (tmp_path / "figure.pdf").write_bytes(drawn["pdf"])
    (tmp_path / "main.tex").write_text(PAPER)
    subprocess.run([*command, "main.tex"], cwd=tmp_path, check=True, capture_output=True)
    with pikepdf.open(tmp_path / "main.pdf") as pdf:
        pdf.save(tmp_path / "saved.pdf", linearize=True)
    for name in ("main.pdf", "saved.pdf"):
        (figure,) = rebuild.rebuild(tmp_path / name)
        assert figure.pages == [1]
        assert figure.files["pdf"] == drawn["pdf"]


def test_a_paper_of_typst_draws_its_figures_again(drawn: dict[str, bytes], tmp_path: Path) -> None:
    """It copies the resources of a page, too."""
    typst = pytest.importorskip("typst")
    (tmp_path / "figure.pdf").write_bytes(drawn["pdf"])
    (tmp_path / "main.typ").write_text('A #image("figure.pdf", width: 8cm)')
    (tmp_path / "main.pdf").write_bytes(typst.compile(tmp_path / "main.typ"))
    (figure,) = rebuild.rebuild(tmp_path / "main.pdf")
    assert figure.files["svg"] == drawn["svg"]


@pytest.fixture(scope="module")
def counted() -> dict[str, Any]:
    """A figure with the counts of its problems."""
    from heatproof import ledger
    from heatproof.kinds import api
    from support import toys

    entry = views.entry("line")
    grid = views.grid(entry)
    record = {
        "figure": "toy", "entry": {**json.loads(msgspec.json.encode(entry))}, "logs": {"count": 3, "blake3": "ab"},
        "versions": ledger.versions("draw"), "reconstructed": False,
    }  # fmt: skip
    kind = api.kind("line")
    counts = kind.problem_counts(toys.sweep().lazy(), entry, grid, None, None)
    text = specs_module.text(kind.draw(grid, entry), record, counts)
    return dict(json.loads(text))


def test_cells_and_verdicts_are_counted_anew_from_the_counts_inside(
    counted: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From a picture alone, which comes out byte for byte; the id stands for the counts, too."""
    path = tmp_path / "toy.png"
    path.write_bytes(export.render(counted, ["png"])["png"])
    assert main(["rebuild", str(path), "--to", str(tmp_path / "out"), "--json"]) == 0
    (figure,) = json.loads(capsys.readouterr().out)["figures"]
    assert figure["is_file"]
    assert figure["counted"]["agrees"]
    assert (figure["counted"]["problems"], len(figure["counted"]["cells"])) == (8, 12)
    assert main(["rebuild", str(path), "--to", str(tmp_path / "out")]) == 0
    assert "counted anew of 8 problems inside (86 records): 12 cells" in capsys.readouterr().out


def test_counts_that_give_other_numbers_are_told(
    counted: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The figure draws something else than its counts: exit 1."""
    changed = json.loads(json.dumps(counted))
    changed["usermeta"]["problems"][0]["sums"][0][0] += 1
    path = tmp_path / "toy.vl.json"
    path.write_text(json.dumps(changed))
    assert main(["rebuild", str(path), "--to", str(tmp_path / "out")]) == 1
    assert "12 cells, NOT AS DRAWN" in capsys.readouterr().out
    changed["usermeta"]["problems"][0]["sums"] = "none"
    path.write_text(json.dumps(changed))
    with pytest.raises(Error, match="damaged counts"):
        rebuild.rebuild(path)


def test_a_figure_of_private_logs_says_that_it_has_no_counts(
    spec: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """That is something else than to have none."""
    private = json.loads(json.dumps(spec))
    private["usermeta"]["problems"] = None
    path = tmp_path / "figure.vl.json"
    for figure, words in ((private, "inside: its logs are private\n"), (spec, "problems inside\n")):
        path.write_text(json.dumps(figure))
        main(["rebuild", str(path), "--to", str(tmp_path / "out")])
        assert words in capsys.readouterr().out


def test_other_versions_are_told(spec: dict[str, Any], tmp_path: Path) -> None:
    """Then the bytes are not promised."""
    spec = json.loads(json.dumps(spec))
    spec["usermeta"]["heatproof"]["versions"]["altair"] = "0.1"
    path = tmp_path / "figure.vl.json"
    path.write_text(json.dumps(spec))
    (figure,) = rebuild.rebuild(path)
    assert figure.how.startswith(f"{rebuild.ANEW} (here are altair ")


def test_a_changed_value_is_told_by_the_id(
    spec: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The id is the digest of the spec; the exit status says that it is not."""
    text = json.dumps(spec)
    value = re.search(r'"label": "([\d.]+)"', text)
    assert value
    path = tmp_path / "figure.vl.json"
    path.write_text(text.replace(value[0], '"label": "99.9"', 1))
    assert main(["rebuild", str(path), "--to", str(tmp_path / "out")]) == 1
    assert "CHANGED: its id is not that of the spec inside" in capsys.readouterr().out


def test_what_lost_its_spec_is_told_with_its_id(drawn: dict[str, bytes], tmp_path: Path) -> None:
    """A picture saved again has none; the id in its text is named."""
    image = io.BytesIO()
    Image.open(io.BytesIO(drawn["png"])).save(image, "PNG")
    path = tmp_path / "saved.png"
    path.write_bytes(image.getvalue())
    with pytest.raises(Error, match="it holds no spec"):
        rebuild.rebuild(path)
    path = tmp_path / "text.svg"
    path.write_bytes(
        b'<svg xmlns="http://www.w3.org/2000/svg"><text>heatproof 0123abcd</text></svg>'
    )
    with pytest.raises(Error, match="printed in it: heatproof 0123abcd"):
        rebuild.rebuild(path)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ((1 << 40).to_bytes(8, "big") + b"x", "are the most"),
        ((100).to_bytes(8, "big") + b"x", "damaged spec"),
        (b"", "are the most"),
    ],
)
def test_a_spec_that_is_too_large_or_damaged_is_refused(data: bytes, words: str) -> None:
    """Before it is unpacked: a file may come from anywhere."""
    with pytest.raises(Error, match=words):
        packed.unpack(data)


def test_specs_of_a_file_are_not_too_large_together(
    drawn: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many small ones may unpack to much."""
    path = tmp_path / "figure.png"
    path.write_bytes(drawn["png"])
    monkeypatch.setattr(rebuild, "LARGEST_SUM", 10_000)
    with pytest.raises(Error, match="more than 10,000 bytes in all"):
        rebuild.rebuild(path)


def test_files_stay_in_their_folder(spec: dict[str, Any], tmp_path: Path) -> None:
    """Whatever a record calls its figure."""
    spec = json.loads(json.dumps(spec))
    spec["usermeta"]["heatproof"]["figure"] = "../../up"
    path = tmp_path / "figure.vl.json"
    path.write_text(json.dumps(spec))
    written = rebuild.write(rebuild.rebuild(path), tmp_path / "out")
    assert {place.parent for place in written} == {tmp_path / "out"}
