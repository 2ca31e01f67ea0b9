"""Tests of frtaudit.testing.study.sets.superpopulation."""

import numpy as np
import pytest

from frtaudit.core import Method, Target
from frtaudit.core.spec import IntervalSpec, Weighting
from frtaudit.evaluation.operating_points import OperatingPoint, read
from frtaudit.stats.intervals import coverage
from frtaudit.stats.rates.rates import rates
from frtaudit.stats.rates.targets import threshold_at
from frtaudit.stats.similarity.tail import no_groups
from frtaudit.testing.study.sets import one_sided, scored_sets, shown, superpopulation
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


@pytest.mark.slow
@pytest.mark.parametrize("weighting", list(Weighting))
@pytest.mark.parametrize("fmr", [0.1, 0.02])
def test_a_cohort_shows_what_its_own_audit_would(whole: RealSet, weighting: Weighting, fmr: float) -> None:
    """Rates and default intervals of FMR and FNMR equal those of an audit of the same people, few errors or many."""
    threshold = threshold_at(whole.tail, no_groups(whole.tail), fmr, weighting)
    chosen = superpopulation.draw(whole, PEOPLE, 6, np.random.default_rng(1))
    errors = scored_sets.errors_of(whole.name, whole.tail)
    fnmrs = shown.mated(errors, chosen, threshold, weighting)
    assert 0 < fnmrs.truth < 0.5
    drawn = {
        "fmr": one_sided.with_match_rates(shown.non_mated(errors, chosen, threshold, weighting), fnmrs),
        "fnmr": fnmrs,
    }
    wanted = (IntervalSpec(method=Method.WILSON, target=Target.POPULATION),)
    for c, people in enumerate(chosen):
        spec = spec_of(targets=(), thresholds=(threshold,), intervals=wanted, n=39, seed=1, folds=False)
        system = system_of(cohort_of(whole.templates.of(people), {}), spec)
        for rate, cohorts in drawn.items():
            found = coverage.wilson(cohorts.own, cohorts.lent, cohorts.over, ALPHA)
            place = OperatingPoint(
                rate=rate, weighting=weighting, group_index=0, threshold=threshold, point=0
            )
            reading = read(system, place)
            assert reading.rule is not None
            interval = reading.rule(ALPHA)
            assert coverage.rates(cohorts.own, cohorts.over)[c] == pytest.approx(reading.value)
            assert (found.low[c], found.high[c]) == pytest.approx((interval.low, interval.high), rel=1e-6)


def test_the_truth_is_the_rate_of_the_whole_set(whole: RealSet) -> None:
    """All people drawn: the one cohort there is shows the truth itself, which is the audit's own rate."""
    groups = no_groups(whole.tail)
    threshold = threshold_at(whole.tail, groups, 0.1, Weighting.IDENTITY)
    measured = rates(whole.tail, groups, [threshold])
    everybody = np.flatnonzero(whole.tail.n_samples > 0)[None]
    errors = scored_sets.errors_of(whole.name, whole.tail)
    for of, rate in ((shown.non_mated, measured.far), (shown.mated, measured.frr)):
        found = of(errors, everybody, threshold, Weighting.IDENTITY)
        assert coverage.rates(found.own, found.over)[0] == pytest.approx(rate[0, 0])
        assert found.truth == pytest.approx(rate[0, 0])
