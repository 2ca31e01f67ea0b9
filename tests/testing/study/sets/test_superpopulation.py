"""Tests of frtaudit.testing.study.sets.superpopulation."""

import numpy as np
import pytest

from frtaudit.core import Method, Target
from frtaudit.core.spec import IntervalSpec, Weighting
from frtaudit.evaluation.operating_points import OperatingPoint, read
from frtaudit.stats.intervals import coverage
from frtaudit.testing.study.sets import superpopulation
from frtaudit.testing.study.sets.superpopulation import RealSet
from frtaudit.testing.study.systems import cohort_of, spec_of, system_of

ALPHA, PEOPLE = 0.05, 40


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> RealSet:
    """A small set of 70 people of 1 to 5 images, as a folder of templates."""
    root = tmp_path_factory.mktemp("set")
    rng = np.random.default_rng(3)
    subject = np.repeat(np.arange(70), rng.integers(1, 6, 70))
    vectors = rng.normal(size=(70, 12))[subject] + 0.7 * rng.normal(size=(subject.size, 12))
    (root / "templates").mkdir()
    ids = np.array([f"{n:03}" for n in range(subject.size)])
    rows = [f"{image},p{k:02}" for image, k in zip(ids, subject, strict=True)]
    (root / "metadata.csv").write_text("\n".join(["image_id,subject_id", *rows]) + "\n")
    np.savez(root / "templates" / "one.npz", embedding=vectors.astype(np.float32), image_id=ids)
    return superpopulation.real_set(root, "one")


@pytest.mark.parametrize("weighting", list(Weighting))
@pytest.mark.parametrize("fmr", [0.1, 0.02])
def test_a_cohort_shows_what_its_own_audit_would(whole: RealSet, weighting: Weighting, fmr: float) -> None:
    """Rates and default intervals of FMR and FNMR equal those of an audit of the same people, few errors or many."""
    truth = superpopulation.truth_at(whole, fmr, weighting)
    assert 0 < truth.fnmr < 0.5
    chosen = superpopulation.draw(whole, PEOPLE, 6, np.random.default_rng(1))
    shown = {
        2: superpopulation.non_mated(whole, chosen, truth),
        1: superpopulation.mated(whole, chosen, truth),
    }
    over = {ends: list(superpopulation.denominators(whole, chosen, truth, ends)) for ends in shown}
    wanted = (IntervalSpec(method=Method.WILSON, target=Target.POPULATION),)
    for c, people in enumerate(chosen):
        spec = spec_of(targets=(), thresholds=(truth.threshold,), intervals=wanted, n=39, seed=1, folds=False)
        system = system_of(cohort_of(superpopulation.sampled(whole, people), {}), spec)
        fnmr = coverage.rates(superpopulation.one_of(shown[1].own, c), over[1][c])[0]
        for ends, rate in ((2, "fmr"), (1, "fnmr")):
            own, lent = (superpopulation.one_of(part, c) for part in (shown[ends].own, shown[ends].lent))
            found = coverage.wilson(own, lent, coverage.with_match_rate(over[ends][c], 1 - fnmr), ALPHA)
            place = OperatingPoint(
                rate=rate, weighting=weighting, group_index=0, threshold=truth.threshold, point=0
            )
            reading = read(system, place)
            assert reading.rule is not None
            interval = reading.rule(ALPHA)
            assert coverage.rates(own, over[ends][c])[0] == pytest.approx(reading.value)
            assert (found.low[0], found.high[0]) == pytest.approx((interval.low, interval.high), rel=1e-6)


def test_the_truth_is_the_rate_of_the_whole_set(whole: RealSet) -> None:
    """All people drawn: the one cohort there is shows the truth itself."""
    truth = superpopulation.truth_at(whole, 0.1, Weighting.IDENTITY)
    everybody = whole.people[None]
    shown = superpopulation.non_mated(whole, everybody, truth)
    (over,) = superpopulation.denominators(whole, everybody, truth, 2)
    assert coverage.rates(shown.own, over)[0] == pytest.approx(truth.fmr)
    mated = superpopulation.mated(whole, everybody, truth)
    (pairs,) = superpopulation.denominators(whole, everybody, truth, 1)
    assert coverage.rates(mated.own, pairs)[0] == pytest.approx(truth.fnmr)
