"""What becomes of lines, good and odd, is what the standard library says of each by itself."""

import json
from itertools import cycle
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heatproof.formats.decoding import Decoder, Repeated, places
from support.data import cases
from support.reading import run


class Record(msgspec.Struct, gc=False):
    """A record with all kinds of fields."""

    sample_id: int | str
    score: bool | float | None
    number_of_tokens: int | None = None
    made: bool = False


PLAIN = msgspec.json.Decoder(Record)
GOOD = b'{"sample_id": 0, "score": true, "epoch": 0}'

numbers = st.integers(-5, 10**9) | st.integers(0, 300)
scores = st.booleans() | st.none() | st.floats(0, 1) | st.sampled_from([0, 1])
kinds = st.fixed_dictionaries(
    {"sample_id": numbers | st.text(max_size=6), "text": st.text(max_size=9), "score": scores},
    optional={"number_of_tokens": numbers | st.none(), "made": st.booleans()},
)


@given(st.lists(kinds, min_size=1, max_size=6), st.booleans())
@settings(max_examples=50)
def test_records_are_those_of_the_plain_decoder(found: list[Any], tight: bool) -> None:
    """Whatever they hold, with spaces behind colons or without."""
    apart = (",", ":") if tight else (", ", ": ")
    text = b"".join(json.dumps(record, separators=apart).encode() + b"\n" for record in found)
    assert Decoder(Record).lines(text) == PLAIN.decode_lines(text)


@given(st.lists(kinds, min_size=1, max_size=4), st.data())
@settings(max_examples=50)
def test_a_key_that_stands_twice_is_noticed(found: list[Any], data: st.DataObject) -> None:
    """In any record, wanted or left at its default in the others, plain or escaped."""
    lines = [json.dumps(record).encode() for record in found]
    at = data.draw(st.integers(0, len(lines) - 1))
    key = data.draw(
        st.sampled_from([name for name in Record.__struct_fields__ if name in found[at]])
    )
    again = json.dumps(key) if data.draw(st.booleans()) else f'"\\u{ord(key[0]):04x}{key[1:]}"'
    lines[at] = lines[at][:-1] + f", {again}: {json.dumps(found[at][key])}}}".encode()
    with pytest.raises(Repeated):
        Decoder(Record).lines(b"\n".join(lines))


ODD = {name: [line.encode("latin-1") for line in lines] for name, lines in cases(__file__).items()}
ODD["deep"] = [b'{"sample_id": 1, "score": 1, "x": ' + b"[" * 2000 + b"]" * 2000 + b"}"]


@pytest.mark.parametrize(("case", "size"), [*zip(ODD, cycle([20, 30_000]))])
def test_odd_lines_take_no_good_ones_along(case: str, size: int, tmp_path: Path) -> None:
    """Rows are the lines that are one record by themselves, whatever lines are beside them."""
    pad = b', "text": "' + b"x" * size + b'"}'
    good = [GOOD.replace(b": 0", b": %d" % n, 1)[:-1] + pad for n in range(10, 22)]
    lines = [*good[:6], *ODD[case], *good[6:]]
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    fields = {"sample_id": "sample_id", "epoch": "$row", "score": "score"}
    found = run(tmp_path, format="jsonl", logs="*.jsonl", fields=fields, model="m", task="t")
    wanted = [number for number, line in enumerate(lines, 1) if line.strip() and is_record(line)]
    assert found.samples["line"].sort().to_list() == wanted
    refused = [number for number, line in enumerate(lines, 1) if line.strip()]
    assert sorted({*found.rejected["line"].to_list(), *wanted}) == refused


def is_record(line: bytes) -> bool:
    """Whether a line is one record, by the standard library."""
    try:
        pairs = json.loads(line.decode(), object_pairs_hook=list, parse_constant=refuse)
    except (ValueError, RecursionError):
        return False
    if not isinstance(pairs, list) or not all(isinstance(one, tuple) for one in pairs):
        return False
    keys = [key for key, _ in pairs]
    wanted = [key for key in keys if key in ("sample_id", "score")]
    return sorted(wanted) == ["sample_id", "score"] and not isinstance(dict(pairs)["score"], list)


def refuse(name: str) -> None:
    raise ValueError(name)


