"""heatproof trace: from a picture to the records behind each number, read again from the logs."""

import gzip
import io
import json
import os
import re
import sys
from typing import Any

import pikepdf
import polars as pl
import pytest

from heatproof import formats, ledger
from heatproof.cli.main import main
from heatproof.config import roles
from heatproof.kinds import trace as tracing
from heatproof.logs import logs
from heatproof.provenance import identify, trace
from heatproof.samples import normalize, shard_index
from heatproof.util import hashed, registry
from heatproof.util.errors import Error
from support import specimens, toys
from support.reading import entry

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

from pathlib import Path


def test_a_cell_is_named_by_pairs() -> None:
    """Names and values are split at `=`; a value may hold a comma."""
    assert tracing.parse_cell("task=a,ratio=0.3") == {"task": "a", "ratio": "0.3"}
    assert tracing.parse_cell("ratio=0.3&task=a") == {"task": "a", "ratio": "0.3"}
    assert tracing.parse_cell("model=a,b,x=1") == {"model": "a,b", "x": "1"}
    with pytest.raises(Error, match="'ratio' is not name=value"):
        tracing.parse_cell("ratio")


def test_an_address_names_figure_and_cell() -> None:
    """As the page writes it; what was written is read again."""
    cell = {"task": "<a> b", "lr": 1e-5, "model": "x,y"}
    address = tracing.cell_address("f 1", cell)
    assert address == "f%201?task=%3Ca%3E%20b&lr=1e-05&model=x,y"
    figure, text = tracing.split_address(address)
    assert (figure, tracing.parse_cell(text or "")) == ("f 1", cell | {"lr": "1e-05"})
    assert tracing.split_address("results/figures/f.png") == ("results/figures/f.png", None)


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.30", 0.3), ("0.3", 0.3), ("1e3", 1000), ("true", True), ("True", True), ("direct", False)],
)
def test_values_are_known_however_they_are_written(text: str, value: object) -> None:
    """0.30 is 0.3; a truth as config.yaml has it, or as the figure calls it."""
    values = [False, True] if isinstance(value, bool) else [0.3, 1000]
    assert tracing.pick("x", text, values, {False: "direct"}) == value


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({"model": "k", "against": "n"}, "--cell: model=k: there are m, n"),
        ({"model": "m"}, "--cell: which against? there are m, n"),
        ({"x": "0.5"}, "'x' does not tell cells apart; there are model, against"),
    ],
)
def test_pairs_that_there_are_not(place: dict[str, str], message: str) -> None:
    """The message names the wrong value and what could be."""
    figure, samples, grid, *_ = toys.drawn("pairwise")
    with pytest.raises(Error, match=re.escape(message)):
        tracing.behind(samples.lazy(), grid, figure, place)


# Logs read again, in every format.

TABLE = "results/tables/test/0000.parquet"


def built(root: Path, source: Any) -> dict[str, dict[str, shard_index.Log]]:
    """The table of all logs of a source, as `normalize` makes it: its path → what its logs hold."""
    samples, counts = root / TABLE, root / TABLE.replace("/tables/", "/counts/")
    piece = root / ledger.place("normalize test/0000")
    for path in (samples, counts, piece):
        path.parent.mkdir(parents=True)
    read = registry.find(formats, source.format, "format", "log format").read
    paths, rejected = logs.find(source, root), samples.with_suffix(".rejected")
    outcome = normalize.write(paths, root, source, read, samples, rejected)
    shard_index.write_counts(samples, counts, outcome)
    inputs = {log.log: hashed.content(root / log.log) for log in outcome.manifest}
    record = ledger.Piece("normalize", "test/0000", inputs, {}, {}, {})
    piece.write_bytes(ledger.encoded(record))
    return {TABLE: shard_index.read_index(counts).logs}


def rows(samples: pl.LazyFrame) -> pl.DataFrame:
    return samples.sort("log", "line", "offset", "sample_id", "epoch", "scorer").collect()


