"""Long records are decoded by another parser, which must find what the usual one finds."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heatproof.readers import _keys, _lines, dynts, lm_eval, qwen_math
from heatproof.readers._keys import Decoder, Repeated
from reading import run, text_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_long = pytest.importorskip("heatproof.readers._long", reason="there is no pysimdjson here")

NAME = "m_t_N5-R0.1-KW500-PKVL5000.jsonl"
TEXT = 'so x² ≤ \\(\\frac{1}{2}\\),\nwait: "no" 😀 '


class Record(msgspec.Struct, gc=False):
    """A record with all kinds of fields."""

    sample_id: int | str
    score: bool | float | None
    lists: list[Any] = []
    anything: Any = None
    made: bool = False


PLAIN = msgspec.json.Decoder(Record)


def encoded(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode()


def repeats(text: bytes) -> bool:
    """Whether a wanted key stands twice, by the standard library."""
    keys = [key for key, _ in json.loads(text, object_pairs_hook=list)]
    wanted = [key for key in keys if key in Record.__struct_fields__]
    return len(set(wanted)) < len(wanted)


numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()
values = st.recursive(
    numbers | st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner),
    max_leaves=6,
)
records = st.fixed_dictionaries(
    {"sample_id": st.integers(0, 99) | st.text("ab", max_size=3), "text": st.just(TEXT)},
    optional={"score": numbers | st.none(), "lists": st.lists(values, max_size=3),
              "anything": values, "made": st.booleans(), "other": values},
)  # fmt: skip


@given(st.lists(records, min_size=1, max_size=4))
@settings(max_examples=300, deadline=None)
def test_what_it_finds_is_what_the_decoder_finds(found: list[dict[str, Any]]) -> None:
    """Values of all kinds; a record that does not fit is left to the decoder."""
    texts = [encoded(record) for record in found]
    mine = _long.Long(Record).lines(text_of(*texts))
    if mine is not None:
        assert mine == [PLAIN.decode(text) for text in texts]
        assert repr(mine) == repr([PLAIN.decode(text) for text in texts])  # 1, 1.0 and true differ


edits = st.lists(
    st.tuples(st.integers(0, 10**6), st.sampled_from(b'"\\{}[]:,0123456789-.eEutrnfaN \t\x00\x1f\xff\xc3')),
    min_size=1, max_size=3,
)  # fmt: skip


@given(records, edits)
@settings(max_examples=700, deadline=None)
def test_what_it_accepts_is_json_without_repeats(
    record: dict[str, Any], changes: list[tuple[int, int]]
) -> None:
    """Of damaged records it accepts none that the decoder refuses."""
    text = bytearray(encoded(record))
    for at, byte in changes:
        text[at % len(text)] = byte
    data = bytes(text)
    mine = _long.Long(Record).lines(text_of(data)) if b"\n" not in data else None
    if mine is not None:
        data.decode()
        assert repr(mine) == repr([PLAIN.decode(data)])
        assert not repeats(data)


SPECIAL: dict[str, str] = {
    "a list": "[1, 2]",
    "a number": "3",
    "two values": '{"sample_id": 1, "score": 1} {"sample_id": 2, "score": 1}',
    "repeated": '{"sample_id": 1, "score": 1, "score": 0}',
    "repeated, escaped": '{"sample_id": 1, "score": 1, "sc\\u006fre": 0}',
    "a lone surrogate": '{"sample_id": "\\udc00", "score": 1}',
    "another type": '{"sample_id": 1, "score": {"score": 1}}',
    "lacking": '{"sample_id": 1}',
    "beyond 64 bits": '{"sample_id": 18446744073709551616, "score": 1}',
    "beyond a float": '{"sample_id": 1, "score": 1e400}',
    "no number": '{"sample_id": 1, "score": NaN}',
    "deep": '{"sample_id": 1, "score": 1, "x": ' + "[" * 2000 + "]" * 2000 + "}",
    "nothing": "",
}


@pytest.mark.parametrize("case", SPECIAL)
def test_the_unusual_is_left_to_others(case: str) -> None:
    """They know what to say of it; and the parser can go on with the next chunk."""
    long = _long.Long(Record)
    good = b'{"sample_id": 1, "score": true, "lists": [1, [2]], "anything": {"a": {}}}'
    assert long.lines(text_of(good, SPECIAL[case].encode())) is None
    assert long.lines(text_of(good)) == [Record(1, True, [1, [2]], {"a": {}})]


def test_what_it_found_stays_when_it_goes_on() -> None:
    """No value is a view of what the parser holds of the last record."""
    texts = [
        encoded({"sample_id": n, "score": 1, "lists": [n, [n]], "anything": {"n": [n]}})
        for n in range(9)
    ]
    found = _long.Long(Record).lines(text_of(*texts))
    assert [record.anything for record in found] == [{"n": [n]} for n in range(9)]
    assert [record.lists for record in found] == [[n, [n]] for n in range(9)]


def test_layouts_without_end_are_not_all_remembered() -> None:
    """Records may have keys of their own, each of them."""
    long = _long.Long(Record)
    for n in range(3 * _long.LAYOUTS):
        [found] = long.lines(text_of(encoded({"sample_id": n, f"x{n}": 1, "score": 0.5})))
        assert found.sample_id == n
    assert len(long._layouts) <= _long.LAYOUTS


class Outer(msgspec.Struct):
    """A record with fields in an object of its own."""

    inner: Record | None = None


def test_which_records_it_can_decode() -> None:
    """In structs within structs it would not see repeats."""
    assert _long.fits(dynts.Record)
    assert _long.fits(qwen_math.Record)
    assert _long.fits(lm_eval._decoder("acc").type)
    assert not _long.fits(Outer)
    assert not _long.fits(dict[str, int])


LONG = {"decode_text": TEXT * 500}
LOG = [
    encoded({"question_id": n, "answer_id": 0, "score": n % 2 == 0, **LONG}) for n in range(60)
]  # fmt: skip
DAMAGED: dict[str, Callable[[bytes], bytes]] = {
    "whole": lambda line: line,
    "broken UTF-8": lambda line: line.replace("😀".encode(), b"\xf0\x9f", 1),
    "no escape": lambda line: line.replace(b"\\\\frac", b"\\q", 1),
    "repeated": lambda line: line[:-1] + b', "score": 1}',
    "cut": lambda line: line[: len(line) // 2],
    "blank lines": lambda line: b"\n" + line + b"\n",
    "big": lambda line: line.replace(b'"question_id": 7', b'"question_id": 1' + b"0" * 30),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_tables_are_the_same_without_the_parser(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows, rejects and the words for them do not hang on who decodes."""
    assert len(LOG[0]) > _keys.LONG
    texts = [*LOG]
    texts[7] = DAMAGED[case](texts[7])
    (tmp_path / NAME).write_bytes(b"".join(text + b"\n" for text in texts))
    _lines._DECODERS.clear()
    seen: list[Any] = []
    original = _long.Long.lines
    monkeypatch.setattr(_long.Long, "lines", lambda *a: seen.append(original(*a)) or seen[-1])
    used = run(tmp_path, format="dynts", logs="*")
    assert bool(seen[0]) == (case == "whole")
    times = len(seen)
    monkeypatch.setattr(_keys, "LONG", 1 << 60)
    plain = run(tmp_path, format="dynts", logs="*")
    assert len(seen) == times
    assert used.samples.equals(plain.samples)
    assert used.rejected.equals(plain.rejected)
    assert used.manifest == plain.manifest
    assert len(used.samples) == 60 - used.rejected.height


def test_a_python_without_the_parser_reads_long_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is not there for every version of Python as soon as that is out."""
    monkeypatch.setitem(sys.modules, "heatproof.readers._long", None)
    data = text_of(encoded({"sample_id": 1, "score": 1, "text": TEXT * 500}))
    assert Decoder(PLAIN).lines(data) == [Record(1, 1)]
    twice = text_of(
        encoded({"sample_id": 1, "score": 1, "text": TEXT * 500})[:-1] + b', "score": 0}'
    )
    with pytest.raises(Repeated):
        Decoder(PLAIN).lines(twice)
