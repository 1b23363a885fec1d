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
from heatproof.formats import mapping
from heatproof.formats.params import lookup, typed
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
    ("figures/grid/palette", ["navy", "#fff"], "figures.grid.palette", "did you mean '#000080'"),
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


def test_a_setting_of_a_harness_may_be_called_otherwise() -> None:
    """By its name in the log, of which the last part is not free, or not to be told from another."""
    source = {"format": "inspect", "logs": "*.eval"}
    read = {"params": {"config.epochs": "int", "a.top_p": "float", "b.top_p": "float"}}
    raw = {"sources": {"s": source | read}, "figures": {}}
    assert problems(raw) == [
        (
            "config.yaml: sources.s.params.b.top_p: another one is called 'top_p' too; "
            "say {type: …, field: b.top_p} under a name of its own"
        )
    ]
    del raw["sources"]["s"]["params"]["b.top_p"]
    assert problems(raw) == [
        (
            "config.yaml: sources.s.params.epochs: 'epochs' is what a column of our own is called; "
            "give it another, my_epochs: {type: int, field: its name in the logs}"
        )
    ]
    renamed = {"tries": {"type": "int", "field": "config.epochs"}, "a.top_p": "float"}
    raw["sources"]["s"]["params"] = renamed
    made = configuration.read(raw).sources["s"]
    assert made.columns().params == {"tries": "int", "top_p": "float"}
    assert lookup(made.wanted(), [{"config": {"epochs": 3}, "a": {"top_p": 1}}]) == {  # type: ignore[attr-defined]
        "tries": 3, "top_p": 1.0,
    }  # fmt: skip


def test_settings_are_looked_up_by_their_whole_names() -> None:
    """A column has the last part, unless it has a name of its own; text is `key=value,…`."""
    params = {
        "a.b.lr": "float", "c.d": {"type": "str", "field": "e.f"}, "opt": "str", "last": "int",
    }  # fmt: skip
    source = {"format": "inspect", "logs": "*.eval", "params": params}
    made = configuration.read({"sources": {"s": source}, "figures": {}}).sources["s"]
    assert made.columns().params == {"lr": "float", "c.d": "str", "opt": "str", "last": "int"}
    told = [3, "opt=w=0.1, last = 7 ,flag", {"a": {"b": {"lr": 0.5}}, "e.f": "whole", "last": 8}]
    assert lookup(made.wanted(), told) == {  # type: ignore[attr-defined]
        "lr": 0.5, "c.d": "whole", "opt": "w=0.1", "last": 7,
    }  # fmt: skip


