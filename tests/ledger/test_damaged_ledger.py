"""After any damage to results or to the ledger the next run makes all as it was."""

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from heatproof import ledger
from heatproof.util import hashed
from support.jobs import job
from support.quick import slow_but

JOBS = {
    "normalize s/0000": (["data/a"], ["results/tables/s/0000.parquet", "results/counts/s/0000"]),
    "aggregate f": (["results/tables/s/0000.parquet"], ["results/grids/f", "results/tables/f.csv"]),
    "draw f": (["results/grids/f"], ["results/figures/f.svg", "results/figures/f.pdf"]),
    "draw g": (["results/grids/f"], ["results/figures/g.svg"]),
}
"""Job → what it reads and makes."""


def run() -> set[str]:
    """The jobs that are done because their piece is missing, and those that read what they make."""
    done: set[str] = set()
    for name, (inputs, outputs) in JOBS.items():
        made = {path for before in done for path in JOBS[before][1]}
        piece = ledger.place(name)
        if Path(piece).is_file() and not made & {*inputs}:
            continue
        for path in (*outputs, piece):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        for path in outputs:
            Path(path).write_text(f"{path} of {[Path(read).read_text() for read in inputs]}\n")
        ledger.write(job(inputs, outputs, piece), {}, [])
        done.add(name)
    if done or not Path(ledger.LEDGER).is_file():
        pieces = map(ledger.place, JOBS)
        ledger.join_pieces(pieces, {"config": {"a": "b"}, "upstream": False}, Path(ledger.LEDGER))
    return done


def flipped(path: Path, draw: random.Random) -> None:
    data = bytearray(path.read_bytes())
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    path.write_bytes(data)


def cut(path: Path, draw: random.Random) -> None:
    os.truncate(path, draw.randrange(path.stat().st_size))


def padded(path: Path, draw: random.Random) -> None:
    with path.open("a") as file:
        file.write(draw.choice([" ", "\n", "x"]))


def swapped(path: Path, draw: random.Random) -> None:
    """With another file, by names alone."""
    other = draw.choice([file for file in files() if file != path])
    path.rename("between")
    other.rename(path)
    Path("between").rename(other)


def renamed(path: Path, draw: random.Random) -> None:
    path.rename(path.with_name(f"{draw.randrange(9)}{path.name}"))


DAMAGES: list[Callable[[Path, random.Random], None]] = [flipped, cut, padded, swapped, renamed]


def files() -> list[Path]:
    return sorted(path for path in Path("results").rglob("*") if path.is_file())


@pytest.fixture(autouse=True)
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[Path, bytes]:
    """A project with all of its results; by path, what they hold."""
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("data/a").write_text("score 0")
    Path("log").touch()
    run()
    return {path: path.read_bytes() for path in files()}


@pytest.mark.parametrize("seed", slow_but(range(6), [0]))
def test_the_next_run_repairs_any_damage(seed: int, built: dict[Path, bytes]) -> None:
    """One file, or several at once: bits, ends, names; with the times that files had, or without."""
    draw = random.Random(seed)
    for _ in range(60):
        for path in draw.sample([*built], draw.choice([1, 1, 1, 3])):
            if path.is_file():
                then = path.stat()
                draw.choice(DAMAGES)(path, draw)
                if path.is_file() and draw.random() < 0.5:
                    os.utime(path, ns=(then.st_atime_ns, then.st_mtime_ns))
        ledger.forget_untrue(Path())
        run()
        for path in {*files()} - built.keys():  # what nobody has made, `heatproof clean` removes
            path.unlink()
        assert {path: path.read_bytes() for path in files()} == built
        assert ledger.forget_untrue(Path()) == {}
        assert run() == set()


def test_a_damaged_piece_is_not_believed(built: dict[Path, bytes]) -> None:
    """What it says of a good file is that of the last whole run."""
    path = Path(ledger.place("draw f"))
    digest, _ = hashed.content("results/figures/f.pdf")
    path.write_bytes(built[path].replace(digest[:8].encode(), b"00000000"))
    assert ledger.load(Path())["draw f"].outputs["results/figures/f.pdf"][0] == digest
    Path(ledger.LEDGER).unlink()
    with pytest.raises(ledger.Error, match="not as it was written"):
        ledger.load(Path())


def test_an_older_ledger_is_joined_anew() -> None:
    """One that was put back, though whole, is not of these pieces."""
    old = Path(ledger.LEDGER).read_bytes()
    Path("data/a").write_text("score 1")
    ledger.forget_untrue(Path())
    run()
    new = Path(ledger.LEDGER).read_bytes()
    Path(ledger.LEDGER).write_bytes(old)
    ledger.forget_untrue(Path())
    run()
    assert Path(ledger.LEDGER).read_bytes() == new != old
