"""config.yaml: what is wrong is refused before any job, with the value, the choices, the place."""

# Messages are quoted as they are read, in one piece.

from __future__ import annotations

from copy import deepcopy
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import yaml

from heatproof import formats, kinds, sweep
from heatproof.config import configuration
from heatproof.config.entries import Columns
from heatproof.config.roles import TAKEN as OWN
from heatproof.formats.params import typed
from heatproof.kinds import api
from heatproof.plan.plan import SECTIONS
from heatproof.samples import counts
from heatproof.samples.tables import samples_kinds
from heatproof.util import registry
from heatproof.util.errors import Error
from support import sweeps

if TYPE_CHECKING:
    from pathlib import Path

GOOD: dict[str, Any] = {
    "sources": {
        "runs": {"format": "dynts", "logs": "data/*.jsonl"},
        "pairs": {
            "format": "jsonl",
            "logs": "data/*.jsonl",
            "fields": {"sample_id": "id", "score": "score"},
            "measures": {"progress": "p"},
        },
    },
    "figures": {
        "grid": {
            "kind": "heatmap",
            "source": "runs",
            "panel": "task",
            "encoding": {"x": "ratio", "y": "local_window", "color": "pass@1"},
        },
        "six": {"kind": "pairwise", "source": "pairs", "models": ["a", "b"]},
    },
}


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


