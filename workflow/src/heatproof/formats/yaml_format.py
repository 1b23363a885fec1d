"""YAML documents of any layout, read as JSON ones are; several in a file are a list of them."""

from __future__ import annotations

from heatproof.formats import json_format
from heatproof.formats.detection import document_sign
from heatproof.logs.yaml_text import ENDINGS
from heatproof.util.errors import Error


class Entry(json_format.Entry, kw_only=True):
    """Keys of a `yaml` source."""


def resembles(path: str, head: bytes) -> str:
    """Why a file can be read as a YAML document; empty if nothing tells that it can."""
    if not path.endswith(ENDINGS):
        return ""
    return document_sign(head)


class Reader(json_format.Reader):
    """The log is a document, which comes as JSON (`logs/yaml_text.py`)."""

    def document(self) -> bytes:
        if not self.path.endswith(ENDINGS):
            raise Error(f"its name does not end in {' or '.join(ENDINGS)}: rename it", "form")
        return super().document()


read = Reader.read
