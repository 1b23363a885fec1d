"""docs/paper.md: its commands are run on the logs of the start page, and say what it shows."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from test_pages import blocks, commands, run_lines, write_files

from heatproof.cli.main import main
from heatproof.paper import values

PAGE = "docs/paper.md"


@pytest.mark.workflow
def test_the_page_is_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each command once; TeX, Typst and Python print what they look up."""
    monkeypatch.chdir(tmp_path)
    write_files("docs/start.md", tmp_path)
    write_files(PAGE, tmp_path)
    lines = commands(PAGE)
    run_lines(lines[:2])
    for line in lines[2:]:
        capsys.readouterr()
        status = main(shlex.split(line)[1:])
        said = capsys.readouterr().out
        assert status == ("draft" in line), line + said
        if "draft" in line:
            (shown,) = [block.text for block in blocks(PAGE, "text") if not block.path]
            assert said == shown
    assert (tmp_path / "again/runs.pdf").read_bytes() == Path(
        "results/figures/runs.pdf"
    ).read_bytes()
    assert (tmp_path / "archive/ro-crate-metadata.json").is_file()
    exec(compile(Path("lookup.py").read_text(), "lookup.py", "exec"), {})
    if shutil.which("pdflatex"):
        call = ["pdflatex", "-interaction=nonstopmode", "main.tex"]
        ran = subprocess.run(
            call, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False
        )
        assert ran.returncode == 0, ran.stdout[-2000:]
        pypdf = pytest.importorskip("pypdf")
        text = pypdf.PdfReader("main.pdf").pages[0].extract_text()
        figure = values.read_values(Path("results/values.json").read_bytes())["runs"]
        cell = figure.cells["model=tiny-b,temperature=0.8"]
        assert f"tiny-b solves {cell.value}" in " ".join(text.split())
    typst = pytest.importorskip("typst")
    assert typst.compile("lookup.typ").startswith(b"%PDF")
