"""Figures whose numbers manuscripts quote, and what a check of a manuscript says of each line."""

from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Any

from heatproof.kinds.printed_values import Exact, PrintedCell, PrintedFigure, PrintedPanel

RATIOS = ("0.1", "0.2", "0.3", "0.4", "0.5")
LLAMA = {
    "AIME24": {"500": [40.0, 45.3, 41.3, 42.7, 46.7], "1000": [39.3, 49.3, 45.3, 44.0, 46.0],
               "2000": [44.7, 47.3, 48.7, 46.0, 43.3], "3000": [41.3, 42.7, 45.3, 44.7, 42.7]},
    "GPQA_D": {"500": [46.2, 45.8, 48.4, 46.3, 46.9], "1000": [45.5, 46.8, 45.5, 46.6, 46.5],
               "2000": [45.1, 45.8, 45.4, 47.4, 45.6], "3000": [44.1, 44.2, 44.9, 44.9, 45.8]},
}  # fmt: skip
QWEN = {
    "AIME24": {"500": [42.7, 40.0, 42.7, 46.0, 48.7], "1000": [44.0, 47.3, 45.3, 42.0, 43.3],
               "2000": [42.7, 44.0, 47.3, 52.0, 43.3], "3000": [47.3, 46.0, 42.7, 46.0, 47.3]},
    "GPQA_D": {"500": [45.7, 47.6, 47.2, 47.5, 46.1], "1000": [47.2, 47.5, 46.4, 48.3, 48.2],
               "2000": [46.7, 48.1, 49.7, 48.2, 48.0], "3000": [47.1, 46.7, 47.6, 49.1, 48.3]},
}  # fmt: skip
TINY = {
    "path": {"8": [7.5, 28.0, 32.5, 52.5, 77.0], "48": [52.5, 64.5, 65.0, 77.5, 87.5]},
    "sum": {"8": [0.0, 3.0, 0.0, 45.5, 66.5], "48": [84.5, 87.0, 86.5, 89.5, 86.0]},
}
N = {"AIME24": 30, "GPQA_D": 198, "path": 40, "sum": 40}


def printed(model: str, numbers: dict[str, Any], near: float | None) -> PrintedFigure:
    """A figure with a panel for each task; cells within `near` of the best tie with it."""
    figure = PrintedFigure(
        id="0123abcd", title=model, metrics=["pass@1"], percent=True, ends="highest",
        columns={"task": "Task", "local_window": "Local Window Size", "ratio": "Ratio"},
        fixed={"model": model},
    )  # fmt: skip
    for task, rows in numbers.items():
        best = max(max(row) for row in rows.values())
        for window, row in rows.items():
            for ratio, value in zip(RATIOS, row, strict=True):
                cell = _cell(task, window, ratio, value)
                if near is not None:
                    cell.standing, cell.verdict = _standing(best - value, near)
                figure.add(cell)
        figure.panels[f"task={task}"] = PrintedPanel(address={"task": task}, best=f"{best:.1f}")
    return figure


def _cell(task: str, window: str, ratio: str, value: float) -> PrintedCell:
    address = {"task": task, "local_window": window, "ratio": ratio}
    share = value / 100
    error = 100 * sqrt(share * (1 - share) / N[task])
    low, high = value - 1.96 * error, value + 1.96 * error
    exact = Exact(value, error, low, high, N[task], 5 * N[task])
    return PrintedCell(
        address=address, names=address, value=f"{value:.1f}", se=f"{error:.1f}",
        low=f"{low:.1f}", high=f"{high:.1f}", interval=f"{low:.1f} to {high:.1f}",
        n=str(N[task]), verdict="not judged", exact=exact,
    )  # fmt: skip


def _standing(behind: float, near: float) -> Any:
    if not behind:
        return "best", "highest; 2 others cannot be told apart from it"
    if behind <= near:
        return "tied", "cannot be told apart from the highest"
    return "behind", "can be told apart from the highest"


def accuracy() -> PrintedFigure:
    """A figure with two decimals, in which 11.246 is printed as 11.25."""
    figure = PrintedFigure(
        id="4567cdef", metrics=["accuracy"], percent=True, ends="highest", columns={"model": "Model", "shots": "Shots"},
    )  # fmt: skip
    values = {
        ("alpha-7b", "0"): 11.246,
        ("alpha-7b", "5"): 31.257,
        ("beta-13b", "0"): 20.5,
        ("beta-13b", "5"): 44.45,
    }
    for (model, shots), value in values.items():
        address = {"model": model, "shots": shots}
        exact = Exact(value, 0.8, value - 1.6, value + 1.6, 1319, 1319)
        figure.add(PrintedCell(
            address=address, names=address, value=f"{value:.2f}", se="0.80", n="1,319", low=f"{value - 1.6:.2f}",
            high=f"{value + 1.6:.2f}", interval=f"{value - 1.6:.2f} to {value + 1.6:.2f}", exact=exact,
            standing="level", verdict="no setting is clearly highest",
        ))  # fmt: skip
    return figure


def figures() -> dict[str, PrintedFigure]:
    """All of them by name."""
    return {
        "llama": printed("R1-Llama", LLAMA, None),
        "qwen": printed("R1-Qwen", QWEN, None),
        "tiny": printed("tiny-s96", TINY, 11.0),
        "shots": accuracy(),
    }


def written(folder: Path, items: Sequence[str], preamble: str = "") -> tuple[Path, list[range]]:
    """A manuscript with a paragraph for each item, and the lines of each."""
    lines, places = [r"\documentclass{article}", *preamble.splitlines(), r"\begin{document}"], []
    for item in items:
        start = len(lines) + 1
        lines += [*item.strip().splitlines(), ""]
        places.append(range(start, len(lines) + 1))
    path = folder / "main.tex"
    path.write_text("\n".join([*lines, r"\end{document}", ""]), encoding="utf-8")
    return path, places
