"""The validator of RO-Crate profiles, kept from the network."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

URL = "https://w3id.org/ro/crate/1.1/context"


def seed(path: Path) -> None:
    """Put the RO-Crate context into the validator's cache: it may not ask the network."""
    requests = pytest.importorskip("requests")
    cache = pytest.importorskip("requests_cache")
    rocrate = pytest.importorskip("rocrate")
    import urllib3

    text = (Path(rocrate.__file__).parent / "data" / "ro-crate.jsonld").read_bytes()
    kind = {"Content-Type": "application/ld+json"}
    answer = requests.Response()
    answer.status_code, answer.url, answer._content = 200, URL, text
    answer.headers.update(kind)
    answer.request = requests.Request("GET", URL).prepare()
    answer.raw = urllib3.HTTPResponse(
        BytesIO(text), headers=kind, status=200, preload_content=False
    )
    session = cache.CachedSession(str(path), backend="sqlite", expire_after=-1)
    session.cache.save_response(answer)
    session.close()


UNTOLD = {
    "Action endTime": "the same inputs give the same bytes at any time",
    "Action agent": "the results are the same whoever runs it",
    "Root Data Entity: `author` property": "nobody is known who could be named",
    "Root Data Entity: `publisher` property": "likewise",
    "SoftwareApplication id": "the scripts are files of the project, not pages of the web",
}
"""What is recommended, by the name of the check, and why it is left out."""


def issues(folder: Path, cache: Path, severity: str = "RECOMMENDED", **settings: Any) -> list[str]:
    """What the validator finds wrong with a crate, offline; at RECOMMENDED, but for `UNTOLD`."""
    services = pytest.importorskip("rocrate_validator.services")
    seed(cache)
    result = services.validate(
        {
            "rocrate_uri": str(folder),
            "profile_identifier": "provenance-run-crate",
            "requirement_severity": severity,
            "offline": True,
            "cache_path": cache,
            **settings,
        }
    )
    return [
        f"{issue.check.identifier}: {issue.message}"
        for issue in result.get_issues()
        if severity == "REQUIRED" or issue.check.name not in UNTOLD
    ]
