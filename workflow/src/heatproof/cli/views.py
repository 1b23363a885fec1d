"""Questions to a project, its results and its logs: each a function, and its row of COMMANDS."""

from __future__ import annotations

import os
import sys
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.cli import main as cli
from heatproof.cli.main import JSON, Argument, Command
from heatproof.config import roles
from heatproof.kinds import states
from heatproof.util import canonical, terminal
from heatproof.util.errors import Error, choices, not_one_of
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence

    from heatproof.config.entries import Source
    from heatproof.kinds.trace import Behind
    from heatproof.provenance.identify import Match
    from heatproof.provenance.verify import Difference, Stage

LISTED = 1_000  # records of a cell that `trace` lists at most
LOGS_READ = 200  # the most logs that `peek` reads


def clean(args: Namespace) -> int:
    """List results that config.yaml no longer needs; --yes removes them.

    These are the files in results/ that no job makes, such as those of a former figure or source.
    --yes removes those that heatproof made and nobody has changed since, and lists the others. The
    exit status is 0.
    """
    from heatproof.provenance import verify

    plan = cli.plan_of(args)
    strays, foreign = verify.leftovers(plan)
    if args.yes:
        verify.remove(strays, plan.root)
    if args.json:
        terminal.say_json({"ours": strays, "kept": foreign, "removed": bool(args.yes)})
        return 0
    lines = []
    count = numbered(len(strays), "file")
    if strays:
        left = f"{count} left from earlier builds, which config.yaml no longer asks for:"
        removed = f"removed {count} that config.yaml no longer asks for:"
        lines.append(removed if args.yes else left)
        lines += [f"  {terminal.name(path)}" for path in strays]
        if not args.yes:
            lines.append("`heatproof clean --yes` removes them")
    if foreign:
        lines.append("kept, because heatproof did not make them or they have changed since:")
        lines += [f"  {terminal.name(path)}" for path in foreign]
    terminal.say("\n".join(lines or ["nothing in results/ is left over"]))
    return 0


def coverage(args: Namespace) -> int:
    """List the runs of a sweep: complete, incomplete or missing.

    A sweep is every combination of the values that its settings take; runs that lack a
    hyper-parameter, as baselines do, are a sweep of their own. It needs only logs, no figures. With
    `--todo`, it writes the runs that are not complete as tab-separated values, a line each below
    the names of the columns, so that task n of a job array takes line n + 1:

        sbatch --array=1-$(($(wc -l <todo.tsv) - 1)) run.sh
        line=$(sed -n "$(SLURM_ARRAY_TASK_ID + 1)p" todo.tsv)    # in run.sh
        ratio=$(cut -f3 <<<"$line")

    The exit status is 1 if a run is not complete.
    """
    from heatproof import sweep
    from heatproof.plan import present
    from heatproof.provenance import record
    from heatproof.samples import shard_index, tables

    plan = cli.plan_of(args)
    if args.source not in plan.sources:
        raise Error(not_one_of(args.source, "source", plan.sources))
    expected = _expected_values(args)
    counts, logs = present(plan, args.source)
    rows = sweep.run_coverage(counts, expected, logs)
    if any(log.reconstructed for log in logs.logs.values()):
        terminal.say(f"heatproof: {record.RECONSTRUCTED}", error=True)
    for line in shard_index.expectation_words(args.source, logs.expect, counts):
        terminal.say(line, error=True)
    if args.todo:
        tables.write_text(sweep.todo(rows), Path(args.todo))
    status = int((rows["state"] != "complete").any())
    if args.json:
        terminal.say_json(rows.to_dicts())
        return status
    if args.csv:
        text = rows.write_csv()
    else:
        text = sweep.coverage_text(rows)
    if args.csv and not sys.stdout.isatty():  # as it is, for a program
        sys.stdout.write(f"{text}\n")
    else:
        terminal.say(text)
    return status


def _expected_values(args: Namespace) -> dict[str, list[str]]:
    """Column → the values of --expect. Raises Error: they, or the file of --todo, cannot be so."""
    pairs = [text.partition("=") for text in args.expect]
    expected = {column: listed.split(",") for column, equals, listed in pairs if equals}
    if len(expected) < len(args.expect):
        wrong = ", ".join(args.expect)
        raise Error(f"--expect {wrong}: write COLUMN=VALUE,… once for each column")
    if args.todo and not Path(args.todo).parent.is_dir():
        raise Error(f"--todo: there is no folder {Path(args.todo).parent}")
    return expected


