"""The files of a figure, a module per format.

Each has `write(drawing) -> bytes` and `record(data) -> dict | None`, the provenance record that
`write` put inside, or None where the bytes are not such a file or hold no record.
"""
