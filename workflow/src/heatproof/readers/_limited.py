"""An end to what a log could make endless, such as a pattern that goes back again and again."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 10.0
"""Seconds for one record: patterns of real tasks take a thousandth of one."""


class Late(Error):
    """It has taken too long."""


@contextmanager
def limited(what: str) -> Iterator[None]:
    """A block that ends as Late when it has taken too long; in the main thread only.

    Python's patterns look for signals while they match.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_: object) -> None:
        raise Late(f"{what} takes longer than {LONGEST:g} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
