"""Cases as data: the YAML files that lie beside tests."""

from pathlib import Path
from typing import Any

import yaml


def load(path: Path) -> Any:
    """What a file says; each process of the tests reads all of them, so by the parser that is in C."""
    return yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)


def cases(test: str, name: str = "") -> Any:
    """The file `name` beside a test file; by default the one that is called as that: `test_a`, a.yaml."""
    path = Path(test)
    return load(path.with_name(name or f"{path.stem.removeprefix('test_')}.yaml"))