ID = {"sample_id": "id"}
IDENTITY = "model, task, sample_id, epoch, scorer, run"
NEEDED = ".fields: needs 'sample_id', the place of a problem's id in a record"
EACH_EPOCH = "is one for each epoch; such are fields and measures that epochs.lists names"
MAPS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("jsonl", {
        "fields": ID | {"scoer": "s", "model": "m", "task": "t"}, "measures": {"progress": "p"},
        "path": "(?P<modle>a)(?P<model>b)", "set": {"tsak": "t", "task": "t"},
        "range": {"progres": [0, 1], "score": [1, 1], "progress": [0, 1, 2]},
    }, [
        f".fields.scoer: 'scoer' is not a column; there are {IDENTITY}, score, answer, target (did you mean 'scorer'?)",
        f".path.modle: 'modle' is not a column; there are {IDENTITY} (did you mean 'model'?)",
        f".set.tsak: 'tsak' is not a column; there are {IDENTITY} (did you mean 'task'?)",
        ".range.progres: 'progres' is not a column; there are score, progress (did you mean 'progress'?)",
        ".fields.model: path fills 'model' too; keep one",
        ".fields.task: set fills 'task' too; keep one",
        ".range.score: [1.0, 1.0] is not [lowest, highest]",
        ".range.progress: [0.0, 1.0, 2.0] is not [lowest, highest]",
    ]),
    ("jsonl", {"shards": 0, "range": {"score": [2, 1]}}, [
        ".shards: 0 is not 1 or more",
        ".range.score: [2.0, 1.0] is not [lowest, highest]",
        f"{NEEDED} ('$row': its number in the log)",
    ]),
    ("json", {}, [
        f"{NEEDED} ('$key': its key in the object that holds the records, or its number in the list)",
    ]),
    ("json", {"fields": {"sample_id": "$row", "epoch": "$row", "score": "s"}}, [
        ".fields.sample_id: '$row' is '$key' in this format",
        ".fields.epoch: '$row' is '$key' in this format",
    ]),
    ("jsonl", {"fields": {"sample_id": "$row", "scorer": "s", "epoch": "$key", "model": "$row"}}, [
        ".fields.epoch: '$key' is '$row' in this format",
        ".fields.model: '$row' is for sample_id and epoch",
    ]),
    ("jsonl", {"fields": ID | {"epoch": "e", "score": "s"}, "epochs": {"lists": ["score"]}}, [
        ".fields.epoch: the place in the lists is the epoch",
    ]),
    ("jsonl", {"fields": ID | {"epoch": "e", "score": "s"}, "epochs": {"lists": ["score", "epoch", "modle"]}}, [
        ".epochs.lists: 'modle' is not among fields and measures; there are sample_id, epoch, score",
        ".fields.epoch: the place in the lists is the epoch",
    ]),
    ("jsonl", {"fields": ID | {"score": "s", "model": "m"}, "measures": {"tokens": "n"}, "epochs": {"lists": ["score", "model"]}}, [
        (".epochs.lists: 'model' is the same in all epochs of a problem; lists of problems are read with "
        "format: json, each: their place"),
    ]),
    ("jsonl", {
        "fields": ID | {"score": "a.*.s"}, "measures": {"tokens": "a.*.n"}, "epochs": {"lists": ["score"]},
        "params": {"t": {"type": "float", "field": "a.*.t"}, "b": "int"},
    }, [f".measures.tokens: 'a.*.n' {EACH_EPOCH}", f".params.t: 'a.*.t' {EACH_EPOCH}"]),
    ("jsonl", {"fields": ID | {"score": "a.*.s"}, "params": {"b.*.t": "int"}, "epochs": {"lists": ["score"]}}, [
        f".params.b.*.t: 'b.*.t' {EACH_EPOCH}",
    ]),
    ("jsonl", {"fields": ID | {"score": "a.*.s"}, "measures": {"tokens": "a.n"}, "epochs": {"lists": ["score"]}}, [
        ".measures.tokens: 'a.n' lies in the list of fields.score, 'a.*.s'",
    ]),
    ("jsonl", {
        "fields": ID | {"score": "a.*.b.*.c"}, "measures": {"tokens": "a.n", "time": "*.a.*.b"},
        "epochs": {"lists": ["score", "tokens", "time"]},
    }, [
        ".fields.score: 'a.*.b.*.c' is not of the form list.*.key",
        ".measures.tokens: 'a.n' lies in the list of fields.score, 'a.*.b.*.c'",
        ".measures.time: '*.a.*.b' is not of the form list.*.key",
    ]),
    ("jsonl", {
        "fields": ID | {"answer": "a.*.b.0", "target": "t"}, "grade": "exact", "epochs": {"lists": ["answer"]},
        "params": {"answer": {"type": "str", "field": "a.*.t"}},
    }, [
        ".fields.answer: 'a.*.b.0' is not of the form list.*.key",
        f".params.answer: 'a.*.t' {EACH_EPOCH}",
    ]),
    ("jsonl", {"fields": ID | {"score": "s"}, "measures": {"use.tokens": "a.*.n"}, "epochs": {"lists": ["score", "use.tokens"]}}, []),
    ("jsonl", {"fields": ID | {"answer": "a"}}, [
        ".fields.answer: 'answer' is for grading; say how with 'grade'",
    ]),
    ("jsonl", {"fields": ID | {"answer": "a"}, "grade": "exact"}, [
        ".fields: needs 'target', the place of the target, for 'grade'",
    ]),
    ("jsonl", {"fields": ID | {"answer": "a", "target": "t", "score": "s"}, "grade": "number"}, [
        ".grade: 'number' would replace the 'score' in fields; name one of them",
    ]),
    ("jsonl", {
        "fields": ID | {"score": "s"}, "verdicts": {"a": 1.5, "b": -0.25, "c": 0, "d": 1},
        "range": {"score": [0, 9]},
    }, [
        ".verdicts.a: 1.5 is not between 0 and 1",
        ".verdicts.b: -0.25 is not between 0 and 1",
        ".range.score: the scores are texts, for 'verdicts'",
    ]),
    ("jsonl", {"fields": ID, "verdicts": {"a": 1}}, [
        ".verdicts: needs 'score' in fields, the place of the text",
    ]),
    ("jsonl", {
        "fields": ID, "set": {"epoch": "one", "t": True, "scorer": 1},
        "params": {"t": {"type": "float", "default": "x"}, "u": {"type": "int", "default": 0.5}},
    }, [
        ".set.epoch: 'one' is not a whole number",
        ".set.t: True is not a number",
        ".params.t.default: 'x' is not a number",
        ".params.u.default: 0.5 is not a whole number",
    ]),
    ("csv", {"fields": ID | {"epoch": "e"}, "delimiter": ";;"}, [
        ".delimiter: ';;' is not one character, such as ; or \\t",
    ]),
    ("csv", {"fields": ID | {"score": "e"}, "delimiter": ",", "decimal": ","}, [
        ".decimal: ',' is the delimiter too",
    ]),
    ("csv", {"fields": ID, "delimiter": "X"}, []),
    ("csv", {"fields": ID, "shards": -1, "delimiter": '"'}, [
        ".shards: -1 is not 1 or more",
        ".delimiter: '\"' is not one character, such as ; or \\t",
    ]),
]  # fmt: skip
"""Format, keys of a source, and all that is wrong with them."""


