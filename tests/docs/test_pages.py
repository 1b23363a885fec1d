"""README.md and docs/: every fenced block is run, read as a config, or named here with a reason.

Logs and commands of a page stand in its own blocks; a block whose first line names a path
(```` ```json data/runs/a.json ````) is a file of the page's example.
"""

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

import heatproof
from heatproof import plan as mistakes
from heatproof.cli.main import main
from heatproof.config import configuration, venues
from heatproof.config.schema import check
from support import guide

PROJECT = Path(__file__).parents[2]
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
KINDS = {"sh", "python", "yaml", "yml", "text", "json", "jsonl", "csv"}


class Block(NamedTuple):
    """A fenced block: its language, the path of the file that it is, and what it holds."""

    page: str
    kind: str
    path: str
    text: str


def blocks(page: str) -> list[Block]:
    """Those of a page."""
    found = BLOCK.findall((PROJECT / page).read_text(encoding="utf-8"))
    return [Block(page, *one) for one in found]


NAMES = [path.relative_to(PROJECT).as_posix() for path in PAGES]
EVERY = [one for name in NAMES for one in blocks(name)]

ELSEWHERE = {
    "python3 -m venv .venv &&": "takes a minute and the net; .ci/run does it in a new folder",
    ".venv/bin/pip install": "likewise, with the tests",
    "pip install": "takes the net; test_pack installs a wheel",
    "uv build --wheel": "takes the net; test_pack builds one",
    "uv tool install": "takes the net",
    "snakemake --profile profiles/slurm": "test_slurm starts a Slurm of its own",
    "heatproof verify": "takes 12 s; test_verify does it of smaller builds",
    "sbatch": "needs Slurm, and the script of the reader",
    "mkdir -p fonts": "needs TeX",
    "cp $(kpsewhich": "needs TeX",
    "PYTHONPATH=workflow/src python data/published/reconstruct.py": "test_paper makes the logs anew",
}
"""Commands that are not run here: how they begin → why."""


def commands(page: str) -> list[str]:
    """The lines of a page's `sh` blocks, without what is said behind them."""
    lines = (line for one in blocks(page) if one.kind == "sh" for line in one.text.splitlines())
    return [line.partition("  #")[0].rstrip() for line in lines if line]


def here(page: str) -> list[str]:
    """The commands of a page that this file runs."""
    return [line for line in commands(page) if not line.startswith((*ELSEWHERE,))]


def test_every_block_says_what_it_is() -> None:
    """By a word that this file knows; what is text is no command."""
    assert [one for one in EVERY if one.kind not in KINDS] == []
    told = [line for one in EVERY if one.kind == "text" for line in one.text.splitlines()]
    assert [line for line in told if line.startswith(("heatproof ", "snakemake", "pip "))] == []


def test_every_reason_is_of_a_command() -> None:
    """None is left of a command that pages no longer show."""
    lines = [line for name in NAMES for line in commands(name)]
    assert [one for one in ELSEWHERE if not any(line.startswith(one) for line in lines)] == []


def test_every_command_is_run() -> None:
    """Commands of these pages are run below, and those of the start page by its own test."""
    others = [name for name in NAMES if name not in RUN and here(name)]
    assert others == ["docs/start.md"]


SNAKEFILES = ["docs/embed.md"]
"""Pages whose code is that of Snakefiles, with the configs of these: test_embedded runs them."""
WITH_PYTHON = sorted({one.page for one in EVERY if one.kind == "python"} - {*SNAKEFILES})


def needs_build(block: Block) -> bool:
    """Whether code opens what a run has made."""
    return "open_build" in block.text


@pytest.mark.parametrize("page", WITH_PYTHON)
def test_code_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page, one after the other."""
    (tmp_path / "data").symlink_to(PROJECT / "data")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for one in blocks(page):
        if one.kind == "python" and not needs_build(one):
            exec(compile(one.text, page, "exec"), names)
    if page == "docs/notebook.md":
        assert (tmp_path / "tiny.pdf").read_bytes().startswith(b"%PDF")


def yamls(page: str) -> Iterator[dict[str, Any]]:
    """The configs of a page; the blocks of the guide are one."""
    if page == "docs/figures.md":
        yield guide.config()
        return
    for one in blocks(page):
        if one.kind == "yaml" and not one.path:
            yield yaml.safe_load(one.text)


WITH_YAML = sorted({one.page for one in EVERY if one.kind == "yaml"})
FIGURES = {
    "figures": {"f": {"kind": "table", "source": "s", "encoding": {"x": "task", "y": "model", "text": "pass@1"}}},
    "sources": {"s": {"format": "jsonl", "logs": "x", "fields": {"sample_id": "i", "score": "s"}}},
}  # fmt: skip
"""What a section alone is laid over."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the small logs of the project, where one is; no link, which would lead out."""
    shutil.copytree(PROJECT / "data/tiny-kv/logs", tmp_path / "data/tiny-kv/logs")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_files(page: str, root: Path) -> None:
    """The files that a page shows, and the logs that it speaks of."""
    for one in blocks(page):
        if one.path:
            (root / one.path).parent.mkdir(parents=True, exist_ok=True)
            (root / one.path).write_text(one.text)
    if page == "docs/logs.md":
        write_mine(root / "data/mine")
    if page == "docs/start.md":
        exec(next(one.text for one in blocks(page) if one.kind == "python"), {})


