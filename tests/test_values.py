"""Values that are read from the bytes of short records are those that the decoder reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heatproof.readers._keys import Decoder, Repeated
from heatproof.readers._values import Records, values
from reading import lines, reasons, run, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from heatproof.reading.streams import Text


class Record(msgspec.Struct, gc=False):
    """A record with all kinds of fields."""

    sample_id: int | str
    score: bool | float | None
    number_of_tokens: int | None = None
    made: bool = False


PLAIN = msgspec.json.Decoder(Record)
FIELDS = Record.__struct_fields__


def chunk(*records: dict[str, Any] | bytes) -> Text:
    return text_of(*(r if isinstance(r, bytes) else json.dumps(r).encode() for r in records))


def second(first: Any, *records: dict[str, Any] | bytes) -> Sequence[Any]:
    """The records of a second chunk, after the layout has been learnt from a first."""
    decoder = Decoder(PLAIN)
    decoder.lines(chunk(first, first))
    return decoder.lines(chunk(*records))


def agree(records: Sequence[Any], data: memoryview) -> None:
    for name in FIELDS:
        found = values(records, name)
        listed = found.tolist() if isinstance(found, np.ndarray) else found
        assert listed == [getattr(record, name) for record in PLAIN.decode_lines(data)]


numbers = st.integers(-5, 10**9) | st.integers(0, 300)
scores = st.booleans() | st.none() | st.floats(0, 1) | st.sampled_from([0, 1])
kinds = st.fixed_dictionaries(
    {"sample_id": numbers | st.text(max_size=6), "text": st.text(max_size=9), "score": scores},
    optional={"number_of_tokens": numbers | st.none(), "made": st.booleans()},
)


@given(st.lists(kinds, min_size=1, max_size=6), st.booleans())
@settings(max_examples=300, deadline=None)
def test_values_are_those_that_the_decoder_reads(found: list[Any], tight: bool) -> None:
    """Whatever the records hold, with spaces behind colons or without."""
    apart = (",", ":") if tight else (", ", ": ")
    texts = [json.dumps(record, separators=apart).encode() for record in found]
    agree(second(texts[0], *texts), chunk(*texts).data)


def test_small_numbers_and_flags_are_read_as_arrays() -> None:
    """No object is made of each value that a log repeats ten thousand times."""
    rows = [{"sample_id": n, "score": n % 3 == 0, "number_of_tokens": 7**n} for n in range(9)]
    records = second(rows[0], *rows)
    assert isinstance(records, Records)
    assert values(records, "sample_id").tolist() == list(range(9))  # type: ignore[union-attr]
    assert values(records, "number_of_tokens").dtype == np.int64  # type: ignore[union-attr]
    assert values(records, "score").dtype == bool  # type: ignore[union-attr]
    assert values(records, "made").tolist() == [False] * 9  # type: ignore[union-attr]


@pytest.mark.parametrize("other", [1.5, -1, 12345678, 1e3, None, "7", 10**30])
def test_other_values_are_left_to_the_decoder(other: Any) -> None:
    """One among many that is no small whole number is enough."""
    kind = msgspec.defstruct("Any", [("sample_id", Any)])
    decoder = Decoder(msgspec.json.Decoder(kind))
    rows = [{"sample_id": n} for n in range(5)]
    decoder.lines(chunk(*rows))
    found = values(decoder.lines(chunk(*rows, {"sample_id": other})), "sample_id")
    assert found == [0, 1, 2, 3, 4, other]


def test_a_field_of_an_inner_object_is_not_taken_for_the_outer_one() -> None:
    """The colons and what is before them are the same; the depth is not."""
    outer = b'{"sample_id": 1, "score": true, "a": {"b": 2}, "number_of_tokens": 3}'
    inner = b'{"sample_id": 1, "score": true, "a": {"b": 2, "number_of_tokens": 3}}'
    records = second(outer, outer, inner)
    assert values(records, "number_of_tokens") == [3, None]


def test_a_key_that_ends_like_another_is_not_taken_for_it() -> None:
    """Only the last bytes of a key are compared at first."""
    one = b'{"sample_id": 1, "score": true, "number_of_tokens": 3}'
    two = b'{"sample_id": 1, "score": true, "my_xxer_of_tokens": 4}'
    assert values(second(one, one, two), "number_of_tokens") == [3, None]
    assert values(second(two, two, one), "number_of_tokens") == [None, 3]


def test_a_repeated_key_is_noticed_in_a_known_layout() -> None:
    """Knowing the layout of the records before does not make a reader careless."""
    good = {"sample_id": 1, "score": True}
    with pytest.raises(Repeated):
        second(good, good, b'{"sample_id": 1, "score": true, "score": false}')


def test_what_is_no_score_is_refused_from_among_arrays(tmp_path: Path) -> None:
    """The rows beside it keep their numbers, whether the chunk was read as arrays or not."""
    rows = [{"question_id": n, "answer_id": 0, "score": n % 2} for n in range(9)]
    for number in range(3):  # the first teaches the layout
        log = tmp_path / f"m_t_N1-R0.1-KW{number}-PKVL5000.jsonl"
        log.write_bytes(lines([*rows, {"question_id": 10, "answer_id": 0, "score": 7}]))
    result = run(tmp_path, format="dynts", logs="*.jsonl")
    assert reasons(result) == ["score 7 is not between 0 and 1"] * 3
    assert result.samples["sample_id"].to_list() == [str(n) for n in range(9)] * 3
    assert result.samples["score"].to_list() == [float(n % 2) for n in range(9)] * 3
