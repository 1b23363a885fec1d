"""What pyproject.toml cannot say: a wheel carries the workflow, which lies beside the library.

Each file keeps its name in the repository, below `heatproof/repository/`; heatproof.util.repository
finds it there. On the page of a package index README.md's pictures and links would lead nowhere:
`index_page` makes them absolute. Everything else about the package stands in pyproject.toml.
"""

from __future__ import annotations

import re
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.build_py import build_py

INSIDE = "heatproof/repository"
CARRIED = (
    *("Snakefile", "workflow/Snakefile", "workflow/rules/*.smk", "workflow/scripts/*.py"),
    "workflow/report/*.rst",
    "profiles/*/config.yaml",
    *("docs/llms.txt", "docs/*.md"),
)
"""Files of the repository that a run needs beside the library."""


class WithWorkflow(build_py):
    """Modules, their data, and the workflow; an editable installation finds it where it lies."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for source, target in self._carried().items():
                Path(target).parent.mkdir(parents=True, exist_ok=True)
                self.copy_file(source, target)

    def get_source_files(self) -> list[str]:
        return [*super().get_source_files(), *self._carried()]

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return [*super().get_outputs(include_bytecode), *self._carried().values()]

    def _carried(self) -> dict[str, str]:
        """Path in the repository → path in what is built."""
        files = [path for pattern in CARRIED for path in sorted(Path().glob(pattern))]
        return {str(path): str(Path(self.build_lib, INSIDE, path)) for path in files}


PICTURES = re.compile(r"<!-- pictures -->\n.*?<!-- /pictures -->\n\n", re.DOTALL)
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:)([^)#]+)(#[^)]*)?\)")


def index_page(text: str, project: dict[str, Any]) -> str:
    """README.md for a package index, with the links of the `project` in pyproject.toml.

    They lead to the tag of the version at the address `Source`; without one, names of files stand
    in place of links, and what is said of pictures is left out with them.
    """
    source = project.get("urls", {}).get("Source")
    if source is None:
        return LINK.sub(r"\2 (`\3`)", PICTURES.sub("", text))

    def absolute(link: re.Match[str]) -> str:
        sign, label, path, heading = link.groups("")
        kind = "raw" if sign else "blob"
        return f"{sign}[{label}]({source}/{kind}/v{project['version']}/{path}{heading})"

    return LINK.sub(absolute, text)


def build() -> None:
    """Answer the build backend."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = index_page(Path("README.md").read_text(encoding="utf-8"), project)
    # A `build/` in the clone would be a stray; what an older version left in it would be packed.
    with tempfile.TemporaryDirectory() as folder:
        setup(
            cmdclass={"build_py": WithWorkflow},
            options={"build": {"build_base": folder}},
            long_description=page,
            long_description_content_type="text/markdown",
        )


if __name__ == "__main__":
    build()
