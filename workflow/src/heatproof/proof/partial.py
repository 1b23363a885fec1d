"""verify, where a part was built: no manifest tells of it, but receipts do, and a new build."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from heatproof.config import paths
from heatproof.proof import closing, outputs, rebuild
from heatproof.proof.checks import ABSENT, Failure, Stage
from heatproof.provenance import artefacts, made, manifest
from heatproof.util import regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heatproof.plan.called import Call
    from heatproof.plan.plan import Plan

NOT_BUILT = "not built"
"""The stage that tells what nobody has asked for so far: that is no failure."""


def is_part(plan: Plan) -> bool:
    """Whether there are results, and no manifest was made since."""
    place = plan.root / artefacts.MANIFEST
    if regular.other(place) != regular.ABSENT or made.receipt(artefacts.MANIFEST, plan.root):
        return False
    return any(made.files(path, plan.root) for path in artefacts.everything(plan))


class Part:
    """What there is of some figures, and of what they share with others."""

    def __init__(self, plan: Plan, wanted: Sequence[str]) -> None:
        self.plan, self.wanted = plan, wanted
        every = [path for path in artefacts.everything(plan) if self._concerns(path)]
        self.outputs = [path for path in every if made.files(path, plan.root)]
        absent = [path for path in every if path not in {*self.outputs}]
        self.gone = [path for path in absent if made.receipt(path, plan.root)]
        self.not_built = [path for path in absent if path not in self.gone]
        self.files = dict[str, str]()
        for output in self.outputs:
            self.files |= made.contents(output, plan.root)

    def _concerns(self, path: str) -> bool:
        figures = artefacts.figures(path, self.plan)
        return not figures or bool({*figures} & {*self.wanted})

    def told(self) -> Stage:
        """What is not built."""
        return Stage(NOT_BUILT, closing.parts(self.not_built, self.plan), [])

    def receipts(self, *, quick: bool) -> Stage:
        """The files against what their jobs noted of them, in the private folder."""
        known = {path: made.receipt(path, self.plan.root) for path in self.outputs}
        none = [path for path, one in known.items() if one is None]
        if none and quick:
            why = f"not tried: no receipts of {len(none):,} files, only a new build can tell"
            return Stage("receipts", why, [])
        failures = [Failure(path, "a file", ABSENT, self._touches(path)) for path in self.gone]
        for one in known.values():
            for path, digest in one.files.items() if one else ():
                if (found := self.files.get(path, ABSENT)) != digest:
                    failures.append(Failure(path, digest, found, self._touches(path)))
        without = f"; {len(none):,} have none" if none else ""
        return Stage("receipts", f"{len(self.files):,} files, as jobs left them{without}", failures)

    def _touches(self, path: str) -> list[str]:
        return artefacts.figures(path, self.plan)

    def pictures(self, given: Sequence[str]) -> Iterator[Stage]:
        """Files that were handed in, against those that were made."""
        one = manifest.Manifest({}, self.files)
        for name in given:
            if Path(name).is_file():
                yield outputs.picture(name, one, self.plan)

    def built_anew(self, call: Call | None) -> Iterator[Stage]:
        """The same part, built anew from the raw logs, and each cell of its grids counted."""
        one = manifest.Manifest({}, self.files)
        with rebuild.fresh(self.plan.root, self.outputs, call) as folder:
            yield rebuild.same(one, self.plan, folder, self.files, self.wanted)
            drawn = [name for name in self.wanted if paths.grid(name) in self.files]
            if drawn:
                yield rebuild.counted(self.plan, folder, drawn)
