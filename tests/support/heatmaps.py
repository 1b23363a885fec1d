"""Heatmaps of invented grids: their entries, specs, and what stands in them."""

from itertools import product

import polars as pl

from heatproof.kinds import api
from heatproof.kinds.heatmap.judged import CHANCE
from support.samples import heat
from support.toys import peered

TASKS = ("AIME24", "AIME25", "AMC23", "GPQA_D")
OPTIONAL = (
    "unjudged",
    "tried",
    "parts",
    "asked",
    "dataset",
    "asked_tasks",
    "failed_records",
    "top_x",
    "top_y",
)
RATIOS, WINDOWS = (0.1, 0.2, 0.3, 0.4, 0.5), (500, 1000, 2000, 3000)


def value(task, window, ratio):
    return 0.2 + 0.2 * TASKS.index(task) + window / 1e5 - abs(ratio - 0.3) / 10


def grid(tasks=TASKS, ratios=RATIOS, windows=WINDOWS, of=value, **columns):
    rows = [
        {"task": task, "x": ratio, "y": window, "value": of(task, window, ratio)}
        for task, window, ratio in product(tasks, windows, ratios)
    ]
    frame = pl.DataFrame(rows, schema_overrides={"value": pl.Float64})
    given = {"samples": 30, "epochs": 150, "expected": 150, "se": 0.02, "low": 0.1, "high": 0.2}
    frame = frame.with_columns(**{k: pl.lit(v) for k, v in given.items()}, tied=pl.lit(False))
    frame = frame.with_columns(**dict.fromkeys(CHANCE[1:]), reconstructed=pl.lit(False))
    frame = frame.with_columns(**dict.fromkeys(OPTIONAL))
    best = pl.col("value") == pl.col("value").max().over("task")
    return peered(frame.with_columns(best=best).with_columns(**columns), "task")


def entry(**keys):
    usual = {"name": "figure", "title": "R1", "panel": "task"}
    labels = {"local_window": "Local Window Size"}
    return heat("ratio", "local_window", **usual | {"labels": labels} | keys)


def spec(frame, notes=(), **given):
    """As the workflow draws: the schema is not asked."""
    return api.kind("heatmap").draw(frame, entry(**given), notes=notes).to_dict(validate=False)


def checked(frame, **given):
    """The same, refused where it is no valid Vega-Lite."""
    return api.kind("heatmap").draw(frame, entry(**given)).to_dict(validate=True)


def rows(chart, name):
    return chart["datasets"][name]


def panels(chart):
    return [view for view in chart["concat"] if view["data"].get("name", "").startswith("cells")]


def placed(view):
    """Channels of the first mark that lies on the axes: the cells."""
    return next(layer["encoding"] for layer in view["layer"] if "encoding" in layer)


def texts(view):
    marks = (layer["mark"] for layer in view["layer"])
    return [mark["text"] for mark in marks if "text" in mark]


def told(chart):
    """The lines below the panels, one after the other."""
    lines = (text for view in chart["concat"] if "layer" in view for text in texts(view))
    return [line for text in lines for line in (text if isinstance(text, list) else [text])]


def borders(view):
    """Colour, width and path of each outline, and of what lies under it."""
    marks = [(layer["mark"], layer.get("encoding", {})) for layer in view["layer"]]
    return [
        (mark["stroke"], mark["strokeWidth"], channels["shape"]["value"])
        for mark, channels in marks
        if mark.get("strokeCap") == "square"
    ]


JUDGED = {"spread": 0.1, "spread_equal": 0.1, "chance_median": 0.107, "chance_high": 0.147, "chance_p": 0.6,
          "separated": 0}  # fmt: skip


def judged(**changes):
    columns = {name: pl.lit(what) for name, what in (JUDGED | changes).items()}
    return grid(TASKS[:1], tied=pl.lit(value=True)).with_columns(**columns)
