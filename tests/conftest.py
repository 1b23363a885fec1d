"""What the tests share."""

import fcntl
import gc
import gzip
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parent.parent
for name in ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS"):
    # Each process has a core; threads beside it would only wait.
    os.environ.setdefault(name, "1")
BYTECODE = PROJECT / ".pytest_cache/bytecode"
if sys.dont_write_bytecode:
    # A hundred processes are started: without bytecode each would compile all libraries anew.
    shutil.rmtree(f"{BYTECODE}{tempfile.gettempdir()}", ignore_errors=True)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(BYTECODE)
    sys.dont_write_bytecode = False


def pytest_configure() -> None:
    """How long an example takes hangs on what else the machine does."""
    import hypothesis  # here, for pytest compiles it: bytecode is written from now on

    hypothesis.settings.register_profile("untimed", deadline=None)
    hypothesis.settings.load_profile("untimed")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """A process for each core, and one beside tests of Snakemake, which wait; none for files."""
    if any(".py" in word for word in config.args):
        return 0
    is_quick = config.option.markexpr.startswith(("not slow", "not workflow"))
    return min((os.cpu_count() or 1) + (not is_quick), 8)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """The tests of a file stay together, for what they share, and files in their order."""
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False
    return LoadFileScheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long come first, so that all processes end at about the same time.

    What runs Snakemake or a browser is slow.
    """
    first = ("slurm", "workflow", "slow")
    for item in items:
        if "window" in getattr(item, "fixturenames", ()):  # of a browser
            item.add_marker("slow")
        if item.get_closest_marker("workflow") or item.get_closest_marker("slurm"):
            item.add_marker("slow")
    items.sort(key=lambda item: [item.get_closest_marker(mark) is None for mark in first])


def pytest_collection_finish() -> None:
    """What is there now stays: Python need not look for garbage among it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def unchecked() -> Iterator[None]:
    """Charts are drawn as by the workflow; `test_golden` has Altair check each of their parts."""
    from heatproof.charts import spec

    with spec.unchecked():
        yield


@pytest.fixture(autouse=True)
def warm_python(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What tests of the workflow start is a fork of a process that has imported all libraries."""
    if request.node.get_closest_marker("workflow"):
        from support import warm

        monkeypatch.setattr(sys, "executable", warm.python())


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
def common(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run of the tests share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def small(common: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small sweep with two tasks, a missing cell, an incomplete and a packed log, built once."""
    return _once("small", _small, common, tmp_path_factory)


@pytest.fixture(scope="session")
def tiny(common: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A sweep of eight logs in two shards and two figures, built once; `said` is what it said."""
    from support.project import TWO_SHARDS, Project

    return _once("tiny", lambda root: Project(root, TWO_SHARDS), common, tmp_path_factory)


def _once(
    name: str, project: Callable[[Path], Any], common: Path, factory: pytest.TempPathFactory
) -> Any:
    """A copy of a project that the process builds that needs it first: it takes ten seconds."""
    from support.project import Project

    master, root, words = common / name, factory.mktemp("copies") / name, common / f"{name}.txt"
    with (common / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not master.exists():
            master.mkdir()
            status, said = project(master).run()
            assert status == 0, said
            words.write_text(said)
    assert words.exists(), "another process could not build it"
    shutil.copytree(master, root, copy_function=shutil.copy2)
    copy = Project.at(root)
    copy.said = words.read_text()
    return copy


def _small(root: Path) -> Any:
    from support.project import CONFIG, Project

    project = Project(root, CONFIG)
    # The pins belong to the code.
    shutil.copytree(PROJECT / "requirements", root / "requirements")
    heatmap = {**CONFIG["figures"]["grid"], "formats": ["svg", "pdf", "png", "html"]}
    by_model = {"where": {"model": ["m", "n"]}, "panel": "model", "mean_over": "task"}
    figures = {
        "grid": heatmap,
        "mean": heatmap | by_model | {"formats": ["svg"]},
        "pair": CONFIG["figures"]["pair"] | {"bins": 4},
    }
    source = {"format": "dynts", "logs": "data/runs/*.jsonl*"}
    project.configure({"sources": {"runs": source}, "figures": figures})
    for ratio, samples in ((0.1, 3), (0.2, 4)):
        rows = [
            {"question_id": q, "answer_id": a, "score": (q + 2 * a) % 3 == 0, "said": "模型 é ٣"}
            for q in range(samples)
            for a in range(2)
        ]
        path = root / f"data/runs/m_u_N2-R{ratio}-KW500-PKVL5000.jsonl"
        # What stands in them is not ASCII: a place is counted in bytes.
        text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        if ratio == 0.1:
            path.write_text(text, encoding="utf-8")
        else:
            with gzip.GzipFile(f"{path}.gz", "wb", mtime=0) as file:
                file.write(text.encode())
    return project


@pytest.fixture
def copy_of_small(small: Any, tmp_path: Path) -> Any:
    """The small sweep, built, for a test that damages it."""
    return small.copied(tmp_path / "copy")


@pytest.fixture
def copy_of_tiny(tiny: Any, tmp_path: Path) -> Any:
    """The tiny sweep, built, for a test that builds it anew: that takes half of the time."""
    return tiny.copied(tmp_path / "copy")
