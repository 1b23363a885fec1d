"""inspect: Inspect AI archives and documents; only good grades of runs that ended well count."""

from __future__ import annotations

import json
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from heatproof.util.errors import Error
from reading import reasons, run, traced

if TYPE_CHECKING:
    from pathlib import Path


def sample(name: str, value: Any = "C", epoch: int = 1, **keys: Any) -> dict[str, Any]:
    scores = {"match": {"value": value, "history": []}}
    return {"id": name, "epoch": epoch, "input": "?", "target": "1", "scores": scores} | keys


def head(**keys: Any) -> dict[str, Any]:
    told = {"model": "m/small", "task": "add", "run_id": "r", "task_id": "t", "model_args": {}}
    base: dict[str, Any] = {"version": 2, "status": "success", "eval": told}
    return base | {"plan": {"config": {"temperature": 0.5}}} | keys


def document(root: Path, samples: list[Any], **keys: Any) -> None:
    (root / "log.json").write_text(json.dumps(head(**keys) | {"samples": samples}, indent=1))


def archive(root: Path, samples: list[Any], method: int = 8, **keys: Any) -> None:
    zstd = pytest.importorskip("backports.zstd") if method == 93 else None
    module = zstd.zipfile if zstd else zipfile
    with module.ZipFile(root / "log.eval", "w", compression=method) as file:
        file.writestr("header.json", json.dumps(head(**keys)))
        for item in samples:
            file.writestr(f"samples/{item['id']}_epoch_{item['epoch']}.json", json.dumps(item))


def read(root: Path, **keys: Any) -> Any:
    return run(root, **{"format": "inspect", "logs": "**/*.*"} | keys)


