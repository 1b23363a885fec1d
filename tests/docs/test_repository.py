"""What lies beside the code: pinned packages, the site of the pages, hooks, the action."""

import os
import re
import runpy
import shutil
import subprocess
import tomllib
from typing import Any

import pytest
import yaml
from test_pages import blocks

from heatproof.cli import main
from support import warm
from support.project import PROJECT

METADATA = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = METADATA["optional-dependencies"]
ACTION = yaml.safe_load((PROJECT / "action.yml").read_text())


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(name: str) -> dict[str, str]:
    """Package → pinned version; each line pins one, with hashes, and names no index and no path."""
    text = (PROJECT / f"requirements/{name}.txt").read_text()
    assert re.findall(r"://|--(?!hash=sha256:)\S+|(?<!\w)[@~]|(?:^|\s)/\S", text) == []
    lines = text.replace("\\\n", " ").splitlines()
    matches = [re.match(r"([\w.-]+)==(\S+) .*--hash=sha256:", line) for line in lines
               if line and not line.startswith("#")]  # fmt: skip
    assert all(matches)
    return {canonical(match[1]): match[2] for match in matches if match}


@pytest.mark.parametrize("name", [*EXTRAS])
def test_every_dependency_is_pinned(name: str) -> None:
    """In the file of the same name; those of extras hold all that running needs, as it is there."""
    asked = [*METADATA["dependencies"], *EXTRAS["run"], *EXTRAS.get(name, [])]
    asked = [line for line in asked if line != "heatproof[run]"]
    there = pins(name)
    assert {canonical(re.split(r"[^\w.-]", line)[0]) for line in asked} <= there.keys()
    assert pins("run").items() <= there.items()


def test_pins_are_one_folder() -> None:
    """A file for running and one for each extra; conda's environment adds nothing to the first."""
    assert {path.stem for path in (PROJECT / "requirements").glob("*")} == {*EXTRAS}
    assert not list(PROJECT.glob("requirements*.txt"))
    listed = yaml.safe_load((PROJECT / "environment.yml").read_text())["dependencies"]
    python = f"python {METADATA['requires-python']},<3.14"
    assert listed == [python, "pip", {"pip": ["-r requirements/run.txt"]}]


def test_the_site_has_every_page() -> None:
    """Each page of docs stands in the navigation once, and nothing else does."""
    site = yaml.safe_load((PROJECT / "mkdocs.yml").read_text())
    named = [page for section in site["nav"] for pages in section.values() for page in pages]
    assert sorted(named) == sorted(path.name for path in (PROJECT / "docs").glob("*.md"))


def test_hooks_call_commands_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    """With options that they take; ruff looks at no exclusion of a file by name unless it is told."""
    for hook in yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text()):
        command, *options = hook["entry"].split()[1:]
        with pytest.raises(SystemExit, match="0"):
            main.main([command, "--help"])
        text = capsys.readouterr().out
        assert all(option in text for option in options)
    own = yaml.safe_load((PROJECT / ".pre-commit-config.yaml").read_text())
    entries = [hook["entry"] for repo in own["repos"] for hook in repo["hooks"]]
    assert [one for one in entries if one.startswith("ruff") and "--force-exclude" not in one] == []


def test_pages_use_the_action_and_hooks_as_they_are() -> None:
    """Inputs that action.yml has, and hooks that there are."""
    shown = {block.path: yaml.safe_load(block.text) for block in blocks("docs/embed.md", "yaml")}
    steps = shown[".github/workflows/figures.yml"]["jobs"]["figures"]["steps"]
    assert steps[-1]["uses"].startswith("OWNER/heatproof@v")
    assert steps[-1]["with"].keys() <= ACTION["inputs"].keys()
    (repository,) = shown[".pre-commit-config.yaml"]["repos"]
    hooks = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text())
    assert repository["hooks"] == [{"id": hook["id"]} for hook in hooks]