def diff(args: Namespace) -> int:
    """Compare two builds: which cells changed, by how much, and through which logs.

    A and B are folders with results, or projects. `--page FILE` draws the changes. The exit status
    is 1 if a cell differs.
    """
    from heatproof.provenance import diff as differences

    figures = differences.compared(differences.results(args.a), differences.results(args.b))
    if args.json:
        terminal.say_json(figures)
    else:
        lines = differences.change_lines(figures)
        terminal.say("\n".join(lines) or "no cell of any figure differs")
    if args.page:
        from heatproof import changes
        from heatproof.samples import tables

        tables.write_text(changes.changes_page(figures, args.a, args.b), Path(args.page))
    return int(bool(figures))


def peek(args: Namespace) -> int:
    """Show what logs hold: columns and their values, runs, refused records.

    WHAT is a source of config.yaml, or a folder or a file of logs, which is then read as
    `heatproof init` would. Of many logs it reads some, spread over all; --all reads all of them.
    Nothing is written. The exit status is 1 if no record can be used.
    """
    if not (path := Path(args.what)).exists():
        if "/" in args.what:
            raise Error(f"{args.what}: no such file or folder")
        plan = cli.plan_of(args)
        if args.what not in plan.sources:
            valid = choices(args.what, plan.sources)
            raise Error(f"{args.what!r} is neither a file nor a source; {valid}")
        return _show_sources({args.what: plan.sources[args.what]}, plan.root, args)
    from heatproof.init import folder, text

    absolute = Path(os.path.abspath(path))
    here = Path.cwd()
    if absolute.is_relative_to(here):
        root = here
    else:
        root = absolute.parent
    inner = absolute.relative_to(root).as_posix()
    start = folder.Start(absolute, "" if inner == "." else inner, root, lambda *_: None, sure=True)
    if not args.json:
        screen = text.screen(start) or f"no log in {terminal.name(str(path))}"
        terminal.say(f"{screen}\n")
    sources = {name: source.trial.source for name, source in start.sources.items()}
    return _show_sources(sources, root, args)


def _show_sources(sources: Mapping[str, Source], root: Path, args: Namespace) -> int:
    """Print what the logs of sources hold; the exit status: 1 if no record can be used."""
    from heatproof.library import reading
    from heatproof.logs import logs

    rows = list[dict[str, Any]]()
    usable = False
    for name, source in sources.items():
        paths = logs.find(source, root)
        # The same logs in each call, in an order that does not follow their settings.
        if args.all:
            read_paths = paths
        else:
            read_paths = sorted(sorted(paths, key=canonical.key)[:LOGS_READ])
        tables, _, problems = reading.tables_of(source, read_paths, root)
        usable |= bool(len(tables.samples))
        sizes = {"name": name, "format": source.format, "logs": len(paths), "read": len(read_paths)}
        rows.append(sizes | reading.content_facts(tables))
        if not args.json:
            note = ""
            if len(read_paths) != len(paths):
                note = f", of which {len(read_paths)} are read (--all: all)"
            gap = "\n" if len(rows) > 1 else ""
            head = f"{source.format}, {numbered(len(paths), 'log')}{note}"
            terminal.say(f"{gap}{name}: {head}\n{reading.contents(tables)}")
        for problem in problems:
            terminal.say(str(problem), error=True)
    if args.json:
        terminal.say_json(rows)
    return int(not usable)


def schema(_: Namespace) -> int:
    """Print the JSON schema of config.yaml: with it, editors complete keys and show help.

    Write it to a file and name that in the first line of config.yaml:
    `# yaml-language-server: $schema=FILE`. It is the same with --json.
    """
    from heatproof.config import schema as json_schema

    terminal.say(json_schema.text(), end="")
    return 0


