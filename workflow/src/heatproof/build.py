"""A build: what a call of `snakemake` does before its jobs, and says after them."""

from __future__ import annotations

import json
import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from heatproof.cluster import remote, slurm
from heatproof.cluster.asking import Asking
from heatproof.config import configuration, paths
from heatproof.plan import called, embedded, left_out, mistakes
from heatproof.plan.plan import Plan
from heatproof.proof import closing, foreign_results
from heatproof.provenance import growing, job, manifest, receipts
from heatproof.samples import temporary
from heatproof.util import errors, terminal
from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from heatproof.config.syntax import Loading

HERE = Path()
"""Where Snakemake runs: the project's folder, but for a module with a prefix."""


class Build:
    """The build of a Snakefile. All mistakes that can be seen before a job are told here."""

    def __init__(self, workflow: Any, config: dict[str, Any], loading: Loading) -> None:
        """`workflow` is Snakemake's, `config` what it read; `loading`, how that went.

        Raises:
            Error: something is wrong.
        """
        self._workflow = workflow
        self._before: closing.Seen = {}
        self._looked: set[str] = set()
        _name(workflow)
        loading.require_sound()
        self._module = not workflow.modifier.is_main_snakefile()
        prefix = embedded.folder(workflow.modifier.path_modifier.replace_prefix)
        self.root = Path(prefix)
        self.plan = self._planned(embedded.handed_on(config, prefix) if self._module else config)
        self.every = manifest.everything(self.plan)
        if workflow.is_main_process and not self._module:
            require_results(sys.argv[1:], self.every)
        self.left_out = [left_out.NEVER] if self.plan.left_out else []
        if workflow.is_main_process:
            if not self._module:
                # Jobs keep what Snakemake caches in this folder: a node may see no home.
                os.environ["XDG_CACHE_HOME"] = str(Path(".snakemake/cache").resolve())
            os.environ.pop(job.FRESH, None)
            receipts.sign()
            receipts.free(HERE)
        self._look()
        # What rules ask for fits what Slurm counted: 230 MB for Snakemake, 370 MB for each table in
        # work (longer logs take no more), 450 MB for a figure.
        self.asking = Asking(workflow, watch)

    def _planned(self, config: dict[str, Any]) -> Plan:
        workflow = self._workflow
        if not workflow.is_main_process:
            receipts.require_current(HERE)
            slurm.tell()
            left = called.last(self.root).left_out
            plan = Plan(left.without(config), self.root, scan=False, upstream=self._module)
            plan.left_out = left
            return plan
        keep_going = left_out.is_asked(sys.argv[1:])
        plan = mistakes.planned(config, self.root, upstream=self._module, keep_going=keep_going)
        if plan.left_out:
            said = errors.in_order(errors.said("\n".join(plan.left_out.lines())))
            names = ", ".join(plan.left_out.figures)
            terminal.say(f"left out ({left_out.OPTION}): {names}; for\n{said}\n", error=True)
        files, over = workflow.configfiles, workflow.config_settings
        main, left = workflow.main_snakefile, plan.left_out
        given = over.configfiles, over.config, config
        called.note(self.root, main, files, *given, module=self._module, left_out=left)
        return plan

    def _look(self) -> None:
        """See what is there of the results; what is not as its job left it is made again.

        With remote storage, `results` leads to local copies of what lies there.
        """
        workflow = self._workflow
        if workflow.storage_settings.default_storage_provider:
            if self.root != HERE:
                raise Error("remote storage takes no module with a prefix: leave one of them out")
            prefix = workflow.storage_settings.default_storage_prefix.rstrip("/")
            provider = workflow.storage_registry.default_storage_provider
            place = provider.object(f"{prefix}/results")
            remote.link(self.every, str(place.local_path()), HERE)
        elif workflow.is_main_process:
            remote.unlink(self.every, HERE)
            manifest.require_places(self.plan)
            if not receipts.locked(HERE):
                temporary.clear(self.root / "results")
            self._mark()

    def _mark(self) -> None:
        """Have made again what is not as it should be."""
        other = [path for path in growing.results(self.root) if path in self.every]
        there = [path for path in other if (self.root / path).exists()]
        marked = {
            "is not as it was made": manifest.damaged(self.plan),
            "came without a record that confirms it": foreign_results.doubtful(self.plan),
            "is of logs that changed while they were read": there,
        }
        then = receipts.ASKED if self._module else receipts.AGAIN
        for why, found in marked.items():
            receipts.mark(found, self.root, why, then)

    def made(self, source: str, shard: str) -> list[str]:
        """The logs of a shard that rules of another workflow make, while its job is planned.

        Snakemake knows them by time, if at all: an edit that it does not see has them read again.
        """
        table = paths.table(source, shard)
        if self._workflow.is_main_process and table not in self._looked:
            self._looked.add(table)
            changed = self.plan.remade(source, shard)
            if changed and not self._sees(changed, table):
                once = self._workflow.dag_settings.force_incomplete
                then = receipts.AGAIN if once else receipts.ASKED
                receipts.mark([table], self.root, "is of logs that were changed since", then)
        return self.plan.made_logs(source, shard)

    def _sees(self, logs: list[str], table: str) -> bool:
        """Whether Snakemake itself finds some of the logs newer than their table."""
        if "MTIME" not in {trigger.name for trigger in self._workflow.rerun_triggers}:
            return False
        times = [(self.root / path).stat().st_mtime for path in [*logs, table]]
        return any(time > times[-1] for time in times)

    def group(self, name: str) -> Callable[[Any], str | None]:
        """On a cluster, several shards, or figures from grids to files, are one job; here none is.

        Snakemake knows where jobs run only after the Snakefile is read.
        """
        return lambda wildcards: None if self._workflow.local_exec else name  # noqa: ARG005

    def begin(self) -> None:
        """Before the first job.

        Raises:
            Error: jobs of an earlier build are at work and cannot be ended.
        """
        workflow = self._workflow
        receipts.hold(HERE)
        slurm.end(HERE)
        slurm.forget(HERE)
        job.forget()
        manifest.forget_absent(self.every, HERE)
        self._before = closing.seen(self.every, HERE)
        for note in self.plan.config.notes:
            terminal.say(errors.said(note), error=True)
        # So many jobs a second is a limit for clusters; here its timer would hold up the end.
        if workflow.local_exec:
            workflow.scheduler.job_rate_limiter = None

    def fail(self) -> None:
        """After the last job, where one failed."""
        if said := closing.failure():
            terminal.say(f"\nheatproof: {errors.said(said)}", error=True)

    def end(self) -> None:
        """After the last job, where all went well."""
        from heatproof.provenance import growing  # of all calls, one that ends needs it

        asked = closing.asked(self._workflow.dag_settings)
        words = closing.text(self.plan, asked, self._before)
        said = "\n".join(filter(None, [words, growing.text(self.plan.followed(), HERE)]))
        terminal.say(f"\n{errors.said(said)}", error=True)


