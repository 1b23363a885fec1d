"""config.yaml: what is wrong is refused before any job, with the value, the choices, the place."""

from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from heatproof import sweep
from heatproof.config import configuration, roles
from heatproof.config.roles import TAKEN as OWN
from heatproof.formats.params import typed
from heatproof.kinds import api
from heatproof.samples import counts
from heatproof.util.errors import Error
from support import sweeps
from support.data import cases
from support.telling import changed

GOOD = cases(__file__, "mistakes.yaml")["good"]
CSV = {"format": "csv", "logs": "data/*.csv", "fields": {"sample_id": "id", "score": "score"}}


def test_the_config_of_the_project_is_good(project: Path) -> None:
    """The gallery's own config.yaml passes."""
    configuration.read(yaml.safe_load((project / "config.yaml").read_text()))


def test_a_section_with_a_dot_is_for_anchors() -> None:
    """What it holds is not looked at; other sections share it by YAML's `<<`."""
    assert configuration.read(deepcopy(GOOD) | {".shared": {"kind": 3}}) == configuration.read(GOOD)


@pytest.mark.parametrize(
    ("path", "value", "key", "result"),
    [
        ("where", {"ratio": 1, "local_window": [500, 1000], "task": "t"}, "where",
         {"ratio": 1.0, "local_window": [500, 1000], "task": "t"}),
        ("where", {"ratio": ["1e-5", "3E+2", "-.5e1"], "task": "1e5"}, "where",
         {"ratio": [1e-5, 300.0, -5.0], "task": "1e5"}),
        ("where", {"task": [date(2026, 1, 2), "b"]}, "where", {"task": ["2026-01-02", "b"]}),
        ("labels", {"task": "Day", date(2026, 1, 2): "Start"}, "labels",
         {"task": "Day", "2026-01-02": "Start"}),
        ("names", {"ratio": {0.1: "low", 1.0: "high"}, "task": {True: "on"}}, "names",
         {"ratio": {"0.1": "low", "1": "high"}, "task": {"true": "on"}}),
        ("sort", {"ratio": [1, 0.5]}, "sort", {"ratio": [1.0, 0.5]}),
        ("formats", "svg", "formats", ["svg"]),
    ],
)  # fmt: skip
def test_values_are_as_their_columns_hold_them(path, value, key, result):
    """Nobody writes `temperature: 0.0`; YAML reads 1e-5 as text, dates and keys as they look."""
    read = configuration.read(changed(GOOD, f"figures/grid/{path}", value)).figures["grid"]
    assert repr(getattr(read, key)) == repr(result)


@pytest.mark.parametrize(
    ("names", "called"),
    [
        ("spaces", {"a_b": "a b", "c": "c", 0.5: "0.5"}),
        ({"task": "spaces"}, {"a_b": "a b", "c": "c", 0.5: "0.5"}),
        ({"ratio": "spaces", "task": {"c": "d"}}, {"a_b": "a_b", "c": "d", 0.5: "0.5"}),
    ],
)
def test_underscores_are_shown_as_blanks(names: Any, called: dict[Any, str]) -> None:
    """Where that is asked for, of all columns or of one."""
    figure = configuration.read(changed(GOOD, "figures/grid/names", names)).figures["grid"]
    assert figure.called("task", [*called]) == called


def test_models_that_are_compared_are_as_their_column_holds_them() -> None:
    """They may be values of any setting."""
    raw = changed(GOOD, "figures/six", {"kind": "pairwise", "source": "runs", "measure": "score",
                                  "compare": "ratio", "models": [0, 0.5]})  # fmt: skip
    assert repr(configuration.read(raw).figures["six"].models) == "[0.0, 0.5]"  # type: ignore[attr-defined]


def test_names_of_our_own_columns_are_taken() -> None:
    """In tables, counts, grids and what coverage tells: a column of theirs could not stand there."""
    rows = sweeps.sweep()
    of_user = {"ratio", "tokens"}
    counted = counts.count(rows)
    own = {*roles.samples({}, []), *(name for name in counted.columns if "." not in name)}
    own |= {*api.kind("heatmap").aggregate(rows.lazy(), sweeps.heat(panel="model")).columns}
    own |= {*sweep.run_coverage(counted, {}).columns}
    assert own - of_user <= OWN


def test_what_no_source_has_is_noted() -> None:
    """It may be a typo, or of another figure that shares the list: the run goes on, and says so."""
    raw = changed(
        GOOD, "figures/grid/labels", {"ratio": "Ratio", "tokens": "T", "pass@2": "P", "raito": "R"}
    )
    raw["figures"]["grid"]["names"] = {"taks": {"a": "b"}}
    labels, names = map(str, configuration.read(raw).notes)
    assert labels == (
        "config.yaml: figures.grid.labels.raito: not used, for source 'runs' has no 'raito'; there "
        "are model, task, ratio, local_window, prune_kvlength, sample_id, epoch, scorer, run, log, "
        "score, tokens (did you mean 'ratio'?)"
    )
    assert "figures.grid.names.taks: not used" in names


def test_what_all_records_share_is_as_their_column_holds_it() -> None:
    """`set: {lr: 1e-4}` is a number; a task may be called 7."""
    raw = changed(GOOD, "sources/pairs/params", {"lr": "float"})
    raw["sources"]["pairs"]["set"] = {"lr": "1e-4", "task": 7}
    assert configuration.read(raw).sources["pairs"].by_path("a.json") == {"lr": 1e-4, "task": "7"}


TYPED: list[tuple[Any, Any, Any]] = [
    (3, "str", "3"), (True, "str", "True"), (0.5, "str", "0.5"), (3, "int", 3), ("3", "int", 3), (3, "float", 3.0),
    ("1e3", "float", 1000.0), (True, "bool", True), ("False", "bool", False), (2**63 - 1, "int", 2**63 - 1),
    (2.0, "int", None), (True, "int", None), (True, "float", None), (1, "bool", None), ({"a": 1}, "str", None),
    ("x", "int", None), ("maybe", "bool", None), (2**63, "int", None), (str(-(2**63) - 1), "int", None),
    (10**400, "float", None),
]  # fmt: skip


@pytest.mark.parametrize(("value", "kind", "result"), TYPED)
def test_settings_are_of_the_type_that_config_says(value: Any, kind: Any, result: Any) -> None:
    """Numbers do as text, and texts that read as the type; nothing is rounded; others are refused."""
    if result is None:
        with pytest.raises(Error, match=r"^lr: "):
            typed(value, kind, "lr")
    else:
        assert (type(typed(value, kind, "lr")), typed(value, kind, "lr")) == (type(result), result)