@pytest.mark.parametrize("name", [*specimens.SOURCES, "gz", "zst"])
def test_logs_are_read_again_as_they_are(name: str, tmp_path: Path) -> None:
    """The very rows of unchanged logs; of a changed one those of now; of one that is gone those of
    the table, and it is told. In each format, packed or not.
    """
    files, keys = specimens.SOURCES.get(name) or specimens.SOURCES["jsonl"]
    if pack := {"gz": gzip.compress, "zst": zstd.compress}.get(name):
        files = {f"{path}.{name}": pack(data) for path, data in files.items()}
    specimens.write(tmp_path / "data", files)
    source = entry(**keys | {"logs": f"data/{keys.get('logs', '**/*.*')}"})
    shards, paths = built(tmp_path, source), logs.find(source, tmp_path)
    before = rows(pl.scan_parquet(tmp_path / TABLE))
    assert len(before)
    samples, changed, _, unread = trace.read_again(shards, paths, source, tmp_path, tmp_path)
    assert rows(samples).equals(before)
    assert (changed, unread) == ([], {})
    path = tmp_path / paths[0]
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    samples, changed, _, unread = trace.read_again(shards, paths[:1], source, tmp_path, tmp_path)
    assert changed[0].startswith(f"{paths[0]}: was ")
    assert unread or len(rows(samples)) < len(before)
    path.unlink()
    os.mkfifo(path)
    samples, changed, _, unread = trace.read_again(shards, paths[:1], source, tmp_path, tmp_path)
    assert unread == {paths[0]: "a named pipe"}
    assert changed[0].endswith("…, is a named pipe")
    assert rows(samples).equals(before)


def test_a_changed_sidecar_is_told(tmp_path: Path) -> None:
    """What a log is read together with, also if it is new."""
    files, keys = specimens.SOURCES["lm_eval"]
    specimens.write(tmp_path, files)
    source = entry(**keys)
    shards = built(tmp_path, source)
    ((path, log),) = shards[TABLE].items()
    (beside,) = log.beside
    (tmp_path / beside).write_text((tmp_path / beside).read_text().replace("0.5", "0.7"))
    samples, changed, *_ = trace.read_again(shards, [path], source, tmp_path, tmp_path)
    assert [line.split(": was")[0] for line in changed] == [beside]
    assert samples.select("top_p").unique().collect().item() == 0.7


# In a project that was built.

CELLS = {"grid": "task=t,ratio=0.1,local_window=500", "pair": "model=m,against=n"}
LOG = "data/runs/m_t_N2-R0.1-KW500-PKVL5000.jsonl"


def cells(root: Path, name: str) -> list[str]:
    """Every cell of a figure that has data, as one types it."""
    grid = pl.read_parquet(root / f"results/grids/{name}.parquet")
    if name == "pair":
        return [f"model={row['y']},against={row['x']}" for row in grid.iter_rows(named=True)]
    panel = next(name for name in ("task", "model") if name in grid.columns)
    return [f"{panel}={r[panel]},ratio={r['x']},local_window={r['y']}"
            for r in grid.iter_rows(named=True)]  # fmt: skip


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Any:
    """Exit status, answer and warnings of `trace` in a project."""

    def trace_json(root: Path, *words: object) -> tuple[int, Any, str]:
        status = main(["trace", *map(str, words), "--project", str(root)])
        out, warnings = capsys.readouterr()
        return status, json.loads(out) if "--json" in words and out else out, warnings

    return trace_json


def test_the_records_of_a_cell_give_its_number(small: Any) -> None:
    """Value, problems and epochs of every other cell follow from the records that are named.

    What a reader adds up from the scores of a cell is the number on top.
    """
    for name, record in identify.drawn(small.root).items():
        places = cells(small.root, name)
        assert places
        for place in places[::2]:
            behind = trace.cell(record, small.root, place)
            assert behind.agrees, place
            scores = [row["value"] for part in behind.parts for row in part.records]
            if name == "grid":
                mean = sum(scores) / len(scores) if scores else None
                assert behind.value == pytest.approx(mean)


