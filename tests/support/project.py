"""Small projects with the workflow in them, run as users run it."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import yaml

from support import warm

PROJECT = Path(__file__).parents[2]

CONFIG: dict[str, Any] = {
    "sources": {
        "runs": {"format": "dynts", "logs": "data/runs/*.jsonl"},
    },
    "figures": {
        "grid": {
            "kind": "heatmap",
            "source": "runs",
            "title": "m",
            "where": {"model": "m"},
            "panel": "task",
            "encoding": {"x": "ratio", "y": "local_window", "color": "pass@1"},
            "palette": "RdYlGn",
            "formats": ["svg", "png"],
        },
        "pair": {
            "kind": "pairwise",
            "source": "runs",
            "models": ["m", "n"],
            "measure": "score",
            "where": {"ratio": 0.1, "local_window": 500},
            "formats": ["svg"],
        },
    },
}
TWO_SHARDS = CONFIG | {"sources": {"runs": CONFIG["sources"]["runs"] | {"shards": 2}}}


def write_logs(folder: Path) -> None:
    """Logs, and above their folder what the harness printed of them: the last number is wrong."""
    folder.mkdir(parents=True)
    printed = []
    for model in "mn":
        for ratio in (0.1, 0.2):
            for window in (500, 1000):
                name = f"{model}_t_N2-R{ratio}-KW{window}-PKVL5000.jsonl"
                rows = [
                    {"question_id": q, "answer_id": a, "score": (q * a + window) % 3 == 0}
                    for q in range(4)
                    for a in range(2)
                ]
                (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
                settings = {"ratio": ratio, "kept_window": window, "prune_kvlength": 5000}
                mean = 100 * sum(bool(row["score"]) for row in rows) / len(rows)
                told = {"model_name": model, "data_name": "t", "avg@2": mean, "num_questions": 4}
                printed.append(told | settings)
    printed[-1]["avg@2"] = 99.5
    (folder.parent / "metrics.jsonl").write_text("".join(f"{json.dumps(p)}\n" for p in printed))


class Project:
    """A copy of the workflow with data of its own."""

    said = ""
    """What the run said that built it, where that was kept."""

    def __init__(self, root: Path, config: dict[str, Any]) -> None:
        self.root = root
        shutil.copy(PROJECT / "Snakefile", root)
        for folder in ("workflow", "profiles"):
            shutil.copytree(
                PROJECT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__")
            )
        write_logs(root / "data" / "runs")
        self.configure(config)

    @classmethod
    def at(cls, root: Path) -> Self:
        """One that lies there already."""
        project = object.__new__(cls)
        project.root = root
        return project

    def copied(self, root: Path) -> Self:
        """A copy, with all that was built."""
        shutil.copytree(self.root, root, copy_function=shutil.copy2, dirs_exist_ok=True)
        return self.at(root)

    def configure(self, config: dict[str, Any]) -> None:
        (self.root / "config.yaml").write_text(yaml.safe_dump(config))

    def run(self, *options: str, **environment: str) -> tuple[int, str]:
        """Exit status and all that `snakemake` says, with this added to the environment.

        On one core, if no other number is asked for: each core starts a process that draws.
        """
        if not {"--cores", "--profile"} & set(options):
            options = ("--cores", "1", *options)
        return warm.run(self.root, *options, **environment)

    def start(self, *options: str, **environment: str) -> tuple[int, str]:
        """The same as users start it: in a new process."""
        done = subprocess.run(
            [warm.EXECUTABLE, "-m", "snakemake", *options],
            cwd=self.root,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def redone(self) -> set[str]:
        """Rules of the jobs that `snakemake` would run now."""
        status, said = self.run("-n")
        assert status == 0, said
        names = {line.split()[0] for line in re.findall(r"^\w+ +\d+$", said, re.MULTILINE)}
        return names - {"total", "all", "ledger"}

    def stages(self) -> set[str]:
        """Stages of these jobs."""
        return {name.split("_")[0] for name in self.redone()}

    def results(self) -> dict[str, bytes]:
        """Every artefact."""
        top = self.root / "results"
        return {
            path.relative_to(top).as_posix(): path.read_bytes()
            for path in sorted(top.rglob("*"))
            if path.is_file()
        }


JSONL = {
    "format": "jsonl",
    "logs": "data/other/*.jsonl",
    "set": {"model": "m", "task": "t"},
    "fields": {"sample_id": "id", "score": "score"},
    "params": {"b": "int"},
    "refused": 0.7,
}
OTHER = {
    "kind": "heatmap",
    "source": "other",
    "encoding": {"x": "b", "y": "model", "color": "pass@1"},
}
TWO: dict[str, Any] = {
    "sources": CONFIG["sources"] | {"other": JSONL},
    "figures": CONFIG["figures"] | {"else": OTHER | {"formats": ["svg"]}},
}
"""Two sources, the second with records that are refused."""
REFUSED = "6 × score 100 is not between 0 and 1 (first: data/other/a.jsonl:2)"


def write_two(root: Path) -> Project:
    """A project with two sources, not built."""
    project = Project(root, TWO)
    (root / "data/other").mkdir(parents=True)
    rows = [{"id": i, "b": 1, "score": 100 * (i % 3 > 0)} for i in range(9)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (root / "data/other/a.jsonl").write_text(lines)
    return project


FOLDER = {
    "sources": {
        "own": {
            "format": "jsonl",
            "logs": "data/*.jsonl",
            "set": {"task": "t"},
            "fields": {"model": "m", "sample_id": "id", "score": "score"},
            "params": {"b": "int"},
        }
    },
    "figures": {
        "heat": {
            "kind": "heatmap",
            "source": "own",
            "formats": ["svg"],
            "encoding": {"x": "b", "y": "model", "color": "pass@1"},
        }
    },
}


def write_folder(root: Path, config: str = "config.yaml") -> Path:
    """A folder of logs with a config, far from any clone."""
    (root / "data").mkdir(parents=True)
    rows = [
        {"id": i, "m": model, "b": b, "score": (i + b) % 2} for model in "uv" for b in (1, 2)
        for i in range(4)
    ]  # fmt: skip
    (root / "data/a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (root / config).write_text(yaml.safe_dump(FOLDER))
    return root


def heatproof(project: Project, *words: str, **environment: str) -> tuple[int, str]:
    """Exit status and answer of the command, run in the project's folder."""
    environment |= {"PYTHONPATH": str(project.root / "workflow/src"), "PATH": "/usr/bin:/bin"}
    environment |= {"PYTHONPYCACHEPREFIX": sys.pycache_prefix or ""}
    environment |= {name: os.environ[name] for name in warm.COLD if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", "heatproof", *words],
        cwd=project.root, capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@contextmanager
def written(logs: list[Path]) -> Iterator[None]:
    """While records are added to logs, each in two pieces."""
    ended = threading.Event()

    def write() -> None:
        for number in range(100, 100_000):
            row = {"question_id": number // 2, "answer_id": number % 2, "score": number % 3 == 0}
            data = json.dumps(row).encode() + b"\n"
            for piece in (data[:20], data[20:]):
                for path in logs:
                    with path.open("ab") as file:
                        file.write(piece)
                if ended.wait(0.02) and piece.endswith(b"\n"):
                    return

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()
