"""config.yaml that is no YAML: file, line, column and what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

import warm
from heatproof.config import syntax
from heatproof.util.errors import Error

HEAD = "sources:\n  s:\n"


@pytest.mark.parametrize("text", [
    "", "a: {b: c}\n", "a: &x {b: 1}\nc: {<<: *x, b: 2}\n", "a: http://x:1\n", "- a\n- a\n",
    '{\n\t"a": 1\n}',
])  # fmt: skip
def test_what_is_sound_passes(text: str, tmp_path: Path) -> None:
    """Empty files are told of elsewhere; JSON may be indented with tabs."""
    path = tmp_path / "config.yaml"
    path.write_text(text)
    syntax.require_sound(path, "config.yaml")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    """The line is told."""
    path = tmp_path / "config.yaml"
    path.write_bytes(b"a: b\nc: \xff\n")
    with pytest.raises(Error, match=r"^c:2:1: not UTF-8; save the file as UTF-8$"):
        syntax.require_sound(path, "c")


@pytest.mark.workflow
def test_snakemake_tells_them_too(tmp_path: Path, project: Path) -> None:
    """Of its own it would name neither line nor cause; with other mistakes it has its words."""
    (tmp_path / "Snakefile").symlink_to(project / "Snakefile")
    config = tmp_path / "config.yaml"
    for text, message in (
        (HEAD + '    path: "\\d"\n', "config.yaml:3:12: '\\d' is no escape within double quotes"),
        (HEAD + "    a: b\n  s: c\n", "config.yaml:4:3: 's' stands twice, first in line 2"),
        ("- a\n", "config.yaml:1:1: a list where sections belong: sources: and figures:"),
        ("# a\n", "config.yaml: it is empty; `heatproof init FOLDER` writes one"),
        ("", "there is no ./config.yaml; `heatproof init FOLDER` writes one"),
    ):
        config.write_text(text)
        if not text:
            config.unlink()
        status, said = warm.run(tmp_path, "-n")
        assert status == 1
        assert message in said
        assert "mix whitespace" not in said
        assert "Traceback" not in said
