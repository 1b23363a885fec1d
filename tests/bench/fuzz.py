"""Damage logs at random for a while and read them: `fuzz.py [SECONDS] [FOLDER OF REAL LOGS]`.

Prints how many inputs of each format were tried, how many of their records were read and refused,
and the seed of each that broke a promise; exits 1 if there was one. Promised is: no crash and no
hang, as many records as rows and rejects, as many as an independent count finds, and each row leads to
its record.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent / "workflow" / "src")]

import specimens  # noqa: E402
from heatproof.util.errors import Error  # noqa: E402
from independent import require_all  # noqa: E402
from reading import run, traced  # noqa: E402

FILES = 12
"""Real logs of a format that are read together."""
SLOW = 20.0
"""Seconds that no input may take."""
PARAMS = {"temperature": "float", "top_p": "float"}
REAL: dict[str, tuple[str, dict[str, Any]]] = {
    "lm_eval": (
        "lm_eval/*/*_2026-11-21T02-00-2*",
        {"logs": "**/samples_*", "filter": "take_first"},
    ),
    "inspect": ("inspect_json/*15-00-00*", {"params": PARAMS}),
    "archive": ("inspect_sweep/*46-25*", {"format": "inspect", "params": PARAMS}),
    "helm": (
        "every_eval_ever/tests/data/helm/mmlu*/*",
        {"logs": "**/per_*", "metric": "exact_match"},
    ),
    "csv": (
        "jhu_temperature/data/details/gpt-4 - *0.1.csv",
        {
            "fields": {
                "sample_id": "Problem ID",
                "target": "Correct Answer",
                "answer": "Answer {epoch}",
            },
            "grade": "exact",
        },
    ),
    "json": (
        "intercode/data/results/bash/gpt-4/*1.json",
        {"each": "$", "fields": {"sample_id": "$key", "score": "summary.max_reward"}},
    ),
    "needle": (
        "niah/original_results/Anthropic_Original_Results/*_10000_*",
        {
            "format": "json",
            "fields": {"score": "score"},
            "set": {"sample_id": "needle"},
            "params": {"depth_percent": "float"},
            "range": {"score": [1, 10]},
        },
    ),
}
OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "dynts": ("sweep/full-cache/files/*", {"format": "dynts"}),
    "jsonl": (
        "progress/tiny-s96*.jsonl",
        {
            "fields": {
                "model": "model",
                "sample_id": "instance_id",
                "epoch": "sample_id",
                "score": "score",
            },
            "measures": {"progress": "progress_ratio"},
        },
    ),
}
"""Logs of the repository itself, below data/tiny-kv/logs."""


def sources(real: Path | None) -> dict[str, tuple[dict[str, bytes], dict[str, Any]]]:
    """The specimens, and real logs where there are some."""
    found = dict(specimens.SOURCES)
    ours = HERE.parent.parent / "data" / "tiny-kv" / "logs"
    for folder, patterns in ((real, REAL), (ours, OURS)):
        for name, (pattern, keys) in patterns.items() if folder else []:
            paths = sorted(folder.glob(pattern))[:FILES] if folder else []
            if files := {f"x/{path.name}": path.read_bytes() for path in paths}:
                found[f"{name} (real)"] = files, {"format": name} | keys
    return found


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


def main(seconds: float, real: Path | None) -> int:
    """Take turns among the sources until the time is up."""
    all_sources = sources(real)
    counts = {name: [0, 0, 0] for name in all_sources}
    slowest, broken, seed, end = 0.0, 0, 0, time.monotonic() + seconds
    while time.monotonic() < end:
        for name, (files, keys) in all_sources.items():
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
    given = sys.argv[1:]
    sys.exit(main(float(given[0]) if given else 60, Path(given[1]) if given[1:] else None))
