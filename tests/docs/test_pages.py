"""README.md and docs/: what they name is there, and every fenced block is run, read as a config, or
named here with a reason.

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
from heatproof import kinds
from heatproof import plan as mistakes
from heatproof.cli import main as cli
from heatproof.config import configuration, venues
from heatproof.config.schema import check
from heatproof.library import reading
from heatproof.util import errors, registry
from support import guide

PROJECT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    "docs/llms.txt",
    *sorted(f"docs/{path.name}" for path in (PROJECT / "docs").glob("*.md")),
]
OTHERS = [".github/CONTRIBUTING.md", ".github/SECURITY.md"]
BLOCK = re.compile(r"^```(\w*)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
KINDS = {"sh", "python", "yaml", "yml", "text", "json", "jsonl", "csv"}
RECORD = re.compile(r"^  (\w+): +# (\S+/\S+): (.*)$", re.MULTILINE)
"""A source with the path of a log and a record of it; of a table, lines parted by a semicolon."""
PATH = re.compile(
    r"(?:`|-r )((?:workflow|data|tests|docs|requirements|\.ci)/[\w./-]*\w/?)(?=[`\s])"
)


class Block(NamedTuple):
    """A fenced block: its language, the path of the file that it is, and what it holds."""

    page: str
    kind: str
    path: str
    text: str


def read(page: str) -> str:
    """The text of a page."""
    return (PROJECT / page).read_text(encoding="utf-8")


def blocks(page: str, *kinds: str) -> list[Block]:
    """Those of a page, of these kinds."""
    every = [Block(page, *parts) for parts in BLOCK.findall(read(page))]
    return [block for block in every if not kinds or block.kind in kinds]


EVERY = [block for page in PAGES for block in blocks(page)]


@pytest.mark.parametrize("page", [*PAGES, *OTHERS])
def test_what_a_page_names_is_there(page: str) -> None:
    """Paths of the project, and where links lead to: pages, their headings, pictures."""
    text = read(page)
    paths = [path for path in PATH.findall(text) if "NAME" not in path]
    assert [path for path in paths if not (PROJECT / path).exists()] == []
    for link in re.findall(r"\]\(([^)]+)\)", text):
        path, _, heading = link.partition("#")
        target = (PROJECT / page).parent / path if path else PROJECT / page
        assert target.is_file(), link
        assert not heading or heading in headings(target)


def headings(page: Path) -> list[str]:
    """What links call the headings of a page, outside of its blocks."""
    titles = re.findall(r"^#+ (.+)$", BLOCK.sub("", page.read_text()), re.MULTILINE)
    return [re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", title).lower()) for title in titles]


def test_every_page_is_linked_from_the_readme() -> None:
    """None lies where nobody finds it; the lines of `init` are those of the start page."""
    assert [page for page in PAGES[1:] if f"]({page})" not in read("README.md")] == []
    start = read("docs/start.md").splitlines()
    lines = blocks("README.md", "text")[0].text.splitlines()
    assert [line for line in lines if line not in start] == []


@pytest.mark.parametrize("page", [*PAGES, *OTHERS])
def test_the_commands_it_shows_are_commands(page: str) -> None:
    """Each `heatproof …` is one that the command line takes, and those of blocks whole."""
    lines = [line for block in blocks(page, "", "sh") for line in block.text.splitlines()]
    calls = [
        f"heatproof {name} --help" for name in re.findall(r"(?:`|uvx )heatproof (\w+)", read(page))
    ]
    for call in dict.fromkeys(calls):
        with pytest.raises(SystemExit, match=r"^0$"):
            cli.parse(call.split()[1:])
    for line in lines:
        if line.startswith("heatproof "):
            cli.parse(shlex.split(line, comments=True)[1:])


def test_messages_that_pages_show_are_those_of_a_run(tmp_path, monkeypatch):
    """Of their first config with a typo, with line and column, and of scores in percent."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(errors.FILES, raising=False)
    rows = [{"id": n, "score": 100 * (0 < n < 27)} for n in range(40)]
    Path("data").mkdir()
    Path("data/a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    source = SOURCE | {"format": "jsonl", "logs": "data/*.jsonl", "fields": FIELDS}
    percent = configuration.read({"sources": {"mine": source}}).sources["mine"]
    *_, refusals = reading.tables_of(percent, ["data/a.jsonl"], tmp_path)
    for page, problems in (("README.md", []), ("docs/logs.md", refusals)):
        config = blocks(page, "yaml")[0].text
        assert configuration.examined(yaml.safe_load(config))[1] == []
        typo = config.replace("kind: heatmap", "kind: heatmp", 1)
        Path("config.yaml").write_text(typo)
        mistakes_there = [*configuration.examined(yaml.safe_load(typo))[1], *problems]
        assert {*errors.in_order(mistakes_there).splitlines()} <= {*read(page).splitlines()}


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
    "python data/published/": "test_published runs both, on what they need",
}
"""Commands that are not run here: how they begin → why."""


def commands(page: str) -> list[str]:
    """The commands of a page's `sh` blocks, without what is said behind them."""
    texts = [block.text.replace("\\\n", "") for block in blocks(page, "sh")]
    lines = (line for text in texts for line in text.splitlines())
    return [line.partition("  #")[0].rstrip() for line in lines if line]


def here(page: str) -> list[str]:
    """The commands of a page that this file runs."""
    return [line for line in commands(page) if not line.startswith((*ELSEWHERE,))]


def test_every_block_and_command_is_run_or_named() -> None:
    """By a word that this file knows; no reason is left of a command that no page shows."""
    assert [block for block in EVERY if block.kind not in KINDS] == []
    lines = [line for page in PAGES for line in commands(page)]
    assert [start for start in ELSEWHERE if not any(line.startswith(start) for line in lines)] == []
    others = [page for page in PAGES if page not in RUN and here(page)]
    assert others == ["docs/llms.txt", "docs/paper.md", "docs/start.md"], "their own tests run them"


SNAKEFILES = ["docs/embed.md"]
"""Pages whose code is that of Snakefiles, with the configs of these: test_embedded runs them."""
WITH_PYTHON = sorted({block.page for block in EVERY if block.kind == "python"} - {*SNAKEFILES})


def needs_build(block: Block) -> bool:
    """Whether code opens what a run has made."""
    return "open_build" in block.text


def put_logs(root: Path, pattern: str) -> None:
    """Some of the small logs of the project, as files below a folder; a link would lead out."""
    logs = PROJECT / "data/tiny-kv/logs"
    for path in logs.glob(pattern):
        target = root / path.relative_to(logs)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the logs of one model and task, of another task once, and of progress."""
    once = "sweep/full-cache/files/tiny-s96_mod_*"
    for pattern in ("sweep/*/files/tiny-s96_path_*", once, "progress/*"):
        put_logs(tmp_path / "data/tiny-kv/logs", pattern)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", WITH_PYTHON)
def test_code_runs(page: str, folder: Path) -> None:
    """The blocks of a page, one after the other."""
    names: dict[str, Any] = {}
    for block in blocks(page, "python"):
        if not needs_build(block):
            exec(compile(block.text, page, "exec"), names)
    if page == "docs/notebook.md":
        assert (folder / "tiny.pdf").read_bytes().startswith(b"%PDF")


def yamls(page: str) -> Iterator[dict[str, Any]]:
    """The configs of a page; the blocks of the guide are one."""
    if page == "docs/figures.md":
        yield guide.config()
        return
    for block in blocks(page, "yaml"):
        if not block.path:
            yield yaml.safe_load(block.text)


WITH_YAML = sorted({block.page for block in EVERY if block.kind == "yaml"})
TABLE = {"kind": "table", "source": "s", "encoding": {"x": "task", "y": "model", "text": "pass@1"}}
FIELDS = {"sample_id": "id", "score": "score"}
FIGURES = {
    "figures": {"f": TABLE},
    "sources": {"s": {"format": "jsonl", "logs": "x", "fields": FIELDS}},
}
"""What a section alone is laid over."""


def write_files(page: str, root: Path) -> None:
    """The files that a page shows, and the logs that it speaks of."""
    for block in blocks(page):
        if block.path:
            (root / block.path).parent.mkdir(parents=True, exist_ok=True)
            (root / block.path).write_text(block.text)
    for _, path, record in RECORD.findall(read(page)):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(record.replace(";", "\n") + "\n")
    if page == "docs/logs.md":
        write_mine(root / "data/mine")
    if page == "docs/start.md":
        exec(blocks(page, "python")[0].text, {})


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


def are_there(sources: dict[str, Any], root: Path) -> bool:
    """Whether there is a log of each source."""
    return all([*root.glob(source["logs"])] for source in sources.values())


@pytest.mark.parametrize("page", WITH_YAML)
def test_configs_are_right(page: str, folder: Path) -> None:
    """They are planned where their logs are there, and else pass all checks that need no logs."""
    write_files(page, folder)
    planned, sections = 0, set[str]()
    for config in yamls(page):
        sections |= {*config}
        sources = config.get("sources", {})
        for name, source in sources.items():
            if source["format"] == "auto" and not are_there({name: source}, folder):
                source["format"] = "lm_eval"
        if "figures" in config and are_there(sources, folder):
            assert mistakes.planned(config, folder).figures
            planned += 1
        else:
            whole = FIGURES | config | {"sources": FIGURES["sources"] | sources}
            assert configuration.examined(whole, folder)[1] == []
    assert planned or "figures" not in sections or page in SNAKEFILES


def test_fragments_are_right(folder: Path) -> None:
    """Blocks marked `yml` are laid over a figure of small logs; font files are not looked for."""
    fonts = []
    logs = SOURCE | {"logs": "data/tiny-kv/logs/sweep/*/files/*.jsonl"}
    for block in (block for block in EVERY if block.kind == "yml"):
        text = textwrap.dedent(block.text)
        lines = [text] if "figures:" in text else text.splitlines()
        for part in (yaml.safe_load(line) for line in lines if not line.startswith("#")):
            keys = part.get("figures", {"mine": part})["mine"]
            if isinstance(keys.get("font"), dict):
                fonts.append(keys.pop("font"))
            figures = {"mine": ASK["figures"]["tiny-kv-s96"] | keys}
            config = {"sources": {"tiny-kv": logs}, "figures": figures}
            assert mistakes.planned(config, folder).figures
    assert [check(venues.Font, font, "font") for font in fonts] == [[]]


GUIDE, *BLOCKS = [block.text for block in blocks("docs/figures.md", "yaml")]


@pytest.mark.parametrize("text", BLOCKS, ids=lambda text: text.partition(":")[0])
def test_a_block_stands_alone(text: str) -> None:
    """Pasted below `figures:`, with the sources of the page's first block."""
    config = yaml.safe_load(f"{GUIDE}figures:\n{textwrap.indent(text, '  ')}")
    assert configuration.examined(config)[1] == []


def test_the_gallery_has_every_kind() -> None:
    """As docs/figures.md has it, with its picture; each config is whole."""
    drawn, page = guide.config(), read("docs/gallery.md")
    shown = set[str]()
    for block in blocks("docs/gallery.md", "yaml"):
        config = yaml.safe_load(block.text)
        for name, figure in config["figures"].items():
            assert figure == drawn["figures"][name]
            source = figure["source"]
            assert config["sources"][source] == drawn["sources"][source]
            assert f"](figures/{name}.png)" in page
            shown.add(figure["kind"])
    assert shown == {*registry.names(kinds)}


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
    run_lines(line for line in here("README.md") if line.split()[1] in LOOKS)
    config = configuration.read(yaml.safe_load((tmp_path / "config.yaml").read_text()), tmp_path)
    assert [*config.figures] == ["runs", "runs-line", "runs-pairs"]


@pytest.mark.workflow
def test_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line once, in a folder that is no clone, of the config of docs/logs.md and that figure.

    The build before is a copy; the config of another name is that of docs/logs.md again.
    """
    root = tmp_path / "mine"
    write_mine(root / "data/mine")
    put_logs(root / "data", "sweep/*/files/tiny-s96_sum_*")
    monkeypatch.chdir(root)
    text = blocks("docs/logs.md", "yaml")[0].text
    (root / "paper.yaml").write_text(text)
    config = yaml.safe_load(text)
    both = {section: config[section] | ASK[section] for section in ASK}
    (root / "config.yaml").write_text(yaml.safe_dump(both, sort_keys=False))
    lines = [line for page in RUN for line in here(page) if line.split()[1] not in LOOKS]
    first = next(line for line in lines if line.startswith("heatproof run"))
    run_lines([first])
    assert (root / "results/figures/mine.svg").is_file()
    shutil.copytree(root, tmp_path / "before")
    run_lines(dict.fromkeys(line for line in lines if line != first))
    for block in EVERY:
        if block.kind == "python" and needs_build(block):
            names: dict[str, Any] = {"hp": heatproof}
            exec(compile(block.text, block.page, "exec"), names)
            assert names["behind"].agrees


def run_lines(lines: Any) -> None:
    """Run commands: ours in this process, but for runs, and others by bash."""
    for line in lines:
        program, *words = shlex.split(line)
        if program == "heatproof" and words[0] != "run":
            assert cli.main(words) == ("--expect" in words), line  # 1: runs lack
            continue
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        env = {**os.environ, "PATH": path, "SLURM_ARRAY_TASK_ID": "1"}
        done = subprocess.run(
            ["bash", "-euc", line], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, line + done.stdout + done.stderr
        print(done.stdout, end="")