MISTAKES = [
    ("figures/grid/encoding", {"x:ratio": None, "y": "task", "color": "pass@1"}, "figures.grid.encoding", "unknown key"),
    ("figures/grid/encoding", "x:ratio", "figures.grid.encoding", "wrong type"),
    ("figures/grid", "kind:heatmap", "figures.grid", "missing key"),
    ("figgures", {}, "", "did you mean 'figures'"),
    ("figures/grid/kind", "heatmp", "figures.grid.kind", "did you mean 'heatmap'"),
    ("figures/grid/pannel", "task", "figures.grid", "unknown key"),
    ("figures/grid/scale", "indep", "figures.grid.scale", "not a choice"),
    ("figures/grid/source", "run", "figures.grid.source", "did you mean 'runs'"),
    ("figures/grid/encoding/x", "ratoi", "figures.grid.encoding.x", "unknown column"),
    ("figures/grid/annotate", "tokens", "figures.grid.annotate", "unknown column"),
    ("figures/grid/encoding/color", "pass@0", "figures.grid.encoding.color", "'pass@0' is not a metric; there are pass@k, pass"),
    ("figures/grid/encoding/color", "mean(tokns)", "figures.grid.encoding.color", "did you mean 'tokens'"),
    ("figures/grid/family", "(a)(b)", "figures.grid.family", "'(a)(b)' has 2 groups, not one"),
    ("figures/grid/panel", 3, "figures.grid.panel", "wrong type"),
    ("figures/grid/where", {"task": False}, "figures.grid.where.task", "wrong type"),
    ("figures/grid/title", datetime(2026, 1, 2, 3, 4, tzinfo=UTC), "figures.grid.title", "wrong type"),
    ("figures/grid/where", {"modle": "a"}, "figures.grid.where.modle", "unknown column"),
    ("figures/grid/where", {"ratio": "0.1"}, "figures.grid.where.ratio", "wrong type"),
    ("figures/grid/palette", [None, None], "figures.grid.palette", "no value"),
    ("figures/grid/palette", ["navy", "#fff"], "figures.grid.palette", "'navy' is not a hex colour"),
    ("figures/grid/color_scale", {"typ": "log"}, "figures.grid.color_scale", "did you mean 'type'"),
    ("figures/grid/color_scale", {"type": "logs"}, "figures.grid.color_scale.type", "did you mean 'log'"),
    ("figures/grid/color_scale", {"clip": [98, 2]}, "figures.grid.color_scale.clip", "[98.0, 2.0] is not two percentiles, 0 to 100, su"),
    ("figures/grid/domain", ["1e-5", 1], "figures.grid.domain[0]", "wrong type"),
    ("figures/grid/domain", [1, "2e3"], "figures.grid.domain[1]", "wrong type"),
    ("figures/grid/verdict", "dots", "figures.grid.verdict", "gone"),
    ("figures/grid/margins", "bar", "figures.grid.margins", "gone"),
    ("figures/grid/as", "ratio", "figures.grid.as", "gone"),
    ("figures/grid/relative_to", {"figure": "six"}, "figures.grid.relative_to.figure", "gone"),
    ("figures/grid/formats", ["html-light"], "figures.grid.formats[0]", "gone"),
    ("figures/grid/formats", ["svg", "jpg"], "figures.grid.formats[1]", "not a choice"),
    ("figures/six/measure", "progres", "figures.six.measure", "did you mean 'progress'"),
    ("figures/six/bins", "ten", "figures.six.bins", "wrong type"),
    ("figures/a b", {"kind": "heatmap"}, "figures.a b", "name"),
    ("sources/runs/format", "dynt", "sources.runs.format", "not a choice"),
    ("sources/runs/strict", "yes", "sources.runs.strict", "wrong type"),
    ("sources/runs/logs", 7, "sources.runs.logs", "wrong type"),
    ("sources/runs/shards", 0, "sources.runs.shards", "0 is not 1 or more"),
    ("sources/pairs/params", {"epochs": "int"}, "sources.pairs.params.epochs", "'epochs' is what a column of our own is called;"),
    ("sources/pairs/params", {"lr": {"type": "int", "feild": "x"}}, "sources.pairs.params.lr", "did you mean 'field'"),
    ("sources/pairs/params", {"lr": {"type": "float", "default": "low"}}, "sources.pairs.params.lr.default", "'low' is not a number"),
    ("sources/pairs/measures", {"score": "x"}, "sources.pairs.measures.score", "'score' is what a column of our own is called"),
    ("sources/table", CSV | {"delimiter": ";;"}, "sources.table.delimiter", "';;' is not one character, such as ; or"),
    ("sources/table", CSV | {"decimal": ","}, "sources.table.decimal", "',' is the delimiter too"),
    ("sources/pairs/set", {"sample_id": "1"}, "sources.pairs.fields.sample_id", "set fills 'sample_id' too; keep one"),
    ("figures/grid/where", {"ratio": {"gt": 1}}, "figures.grid.where.ratio", "wrong type"),
    ("figures/grid/where", {"ratio": []}, "figures.grid.where.ratio", "lists no value"),
    ("figures/grid/formats", [], "figures.grid.formats", "names none; there are svg, pdf, png, html, svg-o"),
    ("figures/grid/mean_over", "ratio", "figures.grid.mean_over", "'ratio' is encoding.x already"),
    ("figures/grid/pool", ["task", "ratio"], "figures.grid.pool[1]", "'ratio' is encoding.x already"),
    ("figures/grid/sort", {"ratio": [0.1, 0.1]}, "figures.grid.sort.ratio", "0.1 stands there twice"),
    ("figures/six/compare", "task", "figures.six.compare", "a problem is of one task, so that 'task' has no"),
    ("figures/six/join", ["sample_id", "model"], "figures.six.join", "'model' is compared, so no two samples to compar"),
    ("figures/six/join", ["sample_id", "epoch", "sample_id"], "figures.six.join", "'sample_id' stands there twice"),
    ("figures/six/join", [], "figures.six.join", "names no column"),
    ("sources/pairs/fields", {"score": "s"}, "sources.pairs.fields", "needs 'sample_id', the place of a problem's id i"),
    ("sources/pairs/fields/sampel", "s", "sources.pairs.fields.sampel", "'sampel' is not a column; there are model,"),
    ("sources/pairs/path", "(", "sources.pairs.path", "'(' is not a regular expression:"),
    ("sources/pairs/set", {"epoch": "first"}, "sources.pairs.set.epoch", "'first' is not a whole number"),
    ("sources/pairs/set", {"task": 0.5}, "sources.pairs.set.task", "0.5 is not text or a whole number"),
    ("sources/pairs/set", {"tsak": "t"}, "sources.pairs.set.tsak", "'tsak' is not a column; there are"),
    ("sources/pairs/epochs", {"lists": ["score", "rigth"]}, "sources.pairs.epochs.lists", "'rigth' is not among fields and measures; there"),
    ("sources/logs", {"format": "inspect", "logs": "*.json", "range": [1, 1]}, "sources.logs.range", "[1.0, 1.0] is not [lowest, highest]"),
    ("sources/logs", {"format": "inspect", "logs": "*.json", "range": [1]}, "sources.logs.range", "[1.0] is not [lowest, highest]"),
    ("sources/logs", {"format": "qwen_math", "logs": "*", "path": "("}, "sources.logs.path", "'(' is not a regular expression: missing ),"),
    ("sources/any", {"format": "auto"}, "sources.any.logs", "'auto' needs the patterns of the logs"),
    ("sources/pairs/range", {"score": [1]}, "sources.pairs.range.score", "[1.0] is not [lowest, highest]"),
]  # fmt: skip
"""Place in a good config, what stands there, the place that is told, and its code or cure."""


