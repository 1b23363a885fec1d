"""lm-evaluation-harness 0.4: `samples_{task}_{time}.jsonl`, its run in `results_{time}.json`.

A line per problem and filter. It holds all repeats, but mostly the metric of one filtered answer
alone (with take_first, of the first repeat). So each repeat is graded here, by exact_match with the
filters of the harness; a record is refused if that gives the first repeat another answer or metric
than the harness stored.

`--output_path FOLDER` makes a folder for each model with `results_{time}.json` in it,
`--output_path x.json` writes `x_{time}.json` beside the samples (`loggers/evaluation_tracker.py`).
Its `results` have printed numbers: `"{metric},{filter}"` is the mean over problems of the stored
metric (`evaluator_utils.py`, `api/metrics.py`), `"{metric}_stderr,{filter}"` its standard error, if
the task aggregates the metric by its mean.
"""

from __future__ import annotations

import ast
import re
import string
from contextlib import suppress
from functools import cache, lru_cache
from itertools import chain
from math import inf
from os import listdir
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import msgspec

from heatproof.formats import harness
from heatproof.formats.api import printed_count, printed_number
from heatproof.formats.decoding import decoded, object_in, objects_in
from heatproof.formats.harness import Preference  # noqa: TC001  msgspec looks it up
from heatproof.formats.params import excerpted, lookup, unit
from heatproof.logs import logs
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


TIME = r"(?P<time>\d{4}-\d\d-\d\dT[\d.-]+)"
NAME = re.compile(rf"(?P<folder>(?:.*/)?)samples_(?P<task>.+)_{TIME}\.jsonl(\.gz|\.zst)?")
RESULTS = re.compile(rf"(?:.*/)?[^/]+_{TIME}\.json")
FORM = "samples_{task}_{time}.jsonl"
SAME = ("model", "model_args", "gen_kwargs", "random_seed", "numpy_seed", "torch_seed")
"""Settings, beside those of the task, in which a rerun equals the run that it replaces."""
STDERR = "_stderr"


class Entry(harness.Harness, kw_only=True):
    """Keys of an `lm_eval` source; `logs` names the samples files."""

    filter: Preference | None = None
    """Which filter's answers, if a task has several: a name, a list (the first that a task has
    counts), or either by task (`{gsm8k: strict-match, mmlu_*: none}`)."""
    metric: Preference | None = None
    """Which metric is the score, if a task has several; written like `filter`."""
    repeats: Literal["each", "stored"] = "each"
    """`each`: each repeat is an epoch. If the metric is a list, it holds their scores; else they
    are graded here. That takes exact_match with filters by regex, map, case or blanks, or equal
    log-likelihoods of all repeats; all else is refused. `stored`: one epoch with the stored
    metric."""
    answers: bool = False
    """Keep which samples have the same answer (`filtered_resps`), for a vote (maj@k)."""
    prefers: ClassVar[tuple[str, ...]] = ("filter", "metric")
    others: ClassVar[str] = RESULTS.pattern

    def sidecars(self, path: str, root: Path) -> list[str]:
        return list(filter(None, (results_file(path, root), superseding(path, root, self))))

    def printed_in(self, path: str, root: Path) -> list[str]:
        return list(filter(None, [results_file(path, root)]))


recognises = harness.sign(
    f"it is named {FORM} and holds doc_id", NAME.pattern, b'"doc_id"', b'"target"', b'"arguments"',
    line=True,
)  # fmt: skip


@cache
def _line(metric: str) -> type[msgspec.Struct]:
    """The struct of a line, in which the metric's name is a key."""
    fields: list[Any] = [
        ("doc_id", int | str), ("resps", list[Any]), ("score", bool | float | list[Any] | None),
        ("target", Any, None), ("filtered_resps", list[Any], []), ("filter", str, "none"),
        ("arguments", Any, None),
    ]  # fmt: skip
    return msgspec.defstruct("Line", fields, rename={"score": metric})


