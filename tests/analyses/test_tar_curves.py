import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import stats
from small_audits import COHORT, plain, put, spec, system_of

from frtaudit.analyses.tar_curves import GAP, TarCurves
from frtaudit.core import AuditResult, Curve, Method, Target
from frtaudit.core.canonical import seed_of
from frtaudit.core.spec import Weighting
from frtaudit.errors import SpecError
from frtaudit.evaluation.class_scores import class_scores
from frtaudit.evaluation.system import AnalysisOutput
from frtaudit.pipeline.audit import audit
from frtaudit.stats.interclass.class_curves import Classes, drawn, tar_at
from frtaudit.stats.intervals.wilson import WilsonRule, prepare, prepare_mated

ANALYSIS = TarCurves(points=21)


@cache
def wide() -> AnalysisOutput:
    """The curves of a cohort with enough people for every band."""
    cohort = replace(COHORT, subjects=80, samples_per_subject=(4, 4))
    return ANALYSIS.estimates(put(spec(cohort=cohort), "two"), 0.05)


@cache
def result() -> AuditResult:
    """The small audit with these curves."""
    return audit(spec(analyses={"tar_curves": ANALYSIS})).result


def curve(outcome: AnalysisOutput, kind: str, group: str, target: Target | None) -> Curve:
    """The only such curve."""
    (found,) = [c for c in outcome.curves if (c.analysis, c.group, c.target) == (kind, group, target)]
    return found


def test_the_curves_are_shares_and_quantiles_of_the_scores() -> None:
    """TAR is the share of mated scores above the threshold; the other way round stands a quantile of them."""
    outcome = ANALYSIS.estimates(system_of("one"), 0.05)
    made = plain("one")
    for code, name in enumerate("xy"):
        scores = (np.sort(made.score[made.mated & made.inside(code)]) + 1) * 50
        found = curve(outcome, "tar_at_threshold", name, Target.POPULATION)
        assert found.y == pytest.approx([np.mean(scores > t) for t in found.x])
        found = curve(outcome, "threshold_at_tar", name, Target.POPULATION)
        expected = np.quantile(scores, 1 - np.array(found.x), method="inverted_cdf")
        assert found.y == pytest.approx(expected, abs=2e-5)


def test_the_band_for_new_people_is_that_of_fnmr() -> None:
    """At a threshold the band is 1 - the interval of FNMR by FORMULAS 8.1, and both orientations cross the same."""
    system = system_of("one")
    outcome = ANALYSIS.estimates(system, 0.05)
    found = curve(outcome, "tar_at_threshold", "y", Target.POPULATION)
    assert (found.method, found.level) == (Method.WILSON, pytest.approx(0.95))
    for x, low, high in zip(found.x, found.low or (), found.high or (), strict=True):
        score = x / 50 - 1
        known = x >= 55  # above the tail's floor, where FMR is prepared too
        ruled = (
            prepare(system.tail, system.groups, [score]).fnmr(score, 2, 0.05, Weighting.POOLED)
            if known
            else None
        )
        if ruled is not None:
            assert (low, high) == (pytest.approx(1 - ruled.high), pytest.approx(1 - ruled.low))
    turned = curve(outcome, "threshold_at_tar", "y", Target.POPULATION)
    for y, low, high in zip(turned.y, turned.low or (), turned.high or (), strict=True):
        assert low <= y <= high


def test_differences_from_overall_and_their_bands() -> None:
    """Overall is the mean of the classes; differences add up to 0; the population's band holds the difference."""
    for kind, of in (("tar_excess", "tar_at_threshold"), ("threshold_excess", "threshold_at_tar")):
        x, y = (curve(wide(), kind, name, Target.POPULATION) for name in "xy")
        own = curve(wide(), of, "x", Target.POPULATION)
        overall = curve(wide(), of, "all", None)
        assert np.array(x.y) == pytest.approx(np.array(own.y) - np.array(overall.y))
        assert np.array(x.y) + np.array(y.y) == pytest.approx(0, abs=1e-9)
        low, high = np.array(x.low), np.array(x.high)
        known = np.isfinite(low)
        assert known.sum() >= 4
        assert np.all((low[known] <= np.array(x.y)[known]) & (np.array(x.y)[known] <= high[known]))
        assert x.notes == ((GAP,) if not known.all() else ())