@pytest.mark.parametrize(("path", "value", "place", "says"), MISTAKES)
def test_a_mistake_is_told_at_its_place(path: str, value: Any, place: str, says: str) -> None:
    """With its code, or with what there is instead."""
    _, problems = configuration.examined(changed(path, value))
    there = [one for one in problems if one.place == place]
    assert any(says == one.code or says in one.message for one in there), problems


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


def test_all_mistakes_are_told_at_once() -> None:
    """Two typos in different places are two lines, not two runs."""
    raw = changed("figures/grid/scale", "own")
    raw["sources"]["pairs"]["strict"] = 1
    assert len(problems(raw)) == 2


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


ID = {"sample_id": "id"}
GRADED = ID | {"answer": "a", "target": "t"}
MAPS: list[tuple[str, dict[str, Any], str]] = [
    ("jsonl", {
        "fields": ID | {"scoer": "s", "model": "m", "task": "t"}, "measures": {"progress": "p"},
        "path": "(?P<modle>a)(?P<model>b)", "set": {"tsak": "t", "task": "t"},
        "range": {"progres": [0, 1], "score": [1, 1], "progress": [0, 1, 2]},
    }, ".fields.model .fields.scoer .fields.task .path.modle .range.progres .range.progress .range.score .set.tsak"),
    ("jsonl", {"shards": 0, "range": {"score": [2, 1]}}, ".fields .range.score .shards"),
    ("json", {}, ".fields"),
    ("json", {"fields": {"sample_id": "$row", "epoch": "$row", "score": "s"}}, ".fields.epoch .fields.sample_id"),
    ("jsonl", {"fields": {"sample_id": "$row", "scorer": "s", "epoch": "$key", "model": "$row"}}, ".fields.epoch .fields.model"),
    ("jsonl", {"fields": ID | {"epoch": "e", "score": "s"}, "epochs": {"lists": ["score"]}}, ".fields.epoch"),
    ("jsonl", {"fields": ID | {"epoch": "e", "score": "s"}, "epochs": {"lists": ["score", "epoch", "modle"]}}, ".epochs.lists .fields.epoch"),
    ("jsonl", {"fields": ID | {"score": "s", "model": "m"}, "measures": {"n": "n"}, "epochs": {"lists": ["score", "model"]}}, ".epochs.lists"),
    ("jsonl", {
        "fields": ID | {"score": "a.*.s"}, "measures": {"tokens": "a.*.n"}, "epochs": {"lists": ["score"]},
        "params": {"t": {"type": "float", "field": "a.*.t"}, "b": "int"},
    }, ".measures.tokens .params.t"),
    ("jsonl", {"fields": ID | {"score": "a.*.s"}, "params": {"b.*.t": "int"}, "epochs": {"lists": ["score"]}}, ".params.b.*.t"),
    ("jsonl", {"fields": ID | {"score": "a.*.s"}, "measures": {"tokens": "a.n"}, "epochs": {"lists": ["score"]}}, ".measures.tokens"),
    ("jsonl", {
        "fields": ID | {"score": "a.*.b.*.c"}, "measures": {"tokens": "a.n", "time": "*.a.*.b"},
        "epochs": {"lists": ["score", "tokens", "time"]},
    }, ".fields.score .measures.time .measures.tokens"),
    ("jsonl", {"fields": ID | {"score": "s"}, "measures": {"a.b": "a.*.n"}, "epochs": {"lists": ["score", "a.b"]}}, ""),
    ("jsonl", {"fields": ID | {"answer": "a"}}, ".fields.answer"),
    ("jsonl", {"fields": ID | {"answer": "a"}, "grade": "exact"}, ".fields"),
    ("jsonl", {"fields": GRADED | {"score": "s"}, "grade": "number"}, ".grade"),
    ("jsonl", {"fields": ID | {"score": "s"}, "verdicts": {"a": 1.5, "b": -0.25, "c": 0}, "range": {"score": [0, 9]}},
     ".range.score .verdicts.a .verdicts.b"),
    ("jsonl", {"fields": ID, "verdicts": {"a": 1}}, ".verdicts"),
    ("jsonl", {
        "fields": ID, "set": {"epoch": "one", "t": True, "scorer": 1},
        "params": {"t": {"type": "float", "default": "x"}, "u": {"type": "int", "default": 0.5}},
    }, ".params.t.default .params.u.default .set.epoch .set.t"),
    ("csv", {"fields": ID | {"score": "e"}, "delimiter": ",", "decimal": ","}, ".decimal"),
    ("csv", {"fields": ID, "delimiter": "X"}, ""),
    ("csv", {"fields": ID, "shards": -1, "delimiter": '"'}, ".delimiter .shards"),
    ("inspect", {"params": {"a.epochs": "int", "a.top_p": "float", "b.top_p": "float"}}, ".params.b.top_p"),
]  # fmt: skip
"""Format, keys of a source, and the places of all that is wrong with them, sorted."""


