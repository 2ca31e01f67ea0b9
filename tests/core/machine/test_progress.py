import io
import sys
from itertools import count

import pytest

from frtaudit.core.machine import signals
from frtaudit.core.machine.progress import FEW, on_terminal, quiet


class Terminal(io.StringIO):
    """Standard error of a terminal."""

    def isatty(self) -> bool:
        """A terminal."""
        return True


def terminal(monkeypatch: pytest.MonkeyPatch, step: float) -> Terminal:
    """Standard error is a terminal, and each look at the clock is ``step`` seconds after the last."""
    stream, looks = Terminal(), count()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr("tqdm.std.time", lambda: next(looks) * step)
    return stream


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """The items, untouched, and not a word."""
    assert list(quiet([3, 1, 2], "things")) == [3, 1, 2]
    assert capsys.readouterr() == ("", "")


def test_no_terminal_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Into a file or a pipe nothing is written, however long it takes."""
    terminal(monkeypatch, 60.0)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    assert list(on_terminal([1, 2, 3], "things")) == [1, 2, 3]
    assert stream.getvalue() == ""


def test_a_long_loop_says_how_far_it_is_and_how_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """After two seconds a bar says how many are done and how long the rest may take; it goes with the loop."""
    stream = terminal(monkeypatch, 3.0)
    assert list(on_terminal(["a", "b", "c"], "systems")) == ["a", "b", "c"]
    said = stream.getvalue()
    assert "systems: 1 of 3 |" in said
    assert "systems: 2 of 3 |" in said
    assert "00:0" in said.partition("systems: 1 of 3 |")[2]
    assert said.rpartition("\r")[0].rpartition("\r")[2].strip() == ""


def test_a_short_loop_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within two seconds a terminal sees nothing either, unless each of few items may be long."""
    stream = terminal(monkeypatch, 0.01)
    assert list(on_terminal(range(FEW + 1), "things")) == list(range(FEW + 1))
    assert stream.getvalue().strip() == ""


def test_a_loop_of_few_items_is_seen_before_the_first_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first item may take as long as all of another: the bar is there, and goes with the loop."""
    stream = terminal(monkeypatch, 0.01)
    items = iter(on_terminal(["report", "signature"], "writing"))
    assert next(items) == "report"
    assert "writing: 0 of 2 |" in stream.getvalue()
    assert list(items) == ["signature"]
    assert stream.getvalue().rpartition("\r")[0].rpartition("\r")[2].strip() == ""


def test_loops_inside_each_other_have_a_bar_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system's analyses are told below the systems."""
    stream = terminal(monkeypatch, 3.0)
    for _ in on_terminal([1, 2], "systems"):
        for _ in on_terminal([1, 2, 3], "analyses"):
            pass
    assert "systems: 1 of 2" in stream.getvalue()
    assert "analyses: 2 of 3" in stream.getvalue()


def test_a_signal_ends_a_loop_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal that was noted is acted on before each item, and takes the bar with it."""
    stream = terminal(monkeypatch, 3.0)
    heard = iter([False, False, True])

    def check() -> None:
        if next(heard):
            raise KeyboardInterrupt

    monkeypatch.setattr(signals, "check", check)
    with pytest.raises(KeyboardInterrupt):
        list(on_terminal([1, 2, 3], "systems"))
    assert stream.getvalue().endswith("\r")
