"""Logs to measure with: generated, the same bytes everywhere, shaped like long reasoning runs."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

VOCABULARY = (
    "the we so then need to find sum of all let us check that wait hmm but maybe since "
    "because n is even odd prime therefore equation gives triangle angle circle radius point "
    "line number integer value first second case total answer compute substitute multiply "
    "divide both sides by get square root which means if"
)
ENDS = (". ", ", ", "? ", ".\n", ".\n\n")
ASIDES = (r" \(x^2 + \frac{1}{2} = 3\)", ' "maybe"', " √2 ≤ θ")
POOL, PIECE = 16 << 20, 2000
EPOCHS = 5
NAME = "R1-Llama_AIME24_N5-R0.{ratio}-KW{window}-PKVL{number}.jsonl"


def name(number: int) -> str:
    """The name of a log, as the harness would have written it."""
    return NAME.format(ratio=number % 5 + 1, window=500 * (number % 4 + 1), number=5000 + number)


def prose(size: int, rng: random.Random) -> str:
    """About `size` characters of what a reasoning model writes: words, formulas, line breaks."""
    parts, length = [], 0
    while length < size:
        sentence = " ".join(rng.choices(VOCABULARY.split(), k=rng.randint(6, 18)))
        aside = rng.choices(("", *ASIDES), (70, 24, 5, 1))[0]
        parts.append(sentence + aside + rng.choice(ENDS))
        length += len(parts[-1])
    return "".join(parts)


def pieces(size: int, rng: random.Random) -> list[bytes]:
    """Parts to make texts of, as they stand in a JSON string."""
    pool = prose(POOL if size == PIECE else 1 << 16, rng)
    starts = (rng.randrange(len(pool) - size) for _ in range(4 * len(pool) // size))
    return [json.dumps(pool[at : at + size], ensure_ascii=False)[1:-1].encode() for at in starts]


def records(count: int, size: int, parts: list[bytes], rng: random.Random) -> Iterator[bytes]:
    """`count` lines of a log, with texts of about `size` characters each, made of `parts`."""
    for number in range(count):
        text = b"".join(rng.choices(parts, k=max(1, size // PIECE)))
        yield (
            b'{"question_id": %d, "answer_id": %d, "prompt": "Problem %d", "decode_text": "%s", '
            b'"ground_truth": "73", "pred_answer": "%d", "score": %s, "num_decode_tokens": %d}\n'
        ) % (
            number // EPOCHS,
            number % EPOCHS,
            number // EPOCHS,
            text,
            rng.randrange(100),
            rng.choice((b"true", b"false")),
            rng.randrange(16384),
        )


def write(folder: Path, files: int, count: int, size: int) -> int:
    """Write `files` logs of `count` records each; returns their size in bytes."""
    folder.mkdir(parents=True)
    rng = random.Random(f"{files} {count} {size}")
    parts = pieces(min(size, PIECE), rng)
    total = 0
    for number in range(files):
        with (folder / name(number)).open("wb") as file:
            for line in records(count, size, parts, rng):
                total += file.write(line)
    return total


if __name__ == "__main__":
    print(write(Path(sys.argv[1]), *map(int, sys.argv[2:])))