class Inner(msgspec.Struct, rename={"next_": "één"}):
    """An object that is decoded field by field, and may hold another."""

    known: int = 0
    next_: "Inner | None" = None


class Loose(msgspec.Struct, rename={"any_": "any"}):
    """Fields that hold objects of any keys, at once or deeper."""

    a: int = 0
    any_: Any = None
    table: dict[str, Any] | None = None
    inner: Inner | None = None
    many: list[Inner] = []
    items: list[dict[str, int]] = []


@pytest.mark.parametrize(
    ("text", "twice"),
    [
        ('{"a": 1, "a": 2}', "a"), ('{"z": 1, "z": 2}', ""), ('{"z": {"a": 1, "a": 2}}', ""),
        ('{"inner": {"known": 1, "known": 2}}', "known"), ('{"any": {"q": 1, "q": 2}}', "q"),
        ('{"any": [{"q": 1, "q": 2}]}', "q"), ('{"many": [{"known": 1, "known": 2}]}', "known"),
        ('{"table": {"a": {"q": 1, "q": 2}}}', "q"), ('{"items": [{"q": 1, "q": 2}]}', "q"),
        ('{"n": %s}' % ("9" * 4000), ""), ('{"inner": null, "inner": {"known": 1}}', "inner"),
        ('{"many": [], "ma\\u006ey": []}', "many"), ('{"many": [{"één": {"known": 1, "known": 1}}]}', "known"),
        ('{"inner": {"known": 1}, "many": [{"known": 1, "één": {"known": 1}}, {"één": null}, {}]}', ""),
    ],
)  # fmt: skip
def test_keys_that_stand_twice_where_they_are_looked_at(text: str, twice: str) -> None:
    """By themselves or among others; what a decoder skips may hold any key as often as it likes."""
    decoder, good = Decoder(Loose), '{"a": 1, "many": [{"known": 1}]}\n{"inner": {}, "z": 1}\n'
    if not twice:
        text = good + text
        assert decoder.lines(text.encode()) == [
            msgspec.json.decode(line, type=Loose) for line in text.splitlines()
        ]
        return
    for decode, lines in ((decoder.single, text), (decoder.lines, good + text)):
        with pytest.raises(Repeated):
            decode(lines.encode())


def test_lines_beside_bad_ones_are_taken_whole(tmp_path, monkeypatch):
    """Blanks ahead of a record, one just as long as may be."""
    monkeypatch.setattr("heatproof.logs.streams.CHUNK", 256)
    row = '{"id": "é%d\\u0007", "s": %s}'
    given = [
        " " * 70 + row % (0, 1),
        "",
        " ",
        " " * 80,
        "{",
        row % (1, 1),
        *(row % (n, 9) for n in range(2, 12)),
    ]
    given += ["\t" + row % (20, 1), row % (21, 1) + "\r", "é\x07" + "x" * 120, row % (22, 0)]
    (tmp_path / "a.jsonl").write_text("\n".join(one.replace("\\u0007", "") for one in given))
    fields = {"sample_id": "id", "score": "s"}
    longest = 70 + len((row % (0, 1)).replace("\\u0007", "").encode())
    found = run(tmp_path, format="jsonl", logs="*", fields=fields, max_record=longest)
    assert sorted(found.samples["sample_id"]) == ["é0", "é1", "é20", "é21", "é22"]
    data = (tmp_path / "a.jsonl").read_bytes()
    for at, start, length in found.samples.select("line", "offset", "record_bytes").rows():
        assert data[start : start + length] == data.split(b"\n")[at - 1].removesuffix(b"\r")
    shown = found.rejected.sort("line")["excerpt"].to_list()
    read = (f'{{"id": "é{n}", "s": 9}}' for n in range(2, 12))
    assert shown == ["{", *read, "é\\x07" + "x" * 78]


def test_records_that_are_copies_have_no_place():
    """A part of the document has one; bytes of the same content elsewhere are a mistake of a reader."""
    data = b'[{"a": 1},\n {"a": 2}]'
    items = msgspec.json.decode(data, type=list[msgspec.Raw])
    assert [(place.line, place.offset, place.record_bytes) for place in places(data, items)] == [
        (1, 1, 8), (2, 12, 8),
    ]  # fmt: skip
    with pytest.raises(IndexError, match="no view into its document"):
        places(data, [msgspec.Raw(b'{"a": 1}')])
