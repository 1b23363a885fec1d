"""Why the text of a file is no JSON, where a common habit explains it, and what to do about it."""

from __future__ import annotations

import ast
import re

LITERAL = re.compile(rb"['\"]\s*:\s*(?:True|False|None)\b|[{,]\s*'")
"""What Python writes of a dict, and JSON has not."""
COMMA = re.compile(rb",\s*[\]}]")
STRING = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\Z)', re.DOTALL)
JOINED = re.compile(rb"}\s*{")


def told(data: bytes) -> str:
    """What a text is instead of JSON, with the way out; empty where nothing explains it."""
    if _is_python(data):
        return (
            "Python, not JSON (single quotes, True, None): ast.literal_eval reads it, "
            "json.dumps writes it"
        )
    bare = STRING.sub(b'""', data)
    if COMMA.search(bare):
        return "no JSON: a comma stands before a closing bracket, which json.dumps writes nowhere"
    if JOINED.search(bare) and not data.lstrip().startswith(b"["):
        return "several JSON documents, one behind the other: write one a line, as .jsonl"
    return ""


def _is_python(data: bytes) -> bool:
    """Whether it is a dict or list as Python prints it; of a long one its first line tells."""
    first = data.lstrip().partition(b"\n")[0].strip()
    if not first.startswith((b"{", b"[")) or not LITERAL.search(first):
        return False
    try:
        ast.literal_eval(first.decode("utf-8", "replace"))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return bool(re.match(rb"\[?\s*{\s*'", first))
    return True
