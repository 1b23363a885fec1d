"""config.yaml: what is wrong is refused before any job, with the value, the choices, the place."""

from __future__ import annotations

from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from heatproof import formats, kinds, sweep
from heatproof.config import configuration
from heatproof.config.entries import Columns
from heatproof.config.roles import TAKEN as OWN
from heatproof.formats.params import typed
from heatproof.kinds import api
from heatproof.plan import SECTIONS
from heatproof.samples import counts
from heatproof.samples.tables import samples_kinds
from heatproof.util import registry
from heatproof.util.errors import Error
from support import sweeps

GOOD = yaml.safe_load(Path(__file__).with_name("mistakes.yaml").read_text())["good"]
CSV = {"format": "csv", "logs": "data/*.csv", "fields": {"sample_id": "id", "score": "score"}}


def changed(path: str, value: Any) -> dict[str, Any]:
    """The good config with one value put elsewhere."""
    raw = deepcopy(GOOD)
    *parents, last = path.split("/")
    at = raw
    for part in parents:
        at = at[part]
    at[last] = value
    return raw


def problems(raw: dict[str, Any]) -> list[str]:
    with pytest.raises(Error) as caught:
        configuration.read(raw)
    return str(caught.value).split("\n")


def test_a_good_config_is_read() -> None:
    """Entries become typed structs that know their names."""
    read = configuration.read(deepcopy(GOOD))
    assert read.figures["grid"].name == "grid"
    assert read.sources["runs"].columns().params["local_window"] == "int"


def test_the_config_of_the_project_is_good(project: Path) -> None:
    """The gallery's own config.yaml passes."""
    configuration.read(yaml.safe_load((project / "config.yaml").read_text()), others=SECTIONS)


def test_a_section_with_a_dot_is_for_anchors() -> None:
    """What it holds is not looked at; other sections share it by YAML's `<<`."""
    assert configuration.read(deepcopy(GOOD) | {".shared": {"kind": 3}}) == configuration.read(GOOD)


def test_a_date_is_text() -> None:
    """Without quotes YAML reads 2026-01-02 as a date, in keys and lists too."""
    raw = changed("figures/grid/where", {"task": [date(2026, 1, 2), "b"]})
    raw["figures"]["grid"]["labels"] = {"task": "Day", date(2026, 1, 2): "Start"}
    made = configuration.read(raw).figures["grid"]
    assert made.where == {"task": ["2026-01-02", "b"]}
    assert made.labels == {"task": "Day", "2026-01-02": "Start"}


def test_names_of_values_may_be_keys_of_any_type() -> None:
    """YAML reads them as numbers and truths; a column that the source lacks is noted."""
    names = {"ratio": {0.1: "low", 1.0: "high"}, "task": {True: "on"}, "taks": {"a": "b"}}
    read = configuration.read(changed("figures/grid/names", names))
    assert read.figures["grid"].names["ratio"] == {"0.1": "low", "1": "high"}
    assert read.figures["grid"].names["task"] == {"true": "on"}
    (note,) = map(str, read.notes)
    assert note.startswith("config.yaml: figures.grid.names.taks: not used, for source 'runs'")
    assert note.endswith("(did you mean 'task'?)")


@pytest.mark.parametrize("package", [formats, kinds])
def test_every_module_of_a_registry_keeps_its_contract(package: Any) -> None:
    """A reader or figure kind is one file with a documented `Entry` and its functions."""
    needed = {"Entry", "read"} if package is formats else {"Entry"}
    for name in registry.names(package):
        module = registry.find(package, name, "", "")
        assert needed <= set(dir(module))
        assert module.__doc__
        assert module.Entry.__doc__


def test_whole_numbers_are_floats_where_their_column_holds_floats() -> None:
    """Nobody writes `temperature: 0.0`; the library of frames finds no 0 among floats."""
    where = {"ratio": 1, "local_window": [500, 1000], "task": "t"}
    read = configuration.read(changed("figures/grid/where", where)).figures["grid"]
    assert repr(read.where) == "{'ratio': 1.0, 'local_window': [500, 1000], 'task': 't'}"
    raw = changed("figures/six", {"kind": "pairwise", "source": "runs", "measure": "score",
                                  "compare": "ratio", "models": [0, 0.5]})  # fmt: skip
    assert repr(configuration.read(raw).figures["six"].models) == "[0.0, 0.5]"  # type: ignore[attr-defined]


