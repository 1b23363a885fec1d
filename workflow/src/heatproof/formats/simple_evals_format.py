"""simple-evals: `{eval}_{model}_{time}_allresults.json` (`simple_evals.py`).

It has a page of HTML with a score for each answer (`common.py`), where the model's text is escaped.
Answers are in the order of the data set; with `n_repeats`, which the file does not name, the data
set stands several times one behind the other. Printed: `score`, the mean over all answers.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

import msgspec

from heatproof.formats import harness
from heatproof.formats.decoding import decoded
from heatproof.formats.params import number_from_text
from heatproof.util.errors import Error, Mistake

SCORE = re.compile(r"<p>Score: ([^<>]*)</p>")
ENDING = "_allresults.json"


class Entry(harness.Placed, kw_only=True):
    """Keys of a `simple_evals` source."""

    repeats: int = 1
    """How often a log holds the data set (`n_repeats`)."""
    usual: ClassVar[tuple[str, ...]] = (
        (
            r"(?:^|/)(?P<task>healthbench(?:_hard|_consensus|_meta)?|[^_/]+)"
            r"_(?P<model>[^/]+?)(?:_\d{8}_\d{6})?(?:_DEBUG)?_allresults\.json$"
        ),
    )
    others: ClassVar[str] = rf".*\.(?:html|json)(?<!{re.escape(ENDING)})(?:\.gz|\.zst)?"
    prints: ClassVar[str] = "log"

    def mistakes(self) -> list[Mistake]:
        wrong = [Mistake(".repeats", f"{self.repeats} is not 1 or more")]
        return super().mistakes() + (wrong if self.repeats < 1 else [])


recognises = harness.sign(
    f"it is named …{ENDING} and has htmls", f".*{ENDING}", b'"score"', b'"htmls"'
)


class Reader(harness.Reader):
    """The log is a document; a record is the page of an answer."""

    def begin(self) -> None:
        without = f"it has no 'htmls': only files named …{ENDING} have single answers"
        self.held = list(self.items(self.member("htmls", without), kind=harness.LIST))
        if not self.held:
            raise Error("the log holds no answers")
        if len(self.held) % self.entry.repeats:
            raise Error(
                f"{len(self.held)} answers are not {self.entry.repeats} repeats (`repeats`)"
            )
        self.settle({})
        self.shared["scorer"] = "score"

    def samples(self, record: harness.Record) -> harness.Rows:
        try:
            self.page = msgspec.json.decode(record.data, type=str)
        except msgspec.ValidationError as error:
            raise Error(str(error), "type") from None
        epoch, number = divmod(record.number, len(self.held) // self.entry.repeats)
        yield {"sample_id": str(number), "epoch": epoch}

    def score(self, record: harness.Record, row: dict[str, Any]) -> float | bool:
        text = next(reversed(SCORE.findall(self.page)), "").strip()
        if text in ("", "None"):
            raise Error("the sample has no score: its page gives none", "absent")
        try:
            if text in ("True", "False"):
                return text == "True"
            return number_from_text(text)
        except ValueError:
            raise Error(f"score: {text!r:.40} is not a number", "type", "score") from None

    def printed_numbers(self) -> harness.Numbers:
        document = decoded(self.document(), dict[str, Any])
        if "score" in document:
            yield self.number("score", document["score"], over="all")


read = Reader.read
printed = Reader.printed