def test_bands_of_differences_allow_for_few_subjects() -> None:
    """Of 40 subjects in each class percentiles are sqrt(40/39) t/z as far from the difference as those of resamples."""
    system = put(spec(cohort=replace(COHORT, subjects=80, samples_per_subject=(4, 4))), "two")
    by_class, _ = class_scores(system, "group")
    classes = Classes.of(by_class.scores, by_class.subjects)
    assert classes.sizes == (40, 40)
    rng = np.random.default_rng(seed_of(system.spec.seed, "tar_curves", "group"))
    found = curve(wide(), "tar_excess", "x", Target.POPULATION)
    tar_of = tar_at(classes, np.linspace(*by_class.score_range, 21))
    rates = np.concatenate([tar_of(weights) for weights in drawn(classes, system.spec.bootstrap.B, rng)])
    low, high = np.quantile((rates[:, 0] - rates[:, 1]) / 2, [0.025, 0.975], axis=0)
    factor = np.sqrt(40 / 39) * stats.t.isf(0.025, 39) / stats.norm.isf(0.025)
    y = np.array(found.y)
    for end, raw in ((found.low, low), (found.high, high)):
        known = np.isfinite(np.array(end))
        assert known.any()
        assert (np.array(end) - y)[known] == pytest.approx(factor * (raw - y)[known], abs=1e-9)


def test_no_band_of_a_difference_with_few_subjects_by_weight() -> None:
    """One class of seven subjects by weight: no class has a band of its difference, and the note says why."""
    outcome = ANALYSIS.estimates(system_of("one"), 0.05)
    for kind in ("tar_excess", "threshold_excess"):
        for name in "xy":
            found = curve(outcome, kind, name, Target.POPULATION)
            assert np.isnan(np.array(found.low)).all()
            assert found.notes == (
                "no band: by weight group y has 6.9 subjects; a bootstrap of subjects needs 20",
            )


def test_declared_shares_move_overall() -> None:
    """With all weight on one class overall is that class, and it differs from overall by nothing."""
    outcome = replace(ANALYSIS, shares={"group": {"x": 1.0, "y": 0.0}}).estimates(system_of("one"), 0.05)
    assert curve(outcome, "tar_excess", "x", Target.POPULATION).y == pytest.approx([0.0] * 21)
    with pytest.raises(SpecError, match=r"analyses.tar_curves.shares.group: no share of y"):
        replace(ANALYSIS, shares={"group": {"x": 1.0}}).estimates(system_of("one"), 0.05)


def test_the_thesis_band_is_labelled_and_narrower() -> None:
    """The band for independent comparisons carries its own method, target and level, and is narrower."""
    iid = curve(wide(), "tar_at_threshold", "x", Target.COMPARISONS_IID)
    new = curve(wide(), "tar_at_threshold", "x", Target.POPULATION)
    assert (iid.method, iid.level) == (Method.T_BOOTSTRAP, pytest.approx(0.9))
    widths = [np.array(c.high) - np.array(c.low) for c in (iid, new)]
    known = np.isfinite(widths[0])
    assert np.all(widths[0][known] < widths[1][known])


def test_differences_of_thresholds_have_the_thesis_band() -> None:
    """Class minus overall of the thresholds: Delta -+ t S as the thesis's bootstrap of scores has it."""
    made = plain("one")
    scores = [np.sort(made.score[made.mated & made.inside(code)]) for code in (0, 1)]
    rng = np.random.default_rng(7)
    found = curve(ANALYSIS.estimates(system_of("one"), 0.05), "threshold_excess", "x", Target.COMPARISONS_IID)
    assert (found.method, found.level) == (Method.T_BOOTSTRAP, pytest.approx(0.9))
    u = 1 - np.array(found.x)
    x, y = (
        np.quantile(rng.choice(one, (5000, one.size)), u, axis=1, method="inverted_cdf") * 50
        for one in scores
    )
    own = [np.quantile(one, u, method="inverted_cdf") * 50 for one in scores]
    spread = np.sqrt((((x - y - (own[0] - own[1])[:, None]) / 2) ** 2).mean(axis=1))
    half = (np.array(found.high) - np.array(found.low)) / 2
    assert half == pytest.approx(float(stats.t.isf(0.05, ANALYSIS.B)) * spread, rel=0.1)