def test_steps_of_the_action_read_their_environment() -> None:
    """No expression stands in a script, and actions of others are named by commit."""
    steps, text = ACTION["runs"]["steps"], (PROJECT / "action.yml").read_text()
    (proving,) = [step for step in steps if step.get("id") == "prove"]
    assert "$SOURCE/.github/prove.sh" in proving["run"]
    assert os.access(PROJECT / ".github/prove.sh", os.X_OK)
    assert {*re.findall(r"\$\{\{ inputs\.(\w+)", text)} == {*ACTION["inputs"]}
    assert [step["run"] for step in steps if "${{" in step.get("run", "")] == []
    used = re.findall(r"uses: (\S+)", text)
    assert used
    assert [one for one in used if not re.search(r"@[0-9a-f]{40}$", one)] == []


@pytest.mark.workflow
def test_the_action_draws_proves_and_compares(copy_of_tiny: Any, tmp_path: Any) -> None:
    """Its steps say so as Markdown, and comment on it; a wrong config fails them, with the place.

    A build in another folder, locale, time zone, with another hash seed is the same to the byte.
    """
    root = copy_of_tiny.root
    shutil.copytree(root / "results", tmp_path / "base/results")
    (tmp_path / "gh").write_text('#!/bin/bash\ncat "${@: -1}"\n')
    (tmp_path / "gh").chmod(0o755)
    answer, summary = tmp_path / "told.md", tmp_path / "summary.md"
    programs = warm.EXECUTABLE.rpartition("/")[0]
    env = {
        **os.environ,
        "PATH": os.pathsep.join([str(tmp_path), programs, os.environ["PATH"]]),
        "HEATPROOF": "heatproof",  # named as the function of the script is
        "SOURCE": str(PROJECT), "CONFIG": "", "BASE": str(tmp_path / "base"), "TOLD": str(answer),
        "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_REPOSITORY": "a/b", "NUMBER": "1",
        "LC_ALL": "C", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "7", "POLARS_MAX_THREADS": "2",
    }  # fmt: skip

    def run_step(script: str) -> tuple[int, str]:
        """Exit status and output of a step, in the shell that GitHub gives it."""
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        done = subprocess.run(words, cwd=root, env=env, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    proving, commenting = (step["run"] for step in ACTION["runs"]["steps"] if "run" in step)
    assert run_step(proving) == (0, "")
    heads = re.findall(r"^### (.*)$", answer.read_text(), re.MULTILINE)
    assert heads == ["Figures", "Proof", "Compared with the base"]
    assert answer.read_text().count("```") == 6
    assert run_step(commenting) == (0, answer.read_text())
    assert summary.read_text() == answer.read_text()
    (root / "config.yaml").write_text("figures: {a: {kind: heatmp}}\n")
    assert run_step(proving)[0]
    assert "did you mean 'heatmap'" in answer.read_text()


@pytest.mark.parametrize("urls", [{}, {"Source": "https://example.org/h"}])
def test_the_page_of_the_index_has_no_dead_link(urls: dict[str, str]) -> None:
    """Links lead to the tag of the version, or are names of files; pictures are absolute, or none."""
    page = runpy.run_path(str(PROJECT / "setup.py"))["index_page"]
    readme = (PROJECT / "README.md").read_text()
    text = page(readme, METADATA | {"urls": urls})
    links = re.findall(r"\]\(([^)]+)\)", text)
    version = METADATA["version"]
    for link in links:
        assert re.match(rf"https://example.org/h/(raw|blob)/v{version}/[\w.]", link)
    assert bool(links) == bool(urls) == ("![" in text) == ("Both are of real logs" in text)
    assert "docs/figures.md" in text


def test_no_try_of_a_job_asks_for_more_than_an_hour() -> None:
    """Slurm lets a job wait for ever that asks for more time than its partition gives."""
    rules = "".join(path.read_text() for path in (PROJECT / "workflow/rules").glob("*.smk"))
    times = re.findall(r"runtime=(lambda wildcards, attempt: .+),\n", rules)
    assert len(times) == 3
    for time in times:
        minutes = [eval(time)(None, attempt) for attempt in (1, 2, 3, 4)]
        assert minutes[0] < minutes[1] == max(minutes) <= 60
