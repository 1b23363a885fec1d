"""config.yaml that is no YAML: file, line, column and what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

import warm
from heatproof.cli import main as cli
from heatproof.config import syntax
from heatproof.util.errors import Error

HEAD = "sources:\n  s:\n"
MISTAKES = {
    "escape": (r'    path: "a/(?P<b>\d+)"', "3:20: '\\d' is no escape within double quotes"),
    "escape of bytes": (r'    path: "a\xyz"', "3:13: '\\x' is no escape within double quotes"),
    "tab": ("\tformat: jsonl", "3:1: a tab; indent with blanks"),
    "tab further down": ("    format: a\n  \t  logs: b", "4:3: a tab"),
    "tab behind a key": ("    format:\tjsonl", "3:12: a tab"),
    "glued": ("    format: a\n    logs:b\n    path: c", "4:5: a blank is missing behind 'logs:'"),
    "glued at the end": ("    format: a\n    logs:b", "4:5: a blank is missing behind 'logs:'"),
    "glued at first": ("    logs:b\n    path: c", "3:5: a blank is missing behind 'logs:'"),
    "too far left": ("    format: a\n   fields: {}", "4:4: 'fields' stands 3 deep, its neighbours 4"),
    "far too left": ("    format: a\n fields: {}", "4:2: 'fields' stands 1 deep, its neighbours 2"),
    "too far right": ("    format: a\n     logs: b", "4:6: 'logs' stands 5 deep, its neighbours 4"),
    "right of braces": ("    set: {}\n      logs: b", "4:7: 'logs' stands 6 deep, its neighbours 4"),
    "between": ("    set:\n      a: b\n     logs: c", "5:6: 'logs' stands 5 deep, its neighbours 6"),
    "comment above": ("    set: a\n # b\n   logs: c", "5:4: 'logs' stands 3 deep, its neighbours 4"),
    "colon in a text": ("    title: a: b", "3:12: a text with ': ' in it: put it in single quotes"),
    "quote": ("    path: 'a\n    logs: b", "3:11: the text that begins with this quote does not end"),
    "behind a quote": ("    title: 'it's'", "3:15: the text ends at this quote; within the text, write ''"),
    "colours": ("    palette: [#fff, #08519c]", "3:15: behind # YAML takes all for a comment: put colours"),
    "brace": ("    set: {a: b\n    logs: c", "4:9: here a comma is missing, or '}' for the bracket of line 3"),
    "comma": ("    set: {a: b c: d}", "3:17: here a comma is missing, or '}' for the bracket of line 3"),
    "bracket": ("    logs: [a, b}", "3:16: here a comma is missing, or ']' for the bracket of line 3"),
    "one too many": ("    set: {a: b}}", "3:16: one '}' too many"),
    "star": ("    logs: **/a.jsonl", "3:11: YAML takes * for an alias: put all of the text in single quotes"),
    "alias": ("    logs: *words", "3:11: YAML takes * for an alias"),
    "pattern": ("    path: [a-z]+/(?P<b>.)", "3:11: YAML takes [ for a list"),
    "braces": ("    logs: {a,b}/*.jsonl", "3:11: YAML takes { for a mapping"),
    "at": ("    logs: @a", "3:11: YAML takes @ for a word of its own"),
    "tag": ("    logs: !a b", "3:11: YAML takes ! for a tag"),
    "no colon": ("    format: a\n    logs\n    path: b", "4:5: logs is followed by no ':'"),
    "control": ("    logs: a\x01b", "3:12: a control character, U+0001"),
    "twice": ("    logs: a\n    logs: b", "4:5: 'logs' stands twice, first in line 3; keep one"),
    "no colon behind a name": ("    set\n      a: b", "3:5: set is followed by no ':'"),
    "double quotes": ('    title: "a "b" c"', '3:15: the text ends at this quote; within the text, write \\"'),
    "wide colon": ("    format\uff1aa\n    logs: b", "3:11: a wide colon (U+FF1A); write ': '"),
    "no-break space": ("    format:\u00a0a\n    logs: b", "3:12: a no-break space (U+00A0); write a plain blank"),
    "no-break indent": ("    format: a\n\u00a0   set: {a: b}\n    logs: b", "4:1: a no-break space"),
    "curly quotes": ("    title: \u201ca: b\u201d", "3:12: a curly quote (U+201C); write '\"'"),
    "template": ("    title: {{ title }}", "3:13: YAML takes this for a mapping, which is no key: put the text"),
    "merge": ("    <<: base", "3:5: << takes an alias of a mapping"),
    "within itself": ("    set: &a {b: *a}", "3:10: what this anchor names holds itself"),
    "twice through an alias": ("    set: &a {b: c, b: d}\n    also: *a", "3:20: 'b' stands twice"),
}  # fmt: skip


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_told_where_it_is_and_with_the_way_out(case: str, tmp_path: Path) -> None:
    """The parser's own words name a place behind, and no cause."""
    text, message = MISTAKES[case]
    path = tmp_path / "config.yaml"
    path.write_text(f"{HEAD}{text}\n")
    with pytest.raises(Error) as caught:
        syntax.require_sound(path, "config.yaml")
    assert str(caught.value).startswith(f"config.yaml:{message}")
    with pytest.raises(Error, match=r"^config.yaml:\d+:\d+: "):
        cli.plan(tmp_path)


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