def test_what_one_threshold_means_for_the_others() -> None:
    """At the threshold that gives x a TAR of 80 %, counts and TAR of y are those of its scores above it."""
    made = plain("one")
    scores = [np.sort(made.score[made.mated & made.inside(code)]) for code in (0, 1)]
    found = next(
        item
        for item in result().estimates
        if (item.provider, item.group, item.at.get("class")) == ("one", "y", "x")
    )
    threshold = found.at["threshold"]
    assert threshold == pytest.approx(float(np.quantile(scores[0], 0.2, method="inverted_cdf")), abs=1e-6)
    assert found.numerator == int(np.sum(scores[1] > threshold))
    assert found.denominator == len(scores[1])
    assert [item.target for item in found.intervals] == [Target.POPULATION, Target.COMPARISONS_IID]
    own = next(
        item
        for item in result().estimates
        if item.metric == "tar_at_tar" and item.group == "x" and item.at["class"] == "x"
    )
    assert own.value == pytest.approx(0.8, abs=1 / len(scores[0]))
    assert (own.intervals, own.note) == ((), "by construction: the threshold is this class's")


def test_the_threshold_moves_for_every_class() -> None:
    """With few errors too the population's interval counts the noise of the threshold: no class holds it fixed."""
    system = system_of("one")
    found = [item for item in ANALYSIS.estimates(system, 0.05).estimates if item.intervals]
    drawn, more = [], []
    for item in found:
        threshold = float(item.at["threshold"])
        group = next(n for n, _, name in system.every_group() if name == item.group)
        ruled = prepare_mated(system.tail, system.groups, [threshold]).fnmr(
            threshold, group, ANALYSIS.alpha, Weighting.POOLED
        )
        made = item.intervals[0]
        assert made.note is None
        assert made.n_eff is not None
        drawn.append(made.n_eff)
        more.append(ruled.n_eff)
    assert np.all(np.array(drawn) <= more)
    assert np.any(np.array(drawn) < more)


def test_a_class_of_one_subject_is_said() -> None:
    """Curves of a class with one subject are not drawn; the note names it."""
    system = system_of("two")
    tail = system.tail
    codes = system.cohort.classifications["group"].codes[tail.subject_of[tail.mated_i]]
    first = tail.subject_of[tail.mated_i] == tail.subject_of[tail.mated_i][codes == 0][0]
    parts = {
        name: getattr(tail, name)[(codes == 1) | first] for name in ("mated_i", "mated_j", "mated_score")
    }
    outcome = ANALYSIS.estimates(replace(system, tail=replace(tail, **parts)), 0.05)
    assert outcome.curves == ()
    assert outcome.notes == ("two: group x has 1 subject(s) with mated comparisons: no TAR curves",)


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ({"tar": 1.0}, "analyses.tar_curves.tar: found 1; accepted: a number between 0 and 1"),
        ({"alpha": 0.0}, "analyses.tar_curves.alpha: found 0; accepted: a number between 0 and 1"),
        ({"points": 1}, "analyses.tar_curves.points: found 1; accepted: 2 or more"),
    ],
)
def test_its_numbers_are_checked(field: dict[str, float], line: str) -> None:
    """Numbers that no curve has are usage errors."""
    with pytest.raises(SpecError, match=f"^{re.escape(line)}"):
        TarCurves(**field)  # type: ignore[arg-type]  # the point of the test


def test_tar_at_anothers_threshold_allows_for_one_more_bad_image(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where people weigh unequally the lower bound of TAR falls, as the upper one of FNMR rises."""

    def lowest() -> list[float]:
        cohort = replace(COHORT, subjects=80, samples_per_subject=(4, 4))
        output = ANALYSIS.estimates(put(spec(cohort=cohort), "two"), 0.05)
        found = [estimate for estimate in output.estimates if estimate.intervals]
        return [estimate.intervals[0].low or 0.0 for estimate in found if estimate.intervals[0].note is None]

    equal, ruled = lowest(), WilsonRule.fnmr
    monkeypatch.setattr(WilsonRule, "fnmr", lambda *place: replace(ruled(*place), image=0.3))
    assert equal
    assert all(low < high for low, high in zip(lowest(), equal, strict=True))
