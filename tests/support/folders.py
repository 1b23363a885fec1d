"""Folders of logs, and what `heatproof init` writes for them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from heatproof.cli.main import main
from heatproof.config import configuration
from heatproof.config.configuration import plain_data


def put(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below `logs/`."""
    for name, content in files.items():
        path = root / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def init(root: Path, *options: str) -> dict[str, Any]:
    """What is written for the folder `logs`, as YAML reads it.

    It is a sound config, and so by the schema that its first line names.
    """
    assert main(["init", str(root / "logs"), "--project", str(root), *options]) == 0
    text = (root / "config.yaml").read_text()
    config: dict[str, Any] = yaml.safe_load(text)
    configuration.read(config, root)
    if "--add" not in options:
        schema = text.partition("\n")[0].partition("$schema=")[2]
        jsonschema.validate(plain_data(config), json.loads((root / schema).read_text()))
    return config