def write_mine(root: Path) -> None:
    """Logs as the first config of docs/logs.md has them, in folders by temperature."""
    settings = [(m, t, b) for m in ("my-model", "other-model") for t in (0.6, 1.0) for b in (1, 2)]
    for model, temperature, budget in settings:
        lines = [
            {
                "config": {"model": model, "max_tokens": 1024 * budget, "top_p": 0.9},
                "dataset": dataset,
                "problem": {"id": f"{dataset}-{n}"},
                "attempt": attempt,
                "result": {"correct": (n * 7 + attempt + len(model) * budget) % 5 < 2 * budget},
                "usage": {"completion_tokens": 100 + n},
            }
            for dataset in ("gsm8k_cot", "math")
            for n in range(12)
            for attempt in range(2)
        ]
        path = root / f"temperature-{temperature}/{model}-{budget}.jsonl.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        path.write_bytes(gzip.compress(text.encode(), mtime=0))


def are_there(config: dict[str, Any], root: Path) -> bool:
    """Whether there is a log of each source."""
    named = [one["logs"] for one in config.get("sources", {}).values()]
    return all([*root.glob(one)] for one in named)


@pytest.mark.parametrize("page", WITH_YAML)
def test_configs_are_right(page: str, folder: Path) -> None:
    """They are planned where their logs are there, and else pass all checks that need no logs."""
    write_files(page, folder)
    planned = 0
    for config in yamls(page):
        for source in config.get("sources", {}).values():
            if source["format"] == "auto" and not are_there({"sources": {"one": source}}, folder):
                source["format"] = "lm_eval"
        if "figures" in config and are_there(config, folder):
            assert mistakes.planned(config, folder).figures
            planned += 1
        else:
            sources = {**FIGURES["sources"], **config.get("sources", {})}
            whole = {**FIGURES, **config, "sources": sources}
            assert configuration.examined(whole, folder)[1] == []
    shown = {key for one in yamls(page) for key in one}
    assert planned or "figures" not in shown or page in SNAKEFILES


def test_fragments_are_right(folder: Path) -> None:
    """Blocks marked `yml` are laid over a figure of small logs; font files are not looked for."""
    fonts_given = []
    for one in (part for part in EVERY if part.kind == "yml"):
        text = textwrap.dedent(one.text)
        lines = [text] if "figures:" in text else text.splitlines()
        for read in (yaml.safe_load(line) for line in lines if not line.startswith("#")):
            given = read.get("figures", {"mine": read})["mine"]
            if isinstance(font := given.pop("font", "sans"), dict):
                fonts_given.append(font)
            else:
                given["font"] = font
            logs = SOURCE | {"logs": "data/tiny-kv/logs/sweep/*/files/*.jsonl"}
            figure = ASK["figures"]["tiny-kv-s96"] | given
            config = {"sources": {"tiny-kv": logs}, "figures": {"mine": figure}}
            assert mistakes.planned(config, folder).figures
    assert len(fonts_given) == 1
    assert [told for font in fonts_given for told in check(venues.Font, font, "font")] == []


SOURCE = {"format": "dynts", "logs": "data/sweep/*/files/*.jsonl"}
ASK = {
    "sources": {"tiny-kv": SOURCE},
    "figures": {
        "tiny-kv-s96": {
            "kind": "heatmap",
            "source": "tiny-kv",
            "formats": ["png"],
            "where": {"model": "tiny-s96", "prune_kvlength": 64},
            "panel": "task",
            "encoding": {"x": "ratio", "y": "local_window", "color": "pass@1"},
        }
    },
}
"""The figure of the gallery that pages ask about."""
LOOKS = ("init", "peek")
"""Commands that need no config."""
RUN = ["README.md", "docs/embed.md", "docs/index.md", "docs/proof.md", "docs/sweep.md"]


def test_logs_are_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of README.md that come before any config, of the logs of the start page."""
    monkeypatch.chdir(tmp_path)
    write_files("docs/start.md", tmp_path)
    ran(line for line in here("README.md") if line.split()[1] in LOOKS)
    written = configuration.read(yaml.safe_load((tmp_path / "config.yaml").read_text()), tmp_path)
    assert [*written.figures] == ["runs", "runs-line", "runs-pairs"]


@pytest.mark.workflow
def test_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line once, in a folder that is no clone, of the config of docs/logs.md and that figure.

    The build before is a copy; the config of another name is that of docs/logs.md again.
    """
    root = tmp_path / "mine"
    write_mine(root / "data/mine")
    monkeypatch.chdir(root)
    for path in (PROJECT / "data/tiny-kv/logs/sweep").glob("*/files/tiny-s96_*.jsonl"):
        target = root / "data/sweep" / path.parent.parent.name / "files" / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    text = next(one.text for one in blocks("docs/logs.md") if one.kind == "yaml")
    (root / "paper.yaml").write_text(text)
    config = yaml.safe_load(text)
    both = {section: {**config[section], **ASK[section]} for section in ASK}
    (root / "config.yaml").write_text(yaml.safe_dump(both, sort_keys=False))
    lines = [line for page in RUN for line in here(page) if line.split()[1] not in LOOKS]
    runs = [line for line in lines if line.startswith("heatproof run")]
    ran(runs[:1])
    assert (root / "results/figures/mine.svg").is_file()
    shutil.copytree(root, tmp_path / "before")
    ran(dict.fromkeys(line for line in lines if line != runs[0]))
    for one in EVERY:
        if one.kind == "python" and needs_build(one):
            names: dict[str, Any] = {"hp": heatproof}
            exec(compile(one.text, one.page, "exec"), names)
            assert names["behind"].agrees


def ran(lines: Any) -> None:
    """Run commands: ours in this process, but for runs, and others by bash."""
    for line in lines:
        program, *words = shlex.split(line)
        if program == "heatproof" and words[0] != "run":
            assert main(words) == ("--expect" in words), line  # 1: runs lack
            continue
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        env = {**os.environ, "PATH": path, "SLURM_ARRAY_TASK_ID": "1"}
        done = subprocess.run(
            ["bash", "-euc", line], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, line + done.stdout + done.stderr