FORMS = {
    "json": document,
    "deflate": archive,
    "zstd": lambda root, samples, **keys: archive(root, samples, 93, **keys),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_tells_the_same(form: str, tmp_path: Path) -> None:
    """Documents and archives, deflated or zstd, give the same samples, each with its bytes."""
    samples = [sample("a"), sample("a", "I", epoch=2), sample("b", 0.25)]
    FORMS[form](tmp_path, samples)
    result = read(tmp_path, params={"temperature": "float"})
    assert result.samples.select("sample_id", "epoch", "score", "scorer").rows() == [
        ("a", 1, 1.0, "match"),
        ("a", 2, 0.0, "match"),
        ("b", 1, 0.25, "match"),
    ]
    assert traced(result, tmp_path) == samples
    assert result.samples.select("model", "task", "temperature").unique().rows() == [
        ("m/small", "add", 0.5)
    ]


GRADES = [
    ("C", 1), ("P", 0.5), ("I", 0), ("N", 0), (True, 1), ("yes", 1), ("No", 0), ("0.75", 0.75),
    ("TRUE", 1),
]  # fmt: skip


@pytest.mark.parametrize(("value", "score"), GRADES)
def test_grades_become_scores(value: Any, score: float, tmp_path: Path) -> None:
    """Letters, words in any case, booleans and numbers."""
    document(tmp_path, [sample("a", value)])
    assert read(tmp_path).samples["score"].to_list() == [score]


@pytest.mark.parametrize(("value", "score"), GRADES)
def test_grades_are_read_as_inspect_reads_them(value: Any, score: float) -> None:
    """By Inspect's own value_to_float."""
    inspect_ai = pytest.importorskip("inspect_ai.scorer")
    assert inspect_ai.value_to_float()(value) == score


BAD = {
    "an error": (sample("a", error={"message": "boom"}), "sample ended in an error: 'boom'"),
    "no score": (sample("a") | {"scores": None}, "the sample has no score"),
    "no scores": (sample("a") | {"scores": {}}, "the sample has no score"),
    "an unknown grade": (sample("a", "maybe"), "the score is 'maybe', no grade that is known"),
    "a list": (sample("a", [1]), "the score is [1], no grade"),
    "a mapping": (
        sample("a", {"y": 1, "x": 1}),
        "the score is a mapping; choose one with `scorer`: 'match.x, match.y'",
    ),
    "an error in a word": (sample("a", error="boom"), "sample ended in an error: 'boom'"),
    "a number without end": (sample("a", 10**400), "the score is a number beyond all bounds"),
    "not a number": (sample("a", float("nan")), "the score is NaN, infinite or empty"),
    "beyond 1": (sample("a", 7), "score 7 is not between 0 and 1"),
    "an invalid one": (sample("a", invalidation={"author": "x"}), "the sample was invalidated"),
    "a huge epoch": (sample("a", epoch=2**70), "Expected `int` <="),
}


@pytest.mark.parametrize("form", ["json", "deflate"])
@pytest.mark.parametrize("case", BAD)
def test_a_sample_without_a_good_grade_is_refused(case: str, form: str, tmp_path: Path) -> None:
    """Errors and unknown grades are incomplete, never wrong answers."""
    bad, reason = BAD[case]
    FORMS[form](tmp_path, [sample("good"), bad])
    result = read(tmp_path)
    assert result.samples["sample_id"].to_list() == ["good"]
    assert reason in reasons(result)[0]
    assert len(result.rejected["excerpt"][0]) > 0


@pytest.mark.parametrize("status", ["started", "cancelled", "error"])
@pytest.mark.parametrize("form", ["json", "deflate"])
def test_logs_that_did_not_end_well_are_incomplete(form: str, status: str, tmp_path: Path) -> None:
    """The samples of a cancelled log are refused one by one, unless config.yaml wants them."""
    FORMS[form](tmp_path, [sample("a"), sample("b", "I")], status=status)
    said = f"the log's status is {status}; `status: [success, {status}]` counts it"
    assert reasons(read(tmp_path)) == [said] * 2
    assert len(read(tmp_path, status=["success", status]).samples) == 2


def test_an_archive_without_a_head_was_never_finished(tmp_path: Path) -> None:
    """An archive that has only its start is in progress."""
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as file:
        file.writestr("_journal/start.json", json.dumps(head()))
        file.writestr("samples/a_epoch_1.json", json.dumps(sample("a")))
    (said,) = reasons(read(tmp_path))
    assert said.startswith("the log's status is started; ")


def test_a_scorer_must_be_chosen_among_several(tmp_path: Path) -> None:
    """Two scores a sample: without a choice the run stops and says which there are."""
    both = {"match": {"value": "C"}, "judge": {"value": {"tone": 0.5, "fact": 1}}}
    document(tmp_path, [sample("a") | {"scores": both}])
    with pytest.raises(Error, match=r"sources.test.scorer: .*there are judge, match"):
        read(tmp_path)
    assert read(tmp_path, scorer="match").samples["score"].to_list() == [1.0]
    assert read(tmp_path, scorer="judge.tone").samples["score"].to_list() == [0.5]
    assert "no score by 'x'" in reasons(read(tmp_path, scorer="x"))[0]


@pytest.mark.parametrize(
    "told",
    [
        {"results": {"scores": [{"name": "match"}, "odd", {"name": ""}, {}]}},
        {"eval": head()["eval"] | {"scorers": [{"name": "match"}]}},
        {"results": {"scores": []}, "eval": head()["eval"] | {"scorers": [{"name": "match"}]}},
        {
            "results": {"scores": {"x": 1}},
            "eval": head()["eval"] | {"scorers": [{"name": "match"}]},
        },
    ],
)
def test_a_misspelled_scorer_stops_the_run(told: dict[str, Any], tmp_path: Path) -> None:
    """Where the head names the scorers, another name is a mistake in config.yaml."""
    document(tmp_path, [sample("a")], **told)
    with pytest.raises(Error, match=r"'mtch' is not a scorer of log.json; there are match"):
        read(tmp_path, scorer="mtch")


def test_settings_lie_in_several_places(tmp_path: Path) -> None:
    """The plan's settings override the model's; arguments of task and model are settings too."""
    told = {
        "model_generate_config": {"temperature": 1.0, "top_p": 0.9},
        "task_args": {"shots": 5},
        "model_args": {"quant": {"bits": 4}},
        "config": {"limit": 9, "seed": 1},
        "metadata": {"seed": 2, "note": "x"},
    }
    document(tmp_path, [sample("a")], eval=head()["eval"] | told, version=3)
    params = {"temperature": "float", "top_p": "float", "shots": "int", "quant.bits": "int"}
    params |= {"limit": "int", "seed": "int", "note": "str"}
    row = read(tmp_path, params=params).samples.row(0, named=True)
    names = ("temperature", "top_p", "shots", "bits", "limit", "seed", "note")
    assert [row[n] for n in names] == [0.5, 0.9, 5, 4, 9, 1, "x"]


def test_solvers_and_models_in_other_roles_are_settings(tmp_path: Path) -> None:
    """What `--solver`, `-S` and `--model-role` say tells runs apart as task arguments do."""
    told = {"solver": "cot", "solver_args": {"steps": 3}}
    told |= {"model_roles": {"grader": {"model": "m/judge", "config": {}}, "odd": None}}
    document(tmp_path, [sample("a")], eval=head()["eval"] | told)
    params = {"solver": "str", "steps": "int", "grader": "str"}
    row = read(tmp_path, params=params).samples.row(0, named=True)
    assert [row[name] for name in params] == ["cot", 3, "m/judge"]


def test_scores_on_another_scale(tmp_path: Path) -> None:
    """Of 1 to 10, true is not the lowest; what lies beyond is told in the unit of the log."""
    document(tmp_path, [sample("a", True), sample("b", 5.5), sample("c", 12)])
    found = read(tmp_path, range=[1, 10])
    assert found.samples["score"].to_list() == [1.0, 0.5]
    assert reasons(found) == ["score 12 is not between 1 and 10"]


@pytest.mark.parametrize(("scorer", "score"), [("match", 1.0), ("judge.tone", 0.5)])
def test_a_scorer_that_the_head_names_is_taken(scorer: str, score: float, tmp_path: Path) -> None:
    """As a whole, or a key of it."""
    both = {"match": {"value": "C"}, "judge": {"value": {"tone": 0.5}}}
    scores = [{"name": name} for name in both]
    document(tmp_path, [sample("a") | {"scores": both}], results={"scores": scores})
    assert read(tmp_path, scorer=scorer).samples["score"].to_list() == [score]


@pytest.mark.parametrize("told", [[], [{"name": "a.b"}]])
def test_a_scorer_with_a_point_in_its_name(told: list[Any], tmp_path: Path) -> None:
    """What stands behind the last point is the key of its score."""
    scores = {"a.b": {"value": {"x": 0.25}}}
    document(tmp_path, [sample("a") | {"scores": scores}], results={"scores": told})
    assert read(tmp_path, scorer="a.b.x").samples["score"].to_list() == [0.25]


def test_bytes_of_a_sample_that_are_no_text_are_refused(tmp_path: Path) -> None:
    """Where nobody reads them, too."""
    archive(tmp_path, [sample("a"), sample("b")], 0)
    data = (tmp_path / "log.eval").read_bytes()
    bad = json.dumps(sample("b")).encode()
    worse = bad.replace(b"?", b"\xff")
    for old, new in ((bad, worse), (zlib.crc32(bad), zlib.crc32(worse))):
        data = data.replace(
            *(x if type(x) is bytes else x.to_bytes(4, "little") for x in (old, new))
        )
    (tmp_path / "log.eval").write_bytes(data)
    found = read(tmp_path)
    assert found.samples["sample_id"].to_list() == ["a"]
    assert reasons(found) == [f"invalid UTF-8: byte 0xff at {bad.index(b'?')}"]


@pytest.mark.parametrize(
    ("counts", "found"),
    [([107], 107), ([2**53 - 1], 2**53 - 1), ([2**53], None), ([], None), ([None], None)],
)
def test_tokens_that_are_no_number_are_none(counts: Any, found: Any, tmp_path: Path) -> None:
    """Nor those that no float can tell exactly."""
    used = {f"m{n}": {"output_tokens": count} for n, count in enumerate(counts)}
    document(tmp_path, [sample("a", model_usage=used)])
    assert read(tmp_path).samples["tokens"].to_list() == [found]


def test_output_tokens_and_time_are_measures(tmp_path: Path) -> None:
    """Tokens of all models of a sample and its total time (s) can be drawn."""
    used = {"a": {"output_tokens": 3}, "b": {"output_tokens": 4}}
    document(tmp_path, [sample("a", model_usage=used, total_time=1.5)])
    assert read(tmp_path).samples.select("tokens", "time").rows() == [(7.0, 1.5)]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the log is empty"),
        (b"{", "the document ends too early"),
        (b"\xff{}", "invalid UTF-8"),
        (b'{"version": 2}', "the head tells no evaluation"),
        (b'{"version": 1, "eval": {"model": "m"}}', "log version 1; known are 2 and 3"),
        (b'{"eval": {"model": "m"}}', "the log holds no samples (its status is started)"),
        (b"[" * 100_000, "Expected `object`"),
    ],
)
def test_documents_that_are_no_logs_are_refused(
    content: bytes, reason: str, tmp_path: Path
) -> None:
    """A document that is no log is one reject, with the reason."""
    (tmp_path / "log.json").write_bytes(content)
    assert reason in reasons(read(tmp_path))[0]


