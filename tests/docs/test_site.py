"""What tools look for beside the code: the site of the pages, hooks, the action."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from heatproof.cli import main

PROJECT = Path(__file__).parents[2]
SITE = yaml.safe_load((PROJECT / "mkdocs.yml").read_text())


def test_the_site_has_every_page() -> None:
    """Each page of docs stands in the navigation once, and nothing else does."""
    named = [page for section in SITE["nav"] for pages in section.values() for page in pages]
    there = {path.name for path in (PROJECT / "docs").glob("*.md")}
    assert sorted(named) == sorted(there)


@pytest.mark.parametrize(
    "name", [".github/CONTRIBUTING.md", ".github/SECURITY.md", "docs/index.md"]
)
def test_commands_and_paths_of_the_pages_are_there(name: str) -> None:
    """Commands of heatproof that they name, and files of the project."""
    text = (PROJECT / name).read_text()
    told = re.findall(r"(?:`|^|uvx )heatproof (\w+)", text, re.MULTILINE)
    assert {*told} <= {*main.commands()}
    paths = re.findall(r"(?:docs|requirements|\.ci)/[\w./]*\w", text)
    assert [path for path in paths if not (PROJECT / path).exists()] == []


def test_hooks_and_steps_call_commands_that_there_are() -> None:
    """With options that they take."""
    hooks = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text())
    for hook in hooks:
        command, *options = hook["entry"].split()[1:]
        words = [sys.executable, "-m", "heatproof", command, "--help"]
        text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        assert all(option in text for option in options)
    action = yaml.safe_load((PROJECT / "action.yml").read_text())
    (proving,) = [step for step in action["runs"]["steps"] if step.get("id") == "prove"]
    assert "$SOURCE/.github/prove.sh" in proving["run"]
    assert os.access(PROJECT / ".github/prove.sh", os.X_OK)
    given = re.findall(r"\$\{\{ inputs\.(\w+)", (PROJECT / "action.yml").read_text())
    assert {*given} == {*action["inputs"]}


def test_hooks_of_our_own_leave_logs_and_their_code_alone() -> None:
    """Hooks hand over names of files, for which ruff looks at no exclusion unless it is told to."""
    told = yaml.safe_load((PROJECT / ".pre-commit-config.yaml").read_text())
    entries = [hook["entry"] for repo in told["repos"] for hook in repo["hooks"]]
    assert [one for one in entries if one.startswith("ruff") and "--force-exclude" not in one] == []


@pytest.mark.workflow
def test_the_action_draws_proves_and_compares(copy_of_tiny: Any, tmp_path: Path) -> None:
    """Its steps say so as Markdown, and comment on it; a wrong config fails them, with the place."""
    root = copy_of_tiny.root
    shutil.copytree(root / "results", tmp_path / "base/results")
    (tmp_path / "gh").write_text('#!/bin/bash\ncat "${@: -1}"\n')
    (tmp_path / "gh").chmod(0o755)
    told, summary = tmp_path / "told.md", tmp_path / "summary.md"
    env = {
        **os.environ,
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "HEATPROOF": str(Path(sys.executable).with_name("heatproof")),
        "SOURCE": str(PROJECT),
        "CONFIG": "",
        "BASE": str(tmp_path / "base"),
        "TOLD": str(told),
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_REPOSITORY": "a/b",
        "NUMBER": "1",
    }
    steps = yaml.safe_load((PROJECT / "action.yml").read_text())["runs"]["steps"]
    proving, commenting = (step["run"] for step in steps if "run" in step)
    assert run_step(proving, root, env) == (0, "")
    assert re.findall(r"^### (.*)$", told.read_text(), re.MULTILINE) == [
        "Figures", "Proof", "Compared with the base"
    ]  # fmt: skip
    assert told.read_text().count("```") == 6
    assert run_step(commenting, root, env) == (0, told.read_text())
    assert summary.read_text() == told.read_text()
    (root / "config.yaml").write_text("figures: {a: {kind: heatmp}}\n")
    assert run_step(proving, root, env)[0]
    assert "did you mean 'heatmap'" in told.read_text()


def run_step(script: str, folder: Path, env: dict[str, str]) -> tuple[int, str]:
    """Exit status and output of a step, in the shell that GitHub gives it."""
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_what_steps_are_given_they_read_from_their_environment() -> None:
    """No expression stands in a script, and actions of others are named by commit."""
    text = (PROJECT / "action.yml").read_text()
    steps = yaml.safe_load(text)["runs"]["steps"]
    assert [step["run"] for step in steps if "${{" in step.get("run", "")] == []
    used = re.findall(r"uses: (\S+)", text)
    assert used
    assert [one for one in used if not re.search(r"@[0-9a-f]{40}$", one)] == []
