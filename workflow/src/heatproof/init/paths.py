"""The parts in which paths of logs differ, and the regular expression that takes them apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

CUT = re.compile(r"(__|(?<=\D)\.(?=\D)|[_\-,=]+)")
"""What stands between the tokens of a name: signs, but no point within a number."""
ENDING = re.compile(r"(\.(jsonl|ndjson|json|csv|tsv|gz|zst))+$")
WORD_AND_NUMBER = re.compile(r"([A-Za-z]{1,12})(\d[\d.]*[A-Za-z]?)")
NUMBER = re.compile(r"\d+(\.\d+)?")
AGAIN = re.compile(r"(.+)_(\d)")
"""A name with a number behind it that another file has without: a repetition of that."""
UNNAMED = "part"
"""What a part is called that nothing names."""


class Piece(NamedTuple):
    """A piece of some names at one position."""

    values: list[str]
    """Of each name."""
    name: str = ""
    """What names it; empty: it is alike in all."""
    optional: bool = False
    """Whether names may lack it, with the sign before it."""

    @property
    def literal(self) -> str:
        """What all have in common; empty if they differ."""
        return "" if self.name else self.values[0]


def parts(paths: Sequence[str]) -> tuple[dict[str, list[str]], str]:
    """Name → its value in each path, and the pattern that gives them, checked on all paths.

    Nothing where there is one path, or where no one pattern takes all apart.
    """
    if len(paths) < 2:
        return {}, ""
    levels = [path.split("/") for path in paths]
    stems = [ENDING.sub("", level[-1]) for level in levels]
    endings = sorted({level[-1][len(stem) :] for level, stem in zip(levels, stems, strict=True)})
    values_of: dict[str, list[str]] = {}
    pattern = "(?:^|/)"
    if len({len(level) for level in levels}) == 1:
        folders = zip(*(level[:-1] for level in levels), strict=True)
        pattern = "^" + "".join(_pattern(_folder([*names]), values_of) + "/" for names in folders)
    ending = "|".join(map(re.escape, endings))
    pattern += _pattern(_file(stems), values_of)
    pattern += f"(?:{ending})$" if len(endings) > 1 else f"{ending}$"
    matches = [re.search(pattern, path) for path in paths]
    for name, values in values_of.items():
        if [(match[name] or "") if match else None for match in matches] != values:
            return {}, ""
    return values_of, pattern


def _folder(names: list[str]) -> list[Piece]:
    """Pieces of the folders at one level: one, but where tokens stand for themselves."""
    if len({*names}) == 1:
        return [Piece(names)]
    tokens = _tokens(names)
    if tokens is None:
        return [Piece(names, UNNAMED)]
    pieces = _name_parts(tokens, binding="-_.,")
    unnamed = sum(piece.name == UNNAMED for piece in pieces)
    return pieces if unnamed <= 1 else [Piece(names, UNNAMED)]


def _file(names: list[str]) -> list[Piece]:
    """Pieces of the names of files."""
    if len({*names}) == 1:
        return [Piece(names)]
    matches = [AGAIN.fullmatch(name) for name in names]
    again = [match[2] if match and match[1] in names else "" for match in matches]
    repeat = [Piece(again, "repeat", optional=True)] if any(again) else []
    if repeat:
        names = [
            name.removesuffix(f"_{number}") if number else name
            for name, number in zip(names, again, strict=True)
        ]
        if len({*names}) == 1:
            return [Piece(names), *repeat]
    tokens = _tokens(names)
    return (_name_parts(tokens) if tokens else _ends(names)) + repeat


def _tokens(names: list[str]) -> list[list[str]] | None:
    """Tokens and the signs between them, a list for each position; None if they do not line up."""
    cut = [CUT.split(name) for name in names]
    if len({len(tokens) for tokens in cut}) > 1:
        return None
    columns = [list(column) for column in zip(*cut, strict=True)]
    return None if any(len({*signs}) > 1 for signs in columns[1::2]) else columns


def _ends(names: list[str]) -> list[Piece]:
    """Pieces of names of different lengths: numbers at the right, what is alike, and the rest."""
    cut = [CUT.split(name) for name in names]
    left = _alike(cut)
    right = _alike([tokens[left:][::-1] for tokens in cut])
    middle = [tokens[left : len(tokens) - right] for tokens in cut]
    pieces: list[Piece] = []
    while min(map(len, middle)) >= 3:
        last, signs = [tokens[-1] for tokens in middle], [tokens[-2] for tokens in middle]
        numbers = [re.fullmatch(r"([A-Za-z]*)(\d[\d.]*)", token) for token in last]
        words = {match[1] for match in numbers if match}
        if not all(numbers) or len(words) > 1 or len({*signs}) > 1:
            break
        before = [tokens[-3:-1] for tokens in middle]
        if len({*map(tuple, before)}) == 1 and before[0][0].isalpha() and min(map(len, middle)) > 3:
            columns = [[words[0] for words in before], signs, last]
            pieces = [*_name_parts(columns), *pieces]
            middle = [tokens[:-3] for tokens in middle]
        else:
            pieces = [Piece(signs), *_name_parts([last]), *pieces]
            middle = [tokens[:-2] for tokens in middle]
    start = ["".join(tokens[:left]) for tokens in cut]
    end = ["".join(tokens[len(tokens) - right :]) for tokens in cut]
    rest = ["".join(tokens) for tokens in middle]
    return [Piece(start), Piece(rest, UNNAMED), *pieces, Piece(end)]


def _alike(cut: list[list[str]]) -> int:
    """How many tokens all begin with, but for the last of the shortest."""
    levels = zip(*cut, strict=False)
    same = next((n for n, level in enumerate(levels) if len({*level}) > 1), len(cut[0]))
    return min(same, *(len(tokens) - 1 for tokens in cut))


def _name_parts(columns: list[list[str]], binding: str = "-") -> list[Piece]:
    """Pieces of tokens: a word that is alike in all names the number behind it.

    What is alike beside a part without a name belongs to it, where a sign of `binding` joins them.
    """
    pieces: list[Piece] = []
    before = ""
    for column in columns:
        if len({*column}) == 1:
            pieces.append(Piece(column))
            before = column[0] if re.fullmatch(r"[A-Za-z]+", column[0]) else before
            continue
        matches = [WORD_AND_NUMBER.fullmatch(token) for token in column]
        words = {match[1] for match in matches if match}
        if all(matches) and len(words) == 1:
            word = words.pop()
            numbers = [token.removeprefix(word) for token in column]
            pieces += [Piece([word] * len(column)), Piece(numbers, word.lower())]
        elif (before and all(re.fullmatch(r"[\d.]+[kKmM]?", token) for token in column)) or (
            len(pieces) > 1 and "=" in pieces[-1].literal and before
        ):
            pieces.append(Piece(column, before.lower()))
        else:
            pieces.append(Piece(column, UNNAMED))
        before = ""
    return _bound(pieces, binding)


def _bound(pieces: list[Piece], binding: str) -> list[Piece]:
    """Join each part without a name with what signs of `binding` bind to it."""
    joined: list[Piece] = []
    for piece in pieces:
        joined.append(piece)
        while len(joined) > 2 and _is_one([*joined[-3:]], binding):
            values = [
                "".join(cut) for cut in zip(*(piece.values for piece in joined[-3:]), strict=True)
            ]
            joined[-3:] = [Piece(values, UNNAMED)]
    return joined


def _is_one(pieces: list[Piece], binding: str) -> bool:
    """Whether a piece, a sign and a piece are one part: one of them varies, or both together."""
    first, sign, last = pieces
    if sign.name or not sign.literal or sign.literal[0] not in binding:
        return False
    if {first.name, last.name} == {UNNAMED, ""}:
        return True
    pairs = {*zip(first.values, last.values, strict=True)}
    together = len(pairs) == len({*first.values}) == len({*last.values})
    return first.name == last.name == UNNAMED and together


def _pattern(pieces: list[Piece], values_of: dict[str, list[str]]) -> str:
    """Pieces as a regular expression; adds the values of those that differ to `values_of`."""
    pattern = ""
    for number, piece in enumerate(pieces):
        if not piece.name:
            pattern += re.escape(piece.literal)
            continue
        base = re.sub(r"\W", "_", piece.name)
        name = f"{base}_1" if base == UNNAMED else base
        while name in values_of:
            name = f"{base}_{int(name.rpartition('_')[2]) + 1}" if name != base else f"{base}_2"
        values_of[name] = piece.values
        numbers = all(NUMBER.fullmatch(value) for value in piece.values if value)
        rest = r"[^/]+?" if number < len(pieces) - 1 else r"[^/]+"
        group = f"(?P<{name}>{r'[0-9]+(?:[.][0-9]+)?' if numbers else rest})"
        pattern += f"(?:_{group})?" if piece.optional else group
    return pattern
