"""Tests of frtaudit.core.machine.signals."""

import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from frtaudit.core.machine import signals
from frtaudit.core.machine.progress import quiet
from frtaudit.core.machine.signals import STOPPING, Stopped
from frtaudit.stats.similarity.tiles import in_order


@pytest.mark.parametrize("number", STOPPING)
def test_a_signal_is_noted_and_raised_at_the_next_check(number: signal.Signals) -> None:
    """Nothing is raised where the program stands; the next check raises, with the shell's code; handlers come back."""
    before = signal.signal(number, signal.SIG_DFL)
    try:
        with signals.listening():
            signals.check()
            os.kill(os.getpid(), number)
            assert signals.noted()
            with pytest.raises(Stopped) as caught:
                signals.check()
        assert caught.value.exit_code == 128 + number
        assert signal.getsignal(number) is signal.SIG_DFL
        signals.check()
    finally:
        signal.signal(number, before)


def test_a_signal_after_the_last_check_is_raised_at_the_end() -> None:
    """None is lost: who called hears it when the block ends, unless the work was whole and it was forgotten."""
    with pytest.raises(Stopped), signals.listening():
        os.kill(os.getpid(), signal.SIGINT)
    with signals.listening():
        os.kill(os.getpid(), signal.SIGINT)
        signals.forget()
        os.kill(os.getpid(), signal.SIGINT)
    assert not signals.noted()


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    """Under nohup SIGHUP ends nothing."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with signals.listening():
            os.kill(os.getpid(), signal.SIGHUP)
            signals.check()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_block_within_a_block_forgets_nothing() -> None:
    """A command that calls another part that listens still hears what came before."""
    with signals.listening():
        os.kill(os.getpid(), signal.SIGTERM)
        with signals.listening(), pytest.raises(Stopped):
            signals.check()
        assert signals.noted()


def test_only_the_main_thread_listens() -> None:
    """Elsewhere the block runs, and handlers stay as they are."""

    def inside() -> object:
        with signals.listening():
            return signal.getsignal(signal.SIGTERM)

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(inside).result() is signal.getsignal(signal.SIGTERM)


def test_foreign_waits_hear_at_once() -> None:
    """Within at_once the signal is raised where the program stands, and one that came before at its beginning."""
    with signals.listening():
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGTERM)).start()
        with pytest.raises(Stopped), signals.at_once():
            time.sleep(30)
        with pytest.raises(Stopped), signals.at_once():
            pytest.fail("the block must not begin")


def test_long_loops_and_sleeps_hear() -> None:
    """Progress, jobs of threads and sleeps are steps: none goes on after a signal."""
    done: list[int] = []

    def job(number: int) -> None:
        done.append(number)
        if number == 3:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.05)

    with signals.listening():
        with pytest.raises(Stopped):
            list(in_order(job, range(1000), 1))
        assert len(done) < 20
        with pytest.raises(Stopped):
            list(quiet(range(3), "things"))
        began = time.monotonic()
        with pytest.raises(Stopped):
            signals.sleep(30)
    assert time.monotonic() - began < 5


TWICE = """
import os, signal, time
from frtaudit.core.machine import signals
with signals.listening():
    for wait in (0.0, signals.AGAIN / 2, signals.AGAIN):
        time.sleep(wait)
        print("sent", flush=True)
        os.kill(os.getpid(), signal.SIGTERM)
    print("not reached")
"""


def test_a_second_signal_ends_at_once() -> None:
    """A second one in the same second is the first one twice; a later one ends a process that makes no step."""
    done = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (143, "sent\n" * 3, "frtaudit: ended at once\n")


def test_imports_before_the_first_check_hear(monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries take seconds to load: the next module ends it, once. After a check none does."""
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    before = [*sys.meta_path]
    with signals.listening():
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(Stopped):
            importlib.import_module("colorsys")
        assert importlib.import_module("colorsys")
        signals.forget()
    with signals.listening():
        signals.check()
        os.kill(os.getpid(), signal.SIGTERM)
        monkeypatch.delitem(sys.modules, "colorsys")
        assert importlib.import_module("colorsys")
        signals.forget()
    assert sys.meta_path == before


AT_THE_END = """
import atexit, os, signal, sys
from frtaudit.cli.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)

def send():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        os.kill(os.getpid(), number)

class Unloaded:
    send = staticmethod(send)

    def __del__(self):
        self.send()

unloaded = Unloaded()
atexit.register(send)
code = main()
send()
sys.exit(code)
"""


@pytest.mark.parametrize(("words", "code"), [(["--version"], 0), (["no-such-command"], 2)])
def test_a_signal_after_the_command_changes_nothing(words: list[str], code: int) -> None:
    """While Python ends, calls what libraries registered, and unloads them: the exit code stays the command's."""
    done = subprocess.run([sys.executable, "-c", AT_THE_END, *words], capture_output=True, check=False)
    assert done.returncode == code
