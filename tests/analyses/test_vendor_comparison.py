from dataclasses import replace

import pytest
from vendor_audits import made, result, trials

from frtaudit.analyses.comparison.rules import Decision
from frtaudit.analyses.vendor_comparison import VendorComparison
from frtaudit.datasets.protocols.round_robin import RoundRobin
from frtaudit.errors import DataError, SpecError
from frtaudit.pipeline.audit import audit
from frtaudit.pipeline.components import load_cohort


def test_a_trial_is_kept_and_nothing_said_of_it_alone() -> None:
    """All numbers are of several systems."""
    found = VendorComparison().estimates(trials()[0], 0.05)
    assert (found.estimates, found.per_system_state) == ((), trials()[0])


def test_the_declared_rule_stands_in_the_result() -> None:
    """In the spec and in the notes: what decides was written down beforehand."""
    asked = result().spec["analyses"]["vendor_comparison"]  # type: ignore[index,call-overload]  # plain data
    assert asked["decision"]["rule"] == "best_or_tied"
    assert "declared rule: best or tied in fnmr_at_fmr" in result().notes


def test_a_rule_is_checked_at_the_door_and_against_the_panel() -> None:
    """On building, and in the survey, before anything is scored."""
    with pytest.raises(SpecError, match="decision.metric"):
        VendorComparison(decision=Decision(metric="eer"))
    late = VendorComparison(decision=Decision(fmr=0.77))
    with pytest.raises(SpecError, match="0.77 is not a target"):
        late.survey(made(), load_cohort(made()))


def test_a_protocol_without_non_mated_comparisons_is_told_what_makes_some() -> None:
    """Following the advice works."""
    lone = made("one", "two", protocol=RoundRobin(), analyses={"vendor_comparison": VendorComparison()})
    with pytest.raises(
        DataError, match=r"no non-mated comparison .* or protocol\.strangers of protocol=round_robin"
    ):
        audit(lone)
    compared = audit(replace(lone, protocol=RoundRobin(strangers=20))).result
    assert [each for each in compared.estimates if each.metric == "vendor_difference"]
