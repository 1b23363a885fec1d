"""heatproof init on folders as papers publish them: many kinds of files, names and layouts."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from heatproof.cli.main import main
from heatproof.start import sheets

if TYPE_CHECKING:
    from pathlib import Path

IDS = [f"q{n}" for n in range(8)]


def right(*keys: Any) -> bool:
    """Right or wrong, always the same for the same keys."""
    return sum(map(ord, "".join(map(str, keys)))) % 3 > 0


def lines(records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


class Seen:
    """What init said and wrote."""

    def __init__(self, project: Path, files: dict[str, str | bytes], capsys: Any) -> None:
        for name, text in files.items():
            path = project / "logs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.status = main(["init", "logs"])
        out = capsys.readouterr()
        self.said = out.out + out.err
        config = project / "config.yaml"
        self.config = yaml.safe_load(config.read_text()) if config.exists() else {}
        self.text = config.read_text() if config.exists() else ""

    @property
    def sources(self) -> list[dict[str, Any]]:
        return list(self.config["sources"].values())

    @property
    def source(self) -> dict[str, Any]:
        """The only one."""
        (one,) = self.sources
        return one


@pytest.fixture
def init(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Any:
    """Write files below logs/, call init, and tell what came of it."""
    monkeypatch.chdir(tmp_path)
    return lambda files: Seen(tmp_path, files, capsys)


@pytest.mark.parametrize("size", range(60, 120, 7))
def test_a_document_may_be_cut_within_a_text(size: int) -> None:
    """Brackets and commas in the text where the beginning ends are none of the document's."""
    text = json.dumps([{"id": n, "said": 'a, [b, {c, \\"d', "correct": True} for n in range(9)])
    found = sheets.document("a.json", text.encode()[:size], whole=False)
    assert not found.fault
    assert found.rows[0]["id"] == 0


def test_graded_files_are_told_from_data_sets_beside_them(init: Any) -> None:
    """A source names the files with grades, not the data sets and prompts that look like them."""
    record = {"name": "f", "prompt": "def f", "entry_point": "f", "test": "assert f"}
    files = {"data/code.jsonl": lines(record | {"name": i} for i in IDS)}
    for run in ("plain_tiny-a", "again_tiny-a", "again_tiny-b"):
        graded = [record | {"name": i, "is_solved": right(run, i)} for i in IDS]
        files[f"kept/{run}/code_{run}.jsonl"] = lines(graded)
        files[f"kept/{run}/prompts.jsonl"] = lines(record | {"name": i} for i in IDS)
    seen = init(files)
    assert seen.source["logs"] == "logs/kept/**/code_*.jsonl"
    assert "refused" not in seen.said
    assert "4 files, such as logs/data/code.jsonl: no score in its records" in seen.said


def test_the_same_name_in_each_folder_is_its_own_pattern(init: Any) -> None:
    """A name that all logs have is written once, though others lie beside it."""
    files = {}
    for model, part in (("tiny-a", "x"), ("tiny-b", "x"), ("tiny-a", "y"), ("tiny-b", "y")):
        graded = [{"id": i, "right_by_rule": right(model, i), "r": 1} for i in IDS]
        files[f"{part}/{model}/part_3_check.json"] = json.dumps(graded)
        files[f"{part}/{model}/part_1_plan.json"] = json.dumps([{"a": 1, "b": i} for i in IDS])
    seen = init(files)
    assert seen.source["logs"] == "logs/**/part_3_check.json"


@pytest.mark.parametrize(
    ("names", "model", "others"),
    [
        (["code-davinci-1-cot", "code-davinci-1-direct"], ["code-davinci-1-cot"], {}),
        (["O1-Mini-2024-09-12 (N=1)", "O1-Pro-2024-09-12 (N=1)"], ["O1-Mini"], {}),
        (
            ["gpt-4o_plain(10 options)_cot", "gpt-4o_plain(10 options)_direct",
             "gpt-4o_seen_cot", "gpt-4o_seen_direct"],
            ["gpt-4o"],
            {"variant": ["plain(10 options)", "seen"]},
        ),
        (
            ["gpt-4_0.7_naive_cot_sample_10_start0_end20", "gpt-4_0.7_tree5_start900_end1000"],
            ["gpt-4"],
            {"variant": ["naive_cot_sample_10", "tree5"]},
        ),
    ],
)  # fmt: skip
def test_names_of_models_are_kept_whole(
    init: Any, names: list[str], model: list[str], others: dict[str, list[str]]
) -> None:
    """A model's name loses no part that all files share, and takes none that is another setting."""
    graded = {
        f"{name}.jsonl": lines({"task": "arith", "id": i, "correct": right(name, i)} for i in IDS)
        for name in names
    }
    seen = init(graded)
    assert model[0] in seen.said
    assert seen.source.get("set", {}).get("model", model[0]) == model[0]
    found = [re.search(seen.source["path"], f"logs/{name}.jsonl") for name in names]
    groups = [match.groupdict() for match in found if match]
    assert len(groups) == len(names)
    for column, values in others.items():
        assert sorted({one[column] for one in groups}) == values
    assert groups[0].get("model", model[0]) == model[0]


