"""Damage a built project at random places: does `heatproof verify` see it, and name the file?

    python tests/bench/mutations.py --number 600

Needs a project in which `snakemake` has run; it works on a copy. Rehashing finds damage; then come
forgeries, in which the ledger was made to fit a wrong number: these only a build from the raw logs
can find.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tests"))
SKIPPED = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=600)
    parser.add_argument("--forgeries", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        shutil.copytree(PROJECT, root, ignore=SKIPPED, copy_function=shutil.copy2)
        # The library of the copy, so that its code may be damaged too.
        sys.path.insert(0, str(root / "workflow" / "src"))
        chance = random.Random(given.seed)
        missed = damage(root, given.number, chance) + placed(root, chance)
        missed += forge(root, given.forgeries, chance)
    sys.exit(bool(missed))


def damage(root: Path, number: int, chance: random.Random) -> int:
    """How many of the mutations were missed, or not named; prints the table."""
    import mutating

    injected, caught, named, others = Counter(), Counter(), Counter(), 0
    settings = number // 25
    if told := reported(root):  # also loads the library before it is damaged
        sys.exit(f"damaged before it began: {told}")
    for kind, name, paths, new in mutating.mutations(root, number - settings, chance):
        with mutating.damaged(paths, new):
            found = reported(root)
        wanted = [path.relative_to(root).as_posix() for path in paths]
        injected[kind, name] += 1
        caught[kind, name] += bool(found)
        right = all(any(path in told for told in found) for path in wanted)
        named[kind, name] += right
        others += any(not any(path in told for path in wanted) for told in found)
        if not right:
            print("MISSED", kind, name, wanted, found)
    config = root / "config.yaml"
    texts = mutating.configurations(config.read_text(), chance)
    for _, text in zip(range(settings), texts, strict=False):
        with mutating.damaged([config], [text.encode()]):
            found = reported(root)
        injected["config.yaml", "change a value"] += 1
        caught["config.yaml", "change a value"] += bool(found)
        named["config.yaml", "change a value"] += any("config.yaml" in told for told in found)
    table(injected, caught, named)
    print(f"also named, though not damaged, in {others} cases")
    return sum(injected.values()) - sum(named.values())


def placed(root: Path, chance: random.Random) -> int:
    """How many were missed of strays, and of what lies in the place of a result."""
    import mutating

    missed, tried = [], 0
    for name in mutating.PLACES:
        with mutating.strayed(root, name) as path:
            tried += 1
            missed += [] if path in reported(root) else [path]
    for kind, paths in mutating.kinds(root).items():
        mine = [path for path in paths if path.is_relative_to(root / "results")]
        for instead in mutating.INSTEAD if mine else ():
            path = chance.choice(mine)
            tried += 1
            with mutating.replaced(root, path, instead):
                found = any(path.relative_to(root).as_posix() in told for told in reported(root))
                missed += [] if found else [f"{kind}: {path.name}, {instead}"]
    print(f"strays, and others in the place of results: {tried - len(missed)} of {tried} named")
    print("".join(f"MISSED {one}\n" for one in missed), end="")
    return len(missed)


def reported(root: Path) -> list[str]:
    """What `verify --quick` names."""
    from heatproof.cli import main as cli
    from heatproof.provenance import verify
    from heatproof.util.errors import Error

    try:
        plan = cli.plan(root)
        return [f.path for s in verify.stages(plan, [], quick=True) for f in s.failures]
    except Error as error:
        return [str(error)]


def table(injected: Counter, caught: Counter, named: Counter) -> None:
    """Caught and named of injected: a row a kind of file, a column a kind of damage."""
    damages = sorted({name for _, name in injected})
    print("| file | " + " | ".join(damages) + " | caught / injected | file named |")
    print("|---|" + "---|" * (len(damages) + 2))
    for kind in dict.fromkeys(kind for kind, _ in injected):
        cells = [
            f"{caught[kind, n]}/{injected[kind, n]}" if injected[kind, n] else "" for n in damages
        ]
        sums = [sum(c[kind, n] for n in damages) for c in (caught, injected, named)]
        print(f"| {kind} | {' | '.join(cells)} | {sums[0]} / {sums[1]} | {sums[2]} |")
    sums = [sum(counter.values()) for counter in (caught, injected, named)]
    print(f"| all | {' | '.join('' for _ in damages)} | {sums[0]} / {sums[1]} | {sums[2]} |")


def forge(root: Path, number: int, chance: random.Random) -> int:
    """Wrong numbers in a grid with a ledger made to fit: how many were missed."""
    from heatproof import ledger
    from heatproof.cli import main as cli
    from heatproof.provenance import verify

    plan, missed = cli.plan(root), 0
    with verify.fresh(plan, plan.pieces()) as folder:
        built = ledger.load(folder)
        for _ in range(number):
            name = chance.choice(list(plan.figures))
            path = root / f"results/grids/{name}.parquet"
            old = path.read_bytes()
            forge_grid(path, chance)
            made = built[f"aggregate {name}"].outputs[f"results/grids/{name}.parquet"]
            counted = verify.counted(plan, folder, [name]).failures
            if made == ledger.contents(path) or not any(name in f.path for f in counted):
                missed += 1
                print("MISSED forgery of", name)
            path.write_bytes(old)
    print(f"forged grids: {number - missed} of {number} found by building and by counting anew")
    return missed


def forge_grid(path: Path, chance: random.Random) -> None:
    """Another value in one cell; the record in the footer stays."""
    import polars as pl

    from heatproof.samples import tables

    grid, record = tables.read(path)
    column = "value" if "value" in grid.columns else "difference"
    rows = grid.with_row_index("row").filter(pl.col(column).is_not_null())["row"].to_list()
    row = chance.choice(rows)
    wrong = pl.when(pl.int_range(pl.len()) == row).then(pl.col(column) + 0.005).otherwise(column)
    tables.write(grid.with_columns(wrong.alias(column)), path, record)


if __name__ == "__main__":
    main()
