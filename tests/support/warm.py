"""Python, started once: Snakemake, its jobs and the processes that do them (`heatproof.worker`) run in
forks of a process that has imported all libraries and done no more.

To start Python and import the libraries takes a second, more than what most jobs and half of the
runs do then. Each fork has the folder, the environment and the files of the one who asked, and runs
its module or script as `python` does. The library under test is imported anew where `PYTHONPATH`
leads to another copy of it.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import re
import runpy
import selectors
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
import warnings
from functools import cache
from pathlib import Path

EXECUTABLE = sys.executable
"""Python itself."""
LIBRARIES = (
    "altair", "blake3", "fontTools.ttLib", "isal.igzip", "jinja2", "msgspec", "numpy", "pikepdf",
    "PIL.Image", "PIL.PngImagePlugin", "platformdirs", "polars", "pyarrow.parquet", "smart_open",
    "snakemake.cli", "snakemake.dag", "snakemake.script", "snakemake.workflow", "statistics",
    "uharfbuzz", "vl_convert", "xml.sax.saxutils", "yaml",
)  # fmt: skip
"""What runs and jobs import; none of it starts a thread that works."""
TESTED = ("heatproof", "snakemake_logger_plugin_heatproof")
"""Packages under test, imported too."""
PROGRAMS = ("heatproof", "snakemake")
"""What stands beside the command as it does in an environment."""
COLD = ("LANG", "LC_ALL", "PYTHONHASHSEED", "PYTHONUTF8")
"""What Python itself reads when it starts: who sets one of these gets a new process."""
SERVES = re.compile(r"(from heatproof import worker; worker\.serve)\((\d+)\)")
"""What a process does that does jobs; they come through the open file of that number."""


def run(root: Path, *options: str, **environment: str) -> tuple[int, str]:
    """Exit status and all that `snakemake` says, run in a folder; `environment` is added."""
    done = subprocess.run(
        [python(), "-m", "snakemake", *options],
        cwd=root, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@cache
def python() -> str:
    """A command that runs modules and scripts as `python`, but in a fork of the server."""
    folder = tempfile.TemporaryDirectory()
    command, address = Path(folder.name) / "python", f"{folder.name}/socket"
    words = [EXECUTABLE, "-IS", __file__, address, surroundings(), EXECUTABLE]
    command.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    command.chmod(0o755)
    for name in PROGRAMS:
        program = Path(folder.name) / name
        program.write_text(f'#!/bin/sh\nexec {command} -m {name} "$@"\n')
        program.chmod(0o755)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    server = subprocess.Popen(
        [EXECUTABLE, __file__, str(listener.fileno()), str(command)],
        stdin=subprocess.PIPE, pass_fds=[listener.fileno()],
    )  # fmt: skip
    listener.close()

    def end() -> None:
        server.communicate()
        folder.cleanup()

    atexit.register(end)
    return str(command)


def surroundings() -> str:
    """What Python reads when it starts."""
    return " ".join(os.environ.get(name, "") for name in COLD)


def ask(address: str, started: str, executable: str, words: list[str]) -> None:
    """Become what `python WORDS` is, of the server if that can be; `started`: its surroundings."""
    is_module = words[0] == "-m" and words[1] in PROGRAMS
    is_script = bool(words) and words[0].endswith(".py")
    serves = SERVES.fullmatch(words[2]) if words[:2] == ["-P", "-c"] else None
    if not (is_module or is_script or serves) or surroundings() != started:
        os.execv(executable, [executable, *words])
    wanted = {"words": words, "folder": os.getcwd(), "environment": dict(os.environ)}
    files = [0, 1, 2]
    if serves:
        files.append(int(serves[2]))
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        socket.send_fds(connection, [b"!"], files)
        connection.sendall(json.dumps(wanted).encode() + b"\n")
        answer = connection.recv(16)
    os._exit(int(answer or b"1"))  # no answer: it was killed


def serve(listener: socket.socket, command: str) -> None:
    """Fork for each who asks, until the tests have ended."""
    for name in LIBRARIES + TESTED:
        importlib.import_module(name)
    import heatproof

    for module in pkgutil.walk_packages(heatproof.__path__, "heatproof."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    importlib.import_module("snakemake.cli").get_argument_parser()  # it looks for all plugins
    gc.collect()
    gc.freeze()  # a fork that looks for garbage would copy all of this
    # Polars has threads for its memory, which may be forked; those that count start in the forks.
    warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks
    waiting = selectors.DefaultSelector()
    for place in (listener, sys.stdin):
        waiting.register(place, selectors.EVENT_READ)
    while listener in [key.fileobj for key, _ in waiting.select()]:
        connection, _ = listener.accept()
        if not os.fork():
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            listener.close()
            become(connection, command)
        connection.close()


def become(connection: socket.socket, command: str) -> None:
    """Be what is asked for, as a new process would be it. Never returns."""
    _, (*files, more), _, _ = socket.recv_fds(connection, 1, 4)
    with connection.makefile("rb") as file:
        wanted = json.loads(file.readline())
    words = wanted["words"]
    if words[:2] == ["-P", "-c"]:
        words[2] = SERVES.sub(rf"\1({more})", words[2])
    else:
        files.append(more)
    for number, place in enumerate(files):
        os.dup2(place, number)
        os.close(place)
    os.chdir(wanted["folder"])
    os.environ.clear()
    os.environ.update(wanted["environment"])
    sys.executable = command  # what this one starts is as fast
    os.execv = run_instead  # type: ignore[assignment]
    threading.Thread(target=end_with, args=[connection], daemon=True).start()
    status = 1
    try:
        status = run_words(words)
    except Exception:  # noqa: BLE001 - as Python itself does it
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()  # temporary folders go
        sys.stdout.flush()
        sys.stderr.flush()
        connection.sendall(str(status).encode())
        os._exit(status)


def run_instead(_: str, words: list[str]) -> None:
    """Run what a fork would become: it could not tell the one who asked how that ends."""
    sys.exit(subprocess.call(words))


def end_with(connection: socket.socket) -> None:
    """Be killed together with the one who asked."""
    if not connection.recv(1):
        os.kill(os.getpid(), signal.SIGKILL)


def run_words(words: list[str]) -> int:
    """The exit status of a module or a script."""
    folders = [name for name in os.environ.get("PYTHONPATH", "").split(os.pathsep) if name]
    forget_other_than(folders)
    try:
        if words[0] == "-m":
            sys.path[:1] = [os.getcwd(), *folders]
            sys.argv = words[1:]
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        elif words[0] == "-P":
            sys.path[:1] = folders
            sys.argv = ["-c"]
            exec(words[2], {"__name__": "__main__"})
        else:
            sys.path[:1] = [str(Path(words[0]).resolve().parent), *folders]
            sys.argv = words
            runpy.run_path(words[0], run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def forget_other_than(folders: list[str]) -> None:
    """Drop the packages under test if the first of these folders that has them has other ones."""
    imported = Path(sys.modules["heatproof"].__file__ or "").parent
    copies = [Path(folder, "heatproof") for folder in folders]
    there = [copy.resolve() for copy in copies if copy.is_dir()]
    if there[:1] in ([], [imported.resolve()]):
        return
    for name in [*sys.modules]:
        if name.partition(".")[0] in TESTED:
            del sys.modules[name]
    registry = importlib.import_module("snakemake_interface_logger_plugins.registry")
    registry.LoggerPluginRegistry._instance = None


if __name__ == "__main__":
    if sys.argv[1].isdigit():
        serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2])
    else:
        ask(*sys.argv[1:4], sys.argv[4:])
