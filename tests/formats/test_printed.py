"""What a harness printed beside its logs is compared with what is counted, and is never data.

Each format's numbers, and whether they agree, are in `cases`: `printed` and `compared`.
"""

import csv
import io
import json
import random
import statistics
from html import escape
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from heatproof import page as gallery
from heatproof import page as summary
from heatproof import printed
from heatproof.formats.api import Printed
from heatproof.logs import logs
from heatproof.samples import normalize
from heatproof.statistics.repeats import is_known, reduced
from support import specimens
from support.reading import entry, reader


def compared(
    root: Path, files: dict[str, bytes], **keys: Any
) -> tuple[list[printed.Comparison], list[dict[str, str]]]:
    """The comparison of a source as the workflow makes it: numbers and table."""
    specimens.write(root, files)
    source = entry(**keys)
    module = reader(source.format)
    tables = root / "s.pq", root / "r.pq"
    outcome = normalize.write(logs.find(source, root), root, source, module.read, *tables)
    refused = {log.log: log.rejected for log in outcome.manifest if log.records}
    numbers = [*printed.read(refused, root, source, module.printed)]
    scored = printed.gather(tables[:1], {number.over for _, number in numbers})
    rows = printed.compare_numbers(numbers, scored, refused)
    return rows, [row.row(["model", "task", *source.columns().params]) for row in rows]


def test_reductions_are_those_of_their_definitions() -> None:
    """Over problems of unlike size each reduction is what its definition says, by brute force."""
    chance = random.Random(0)
    groups = [[chance.choice([0.0, 0.5, 1.0]) for _ in range(chance.randint(1, 6))]
              for _ in range(50)]  # fmt: skip
    scores = np.array([score for group in groups for score in group])
    first = np.cumsum([0, *map(len, groups)])[:-1]

    def subsets(group: list[float], k: int, test: Any) -> float:
        found = [test(score >= 1 for score in some) for some in combinations(group, k)]
        return sum(found) / len(found) if found else float("nan")

    by_hand: dict[str, Any] = {
        "mean": statistics.fmean,
        "median": statistics.median,
        "mode": statistics.mode,
        "max": max,
        "first": lambda group: group[0],
        "at_least_2": lambda group: float(sum(score >= 1 for score in group) >= 2),
        "pass_at_3": lambda group: subsets(group, 3, any),
        "pass_k_2": lambda group: subsets(group, 2, all),
    }
    for over, plain in by_hand.items():
        np.testing.assert_allclose(reduced(scores, first, over), [plain(one) for one in groups])
        assert is_known(over)
    assert reduced(scores, first, "all") is scores
    assert not any(map(is_known, ["", "at_least_0", "best", "pass_at_", "mean_2"]))


@pytest.mark.parametrize(
    ("value", "decimals", "agree"),
    [
        (66.66666666666667, None, True), (66.6666666666666, None, True), (66.666667, None, False),
        (66.7, None, False), (66.7, 1, True), (66.6, 1, False), (66.66, 2, False),
        (0.6666666666666666, None, False),
    ],
)  # fmt: skip
def test_digits_that_are_printed_must_be_right(value, decimals, agree):
    """Rounded numbers have half a unit of their last digit to spare, others the noise of floats."""
    by = {"mean": np.array([1.0, 1.0, 0.0])}
    scored = printed.Scored("log", "run", {"scorer": ""}, {}, 3, by)
    number = Printed(file="f", name="acc", value=value, high=100, decimals=decimals)
    assert printed.Comparison("log", number, scored).agree is agree


def scored_of(log: str, scores: list[float]) -> printed.Scored:
    by = {"mean": np.array(scores)}
    return printed.Scored(log, "run", {"scorer": ""}, {}, len(scores), by)


