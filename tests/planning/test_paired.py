from vendor_audits import trials

from frtaudit.planning.paired import ALONE, differences
from frtaudit.planning.sizes import PlanContext
from frtaudit.planning.values import Settings


def test_pairs_of_systems_are_planned() -> None:
    """For each target every pair that can be tested: a smaller difference takes more people; others say why not."""
    rows = {}
    for wanted in (0.05, 0.1):
        context = PlanContext(alpha=0.05, settings=Settings(difference=wanted))
        first, *_ = sections = list(differences(trials(), context))
        assert len(sections) == 2
        assert f"subjects: for {wanted:g}" in first.columns
        rows[wanted] = {row[0]: row[1:] for row in first.rows}
        assert len(first.rows) + len(first.notes) - 1 == 3
    (value, detectable, needed, there) = rows[0.1]["one - three"]
    assert value < -detectable < 0  # the audit of the same scores calls three worse
    assert isinstance(needed, int)
    assert rows[0.05]["one - three"][2] > 2 * needed
    assert (needed > there) == (detectable > 0.1)


def test_one_system_has_no_difference() -> None:
    """Nothing is planned for one."""
    assert not list(differences(trials()[:1], PlanContext(alpha=0.05, settings=Settings())))
    (section,) = differences(trials()[:1], PlanContext(alpha=0.05, settings=Settings(difference=0.02)))
    assert section.notes == (ALONE,)
    assert not section.rows