@pytest.mark.parametrize(("kind", "keys", "said"), MAPS)
def test_all_that_is_wrong_with_a_map_is_told_at_once(
    kind: str, keys: dict[str, Any], said: list[str]
) -> None:
    """Each mistake with its place, what is valid there, and nothing else."""
    module = registry.find(formats, kind, "format", "log format")
    made = msgspec.convert({"name": "s", "logs": "*", "format": kind} | keys, module.Entry)
    assert [mistake.sentence for mistake in made.mistakes()] == said


@pytest.mark.parametrize(
    ("kind", "keys", "hint"),
    [
        ("jsonl", {}, "`fields: {epoch: $row}`"),
        ("csv", {}, "`fields: {epoch: $row}`"),
        ("json", {}, "`fields: {epoch: $key}`"),
        ("json", {"fields": {"epoch": "e"}}, ""),
        ("json", {"set": {"epoch": 1}}, ""),
        ("json", {"path": r"_(?P<epoch>\d)"}, ""),
        ("jsonl", {"fields": {"score": "s"}, "epochs": {"lists": ["score"]}}, ""),
        ("csv", {"fields": {"score": "r{epoch}"}}, ""),
    ],
)
def test_what_tells_repetitions_apart_is_proposed_once(
    kind: str, keys: dict[str, Any], hint: str
) -> None:
    """Where a source tells them apart already, by lists or columns too, it would be a mistake."""
    module = registry.find(formats, kind, "format", "log format")
    made = msgspec.convert({"name": "s", "logs": "*", "format": kind} | keys, module.Entry)
    assert made.repeated() == hint


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


def test_a_setting_beyond_all_floats_is_refused() -> None:
    """JSON may hold a number of 400 digits."""
    with pytest.raises(Error, match=r"^top_p: 1000.*\.\.\. is beyond all floats$"):
        lookup({"top_p": ("top_p", "float")}, [{"top_p": 10**400}])


