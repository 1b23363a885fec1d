"""The command that runs Snakemake with the workflow that came with heatproof."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from heatproof import ledger
from heatproof.cli import main as cli
from heatproof.cli.main import JSON, Command
from heatproof.config import paths, syntax
from heatproof.util import repository, terminal
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from typing import Any

    from heatproof.plan import Plan

CORES = re.compile(r"--(cores|jobs|profile)(=.*)?|-[cj].*")
"""Options of the number of cores or jobs, or of a file with it."""
WORDS = re.compile(r"(--logger|--quiet|--verbose|--dry-?run)(=.*)?|-[qn]")
"""Options of the output of Snakemake."""

SETTINGS = re.compile(r"(--cores|--jobs)(=.*)?|-[cj]|\d+|all|-[cj]\d+|--keep-going|-k")
"""Words of a call that leave open what is made: all."""

FLAGS = re.compile(r"-[nkpqfF]+|--(dry-?run|keep-going|force|forceall|printshellcmds|touch)|.*=.*")
"""Options behind which a word is none of theirs."""
VALUED = re.compile(r"--(cores|jobs|profile)|-[cj]")
"""Options with one value."""
STAGES = ("tables", "grids", "figures")
NAME = re.compile(r"[\w-]+")
STDERR = 2


def run(args: argparse.Namespace) -> int:
    """Draw the figures of config.yaml: run Snakemake with the workflow that heatproof brings.

    All other words say what to make (names of figures, files, or `tables`, `grids`, `figures`; by
    default all), or are options of Snakemake. It uses all cores, unless --cores, --jobs or
    --profile says otherwise. Paths of logs begin in the current folder, and results lie there:

        heatproof run
        heatproof run FIGURE
        heatproof run --configfile paper.yaml --cores 4 results/figures/mine.svg
        heatproof run -n
        heatproof run --profile slurm

    The profiles slurm and generic come with heatproof; one of your own with that name wins.

    verify, why, coverage and clean use config.yaml too, or the --configfile that you name.

    With --json all words of Snakemake go to standard error, and what is made is told at the end.
    """
    snakemake = repository.snakemake("run")
    folder = Path(args.project or ".")
    _require_config(folder, args.configfile)
    _require_values(args.rest)
    _require_profiles(args.rest)
    configs = list(map(os.path.abspath, args.configfile))
    os.chdir(folder)
    config = cli.config(Path(), configs)
    words = command(configs, with_figures(args.rest, config))
    if all(map(SETTINGS.fullmatch, args.rest)):  # all is to be made
        grids = [*snakemake, "grids", *words, "--quiet", "all"]
        os.environ[repository.GRIDS_FIRST] = shlex.join(grids)
    sys.stdout.flush()
    if not args.json:
        os.execv(sys.executable, snakemake + words)  # noqa: S606 - our own
    return _run_for_programs(snakemake + words, configs, args.rest)


def _run_for_programs(call: Sequence[str], configs: Sequence[str], rest: Sequence[str]) -> int:
    """Run Snakemake, then print what is made as JSON; the exit status is that of Snakemake."""
    if "--config" in rest:
        raise Error("run: --json takes no --config; write its keys to a file: --configfile FILE")
    plan = cli.plan(Path(), configs)
    status = subprocess.run(call, stdout=STDERR, check=False).returncode  # noqa: S603 - our own
    terminal.say_json({"dry_run": repository.is_dry(rest), **what_is_made(plan)})
    return status


def what_is_made(plan: Plan) -> dict[str, Any]:
    """Figures with their state and files, sources with their counts, and jobs that are left."""
    summary: dict[str, Any] = {}
    path = plan.root / paths.SUMMARY[0]
    if path.is_file():
        summary = json.loads(path.read_text(encoding="utf-8"))
    reasons = {failed["name"]: failed["why"] for failed in summary.get("failed", ())}
    to_do = ledger.missing_jobs(plan.jobs, plan.root)
    figures = []
    for name, figure in plan.figures.items():
        row: dict[str, Any] = {"figure": name, "state": "made", "files": [], "why": None}
        if f"draw {name}" not in to_do:
            row["files"] = [paths.picture(name, form) for form in sorted(figure.formats)]
        elif name in reasons:
            row |= {"state": "failed", "why": reasons[name]}
        else:
            row["state"] = "not made"
        figures.append(row)
    return {"figures": figures, "sources": summary.get("sources", {}), "to_do": to_do}


def with_figures(rest: Sequence[str], config: Mapping[str, Any]) -> list[str]:
    """The words of a call, in which the piece of the ledger stands for a figure that is named.

    Raises Error: a word can only be a target, and there is none of that name.
    """
    figures = [str(name) for name in config.get("figures") or {}]
    sources = [f"tables_{name}" for name in config.get("sources") or {}]
    valid = [*figures, *STAGES, *sources]
    words = list[str]()
    before = ""
    is_clear = True
    for argument in rest:
        is_option = argument.startswith("-")
        is_value = before.startswith("-") and not FLAGS.fullmatch(before)
        if is_value and not VALUED.fullmatch(before):
            is_clear = False  # it may take several words
        if argument in figures and not is_value:
            words.append(ledger.place(f"draw {argument}"))
        elif (
            is_option
            or is_value
            or not is_clear
            or argument in valid
            or not NAME.fullmatch(argument)
        ):
            words.append(argument)
        else:
            raise Error(f"{argument!r} is neither a figure nor a stage; {choices(argument, valid)}")
        before = argument
    return words


def command(configs: Sequence[str], rest: Sequence[str]) -> list[str]:
    """The arguments for Snakemake, whose words are few unless others are asked for."""
    # Options that may have several values would swallow what is to be made: none stands last.
    words = []
    if configs:
        words = ["--configfile", *map(os.path.abspath, configs)]
    words += ["--snakefile", str(repository.SNAKEFILE)]
    if not any(map(CORES.fullmatch, rest)):
        words += ["--cores", "all"]
    if not any(map(WORDS.fullmatch, rest)):
        words.append("--logger=heatproof")
    before = ""
    for argument in rest:
        words.append(_with_our_profile(argument, before))
        before = argument
    return words


def _with_our_profile(argument: str, before: str) -> str:
    """A word of the call, with the path of a profile that only heatproof has."""
    name = argument.removeprefix("--profile=")
    packaged = _packaged_profile(name)
    if (name == argument and before != "--profile") or _is_of_user(name):
        return argument
    if packaged.is_dir():
        return argument.removesuffix(name) + str(packaged)
    return argument


def _packaged_profile(name: str) -> Path:
    return repository.ROOT / "profiles" / name.removeprefix("profiles/")


def _is_of_user(name: str) -> bool:
    """Whether Snakemake finds a profile by itself: here, or in the user's or the site's folder."""
    users = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser()
    sites = (os.environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(os.pathsep)
    folders = [users] + list(map(Path, sites))
    return Path(name).exists() or any((folder / "snakemake" / name).exists() for folder in folders)


def _require_profiles(rest: Sequence[str]) -> None:
    """Raises Error: a profile is none that heatproof or the user has."""
    values = [value for option, value in pairwise(rest) if option == "--profile"]
    values += [argument.partition("=")[2] for argument in rest if argument.startswith("--profile=")]
    for name in values:
        if not (_is_of_user(name) or _packaged_profile(name).is_dir()):
            packaged = sorted(path.name for path in _packaged_profile("").iterdir())
            raise Error(f"run: --profile: {name!r} is no profile; {choices(name, packaged)}")


def _require_values(rest: Sequence[str]) -> None:
    """Raises Error: an option lacks its value, or `--config`, which sets keys, names a file."""
    for option, value in pairwise([*rest, "-"]):
        if VALUED.fullmatch(option) and value.startswith("-"):
            example = "slurm" if option == "--profile" else "4"
            raise Error(f"run: {option} needs a value, as in {option} {example}")
        if option == "--config" and "=" not in value:
            words = f"--config sets keys, as in a=b; for a file: --configfile {value}"
            raise Error(f"run: {value!r}: {words}")


def _require_config(folder: Path, configs: Sequence[str]) -> None:
    if not folder.is_dir():
        raise Error(f"--project: there is no folder {str(folder)!r}")
    if missing := [path for path in configs if not Path(path).is_file()]:
        raise Error(f"--configfile: no file {missing[0]!r}")
    # Snakemake reads them first, and its errors name neither line nor cause.
    for path in configs:
        syntax.require_sound(Path(path), path)
    usual = folder / syntax.USUAL
    if not (configs or usual.is_file()):
        files = sorted(path.name for path in folder.glob("*.y*ml"))
        option = ""
        if files:
            option = f"; name it: --configfile {files[0]}"
        raise Error(
            f"no {syntax.USUAL} in {folder.resolve()}{option}\n"
            "`heatproof init FOLDER` writes one for a folder of logs"
        )
    if configs and usual.is_file() and all(not usual.samefile(path) for path in configs):
        terminal.say(
            f"heatproof: {', '.join(configs)} is merged over {syntax.USUAL}, which applies as well",
            error=True,
        )


COMMAND = Command(run, [JSON], passes=True)