def test_records_are_read_from_the_logs(small: Any, ask: Any) -> None:
    """--records prints the bytes at the stored place, from packed logs too."""
    figure = small.root / "results/figures/grid.svg"
    words = (figure, "--cell", "task=u,ratio=0.2,local_window=500", "--records")
    status, answer, _ = ask(small.root, *words, "--json")
    assert status == 0
    records = [record for part in answer["parts"] for record in part["records"]]
    log = small.root / "data/runs/m_u_N2-R0.2-KW500-PKVL5000.jsonl.gz"
    lines = gzip.decompress(log.read_bytes()).decode().splitlines()
    assert [record["record"] for record in records] == lines
    assert [record["line"] for record in records] == list(range(1, len(lines) + 1))
    text = ask(small.root, *words)[1]
    assert all(f"      {line}\n" in text for line in lines)
    status, _, warnings = ask(small.root, "grid", "--cell", "rato=1")
    assert status == 2
    assert "'rato' does not tell cells apart; there are task, ratio" in warnings


def test_each_file_and_the_printed_id_lead_to_the_figure(small: Any, tmp_path: Path) -> None:
    """By the record inside; where that is lost one types the id; a stranger is told what to do."""
    results, record = small.root / "results", identify.drawn(small.root)["grid"]
    files = [f"figures/grid.{form}" for form in ("svg", "pdf", "png", "html")]
    for path in (*files, "specs/grid.vl.json", "grids/grid.parquet"):
        (match,) = identify.find_figures(str(results / path), small.root)
        assert (match.figure, match.fault) == ("grid", "")
        assert "by the record in" in match.how
    (match,) = identify.find_figures(record["id"], small.root)
    assert (match.figure, match.how) == ("grid", "by its id")
    words = tmp_path / "words.svg"
    words.write_text(f"<svg><text>heatproof {record['id']}</text></svg>")
    assert "by the id printed in it" in identify.find_figures(str(words), small.root)[0].how
    words.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    for name, root, message in (
        (str(words), small.root, "give the id printed"),
        ("gird", small.root, r"there are grid, .*did you mean 'grid'"),
        ("grid", tmp_path, "no figure is drawn yet: call `heatproof run`"),
    ):
        with pytest.raises(Error, match=message):
            identify.find_figures(name, root)


@pytest.mark.parametrize(
    ("record", "status"),
    [
        ('{"figure":"x"}', 2),
        ("[1]", 2),
        ('{"figure":"../../../etc","entry":{}}', 2),
        ('{"figure":"grid","entry":7,"id":"\\u001b[31m"}', 1),
    ],
)
def test_a_foreign_record_is_not_believed(
    small: Any, tmp_path: Path, ask: Any, record: str, status: int
) -> None:
    """No traceback, no path that climbs, nothing that reaches the terminal as it is."""
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><metadata id="heatproof">{}</metadata></svg>'
    (tmp_path / "y.svg").write_text(svg.format(record))
    code, text, warnings = ask(small.root, tmp_path / "y.svg")
    assert code == status
    assert ("holds no record of this project" in warnings) is (status == 2)
    assert "\x1b" not in text + warnings
    assert ".." not in text


def edited(data: bytes, form: str) -> bytes:
    """A figure's file that shows something else, its record as it was."""
    if form == "svg":
        return re.sub(rb'aria-label="\d+\.\d"', b'aria-label="99.9"', data, count=1)
    if form == "png":
        place = data.index(b"IDAT")
        return data[: place + 40] + bytes([data[place + 40] ^ 1]) + data[place + 41 :]
    if form == "pdf":
        file = io.BytesIO()
        with pikepdf.open(io.BytesIO(data)) as pdf:
            page = pdf.pages[0]
            page.Contents = pdf.make_stream(page.Contents.read_bytes().replace(b"0", b"1"))
            pdf.save(file)
        return file.getvalue()
    return data.replace(b"</body>", b"<p>99.9</p></body>", 1)


@pytest.mark.parametrize("form", ["svg", "png", "html", "pdf"])
def test_a_picture_that_shows_something_else_is_told(
    small: Any, tmp_path: Path, ask: Any, form: str
) -> None:
    """Its record is intact: what it shows is compared, not what it says."""
    copy = tmp_path / f"copy.{form}"
    copy.write_bytes(edited((small.root / f"results/figures/grid.{form}").read_bytes(), form))
    status, text, warnings = ask(small.root, copy, "--cell", CELLS["grid"])
    assert status == 1
    assert warnings.startswith(f"heatproof: copy.{form} does not show what was drawn as grid")
    assert "as in the grid, but not as in the picture" in text


