"""What the fields of structs are without being told."""

from __future__ import annotations

from typing import Any

import msgspec


def usual(field: msgspec.structs.FieldInfo) -> Any:
    """The default of a field; NODEFAULT if it has none."""
    factory = field.default_factory
    return field.default if factory is msgspec.NODEFAULT else factory()
