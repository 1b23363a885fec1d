"""Logs to measure with: generated, the same bytes everywhere, shaped like long reasoning runs."""

from __future__ import annotations

import gzip
import json
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WORDS = (
    "the we so then need to find sum of all let us check that wait hmm but maybe since because n is "
    "even odd prime therefore equation gives triangle angle circle radius point line number integer "
    "value first second case total answer compute substitute multiply divide both sides by get square "
    "root which means if"
).split()
ENDS = (". ", ", ", "? ", ".\n", ".\n\n")
ASIDES = (r" \(x^2 + \frac{1}{2} = 3\)", ' "maybe"', " √2 ≤ θ")
POOL = 16 << 20
EPOCHS = 5
NAME = "R1-Llama_AIME24_N5-R0.{ratio}-KW{window}-PKVL{number}.jsonl"


def name(number: int) -> str:
    """The name of a log, as the harness would have written it."""
    return NAME.format(ratio=number % 5 + 1, window=500 * (number % 4 + 1), number=5000 + number)


def prose(size: int, rng: random.Random) -> str:
    """About `size` characters of what a reasoning model writes: words, formulas, line breaks."""
    parts, length = [], 0
    while length < size:
        sentence = " ".join(rng.choices(WORDS, k=rng.randint(6, 18)))
        aside = rng.choices(("", *ASIDES), (70, 24, 5, 1))[0]
        parts.append(sentence + aside + rng.choice(ENDS))
        length += len(parts[-1])
    return "".join(parts)


def records(count: int, size: int, pool: str, rng: random.Random) -> Iterator[bytes]:
    """`count` lines of a log with texts of about `size` characters each, cut out of `pool`."""
    piece = min(size, 2000)
    for number in range(count):
        starts = (rng.randrange(len(pool) - piece) for _ in range(size // piece))
        record = {
            "question_id": number // EPOCHS,
            "answer_id": number % EPOCHS,
            "prompt": f"Problem {number // EPOCHS}",
            "decode_text": "".join(pool[start : start + piece] for start in starts),
            "ground_truth": "73",
            "pred_answer": str(rng.randrange(100)),
            "score": rng.random() < 0.5,
            "num_decode_tokens": rng.randrange(16384),
        }
        yield json.dumps(record, ensure_ascii=False).encode() + b"\n"


def write(folder: Path, files: int, count: int, size: int) -> int:
    """Write `files` logs of `count` records each; returns their size in bytes."""
    folder.mkdir(parents=True)
    rng = random.Random(f"{files} {count} {size}")
    pool = prose(POOL if size > 1000 else 1 << 16, rng)
    total = 0
    for number in range(files):
        with (folder / name(number)).open("wb") as file:
            for line in records(count, size, pool, rng):
                total += file.write(line)
    return total


def pack(source: Path, target: Path, ending: str) -> None:
    """The logs of a folder, compressed: `.gz` or `.zst`, at the tools' usual levels."""
    import zstandard

    target.mkdir(parents=True)
    packer = zstandard.ZstdCompressor(level=3)
    for path in sorted(source.iterdir()):
        data = path.read_bytes()
        packed = gzip.compress(data, 6, mtime=0) if ending == ".gz" else packer.compress(data)
        (target / (path.name + ending)).write_bytes(packed)
