"""The grid of a heatmap counted once more in plain loops, and random sweeps for it."""

import math
import random
from itertools import product

import numpy as np

from support import defined
from support.samples import heat, table

__all__ = ["Naive", "connected", "entry", "sweep", "table"]
SIZES = {"t1": 5, "t2": 6}


def sweep(seed, models="ab", even=False):
    """Runs of two tasks in a grid of settings; some cut off, some not there, some without tokens."""
    draw = random.Random(seed)
    rows = []
    for model, task, ratio, window in product(models, SIZES, (0.1, 0.2, 0.3), (5, 10)):
        if not even and draw.random() < 0.15:
            continue
        problems = SIZES[task] if even or draw.random() < 0.7 else draw.randrange(1, SIZES[task])
        for problem, epoch in product(range(problems), range(3)):
            if even or draw.random() < 0.85:
                right = draw.random() < (0.2 + 2 * ratio) * (1.5 if window == 5 else 0.7)
                tokens = (
                    None if not even and ratio == 0.2 and window == 5 else float(draw.randrange(9))
                )
                run = f"{model}{task}{ratio}{window}"
                rows.append(
                    {"log": run, "run": run, "model": model, "task": task, "ratio": ratio}
                    | {"window": window, "sample_id": f"p{problem}", "epoch": epoch}
                    | {"score": float(right), "tokens": tokens}
                )
    draw.shuffle(rows)
    return rows


def entry(x="ratio", y="window", color="pass@1", **keys):
    return heat(x, y, color, **{"uncertainty": "tied"} | keys)


def connected(present):
    """For each cell the first that it shares problems with, directly or through others."""
    first = [n if present[:, n].any() else None for n in range(present.shape[1])]
    for _ in first:
        for a, b in product(range(len(first)), repeat=2):
            if (present[:, a] & present[:, b]).any():
                first[a] = first[b] = min(first[a], first[b])
    return first


UNBOUNDED = "unbounded"


