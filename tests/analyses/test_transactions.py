"""FAR and FRR of transactions by plain loops; with failures to enrol; requirements; refusals."""

from dataclasses import replace
from pathlib import Path

import pytest
from attempt_files import AT, PEOPLE, TIMED, K, attempts_spec, audited, lines
from composed_faces import FACES, composed_spec
from small_audits import one, pick, spec

from frtaudit.analyses.transactions import TransactionRates
from frtaudit.core import AuditResult, Verdict
from frtaudit.core.spec import (
    RequirementSpec,
)
from frtaudit.core.spec_values import Sanitize, SanitizeStep
from frtaudit.errors import DataError, SpecError
from frtaudit.pipeline.audit import audit
from frtaudit.pipeline.dry_run import check


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
        DataError, match=r"^analyses.transactions: .* accepted: cohort=attempts, protocol=transactions"
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


@pytest.mark.parametrize(("timeout", "far", "frr"), [(None, 1, 0), (31, 1, 0), (30, 0, 1), (3, 0, 2)])
def test_an_attempt_after_the_time_out_does_not_count(
    tmp_path: Path, timeout: float | None, far: int, frr: int
) -> None:
    """By hand: with 30 s t1 is rejected, whose second is late, t2 is in time, t3 not accepted; with 3 s none is."""
    result = audited(tmp_path, text=TIMED, far=(), timeout=timeout, fmr=())
    for metric, errors in (("far", far), ("frr", frr)):
        where = {"group": "all", "weighting": "pooled", "analysis": "transactions", "at": {"threshold": AT}}
        found = one(result, metric, **where)
        assert (found.numerator, found.denominator) == (errors, 2)
    said = [note for note in result.notes if "time-out" in note]
    late = {30: 2, 3: 4}.get(timeout or 0)
    words = f"lab: {late} scored attempts ended after the time-out of {timeout} s and do not count"
    assert said == ([words] if late else [])


def test_a_time_out_needs_times(tmp_path: Path) -> None:
    """An attempt with a score and no time, or samples, which have none: one line, before anything is scored."""
    untimed = TIMED.replace("0.9,31", "0.9,")
    accepted = "accepted: cohort=attempts with a column seconds"
    with pytest.raises(
        DataError, match=rf"^analyses.transactions.timeout: some attempts have no time; {accepted}"
    ):
        check(attempts_spec(tmp_path, text=untimed, timeout=30, fmr=()))
    made = composed_spec(tmp_path / "faces", timeout=30.0)
    with pytest.raises(
        DataError, match=rf"^analyses.transactions.timeout: samples have no times .*{accepted}"
    ):
        check(made)
    with pytest.raises(
        SpecError, match=r"^analyses.transactions.timeout: found 0; accepted: seconds, more than"
    ):
        TransactionRates(timeout=0.0)


def test_of_two_people_one_direction_counts_by_default(tmp_path: Path) -> None:
    """As many claims as pairs of people; both of each pair only where the algorithm is declared asymmetric."""
    found = {}
    for ordered in (False, True):
        result = audited(tmp_path, far=(), ordered=ordered)
        where = {"group": "all", "weighting": "pooled", "analysis": "transactions", "at": {"threshold": AT}}
        found[ordered] = one(result, "far", **where).denominator
        said = " ".join(result.notes)
        pairs = PEOPLE * (PEOPLE - 1) // 2
        assert (f"{pairs} impostor transactions are left out" in said) is not ordered
        assert (f"both directions count, {pairs} impostor transactions more" in said) is ordered
    assert found == {False: PEOPLE * (PEOPLE - 1) // 2, True: PEOPLE * (PEOPLE - 1)}


# Scores above 0.7: angles below 45.6 degrees. Attempts of a: 70, 10, 80, 5; of b: 40, 20, 95, none; of c: none,
# none, none, 178; references: a 0, b 90, c 180. Wrong after 1, 2, 3, 4 attempts:
BY_HAND = {
    "frr": [(3, 3), (2, 3), (1, 3), (0, 3)],  # a is accepted at the second, b at the third, c at the fourth
    "far": [(1, 3), (1, 3), (1, 3), (1, 3)],  # b as a at once; a as c never, c as b never
    "far, ordered": [(2, 6), (2, 6), (2, 6), (2, 6)],  # a as b at once, too
}


@pytest.mark.parametrize("ordered", [False, True])
def test_composed_transactions_by_hand(tmp_path: Path, ordered: bool) -> None:
    """Errors of up to 1, 2, 3, 4 attempts of three people; failures to acquire count as rejections."""
    result = audit(composed_spec(tmp_path / "faces", k=4, ordered=ordered)).result
    for metric in ("frr", "far"):
        expected = BY_HAND[f"{metric}, ordered" if ordered and metric == "far" else metric]
        for k, counts in enumerate(expected, 1):
            at = {"threshold": 0.7} | ({} if k == 4 else {"attempts": k})
            found = one(result, metric, group="all", weighting="pooled", analysis="transactions", at=at)
            assert (found.numerator, found.denominator) == counts, (metric, k)
    whole = one(result, "frr", group="x", weighting="pooled", analysis="transactions", at={"threshold": 0.7})
    assert (whole.numerator, whole.denominator) == (0, 2)
    (fte,) = pick(result, "fte", group="all")
    assert (fte.numerator, fte.denominator) == (0, 3)


def test_a_person_whose_reference_failed_was_not_enrolled(tmp_path: Path) -> None:
    """Nobody claims her identity, not she either; she claims others', and FTE is 1 of 4."""
    faces = {**FACES, "d": (None, 45, 45, 45, 45)}
    asked = RequirementSpec(
        name="r", metric="frr", limit=0.9, at={"threshold": 0.7}, minimum={"transactions": 3}
    )
    made = replace(composed_spec(tmp_path / "faces", faces=faces, ordered=True), requirements=(asked,))
    result = audit(made).result
    where = {"group": "all", "weighting": "pooled", "analysis": "transactions", "at": {"threshold": 0.7}}
    assert [one(result, metric, **where).denominator for metric in ("frr", "far")] == [3, 9]
    (fte,) = pick(result, "fte", group="all")
    assert (fte.numerator, fte.denominator) == (1, 4)
    assert one(result, "gfrr", **where).value == pytest.approx(1 / 4 + 3 / 4 * 2 / 3)
    assert result.findings[0].verdict is not Verdict.NOT_TESTABLE


def test_no_attempt_is_left_out_by_itself(tmp_path: Path) -> None:
    """A step of sanitization that chooses among samples is refused; one that counts people is not."""
    for step in (Sanitize.FIXED_SAMPLES, Sanitize.MIN_SAMPLES):
        steps = (SanitizeStep(step=Sanitize.MIN_SUBJECTS, number=2), SanitizeStep(step=step, number=2))
        with pytest.raises(
            DataError, match=rf"^sanitize\[1\]: {step.value} chooses among samples, and these are attempts"
        ):
            check(replace(attempts_spec(tmp_path), sanitize=steps))
    assert check(replace(attempts_spec(tmp_path), sanitize=steps[:1]))


def test_more_attempts_than_were_made_cost_nothing(tmp_path: Path) -> None:
    """With the largest k that a spec may name, rates of each number of attempts that was made, then those of k."""
    made = audited(tmp_path, far=(), k=10_000)
    found = pick(made, "frr", weighting="pooled", group="all", analysis="transactions")
    assert [one.at.get("attempts") for one in found] == [*map(float, range(1, K + 1)), None]
    assert found[-1].numerator == found[-2].numerator