@pytest.mark.parametrize(("kind", "keys", "places"), MAPS)
def test_all_that_is_wrong_with_a_map_is_told_at_once(
    kind: str, keys: dict[str, Any], places: str
) -> None:
    """At the place of each, and nothing else."""
    module = registry.find(formats, kind, "format", "log format")
    source = msgspec.convert({"name": "s", "logs": "*", "format": kind} | keys, module.Entry)
    assert " ".join(sorted(str(mistake.place) for mistake in source.mistakes())) == places


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
        ("sources/runs/models", "m"),
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


def heatmap(**keys: Any) -> Any:
    """A heatmap as config.yaml would give it."""
    axes = {"x": "ratio", "y": "window", "color": "pass@1"}
    given = {"name": "f", "kind": "heatmap", "source": "s", "encoding": axes}
    return api.read({"kind": "heatmap"} | given | keys)


HEATMAPS: list[tuple[dict[str, Any], str]] = [
    ({}, ""),
    ({"format": ".1f", "domain": [0, 1], "family": "(a)", "columns": 1}, ""),
    ({"panel": "task", "pool": ["model"], "palette": "YlGnBu_r"}, ""),
    ({"domain": [0, 1, 2]}, ".domain"), ({"domain": [0]}, ".domain"), ({"domain": [1, 0]}, ".domain"),
    ({"columns": -1}, ".columns"),
    ({"row": "task", "column": "model", "scale": "row"}, ""), ({"row": "task", "scale": "row"}, ""),
    ({"row": "task", "scale": "column"}, ".scale"), ({"panel": "task", "scale": "row"}, ".scale"),
    ({"row": "task", "column": "task"}, ".column"), ({"panel": "seed", "column": "task"}, ".panel"),
    ({"row": "task", "columns": 2}, ".columns"),
    ({
        "formats": [], "encoding": {"x": "ratio", "y": "ratio", "color": "sum"}, "panel": "task",
        "mean_over": "task", "pool": ["window", "ratio"], "sort": {"task": ["b", "a", "b"], "x": [1, 2]},
        "palette": "rose", "format": "two", "domain": [1, 1], "family": "(a)(b)", "columns": 0,
    }, ".columns .domain .encoding.color .encoding.y .family .format .formats .mean_over .palette .pool[1] .pool[1] .sort.task .sort.x"),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "places"), HEATMAPS)
def test_what_a_heatmap_may_ask_for(keys: dict[str, Any], places: str) -> None:
    """Nothing is wrong with what can be drawn; ends of a scale are two, the lowest first."""
    assert " ".join(sorted(str(mistake.place) for mistake in heatmap(**keys).mistakes())) == places


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
