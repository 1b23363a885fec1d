"""Receipts: results are known by what their jobs made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.provenance import manifest, receipts
from heatproof.util import hashed

if TYPE_CHECKING:
    from pathlib import Path


def test_a_changed_result_is_told_from_the_others(tmp_path: Path) -> None:
    """What is as it was made, or not there, is not damaged."""
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(name)
    receipts.note(["a", "b", "c"], tmp_path)
    (tmp_path / "b").write_text("x")
    (tmp_path / "c").unlink()
    assert receipts.damaged(["a", "b", "c"], tmp_path) == ["b"]


def test_the_last_receipt_counts_whatever_else_the_job_made(tmp_path: Path) -> None:
    """A rule that makes more files than before is no damage."""
    (tmp_path / "a").write_text("old")
    receipts.note(["a"], tmp_path)
    for others in (["a", "b"], ["b", "a"], ["a", "c"], ["a", "d", "b"]):
        (tmp_path / "a").write_text(f"new {others}")
        receipts.note(others, tmp_path)
        assert receipts.damaged(["a"], tmp_path) == []


def test_the_manifest_takes_over_digests_that_are_known(tmp_path: Path) -> None:
    """What the crate has hashed is not read again; all else is."""
    for name in ("b", "c"):
        (tmp_path / name).write_text(name)
    one = manifest.of({}, ["b", "c"], tmp_path, {"b": "known"})
    assert one.files == {"b": "known", "c": hashed.sha256(tmp_path / "c")}
    assert manifest.is_sound(one, manifest.text(one).encode())