class Naive:
    """The grid of an entry, from rows as dicts."""

    def __init__(self, rows, one):
        self.one, self.rows = one, rows
        self.of, self.k = "tokens" if "tokens" in one.encoding.color else "score", 1
        if one.encoding.color.startswith("pass@"):
            self.k = int(one.encoding.color.removeprefix("pass@"))
        axes = [*([one.panel] if one.panel else []), one.encoding.y, one.encoding.x]
        self.axes = axes
        self.cells = [*product(*(sorted({row[name] for row in rows}) for name in axes))]
        self.at = {cell: n for n, cell in enumerate(self.cells)}
        self.place = [self.at[tuple(row[name] for name in axes)] for row in rows]
        self.found = [dict[str, object]() for _ in self.cells]
        self.panels = []
        for part in self.parts():
            self.part(part)
        self.levels()

    def parts(self):
        """Cells that may be compared: of a panel, and of one task unless they are means over it."""
        over = "task" in (self.one.mean_over, *self.one.pool)
        panel = [cell[0] if self.one.panel else None for cell in self.cells]
        tasks = [
            {row["task"] for row, at in zip(self.rows, self.place, strict=True) if at == n}
            for n in range(len(self.cells))
        ]
        if over or self.one.panel == "task":
            kind = panel
        elif "task" in self.axes:
            kind = [(p, c[self.axes.index("task")]) for p, c in zip(panel, self.cells, strict=True)]
        else:
            kind = [(p, *sorted(t)) for p, t in zip(panel, tasks, strict=True)]
            known = sorted({k for k in kind if len(k) > 1})
            kind = [known[0] if len(k) < 2 and len(known) == 1 else k for k in kind]
        return [[n for n, k in enumerate(kind) if k == one] for one in dict.fromkeys(kind)]

    def part(self, cells):
        """Cells of one task, or means over the same: the problems that they hold, and each cell."""
        where = zip(self.place, self.rows, strict=True)
        mine = [(cells.index(n), row) for n, row in where if n in cells]
        measured = [(at, row) for at, row in mine if row[self.of] is not None]
        tasks = sorted({row["task"] for _, row in mine})
        keys = sorted({(row["task"], row["sample_id"]) for _, row in measured})
        count, total = np.zeros((len(keys), len(cells)), int), np.zeros((len(keys), len(cells)))
        for at, row in measured:
            place = keys.index((row["task"], row["sample_id"])), at
            count[place] += 1
            total[place] += row[self.of]
        labels = {"task": [task for task, _ in keys], "group": keys}
        if self.one.family:  # the pattern of these tests: problems of even number are one
            labels["group"] = [(t, "p" if int(n[1:]) % 2 == 0 else n) for t, n in keys]
        labels["group"] = [labels["group"].index(one) for one in labels["group"]]
        points, used = defined.held(total, count), np.where(count >= self.k, count, 0)
        if self.k > 1:
            points = defined.passed(total.astype(int), count, self.k)
        for at, n in enumerate(cells):
            has = {row["task"] for place, row in mine if place == at}
            held = [
                {t for (t, _), c in zip(keys, m[:, at], strict=True) if c} for m in (count, used)
            ]
            gap, lacks = self.gap(tasks, has, *held)
            self.found[n] |= {"gap": gap, "lacks": lacks}
            self.found[n]["expected"] = self.expected(mine, len(cells), at)
            self.tried = count[:, at]
            self.cell(self.found[n], points, at, used, labels, whole=len(held[1]) == len(tasks))
        there = sum(self.found[n]["epochs"] for n in cells)
        most = sum(max(self.found[n]["epochs"], self.found[n]["expected"]) for n in cells)
        grown = there / most if most > there else None
        self.used = used > 0 if self.k > 1 else used
        self.judge(cells, points, grown, **labels)
        self.panels.append((cells, points, grown, labels))

    def levels(self):
        """Values of an axis that may be the best: the means of their cells, judged as cells are."""
        sides = {"top_x": [cell[-1] for cell in self.cells]}
        sides["top_y"] = [cell[-2] for cell in self.cells]
        size = math.prod(len({*side}) for side in sides.values())
        tests = []
        for cells, *rest in self.panels:
            held = [None not in row for row in rest[0]]
            known = all(self.found[n].get("tied") is not None for n in cells)
            for name, side in sides.items():
                if len(cells) == size and all(held) and known and 1 < len({*side}) < size:
                    tests.append((name, side, cells, *rest))
        sign = -1 if self.one.best == "lowest" else 1
        for name, side, cells, points, grown, labels in tests:
            values = sorted({*side})
            groups = [[at for at, n in enumerate(cells) if side[n] == value] for value in values]
            means = [[sign * sum(row[c] for c in g) / len(g) for g in groups] for row in points]
            p = defined.p_values(means, tests=len(tests), grown=grown, **labels)
            for value, group in zip(p, groups, strict=True):
                for at in group:
                    self.found[cells[at]][name] = bool(value > 0.05)

    def cell(self, told, points, at, used, labels, whole):
        """Value, error and limits; none where a task has no value."""
        cell = defined.column(points, at, used, **labels)
        told |= {"samples": cell.problems, "epochs": cell.epochs}
        tried = sum(one > 0 for one in self.tried)
        told["tried"] = tried if self.k > 1 and tried > cell.problems else None
        told |= dict.fromkeys(("value", "se", "low", "high"))
        if whole:
            half = cell.se * defined.student(0.975, cell.freedom) if cell.freedom else np.nan
            limits = cell.value - half, cell.value + half
            if self.of == "score":
                epochs = used > 0 if self.k > 1 else used
                limits = defined.interval(points, at, epochs, **labels)
            told |= {"value": cell.value, "se": cell.se, "low": limits[0], "high": limits[1]}
            if self.of != "score":
                told |= {"low": None, "high": None, "unjudged": UNBOUNDED}

    def expected(self, mine, cells, at):
        """All problems of those that share some, as often as it has any, and no more than others.

        Where more cells hold just the same problems than hold more, no others; of an empty cell
        what the largest is to hold.
        """
        keys = sorted({(row["task"], row["sample_id"]) for _, row in mine})
        count = np.zeros((len(keys), cells), int)
        parts = [set() for _ in range(cells)]
        for place, row in mine:
            count[keys.index((row["task"], row["sample_id"])), place] += 1
            parts[place].add(tuple(row[name] for name in self.one.pool if name != "task"))
        sets = connected(count > 0)
        known = {one for one in sets if one is not None}
        own = known if sets[at] is None and len(known) == 1 else {sets[at]} - {None}
        like = [cell for cell, one in enumerate(sets) if one in own]
        if sets[at] is None:
            return max((self.whole(count, parts, like, one) for one in like), default=0)
        return self.whole(count, parts, like, at)

    def whole(self, count, parts, like, at):
        held = [frozenset(np.flatnonzero(count[:, cell])) for cell in like]
        own = frozenset(np.flatnonzero(count[:, at]))
        alone = held.count(own) > max(1, sum(len(other) > len(own) for other in held))
        most = max(len(parts[cell]) for cell in like)
        repeats = math.ceil(count[:, at].max() * most / len(parts[at]))
        each = [min(repeats, count[n, like].max()) for n in range(len(count))]
        return int(sum(size for n, size in enumerate(each) if n in own or not alone))

    def gap(self, tasks, has, numbered, valued):
        """The code of why there is no value, and what is lacking in which tasks."""
        if not has:
            return "no_data", None
        lacking = {"missing": set(tasks) - has, "unmeasured": has - numbered}
        lacking["short"] = numbered - valued
        parts = [
            {"kind": kind, "tasks": sorted(which) if len(tasks) > 1 else []}
            for kind, which in lacking.items()
            if which
        ]
        return ("incomplete", parts) if parts else (None, None)

    def judge(self, cells, points, grown, task, group):
        """Who is best and tied among those that share problems; `grown`: the part that is there."""
        there = [at for at, n in enumerate(cells) if self.found[n]["value"] is not None]
        present = np.array([[one is not None for one in row] for row in points], bool)
        sets = connected(present[:, there]) if there else []
        sign = -1 if self.one.best == "lowest" else 1
        for first in {one for one in sets if one is not None}:
            among = [there[n] for n, one in enumerate(sets) if one == first]
            if len(among) < 2:
                continue
            held = [n for n, row in enumerate(present) if row[among].any()]
            x = [
                [None if points[n][c] is None else sign * points[n][c] for c in among] for n in held
            ]
            labels = {"task": [task[n] for n in held], "group": [group[n] for n in held]}
            whole = all(None not in row for row in x)
            _, added = defined.steps(x, **labels)
            level = added.sum(axis=1).round(9)
            value = np.array([self.found[cells[c]]["value"] for c in among]) * sign
            p = defined.p_values(x, grown=grown, **labels)
            tied = p > 0.05
            best = (
                value == value.max()
                if whole
                else np.where(tied, level, -9.0e9) == level[tied].max()
            )
            if self.of != "score":
                top = value if whole else level
                for at, c in enumerate(among):
                    common = sum(None not in row for row in x)
                    told = {"peers": cells[among[0]], "common": common}
                    self.found[cells[c]] |= told | {"best": bool(top[at] == top.max())}
                continue
            several = len(set(labels["group"])) > 1
            spread, median, high, chance = (np.nan,) * 4
            if several:
                spread, median, high, chance = defined.chance(x, **labels)
            told = (np.nan,) * 3
            if whole and len({*labels["task"]}) == 1 and len({*labels["group"]}) > 2:
                epochs = self.used[np.ix_(held, among)]
                told = defined.resolution(x, epochs, labels["group"], grown)
            names = ("resolution", "resolution_epochs", "resolution_problems")
            rows = [{one for one in row if one is not None} for row in x]
            more = dict(zip(names, told, strict=True)) | {"varying": sum(len(r) > 1 for r in rows)}
            far = self.of == "score" and max(spread, high) > 1 + 1e-9
            for at, c in enumerate(among):
                self.found[cells[c]] |= more | {
                    "peers": cells[among[0]],
                    "common": sum(None not in row for row in x),
                    "best": bool(best[at]),
                    "tied": bool(tied[at]),
                    "spread": float(np.ptp(value)),
                    "spread_equal": None if far else spread,
                    "chance_median": None if far else median,
                    "chance_high": None if far else high,
                    "chance_p": chance,
                    "separated": int((~tied & ~best).sum()),
                }
