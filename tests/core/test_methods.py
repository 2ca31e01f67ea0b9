"""Tests of frtaudit.core.methods."""

from frtaudit.core.methods import DECIDING, OF_THEIR_OWN, Method, Target
from frtaudit.report.words import words


def test_every_method_serves_a_target() -> None:
    """Each method is tied to at least one target, and none serves identities and the population at once."""
    assert all(method.serves for method in Method)
    assert not [
        method for method in Method if {Target.FIXED_IDENTITIES, Target.POPULATION} <= set(method.serves)
    ]


def test_a_method_is_declared_once() -> None:
    """Its name, targets and words stand with it; specs, results and reports read them there."""
    assert all(method.label and method.means.endswith(".") for method in Method)
    assert words().method == {method.value: method.label for method in Method}
    assert {*DECIDING, *OF_THEIR_OWN} <= set(Method)
    assert Method("wilson").serves == (Target.POPULATION,)
