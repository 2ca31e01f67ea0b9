"""Tests of frtaudit.listing."""

import pytest

from frtaudit.errors import SpecError
from frtaudit.listing import listing
from frtaudit.spec_source import LANDS


def test_every_group_of_presets_is_listed() -> None:
    """No group is forgotten, and each line is one line of a terminal or little more."""
    shown = listing()
    assert all(f"\n{group}  (" in f"\n{shown}" for group in LANDS)
    assert max(len(line) for line in shown.splitlines()) < 180


def test_intervals_are_listed_with_their_targets() -> None:
    """A method stands with the targets that it serves; one that no spec can ask for does not."""
    assert "  recentered                 fixed_identities" in listing("interval").splitlines()
    assert "max_t" not in listing("interval")


def test_an_unknown_group_is_refused() -> None:
    """A slip gets the closest group."""
    with pytest.raises(SpecError, match=r"did you mean 'schema'\?"):
        listing("schemas")
