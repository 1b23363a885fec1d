"""Snakemake, loaded once: runs are forks of one process that has imported it and done no more.

To load it takes a second, two thirds of a run that finds nothing to do. In the forks the module is
run as by `python -m snakemake`, each in its own folder and environment.
"""

import atexit
import json
import os
import runpy
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path


def run(root: Path, *options: str, **environment: str) -> tuple[int, str]:
    """Exit status and all that `snakemake` says, run in a folder.

    The environment is that of now and `environment`. What Python itself reads of it when it starts
    (`PYTHONHASHSEED`, the locale) reaches the jobs alone.
    """
    env = {**os.environ, **environment}
    with tempfile.TemporaryDirectory() as folder:
        wanted = {"root": str(root), "options": options, "said": folder, "env": env}
        server = _server()
        assert server.stdin
        assert server.stdout
        server.stdin.write(json.dumps(wanted) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        return status, "".join((Path(folder) / name).read_text() for name in ("1", "2"))


@cache
def _server() -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(server.communicate)
    return server


def serve() -> None:
    """Run what is asked for, one after the other, until nobody can ask any more."""
    import snakemake.cli
    import snakemake.dag
    import snakemake.workflow  # noqa: F401

    for line in sys.stdin:
        if not (child := os.fork()):
            _be(**json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _be(root: str, options: list[str], said: str, env: dict[str, str]) -> None:
    """Become the run: never returns."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number in (1, 2):
        os.dup2(os.open(f"{said}/{number}", os.O_WRONLY | os.O_CREAT), number)
    os.chdir(root)
    os.environ.clear()
    os.environ.update(env)
    sys.path[:1] = [root, *filter(None, env.get("PYTHONPATH", "").split(os.pathsep))]
    sys.argv[1:] = options
    status = 1
    try:
        runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    serve()