def test_what_is_true_or_false_is_the_score_whatever_its_name(init: Any) -> None:
    """A list with a flag a record is read, also where a run has the flag always false."""
    files = {}
    for way, model, share in (("pad", "tiny-a", 3), ("pad", "tiny-b", 9), ("fit", "tiny-a", 2)):
        records = [{"n": n, "prompt": "x", "broken": n % share == 0 < n} for n in range(8)]
        head = {"way": way, "model": model, "broken_rate": 0.1 * share, "done_on": "2024-10-14"}
        files[f"{way}/{model}.json"] = json.dumps({"parameters": head, "items": records})
    seen = init(files)
    assert seen.source["each"] == "items"
    assert seen.source["fields"]["score"] == "broken"
    assert list(seen.source["params"]) == ["way"]


def test_the_same_place_on_another_scale_is_another_source(init: Any) -> None:
    """Ratings from 0 to 10 and right or wrong under one name are not put on one scale."""
    files = {
        f"{task}/gpt-4_{way}.json": json.dumps([{"idx": n, "r": (n + 1) % top} for n in range(12)])
        for task, top in (("count", 2), ("write", 10))
        for way in ("cot", "plain")
    }
    seen = init(files)
    assert [one.get("range") for one in seen.sources] == [None, {"score": [0, 10]}]
    assert [one["set"]["model"] for one in seen.sources] == ["gpt-4"] * 2


def test_rounds_are_pooled_with_a_doubt(init: Any) -> None:
    """Trials may build on one another, so pooling them is told."""
    files = {
        f"{way}/results_trial_{n}.json": json.dumps(
            [{"name": i, "is_success": right(way, n, i)} for i in IDS]
        )
        for way in ("base", "again")
        for n in range(3)
    }
    seen = init(files)
    assert "trial: repetitions, pooled; if it is a setting" in seen.said


def test_lists_in_a_settings_file_tell_no_setting(init: Any) -> None:
    """A file beside the logs with lists, or of a list, is passed over without a fall."""
    files = {"config.json": json.dumps({"a": [1, 2]}), "b/config.json": "[1, 2]"}
    for folder in ("", "b/"):
        files[f"{folder}tiny-a.jsonl"] = lines({"id": i, "ok": right(i)} for i in IDS)
    assert init(files).status == 0


@pytest.mark.parametrize(
    ("target", "answer", "grade"),
    [
        ("# {}", "so it is 3 + {}", "number"),
        ("{}", "{}", "number"),
        ("choice {}", "choice {}", "exact"),
        ("({})x", " ({})x\n", "exact"),
    ],
)
def test_answers_without_a_score_are_compared_with_their_targets(
    init: Any, target: str, answer: str, grade: str
) -> None:
    """Where a comparison can tell right from wrong, it is written, with a doubt; data are left."""
    known = [
        {"id": i, "question": f"{n}?", "answer": target.format(n % 4)} for n, i in enumerate(IDS)
    ]
    files = {"data/arith.jsonl": lines(known)}
    for model, shift in (("tiny-a", 0), ("tiny-b", 1)):
        said = [answer.format((n + (n % 3) * shift) % 4) for n in range(len(IDS))]
        told = [one | {"output": text} for one, text in zip(known, said, strict=True)]
        files[f"out/{model}.jsonl"] = lines(told)
    seen = init(files)
    assert seen.source["fields"]["answer"] == "output"
    assert seen.source["fields"]["target"] == "answer"
    assert seen.source["grade"] == grade
    assert f"grade: {grade}" in seen.said
    assert "no score in its records; they have id, question, answer" in seen.said
    assert seen.source["logs"] == "logs/out/*.jsonl"


@pytest.mark.parametrize("said", ["It is in the kitchen.", "(B) hall", "A or B"])
def test_answers_in_words_are_not_compared(init: Any, said: str) -> None:
    """A sentence equals no letter: nothing is drawn of zeros, and what to do is told."""
    records = [{"id": i, "target": "AB"[n % 2], "response": said} for n, i in enumerate(IDS)]
    seen = init({"tiny-a.jsonl": lines(records), "tiny-b.jsonl": lines(records)})
    assert seen.status == 1
    assert "response is a text in words, which `grade` cannot judge by target" in seen.said


