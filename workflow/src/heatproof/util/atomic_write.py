"""A file changed in one step: who reads sees the old or the new one, never a half."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


PART = re.compile(r".+\.[0-9a-f]{16}\.part")
"""Names of files that are not yet whole."""


@contextmanager
def swap(path: Path) -> Iterator[Path]:
    """A file to write, which takes the place of `path` when that went well; else nothing changes.

    Its name is like no other, also on other nodes: several may write at once.
    """
    part = path.with_name(f"{path.name}.{secrets.token_hex(8)}.part")
    try:
        yield part
        os.replace(part, path)
    finally:
        # Where both are one file already, replacing one by the other does nothing.
        part.unlink(missing_ok=True)
