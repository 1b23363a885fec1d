"""A log while it is being read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.reading.streams import Hashed, Limits, whole

if TYPE_CHECKING:
    from pathlib import Path

    from heatproof.reading.pools import Held


class Log:
    """A log being read: its path in the project, and its bytes, hashed on the way.

    `held`: where its content lies if it was read ahead.

    Raises:
        Error: there is no such file, or it may not be read.
    """

    def __init__(
        self, path: str, root: Path, limits: Limits | None = None, held: Held | None = None
    ) -> None:
        self.path, self.root, self.held = path, root, held
        self.limits = limits or Limits()
        self.sidecars: dict[str, tuple[str, int]] = {}
        self._file = None if held else Hashed(f"{root}/{path}", self.limits)

    @property
    def file(self) -> Hashed:
        """The log as a file."""
        if self._file is None:
            data = self.held.content() if self.held else None
            self._file = Hashed(f"{self.root}/{self.path}", self.limits, data)
        return self._file

    def known(self) -> tuple[str, int]:
        """Digest and size of the log."""
        if self.held:
            return self.held.digest, self.held.stop - self.held.start
        return self.file.digest(), self.file.size

    def beside(self, path: str, limit: int) -> bytes:
        """The content of a sidecar; its digest and size are kept with the log's own.

        Raises:
            Unreadable: it is damaged or longer than `limit` bytes.
        """
        with Hashed(self.root / path, self.limits) as file:
            try:
                return whole(file, path, limit)
            finally:
                self.sidecars[path] = file.digest(), file.size

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
