"""A log while it is being read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.logs.raw import POINTER
from heatproof.logs.streams import Hashed, Limits, Unreadable, whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from heatproof.config.entries import Source
    from heatproof.logs.pools import Held
    from heatproof.util.hashed import Extent


class Log:
    """A log being read: its path in the project, and its bytes, hashed on the way.

    `held`: where its content lies if it was read ahead. `noted`: what there was of each file when
    the run began, of which alone is read.

    Raises:
        Unreadable: there is no such file, or it may not be read.
    """

    def __init__(
        self,
        path: str,
        root: Path,
        entry: Source,
        held: Held | None = None,
        noted: Mapping[str, Extent] | None = None,
    ) -> None:
        self.path, self.root, self.held = path, root, held
        self.limits = Limits(entry.max_record, entry.max_expansion)
        self.sidecars: dict[str, tuple[str, int]] = {}
        self._ends, self._noted = entry.ends, noted
        self._changed = False
        """Whether a sidecar that was read is not as it was noted."""
        self._file = None if held else self._open(path)

    def _open(self, path: str) -> Hashed:
        noted = self._noted.get(path) if self._noted else None
        return Hashed(f"{self.root}/{path}", self.limits, None, noted, self._ends(path))

    def was_there(self, path: str) -> bool:
        """Whether a file beside the log was there when the run began."""
        return self._noted is None or path in self._noted

    def unbegun(self) -> bool:
        """Whether the log holds something, but nothing whole of what was noted."""
        return self._file is not None and self._file.unbegun()

    @property
    def file(self) -> Hashed:
        """The log as a file."""
        if self._file is None:
            data = self.held.content() if self.held else None
            self._file = Hashed(f"{self.root}/{self.path}", self.limits, data)
        return self._file

    def pointer(self) -> bool:
        """Whether git-LFS stands in for the log itself."""
        return self.held.begins(POINTER) if self.held else self.file.pointer()

    def known(self) -> tuple[str, int]:
        """Digest and size of the log."""
        if self.held:
            return self.held.digest, self.held.stop - self.held.start
        return self.file.digest(), self.file.size

    def beside(self, path: str, limit: int) -> bytes:
        """The content of a sidecar; its digest and size are kept with the log's own.

        Raises:
            Unreadable: it is damaged, longer than `limit` bytes, or came since the run began.
        """
        if not self.was_there(path):
            raise Unreadable(f"{path} came while the logs were read: run snakemake again")
        with self._open(path) as file:
            try:
                return whole(file, path, limit)
            except Unreadable as error:
                raise Unreadable(f"{path.rsplit('/', 1)[-1]}: {error}") from error
            finally:
                self.sidecars[path] = read = file.digest(), file.size
                self._changed |= file.grown or self._differs(path, read)

    def changed(self) -> bool:
        """Whether the log, or what was read beside it, is not as noted: others write to it."""
        if self.held:
            return self._changed
        return self._changed or self.file.grown or self._differs(self.path, self.known())

    def _differs(self, path: str, read: tuple[str, int]) -> bool:
        noted = self._noted.get(path) if self._noted else None
        return noted is not None and read[0] != noted.digest

    def known_beside(self, path: str) -> tuple[str, int]:
        """Digest and size of a sidecar that was not read; none of one that cannot be."""
        try:
            with self._open(path) as file:
                return file.digest(), file.size
        except Unreadable:
            return "", 0

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
