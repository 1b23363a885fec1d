"""What jobs depend on: of config.yaml, of code, of logs."""

from copy import deepcopy

import msgspec
import pytest

from heatproof import ledger
from heatproof.plan import planned
from support.project import FOLDER, write_folder


def settings(config, root):
    """Job → what of config.yaml it depends on."""
    plan = planned(config, root)
    jobs = (("normalize", "own/0000"), ("aggregate", "heat"), ("draw", "heat"))
    return {rule: ledger.plain(plan.settings(rule, name)) for rule, name in jobs}


@pytest.mark.parametrize(
    ("section", "name", "keys", "rules"),
    [
        ("sources", "own", {"expect": 7}, {"aggregate"}),
        ("sources", "own", {"range": {"score": [0, 2]}}, {"normalize", "aggregate", "draw"}),
        ("figures", "heat", {"title": "Other"}, {"draw"}),
        ("figures", "heat", {"where": {"model": "u"}}, {"aggregate", "draw"}),
    ],
)
def test_a_key_reaches_the_jobs_that_depend_on_it(section, name, keys, rules, tmp_path):
    """And no others: no log is read again for a title."""
    write_folder(tmp_path / "here")
    changed = deepcopy(FOLDER)
    changed[section][name] |= keys
    before, after = (settings(config, tmp_path / "here") for config in (FOLDER, changed))
    assert {rule for rule in before if before[rule] != after[rule]} == rules


def test_a_piece_is_outdated_by_other_settings_code_or_logs(tmp_path):
    """A job that is not of the plan is none of its business."""
    plan = planned(FOLDER, write_folder(tmp_path / "here"))
    told = ledger.plain(plan.settings("normalize", "own/0000")), ledger.code("normalize")
    inputs = {"data/a.jsonl": ("", 0)}
    piece = ledger.Piece("normalize", "own/0000", inputs, *told, {})
    assert not plan.is_outdated(piece)
    others = {"settings": {}, "code": {}, "inputs": inputs | {"data/b.jsonl": ("", 0)}}
    for key, value in others.items():
        assert plan.is_outdated(msgspec.structs.replace(piece, **{key: value}))
    assert not plan.is_outdated(msgspec.structs.replace(piece, name="gone/0000", code={}))
