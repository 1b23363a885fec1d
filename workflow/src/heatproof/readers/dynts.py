"""DynTS: one JSON line per sample, the settings of the run in the file name.

`{model}_{task}_N{samples}-R{ratio}-KW{local window}-PKVL{pruned at}.jsonl`, also .gz or .zst;
`None` stands for a setting that the run did not have (Robin930/DynTS, arXiv 2601.18383).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.config import Columns, Source
from heatproof.readers._batch import Batch, Log, Place, Reject
from heatproof.readers._lines import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = re.compile(
    r"(?P<model_task>.+)_N(?P<samples>\d+)-R(?P<ratio>None|[\d.]+)"
    r"-KW(?P<local_window>None|\d+)-PKVL(?P<prune_kvlength>None|\d+)\.jsonl(\.gz|\.zst)?"
)


class Entry(Source, kw_only=True):
    """Keys of a `dynts` source."""

    models: list[str] = []
    """Names of models that hold an underscore; without them the name ends at the first one."""

    def columns(self) -> Columns:
        params = {"ratio": "float", "local_window": "int", "prune_kvlength": "int"}
        return Columns(params, ["tokens"])  # type: ignore[arg-type]


class Record(msgspec.Struct):
    """The fields wanted of a row."""

    question_id: int | str
    answer_id: int
    score: bool | float | None
    num_decode_tokens: int | None = None
    reconstructed: bool = False


class _Texts(dict[int | str, str]):
    """Ids as text: each is met in every log again."""

    def __missing__(self, number: int | str) -> str:
        if len(self) > 1 << 16:
            self.clear()
        text = self[number] = str(number)
        return text


TEXTS = _Texts()
DECODER = msgspec.json.Decoder(Record)


def read(log: Log, entry: Entry) -> Iterator[Batch | Reject]:
    """The samples of a log; the whole log is refused when its name does not tell the settings."""
    shared = settings(log.path.rsplit("/", 1)[-1], entry.models)
    if shared is None:
        reason = "the file name is not {model}_{task}_N…-R…-KW…-PKVL….jsonl"
        yield Reject(Place(1, 0, 0), reason)
        return
    yield from read_lines(log, DECODER, columns, shared)


def settings(name: str, models: list[str]) -> dict[str, Any] | None:
    """Model, task and hyper-parameters that a file name tells; None if it is no such name.

    Tasks may hold underscores (GPQA_D) and so may models: the longest of `models` that fits
    wins, else the model ends at the first underscore.
    """
    match = NAME.fullmatch(name)
    if match is None:
        return None
    both = match["model_task"]
    known = [model for model in models if both.startswith(f"{model}_")]
    model = max(known, key=len) if known else both.split("_")[0]
    task = both[len(model) + 1 :]
    if not model or not task:
        return None
    return {
        "model": model,
        "task": task,
        "ratio": _number(match["ratio"], float),
        "local_window": _number(match["local_window"], int),
        "prune_kvlength": _number(match["prune_kvlength"], int),
    }


def _number(text: str, kind: type[float] | type[int]) -> float | int | None:
    return None if text == "None" else kind(text)


def columns(records: list[Record]) -> dict[str, list[Any]]:
    """Columns of the samples table that the rows themselves tell."""
    made = [r.reconstructed for r in records]
    found: dict[str, list[Any]] = {
        "sample_id": [TEXTS[r.question_id] for r in records],
        "epoch": [r.answer_id for r in records],
        "score": [r.score for r in records],
        "tokens": [r.num_decode_tokens for r in records],
    }
    return found | {"reconstructed": made} if True in made else found
