"""What a run tells of a config, before its jobs and by them."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from heatproof import plan as mistakes
from heatproof.config import syntax
from heatproof.kinds import api
from heatproof.library import reading
from heatproof.logs import logs
from heatproof.util.errors import Error, Mistake


def changed(config: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A config with one value put elsewhere."""
    raw = deepcopy(config)
    *parents, last = path.split("/")
    node = raw
    for part in parents:
        node = node[part]
    node[last] = value
    return raw


def mistakes_of(text: str, root: Path) -> list[Mistake]:
    """All mistakes of a config, in a project with logs."""
    path = root / "config.yaml"
    path.write_text(text)
    try:
        syntax.require_sound(path, "config.yaml")
        plan = mistakes.planned(yaml.safe_load(text), root)
        tables: dict[str, Any] = {}
        for name, source in plan.sources.items():
            read, _, problems = reading.tables_of(source, logs.find(source, root), root)
            if problems:
                raise Error(problems)
            tables[name] = read.samples
        for entry in plan.figures.values():
            if entry.source in tables:
                samples = tables[entry.source].lazy()
                api.kind(entry.kind).aggregate(samples, entry)
    except Error as error:
        return error.mistakes
    return []