class Results(msgspec.Struct):
    """A results file."""

    results: dict[str, dict[str, Any]] = {}
    configs: dict[str, dict[str, Any]] = {}
    config: dict[str, Any] = {}
    model_name: str | None = None
    sizes: Any = msgspec.field(name="n-samples", default=None)
    """Task → problems that there are (`original`) and that were asked for (`effective`)."""

    def size(self, task: str, count: str = "effective") -> int | None:
        """Problems of a task that were asked for, or that there are (`original`)."""
        if isinstance(self.sizes, dict):
            sizes = self.sizes
        else:
            sizes = {}
        return printed_count(object_in(sizes, task).get(count))

    def model(self) -> str:
        if self.model_name:
            return self.model_name
        args = self.config.get("model_args")
        if isinstance(args, str):
            args = dict(argument.split("=", 1) for argument in args.split(",") if "=" in argument)
        names = map(args.get, ("pretrained", "model", "path")) if isinstance(args, dict) else ()
        if name := next((name for name in names if isinstance(name, str)), None):
            return name
        return str(self.config.get("model") or "")


class Reader(harness.Reader):
    """A line is a problem, with a sample for each repeat; lines of other filters are passed over.

    If a later run replaces the log, all are refused.
    """

    def begin(self) -> harness.Sizes:
        match = NAME.fullmatch(self.path)
        if match is None:
            raise Error(f"the file name is not {FORM}", "path")
        file = results_file(self.path, self.log.root)
        name = match["task"]
        if not file:
            why = f"no results_{match['time']}.json beside it, which has the settings of the run"
            raise Error(why, "missing")
        short = file.rsplit("/", 1)[-1]
        run: Results = self.beside(file, Results)
        if name not in run.results:
            why = f"{short} has no results of task {name!r}; {choices(name, run.results)}"
            raise Error(why, "missing")
        settings = run.configs.get(name, {})
        heads = [run.config.get("gen_kwargs"), run.config.get("model_args"),
                 settings.get("generation_kwargs"), settings, run.config]  # fmt: skip
        self.settle({"model": run.model(), "task": name}, heads)
        keys = [key.rpartition(",") for key in run.results[name]]
        metric, filter_ = self.choice([(m, f) for m, _, f in keys if m and not m.endswith(STDERR)])
        self.shared["scorer"] = f"{metric},{filter_}"
        self.task = Task(name, settings, metric, filter_)
        votes = any(step.get("function") == "majority_vote" for step in self.task.steps())
        self.is_each = self.entry.repeats == "each" and not votes
        lookups = self.entry.lookups()
        self.missing = {name: lookups[name] for name in lookups if self.shared[name] is None}
        later = superseding(self.path, self.log.root, self.entry)
        if self.log.was_there(later):
            self.later = later
        else:
            self.later = ""
        self.is_empty = True
        if (size := run.size(name)) is not None:
            available = run.size(name, "original")
            times = (self.is_each and printed_count(settings.get("repeats"))) or 1
            if available is None:
                of_data_set = None
            else:
                of_data_set = (size, available)
            yield harness.Declared(self.shared, size * times, part=of_data_set)

    def choice(self, pairs: list[tuple[str, str]]) -> tuple[str, str]:
        if not pairs:
            raise Error("its results file names no filter", "missing")
        metrics = sorted({metric for metric, _ in pairs})
        self.offered.choices = {"filter": sorted({name for _, name in pairs}), "metric": metrics}
        entry = self.entry
        task = self.shared["task"]
        first = None
        if not harness.names_of(entry.filter, task):  # a metric may have fewer filters
            names = harness.names_of(entry.metric, task)
            first = next((name for name in names if name in metrics), None)
        filter_ = self.choose("filter", sorted({f for m, f in pairs if first in (None, m)}))
        return self.choose("metric", sorted({m for m, f in pairs if f == filter_})), filter_

    def records(self) -> harness.Records:
        for record in self.lines(_line(self.task.metric)):
            if isinstance(record, harness.Reject) or record.value.filter == self.task.filter:
                self.is_empty = False
                yield record

    def samples(self, record: harness.Record) -> harness.Rows:
        if self.later:
            raise Error(f"superseded by the run of {self.later}", "absent")
        line = record.value
        texts = line.resps[0] if len(line.resps) == 1 and isinstance(line.resps[0], list) else []
        if not all(isinstance(text, str) for text in texts):  # log-likelihoods
            texts = []
        scores, is_graded = self.scores(line, texts)
        settings = lookup(self.missing, arguments(line.arguments))
        answers = self.answers(line, texts, len(scores))
        for epoch, (score, answer) in enumerate(zip(scores, answers, strict=True)):
            row = {"sample_id": str(line.doc_id), "epoch": epoch, "score": score, "answer": answer}
            yield row | {"graded": is_graded and epoch > 0} | settings

    def scores(self, line: Any, texts: list[str]) -> tuple[list[float | None], bool]:
        """The score of each repeat, and whether those after the first were graded here."""
        stored = line.score
        metric = self.task.metric
        ends = self.entry.range
        if isinstance(stored, list):
            if not self.is_each or len(stored) != len(texts):
                condition = " for each repeat" if self.is_each else ""
                raise Error(f"{metric} is a list of {len(stored)} values, not one score{condition}")
            if not all(isinstance(score, int | float) for score in stored):
                raise Error(f"{metric} is a list, but not of numbers")
            return [unit(score, ends) for score in stored], False
        if self.is_each and len(texts) > 1:
            return list(exact_matches(line, self.task, texts)), True
        if stored is None:
            score = None
        else:
            score = unit(stored, ends)
        size = 1
        if self.is_each:
            size = likelihoods(line.resps)
        return [score for _ in range(max(size, 1))], size > 1

    def answers(self, line: Any, texts: list[str], size: int) -> list[str | None]:
        """The filtered answer of each repeat, empty if there is none.

        None where the log has none: for log-likelihoods, and if the filter is not known here, for
        all repeats but the first; or where config.yaml asks for none.
        """
        if not texts or not self.entry.answers:
            return [None for _ in range(size)]
        kept = line.filtered_resps
        if kept and isinstance(kept[0], list):
            kept = kept[0]
        if len(kept) != size:
            with suppress(Error):
                kept = filtered(line, self.task, texts)
        if len(kept) != size:
            return [None for _ in range(size)]
        nothing = {str(step.get("fallback", NO_MATCH)) for step in self.task.steps()}
        return [None if not isinstance(a, str) else "" if a in nothing else a for a in kept]

    def ended(self) -> harness.Sizes:
        if self.is_empty:
            why = f"no record of filter {self.task.filter!r}"
            yield harness.Reject.of_log(Error(why, "missing"))

    def printed_numbers(self) -> harness.Numbers:
        """The numbers of the log's task, unless a later run replaces it."""
        match = NAME.fullmatch(self.path)
        files = self.entry.printed_in(self.path, self.log.root)
        if match is None or not files or superseding(self.path, self.log.root, self.entry):
            return
        run = self.beside(files[0], Results)
        task = match["task"]
        results = run.results.get(task, {})
        sizes = (results.get("sample_len"), results.get("samples"), run.size(task))
        size = next(filter(None, map(printed_count, sizes)), None)
        for key, value in results.items():
            metric, comma, _ = key.rpartition(",")
            is_error = metric.endswith(STDERR)
            if comma and not (is_error and isinstance(value, str)):  # N/A where there is no error
                yield self.number(
                    key, value, file=files[0], over="first", problems=size,
                    scorer=key.replace(f"{STDERR},", ",", 1) if is_error else key,
                    statistic="stderr" if is_error else "mean",
                    why=_why(value, metric, run.configs.get(task, {})),
                )  # fmt: skip


