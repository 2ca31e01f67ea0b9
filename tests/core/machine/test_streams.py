"""Tests of frtaudit.core.machine.streams."""

import io
import sys

import pytest

from frtaudit.core.machine import streams


def test_closed_streams_get_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams that were closed before the start lead to nowhere; open ones stay."""
    monkeypatch.setattr(sys, "stdout", None)
    errors = sys.stderr
    streams.open_streams()
    assert sys.stderr is errors
    sys.stdout.write("nobody reads it")
    streams.forget_unwritten()
    sys.stdout.close()


def test_a_line_that_nobody_can_read_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed pipe behind standard error ends no command; else the line names the program."""

    class Broken(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    read = io.StringIO()
    monkeypatch.setattr(sys, "stderr", Broken())
    streams.write_line("stopped")
    monkeypatch.setattr(sys, "stderr", read)
    streams.write_line("stopped")
    assert read.getvalue() == "frtaudit: stopped\n"


def test_what_standard_output_cannot_encode_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of ASCII ends no command."""
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "ascii"))
    streams.open_streams()
    sys.stdout.write("5 \xd7 10")
    sys.stdout.flush()
    assert written.getvalue() == rb"5 \xd7 10"
