"""Tests of frtaudit.core.machine.command_line."""

import pytest

from frtaudit.core.machine.command_line import Parser
from frtaudit.errors import SpecError


def test_a_usage_error_is_one_line_that_no_word_forges() -> None:
    """A word of the command line stands in the error with its escapes, in one line that names the help."""
    with pytest.raises(SpecError, match="accepted: frtaudit x --help shows it") as raised:
        Parser(prog="frtaudit x").parse_args(["--a\nok\x1b[2J\u202e"])
    assert str(raised.value).isprintable()


def test_what_is_accepted_stands_once() -> None:
    """A message that says what is accepted is not followed by a second answer."""
    with pytest.raises(SpecError, match="^command line: found 'jpg'; accepted: svg$"):
        Parser().error("found 'jpg'; accepted: svg")