def _why(value: object, metric: str, settings: dict[str, Any]) -> str:
    """Why a number is no mean over the samples; empty if it is one."""
    if printed_number(value) is None:
        return f"it is {excerpted(value)}, not a number"
    name = metric.removesuffix(STDERR)
    how = item_of(settings, "metric_list", "metric", name).get("aggregation", "mean")
    if how == "mean" or (how == "nanmean" and metric == name):
        return ""
    return f"the task aggregates by {excerpted(how)}, not by the mean"


def arguments(requests: Any) -> list[Any]:
    """The generation arguments of a record: `{gen_args_0: {arg_1: {…}}}`, or `[[prompt, {…}]]`."""
    if isinstance(requests, dict):
        requests = list(requests.values())
    if isinstance(requests, list) and requests:
        first = requests[0]
    else:
        first = None
    listed = first
    if isinstance(first, dict):
        listed = list(first.values())
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def results_file(path: str, root: Path) -> str:
    """The results file of the same time as a samples file; empty if there is none."""
    match = NAME.fullmatch(path)
    if match is None:
        return ""
    usual = f"results_{match['time']}.json"
    folder = root / match["folder"]
    if (folder / usual).is_file():
        return match["folder"] + usual
    listed = []
    if folder.is_dir():
        listed = _names(folder, folder.stat().st_mtime_ns)
    names = []
    for name in listed:
        candidate = RESULTS.fullmatch(name)
        if candidate and candidate["time"] == match["time"]:
            names.append(name)
    if len(names) == 1:
        return match["folder"] + names[0]
    return ""