def trace(args: Namespace) -> int:
    """Show the log lines behind a number of a figure, and count it anew.

    FIGURE is a file (svg, pdf, png, html, spec or grid), a figure's name, the id printed in its
    corner, or the address of a cell, such as 'tasks?task=sum&ratio=0.3'. Without a cell, it lists
    the files, digests and versions behind the figure. For a PDF paper with several figures, it
    lists them with their pages, and whether each is as it was drawn.

    The exit status is 1 if the new count differs, or a file has changed.
    """
    from heatproof.kinds.trace import split_address
    from heatproof.provenance import identify
    from heatproof.provenance import trace as tracing

    if args.cell is None and not Path(args.figure).is_file():
        args.figure, args.cell = split_address(args.figure)
    root = cli.project(args.project, [args.figure], args.configfile)
    matches = identify.find_figures(args.figure, root)
    if len(matches) > 1:
        return _trace_paper(args, matches)
    (match,) = matches
    stages, changed = tracing.files(match.record, root, logs=args.cell is None)
    if match.fault:
        name = Path(args.figure).name
        changed.insert(0, f"{name} does not show what was drawn as {match.figure}: {match.fault}")
    plain = {"figure": match.figure, "id": match.record["id"], "found": match.how}
    agrees = True
    if args.cell is None:
        titles = ("stage", "what", "digest")
        plain["stages"] = [dict(zip(titles, row, strict=True)) for row in stages]
        width = max(len(file) for _, file, _ in stages)
        rows = (
            f"{stage:9} {terminal.name(file):{width}}  {hash_}" for stage, file, hash_ in stages
        )
        words = "\n".join([_head(match), *rows, ""])
    else:
        behind = tracing.cell(match.record, root, args.cell)
        changed += behind.changed + behind.grown
        agrees = behind.agrees is not False
        if args.records:
            records = chain.from_iterable(part.records for part in behind.parts)
            tracing.add_bytes(records, root)
        plain |= msgspec.to_builtins(behind)
        words = cell_text(match, behind, records=args.records)
    for line in changed:
        terminal.say(f"heatproof: {terminal.name(line)}", error=True)
    if args.json:
        terminal.say_json(plain | {"changed": changed})
    else:
        terminal.say(words, end="")
    return int(bool(changed) or not agrees)


def _trace_paper(args: Namespace, matches: list[Match]) -> int:
    head = f"{terminal.name(args.figure)} holds {len(matches)} figures"
    if args.cell is not None:
        labels = "; ".join(match.label for match in matches)
        raise Error(f"{head} ({labels}): name the one that you mean")
    if args.json:
        rows = [msgspec.to_builtins(match) | {"figure": match.figure} for match in matches]
        terminal.say_json({"file": args.figure, "figures": rows})
    else:
        lines = [f"  {match.label}: {match.fault or 'as it was drawn'}" for match in matches]
        end = "heatproof trace NAME shows what is behind one."
        terminal.say("\n".join([f"{head}:", *map(terminal.name, lines), end]))
    return int(any(match.fault for match in matches))


def cell_text(match: Match, behind: Behind, *, records: bool = False) -> str:
    """Whether the records give the number, the number, and a line for each log behind it.

    With `records`, a line for each record as well.
    """
    printed = bool(behind.printed)
    cell = ", ".join(f"{name}={value}" for name, value in behind.cell.items())
    lines = [_verdict(match, behind), _number_line(behind), cell, _head(match)]
    lines += filter(None, [behind.printed, behind.against, behind.beside])
    if behind.heads:
        heads = (terminal.name(f"{column} at {place}") for column, place in behind.heads.items())
        lines.append(f"from the head of each log: {', '.join(heads)}")
    for part in behind.parts:
        if len(behind.parts) > 1:
            lines += ["", f"{part.title}: {_number(part.value)}, {_size(part, printed)}"]
        lines += _log_lines(part, behind.unread, printed, records)
    nothing = "its run did not finish" if printed else "no graded sample"
    lines += [f"{terminal.name(path)}: {nothing}" for path in behind.failed]
    if any(len(part.records) > 1 for part in behind.parts) and not records:
        lines += ["", "--records prints the records, and their places"]
    return "\n".join(lines + [""])


def _number_line(behind: Behind) -> str:
    """Metric, value and sizes of a cell. "no data" is said only where there is no record."""
    size = _size(behind, bool(behind.printed))
    if behind.expected is not None and behind.expected > behind.epochs:
        size += f" of {behind.expected:,} expected"
    if behind.asked:
        size += f"; asked for {behind.asked}"
    value = _number(behind.value)
    all_failed = behind.failed and not behind.parts
    has_data = behind.state not in ("", states.NOTHING)
    if behind.value is None and has_data and not all_failed:
        value = "no value"
    return f"{behind.metric} = {value}, {size}"


