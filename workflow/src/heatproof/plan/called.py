"""How Snakemake was called last in a project: with which Snakefile, and which config.

What asks of results later must ask of the same. Kept in the workflow's private folder: no artefact
depends on it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import yaml

from heatproof.config import configuration, syntax
from heatproof.plan import code_digest
from heatproof.plan.left_out import LeftOut
from heatproof.util import hashed
from heatproof.util.atomic_write import swap
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

PLACE = Path(".snakemake/heatproof/called.json")
USUAL = "config.yaml"
PARENT = "HEATPROOF_PARENT"
"""Environment variable: the Snakefile that takes ours for a module, where a build is made without
it: what else it makes is none of our business."""


class Call(msgspec.Struct):
    """A call of Snakemake; paths below the project are relative to it."""

    snakefile: str
    own: list[str] = []
    """Config files that the Snakefile names."""
    given: list[str] = []
    """Those of the command line (`--configfile`), laid over them."""
    values: dict[str, Any] = {}
    """What the command line says itself (`--config`), laid over all."""
    config: dict[str, Any] = {}
    """What came of it, as the rules got it."""
    digests: dict[str, str] = {}
    """Config file → SHA-256, as it was."""
    left_out: LeftOut = msgspec.field(default_factory=LeftOut)
    """What was left out of it for its mistakes (`--keep-going`)."""
    handed_on: bool = False
    """Whether the rules got something else than what the files say, as in a module."""
    module: bool = False
    """Whether the Snakefile takes ours for a module."""

    def over(self, root: Path) -> dict[str, Any]:
        """What the command line lays over the config files of the Snakefile, as they are now."""
        return merged([*(_read(path, root) for path in self.given), self.values])

    def raw(self, root: Path) -> dict[str, Any]:
        """The config as the last run had it, or as a run would have it now if a file changed.

        Raises:
            Error: a file is no YAML, or changed and only a Snakefile knows what is made of it.
        """
        return self.leaving_out(root).without(self.whole(root))

    def leaving_out(self, root: Path) -> LeftOut:
        """What of the config as it is now the last run left out; nothing if a file changed."""
        same = self.left_out and configuration.plain_data(self.whole(root)) == self.config
        return self.left_out if same else LeftOut()

    def whole(self, root: Path) -> dict[str, Any]:
        """The config as a run would have it now, what would be left out of it included.

        Raises:
            Error: a file is no YAML, or changed and only a Snakefile knows what is made of it.
        """
        if not self.handed_on:
            return merged([*(_read(path, root) for path in self.own), self.over(root)])
        for path, digest in self.digests.items():
            if hashed.of_place(root / path) != digest:
                told = f"{path} changed since the last run; what of it reaches heatproof, only"
                raise Error(f"{told} {self.snakefile} knows: run snakemake")
        return self.config


def merged(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Mappings laid over each other, those inside them too, as Snakemake does it."""
    found: dict[str, Any] = {}
    for part in parts:
        for key, value in part.items():
            below = found.get(key)
            if isinstance(below, dict) and isinstance(value, dict):
                value = merged([below, value])  # noqa: PLW2901 - the same, with what lies below
            found[key] = value
    return found


def note(
    root: Path,
    snakefile: str,
    files: Sequence[str | Path],
    given: Sequence[str | Path],
    values: Mapping[str, Any],
    config: Mapping[str, Any],
    *,
    module: bool = False,
    left_out: LeftOut | None = None,
) -> None:
    """Write down a call, if it is another than the last.

    `files`: all config files that were read, those of the command line (`given`) first.
    """
    named = [_named(path, root) for path in files]
    over = [_named(path, root) for path in given]
    own = [path for path in named if path not in over]
    digests = {path: hashed.of_place(root / path) for path in dict.fromkeys([*own, *over])}
    plain = configuration.plain_data(dict(config))
    call = Call(_named(snakefile, root), own, over, dict(values), plain, digests, module=module)
    call.left_out = left_out or call.left_out
    try:
        call.handed_on = module or configuration.plain_data(call.whole(root)) != plain
    except Error:
        call.handed_on = True
    data = msgspec.json.encode(call, enc_hook=str)  # in its order: that of columns hangs on it
    if hashed.other(root / PLACE) == "" and (root / PLACE).read_bytes() == data:
        return
    (root / PLACE).parent.mkdir(parents=True, exist_ok=True)
    with swap(root / PLACE) as part:
        part.write_bytes(data)


def last(root: Path, given: Sequence[str] = (), snakefile: str | None = None) -> Call:
    """The last call in a project; before the first, the one that plain `snakemake` would be.

    `given`: config files, and `snakefile`, to be taken instead.
    """
    try:
        call = msgspec.json.decode(hashed.read(root / PLACE), type=Call)
    except (OSError, msgspec.DecodeError):
        own = (
            "Snakefile"
            if (root / "Snakefile").is_file()
            else str(code_digest.REPOSITORY / "Snakefile")
        )
        call = Call(own, [USUAL])
    if given:
        call = Call(call.snakefile, [path for path in call.own if (root / path).is_file()])
        call.given = [_named(path, root) for path in given]
    if snakefile:
        call.snakefile, call.module = _named(snakefile, root), False
    return call


def snakefile(root: Path) -> dict[str, str]:
    """Path → SHA-256 of the Snakefile that the last run was called with, if it is not ours.

    A project may have one of its own, and take ours for a module.
    """
    path = os.environ.get(PARENT) or last(root).snakefile
    own, there = (
        hashed.of_place(place) for place in (code_digest.REPOSITORY / "Snakefile", root / path)
    )
    return {} if there in (own, hashed.ABSENT) else {Path(path).name: there}


def is_project(root: Path) -> bool:
    """Whether a folder holds a config.yaml, or something was built there."""
    return (root / USUAL).is_file() or (root / PLACE).is_file()


def _named(path: str | Path, root: Path) -> str:
    """A path as a call tells it: below the project relative to it, else absolute."""
    here, there = os.path.abspath(root), os.path.abspath(path)
    inside = os.path.commonpath([here, there]) == here
    return os.path.relpath(there, here) if inside else there


def _read(path: str, root: Path) -> dict[str, Any]:
    if what := hashed.other(root / path):
        raise Error(f"{path} is {what}: name the config of the run by --configfile")
    syntax.require_sound(root / path, path)
    found = yaml.safe_load((root / path).read_text()) or {}
    if not isinstance(found, dict):
        raise Error(f"{path}: {type(found).__name__} where a mapping of sections belongs")
    return found
