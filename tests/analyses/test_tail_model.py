"""FMR beyond the data in an audit: what is refused, what is read, and when it decides."""

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from small_audits import COHORT, pick, spec, tail_audit

import frtaudit
from frtaudit.analyses.shared.model_estimates import UNASKED, WITHIN
from frtaudit.analyses.tail_model import TailModelAnalysis
from frtaudit.core import AuditResult, CohortData, Target, Verdict
from frtaudit.core.spec import AuditSpec, Grid, GridKind, Thresholds
from frtaudit.errors import DataError, SpecError
from frtaudit.evaluation.answerable import ESTIMATED
from frtaudit.evaluation.contradictions import contradiction, unfounded
from frtaudit.pipeline.audit import audit


def test_a_rate_beyond_the_data_has_an_interval_for_the_model() -> None:
    """With the false matches seen, and no interval for the population; within the data it is refused."""
    beyond, within = (pick(tail_audit(), "fmr_model", at={"threshold": at})[0] for at in (0.85, 0.3))
    (interval,) = beyond.intervals
    assert interval.target is Target.MODEL
    assert interval.low is not None
    assert interval.high is not None
    assert beyond.value is not None
    assert interval.low <= beyond.value <= interval.high
    (seen,) = pick(tail_audit(), "fmr_model_seen", at={"threshold": 0.85})
    assert (seen.numerator, seen.value) == (0, 0.0)
    assert (within.value, within.note) == (None, WITHIN)


def test_no_value_is_lower_than_two_decades_beyond_the_data() -> None:
    """At a threshold past the fitted end the rate is 5 comparisons over all, two decades lower."""
    (last,) = pick(tail_audit(), "fmr_model", at={"threshold": 0.99})
    (seen,) = pick(tail_audit(), "fmr_model_seen", at={"threshold": 0.99})
    assert seen.denominator is not None
    assert last.value == pytest.approx(5 / seen.denominator / 100)
    assert last.note is not None
    assert last.intervals[0].low == 0


def test_targets_are_read_beyond_the_data() -> None:
    """1e-5 has a threshold; 0.1 lies within the data."""
    found = {float(one.at["fmr"]): one for one in pick(tail_audit(), "threshold_model")}
    assert found[1e-5].value is not None
    assert "the data reach" in (found[0.1].note or "")


def test_a_target_that_failures_put_out_of_reach_is_not_read() -> None:
    """Two decades beyond all comparisons, and more beyond those that were scored."""
    cohort = replace(COHORT, subjects=60, samples_per_subject=(2, 2))
    planned = (120 * 119 - 120) // 2
    made = spec("error_rates", cohort=cohort, providers=("one",))
    made = replace(made, thresholds=Thresholds(fmr=(0.03,), grid=Grid(kind=GridKind.EXPLICIT, values=(0.9,))))
    model = TailModelAnalysis(exceedances=(60,), draws=19, fit_level=0.05, fmr=(5.1 / planned / 100,))
    (found,) = pick(audit(replace(made, analyses={"tail_model": model})).result, "threshold_model")
    assert found.value is None
    assert "more than 2 decades below" in (found.note or "")


def test_a_model_decides_where_the_spec_says_so_and_people_are_enough() -> None:
    """A limit that one pair of look-alikes would break is not testable; another passes, and says by what."""
    enough, few = tail_audit().findings
    assert enough.verdict is Verdict.PASS
    assert "as a model has it" in enough.sentence
    assert few.verdict is Verdict.NOT_TESTABLE
    assert "too few subjects" in few.sentence


def test_a_result_of_a_model_does_not_contradict_itself() -> None:
    """Read again, every finding follows from the estimates, whether the model decides or not."""
    for decides in (True, False):
        result = tail_audit(decides=decides)
        assert contradiction(result) is None
        assert unfounded(AuditResult.from_json(result.to_json())) is None


def test_unasked_it_decides_nothing() -> None:
    """The same limits are not testable, and the reason names the key."""
    for finding in tail_audit(decides=False).findings:
        assert finding.verdict is Verdict.NOT_TESTABLE
        assert UNASKED in finding.sentence


def test_a_model_that_fits_nowhere_is_not_read() -> None:
    """At a level that rejects every fit no rate and no target has a value."""
    cohort = replace(COHORT, subjects=60, samples_per_subject=(2, 2))
    grid = Grid(kind=GridKind.EXPLICIT, values=(0.9,))
    made = spec("error_rates", cohort=cohort, providers=("one",))
    made = replace(made, thresholds=Thresholds(fmr=(0.03,), grid=grid))
    model = TailModelAnalysis(exceedances=(60,), fit_level=0.999, draws=999)
    result = audit(replace(made, analyses={"tail_model": model})).result
    for metric in ("fmr_model", "threshold_model"):
        for one in pick(result, metric):
            assert one.value is None
            assert "no threshold fits" in (one.note or "")


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"exceedances": ()}, "exceedances"),
        ({"exceedances": (1000, 49)}, "exceedances"),
        ({"exceedances": (10_001,)}, "exceedances"),
        ({"fit_level": 0.0}, "fit_level"),
        ({"fit_level": np.nan}, "fit_level"),
        ({"fit_level": 0.01, "draws": 19}, "draws"),
        ({"draws": -1}, "draws"),
        ({"fmr": (0.0,)}, "fmr"),
        ({"fmr": (1e-5, 2.0)}, "fmr"),
    ],
)
def test_what_no_model_can_have_is_refused(changes: dict[str, object], key: str) -> None:
    """One line that names the key."""
    with pytest.raises(SpecError, match=rf"analyses\.tail_model\.{key}"):
        TailModelAnalysis(**changes)  # type: ignore[arg-type]  # wrong values on purpose


def test_no_model_extrapolates_transactions() -> None:
    """A cohort of attempts is refused, and no requirement on FAR names the analysis."""
    held = cast("CohortData", SimpleNamespace(transactions={"a": object()}))
    with pytest.raises(DataError, match="FAR"):
        TailModelAnalysis().survey(cast("AuditSpec", None), held)
    assert not any("tail_model" in ESTIMATED[metric].analyses for metric in ("far", "gfar", "frr", "fmr"))


def test_a_tail_that_ends_abruptly_is_not_extrapolated() -> None:
    """Of uniform scores the fit is not rejected, and its bounds were 5 to 50 times too high: nothing is read off it."""
    rng, people = np.random.default_rng(1), np.array([f"s{k}" for k in range(100)])
    first, second = np.triu_indices(100, 1)
    sides = [np.concatenate([people[end], people]) for end in (first, second)]
    mated = np.arange(first.size + 100) >= first.size
    images = (np.char.add(sides[0], "_a"), np.char.add(sides[1], np.where(mated, "_b", "_a")))
    report = frtaudit.evaluate(
        np.where(mated, 0.999, rng.random(mated.size)), mated, subjects=(sides[0], sides[1]), samples=images,
        fmr=(0.01,), overrides=[
            "analyses=[error_rates]", "bootstrap.B=99",
            "+analyses.tail_model={exceedances: [250, 125], draws: 19, fit_level: 0.05}",
        ],
    )  # fmt: skip
    assert {estimate.value for estimate in pick(report.result, "threshold_model")} == {None}
    (note,) = {estimate.note for estimate in pick(report.result, "threshold_model")}
    assert (note or "").startswith("the fitted tail ends abruptly: shape -")
    assert all(estimate.value is not None for estimate in pick(report.result, "tail_shape"))