def test_a_generator_beats_an_engine_for_the_model(init: Any) -> None:
    """Of several places that may name the model, the one with names of models does."""
    files = {
        f"{model}.json": json.dumps(
            [{"id": i, "generator": model, "config": {"engine": engine}, "correct": right(i, model)}
             for i in IDS]
        )
        for model, engine in (("gpt-4o", "openai"), ("llama-3-8b", "vllm"), ("qwen2-7b", "vllm"))
    }  # fmt: skip
    assert init(files).source["fields"]["model"] == "generator"


def test_a_rate_of_faults_is_not_taken_for_the_score(init: Any) -> None:
    """Of several judgments the score is none that counts errors; the others are offered."""
    files = {
        f"{model}.jsonl": lines(
            {"id": i, "scores": {"fatal_error": n % 2, "completeness": n % 6, "style": n % 3}}
            for n, i in enumerate(IDS)
        )
        for model in ("tiny-a", "tiny-b")
    }
    seen = init(files)
    assert seen.source["fields"]["score"] == "scores.completeness"
    assert "style: scores.style" in seen.text


def test_texts_of_several_lines_are_no_ids(init: Any) -> None:
    """A prompt names no problem: it may be cut, and holds line ends, which no name does."""
    prompt = "def f():\n" + "    # again\n" * 60
    files = {
        f"{model}.jsonl": lines(
            {"prompt": f"{prompt}{i}", "name": i, "is_solved": right(i, model)} for i in IDS
        )
        for model in ("tiny-a", "tiny-b")
    }
    assert init(files).source["fields"]["sample_id"] == "name"


def test_columns_without_a_name_and_gold_labels_are_no_scores(init: Any) -> None:
    """A data set with labels is left; so is the number that pandas writes before each row."""
    rows = ["", "label", "question"], [0, "yes", "a?"], [1, "no", "b?"]
    files = {"data.csv": "".join(",".join(map(str, row)) + "\n" for row in rows)}
    files["gold.jsonl"] = lines({"id": i, "label": n % 2} for n, i in enumerate(IDS))
    seen = init(files)
    assert seen.status == 1
    assert seen.said.count("no score in its records") == 2


def test_a_list_of_one_target_is_compared_and_of_several_told(init: Any) -> None:
    """`answers: ["7"]` is one target; where several are right, nothing is compared."""
    files = {
        f"{model}/{kind}.jsonl": lines(
            {"id": i, "prediction": f"is {n % 3}", "ground_truth": [str(n % 4)] * count}
            for n, i in enumerate(IDS)
        )
        for model in ("tiny-a", "tiny-b")
        for kind, count in (("one", 1), ("two", 2))
    }
    seen = init(files)
    assert seen.source["fields"]["target"] == "ground_truth.0"
    assert "by ground_truth (several are right)" in seen.said


def test_a_score_that_never_varies_is_told(init: Any) -> None:
    """`success` may say that the request ended well."""
    files = {f"tiny-{m}.jsonl": lines({"id": i, "success": True} for i in IDS) for m in "ab"}
    assert "success is the same in all records: is it the score?" in init(files).said


def test_a_figure_of_a_part_says_so(init: Any) -> None:
    """Where settings find no room, the line of the figure tells what it shows, and how much."""
    files = {
        f"{model}/{n}.json": json.dumps(
            {"config": {"model": model, "way": f"w{n % 5}", "prompt_style": f"s{n % 7}",
                        "mode": f"m{n % 4}"},
             "samples": [{"id": i, "correct": right(i, n)} for i in IDS]}
        )
        for model in ("tiny-a", "tiny-b")
        for n in range(60)
    }  # fmt: skip
    assert re.search(r"figure logs +.* only .*\(\d+% of the samples\)", init(files).said)


def test_objects_of_bare_grades_are_read(init: Any) -> None:
    """Attempts by problem, as `{"q0": [true, false]}`, beside what the run came to."""
    files = {
        f"scored_tiny-a_{way}.json": json.dumps(
            {
                "raw_generations": {i: ["a", "b"] for i in IDS},
                "raw_scored": {i: [right(i, way, n) for n in range(2)] for i in IDS},
                "pass_at_1": 30.5 + len(way),
            }
        )
        for way in ("input", "output")
    }
    seen = init(files)
    assert seen.source["each"] == "raw_scored"
    assert seen.source["epochs"] == {"lists": ["score"]}
    assert {"sample_id": "$key", "score": "$value"}.items() <= seen.source["fields"].items()
    assert "params" not in seen.source


