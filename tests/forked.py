"""Commands in children of a process that has loaded everything: starting one costs a fork, not all imports again.

``python forked.py serve SOCKET`` serves until its standard input ends. ``python forked.py ask SOCKET WORD...`` has
it run ``frtaudit WORD...`` with this process's files, folder and environment, or Python's code from standard input
where the word is ``-``. Signals go to the command; it is killed where who asked is. A run makes its report once here.
"""

import atexit
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from types import ModuleType

IS_POSSIBLE = hasattr(os, "pidfd_open") and hasattr(socket, "AF_UNIX")
LONGEST = 200_000  # bytes of a command with its environment
TINY = ["audit=demo", "cohort.subjects=20", "requirements=[]", "bootstrap.B=39", "thresholds.fmr=[0.1]"]


def ask(address: str, words: list[str]) -> int:
    """The exit code of a command; negative for the signal that ended it."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.connect(address)
    asked = {"words": words, "folder": str(Path.cwd()), "environment": dict(os.environ)}
    socket.send_fds(server, [json.dumps(asked).encode()], [0, 1, 2])
    child = int(server.recv(99))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda heard, _: os.kill(child, heard))
    return int(server.recv(99))


def serve(address: str) -> None:
    """Run what is asked for, each command in a child, until standard input ends."""
    loaded()
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listening.bind(address)
    listening.listen(64)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    waiting = selectors.DefaultSelector()
    waiting.register(sys.stdin, selectors.EVENT_READ)
    waiting.register(listening, selectors.EVENT_READ)
    running: dict[int, socket.socket] = {}  # who asked, by the child
    while True:
        for key, _ in waiting.select():
            if key.fileobj is sys.stdin:
                return
            if key.fileobj is listening:
                begun(waiting, running, listening.accept()[0])
            elif isinstance(key.fileobj, socket.socket):  # who asked is gone, or has its answer
                waiting.unregister(key.fileobj)
                key.fileobj.close()
                if key.data in running:
                    os.kill(key.data, signal.SIGKILL)
            else:
                waiting.unregister(key.fileobj)
                os.close(key.fd)
                ended(key.data, running.pop(key.data))


def loaded() -> None:
    """Load what a run loads, and have it compute and draw once."""
    from frtaudit.cli import main, multirun  # noqa: F401
    from frtaudit.pipeline import compare, rederive  # noqa: F401
    from frtaudit.signing import report_files, reproduce, verify  # noqa: F401

    vars(report_files).update(
        made_again=lambda *_: nullcontext(lambda: None), _compare=lambda *_: None
    )  # README's story has the second process
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(sys.stderr):
        os.environ["XDG_CONFIG_HOME"] = folder
        code = main.main(["run", *TINY, "report.pdf=false", f"hydra.run.dir={folder}/run"])
        assert code == 0


def begun(waiting: selectors.BaseSelector, running: dict[int, socket.socket], asker: socket.socket) -> None:
    """A child that runs what is asked for."""
    text, files, _, _ = socket.recv_fds(asker, LONGEST, 3)
    child = os.fork()
    if child == 0:
        for number, file in enumerate(files):
            os.dup2(file, number)
        os._exit(run(**json.loads(text)))
    for file in files:
        os.close(file)
    asker.send(str(child).encode())
    running[child] = asker
    waiting.register(asker, selectors.EVENT_READ, child)
    waiting.register(os.pidfd_open(child), selectors.EVENT_READ, child)


def ended(child: int, asker: socket.socket) -> None:
    """Tell who asked how the child ended."""
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if asker.fileno() >= 0:
        asker.send(str(code).encode())


def run(words: list[str], folder: str, environment: dict[str, str]) -> int:
    """The exit code of a command in this process."""
    from frtaudit.cli.main import main

    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["frtaudit", *words]
    sys.modules["__main__"] = own = ModuleType("__main__")
    try:
        if words == ["-"]:
            sys.argv, sys.path = words, ["", *sys.path]
            exec(compile(sys.stdin.read(), "<stdin>", "exec"), vars(own))
        code = 0 if words == ["-"] else main(words)
        sys.stdout.flush()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001  as an interpreter would
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]  # as an interpreter ends: joblib ends its processes there
    atexit._run_exitfuncs()
    sys.stderr.flush()
    return code


@contextmanager
def commands(folder: Path) -> Iterator[Path]:
    """A command ``frtaudit`` that a server runs; where PYTHONPATH is not this one it is the real one."""
    address, command = folder / "s", folder / "frtaudit"
    here, real = Path(__file__).resolve(), Path(sys.executable).parent / "frtaudit"
    ours = f"[ \"${{PYTHONPATH-}}\" = '{os.environ.get('PYTHONPATH', '')}' ]"
    asks = f"{sys.executable} -IS {here} ask {address}"
    command.write_text(f'#!/bin/sh\n{ours} || exec {real} "$@"\nexec {asks} "$@"\n')
    command.chmod(0o755)
    told = [sys.executable, str(here), "serve", str(address)]
    server = subprocess.Popen(told, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        yield command
    finally:
        server.communicate()


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        how = ask(sys.argv[2], sys.argv[3:])
        if how < 0:
            signal.signal(-how, signal.SIG_DFL)
            os.kill(os.getpid(), -how)
        sys.exit(how)
