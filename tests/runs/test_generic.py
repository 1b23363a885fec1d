"""The generic cluster profile, with plain processes in the place of a scheduler."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from support.project import CONFIG, Project

pytestmark = pytest.mark.workflow

SUBMIT = 'sh -c "setsid nohup bash \\$0 >/dev/null 2>&1 & echo \\$!"'


@pytest.mark.skipif(
    find_spec("snakemake_executor_plugin_cluster_generic") is None,
    reason="snakemake-executor-plugin-cluster-generic is not installed",
)
def test_any_command_that_takes_a_script_can_be_the_scheduler(tmp_path: Path) -> None:
    """Jobs that a submit command starts somewhere else make all results."""
    project = Project(tmp_path, CONFIG)
    profile = ("--profile", "profiles/generic", "--seconds-between-status-checks", "1")
    status, output = project.run(*profile, "--cluster-generic-submit-cmd", SUBMIT)
    assert status == 0, output
    assert "Nothing to be done" in project.run(*profile)[1]
