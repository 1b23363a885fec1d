"""Short records that are not decoded but only looked through: nothing that is no record passes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heatproof.readers import _alike
from heatproof.readers._counted import quoted
from heatproof.readers._values import values
from reading import run, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_checked = pytest.importorskip("heatproof.readers._checked", reason="there is no pysimdjson here")


class Record(msgspec.Struct, gc=False):
    """A record whose values can be read from its bytes."""

    a: int | str
    b: bool | None = None
    c: int = 7


PLAIN = msgspec.json.Decoder(Record)
NAMES = [quoted(name) for name in Record.__struct_fields__]


def after(first: bytes, *lines: bytes) -> Sequence[Any] | None:
    """The records of lines that come when the layout of `first` is known."""
    alike = _alike.Alike(PLAIN, NAMES)
    alike.lines(text_of(first))
    return alike.lines(text_of(*lines))


def is_decoded(records: Any) -> bool:
    return getattr(records, "_decoded", ()) is not None


@pytest.mark.parametrize("good", [b'{"a": 1, "t": "[x}", "b": true}', b'{"a":1,"t":[{}],"b":true}'])
def test_good_records_are_not_decoded(good: bytes) -> None:
    """All that is asked for is read from their bytes."""
    found = after(good, *[good] * 9)
    assert found is not None
    assert not is_decoded(found)
    assert list(values(found, "a")) == [1] * 9
    assert list(values(found, "b")) == [True] * 9
    assert list(values(found, "c")) == [7] * 9
    assert not is_decoded(found)
    assert [(record.a, record.b, record.c) for record in found] == [(1, True, 7)] * 9


BAD: dict[str, list[bytes]] = {
    "a list over two lines, and two objects in one":
        [b'{"a": 1, "b": [{}', b'{"a": 1, "b": 1}]},{}'],
    "a list over three lines":
        [b'{"a": 1, "b": [{}', b'{"a": 1, "b": {}', b'{"a": 1, "b": 1}]}'],
    "a text over two lines": [b'{"a": "}', b'{"a": 1, "b": ", "b": 1}'],
    "a text that ends at a brace": [b'{"a": 1, "b": "}', b'{"a": 1, "b": "}'],
    "no end": [b'{"a": 1, "b": {}', b'{"a": 1, "b": {}'],
    "an object too many": [b'{"a": 1, "b": true}, {}'],
    "an object within": [b'{"a": 1, "x": {"b": true}}'],
    "an object in a list": [b'{"a": 1, "x": [{"b": true}]}'],
    "a brace too many": [b'{"a": 1, "b": true}}'],
    "no brace": [b'{"a": 1, "b": true]'],
    "two keys": [b'{"a": 1, "b": true, "a": 2}'],
    "an escape": [b'{"a": 1, "\\u0062": true}'],
    "a zero ahead": [b'{"a": 01, "b": true}'],
    "no UTF-8": [b'{"a": "\xff", "b": true}'],
    "no JSON": [b'{"a": nan, "b": true}'],
    "a control character": [b'{"a": "\x01", "b": true}'],
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("place", ["alone", "behind", "before"])
def test_what_is_no_record_is_not_passed(case: str, place: str) -> None:
    """Such lines may make up JSON when they are put together; and good ones do not hide them."""
    good = [b'{"a": 1, "b": true}'] * 5
    lines = {"alone": [], "behind": good, "before": []}[place] + BAD[case]
    lines += good if place == "before" else []
    try:
        found = after(good[0], *lines)
    except (msgspec.DecodeError, ValueError):
        return
    assert found is None or is_decoded(found)


@pytest.mark.parametrize("line", [b'{"a": true, "b": true}', b'{"a": 1, "b": 1}'])
def test_values_of_another_type_are_left_to_the_decoder(line: bytes) -> None:
    """It refuses them, as it does without what was learnt."""
    found = after(b'{"a": 1, "b": true}', line)
    assert found is not None
    with pytest.raises(msgspec.ValidationError):
        [list(values(found, name)) for name in "ab"]


numbers = st.integers(0, 10**8)
scores = st.booleans() | st.none()
texts = st.sampled_from(["", "}", "{", "},{", "[", '"', "\\", ", ", '", "b', "x: y", "\n", "²"])
made = st.tuples(numbers, texts | st.lists(texts, max_size=2) | st.just([{}]), scores)
edits = st.lists(
    st.tuples(st.integers(0, 10**6), st.sampled_from(b'"\\{}[]:,01\n\n.-eutfn \t\r\xff\xc3')),
    max_size=3,
)


@given(st.lists(made, min_size=1, max_size=4), edits, st.booleans())
@settings(max_examples=1500, deadline=None)
def test_what_is_passed_is_what_the_decoder_finds_line_by_line(
    rows: list[Any], changes: list[tuple[int, int]], tight: bool
) -> None:
    """Whatever is damaged, newlines come and go included."""
    apart = (",", ":") if tight else (", ", ": ")
    records = [dict(zip("atb", row, strict=True)) for row in rows]
    good = [json.dumps(record, separators=apart).encode() for record in records]
    data = bytearray(b"\n".join(good))
    for at, byte in changes:
        data[at % len(data)] = byte
    lines = bytes(data).split(b"\n")
    try:
        found = after(json.dumps({"a": 1, "t": "", "b": True}, separators=apart).encode(), *lines)
    except (msgspec.DecodeError, ValueError):
        return
    if found is None or is_decoded(found):
        return
    assert len(found) == len(lines)
    for line in lines:
        keys = [key for key, _ in json.loads(line, object_pairs_hook=list)]
        assert sorted(keys) == sorted(set(keys))
    try:
        expected = [PLAIN.decode(line) for line in lines]
    except msgspec.ValidationError:
        with pytest.raises(msgspec.ValidationError):
            [list(values(found, name)) for name in Record.__struct_fields__]
        return
    for name in Record.__struct_fields__:
        assert list(values(found, name)) == [getattr(record, name) for record in expected]


def test_a_source_whose_values_must_be_decoded_is_decoded_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To look through them first would be in vain; after some chunks that is known."""
    looked: list[int] = []
    call = _checked.Check.__call__

    def counted(self: Any, text: Any) -> bool:
        looked.append(1)
        return bool(call(self, text))

    monkeypatch.setattr(_checked.Check, "__call__", counted)
    monkeypatch.setattr(_alike, "PATIENCE", 3)
    for number in range(60):
        rows = [{"question_id": f"q{n}", "answer_id": 0, "score": True} for n in range(2000)]
        data = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"m_t_N1-R0.1-KW{number}-PKVL5.jsonl").write_text(data)
    assert len(run(tmp_path, format="dynts", logs="*.jsonl").samples) == 120_000
    assert len(looked) == 3
