import pytest
from vendor_audits import VENDORS, made, trials

from frtaudit.analyses.two_systems import TwoSystems
from frtaudit.errors import SpecError
from frtaudit.pipeline.components import load_cohort
from frtaudit.stats.groups.differentials import RateIndex


@pytest.mark.parametrize(
    ("asked", "ordered"),
    [
        (TwoSystems(), ["one", "two", "three"]),
        (TwoSystems(second="one"), ["two", "one", "three"]),
        (TwoSystems(first="three"), ["three", "one", "two"]),
    ],
)
def test_the_first_two_systems_unless_named(asked: TwoSystems, ordered: list[str]) -> None:
    """Named systems keep their places; the others follow in the spec's order."""
    assert asked._ordered(list(VENDORS)) == ordered


@pytest.mark.parametrize(
    ("zones", "message"),
    [
        ({"fta": (RateIndex.GINI,)}, r"\.zones: found 'fta'; accepted: fnmr or fmr"),
        ({"fmr": (RateIndex.GINI, RateIndex.GINI)}, r"\.zones\.fmr: a metric appears twice"),
    ],
)
def test_zones_are_of_known_rates_each_metric_once(
    zones: dict[str, tuple[RateIndex, ...]], message: str
) -> None:
    """One figure each: two of one would lie over each other."""
    with pytest.raises(SpecError, match=message):
        TwoSystems(zones=zones)


def test_one_system_has_nothing_beside_it() -> None:
    """A note and no curve."""
    found = TwoSystems().across({"one": trials()[0]}, made(), 0.05)
    assert (found.curves, len(found.notes)) == ((), 1)


def test_systems_that_are_not_on_trial_or_twice_are_refused() -> None:
    """Before anything is scored."""
    with pytest.raises(SpecError, match="twice"):
        TwoSystems(first="one", second="one")
    with pytest.raises(SpecError, match="no system 'four' is audited"):
        TwoSystems(first="four").survey(made(), load_cohort(made()))