@pytest.mark.parametrize(
    ("value", "kind", "found"),
    [
        (3, "str", "3"), (True, "str", "True"), (0.5, "str", "0.5"), ("a", "str", "a"),
        (3, "int", 3), ("3", "int", 3), (3, "float", 3.0), ("1e3", "float", 1000.0), (0.5, "float", 0.5),
        (True, "bool", True), ("False", "bool", False), (2**63 - 1, "int", 2**63 - 1), (-(2**63), "int", -(2**63)),
    ],
)  # fmt: skip
def test_settings_are_of_the_type_that_config_says(value: Any, kind: Any, found: Any) -> None:
    """Numbers do as text, and texts that read as the type; nothing is rounded."""
    got = typed(value, kind, "lr")
    assert (type(got), got) == (type(found), found)


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (2.0, "int", "lr: 2.0 is not int"), (True, "int", "lr: True is not int"), (True, "float", "lr: True is not float"),
        (1, "bool", "lr: 1 is not bool"), ({"a": 1}, "str", "lr: {'a': 1} is not str"), ("x", "int", "lr: 'x' is not int"),
        ("maybe", "bool", "lr: 'maybe' is not true or false"), (["x" * 56], "int", f"lr: {['x' * 56]} is not int"),
        (["x" * 57], "int", f"lr: ['{'x' * 55}... is not int"), ([*range(20)], "float", f"lr: {str([*range(20)])[:57]}... is not float"),
        (2**63, "int", "lr: a whole number beyond 64 bits"), (str(-(2**63) - 1), "int", "lr: a whole number beyond 64 bits"),
    ],
)  # fmt: skip
def test_settings_of_another_type_are_refused(value: Any, kind: Any, message: str) -> None:
    """With the name, the value and the type that it was to have."""
    with pytest.raises(Error) as refused:
        typed(value, kind, "lr")
    assert str(refused.value) == message


