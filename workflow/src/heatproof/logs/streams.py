"""Read a log as a stream, decompressed, hashed and bounded: its lines, or all of it.

Others may write to a log while it is read. A run reads no more than it noted at its start, and
leaves a last record without an end for the next run. If nobody writes to the log, such a record is
refused. A log that no longer begins with what was noted is read as it is.
"""

from __future__ import annotations

import io
import os
import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from blake3 import blake3

from heatproof.logs import sheet_text, yaml_text
from heatproof.util import hashed
from heatproof.util.errors import Error, why_unread
from heatproof.util.lazy import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from heatproof.util.hashed import Extent


PIECE = 1 << 18  # bytes from a decompressor at a time; so many are lost where an archive breaks off
CONVERTED = (*yaml_text.ENDINGS, sheet_text.ENDING)  # endings of files that are read as other text
PACKED = (".gz", ".zst", ".parquet", *CONVERTED)  # of files whose content is not their bytes
SUMMED = (".gz", ".zst")  # of these, those with a checksum at their end alone
MAGIC = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst", b"PAR1": ".parquet"}
"""Beginning of a packed file → its right ending."""
POINTER = b"version https://git-lfs.github.com/spec/"  # begins what git-LFS leaves for a file
LFS = "a git-LFS pointer, not the log itself: run git lfs pull"
EMPTY, NO_ROWS = "the log is empty", "the log has a header and no rows"
UNENDED = "cut off, or still being written"
WIDE = b"\xff\xfe", b"\xfe\xff"  # begin text that Windows calls Unicode
UTF16 = "UTF-16, not UTF-8: convert it, iconv -f UTF-16 -t UTF-8"


class Limits(NamedTuple):
    """The most that is read of a log."""

    record: int = 64 << 20  # bytes of one record
    expansion: int = 200  # times its own size that an archive larger than a record may unpack to


class Unreadable(Error):
    """The stream broke off at `offset`; what came before is good, unless `spoiled`."""

    def __init__(self, reason: str, offset: int = 0, line: int = 1, kind: str = "damage") -> None:
        super().__init__(reason, kind)
        self.offset, self.line, self.spoiled = offset, line, False


