"""A paper that includes figures."""

import shutil
import subprocess
from pathlib import Path

import pytest

PAPER = r"""\documentclass{article}\usepackage{graphicx}\begin{document}
\includegraphics[width=2in]{0.pdf} and \includegraphics[width=2in]{1.pdf}
\end{document}"""


def latex(engine: str, folder: Path, files: list[bytes]) -> str:
    """Include files in a paper, `paper.pdf`; gives what the engine said."""
    if not shutil.which(engine):
        pytest.skip(f"{engine} is not installed")
    for number, data in enumerate(files):
        (folder / f"{number}.pdf").write_bytes(data)
    (folder / "paper.tex").write_text(PAPER)
    done = subprocess.run(
        [engine, "-interaction=nonstopmode", "paper.tex"],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout + done.stderr