def superseding(path: str, root: Path, source: Entry) -> str:
    """The results file of the latest rerun of the same task, model and settings; empty if none.

    A rerun must match the patterns of the source, and must not have been asked for fewer problems:
    a whole run replaces the trial before it, but not the other way round.
    """
    match = NAME.fullmatch(path)
    if match is None:
        return ""
    folder = match["folder"]
    task = match["task"]

    def identity(name: str) -> tuple[bytes, float]:
        file = root / results_file(name, root)
        return _identity(file, task, file.stat().st_mtime_ns)

    mtime = (root / folder).stat().st_mtime_ns
    candidates = (NAME.fullmatch(folder + name) for name in _names(root / folder, mtime))
    runs = [(o["time"], o[0]) for o in candidates if o and o["task"] == task]
    later = [name for time, name in sorted(runs, reverse=True) if time > match["time"]]
    if later:
        identity_here, needed = identity(path)
    else:
        identity_here, needed = b"", 0
    for name in later if identity_here else ():
        same, size = identity(name)
        if logs.matches(source, name) and same == identity_here and size >= needed:
            return results_file(name, root)
    return ""


@lru_cache(maxsize=64)
def _names(folder: Path, _mtime: int) -> list[str]:
    return sorted(n for n in listdir(folder) if n.startswith("samples_") or RESULTS.match(n))


@lru_cache(maxsize=1 << 16)
def _identity(file: Path, task: str, _mtime: int) -> tuple[bytes, float]:
    """Settings of a run, empty if unreadable, and its problems, infinite without a limit."""
    try:
        run: Results = decoded(file.read_bytes(), Results)
    except (OSError, Error):
        return b"", 0
    settings = run.configs.get(task, {})
    facts = {key: run.config.get(key) for key in SAME}
    facts |= {key: settings.get(key) for key in ("num_fewshot", "generation_kwargs", "repeats")}
    limit = run.config.get("limit")
    stated = limit if isinstance(limit, int | float) else 0
    if limit is None:
        size = inf
    else:
        size = run.size(task) or stated
    return msgspec.json.encode([run.model(), facts], order="deterministic"), size


read = Reader.read
printed = Reader.printed
offer = Reader.offer


# Grades of all repeats of a record that has the grade of the first alone.

WAY_OUT = "(`repeats: stored` in config.yaml takes the stored metric alone)"
NO_MATCH = "[invalid]"  # the answer of the regex filter if nothing matches, by default
SELECTING = ("take_first", "take_first_k")  # filters that do not change an answer
PLAIN: dict[Any, Callable[[str], str]] = {
    "remove_whitespace": str.lstrip, "lowercase": str.lower, "uppercase": str.upper,
}  # fmt: skip
UNUSABLE = (re.error, TypeError, ValueError, OverflowError, RecursionError)
"""Raised for wrong patterns and numbers."""
LONGEST_REASON = 200  # letters of a filter that is refused
UNLIKE = ("process_results", "doc_to_choice")
"""Settings of a task with which exact_match does not compare answer and target."""
LONGEST = 10_000  # characters of a target that may be a list


class Task(NamedTuple):
    """What the grades of a task depend on."""

    name: str
    settings: dict[str, Any]
    metric: str
    filter: str

    def steps(self) -> list[dict[str, Any]]:
        return objects_in(item_of(self.settings, "filter_list", "name", self.filter), "filter")


def item_of(settings: dict[str, Any], key: str, field: str, value: str) -> dict[str, Any]:
    """The first object of a list in the settings with a value in a field; or an empty one."""
    return next((item for item in objects_in(settings, key) if item.get(field) == value), {})


def exact_matches(record: Any, task: Task, answers: list[str]) -> list[float]:
    """exact_match of each filtered repeat with the target. Raises Error: it cannot be computed."""
    if task.metric != "exact_match" or any(map(task.settings.get, UNLIKE)):
        metric_words = f"{task.metric!r} of task {task.name!r}"
        raise Error(f"repeats cannot be graded: {metric_words} is not plain exact_match {WAY_OUT}")
    answers = filtered(record, task, answers)
    rules = item_of(task.settings, "metric_list", "metric", task.metric)
    readings = [exact(answers, right, rules) for right in targets(record.target)]
    fitting = [grades for grades in readings if grades[0] == record.score]
    if not fitting:
        raise Error(
            f"{task.metric} of the first repeat is stored as {record.score}, "
            f"but {excerpted(answers[0])} compared with its target gives {readings[0][0]}"
        )
    if any(grades != fitting[0] for grades in fitting):
        raise Error(f"the target {excerpted(record.target)} may be a text or a list of several")
    return fitting[0]


