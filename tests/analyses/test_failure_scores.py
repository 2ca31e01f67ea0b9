from functools import cache

import numpy as np
import pytest
from small_audits import COHORT, SCHEMAS, audit, one, pick, put, spec

from frtaudit.analyses.failure_scores import FailureScores, failed_pairs
from frtaudit.analyses.interclass import Interclass
from frtaudit.core import AuditResult
from frtaudit.core.spec import AuditSpec, FailureScore
from frtaudit.datasets.protocols.round_robin import RoundRobin


def made(failures: FailureScore = FailureScore.APART, **changes: object) -> AuditSpec:
    """The small audit, one of whose systems fails at a tenth of the samples."""
    analyses = {"failure_scores": FailureScores(), "interclass": Interclass(B=99)}
    return spec(analyses=analyses, failures=failures, **changes)


@cache
def result() -> AuditResult:
    """The audit with failures apart."""
    return audit(made()).result


def test_both_readings_are_those_of_an_audit_that_takes_them() -> None:
    """d_l2 with failures apart is that of this audit; with failures as zeros that of one that says so."""
    zero = audit(made(FailureScore.SCORE_ZERO)).result
    for source, code in ((result(), "apart"), (zero, "score_zero")):
        for group in ("x", "y", "max"):
            expected = one(source, "d_l2", provider="one", group=group, at={"space": "quantile"}).value
            found = one(result(), "d_l2_failures", provider="one", group=group, at={"failures": code})
            assert found.value == pytest.approx(expected)


def test_the_difference_is_shown_with_its_counts() -> None:
    """Zero minus apart; failed mated comparisons over all of them, per class."""
    for group in ("x", "y", "max"):
        both = [
            one(result(), "d_l2_failures", provider="one", group=group, at={"failures": code}).value
            for code in ("apart", "score_zero")
        ]
        change = one(result(), "d_l2_failures_change", provider="one", group=group)
        assert change.value == pytest.approx(both[1] - both[0])
    failed = sum(e.numerator or 0 for e in pick(result(), "failed_mated", provider="one"))
    assert failed == len(failed_pairs(put(made(), "one"))) > 0
    assert all(e.value == 0 for e in pick(result(), "d_l2_failures_change", provider="two"))


@pytest.mark.parametrize("failures", list(FailureScore))
def test_it_does_not_depend_on_what_the_spec_does_with_failures(failures: FailureScore) -> None:
    """All pairs or both orders, apart or zero: the same two readings."""
    plain = {
        (e.group, e.metric, e.at.get("failures")): e.value
        for e in result().estimates
        if e.analysis == "failure_scores" and e.provider == "one"
    }
    for protocol in (made().protocol, RoundRobin()):
        again = audit(made(failures, protocol=protocol, providers=("one",))).result
        for e in again.estimates:
            if e.analysis == "failure_scores":
                assert e.value == pytest.approx(plain[e.group, e.metric, e.at.get("failures")], abs=1e-4)


def test_failed_pairs_by_plain_loops() -> None:
    """Every mated pair with a failed sample, once, the smaller index first."""
    system = put(made(), "one")
    cohort = COHORT.load(SCHEMAS, 0).cohort
    expected = [
        (i, j)
        for i in range(cohort.n_samples)
        for j in range(i + 1, cohort.n_samples)
        if cohort.subject_of[i] == cohort.subject_of[j] and (i in system.failed or j in system.failed)
    ]
    assert sorted(map(tuple, failed_pairs(system).tolist())) == sorted(expected)
    assert np.all(np.diff(failed_pairs(system), axis=1) > 0)
