import io
import sys

import pytest

from frtaudit.core.machine import progress
from frtaudit.core.machine.progress import on_terminal, quiet


class Terminal(io.StringIO):
    """Standard error of a terminal."""

    def isatty(self) -> bool:
        """A terminal."""
        return True


def clock(monkeypatch: pytest.MonkeyPatch, step: float) -> None:
    """Each look at the clock is ``step`` seconds after the last."""
    times = iter(range(100))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(times) * step)


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """The items, untouched, and not a word."""
    assert list(quiet([3, 1, 2], "things")) == [3, 1, 2]
    assert capsys.readouterr() == ("", "")


def test_no_terminal_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Into a file or a pipe nothing is written, however long it takes."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    clock(monkeypatch, 60.0)
    assert list(on_terminal([1, 2, 3], "things")) == [1, 2, 3]
    assert stream.getvalue() == ""


def test_a_long_loop_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """After two seconds each item says how many are done and how long the rest may take."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    clock(monkeypatch, 3.0)
    assert list(on_terminal(["a", "b", "c"], "providers")) == ["a", "b", "c"]
    said = stream.getvalue()
    assert "providers: 1 of 3 done, about 12 s left" in said
    assert "providers: 2 of 3 done" in said
    assert said.rstrip().endswith("providers: 3 of 3 done")
    assert "0 of 3" not in said


def test_a_short_loop_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within two seconds a terminal sees nothing either."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    clock(monkeypatch, 0.1)
    assert list(on_terminal([1, 2, 3], "things")) == [1, 2, 3]
    assert stream.getvalue() == ""
