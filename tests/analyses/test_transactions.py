"""FAR and FRR of transactions by plain loops; with failures to enrol; requirements; refusals."""

from dataclasses import replace
from pathlib import Path

import pytest
from attempt_files import AT, PEOPLE, K, audited, lines
from small_audits import one, pick, spec

from frtaudit.analyses.transactions import TransactionRates
from frtaudit.core import AuditResult, Verdict
from frtaudit.core.spec import RequirementSpec
from frtaudit.errors import DataError, SpecError
from frtaudit.pipeline.audit import audit


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> AuditResult:
    """An audit with three requirements, one of them at a FAR target of its own."""
    asked = (
        RequirementSpec(name="far", metric="far", limit=0.9, at={"threshold": AT}, minimum={"transactions": 9}),
        RequirementSpec(name="frr", metric="frr", limit=0.01, at={"far": 0.2}),
        RequirementSpec(name="many", metric="far", limit=0.9, at={"threshold": AT}, minimum={"transactions": 999}),
    )  # fmt: skip
    return audited(tmp_path_factory.mktemp("lab"), *asked)


def counted(k: int, threshold: float, *, genuine: bool, group: str | None = None) -> tuple[int, int]:
    """Errors and transactions, by a loop over the rows."""
    accepted: dict[str, bool] = {}
    for number, attempt, claimed, subject, score, _ in lines():
        inside = group is None or all("xy"[int(name[1:]) % 2] == group for name in (claimed, subject))
        if (claimed == subject) == genuine and inside:
            accepted.setdefault(number, False)
            if attempt <= k and score and float(score) > threshold:
                accepted[number] = True
    return sum(said != genuine for said in accepted.values()), len(accepted)


@pytest.mark.parametrize("group", ["all", "x", "y"])
@pytest.mark.parametrize("k", range(1, K + 1))
def test_counts_are_those_of_a_loop(result: AuditResult, k: int, group: str) -> None:
    """False acceptances and false rejections of transactions of up to k attempts; an interval around each."""
    at = {"threshold": AT} | ({} if k == K else {"attempts": k})
    for metric, genuine in (("far", False), ("frr", True)):
        found = one(result, metric, group=group, weighting="pooled", analysis="transactions", at=at)
        expected = counted(k, AT, genuine=genuine, group=None if group == "all" else group)
        assert (found.numerator, found.denominator) == expected
        (interval,) = found.intervals
        assert interval.low is not None
        assert interval.high is not None
        assert found.value is not None
        assert interval.low <= found.value <= interval.high


def test_a_target_is_met_by_the_smallest_threshold(result: AuditResult) -> None:
    """FAR at the threshold keeps the target and breaks it just below."""
    at = {"far": 0.1}
    threshold = one(result, "threshold_at_far", weighting="pooled", at=at).value
    assert threshold is not None
    errors, trials = counted(K, threshold, genuine=False)
    below, _ = counted(K, threshold - 1e-9, genuine=False)
    assert errors <= 0.1 * trials < below
    frr = one(result, "frr", group="all", weighting="pooled", analysis="transactions", at=at)
    assert (frr.numerator, frr.denominator) == counted(K, threshold, genuine=True)


def test_failures_to_enrol_stand_apart(result: AuditResult) -> None:
    """FTE is 2 of 22; GFRR and GFAR follow from it, and their intervals hold them."""
    fte = one(result, "fte", group="all")
    assert (fte.numerator, fte.denominator) == (2, PEOPLE + 2)
    lost = fte.value or 0.0
    for metric, general, added in (("far", "gfar", 0.0), ("frr", "gfrr", lost)):
        where = {"group": "all", "weighting": "pooled", "analysis": "transactions", "at": {"threshold": AT}}
        plain, made = one(result, metric, **where), one(result, general, **where)
        assert made.value == pytest.approx(added + (1 - lost) * (plain.value or 0.0))
        (interval,) = made.intervals
        assert (interval.low or 0) < (made.value or 0) < (interval.high or 0)


def test_requirements_hold_transactions_to_limits(result: AuditResult) -> None:
    """A pass, a fail at a target of the requirement, and too few transactions."""
    verdicts = {finding.requirement: finding.verdict for finding in result.findings}
    assert verdicts == {"far": Verdict.PASS, "frr": Verdict.FAIL, "many": Verdict.NOT_TESTABLE}


def test_lost_transactions_are_said(result: AuditResult) -> None:
    """How many had no score, and how many hold fewer attempts than allowed."""
    notes = " ".join(result.notes)
    assert "no score in their first 3 attempts" in notes
    assert "hold fewer than 3 attempts" in notes
    assert {item.at["far"] for item in pick(result, "threshold_at_far")} == {0.1, 0.2}


def test_comparisons_are_no_transactions() -> None:
    """An audit of comparisons is refused before anything is scored, and told what to write."""
    made = spec("error_rates")
    with pytest.raises(
        DataError, match=r"^analyses.transactions: .* accepted: cohort=attempts, or metric: fmr"
    ):
        audit(replace(made, analyses=made.analyses | {"transactions": TransactionRates()}))


def test_settings_out_of_range() -> None:
    """No attempt, and targets that are no rates."""
    with pytest.raises(SpecError, match=r"^analyses.transactions.k: found 0; accepted: 1 attempt or more"):
        TransactionRates(k=0)
    with pytest.raises(
        SpecError, match=r"^analyses.transactions.far: found 2; accepted: rates between 0 and 1"
    ):
        TransactionRates(far=(2.0,))


def test_more_attempts_than_were_made_cost_nothing(tmp_path: Path) -> None:
    """With the largest k that a spec may name, rates of each number of attempts that was made, then those of k."""
    made = audited(tmp_path, far=(), k=10_000)
    found = pick(made, "frr", weighting="pooled", group="all", analysis="transactions")
    assert [one.at.get("attempts") for one in found] == [*map(float, range(1, K + 1)), None]
    assert found[-1].numerator == found[-2].numerator
