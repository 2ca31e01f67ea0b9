"""How often Python looks for garbage."""

import gc
from collections.abc import Iterator

import pytest

from frtaudit.cli.main import main
from frtaudit.core.machine.memory import EVERY


@pytest.fixture
def as_before() -> Iterator[None]:
    """Python's own thresholds, in the test and after it."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_a_command_collects_seldom(as_before: None, capsys: pytest.CaptureFixture[str]) -> None:
    """A command of ours looks for garbage after 50,000 new objects."""
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("frtaudit")
    assert gc.get_threshold()[0] == EVERY == 50_000
