from typing import Any

import pytest
import strategies_core as strategies
from hypothesis import given

from frtaudit.core import Finding, Verdict
from frtaudit.core.findings import FailOn, exit_code, verdict_counts
from frtaudit.core.plain.records import from_json, to_json


def finding(**changes: Any) -> Finding:
    fields = {
        "requirement": "r",
        "estimate": "/estimates/0",
        "verdict": Verdict.PASS,
        "limit": 0.1,
        "bound": 0.05,
        "bound_level": 0.95,
        "sentence": "It holds.",
    }
    return Finding(**{**fields, **changes})


@given(strategies.findings(3))
def test_a_finding_survives_json(made: Finding) -> None:
    """from_json(to_json(x)) == x with infinite limits and absent bounds."""
    assert from_json(Finding, to_json(made)) == made


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.FAIL])
def test_a_decision_rests_on_a_bound(verdict: Verdict) -> None:
    """Pass and fail without a bound are refused; inconclusive and not testable may lack one."""
    with pytest.raises(ValueError, match="pass and fail need a bound"):
        finding(verdict=verdict, bound=None)
    assert to_json(finding(verdict=Verdict.INCONCLUSIVE, bound=None))["bound"] is None
    assert finding(verdict=Verdict.NOT_TESTABLE, bound=None).bound is None


def test_a_finding_says_something() -> None:
    """A finding without a sentence is refused."""
    with pytest.raises(ValueError, match="one plain sentence"):
        finding(sentence="")


def test_advisory_findings_count_nowhere() -> None:
    """Neither in the counts of verdicts nor in the exit code, which depends on what counts as failure."""
    counts = verdict_counts(
        [finding(), finding(verdict=Verdict.FAIL, advisory=True), finding(verdict=Verdict.INCONCLUSIVE)]
    )
    assert counts == {"pass": 1, "fail": 0, "inconclusive": 1, "not_testable": 0}
    assert exit_code(counts) == 0
    assert exit_code(counts, FailOn.INCONCLUSIVE) == 3


def test_a_limit_may_be_broken_before_the_adjustment_alone() -> None:
    """P at or below the finding's own error, the adjusted one above it; neither for a decided finding."""
    near = {"verdict": Verdict.INCONCLUSIVE, "p": 0.02, "p_adjusted": 0.08}
    assert finding(**near).fails_unadjusted
    assert not finding(**near | {"p_adjusted": 0.04}).fails_unadjusted
    assert not finding(**near | {"verdict": Verdict.PASS}).fails_unadjusted


def test_a_failure_set_aside_keeps_the_bound_that_breaks_the_limit() -> None:
    """A failure due to suspected duplicates is inconclusive, and its bound is still the one of the failure."""
    aside = {"verdict": Verdict.INCONCLUSIVE, "p": 0.001, "p_adjusted": 0.004}
    assert finding(**aside).is_broken_alone
    assert not finding(**aside).fails_unadjusted
    at_step = aside | {"p": 0.008, "p_adjusted": 0.024, "bound_level": 1 - 0.05 / 3}
    assert finding(**at_step, set_aside=True).is_broken_alone
    assert not finding(**at_step, set_aside=True).fails_unadjusted
    assert finding(**aside | {"verdict": Verdict.FAIL}).is_broken_alone
    assert not finding(**aside | {"p": 0.4, "p_adjusted": 0.9}).is_broken_alone
    assert not finding(**aside | {"verdict": Verdict.PASS}).is_broken_alone
