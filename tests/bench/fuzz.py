"""Damage specimens of logs at random for a while and read them: `fuzz.py [SECONDS]`.

Prints how many inputs of each format were tried, how many of their records were read and refused,
and the seed of each that broke a promise; exits 1 if there was one. Promised is: no crash and no
hang, as many records as rows and rejects, as many as an independent count finds, and each row leads to
its record.
"""

import random
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent / "workflow" / "src")]

from heatproof.util.errors import Error  # noqa: E402
from support import specimens  # noqa: E402
from support.independent import require_all  # noqa: E402
from support.reading import run, traced  # noqa: E402

SLOW = 20.0
"""Seconds that no input may take."""


def attempt(files: dict[str, bytes], keys: dict[str, Any]) -> tuple[int, int]:
    """Rows and rejects of a source. Raises AssertionError when a promise is broken."""
    with tempfile.TemporaryDirectory() as folder:
        specimens.write(Path(folder), files)
        try:
            result = run(Path(folder), **keys)
        except Error as error:
            if not str(error).startswith("config.yaml: sources.test."):
                raise
            return 0, 0
        require_all(result, Path(folder), keys)
        if keys["format"] != "csv" and len(result.samples) < 500:
            traced(result, Path(folder))
        return len(result.samples), len(result.rejected)


def main(seconds: float) -> int:
    """Take turns among the sources until the time is up."""
    counts = {name: [0, 0, 0] for name in specimens.SOURCES}
    slowest, broken, seed, end = 0.0, 0, 0, time.monotonic() + seconds
    while time.monotonic() < end:
        for name, (files, keys) in specimens.SOURCES.items():
            seed += 1
            chance = random.Random(seed)
            victim = chance.choice(sorted(files))
            damaged = files | {victim: specimens.mutated(files[victim], chance)}
            begin = time.monotonic()
            try:
                rows, refused = attempt(damaged, keys)
                counts[name] = [
                    a + b for a, b in zip(counts[name], (1, rows, refused), strict=True)
                ]
                slowest = max(slowest, time.monotonic() - begin)
                assert slowest < SLOW, "too slow"
            except Exception:  # noqa: BLE001
                broken += 1
                print(f"{name}, seed {seed}, {victim}:\n{traceback.format_exc()}", file=sys.stderr)
    for name, (tried, rows, refused) in counts.items():
        print(f"{name:18} {tried:6} inputs, {rows:8} samples, {refused:8} refused")
    tried = sum(count[0] for count in counts.values())
    print(f"{tried} inputs tried, {broken} broke a promise, the slowest took {slowest:.2f} s")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if sys.argv[1:] else 60))
