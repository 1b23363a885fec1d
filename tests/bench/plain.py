"""Six heatmap figures by pandas and seaborn in one process: what one would write by hand.

python plain.py PROJECT OUTPUT
"""

import re
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

NAME = re.compile(r"(?P<model>[^_]+)_(?P<task>.+)_N\d+-R(?P<ratio>[\d.]+)-KW(?P<window>\d+)-")
PUBLISHED = ["AIME24", "AIME25", "AMC23", "GPQA_D"]


def load(folder: Path, pattern: str) -> pd.DataFrame:
    """Pass@1 in percent of every run."""
    runs = []
    for path in sorted(folder.glob(pattern)):
        log = pd.read_json(path, lines=True)
        match = NAME.match(path.name)
        runs.append(
            {
                "model": match["model"],
                "task": match["task"],
                "ratio": float(match["ratio"]),
                "window": int(match["window"]),
                "score": 100 * log.groupby("question_id")["score"].mean().mean(),
            }
        )
    return pd.DataFrame(runs)


def panels(
    frame: pd.DataFrame, by: str, names: list[str], *, title: str = "", shared: bool = False
) -> plt.Figure:
    """A row of heatmaps, one for each of `names`."""
    figure, axes = plt.subplots(1, len(names), figsize=(7, 2.2))
    limits = {"vmin": frame["score"].min(), "vmax": frame["score"].max()} if shared else {}
    for axis, name in zip(axes, names, strict=True):
        grid = frame[frame[by] == name].pivot_table(index="window", columns="ratio", values="score")
        sns.heatmap(
            grid.sort_index(ascending=False), ax=axis, cmap="YlGnBu", annot=True, fmt=".1f",
            annot_kws={"size": 6}, linewidths=0.5, cbar=not shared,
            cbar_kws=None if shared else {"label": "Pass@1"}, **limits,
        )  # fmt: skip
        axis.set_title(f"{title} | {name}" if title else name, fontsize=8)
        axis.set_xlabel("Ratio")
        axis.set_ylabel("Local Window Size" if axis is axes[0] else "")
        if axis is not axes[0]:
            axis.set_yticklabels([])
    figure.tight_layout()
    if shared:
        figure.colorbar(axes[0].collections[0], ax=axes, label="Pass@1")
    return figure


def save(figure: plt.Figure, output: Path, name: str) -> None:
    """All three formats of a figure."""
    for suffix in ("svg", "pdf", "png"):
        figure.savefig(output / f"{name}.{suffix}", dpi=300)
    plt.close(figure)


def main(project: Path, output: Path) -> None:
    """Make the six figures."""
    output.mkdir(parents=True, exist_ok=True)
    sns.set_theme(context="paper", style="white", font_scale=0.8)
    tiny = load(project / "data/tiny-kv/logs/sweep", "local-ratio-*/files/*.jsonl")
    r1 = load(project / "data/published/logs", "*.jsonl.gz")
    tasks = ["path", "sum", "sort", "mod"]
    for short in ("s96", "b128"):
        chosen = tiny[tiny["model"] == f"tiny-{short}"]
        save(panels(chosen, "task", tasks, title=f"tiny-{short}"), output, f"tiny-kv-{short}")
    for model in ("R1-Llama", "R1-Qwen"):
        chosen = r1[r1["model"] == model]
        save(panels(chosen, "task", PUBLISHED, title=model), output, model.lower())
    llama = r1[r1["model"] == "R1-Llama"]
    both = panels(llama, "task", PUBLISHED, title="R1-Llama", shared=True)
    save(both, output, "r1-llama-shared")
    mean = r1.groupby(["model", "ratio", "window"], as_index=False)["score"].mean()
    save(panels(mean, "model", ["R1-Llama", "R1-Qwen"], shared=True), output, "r1-mean")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
