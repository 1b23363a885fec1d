"""A job for several figures or shards: where nothing changed they are left alone, else made."""

from __future__ import annotations

import traceback
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof.cluster import remote
from heatproof.provenance import failed, job, kept, made, unsettled
from heatproof.util import hashed, terminal
from heatproof.util.canonical import key
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Batch:
    """The figures, or shards, of a job and what becomes of each."""

    def __init__(self, stage: str, log: str = "") -> None:
        self.stage, self.log = stage, log
        self._digest = cache(hashed.sha256)
        self._made: dict[str, tuple[list[str], str]] = {}
        self._stood: list[str] = []
        self._wrong: dict[str, str] = {}
        self._unsettled: set[str] = set()

    @contextmanager
    def one(self, figure: str, outputs: Iterable[str | Path]) -> Iterator[None]:
        """While one of the figures is made: what is wrong with it does not stop the others."""
        try:
            yield
        except failed.Marked as error:  # told by the job before
            why = str(error)
            if not failed.allowed():
                self._wrong[figure] = why
        except Error as error:
            why = self._wrong[figure] = str(error)
        except Exception as error:
            if job.is_full(error) or isinstance(error, MemoryError) or not failed.allowed():
                raise
            self._wrong[figure] = traceback.format_exc()
            said = traceback.format_exception_only(error)[-1].strip()
            why = f"{figure}: {said}; {self.log} tells where: a fault of heatproof's own"
        else:
            return
        self._made.pop(figure, None)
        if failed.allowed():
            failed.mark(outputs, why)

    def digests(self, paths: Iterable[str | Path]) -> dict[str, str]:
        """Path → SHA-256, of files that the figures of a batch may share: taken once."""
        return {str(path): self._digest(str(path)) for path in paths}

    def stands(
        self,
        figure: str,
        outputs: Iterable[str | Path],
        made_of: Any,
        inputs: Iterable[str | Path],
    ) -> bool:
        """Whether the results of a figure are left as they are; else they are to be made now.

        `made_of`, plain values, tells all that they are made of; `inputs` are the job's files
        among that.
        """
        named = [remote.named(path) for path in outputs]
        of = key(made_of)
        if kept.stand(named, of, map(str, inputs), Path()):
            self._stood.append(figure)
            return True
        self._made[figure] = named, of
        return False

    def unsettled(self, figure: str) -> None:
        """Have the next run make the results of a figure or shard again."""
        self._unsettled.add(figure)

    def close(self) -> None:
        """Leave receipts of what was made, and say what was not.

        Raises:
            Error: something was wrong with some of them, and the run cannot go on without.
        """
        wrong = "\n".join(dict.fromkeys(self._wrong.values()))
        if wrong and not failed.allowed():
            raise Error(wrong)
        if wrong:
            job.tell(wrong, self.log)
        for name, (outputs, of) in self._made.items():
            settled = name not in self._unsettled
            made.note(outputs, Path(), of if settled else "")
            kept.keep(outputs, Path())
            unsettled.note(outputs, Path(), settled=settled)
        if self._stood:
            again = ", ".join(self._made) or "nothing"
            stood = ", ".join(self._stood)
            terminal.say(f"heatproof: {self.stage}: {again} made, left as is: {stood}", error=True)


@contextmanager
def batch(stage: str, path: str) -> Iterator[Batch]:
    """The batch of a job, to be closed when all went well; `path` is the job's log file."""
    those = Batch(stage, path)
    with job.log(path):
        yield those
        those.close()
