"""What the quick part of the tests (`-m "not slow"`) leaves to the whole."""

from collections.abc import Container, Iterable
from typing import Any

import pytest


def slow_but(values: Iterable[Any], quick: Container[Any]) -> list[Any]:
    """The values of a parameter, of which those beside `quick` are slow."""
    slow = pytest.mark.slow
    return [value if value in quick else pytest.param(value, marks=slow) for value in values]