def _verdict(match: Match, behind: Behind) -> str:
    """Whether the records give the number that is shown."""
    if behind.agrees is None:
        return behind.note
    words = "NOT what the figure shows"
    if behind.agrees:
        words = "as in the figure"
        if match.fault:
            words = "as in the grid, but not as in the picture"
    source = "the logs as they are now" if behind.changed else "these records"
    return f"counted anew from {source}: {behind.gap or _number(behind.counted)}, {words}"


def _head(match: Match) -> str:
    name = f"{match.figure} (heatproof {match.record.get('id', '?')})"
    head = f"{name}, found {terminal.name(match.how)}"
    if match.record["reconstructed"]:
        head += "; its logs are reconstructed from printed digits"
    return head


def _size(part: Any, printed: bool) -> str:
    if printed:
        return numbered(part.epochs, "printed number")
    return f"{numbered(part.samples, 'problem')}, {numbered(part.epochs, 'record')}"


def _log_lines(part: Any, unread: list[str], printed: bool, with_records: bool) -> list[str]:
    """A line for each log of some records; `with_records`, for each of the first of them too."""
    lines = list[str]()
    listed = part.records[:LISTED] if with_records else part.records
    for (log, member), group in groupby(listed, key=itemgetter("log", "member")):
        records = list(group)
        name = terminal.name(" in ".join(filter(None, (member, log))))
        if log in unread:
            name += " (not read: as the samples table has it)"
        if with_records:
            lines.append(f"  {name}")
            for record in records:
                lines.append(f"    {_record_line(record, printed)}")
                if "record" in record:
                    lines.append(indent(record["record"], "      "))
        elif len(records) == 1:
            lines.append(f"  {name}, {_record_line(records[0], printed)}")
        else:
            numbers = [record["line"] for record in records]
            place = f"lines {min(numbers)} to {max(numbers)}"
            lines.append(f"  {name}, {place}: {numbered(len(records), 'record')}")
    unlisted = len(part.records) - len(listed)
    if unlisted > 0:
        lines.append(f"    and {numbered(unlisted, 'more record')}: --json lists all")
    return lines


def _record_line(record: dict[str, Any], printed: bool) -> str:
    """Where a record stands, what it is called, and its number."""
    start = record["offset"]
    length = record["record_bytes"]
    place = f"line {record['line']}, bytes {start}–{start + length - 1}"
    return f"{place}: {terminal.name(_record_name(record, printed))}: {_number(record['value'])}"


def _record_name(record: dict[str, Any], printed: bool) -> str:
    """Sample, epoch, scorer and answer of a record."""
    words = ["printed number"]
    if not printed:
        words = [f"sample {record['sample_id']}"]
    if not printed:
        words.append(f"epoch {record['epoch']}")
    words += [f"{name} {record[name]}" for name in roles.GRADERS if record[name]]
    if "answer" in record and not printed:
        answer = record["answer"]
        words.append(f"answer {answer}" if answer else "no answer")
    return ", ".join(words)


def _number(value: float | None) -> str:
    return "no data" if value is None else f"{value:.10g}"


def verify(args: Namespace) -> int:
    """Check that figures still follow from their logs.

    Rehashes logs, tables, grids, specs, figures, code, installed packages and config; then builds
    everything anew from the raw logs, compares the bytes, and counts every cell once more. --quick
    only rehashes, and knows packages by their versions. FIGURE is a file, a name or an id; without
    it all figures are checked. The exit status is 1 if anything fails. In a partial build, it
    checks what is there, and lists the rest.
    """
    from heatproof.provenance import verify as verifying

    stages: list[Stage] = []
    try:
        plan = cli.plan_of(args, args.figures)
        tell = terminal.show_progress
        for stage in verifying.stages(plan, args.figures, quick=args.quick, tell=tell):
            stages.append(stage)
            terminal.show_progress()
            if not args.json:
                terminal.say(stage_text(stage))
    except Error as error:
        failure = verifying.Difference("asked", "a question", str(error))
        stages.append(verifying.Stage("asked", "cannot be judged", [failure]))
        raise
    finally:
        if args.json:
            terminal.say_json(stages)
    failed = sum(len(stage.failures) for stage in stages)
    if not args.json:
        is_partial = any(stage.name == verifying.NOT_BUILT for stage in stages)
        stands = (
            "everything that was checked is unchanged" if is_partial else "everything is unchanged"
        )
        terminal.say(f"\n{failed} failed" if failed else f"\n{stands}")
    return int(failed > 0 or any(s.checked.startswith(verifying.UNTRIED) for s in stages))


