"""What the tests of files and pages share."""

from collections.abc import Iterator

import pytest

from support import browser


@pytest.fixture(scope="session")
def window() -> Iterator[browser.Browser]:
    """One browser for all tests of this process."""
    started = browser.Browser()
    yield started
    started.close()
