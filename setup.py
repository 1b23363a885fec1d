"""What pyproject.toml cannot say: a wheel carries the workflow, which lies beside the library.

Each file keeps its name in the repository, below `heatproof/repository/`; heatproof.util.repository
finds it there. Everything else about the package stands in pyproject.toml.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

INSIDE = "heatproof/repository"
CARRIED = (
    *("Snakefile", "workflow/Snakefile", "workflow/rules/*.smk", "workflow/scripts/*.py"),
    "workflow/report/*.rst",
    "profiles/*/config.yaml",
    "docs/llms.txt",
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


# A `build/` in the clone would be a stray; what an older version left in it would be packed too.
with tempfile.TemporaryDirectory() as folder:
    setup(cmdclass={"build_py": WithWorkflow}, options={"build": {"build_base": folder}})