def test_exponents_are_numbers_where_their_column_holds_numbers() -> None:
    """YAML reads 1e-5 as text, and so does whoever spells a learning rate."""
    raw = changed("figures/grid/where", {"ratio": ["1e-5", "3E+2", "-.5e1"], "task": "1e5"})
    read = configuration.read(raw).figures["grid"]
    assert read.where == {"ratio": [1e-5, 300.0, -5.0], "task": "1e5"}
    raw = changed("figures/grid/where", {"ratio": ["e5", "1e", True], "local_window": "1e3"})
    assert problems(raw) == [
        "config.yaml: figures.grid.where.ratio: 'e5' is not a number",
        "config.yaml: figures.grid.where.ratio: '1e' is not a number",
        "config.yaml: figures.grid.where.ratio: True is not a number",
        "config.yaml: figures.grid.where.local_window: '1e3' is not a whole number",
    ]


def test_names_of_our_own_columns_are_taken() -> None:
    """In tables, counts, grids and what coverage tells: a column of theirs could not stand there."""
    none, rows = Columns({}, []), sweeps.sweep()
    of_user = {"ratio", "tokens"}
    counted = counts.count(rows)
    own = {*samples_kinds(none), *(name for name in counted.columns if "." not in name)}
    own |= {*api.kind("heatmap").aggregate(rows.lazy(), sweeps.heat(panel="model")).columns}
    own |= {*sweep.coverage(counted, {}).columns}
    assert own - of_user <= OWN


def test_a_label_of_nothing_is_noted() -> None:
    """It may be a typo, or of another figure that shares the list: the run goes on, and says so."""
    labels = {"ratio": "Ratio", "tokens": "T", "pass@2": "P", "raito": "R"}
    notes = configuration.read(changed("figures/grid/labels", labels)).notes
    assert [*map(str, notes)] == [
        (
            "config.yaml: figures.grid.labels.raito: not used, for source 'runs' has no 'raito'; there "
            "are model, task, ratio, local_window, prune_kvlength, sample_id, epoch, scorer, run, log, "
            "score, tokens (did you mean 'ratio'?)"
        )
    ]


def test_what_all_records_share_is_as_their_column_holds_it() -> None:
    """`set: {lr: 1e-4}` is a number; a task may be called 7."""
    raw = changed("sources/pairs/params", {"lr": "float"})
    raw["sources"]["pairs"]["set"] = {"lr": "1e-4", "task": 7}
    assert configuration.read(raw).sources["pairs"].from_path("a.json") == {"lr": 1e-4, "task": "7"}
    raw["sources"]["pairs"]["set"] = {"lr": "low"}
    assert problems(raw) == ["config.yaml: sources.pairs.set.lr: 'low' is not a number"]


def test_numbers_that_are_compared_are_asked_as_such() -> None:
    """A text is no ratio, nor is a ratio a model."""
    entry = {"kind": "pairwise", "source": "runs", "measure": "score"}
    raw = changed("figures/six", {**entry, "compare": "ratio", "models": ["0.1", 0.5]})
    assert problems(raw) == [
        "config.yaml: figures.six.models: '0.1' is not a number; write 0.1, without quotes"
    ]
    raw = changed("figures/six", {**entry, "models": ["a", 0.5]})
    assert problems(raw) == ["config.yaml: figures.six.models: 0.5 is not text; put it in quotes"]
    raw = changed("figures/six", {**entry, "compare": "local_window", "models": [500, 500.5]})
    assert problems(raw) == ["config.yaml: figures.six.models: 500.5 is not a whole number"]


def test_the_order_of_an_axis_is_of_values_that_its_column_can_hold() -> None:
    """500.5 among whole numbers would be taken for 500, and stand on the axis twice."""
    raw = changed("figures/grid/sort", {"local_window": [500, 500.5], "ratio": ["0.1"]})
    assert problems(raw) == [
        "config.yaml: figures.grid.sort.local_window: 500.5 is not a whole number",
        "config.yaml: figures.grid.sort.ratio: '0.1' is not a number; write 0.1, without quotes",
    ]
    read = configuration.read(changed("figures/grid/sort", {"ratio": [1, 0.5]})).figures["grid"]
    assert repr(read.sort) == "{'ratio': [1.0, 0.5]}"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("figures/grid/pool", "seed"),
        ("figures/grid/formats", "svg"),
        ("figures/six/join", "sample_id"),
    ],
)
def test_one_word_is_a_list_of_one(path: str, word: str) -> None:
    """`pool: seed` says the same as `pool: [seed]`; what is wrong with it is told as for a list."""
    raw, alone = (changed(path, value) for value in ([word], word))
    if word == "seed":
        for one in (raw, alone):
            one["sources"]["runs"] = CSV | {"params": {"seed": "int", "ratio": "float"}}
            one["figures"]["grid"]["encoding"]["y"] = "model"
    assert configuration.read(alone) == configuration.read(raw)
    wrong = problems(changed("figures/grid/pool", "rati"))
    assert wrong[0].startswith("config.yaml: figures.grid.pool[0]: 'rati' is not a column of")
    assert problems(changed("figures/six/models", "a")) == [
        "config.yaml: figures.six.models: ['a'] is not two or more different models"
    ]


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
