"""Results in remote storage and no file system in common: what Kubernetes does, without it.

Pods are folders of their own here: empty at first, with no home, the logs in `data` as on a volume.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from heatproof.cluster import remote
from heatproof.util.errors import Error
from test_workflow import TWO_SHARDS, Project

SUBMIT = """#!/bin/sh
pod=$(mktemp -d {pods}/XXXXXX)
ln -s {data} $pod/data
cp "$1" $pod/job.sh
cd $pod
(env -u HEATPROOF_RUN HOME=/proc/no-home sh job.sh >said 2>&1; echo $? >part; mv part status) >&- 2>&- &
echo $pod
"""
STATUS = """#!/bin/sh
[ -e $1/status ] || { echo running; exit; }
[ "$(cat $1/status)" = 0 ] && echo success || echo failed
"""
RSYNC = """#!{python}
import shutil, sys
import re
source, target = [one for one in sys.argv[1:] if not one.startswith("-")]
shutil.copy2(source, target)
"""


def needs(*packages: str) -> pytest.MarkDecorator:
    """Skip where a plug-in of Snakemake is not installed, and say which."""
    plugins = [f"snakemake_{package}" for package in packages]
    missing = [name for name in plugins if find_spec(name) is None]
    words = ", ".join(name.replace("_", "-") for name in missing)
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {words}")


def script(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def cloud(tmp_path: Path) -> tuple[list[str], dict[str, str]]:
    """Options for jobs that share nothing but storage, and the environment that they need."""
    for name in ("pods", "bin", "project"):
        (tmp_path / name).mkdir()
    submit = SUBMIT.format(pods=tmp_path / "pods", data=tmp_path / "project" / "data")
    # The provider calls rsync to copy single files; not every machine has it.
    if shutil.which("rsync") is None:
        script(tmp_path / "bin" / "rsync", RSYNC.format(python=sys.executable))
    options = [
        "--executor=cluster-generic", "--jobs=2", "--seconds-between-status-checks=1",
        f"--cluster-generic-submit-cmd={script(tmp_path / 'bin' / 'submit', submit)}",
        f"--cluster-generic-status-cmd={script(tmp_path / 'bin' / 'status', STATUS)}",
        "--shared-fs-usage=none", "--job-deploy-sources", "--keep-storage-local-copies",
        *stored(tmp_path),
    ]  # fmt: skip
    return options, {
        "PATH": f"{tmp_path / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    }


def stored(place: Path) -> list[str]:
    return ["--default-storage-provider=fs", f"--default-storage-prefix={place / 'storage'}"]


@pytest.mark.workflow
@needs("executor_plugin_cluster_generic", "storage_plugin_fs")
def test_jobs_that_share_nothing_make_the_same_bytes(
    tmp_path: Path, cloud: tuple[list[str], dict[str, str]], tiny: Project
) -> None:
    """Code comes from and results go to the storage; `results/` shows them under their names."""
    options, environment = cloud
    project = Project(tmp_path / "project", TWO_SHARDS)
    for command in (["init", "-q"], ["add", "Snakefile", "config.yaml", "workflow", "profiles"]):
        subprocess.run(["git", *command], cwd=project.root, check=True)
    status, said = project.start(*options, **environment)
    assert status == 0, said
    for name, data in tiny.results().items():
        assert (tmp_path / "storage" / "results" / name).read_bytes() == data, name
        assert (project.root / "results" / name).read_bytes() == data, name
    assert "Nothing to be done" in project.run(*options, **environment)[1]


@pytest.mark.workflow
@needs("executor_plugin_kubernetes", "storage_plugin_fs")
def test_the_kubernetes_profile_is_understood(tmp_path: Path) -> None:
    """A dry run lists all jobs; nothing is asked of a cluster."""
    project = Project(tmp_path, TWO_SHARDS)
    keys = {f"SNAKEMAKE_STORAGE_S3_{name}_KEY": "none" for name in ("ACCESS", "SECRET")}
    profile = ["--profile=profiles/kubernetes", "--container-image=none"]
    status, said = project.run("-n", *profile, *stored(tmp_path), **keys)
    assert status == 0, said
    for job in ("normalize", "aggregate", "draw"):
        assert re.search(rf"^{job}\w* +\d+$", said, re.MULTILINE)


def test_links_lead_to_local_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is found under the project's name for it, and known by that name."""
    monkeypatch.setenv(remote.PLACE, "")
    copies = ".snakemake/storage/s3/bucket/results"
    (tmp_path / copies / "grids").mkdir(parents=True)
    (tmp_path / copies / "grids/a.parquet").write_text("grid")
    for _ in range(2):
        remote.link(["results/grids/a.parquet", "results/index.html"], copies, tmp_path)
    assert (tmp_path / "results/grids/a.parquet").read_text() == "grid"
    assert remote.named(f"{copies}/grids/a.parquet") == "results/grids/a.parquet"
    assert remote.named("data/results/grids") == "data/results/grids"
    remote.unlink(["results/grids/a.parquet"], tmp_path)
    assert not (tmp_path / "results/grids").exists()


def test_results_of_this_machine_are_not_mixed_with_remote_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are left as they are, and the user is told what to do."""
    monkeypatch.setenv(remote.PLACE, "")
    (tmp_path / "results/grids").mkdir(parents=True)
    with pytest.raises(Error, match="results/grids is of a run without remote storage: move"):
        remote.link(["results/grids/a.parquet"], ".snakemake/storage/x/results", tmp_path)