def test_the_label_of_a_model_and_how_a_request_ended_are_no_scores(init: Any) -> None:
    """`tiny-a_label: yes` is what the model said; `metadata.success` is of the request."""
    said = [{"label": "no", "tiny-a_label": "yes" if right(i) else "no"} for i in IDS]
    made = [{"id": i, "text": "x", "metadata": {"success": right(i)}} for i in IDS]
    seen = init({"said.jsonl": lines(said), "made.jsonl": lines(made)})
    assert seen.status == 1


def graded(model: str) -> list[dict[str, Any]]:
    return [{"id": i, "correct": right(i, model)} for i in IDS]


@pytest.mark.parametrize(
    ("ending", "write", "said"),
    [
        ("jsonl", lambda rows: "".join(f"{row}\n" for row in rows), "Python, not JSON"),
        ("json", str, "Python, not JSON"),
        ("json", lambda rows: json.dumps(rows)[:-1] + ",]", "a comma stands before a closing"),
        ("json", lambda rows: "\n".join(json.dumps(row, indent=1) for row in rows), "several JSON"),
        ("json", lambda rows: json.dumps({k: [row[k] for row in rows] for k in rows[0]}),
         "a table by columns, lists of 8 items"),
        ("csv", lambda rows: lines(rows).encode("utf-16"), "UTF-16, not UTF-8: write it anew"),
    ],
)  # fmt: skip
def test_texts_that_are_nearly_json_are_told_with_the_way_out(
    init: Any, ending: str, write: Any, said: str
) -> None:
    """What a habit wrote is named, and what to write instead."""
    seen = init({f"{model}.{ending}": write(graded(model)) for model in ("tiny-a", "tiny-b")})
    assert seen.status == 1
    assert f"unread    2 files, such as logs/tiny-a.{ending}: " in seen.said
    assert said in seen.said


@pytest.mark.parametrize(
    "write",
    [
        lambda row: json.dumps(row | {"loss": float("nan"), "best": float("-inf")}),
        lambda row: json.dumps(row | {"correct": str(int(row["correct"]))}),
        lambda row: json.dumps(row | {"correct": str(row["correct"])}) + "\r",
    ],
    ids=["bare NaN", "digits as texts", "words and CRLF"],
)
def test_records_with_habits_of_python_are_read(init: Any, write: Any) -> None:
    """Each record counts, the first one behind a byte order mark too."""
    files = {
        f"{model}.jsonl": b"\xef\xbb\xbf" + "".join(f"{write(r)}\n" for r in graded(model)).encode()
        for model in ("tiny-a", "tiny-b")
    }
    seen = init(files)
    assert "2 runs, 8 problems in each" in seen.said
    assert "refused" not in seen.said
    assert seen.source["fields"]["score"] == "correct"
    assert "q0" in seen.text


def test_judges_of_a_model_are_no_models(init: Any) -> None:
    """Columns by judge beside `Models`, a number of tokens as `Input`, a table without rows."""
    files = {"summary.csv": "a,b,c\n1,2\n"}
    for model in ("Opus_3", "GPT_4"):
        head = "Models,Dataset,Input,Accuracy,Accuracy_gpt-4o,Accuracy_claude-3"
        rows = [f"{model},d{n % 2},{900 + 7 * n},{n % 4},{n % 3},{n % 5}" for n in range(12)]
        files[f"{model}/grading.csv"] = "\n".join([head, *rows]) + "\n"
    seen = init(files)
    assert seen.source["fields"] == {
        "model": "Models", "task": "Dataset", "sample_id": "$row", "score": "Accuracy"
    }  # fmt: skip
    assert "summary.csv: no record in it" in seen.said


def test_answers_that_are_all_their_targets_are_data(init: Any) -> None:
    """A data set with both a target and an answer is not drawn as a model without a mistake."""
    seen = init({"data.jsonl": lines({"id": i, "target": i, "answer": i} for i in IDS)})
    assert seen.status == 1
    assert "each answer is its target" in seen.said


def test_a_few_bare_answers_among_sentences_are_not_drawn(init: Any) -> None:
    """Which files can be compared must not hang on how a model happened to answer in them."""
    files = {}
    for n in range(5):
        said = "hall" if n < 2 else "It is in the hall."
        files[f"tiny-a/part{n}.jsonl"] = lines(
            {"id": i, "target": ["hall", "room"][m % 2], "output": said} for m, i in enumerate(IDS)
        )
    seen = init(files)
    assert seen.status == 1
    assert "answers in words in most files beside" in seen.said
