"""Receipts: results are known by what their jobs made."""

from __future__ import annotations

from pathlib import Path

from heatproof.proof import made


def test_a_changed_result_is_told_from_the_others(tmp_path: Path) -> None:
    """What is as it was made, or not there, is not damaged."""
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(name)
    made.note(["a", "b", "c"], tmp_path)
    (tmp_path / "b").write_text("x")
    (tmp_path / "c").unlink()
    assert made.damaged(["a", "b", "c"], tmp_path) == ["b"]


def test_the_last_receipt_counts_whatever_else_the_job_made(tmp_path: Path) -> None:
    """A rule that makes more files than before, or a figure in another batch, is not damage."""
    (tmp_path / "a").write_text("old")
    made.note(["a"], tmp_path)
    for others in (["a", "b"], ["b", "a"], ["a", "c"], ["a", "d", "b"]):
        (tmp_path / "a").write_text(f"new {others}")
        made.note(others, tmp_path)
        assert made.damaged(["a"], tmp_path) == []
