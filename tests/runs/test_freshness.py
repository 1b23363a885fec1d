"""Freshness: what a run makes again, and what `heatproof why` says of it before."""

import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

pytestmark = pytest.mark.workflow


def test_after_a_killed_run_the_lock_is_removed_and_all_goes_on(copy_of_tiny: Any) -> None:
    """SIGKILL leaves a lock and half a job; the run after ends as if nothing had been."""
    root = copy_of_tiny.root
    log = root / "data/runs/m_t_N2-R0.1-KW500-PKVL5000.jsonl"
    log.write_text(log.read_text().replace("false", "true", 1))
    process = subprocess.Popen(
        [sys.executable, "-m", "snakemake"], cwd=root, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    locks = root / ".snakemake/locks"
    end = time.monotonic() + 120
    while not list(locks.glob("*.lock")) and time.monotonic() < end:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert list(locks.glob("*.lock"))
    left = [
        root / "results/tables/runs/.waiting-o6yq9011/0000.parquet",
        root / "results/figures/grid.svg.0123456789abcdef.part",
    ]
    for path in left:
        path.parent.mkdir(exist_ok=True)
        path.touch()
    status, said = copy_of_tiny.run()
    assert (status, "--unlock" in said) == (1, True)
    assert copy_of_tiny.run("--unlock")[0] == 0
    status, said = copy_of_tiny.run()
    assert status == 0, said
    assert "no longer asked for by config.yaml" not in said
    assert not left[0].parent.exists()
    assert not left[1].exists()
    assert copy_of_tiny.stages() == set()
