"""The columns of the samples table and their roles."""

import polars as pl
import pytest

from heatproof.config import roles
from heatproof.config.roles import OWN, Column
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.samples import counts
from support.naive import entry, sweep, table

NAMES = [*roles.samples({"ratio": "float", "epochs_asked": "int"}, ["tokens", "time"])]


def test_users_columns_have_the_role_of_where_they_stand():
    """Hyper-parameters behind the task, measures behind the score; counts behind both."""
    assert roles.columns(NAMES, "place") == ["log", "member", "line", "offset", "length"]
    assert roles.columns(NAMES, "key") == ["run", "sample_id", "epoch", "scorer"]
    assert roles.settings(NAMES) == ["model", "task", "ratio", "epochs_asked", "scorer"]
    assert roles.columns(NAMES, "measure") == ["score", "tokens", "time"]
    assert roles.columns(NAMES, "flag") == ["reconstructed", "graded"]
    counted = [*counts.count_key(NAMES), "epochs", "score.n", "tokens.sum", "reconstructed"]
    by = roles.columns(counted, "place", "key", "setting")
    assert by == counts.count_key(NAMES) == [
        "run", "model", "task", "ratio", "epochs_asked", "sample_id", "scorer",
    ]  # fmt: skip
    assert roles.settings(counted) == roles.settings(NAMES)
    some = ["run", "model", "task", "ratio", "sample_id", "tokens", "reconstructed"]
    assert roles.settings(some) == ["model", "task", "ratio", "scorer"]


@pytest.mark.parametrize(
    ("before", "role"), [("log", "place"), ("task", "flag"), ("score", "answer")]
)
def test_a_column_of_our_own_may_stand_anywhere(monkeypatch, before, role):
    """It is averaged nowhere and sets no run apart: not by grids, of counts as of rows."""
    samples, one = table(sweep(3)), entry(panel="task", where={"model": "a"})
    grid = grids.aggregate(samples, one)
    at = [*OWN].index(before)
    items = [*OWN.items()]
    more = {**dict(items[:at]), "hint": Column(role, "str", null=True), **dict(items[at:])}
    monkeypatch.setattr(roles, "OWN", more)
    assert roles.settings([*roles.samples({"ratio": "float"}, ["tokens"])]) == [
        "model", "task", "ratio", "scorer",
    ]  # fmt: skip
    frame = samples.collect().with_columns(hint=pl.col("line").cast(pl.String))
    names = frame.columns[:-1]
    wider = frame.select(*names[: names.index(before)], "hint", *names[names.index(before) :])
    assert grids.aggregate(wider.lazy(), one).equals(grid)
    partial = counts.count(wider)
    assert "hint" not in "".join(partial.columns)
    assert grids.aggregate(wider.lazy().clear(), one, [partial.lazy()]).equals(grid)


def test_names_of_our_own_are_taken():
    """Those of samples, of counts and of grids of both kinds."""
    grid = grids.aggregate(table(sweep(1)), entry(panel="task", where={"model": "a"}))
    assert {*OWN, "epochs", *grid.columns} <= roles.TAKEN
