"""heatproof: heatmaps whose every cell can be rebuilt, traced and judged against chance.

In a script or a notebook (`heatproof guide notebook`), `import heatproof as hp`:

    hp.read(logs)             logs → a frame of samples, a row per graded attempt
    hp.normalize_logs(logs)   the same, with the records that cannot be used
    hp.heatmap(data, x=, y=)  samples, a table of your own or finished numbers → a chart
    hp.grid(data, x=, y=)     the numbers of a heatmap, a row per cell
    hp.figure(data, kind)     a figure of any kind
    hp.save(chart, path)      svg, pdf, png or html
    hp.open_build(folder)     the figures that a run has made
    hp.Error                  what each mistake raises

`help(hp.heatmap)` and the like tell more.
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heatproof.library.charts import open_build, save
    from heatproof.library.figures import figure, grid, heatmap
    from heatproof.library.reading import normalize_logs, read
    from heatproof.util.errors import Error

# The system's allocator gives back what it takes for one piece of a table to the next: a sixth less
# memory than with Arrow's own. Arrow looks once, when it is first imported, which may be anywhere.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

__version__ = "0.1.0"
__date__ = "2026-11-21"
"""The day of this version, as it stands in CITATION.cff."""

__all__ = ["Error", "figure", "grid", "heatmap", "normalize_logs", "open_build", "read", "save"]

_PLACES = {
    "util.errors": ["Error"],
    "library.charts": ["open_build", "save"],
    "library.figures": ["figure", "grid", "heatmap"],
    "library.reading": ["normalize_logs", "read"],
}
"""Module → what of it is public; loaded when asked for, since every job imports this package."""


def __getattr__(name: str) -> Any:
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
