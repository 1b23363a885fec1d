"""The workflows of GitHub, which do not run here: what they name is there, and they run all that is promised."""

import os
import re
import shlex
import subprocess
import tomllib
from typing import Any

import pytest
import yaml

from support.project import PROJECT

FOLDER = PROJECT / ".github/workflows"
FILES = sorted(path.name for path in FOLDER.glob("*.yml"))
PYPROJECT = tomllib.loads((PROJECT / "pyproject.toml").read_text())
PYTHON = "Programming Language :: Python :: 3."
CLASSIFIERS = PYPROJECT["project"]["classifiers"]
PYTHONS = [line.rpartition(" ")[2] for line in CLASSIFIERS if line.startswith(PYTHON)]
INSIDE = re.compile(r"(?<![\w/.])(?:tests|workflow|requirements|\.ci|Snakefile)(?:/[\w./-]+)?")


def workflow(name: str) -> dict[str, Any]:
    return yaml.safe_load((FOLDER / name).read_text())


def jobs(name: str) -> dict[str, dict[str, Any]]:
    return workflow(name)["jobs"]


def scripts(name: str) -> list[str]:
    """What the steps of a workflow run."""
    steps = [step for job in jobs(name).values() for step in job.get("steps", [])]
    return [step["run"] for step in steps if "run" in step]


@pytest.mark.parametrize("name", FILES)
def test_a_workflow_asks_for_little(name: str) -> None:
    """It may read; actions of others are named by commit and version; no expression is in a script."""
    assert workflow(name)["permissions"] == {"contents": "read"}
    used = re.findall(r"uses: (\S+)(.*)", (FOLDER / name).read_text())
    others = [(action, rest) for action, rest in used if not action.startswith("./")]
    wrong = [
        action
        for action, rest in others
        if not (re.search(r"@[0-9a-f]{40}$", action) and re.match(r" # v[\d.]+$", rest))
    ]
    assert used
    assert wrong == []
    assert [script for script in scripts(name) if "${{" in script] == []


@pytest.mark.parametrize("name", FILES)
def test_what_a_workflow_names_is_there(name: str) -> None:
    """Jobs that others need, workflows, files of the repository; the shell can read its scripts."""
    for job in jobs(name).values():
        needed = job.get("needs", [])
        assert {needed} if isinstance(needed, str) else {*needed} <= jobs(name).keys()
        if "uses" in job:
            assert (PROJECT / job["uses"]).is_file()
            assert "workflow_call" in workflow(job["uses"].rpartition("/")[2])[True]  # `on` is true
    for script in scripts(name):
        subprocess.run(["bash", "-n", "-c", script], check=True)
        assert [path for path in INSIDE.findall(script) if not (PROJECT / path).exists()] == []
        program = PROJECT / shlex.split(script)[0]
        assert ".ci" not in program.parts or os.access(program, os.X_OK)


def test_the_wheel_is_tested_on_every_promised_python() -> None:
    """On Linux and macOS, from the files that one job builds; README names the first and the last."""
    assert PYTHONS[0] == PYPROJECT["project"]["requires-python"].removeprefix(">=")
    words = f"Python {PYTHONS[0]} to {PYTHONS[-1]}"
    assert words in (PROJECT / "README.md").read_text()
    for name in ("test", "files"):
        job = jobs("ci.yml")[name]
        matrix = job["strategy"]["matrix"]
        assert matrix["python"] == PYTHONS
        assert {system.partition("-")[0] for system in matrix["system"]} == {"ubuntu", "macos"}
        assert job["needs"] == "build"
        assert [step for step in job["steps"] if step.get("run") == "uv build"] == []


def test_the_oldest_python_has_the_oldest_packages() -> None:
    """Each dependency has a lower bound, so that there is an oldest version to try."""
    job = jobs("ci.yml")["oldest"]
    assert job["env"]["UV_PYTHON"] == PYTHONS[0]
    assert any("--resolution lowest-direct" in step.get("run", "") for step in job["steps"])
    asked = PYPROJECT["project"]["dependencies"]
    asked = asked + PYPROJECT["project"]["optional-dependencies"]["run"]
    fonts = {"font-source-sans-pro", "font-source-serif-pro"}  # one version each
    assert [line for line in asked if not re.search(r">=\d", line) and line not in fonts] == []


def test_all_checks_run_each_night() -> None:
    """With the harnesses' own libraries and all recorded outputs."""
    text = (PROJECT / ".ci/run").read_text()
    assert scripts("nightly.yml") == [".ci/run"]
    assert "HEATPROOF_ORACLES" in text
    assert "HEATPROOF_GOLDEN=1" in text


def test_linters_are_those_of_all_checks() -> None:
    """What .ci/run calls of them, ci.yml calls too; the pages are built strictly."""
    text = (PROJECT / ".ci/run").read_text()
    lines = re.findall(r"^\.venv/bin/(?:ruff|mypy|snakefmt).*$", text, re.MULTILINE)
    assert lines
    assert [line for line in lines if line not in scripts("ci.yml")] == []
    assert any("mkdocs build --strict" in script for script in scripts("ci.yml"))
    assert any(re.search(r"--cov-fail-under=\d\d", script) for script in scripts("ci.yml"))


def test_the_archive_is_the_repository() -> None:
    """MANIFEST.in names each folder and file of the top, so that the tests of an archive can run."""
    words = (PROJECT / "MANIFEST.in").read_text()
    listed = ["git", "ls-files", "-z"]
    done = subprocess.run(listed, cwd=PROJECT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("no clone")
    tops = {path.partition("/")[0] for path in done.stdout.split("\0") if path}
    known = {"LICENSE", "README.md", "pyproject.toml", "setup.py", "MANIFEST.in"}  # always packed
    assert [top for top in tops - known if not re.search(rf"[ \n]{re.escape(top)}\b", words)] == []
