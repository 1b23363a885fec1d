"""Snakemake without the work that makes no difference here: seconds where files are many."""

# ruff: noqa: SLF001 - there is no public way to what is replaced

from __future__ import annotations

import os
from functools import wraps
from typing import TYPE_CHECKING, Any

from snakemake.io import _IOFile
from snakemake.iocontainers import Params, Snakemake
from snakemake.persistence import PersistenceBase

from heatproof.hashed import Known

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Checksum = Callable[..., Awaitable[str | None]]


def lighten() -> None:
    """Replace three functions of Snakemake, as they stand in the version that is pinned.

    Params here are plain values. To see that, Snakemake would load pandas at each start, and before
    the first job numpy, pandas and polars, wherever they are installed: half a second. And for each
    output of a job it reads each input once more, to note down its checksum.
    """
    PersistenceBase._serialize_param = PersistenceBase._serialize_param_builtin
    Snakemake._safely_store_params = _store_plain
    _IOFile.checksum = _remembering(_IOFile.checksum)


def _store_plain(snakemake: Snakemake, params: Params) -> None:
    """Hand params to a script as they are."""
    snakemake._params_store, snakemake._params_types = Params(toclone=list(params)), {}
    snakemake._params_store._take_names(params._get_names())


def _remembering(checksum: Checksum) -> Checksum:
    """The checksum of a file, taken anew only where it may have been written since."""
    known: dict[str, Known] = {}

    @wraps(checksum)
    async def remembered(file: Any, threshold: int | None = None, **asked: Any) -> str | None:
        if asked or file.is_storage or not os.path.isfile(file.file):
            return await checksum(file, threshold, **asked)
        path, now = str(file.file), Known.of(os.stat(file.file))
        if path not in known or not known[path].same(now):
            now.digest = await checksum(file, threshold) or ""
            known[path] = now
        return known[path].digest or None

    return remembered
