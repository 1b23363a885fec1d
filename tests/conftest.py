"""What the tests share."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# How long an example takes hangs on what else the machine does.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

PROJECT = Path(__file__).parent.parent


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """A process for each core, and one for tests that mostly wait; none beside for single files."""
    return 0 if any(".py" in word for word in config.args) else min((os.cpu_count() or 1) + 1, 8)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """The tests of a file stay together, for what they share, and files in their order."""
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False
    return LoadFileScheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What mostly waits, and so longest, comes first."""
    items.sort(key=lambda item: item.get_closest_marker("slurm") is None)


@pytest.fixture
def project() -> Path:
    """The project folder."""
    return PROJECT


@pytest.fixture
def real_logs() -> Path:
    """Public logs of real evaluations, where they lie beside the project; else skip."""
    folder = PROJECT.parent / "shared" / "logs"
    if not folder.is_dir():
        pytest.skip("no public logs beside the project")
    return folder


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small sweep with two tasks, a missing cell, an incomplete and a packed log, built once."""
    from test_workflow import CONFIG, Project

    root = tmp_path_factory.mktemp("small")
    project = Project(root, CONFIG)
    # The pins belong to the code.
    shutil.copytree(PROJECT / "requirements", root / "requirements")
    heatmap = {**CONFIG["figures"]["grid"], "formats": ["svg", "pdf", "png", "html"]}
    by_model = {"where": {"model": ["m", "n"]}, "panel": "model", "mean_over": "task"}
    pass_at_2 = {**heatmap["encoding"], "color": "pass@2"}
    figures = {
        "grid": heatmap,
        "twice": heatmap | {"encoding": pass_at_2, "formats": ["svg"]},
        "mean": heatmap | by_model | {"formats": ["svg"]},
        "pair": CONFIG["figures"]["pair"] | {"bins": 4},
    }
    source = {"format": "dynts", "logs": "data/runs/*.jsonl*"}
    project.configure({"sources": {"runs": source}, "figures": figures})
    for ratio, samples in ((0.1, 3), (0.2, 4)):
        rows = [
            json.dumps({"question_id": q, "answer_id": a, "score": (q + 2 * a) % 3 == 0})
            for q in range(samples)
            for a in range(2)
        ]
        path = root / f"data/runs/m_u_N2-R{ratio}-KW500-PKVL5000.jsonl"
        text = "".join(f"{row}\n" for row in rows)
        if ratio == 0.1:
            path.write_text(text)
        else:
            with gzip.GzipFile(f"{path}.gz", "wb", mtime=0) as file:
                file.write(text.encode())
    status, said = project.start()
    assert status == 0, said
    return project


@pytest.fixture
def copy_of_small(small: Any, tmp_path: Path) -> Any:
    """The small sweep, built, for a test that damages it."""
    root = tmp_path / "copy"
    shutil.copytree(small.root, root, copy_function=shutil.copy2)
    project = object.__new__(type(small))
    project.root = root
    return project