@pytest.mark.parametrize(
    ("value", "scores", "keys", "note"),
    [
        (0.5, [1, 1, 0], {}, "no reason is known"),
        (0.5, [1, 1, 0], {"run": 3}, "no reason is known"),
        (0.5, [1, 1, 0], {"run": 5}, "printed of a run of 5, 3 samples read"),
        (0.5, [1, 1, 0], {"problems": 4}, "printed of 4, 3 problems read"),
        (66.7, [1, 1, 0], {"decimals": 1}, "it is in percent"),
        (0.3, [0, 0, 0], {"decimals": 1}, "no reason is known"),
    ],
)
def test_why_a_number_differs_is_told_if_it_is_known(value, scores, keys, note):
    """Not what would fit any number, as zero does."""
    number = Printed(file="f", name="acc", value=value, **keys)
    assert printed.Comparison("log", number, scored_of("log", scores)).note == note


@pytest.mark.parametrize(("problems", "counted"), [(None, 1.0), (3, 1.0), (5, 0.6), (9, 1.0)])
def test_a_number_of_a_whole_run_is_counted_of_all_its_logs(problems, counted):
    """Where these hold as many problems as it is of; else of its own log."""
    parts = [scored_of("a", [1, 1, 1]), scored_of("b", [0, 0])]
    number = Printed(file="f", name="acc", value=1.0, problems=problems)
    [row] = printed.compare_numbers([("a", number)], parts, {})
    assert row.counted == pytest.approx(counted)


def test_damaged_files_are_told_at_the_end_of_a_run_and_on_the_page(tmp_path: Path) -> None:
    """As numbers that do not agree are: by file and reason, not in the table alone."""
    files, keys = specimens.SOURCES["helm"]
    rows, table = compared(tmp_path, files | {"stats.json": b'[{"name": '}, **keys)
    assert [row.agree for row in rows] == [None]
    outcome = printed.outcome(table)
    [line] = outcome["unread"]
    assert line.startswith("stats.json cannot be read: the document ends too early")
    shown = {"logs": 1, "rows": 4, "rejected": 0, "printed": outcome}
    lines = summary.lines({"s": shown})
    assert lines[-2].endswith("1 cannot be compared (results/printed/s.csv):")
    assert lines[-1] == f"        {line}"
    assert f"<li>{escape(line)}</li>" in gallery.page([], {"s": shown})


def test_texts_of_logs_are_shown_plainly(tmp_path: Path) -> None:
    """What steers a terminal is spelled out, and no cell of the table begins a formula."""
    case = Path(__file__).parent / "cases/inspect/texts-of-logs-are-shown-plainly"
    files = {path.name: path.read_bytes() for path in (case / "files").iterdir()}
    _, table = compared(tmp_path, files, format="inspect")
    shown = json.dumps(printed.outcome(table))
    assert shown.isprintable()
    text = printed.comparison_table(
        [{**row, "model": "=1+1", "task": "-0.5"} for row in table], ["model", "task"]
    )
    assert text.count(",-0.5,") == len(table)
    assert not any(cell.startswith("=") for row in csv.reader(io.StringIO(text)) for cell in row)
    (tmp_path / "table.csv").write_text(text)
    back = printed.read_table(tmp_path / "table.csv")
    assert {row["model"] for row in back} == {"=1+1"}
    assert [row["name"] for row in back] == [row["name"] for row in table]


@pytest.mark.parametrize(
    ("kind", "size"), [("lm_eval", 40), ("inspect_sweep", 24), ("inspect_json", 4), ("helm", 5)]
)
def test_real_logs_agree_with_what_their_harness_printed(kind, size, real_logs, tmp_path):
    """Every number that the harnesses printed of real logs is found again."""
    keys: dict[str, Any] = {"format": "inspect", "logs": f"{kind}/*.*"}
    if kind == "lm_eval":
        keys = {"format": kind, "logs": f"{kind}/**/samples_*.jsonl", "filter": "take_first"}
    place = real_logs / ("every_eval_ever/tests/data/helm" if kind == "helm" else kind)
    if kind == "helm":
        keys = {
            "format": kind,
            "logs": f"{kind}/**/per_instance_stats.json",
            "metric": "exact_match",
        }
    (tmp_path / kind).symlink_to(place)
    rows, _ = compared(tmp_path, {}, **keys)
    assert [row.agree for row in rows] == [True] * size
