"""Kill `snakemake` at random moments: does the next run end with the same bytes all the same?

    python tests/bench/kills.py --number 60

Rounds of a small project: its run is killed with SIGKILL, again and again, until one run comes to
its end. Every other time only the main process is killed, and its jobs live on. After each kill,
every file under its final name must be a whole one.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "workflow" / "src")]

from support.project import CONFIG, Project  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        whole = start(Path(folder) / "undisturbed")
        begin = time.monotonic()
        status, said = whole.run()
        assert status == 0, said
        longest = time.monotonic() - begin
        expected = whole.results()
        kills = rounds = halves = failed = 0
        while kills < given.number:
            rounds += 1
            project = start(Path(folder) / f"round-{rounds}")
            # Two of three rounds begin with results, and a log or a title that changed since.
            other = changed(project, whole, CHANGES[rounds % 3]) if rounds % 3 else None
            right = other or expected
            while kills < given.number and kill(project, chance, longest, kills % 2 == 0):
                kills += 1
                halves += len(half(project, right, expected))
            status, said = project.run()
            wrong = [name for name in right if project.results().get(name) != right[name]]
            if status or wrong:
                failed += 1
                print("FAILED", rounds, status, wrong, said[-2000:])
            shutil.rmtree(project.root)
            print(f"round {rounds}: {kills} kills so far", flush=True)
        print(f"{kills} kills in {rounds} rounds: {rounds - failed} ended with the same bytes, "
              f"{halves} half-written files under a final name")  # fmt: skip
    sys.exit(bool(failed or halves))


def start(root: Path) -> Project:
    root.mkdir()
    return Project(root, CONFIG)


CHANGES = {
    1: ("data/runs/m_t_N2-R0.1-KW500-PKVL5000.jsonl", "false", "true"),
    2: ("config.yaml", "title: m", "title: o"),
}
REBUILT: dict[str, dict[str, bytes]] = {}


def changed(project: Project, whole: Project, change: tuple[str, str, str]) -> dict[str, bytes]:
    """The project with the results of another, and a changed file; what it must come to."""
    shutil.rmtree(project.root)
    shutil.copytree(whole.root, project.root, copy_function=shutil.copy2)
    path, old, new = change
    edited = project.root / path
    edited.write_text(edited.read_text().replace(old, new, 1))
    if path not in REBUILT:
        copy = project.root.with_name(f"changed-{Path(path).stem}")
        shutil.copytree(project.root, copy, copy_function=shutil.copy2)
        shutil.rmtree(copy / "results")
        shutil.rmtree(copy / ".snakemake")
        other = object.__new__(Project)
        other.root = copy
        status, said = other.run()
        assert status == 0, said
        REBUILT[path] = other.results()
    return REBUILT[path]


def kill(project: Project, chance: random.Random, longest: float, everything: bool) -> bool:
    """Start a run and kill it after a while; false if it ended before."""
    process = subprocess.Popen(
        [sys.executable, "-m", "snakemake"],
        cwd=project.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        process.wait(chance.uniform(0.05, 0.9) * longest)
    except subprocess.TimeoutExpired:
        if everything:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
        return True
    return False


def half(project: Project, right: dict[str, bytes], before: dict[str, bytes]) -> list[str]:
    """Files under a final name that are neither of this build nor of the one before."""
    found = project.results()
    allowed = {name: {right.get(name), before.get(name)} for name in found}
    bad = [n for n in found if not n.endswith(".part") and found[n] not in allowed[n]]
    for name in bad:
        print("HALF", name, len(found[name]))
    return bad


if __name__ == "__main__":
    main()