def refused(workflow: Any, error: Error) -> SystemExit | WorkflowError:
    """What ends a run whose config is wrong: all mistakes are told, and nothing but them.

    Snakemake puts a frame of its own files and lines around any error that it is given.
    """
    if not workflow.is_main_process:
        return stopped(workflow, error)
    told = errors.in_order(errors.said(error))
    if prefix := workflow.modifier.path_modifier.replace_prefix(""):
        told += f"\nin the module with the prefix {prefix}"
    if spared := getattr(error, "spared", ()):
        told += f"\n{left_out.way_on(spared)}"
    if _is_quiet(workflow):
        terminal.say(told, error=True)
    else:
        logger.error(terminal.plain(told))
    return SystemExit(1)


def stopped(workflow: Any, error: Error) -> WorkflowError:
    """What is wrong with what a user wrote or has, in plain words.

    It is raised by the Snakefile: Snakemake lists each file that it comes through.
    """
    if _is_quiet(workflow):
        terminal.say(f"heatproof: {errors.said(error)}", error=True)
    return WorkflowError(terminal.plain(errors.said(error)))


def require_results(words: Sequence[str], every: Sequence[str]) -> None:
    """Refuse files that a call asks for and no job makes: Snakemake tells of none that there are.

    Raises:
        Error: a line for each; what follows a long option is its own.
    """
    asked = [one for before, one in pairwise(["", *words]) if not before.startswith("--")]
    folders = {path.rpartition("/")[0] for path in every} - {"results", ""}
    wrong = [one for one in asked if one.rpartition("/")[0] in folders and one not in every]
    if wrong:
        beside = {one: [path for path in every if _are_beside(path, one)] for one in wrong}
        told = (f"{one}: no job makes it; {choices(one, beside[one])}" for one in wrong)
        raise Error("\n".join(told))


def _are_beside(one: str, other: str) -> bool:
    """Whether two files lie in a folder and are of a kind."""
    ends = [path.rpartition(".")[2] for path in (one, other)]
    return one.rpartition("/")[0] == other.rpartition("/")[0] and ends[0] == ends[1]


def _is_quiet(workflow: Any) -> bool:
    """Whether Snakemake says nothing, not even why it ends: `--quiet all`."""
    quiet = {one.name for one in workflow.output_settings.quiet or ()}
    return "ALL" in quiet


def _name(workflow: Any) -> None:
    """Have mistakes told under the name of the file that they stand in.

    Of a module Snakemake takes the rules, not the last words of a build: there, jobs tell them.
    """
    over = workflow.config_settings
    given = dict.fromkeys(os.path.relpath(path) for path in over.configfiles)
    own = dict.fromkeys(os.path.relpath(path) for path in workflow.configfiles)
    named = [*(path for path in own if path not in given), *given]
    os.environ[errors.NAMED] = errors.JOINED.join(named) or "config"
    os.environ[errors.GIVEN] = json.dumps(configuration.plain_data(dict(over.config)), default=str)
    os.environ.pop(job.TELL, None)
    if not workflow.modifier.is_main_snakefile():
        os.environ[job.TELL] = "1"


def watch() -> None:
    """Tell of jobs that Slurm does not start; not in `begin`, which a module does not hand on."""
    slurm.hush(logger)
    slurm.watch(HERE)
