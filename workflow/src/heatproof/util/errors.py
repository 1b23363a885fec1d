"""The one exception a user is meant to read."""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

NAMED = "HEATPROOF_CONFIG"
"""Environment variable: what the file is called that the config was read from."""
CONFIG = re.compile(r"(?<![\w./-])config\.yaml\b(?!:\d)")


class Error(Exception):
    """A mistake in the inputs: its message names the wrong value, the valid ones and the place."""


def unreadable(path: object, error: OSError) -> Error:
    """What to tell of a file or folder that is named but cannot be read."""
    return Error(f"{path}: {why_unread(error)}")


def why_unread(error: OSError) -> str:
    """Why a file cannot be read."""
    reason = error.strerror or str(error)
    return f"it cannot be read: {reason[:1].lower()}{reason[1:]}"


def choices(wrong: object, valid: Iterable[object]) -> str:
    """Say what would have been valid, the likeliest first: `there are a, b (did you mean b?)`."""
    names = [str(name) for name in valid]
    shown = [repr(name) if name in ("", "none") else name for name in names]
    near = get_close_matches(str(wrong), names, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return f"there are {', '.join(shown)}{hint}" if names else "there are none"


def said(text: object) -> str:
    """What users are told of the config, under the true name of the file that it was read from.

    Whoever writes a message calls the file config.yaml: no result hangs on its name.
    """
    name = os.environ.get(NAMED) or "config.yaml"
    return CONFIG.sub(lambda _: name, str(text))