class Hashed(io.RawIOBase):
    """A file that hashes each byte that is read from it; no more than what was `noted` of it.

    Raises Unreadable: there is no such file, or it may not be read.
    """

    def __init__(
        self, path: Path | str, limits: Limits | None = None, noted: Extent | None = None
    ) -> None:
        self.limits = limits or Limits()
        self._hash, self.size, self._ended = blake3(), 0, False
        self._end: int | None = None
        self.grown = False  # whether the file has more than what was noted
        self._stamp = 0
        try:
            self._file = open(path, "rb", buffering=0)  # noqa: SIM115  a third of the time
            self._number = self._file.fileno()
            if noted is not None:
                self._end = os.fstat(self._number).st_size
                self.grown = self._end > noted.size and self._begins_with(noted)
                if self.grown:
                    self._end = noted.size
        except OSError as error:
            raise Unreadable(why_unread(error)) from error

    def _begins_with(self, noted: Extent) -> bool:
        """Whether the first bytes are those that were noted, as far as these were read."""
        return not noted.digest or hashed.extent(self._number, noted.size) == noted

    def rewind(self) -> None:
        """Begin anew, as if nothing had been read."""
        self._file.seek(0)
        self._hash, self.size, self._ended = blake3(), 0, False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes, all by default; without the copy that a raw file makes of them."""
        if self._end is not None:
            rest = self._end - self.size
            size = rest if size < 0 else min(size, rest)
        data = self._file.read(size)
        self._hash.update(data)
        self.size += len(data)
        self._ended = not data
        return data

    @cached_property
    def begins(self) -> bytes:
        """The first bytes of the file."""
        return os.pread(self._number, 64, 0)

    def pointer(self) -> bool:
        return self.begins.startswith(POINTER)

    def hashed(self) -> Any:
        """The open file, hashed to its end. Raises Unreadable: others still write to it."""
        stamp = os.fstat(self._number).st_mtime_ns
        self.digest()
        self._stamp = stamp
        if self.grown:
            raise Unreadable(f"unreadable archive: it ends too early: {UNENDED}", kind="unended")
        self._file.seek(0)
        return self._file

    def bomb(self, size: int) -> str:
        """Why a file must not unpack to so many bytes; empty if it may."""
        times = self.limits.expansion
        if size <= max(self.limits.record, self.size * times):
            return ""
        return f"the archive unpacks to more than {times} times its size (max_expansion)"

    def digest(self) -> str:
        """BLAKE3 of the whole file. Raises Unreadable: it cannot be read to its end."""
        try:
            while not self._ended:
                self.read(1 << 20)
        except OSError as error:
            raise Unreadable(why_unread(error), self.size) from error
        if self._stamp and os.fstat(self._number).st_mtime_ns != self._stamp:
            # Others wrote to it since it was hashed.
            return hashed.extent(self._number, self.size).digest
        return self._hash.hexdigest()

    def close(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()
        super().close()


def decompressed(raw: Hashed, name: str, member: str = "") -> Any:
    """A stream with `read1` of the decompressed bytes; of Parquet, the rows as lines of JSON.

    YAML becomes JSON, and a sheet of an Excel file, by the name of a `member` or the first, CSV.
    """
    if name.endswith(sheet_text.ENDING):
        return Pieces(sheet_text.sheet_as_csv(raw.hashed(), member, raw.bomb))
    if name.endswith(yaml_text.ENDINGS):
        return Pieces(map(yaml_text.yaml_as_json, [raw.hashed().read()]))
    if name.endswith(".gz"):
        from isal import igzip

        return igzip.GzipFile(fileobj=raw, mode="rb")  # type: ignore[no-untyped-call]
    if name.endswith(".zst"):
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        return zstd.ZstdFile(raw)
    return Pieces(_row_lines(raw))


class Content:
    """The decompressed content of a file. Raises Unreadable: it is not what its name says."""

    def __init__(self, raw: Hashed, name: str, member: str = "") -> None:
        self.raw, self.done = raw, 0
        if raw.pointer():
            raise Unreadable(LFS)
        begins = raw.begins
        if begins[:2] in WIDE:
            raise Unreadable(UTF16)
        self.packed, self.summed = name.endswith(PACKED), name.endswith(SUMMED)
        self._what = "archive" if self.packed and not name.endswith(CONVERTED) else "file"
        for magic, ending in MAGIC.items():
            if begins.startswith(magic) and not self.packed:
                raise Unreadable(f"compressed, but its name does not end in {ending}: rename it")
        self._stream = decompressed(raw, name, member) if self.packed else None

    def read(self, size: int) -> bytes:
        """Up to `size` bytes, none at the end. Raises Unreadable: damage, or too large unpacked."""
        try:
            if self._stream is None:
                data = self.raw.read(size) or b""
            else:
                data = self._stream.read1(min(size, PIECE))
        except Exception as error:
            if not {kind.__name__ for kind in type(error).__mro__} & DAMAGE:
                raise
            message = f"unreadable {self._what}: "
            if isinstance(error, EOFError):
                message += f"it ends too early: {UNENDED}"
                raise Unreadable(message, self.done, kind="unended") from error
            # A flipped bit may have changed any part, and only the checksum at the end shows it.
            message += str(error)
            if self.summed:
                message += "; none of its records is used"
            unreadable = Unreadable(message, self.done)
            unreadable.spoiled = self.summed
            raise unreadable from error
        self.done += len(data)
        if self.packed and (bomb := self.raw.bomb(self.done)):
            raise Unreadable(bomb, self.done)
        return data


DAMAGE = {"EOFError", "OSError", "ZstdError", "IsalError", "error", "ArrowException"}
"""Names of the errors that reading and unpacking a damaged file raise."""


ROWS = 256  # rows of a Parquet file at a time, at most
TOGETHER = 1 << 30  # bytes of these rows, if each had all bytes of its row group
IN_MEMORY = 1 << 26  # bytes of rows that are turned into lines at a time
MISREAD = (
    Error, OSError, ValueError, TypeError, LookupError, OverflowError, MemoryError, RuntimeError,
)  # fmt: skip
"""What Arrow and conversions raise for a damaged file."""


class Pieces:
    """What is made of a file, piece by piece, as a stream; places are those in this text."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = memoryview(b"")

    def read1(self, size: int, /) -> bytes:
        """Up to `size` bytes, none at the end. Raises OSError: damage; EOFError: no end."""
        if not self._rest:
            try:
                self._rest = memoryview(next(self._pieces, b""))
            except Unreadable:
                raise
            except MISREAD as error:
                message = str(error).partition("\n")[0]  # it may hold bytes of the file
                raise OSError(message.encode("unicode_escape").decode()) from error
        data, self._rest = self._rest[:size], self._rest[size:]
        return bytes(data)


