"""What places of records are, by their names and by how their values go together."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.start import scores
from heatproof.start.pathparts import STAMP
from heatproof.start.sheets import LONGEST
from heatproof.start.tasks import is_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from heatproof.start.sheets import Row, Sheet

MODELS = (
    "model", "models", "model_name", "model_id", "model_path", "model_tag", "llm", "llm_name",
    "generator",
    "engine", "checkpoint", "agent", "agent_name", "system", "policy", "solver",
)  # fmt: skip
TASKS = (
    "task", "task_name", "dataset", "dataset_name", "benchmark", "benchmark_name", "bench", "exam",
    "exam_name", "eval_name", "evaluation", "eval", "suite", "subset", "env_name", "environment",
    "env", "domain", "subject", "category", "topic", "data_source", "problem_type",
)  # fmt: skip
IDS = (
    "sample_id", "question_id", "problem_id", "instance_id", "example_id", "item_id", "doc_id",
    "task_id", "qid", "pid", "id", "idx", "index", "uid", "uuid", "problem_index",
    "question_index", "example_index", "sample_idx", "question_idx", "problem_idx", "q", "problem",
    "question", "prompt", "input", "query", "name", "key", "number", "no", "sample",
)  # fmt: skip
PUT = ("prompt", "input", "query")
"""Of these, what is a text or else a number of tokens."""
EPOCHS = (
    "epoch", "attempt", "attempt_id", "trial", "trial_id", "repeat", "repetition", "rep",
    "replicate", "iteration", "iter", "try", "run_idx", "run_index", "sample_idx", "sample_index",
    "sample", "generation", "generation_id", "gen_idx", "completion_id", "completion", "rollout",
    "rollout_id", "k", "n", "run", "run_id", "seed",
)  # fmt: skip
SEEDS = (
    "seed", "random_seed", "rng_seed", "run", "run_id", "run_idx", "repeat", "rep", "replicate",
    "trial", "fold", "attempt", "s",
)  # fmt: skip
"""Settings over which cells are pooled."""
SETTINGS = (
    "temperature", "temp", "top_p", "top_k", "min_p", "budget", "max_tokens", "max_new_tokens",
    "lr", "learning_rate", "num_fewshot", "n_shots", "shots", "k_shot", "context_length", "depth",
    "depth_percent", "length", "quantization", "bits", "quant", "effort", "reasoning_effort",
    "ratio", "local_window", "window", "beam", "num_beams", "batch_size", "steps", "step",
    "prompt_style", "template", "format", "method", "variant", "strategy", "mode", "warmup",
)  # fmt: skip
"""What hyper-parameters are called."""
MEASURES = {
    "tokens", "token", "time", "latency", "cost", "duration", "seconds", "ms", "usd", "price",
    "runtime", "elapsed", "turns", "calls", "actions",
}  # fmt: skip
"""Words in the names of numbers measured beside a score."""
COUNTS = {"n", "num", "number", "total", "count", "size"}
COUNTED = {
    "problem", "problems", "question", "questions", "sample", "samples", "item", "items", "example",
    "examples", "record", "records", "instance", "instances", "row", "rows", "case", "cases",
    "correct", "right", "wrong", "failed", "passed", "solved", "errors", "dataset", "evaluated",
}  # fmt: skip
"""Words in the names of how many there were: `n_problems`, `dataset_size`."""
OF_RUNS = {"name", "run", "exp", "experiment", "tag", "label", "title", "dir", "output", "job"}
"""Words in the names of what runs are called."""
LIMITS = {"limit", "budget", "max", "len", "length", "size", "window"}
"""Words in the names of settings that are numbers of such."""
NEVER = {
    "timestamp", "date", "created", "created_at", "started", "started_at", "finished", "path",
    "file", "filename", "file_name", "hash", "commit", "version", "host", "hostname", "uuid", "url",
    "response", "output", "answer", "completion", "prediction", "pred", "text", "prompt",
    "question",
    "messages",
    "target", "gold", "expected", "error", "explanation", "reasoning", "solution",
    "problem", "query", "input", "note", "notes", "comment", "description", "end", "start",
    "start_time", "end_time", "choices", "content", "raw", "logprob", "logprobs", "stderr", "total",
    "count", "accuracy", "acc", "score", "mean", "num_correct", "n_correct", "num_samples",
    "evaluation_date", "run_date", "eval_date", "datetime",
}  # fmt: skip
"""Names of what is no setting, however it varies."""
NAMED = ("name", "id", "path", "pretrained", "model_name", "repo_id")
"""What tells the name of an object."""
OFTEN = 8
"""Times that a problem stands in a file at most, where its name may mean something else."""
FEW = 60
"""Values of a setting, at most."""
SHORT = 60
"""Characters of a setting that is a text, at most."""


class Records(NamedTuple):
    """Records of like files, and of which file each is."""

    paths: list[str]
    rows: list[Row]
    files: list[int]

    @classmethod
    def of(cls, sheets: Sequence[Sheet], most: int) -> Records:
        """Those of files, no more than `most` of all, as many of each."""
        share = max(most // max(len(sheets), 1), 20)
        rows = [(row, n) for n, sheet in enumerate(sheets) for row in sheet.rows[:share]]
        return cls([sheet.path for sheet in sheets], [row for row, _ in rows], [n for _, n in rows])

    def values(self, place: str) -> list[Any]:
        """What each record has at a place; None where it has nothing."""
        return [row.get(place) for row in self.rows]

    def places(self) -> list[str]:
        """All places, in the order in which they are met."""
        return list(dict.fromkeys(place for row in self.rows for place in row))


class Column(NamedTuple):
    """A place that holds single values, of all records."""

    place: str
    values: list[Any]

    @property
    def name(self) -> str:
        """What the place is called: `model.name` is called as what it names."""
        own = scores.name(self.place)
        above = scores.name(self.place.rpartition(".")[0])
        if own in NAMED and above in (*MODELS, *TASKS):
            return above
        return own

    def distinct(self) -> list[Any]:
        """Its values, each once, in their order."""
        return list(dict.fromkeys(value for value in self.values if value is not None))

    def type(self) -> str:
        """The type of config.yaml that holds all its values."""
        kinds = {type(value) for value in self.values if value is not None}
        if kinds == {bool}:
            return "bool"
        if kinds <= {int}:
            return "int"
        return "float" if kinds <= {int, float} else "str"

    @property
    def full(self) -> bool:
        """Whether each record has it."""
        return None not in self.values


def singles(records: Records) -> Iterator[Column]:
    """The places that hold a single value in each record that has them."""
    for place in records.places():
        values = records.values(place)
        if not any(isinstance(value, list) for value in values):
            yield Column(place, values)


def depends(column: Sequence[Any], on: Sequence[Any]) -> bool:
    """Whether values of `on` tell those of a column."""
    seen: dict[Any, Any] = {}
    return all(seen.setdefault(key, value) == value for key, value in zip(on, column, strict=True))


def is_seed(name: str) -> bool:
    """Whether a setting is called as those are over which cells are pooled."""
    return name in SEEDS or "seed" in name.split("_")


def named(found: Iterable[Column], names: Sequence[str]) -> list[Column]:
    """Those with one of some names, in the order of these; those nearer to the top first."""
    known = [column for column in found if column.name in names]
    return sorted(known, key=lambda one: (names.index(one.name), one.place.count(".")))


def is_text(column: Column, most: int = FEW) -> bool:
    """Whether it holds short texts, and not many."""
    values = column.distinct()
    texts = [value for value in values if isinstance(value, str)]
    short = all(len(value) <= 2 * SHORT and "\n" not in value for value in texts)
    return len(texts) == len(values) > 0 and short and len(values) <= most


def model(found: Sequence[Column]) -> Column | None:
    """The column that names the model: of several, one whose values look like names of models."""
    likely = [one for one in named(found, MODELS) if is_text(one, 500) and one.full]
    known = [one for one in likely if 2 * sum(map(is_model, one.distinct())) > len(one.distinct())]
    return next(iter([*known, *likely]), None)


def task(found: Sequence[Column], records: Records) -> Column | None:
    """The column that names the task: of several, one that varies."""
    likely = [one for one in named(found, TASKS) if is_text(one, 200) and one.full]
    likely = [one for one in likely if 2 * len(one.distinct()) <= len(records.rows)
              or len(one.distinct()) == 1]  # fmt: skip
    varied = [one for one in likely if len(one.distinct()) > 1]
    return next(iter([*varied, *likely]), None)


def problem(found: Sequence[Column], records: Records, taken: Sequence[str]) -> Column | None:
    """The column whose values are problems: met again in other files, or once in each."""
    likely = [one for one in named(found, IDS) if one.place not in taken and one.full]
    likely = [one for one in likely if one.type() in ("int", "str") and is_name(one)]
    likely = [one for one in likely if not _is_style(one, records)]
    ranked = sorted(likely, key=lambda one: (_unfit(one, records), likely.index(one)))
    return next(iter(ranked), None)


def _is_style(column: Column, records: Records) -> bool:
    """Whether it is a word for how problems were put, not for these: `prompt: cot`."""
    met = len({*zip(column.values, records.files, strict=True)})
    weak = column.name in IDS[IDS.index("q") :]
    return weak and len(column.distinct()) <= 3 and len(records.rows) > OFTEN * met


def is_name(column: Column) -> bool:
    """Whether its texts can name problems: in one line, and not so long that they were cut."""
    if column.name in PUT and column.type() == "int":
        return False  # how many tokens it has
    texts = [value for value in column.values if isinstance(value, str)]
    return all(text.isprintable() and len(text) < LONGEST for text in texts)


def _unfit(column: Column, records: Records) -> int:
    """How little a column looks like the ids of problems."""
    where: dict[Any, set[int]] = defaultdict(set)
    for value, file in zip(column.values, records.files, strict=True):
        where[value].add(file)
    several = len({*records.files}) > 1
    shared = sum(len(files) > 1 for files in where.values()) * 2 >= len(where)
    worst = max((len(str(value)) for value in where), default=0) >= 300
    single = len(where) == 1 and len(records.rows) > len({*records.files})
    return 4 * single + 2 * (several and not shared) + worst


def is_setting(column: Column, records: Records, problems: Sequence[Any]) -> bool:
    """Whether it is a setting: the same problem is met with several of its values."""
    values = column.distinct()
    if not 2 <= len(values) <= FEW or not column.full or tells_of_run(column):
        return False
    if column.name in NEVER:
        return is_text(column, FEW // 5) and _balanced(column, problems)
    measured = is_measure(column) and column.name not in SETTINGS
    long = any(isinstance(one, str) and (len(one) > SHORT or "\n" in one) for one in values)
    if measured or long or depends(column.values, problems):
        return False
    if depends(column.values, records.files):
        alone = len({*records.files}) == len(records.files)
        if alone and column.name not in (*SETTINGS, *SEEDS) and not _crossed(column, problems):
            return False  # a file is a record: what was measured differs from file to file, too
        few = len(values) < len({*records.files}) or len(values) <= 3
        return few or column.name in (*SETTINGS, *SEEDS) or column.type() == "str"
    return _crossed(column, problems)


def in_blocks(column: Column, records: Records) -> bool:
    """Whether it is a setting, of records of which nothing tells the problem: it is called so, or
    stays the same for some records in a row.
    """
    values = column.distinct()
    if not 2 <= len(values) <= FEW or not column.full or tells_of_run(column):
        return False
    if column.name in (*SETTINGS, *SEEDS):
        return True
    other = column.name in NEVER or is_measure(column)
    other = other or (column.type() == "str" and not is_text(column))
    pairs = list(zip(records.files, column.values, strict=True))
    changes = sum(one != before for before, one in itertools.pairwise(pairs))
    return not other and changes * 3 <= len(pairs)


def tells_of_run(column: Column) -> bool:
    """Whether it is a time, a hash, or how many problems there were: `num_samples`."""
    stamps = all(isinstance(one, str) and STAMP.fullmatch(one) for one in column.distinct())
    words = scores.words(column.place)
    counts = len(words) > 1 and bool({words[0], words[-1]} & COUNTS and {*words} & COUNTED)
    return stamps or counts


def _crossed(column: Column, problems: Sequence[Any]) -> bool:
    """Whether most problems are met with most of its values."""
    beside: dict[Any, set[Any]] = defaultdict(set)
    for problem, value in zip(problems, column.values, strict=True):
        beside[problem].add(value)
    several = sum(len(values) for values in beside.values())
    share = several / (len(beside) * len(column.distinct()))
    return share > (0.3 if column.name in (*SETTINGS, *SEEDS) else 0.7)


def _balanced(column: Column, problems: Sequence[Any]) -> bool:
    """Whether each problem is met as often with each of its values, as answers never are."""
    met = Counter(zip(problems, column.values, strict=True))
    return len({*met.values()}) == 1 and len(met) == len({*problems}) * len(column.distinct())


def is_measure(column: Column) -> bool:
    """Whether it is called like what is measured: `total_tokens`, but not `token_limit`."""
    words = {*scores.words(column.place)}
    return bool(MEASURES & words) and not LIMITS & words


def measures(found: Sequence[Column], taken: Sequence[str]) -> list[Column]:
    """Numbers that were measured beside the score."""
    return [
        one
        for one in found
        if one.place not in taken and not one.place.startswith("^")
        and is_measure(one)
        and one.type() in ("int", "float") and len(one.distinct()) > 1
    ]  # fmt: skip