def stage_text(stage: Stage) -> str:
    """A line for the stage, and two for each failure."""
    from heatproof.provenance import verify as verifying

    verdict = "ok"
    if stage.failures:
        verdict = f"{len(stage.failures)} FAILED"
    if stage.checked.startswith(verifying.UNTRIED) or stage.name == verifying.NOT_BUILT:
        verdict = ""
    lines = [f"{stage.name:12} {terminal.name(stage.checked):44} {verdict}".rstrip()]
    for failure in stage.failures:
        lines += [f"  {failure}", f"    touches {', '.join(failure.figures) or 'no figure'}"]
    if stage.name == "strays" and stage.failures:
        lines.append("  `heatproof clean` lists them, with those of former figures")
    return "\n".join(lines)


def why(args: Namespace) -> int:
    """Say what the next run would redo for a figure, and because of which change.

    FIGURE is a name, an id or a file; without it, all figures. Nothing is run. Of a partial build,
    it answers for what was built, and lists the rest. The exit status is 1 if the run would redo
    something.
    """
    from heatproof.provenance import verify as verifying

    plan = cli.plan_of(args, args.figures)
    answers = {n: verifying.why(plan, n) for n in verifying.names_of_figures(args.figures, plan)}
    if args.json:
        rows = [_why_row(name, *answer) for name, answer in answers.items()]
        terminal.say_json(rows)
    else:
        terminal.say("\n".join(_why_text(name, *answer) for name, answer in answers.items()))
    return int(any(reasons for reasons, _, _ in answers.values()))


def _why_row(
    figure: str, reasons: Sequence[Difference], stages: Sequence[str], not_built: Sequence[str]
) -> dict[str, Any]:
    return {"figure": figure, "stages": stages, "reasons": reasons, "not_built": not_built}


def _why_text(
    figure: str, reasons: Sequence[Difference], stages: Sequence[str], not_built: Sequence[str]
) -> str:
    left = f"not built, because nobody asked for it: {', '.join(not_built)}"
    if not reasons:
        if not_built:
            return f"{figure}: up to date, as far as it is built; {left}"
        return f"{figure}: up to date, none of its inputs has changed"
    lines = [f"{figure}: {', '.join(stages)} would run again"]
    lines += [f"  {terminal.name(reason.job)}: {reason}" for reason in reasons]
    if not_built:
        lines.append(f"  {left}")
    return "\n".join(lines)


def _flag(name: str, words: str) -> Argument:
    return f"--{name}", {"action": "store_true", "help": words}


def _option(name: str, metavar: str, words: str | None = None, **more: Any) -> Argument:
    return name, {"metavar": metavar, "help": words, **more}


FIGURES = _option("figures", "FIGURE", nargs="*")
EXPECT = "values that the sweep should also have, although no log has them yet"
SWEEP = [
    _option("source", "SOURCE", "a source in config.yaml"),
    _option("--expect", "COLUMN=VALUE,…", EXPECT, action="append", default=[]),
    _option("--todo", "FILE", "write the runs that are not complete"),
    _flag("csv", "list all runs as CSV, for programs"),
    JSON,
]
WHAT = _option("what", "WHAT", "a source, or a folder or a file of logs")
CHANGES = _option("--page", "FILE", "write the changes as a page with pictures")
CELL = _option("--cell", "CELL", "task=AIME24,ratio=0.3,local_window=2000")
RECORDS = _flag("records", "print the records themselves")
COMMANDS = (
    Command(clean, [_flag("yes", "remove them as well"), JSON]),
    Command(coverage, SWEEP),
    Command(diff, [_option("a", "A"), _option("b", "B"), CHANGES, JSON]),
    Command(peek, [WHAT, _flag("all", "read all logs, not some"), JSON]),
    Command(schema, [JSON]),
    Command(trace, [_option("figure", "FIGURE"), CELL, RECORDS, JSON]),
    Command(verify, [FIGURES, _flag("quick", "only rehash, do not rebuild"), JSON]),
    Command(why, [FIGURES, JSON]),
)
