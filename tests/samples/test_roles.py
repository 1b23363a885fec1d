"""The columns of the samples table and their roles."""

import heatproof as hp
from heatproof.config import roles
from heatproof.config.roles import OWN
from heatproof.kinds.heatmap import aggregate as grids
from heatproof.samples import counts
from support.naive import entry, sweep, table

NAMES = [*roles.samples({"ratio": "float", "epochs_asked": "int"}, ["tokens", "time"])]


def test_users_columns_have_the_role_of_where_they_stand():
    """Hyper-parameters behind the task, measures behind the score; counts behind both."""
    assert roles.columns(NAMES, "place") == ["log", "member", "line", "offset", "record_bytes"]
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


def test_names_of_our_own_are_taken():
    """Those of samples, of counts and of grids of both kinds."""
    grid = grids.aggregate(table(sweep(1)), entry(panel="task", where={"model": "a"}))
    assert {*OWN, "epochs", *grid.columns} <= roles.TAKEN


def test_length_is_a_word_for_a_parameter() -> None:
    """As a context length is called; how long a record is has another name."""
    data = {
        "model": ["a", "a"],
        "length": [4096, 8192],
        "sample_id": ["p", "p"],
        "score": [1.0, 0.0],
    }
    grid = hp.grid(data, x="length", y="model", metric="mean(score)")
    assert grid.select("length", "value").rows() == [(4096, 1.0), (8192, 0.0)]