def test_a_log_that_has_grown_was_forged_or_is_gone(copy_of_small: Any, ask: Any) -> None:
    """The log is named first, the status is 1: grown, it is read as far as it was; forged, value and
    records are those of its bytes of now; without it nothing is counted.
    """
    root, path = copy_of_small.root, copy_of_small.root / LOG
    before = path.read_text()
    path.write_text(before + '{"question_id": 9, "answer_id": 0, "score": true}\n')
    status, text, warnings = ask(root, "grid", "--cell", CELLS["grid"])
    grown = "has grown since the figure was made; it was read as far as it was then"
    assert (status, warnings) == (1, f"heatproof: {LOG} {grown}\n")
    assert "counted anew from these records" in text
    assert "as in the figure" in text
    path.write_text(before.replace("false", "true"))
    status, text, warnings = ask(root, "grid", "--cell", CELLS["grid"], "--records")
    assert status == 1
    assert f"{LOG}: was " in warnings
    assert "counted anew from the logs as they are now: 1, NOT what the figure shows" in text
    numbers = [line for line in text.splitlines() if "sample " in line or '"score"' in line]
    assert all(line.endswith((": 1", '"score": true}')) for line in numbers)
    status, answer, _ = ask(root, "grid", "--cell", CELLS["grid"], "--json")
    assert (status, answer["agrees"], answer["counted"]) == (1, False, 1.0)
    assert ask(root, "grid", "--cell", "task=u,ratio=0.1,local_window=500")[0] == 0
    path.unlink()
    for figure, cell in CELLS.items():
        status, text, warnings = ask(root, figure, "--cell", cell, "--records")
        assert status == 1
        assert f"{LOG}: was " in warnings
        assert f"not counted anew: {LOG} is not there" in text
        assert "as in the figure" not in text
        assert f"{LOG} (not read: as the samples table has it)" in text
        status, answer, _ = ask(root, figure, "--cell", cell, "--json")
        rest = (answer["agrees"], answer["counted"], answer["unread"])
        assert (status, *rest) == (1, None, None, [LOG])


def test_the_chain_has_the_digests_of_now(copy_of_small: Any, ask: Any) -> None:
    """Files, logs, code and tools; what is another is named, and listed as it is."""
    root, table = copy_of_small.root, "results/tables/runs/0000.logs.csv"
    status, answer, _ = ask(root, "mean", "--json")
    assert (status, answer["changed"]) == (0, [])
    stages = [stage["stage"] for stage in answer["stages"]]
    assert {*stages} == {"draw", "aggregate", "normalize", "log", "code", "tool"}
    assert stages.count("log") == 10
    picture = root / "results/figures/grid.svg"
    picture.write_bytes(picture.read_bytes() + b" ")
    (root / table).write_text((root / table).read_text() + "\n")
    assert table in ask(root, "grid", "--cell", CELLS["grid"])[2]
    (root / LOG).unlink()
    status, answer, warnings = ask(root, "grid", "--json")
    assert status == 1
    assert answer["changed"] == [line.removeprefix("heatproof: ") for line in warnings.splitlines()]
    changed = {line.split(": was")[0] for line in answer["changed"]}
    assert changed == {"results/figures/grid.svg", table, LOG}
    assert {stage["what"]: stage["digest"] for stage in answer["stages"]}[LOG] == "not there"


def test_samples_are_the_same_whatever_their_order() -> None:
    """Those of other logs do not count; a score that differs does, and a column that is not there."""
    columns = {name: ["a", "b", "c"] for name in dict.fromkeys(roles.KEY + roles.PLACE)}
    stored = pl.DataFrame(columns | {"log": ["x", "x", "y"], "score": [0.0, 1.0, 0.5]})
    turned = stored.reverse().with_columns(score=pl.Series([0.25, 1.0, 0.0]))
    assert trace.have_same_samples(stored.lazy(), turned.lazy(), {"x"})
    assert not trace.have_same_samples(stored.lazy(), turned.lazy(), {"x", "y"})
    assert not trace.have_same_samples(stored.lazy(), stored.drop("score").lazy(), {"x"})
