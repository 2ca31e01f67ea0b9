"""The protocol that curates: rules come from a spec, pairs with folds go out."""

import pytest

from frtaudit.core.identity import plugin, plugin_plain
from frtaudit.datasets.cohorts.traits import Traits
from frtaudit.datasets.pair_rules import Order, Rules
from frtaudit.datasets.protocols.curated import Curated
from frtaudit.errors import SpecError

RULES = {
    "matcher": "synthetic",
    "trait": "hair",
    "traits": {"hair": {"column": "hair"}},
    "mated_values": ["none", "full"],
    "non_mated_values": [["full", "full"], ["none", "none"]],
    "mated": 20,
    "non_mated": 20,
    "order": "random",
    "k": 2,
}


def test_rules_of_a_spec() -> None:
    """Plain data become rules and come back; the comparisons have folds and steps."""
    made = plugin("protocol", {"type": "curated", "rules": RULES}, "protocol")
    assert isinstance(made, Curated)
    assert isinstance(made.rules, Rules)
    assert made.rules.order is Order.RANDOM
    found = made.comparisons(Traits(subjects=80).load({}, 0))
    assert found.n_listed == 40
    assert found.fold is not None
    assert found.steps
    again = plugin("protocol", plugin_plain("protocol", made), "protocol")
    assert again == made


def test_contradicting_rules_are_refused_at_birth() -> None:
    """A spec whose rules contradict each other does not load."""
    with pytest.raises(SpecError, match=r"^rules.traits: no trait is named 'beard'"):
        plugin("protocol", {"type": "curated", "rules": {**RULES, "trait": "beard"}}, "protocol")
