"""A key column that is added to `config/roles.py`: never mixed in silence, and it may be null."""

import subprocess
import sys
import textwrap

ADDED = """
    import sys, types
    from importlib.util import find_spec
    import heatproof.config
    spec = find_spec("heatproof.config.roles")
    text = open(spec.origin).read()
    line = '    "scorer": Column("key", "str", default=""),\\n'
    assert line in text
    text = text.replace(line, line + '    "judge": Column("key", "str", null=True),\\n')
    roles = types.ModuleType(spec.name)
    sys.modules[spec.name] = heatproof.config.roles = roles
    exec(compile(text, spec.origin, "exec"), roles.__dict__)

    import msgspec, polars as pl
    from pathlib import Path
    from heatproof.kinds import api
    from heatproof.samples import counts, tables
    from heatproof.samples import rows as sorting
    from heatproof.samples.rows import Repeats

    SCHEMA = tables.dtypes(roles.samples({}, [], answers=False))
    BASE = {"log": "a", "member": "", "line": 1, "offset": 0, "record_bytes": 1, "run": "a", "epoch": 0,
            "model": "m", "task": "t", "scorer": "", "reconstructed": False, "graded": False}

    def table(judges):
        rows = [BASE | {"sample_id": str(n), "judge": judge, "score": float(judge == "x")}
                for n in range(4) for judge in judges]
        return pl.DataFrame(rows, schema=SCHEMA)

    def grid(rows, partial=None, **keys):
        given = {"name": "f", "kind": "heatmap", "source": "s",
                 "encoding": {"x": "task", "y": "model", "color": "pass@1"}}
        entry = api.read({"kind": "heatmap"} | given | keys)
        return api.kind("heatmap").aggregate(rows.lazy(), entry, partial)
"""

ASKED = {
    "two judges are not mixed unasked": """
        both = table(["x", "y"])
        for partial in (None, [counts.count(both).lazy()]):
            try:
                grid(both, partial)
            except Exception as error:
                assert "would mix 2 values of 'judge' in one cell" in str(error), error
            else:
                raise AssertionError("two judges became one cell")
            pooled = grid(both, partial, pool=["judge"])
            assert pooled["value"].to_list() == [0.5]
            axes = {"x": "judge", "y": "model", "color": "pass@1"}
            assert grid(both, partial, encoding=axes)["value"].to_list() == [1.0, 0.0]
            assert grid(both, partial, where={"judge": "x"})["value"].to_list() == [1.0]
    """,
    "what stands twice is refused where the key is null": """
        rows = pl.concat([table([None]), table([None])]).sort(roles.KEY)
        kept, refused = Repeats().split(rows, last=True)
        assert (len(kept), len(refused)) == (4, 4)
        rows = table([None, "x"]).sort(roles.KEY)
        assert len(Repeats().split(rows, last=True)[0]) == 8
    """,
    "nulls are sorted before values, in memory and on disk": """
        rows = table(["y", None, "x"]).sample(fraction=1.0, shuffle=True, seed=3)
        wanted = rows.sort(roles.KEY)
        for memory in (sorting.MEMORY, 1):
            sorting.MEMORY, sorting.BLOCK, sorting.PORTION = memory, 2, 2
            sorter = sorting.Sorter(roles.KEY, Path("."))
            for piece in rows.iter_slices(3):
                sorter.add(piece)
            assert pl.concat(sorter.pieces()).equals(wanted)
    """,
}


def test_a_new_key_column_tells_samples_apart(tmp_path: object) -> None:
    """Rows that differ in it are others, and all that goes by keys takes it up."""
    code = "".join(map(textwrap.dedent, [ADDED, *ASKED.values()]))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=str(tmp_path)
    )
    assert done.returncode == 0, done.stderr[-2000:]
