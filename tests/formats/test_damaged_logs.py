"""Damaged logs: no crash, no hang, no silent loss, whatever the format."""

import gzip
import json
import os
import random
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heatproof import formats, printed
from heatproof.util import registry
from heatproof.util.errors import Error
from support import specimens
from support.independent import COUNTS, require_all
from support.reading import entry, reader, reasons, run, traced

TIMES = int(os.environ.get("HEATPROOF_FUZZ", "1"))
"""How often more is tried than in the suite: other damage to each specimen."""
TRIES = 4
SLOW = 20
"""Seconds that no damaged source may take."""
JSON = [name for name in specimens.SOURCES if name not in ("csv", "yaml")]
BINARY = ("xlsx", "table", "archive", "lighteval")


def attempt(files: dict[str, bytes], keys: dict[str, Any]) -> None:
    """Read a source whose files are given; its rows must lead back to records that parse."""
    root, begin = Path(tempfile.mkdtemp()), time.monotonic()
    try:
        specimens.write(root, files)
        try:
            result = run(root, **keys)
        except Error as error:
            if not str(error).startswith("config.yaml: sources.test."):  # a choice to be made
                raise
            return
        require_all(result, root, keys)
        source, module = entry(**keys), reader(keys["format"])
        if hasattr(module, "printed"):
            paths = sorted({*result.samples["log"]})
            numbers = [*printed.read(paths, root, source, module.printed)]
            table = [row.row([]) for row in printed.compare_numbers(numbers, [], {})]
            assert json.dumps(printed.outcome(table)).isprintable()
        if keys["format"] not in ("csv", "xlsx"):
            traced(result, root)
        for score in result.samples["score"].drop_nulls():
            assert 0 <= score <= 1
        for text in result.rejected["excerpt"]:
            assert text.isprintable()
    finally:
        shutil.rmtree(root)
    assert time.monotonic() - begin < SLOW


def test_every_reader_has_a_specimen() -> None:
    """A reader that is added is fuzzed, and its records counted apart, or this says so."""
    covered = {keys["format"] for _, keys in specimens.SOURCES.values()}
    assert covered == set(COUNTS) == set(registry.names(formats)) - {"auto"}


@pytest.mark.parametrize("name", specimens.SOURCES)
def test_damaged_logs_are_accounted_for(name: str) -> None:
    """Random damage to a log or to what lies beside it never stops a run or loses a record."""
    files, keys = specimens.SOURCES[name]
    chance = random.Random(name)
    for _ in range(TIMES * TRIES):
        victim = chance.choice(sorted(files))
        attempt(files | {victim: specimens.mutated(files[victim], chance)}, keys)


@pytest.mark.slow
@pytest.mark.parametrize("name", specimens.SOURCES)
@settings(max_examples=2 * TIMES, suppress_health_check=list(HealthCheck))
@given(data=st.binary(max_size=300))
def test_any_bytes_are_accounted_for(name: str, data: bytes) -> None:
    """A log of any bytes at all is read or refused."""
    files, keys = specimens.SOURCES[name]
    attempt(files | {min(files): data}, keys)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in JSON if name not in BINARY])
@settings(max_examples=2 * TIMES, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_values_are_accounted_for(name: str, data: st.DataObject) -> None:
    """Well-formed records with any values in their places are read or refused."""
    files, keys = specimens.SOURCES[name]
    victim = data.draw(st.sampled_from(sorted(files)))
    lines = victim.endswith(".jsonl") or keys["format"] == "bfcl"
    records = [json.loads(p) for p in (files[victim].splitlines() if lines else [files[victim]])]
    for record in records:
        _replace(record, data)
    text = [json.dumps(record).encode() for record in records]
    attempt(files | {victim: b"\n".join(text)}, keys)


def _replace(record: Any, data: st.DataObject) -> None:
    """Put any value in one place of a record."""
    while True:
        keys = list(record) if isinstance(record, dict) else list(range(len(record)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        if not isinstance(record[key], (dict, list)) or data.draw(st.booleans()):
            record[key] = data.draw(VALUES)
            return
        record = record[key]


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in specimens.SOURCES if n not in BINARY])
def test_packed_logs_are_accounted_for(name: str) -> None:
    """The same holds of logs whose content is damaged before it is packed."""
    files, keys = specimens.SOURCES[name]
    main = min(files, key=lambda file: ("results_" in file or "run_spec" in file, file))
    beside = {file: data for file, data in files.items() if file != main}
    keys = keys | {"logs": [f"{main}.gz"]}
    chance = random.Random(f"{name}.gz")
    for number in range(2):
        data = specimens.mutated(files[main], chance) if number else files[main]
        attempt(beside | {f"{main}.gz": gzip.compress(data, 1)}, keys)


@pytest.mark.parametrize("name", specimens.SOURCES)
def test_the_independent_count_sees_a_lost_record(name: str, tmp_path: Path) -> None:
    """Undamaged, all of a specimen is read; were the rows of one record missing, the count would say so."""
    files, keys = specimens.SOURCES[name]
    specimens.write(tmp_path, files)
    result = run(tmp_path, **keys)
    assert len(result.samples) >= 4
    assert [reason for reason in reasons(result) if "metrics.jsonl" not in reason] == []
    require_all(result, tmp_path, keys)
    place = ["member", "offset"]
    lost = result.samples.select(place).row(0)
    result.samples = result.samples.filter(pl.struct(place) != dict(zip(place, lost, strict=True)))
    with pytest.raises(AssertionError):
        require_all(result, tmp_path, keys)


HUGE = b"1" + b"0" * 400
NUMBER = re.compile(rb"(?<=[:\[ ])(-?\d+(\.\d+)?|true|false)(?=[,\]}\s])")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in JSON if name not in BINARY])
def test_huge_numbers_are_accounted_for(name: str) -> None:
    """A whole number that no float can hold stands in each place of a number, true or false in turn."""
    files, keys = specimens.SOURCES[name]
    for victim, data in files.items():
        for number in [*NUMBER.finditer(data)][::4][:4]:
            attempt(files | {victim: data[: number.start()] + HUGE + data[number.end() :]}, keys)