def filtered(record: Any, task: Task, answers: list[str]) -> list[str]:
    """Each filtered repeat. Raises Error: the first is another than the harness stored."""
    if record.filtered_resps:
        kept = record.filtered_resps[0]
    else:
        kept = None
    if isinstance(kept, list):
        if len(kept) == len(answers) and all(isinstance(answer, str) for answer in kept):
            return kept
        kept = kept[0] if kept else None
    for step in task.steps():
        if step.get("function") not in SELECTING:
            answers = list(map(step_function(step), answers))
    if answers[0] != kept:
        raise Error(
            f"filter {task.filter!r} gives {excerpted(answers[0])} for the first repeat, "
            f"but {excerpted(kept)} is stored"
        )
    return answers


def step_function(step: dict[str, Any]) -> Callable[[str], str]:
    """A function of a filter, as the harness defines it. Raises Error: it is not known here."""
    name = step.get("function")
    if name == "regex":
        return _regex(step)
    if name == "map":
        table = step.get("mapping_dict")
        default = step.get("default_value")
        if not isinstance(table, dict):
            raise Error("the map filter of the task has no mapping_dict")
        return lambda answer: str(table.get(answer, default))
    if not isinstance(name, str) or name not in PLAIN:
        raise Error(f"repeats cannot be filtered by {name!r} {WAY_OUT}")
    return PLAIN[name]


def _regex(step: dict[str, Any]) -> Callable[[str], str]:
    try:
        pattern = re.compile(step.get("regex_pattern", r"#### (\-?[0-9\.\,]+)"))
        select = int(step.get("group_select", 0))
        fallback = str(step.get("fallback", NO_MATCH))
    except UNUSABLE as error:  # whose words are others in each version of Python
        keys = [f"{key}: {step[key]!r}" for key in ("regex_pattern", "group_select") if key in step]
        words = f"the regex filter of the task is not usable: {', '.join(keys)}"
        raise Error(words[:LONGEST_REASON]) from error

    def extract(answer: str) -> str:
        matches: list[Any] = pattern.findall(answer)
        if not -len(matches) <= select < len(matches):
            return fallback
        match = matches[select]
        if isinstance(match, tuple):
            match = next((group for group in match if group), fallback)
        return str(match).strip()

    return extract


def likelihoods(resps: list[Any]) -> int:
    """The number of repeats of log-likelihoods, 0 of other answers. Raises Error: they differ."""
    choices = [choice for choice in resps if isinstance(choice, list)]
    is_even = len({len(choice) for choice in choices}) == 1 and len(choices) == len(resps)
    pairs = list(chain.from_iterable(choices))
    if not is_even or not pairs or not all(isinstance(pair, list) for pair in pairs):
        return 0
    if any(choice.count(choice[0]) < len(choice) for choice in choices):
        raise Error(f"repeats cannot be graded: their log-likelihoods differ {WAY_OUT}")
    return len(choices[0])


def targets(target: Any) -> list[list[str]]:
    """The readings of a target, each a list of right answers: the harness writes lists as text."""
    if isinstance(target, list):
        return [list(map(str, target))]
    text = str(target)
    listed = []
    if text.startswith("[") and text.endswith("]") and len(text) <= LONGEST:
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            listed = ast.literal_eval(text)
    if listed:
        return [[text], list(map(str, listed))]
    return [[text]]


def exact(answers: list[str], right: list[str], rules: dict[str, Any]) -> list[float]:
    """1 for each answer that is one of the right ones, under the metric's own options."""
    texts = [_plain(target, rules) for target in right]
    return [float(_plain(answer, rules) in texts) for answer in answers]


def _plain(text: str, rules: dict[str, Any]) -> str:
    ignored = rules.get("regexes_to_ignore")
    for pattern in ignored if isinstance(ignored, list) else []:
        try:
            text = re.sub(pattern, "", text)
        except UNUSABLE as error:
            raise Error(f"the metric ignores {pattern!r}, not a regular expression") from error
    if rules.get("ignore_case"):
        text = text.lower()
    for rule, signs in (("punctuation", string.punctuation), ("numbers", string.digits)):
        if rules.get(f"ignore_{rule}"):
            text = text.translate(str.maketrans("", "", signs))
    return text