def _row_lines(raw: Hashed) -> Iterator[bytes]:
    """The rows of a Parquet file as lines of JSON.

    NaN and infinite numbers are null, times are texts (ISO 8601), bytes base64.
    """
    import pyarrow.parquet as pq

    source, magic = raw.hashed(), b"PAR1"
    begin = source.read(len(magic)) or b""
    source.seek(max(0, raw.size - len(magic)))
    if magic.startswith(begin) and (raw.size < 3 * len(magic) or source.read() != magic):
        raise EOFError  # its end is not there
    file = pq.ParquetFile(
        source, pre_buffer=False, buffer_size=1 << 20, page_checksum_verification=True
    )
    names = file.schema_arrow.names
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"two columns have the name {twice[0]!r}")
    groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
    count = sum(group.num_rows for group in groups)
    if count != file.metadata.num_rows:
        raise ValueError(f"its footer says {file.metadata.num_rows} rows, and it holds {count}")
    for number, group in enumerate(groups):
        size = max(1, group.total_byte_size)
        if bomb := raw.bomb(size):
            raise ValueError(bomb)
        rows = max(1, min(ROWS, TOGETHER // size))
        for batch in file.iter_batches(rows, row_groups=[number], use_threads=False):
            step = len(batch) if batch.nbytes <= IN_MEMORY else 1
            for start in range(0, len(batch), step):
                records = batch[start : start + step].to_pylist()
                yield b"".join(msgspec.json.encode(record) + b"\n" for record in records)


CHUNK = 1 << 18  # bytes read at a time
(NEWLINE,) = b"\n"
LONG = 4096  # bytes of a line
HEAD = 400  # bytes kept of a line that is too long
BOM = b"\xef\xbb\xbf"


class Text(msgspec.Struct, dict=True):
    """Lines of a log; `offset`: of their first byte in its content."""

    data: bytes
    offset: int
    line: int

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """Where lines end: short ones all at once by numpy, long ones one by one."""
        end = self.data.find(b"\n")
        if 0 <= end < LONG:
            return np.flatnonzero(np.frombuffer(self.data, np.uint8) == NEWLINE)
        ends = []
        while end >= 0:
            ends.append(end)
            end = self.data.find(b"\n", end + 1)
        return np.array(ends, np.int64)

    def next_line(self) -> int:
        """The number of the line behind these."""
        if not self.data:
            return self.line
        return self.line + len(self.ends)


class Oversize(NamedTuple):
    """A line that is longer than a record may be; `length` without its end."""

    offset: int
    line: int
    length: int
    head: bytes


def lines(raw: Hashed, name: str, member: str = "") -> Iterator[Text | Oversize]:
    """All lines of a log, some at a time, without a byte order mark.

    Raises Unreadable: the file is damaged; all complete lines before that were yielded.
    """
    content, offset = Content(raw, name, member), 0
    text = Text(b"", 0, 1)
    try:
        for piece in _pieces(content, raw.limits.record):
            line = text.next_line()
            if isinstance(piece, tuple):
                yield Oversize(offset, line, *piece)
                offset += piece[0] + 1
                text = Text(b"", offset, line + 1)
                continue
            if raw.grown and not piece.endswith(b"\n"):
                raise Unreadable(f"the log ends within this line: {UNENDED}", kind="unended")
            mark = len(BOM) if not offset and piece.startswith(BOM) else 0
            text = Text(piece[mark:], offset + mark, line)
            if text.data:
                yield text
            offset += len(piece)
    except Unreadable as error:
        error.offset, error.line = offset, text.next_line()
        raise


def _pieces(content: Content, limit: int) -> Iterator[bytes | tuple[int, bytes]]:
    """Whole lines; of a line beyond the limit, its length and beginning."""
    begun, cut = bytearray(), 0
    while data := content.read(CHUNK):
        if cut:
            end = data.find(b"\n")
            cut += len(data) if end < 0 else end
            if end < 0:
                continue
            yield cut, bytes(begun)
            begun, cut, data = bytearray(), 0, data[end + 1 :]
        stop = data.rfind(b"\n") + 1
        if stop:
            yield b"".join((begun, memoryview(data)[:stop]))
            begun = bytearray()
        begun += memoryview(data)[stop:]
        if len(begun) > limit and not stop:
            begun, cut = begun[:HEAD], len(begun)
    if cut:
        yield cut, bytes(begun)
    elif begun:
        yield bytes(begun)


def oversize(raw: Hashed) -> str:
    """Why a line is refused that is too long."""
    return f"longer than the limit of {raw.limits.record} bytes (max_record)"


def whole(raw: Hashed, name: str, limit: int) -> bytes:
    """The whole decompressed content, but no last line without an end while others write to it.

    Raises Unreadable: the file is damaged, or there are more than `limit` bytes.
    """
    content, pieces, size = Content(raw, name), [], 0
    while data := content.read(CHUNK):
        size += len(data)
        if size > limit:
            raise Unreadable(f"larger than the limit of {limit} bytes")
        pieces.append(data)
    data = b"".join(pieces)
    lines_alone = raw.grown and name.endswith((".jsonl", ".ndjson"))
    return data[: data.rfind(b"\n") + 1] if lines_alone else data


def slices(
    path: Path, places: Iterable[tuple[int, int]], member: str = ""
) -> dict[tuple[int, int], bytes]:
    """The bytes at each (offset, length) of a log's content, or of a `member` of an archive."""
    if member and not path.name.endswith(sheet_text.ENDING):
        from heatproof.logs.archives import Archive

        places = list(places)
        data = Archive(path).head(member, max((sum(place) for place in places), default=0))
        return {(begin, size): data[begin : begin + size] for begin, size in places}
    if not path.name.endswith(PACKED):
        with path.open("rb") as file:
            return {(begin, size): os.pread(file.fileno(), size, begin) for begin, size in places}
    records: dict[tuple[int, int], bytes] = {}
    with Hashed(path) as raw:
        stream = decompressed(raw, path.name, member)
        position, window = 0, b""
        for offset, length in sorted(set(places)):
            while (lacking := offset + length - position - len(window)) > 0:
                try:  # an archive may be cut off
                    data = stream.read1(min(lacking, PIECE))
                except EOFError:
                    data = b""
                if not data:
                    break
                keep = min(max(0, offset - position), len(window))
                position, window = position + keep, window[keep:] + data
            start = offset - position
            records[offset, length] = window[start : start + length]
    return records
