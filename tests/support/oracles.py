"""Invented logs of harnesses with the summary that each gives of them: `formats/oracles`."""

from pathlib import Path
from typing import Any, NamedTuple

from support.data import load

FOLDER = Path(__file__).parents[1] / "formats/oracles"


class Oracle(NamedTuple):
    """Logs, and what their harness says of them."""

    files: dict[str, bytes]
    source: dict[str, Any]
    metric: str
    printed: int
    """Numbers that the harness prints beside them."""
    values: dict[tuple[str, str], float]
    """Task and model → value."""


def _oracle(folder: Path) -> Oracle:
    files = sorted(path for path in (folder / "files").rglob("*") if path.is_file())
    names = {str(path.relative_to(folder / "files")): path.read_bytes() for path in files}
    keys = load(folder / "oracle.yaml")
    values = {(task, model): value for task, model, value in keys["values"]}
    return Oracle(names, keys["source"], keys["metric"], keys["printed"], values)


ORACLES = {folder.name: _oracle(folder) for folder in sorted(FOLDER.iterdir()) if folder.is_dir()}