def test_archives_that_are_no_logs_are_refused(tmp_path: Path) -> None:
    """Neither is a zip file of something else, nor a file that is no zip."""
    (tmp_path / "a.eval").write_bytes(b"PK\x03\x04 but no archive")
    with zipfile.ZipFile(tmp_path / "b.eval", "w") as file:
        file.writestr("readme.txt", "hello")
    assert [r.split(":")[0] for r in reasons(read(tmp_path))] == [
        "unreadable archive",
        "an archive without header.json",
    ]


def test_a_member_larger_than_the_limit_is_refused(tmp_path: Path) -> None:
    """A zip bomb costs its member: no more than the limit is unpacked."""
    bomb = sample("bomb") | {"input": "0" * 5_000_000}
    archive(tmp_path, [sample("a"), bomb])
    assert (tmp_path / "log.eval").stat().st_size < 20_000
    result = read(tmp_path, max_record=1_000_000)
    assert result.samples["sample_id"].to_list() == ["a"]
    assert reasons(result) == ["larger than the limit of 1000000 bytes"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    """Of two members of one name none can be named, so none is taken."""
    archive(tmp_path, [sample("a"), sample("b"), sample("a", "I")])
    result = read(tmp_path)
    assert result.samples["sample_id"].to_list() == ["b"]
    assert reasons(result) == ["the archive holds this member twice"] * 2


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_what_is_wrong_in_an_archive_is_told_with_its_place(tmp_path: Path) -> None:
    """Each sample once, as a whole; of other members only those that may have been samples."""
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as file:
        file.writestr("header.json", json.dumps(head()))
        for name in ("twice", "good", "twice", "bent"):
            file.writestr(f"samples/{name}_epoch_1.json", json.dumps(sample(name)))
        file.writestr("samples/big_epoch_1.json", json.dumps(sample("big") | {"input": "0" * 5000}))
        file.writestr("samples/headless_epoch_1/skeleton.json", "[]")
        file.writestr("_journal/start.json", "{}")
        file.writestr("other.txt", "x")
        file.writestr("notes.txt", "?")
    data = (tmp_path / "log.eval").read_bytes()
    for name in (b"samples/bent_epoch_1.json", b"_journal/start.json", b"other.txt"):
        data = data.replace(name, name.replace(b"t", b"T"), 1)  # not in the directory at the end
    (tmp_path / "log.eval").write_bytes(data.replace(b"notes.txt?", b"notes.txt!"))
    found = read(tmp_path, max_record=4000)
    assert found.samples["sample_id"].to_list() == ["good"]
    bent = "unreadable member: File name in directory {!r} and header {!r} differ."
    twice = ("samples/twice_epoch_1.json", "the archive holds this member twice")
    assert sorted(found.rejected.select("member", "reason").rows()) == sorted([
        twice, twice,
        ("samples/bent_epoch_1.json",
         bent.format("samples/bent_epoch_1.json", b"samples/benT_epoch_1.json")),
        ("samples/big_epoch_1.json", "larger than the limit of 4000 bytes"),
        ("samples/headless_epoch_1/", "the folder of this sample has no sample.json"),
        ("other.txt", bent.format("other.txt", b"oTher.TxT")),
    ])  # fmt: skip
    assert found.rejected.select("line", "offset", "length").unique().rows() == [(1, 0, 0)]


def test_keys_of_a_document_that_nobody_reads_may_stand_twice(tmp_path: Path) -> None:
    """Those that are read may not."""
    document(tmp_path, [sample("a")])
    text = (tmp_path / "log.json").read_text()
    (tmp_path / "log.json").write_text(text.replace("{", '{"stats": 1, "stats": 2,', 1))
    assert reasons(read(tmp_path)) == []
    (tmp_path / "log.json").write_text(text.replace("{", '{"status": "error",', 1))
    assert reasons(read(tmp_path)) == ["the key 'status' stands twice"]


def chunked(file: zipfile.ZipFile, item: dict[str, Any]) -> None:
    """A sample as newer versions write it: `sample.json`, and long lists beside it in pieces."""
    folder = f"samples/{item['id']}_epoch_{item['epoch']}"
    file.writestr(f"{folder}/sample.json", json.dumps(item | {"message_refs": [[0, 2]]}))
    names = ["metadata", "skeleton", "messages/0", "messages/1000", "calls/0", "attachments/0"]
    for name in [*names, "events/0", "events/stats", "events/uuids", "new/0"]:
        file.writestr(f"{folder}/{name}.json", json.dumps([{"role": "user"}]))


def test_samples_in_pieces_are_one_record_each(tmp_path: Path) -> None:
    """What lies beside a sample's head is no record; both shapes may be mixed, ids hold slashes."""
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as file:
        file.writestr("header.json", json.dumps(head()))
        for name in ("_journal/start", "_journal/summaries/1", "summaries", "reductions"):
            file.writestr(f"{name}.json", "[]")
        for item in (sample("a"), sample("a/b_epoch_1/c", "I"), sample("a", 0.5, epoch=2)):
            chunked(file, item)
        for item in (sample("d"), sample("a_epoch_1/messages/0", "I")):
            file.writestr(f"samples/{item['id']}_epoch_1.json", json.dumps(item))
    result = read(tmp_path)
    assert reasons(result) == []
    assert result.samples.select("sample_id", "epoch", "score").rows() == [
        ("a", 1, 1.0),
        ("a", 2, 0.5),
        ("a/b_epoch_1/c", 1, 0.0),
        ("a_epoch_1/messages/0", 1, 0.0),
        ("d", 1, 1.0),
    ]
    assert [one["id"] for one in traced(result, tmp_path)] == result.samples["sample_id"].to_list()


def test_pieces_of_a_sample_without_its_head_are_one_refused_record(tmp_path: Path) -> None:
    """Without `sample.json` nobody knows the score; ended in an error, it has none."""
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as file:
        file.writestr("header.json", json.dumps(head()))
        chunked(file, sample("a", error={"message": "timeout"}))
        for name in ("messages/0", "events/0", "skeleton"):
            file.writestr(f"samples/b_epoch_1/{name}.json", "[]")
    result = read(tmp_path)
    assert result.rejected.select("member", "reason").rows() == [
        ("samples/a_epoch_1/sample.json", "sample ended in an error: 'timeout'"),
        ("samples/b_epoch_1/", "the folder of this sample has no sample.json"),
    ]


@pytest.mark.parametrize("kind", ["inspect_sweep", "inspect_json"])
def test_real_logs_agree_with_inspect(kind: str, real_logs: Path) -> None:
    """On real logs ids, epochs, scores and settings are what inspect_ai itself reads."""
    oracle = pytest.importorskip("inspect_ai.log")
    params = {"temperature": "float", "top_p": "float"}
    result = read(real_logs / kind, params=params)
    assert not len(result.rejected)
    as_float = pytest.importorskip("inspect_ai.scorer").value_to_float()
    columns = ("sample_id", "epoch", "score", "model", *params)
    for (path,), rows in list(result.samples.group_by("log"))[:4]:
        log = oracle.read_eval_log(str(real_logs / kind / str(path)))
        config = log.plan.config
        assert sorted(rows.select(columns).rows()) == sorted(
            (str(s.id), s.epoch, as_float(s.scores["match"].value), log.eval.model,
             config.temperature, config.top_p)
            for s in log.samples
        )  # fmt: skip
        reported = log.results.scores[0].metrics["accuracy"].value
        means = rows.group_by("sample_id").agg(pl.col("score").mean())["score"]
        assert means.mean() == pytest.approx(reported)
