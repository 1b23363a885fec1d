"""What every script of the workflow does around its one call: tell, log, fail in plain words."""

from __future__ import annotations

import sys
import time
import traceback
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof import remote
from heatproof.errors import Error
from heatproof.proof import made

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EVERY = 5.0
"""Seconds between two lines of progress: none for short jobs, some sign of life for long ones."""


@contextmanager
def log(path: str, outputs: Sequence[str] = ()) -> Iterator[None]:
    """Keep what goes wrong in the job's log file; a user's mistake is told without a traceback.

    When all went well, a receipt of the `outputs` is left, by which their content is known.

    Raises:
        SystemExit: with status 1, after any failure.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with Path(path).open("w") as file:
        try:
            yield
            made.note([remote.named(path) for path in outputs], Path())
        except Error as error:
            file.write(f"{error}\n")
            print(f"\n{error}\n", file=sys.stderr)
            raise SystemExit(1) from error
        except Exception:  # noqa: BLE001 - whatever it is, the log must have it
            traceback.print_exc(file=file)
            traceback.print_exc()
            raise SystemExit(1) from None


def entry(kind: Any, params: dict[str, Any]) -> Any:
    """A config entry as the typed struct of its kind; params carry it as plain values."""
    return msgspec.convert(params, kind)


class Progress:
    """A line now and then while many logs are read."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done, self.last = what, total, 0, time.monotonic()

    def __call__(self, item: str) -> None:
        now = time.monotonic()
        if now - self.last >= EVERY:
            print(f"{self.what}: {self.done} of {self.total}, at {item}", file=sys.stderr)
            self.last = now
        self.done += 1
