"""Logs of each harness, as rows, refusals, declared sizes and printed numbers: `cases/FORMAT/NAME`.

A case is a folder: `files`, as they lie in a project; `keys.yaml`, the source of config.yaml; and
`expected.json`, written by `python tests/formats/test_cases.py [WORD]` and read before it is kept.
It has the columns of a row by name, without those of which the value is usual.
"""

import json
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from heatproof import printed
from heatproof.formats.api import Log
from heatproof.formats.decoding import FAULTS
from heatproof.logs import logs
from heatproof.util.errors import Error
from support import reading
from support.data import load

CASES = sorted(path.parent for path in Path(__file__).parent.glob("cases/*/*/keys.yaml"))
NAMES = [f"{case.parent.name}/{case.name}" for case in CASES]
USUAL = {
    "member": "", "line": 1, "offset": 0, "epoch": 0, "scorer": "", "reconstructed": False,
    "graded": False, "field": "", "whole": False, "settings": "",
}  # fmt: skip
"""Column → the value that `expected.json` leaves out, as it does null, and a run named after its log."""


def named_rows(table: Any) -> list[dict[str, Any]]:
    """The rows of a table, each with what is not usual."""
    rows = []
    for row in table.iter_rows(named=True):
        usual = USUAL | {"run": row["log"]}
        rows.append({name: value for name, value in row.items() if value != usual.get(name)})
    return rows


def outputs(case: Path, root: Path) -> dict[str, Any]:
    """What the reader makes of a case; each row must lead back to its record, and none is lost."""
    shutil.copytree(case / "files", root, dirs_exist_ok=True)
    keys = load(case / "keys.yaml")
    try:
        source = reading.entry(**keys)
        read = reading.run(root, **keys)
    except Error as error:
        return {"stops": str(error).replace(f"{root}/", "")}
    reading.traced(read, root)
    found = {
        "rows": named_rows(read.samples),
        "refused": named_rows(read.rejected.drop("excerpt")),
        "declared": declared(read),
        "printed": per_log("printed", root, source),
        "compared": compared(read, root, source),
        "offer": [offer.choices for offer in per_log("offer", root, source)],
    }
    return json.loads(msgspec.json.encode({name: made for name, made in found.items() if made}))


def declared(read: Any) -> dict[str, Any]:
    """Log → what it declares; that no sample was stopped by results is not said of each."""
    logs_of = msgspec.to_builtins(read.declared)
    for entry in (entry for entries in logs_of.values() for entry in entries):
        if not entry["stopped"]:
            del entry["stopped"]
    return dict(logs_of)


def compared(read: Any, root: Path, source: Any) -> list[list[Any]]:
    """Each printed number beside the one that is counted of the rows, and whether they agree."""
    function = getattr(reading.reader(source.format), "printed", None)
    if function is None:
        return []
    numbers = [*printed.read(logs.find(source, root), root, source, function)]
    if not numbers:
        return []
    read.samples.write_parquet(root / "samples.parquet")
    scored = printed.gather([root / "samples.parquet"], {number.over for _, number in numbers})
    refused = dict(read.rejected["log"].value_counts().rows())
    return [[row.number.name, row.printed, row.counted, row.agree, row.note.replace(f"{root}/", "")]
            for row in printed.compare_numbers(numbers, scored, refused)]  # fmt: skip


def per_log(name: str, root: Path, source: Any) -> list[Any]:
    """What a function of the reader (`printed`, `offer`) tells of the logs of a case."""
    function = getattr(reading.reader(source.format), name, None)
    found: list[Any] = []
    for path in logs.find(source, root) if function else ():
        with suppress(Error, *FAULTS):
            answer = function(Log(path, root, source), source)
            found += answer if name == "printed" else [answer]
    return found


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_logs_become_what_was_expected(case: Path, tmp_path: Path) -> None:
    """Rows, refusals with their places, declared sizes and printed numbers are those recorded."""
    assert outputs(case, tmp_path) == json.loads((case / "expected.json").read_text())


def test_moments_do_not_depend_on_how_a_table_is_cut(tmp_path, monkeypatch):
    """Read in pieces of a few rows, it has the same mean, variance and error."""
    monkeypatch.setattr("heatproof.samples.tables.GROUP", 7)
    [case] = [path for path in CASES if path.name.startswith("moments-do-not")]
    assert outputs(case, tmp_path) == json.loads((case / "expected.json").read_text())


def test_every_harness_has_cases() -> None:
    """A format without a case is untested; generic ones have tests of their own."""
    generic = {"aggregates", "auto", "csv", "joined", "json", "jsonl", "xlsx", "yaml"}
    formats = {path.stem.removesuffix("_format")
               for path in Path(reading.formats.__file__).parent.glob("*_format.py")}  # fmt: skip
    assert formats - generic == {case.parent.name for case in CASES}


if __name__ == "__main__":
    for case, name in zip(CASES, NAMES, strict=True):
        if all(word in name for word in sys.argv[1:]):
            with tempfile.TemporaryDirectory() as folder:
                made = outputs(case, Path(folder))
            parts = [f" {json.dumps(key)}: " + (
                "[\n  " + ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value) + "\n ]"
                if isinstance(value, list) else json.dumps(value, ensure_ascii=False)
            ) for key, value in made.items()]  # fmt: skip
            (case / "expected.json").write_text("{\n" + ",\n".join(parts) + "\n}\n")