def test_grading_needs_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where math-verify is not installed, the entry says so, and no log is read in vain."""
    given = GOOD["sources"]["pairs"] | {
        "grade": "math",
        "fields": {"sample_id": "id", "answer": "a", "target": "t"},
    }
    monkeypatch.setattr(mapping, "find_spec", lambda _: None)
    assert problems(changed("sources/pairs", given))[0] == (
        f"config.yaml: sources.pairs.grade: {mapping.MISSING}"
    )
    monkeypatch.setattr(mapping, "find_spec", lambda _: object())
    raw = changed("sources/pairs", given)
    assert configuration.read(raw).sources["pairs"].libraries() == ["math-verify"]
    assert configuration.read(deepcopy(GOOD)).sources["pairs"].libraries() == []


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


@pytest.mark.parametrize(
    "path", ["figures/grid/where", "figures/grid/where/ratio", "figures/grid/title"]
)
def test_a_key_without_a_value_is_told(path: str) -> None:
    """YAML reads `where:` with nothing behind it as null."""
    raw = changed("figures/grid/where", {"ratio": 0.1})
    *parents, last = path.split("/")
    at = raw
    for part in parents:
        at = at[part]
    at[last] = None
    assert problems(raw) == [f"config.yaml: {path.replace('/', '.')}: needs a value"]


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


def test_all_mistakes_of_a_heatmap_are_told_at_once() -> None:
    """Each with its key; columns that are asked for twice with both of their places."""
    wrong = heatmap(
        formats=[], encoding={"x": "ratio", "y": "ratio", "color": "sum"}, panel="task",
        mean_over="task", pool=["window", "ratio"], sort={"task": ["b", "a", "b"], "x": [1, 2]},
        palette="rose", format="two", domain=[1, 1], family="(a)(b)", columns=0,
    )  # fmt: skip
    metric, *found = [mistake.sentence for mistake in wrong.mistakes()][1:]
    assert metric.startswith(".encoding.color: 'sum' is not a metric; there are ")
    assert found.pop(5).startswith(".palette: 'rose' is not a palette; there are ")
    assert found == [
        ".encoding.y: 'ratio' is encoding.x already",
        ".mean_over: 'task' is panel already",
        ".pool[1]: 'ratio' is encoding.x already",
        ".pool[1]: 'ratio' is encoding.y already",
        ".sort.task: 'b' stands there twice",
        ".domain: [1.0, 1.0] is not [lowest, highest]",
        ".format: 'two' is not a format; there are .1f, .3~s, ,d, …",
        ".family: '(a)(b)' has 2 groups, not one",
        ".columns: 0 is not 1 or more",
        ".sort.x: no axis and no panel is of it; there are task, ratio",
    ]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({}, []),
        ({"format": ".1f", "domain": [0, 1], "family": "(a)", "columns": 1}, []),
        ({"panel": "task", "pool": ["model"], "palette": "YlGnBu_r"}, []),
        ({"domain": [0, 1, 2]}, [".domain: [0.0, 1.0, 2.0] is not [lowest, highest]"]),
        ({"domain": [0]}, [".domain: [0.0] is not [lowest, highest]"]),
        ({"domain": [1, 0]}, [".domain: [1.0, 0.0] is not [lowest, highest]"]),
        ({"columns": -1}, [".columns: -1 is not 1 or more"]),
        ({"row": "task", "column": "model", "scale": "row"}, []),
        ({"row": "task", "scale": "row"}, []),
        (
            {"row": "task", "scale": "column"},
            [".scale: 'column' without column: name the column that it shows"],
        ),
        (
            {"panel": "task", "scale": "row"},
            [".scale: 'row' without row: name the column that it shows"],
        ),
        ({"row": "task", "column": "task"}, [".column: 'task' is row already"]),
        (
            {"panel": "seed", "column": "task"},
            [
                ".panel: 'seed' beside column: it makes a grid of panels, panel a list that is wrapped"
            ],
        ),
        (
            {"row": "task", "columns": 2},
            [".columns: 2 beside row: it says how `panel` is wrapped"],
        ),
    ],
)
def test_what_a_heatmap_may_ask_for(keys: dict[str, Any], said: list[str]) -> None:
    """Nothing is wrong with what can be drawn; ends of a scale are two, the lowest first."""
    assert [mistake.sentence for mistake in heatmap(**keys).mistakes()] == said


def test_what_a_heatmap_says_of_itself() -> None:
    """The columns and values that it names, by key, and what it shows in a few words."""
    bare = heatmap(where={"model": "m"})
    assert bare.used() == {
        "encoding.x": "ratio",
        "encoding.y": "window",
        "where.model": "model",
    }
    assert bare.spelled() == {"where.model": ("model", ["m"])}
    assert bare.shows() == "pass@1 over ratio and window"
    assert (bare.expects(), bare.measured()) == (True, {"encoding.color": "score"})
    keys = {"panel": "task", "mean_over": "scorer", "pool": ["model", "seed"]}
    whole = heatmap(
        **keys, sort={"ratio": [1, 2]}, where={"window": [5, 6]},
        encoding={"x": "ratio", "y": "window", "color": "mean(tokens)"},
        labels={"ratio": "R", "pass@2": "P", "mean(tokens)": "T"},
    )  # fmt: skip
    assert whole.used() == {
        "encoding.x": "ratio", "encoding.y": "window", "where.window": "window", "panel": "task",
        "mean_over": "scorer", "pool[0]": "model", "pool[1]": "seed", "sort.ratio": "ratio",
    }  # fmt: skip
    assert whole.spelled() == {
        "where.window": ("window", [5, 6]),
        "sort.ratio": ("ratio", [1, 2]),
    }
    assert whole.shows() == "mean(tokens) over ratio and window, a panel for each task"
    assert heatmap(caption="All of it").shows() == "All of it"
    assert whole.measured() == {"encoding.color": "tokens"}
    assert whole.labelled() == ["ratio"]
    fitted = whole.fitted({"ratio": "float", "window": "float"})
    assert repr((fitted.sort, fitted.where)) == "({'ratio': [1.0, 2.0]}, {'window': [5.0, 6.0]})"


def test_a_record_of_a_kind_that_there_is_not_is_told() -> None:
    """As in config.yaml: with those that there are."""
    with pytest.raises(Error) as told:
        api.read({"kind": "heatmp"})
    assert str(told.value) == (
        "kind: 'heatmp' is not a figure kind; there are forest, heatmap, line, pairwise, scatter, table (did you mean 'heatmap'?)"
    )


def test_what_only_shapes_a_heatmap_is_no_part_of_its_grid() -> None:
    """Another look counts nothing anew; all that the grid hangs on is left to it."""
    entry = heatmap()
    assert entry.drawing() == {
        "title", "caption", "labels", "names", "width", "height", "font", "formats", "scale", "palette",
        "text", "format", "percent", "domain", "columns", "letters", "margins", "color_scale",
        "legend", "verdict", "ruler", "footer", "id", "highlight",
    }  # fmt: skip
    assert {*entry.__struct_fields__} - entry.drawing() == {
        "name", "kind", "source", "where", "uncertainty", "encoding", "panel", "row", "column",
        "mean_over", "pool", "family", "best", "sort", "groups", "relative_to",
        "ranges", "opponent", "annotate",
    }  # fmt: skip
