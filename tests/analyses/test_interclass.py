import re
from dataclasses import replace

import numpy as np
import pytest
from small_audits import ANALYSES, CLASSES, audit, one, pick, plain, put, spec, system_of, whole

from frtaudit.analyses.interclass import Interclass
from frtaudit.core import Method
from frtaudit.core.spec import SchemaSpec
from frtaudit.errors import SpecError


def mated_of(provider: str) -> list[np.ndarray]:
    """Mated scores of each class on 0..100."""
    made = plain(provider)
    return [np.sort((made.score[made.mated & made.inside(code)] + 1) * 50) for code in (0, 1)]


def quantile_distance(first: np.ndarray, second: np.ndarray) -> float:
    """Root of the integral over u of (Q1 - Q2)^2, inverted distribution functions, by a fine midpoint sum."""
    u = (np.arange(400_000) + 0.5) / 400_000
    a, b = (scores[np.ceil(u * len(scores)).astype(int) - 1] for scores in (first, second))
    return float(np.sqrt(np.mean((a - b) ** 2)))


def tar_distance(first: np.ndarray, second: np.ndarray) -> float:
    """Root of the integral over the threshold of (TAR1 - TAR2)^2, exact between consecutive scores."""
    at = np.unique(np.concatenate([first, second, [0.0, 100.0]]))
    a, b = (np.array([(scores > t).mean() for t in at[:-1]]) for scores in (first, second))
    return float(np.sqrt(np.sum((a - b) ** 2 * np.diff(at))))


@pytest.mark.parametrize("provider", ["one", "two"])
@pytest.mark.parametrize(("space", "distance"), [("quantile", quantile_distance), ("tar", tar_distance)])
def test_d_l2_by_plain_integration(provider: str, space: str, distance: object) -> None:
    """Pair distances are the plain integral; of two classes each lies half of it from their mean."""
    x, y = mated_of(provider)
    expected = distance(x, y)  # type: ignore[operator]  # one of the two above
    where = {"provider": provider, "schema": "group", "at": {"space": space}}
    assert one(whole().result, "d_l2", group="x|y", **where).value == pytest.approx(expected, rel=2e-3)
    for group in ("x", "y", "max"):
        assert one(whole().result, "d_l2", group=group, **where).value == pytest.approx(
            expected / 2, rel=2e-3
        )


def test_the_thesis_and_the_population_interval() -> None:
    """In quantile space each class has the thesis's interval at its own level and one for the population."""
    for name in (*CLASSES, "max"):
        found = one(whole().result, "d_l2", provider="one", group=name, at={"space": "quantile"})
        thesis, population = found.intervals
        assert (thesis.method, thesis.level, thesis.n_resamples) == (
            Method.T_BOOTSTRAP,
            pytest.approx(0.9),
            99,
        )
        assert (population.method, population.target.value) == (Method.VERTEX_GAUSSIAN, "population")
        assert population.level == pytest.approx(0.95)
    assert not one(whole().result, "d_l2", provider="one", group="x", at={"space": "tar"}).intervals


def test_tar_curves_are_quantiles_of_the_mated_scores() -> None:
    """The threshold at a TAR is a quantile of the mated scores; differences are from the mean of the classes."""
    curves = {(item.analysis, item.group): item for item in whole().result.curves if item.provider == "one"}
    tar = np.array(curves["tar", "x"].x)
    assert len(tar) == 9
    for name, scores in zip(CLASSES, mated_of("one"), strict=True):
        expected = np.quantile(scores, 1 - tar, method="inverted_cdf")
        assert curves["tar", name].y == pytest.approx(tuple(expected), abs=2e-5)
    mean = (np.array(curves["tar", "x"].y) + np.array(curves["tar", "y"].y)) / 2
    assert curves["tar", "all"].y == pytest.approx(tuple(mean))
    assert curves["tar_difference", "x"].y == pytest.approx(tuple(np.array(curves["tar", "x"].y) - mean))


def test_a_class_without_mated_pairs_is_said() -> None:
    """A class without mated comparisons has no d_l2 and a note; one class alone is not compared."""
    system = system_of("two")
    alone = replace(system, tail=_without(system, 0))
    outcome = ANALYSES["interclass"].estimates(alone, 0.05)
    assert outcome.estimates == ()
    assert outcome.notes == ("two: group x has no mated comparison, so no d_l2",)


def _without(system: object, code: int) -> object:
    tail = system.tail  # type: ignore[attr-defined]  # of SystemData
    keep = system.cohort.classifications["group"].codes[tail.subject_of[tail.mated_i]] != code  # type: ignore[attr-defined]  # the same
    parts = {name: getattr(tail, name)[keep] for name in ("mated_i", "mated_j", "mated_score")}
    return replace(tail, **parts)


def test_too_few_subjects_for_the_population() -> None:
    """With one subject in a class the population interval is withheld and says whose fault it is."""
    system = system_of("two")
    tail = system.tail
    codes = system.cohort.classifications["group"].codes[tail.subject_of[tail.mated_i]]
    only = tail.subject_of[tail.mated_i] == tail.subject_of[tail.mated_i][codes == 0][0]
    keep = (codes == 1) | only
    parts = {name: getattr(tail, name)[keep] for name in ("mated_i", "mated_j", "mated_score")}
    outcome = ANALYSES["interclass"].estimates(replace(system, tail=replace(tail, **parts)), 0.05)
    (found,) = [item for item in outcome.estimates if item.group == "max" and item.at["space"] == "quantile"]
    notes = [item.note for item in found.intervals if item.low is None]
    assert notes == ["x has fewer than 2 subjects with mated comparisons"]


def test_without_schemas_there_is_nothing() -> None:
    """An audit without schemas has no d_l2."""
    assert not pick(audit(spec("interclass", schemas={})).result, "d_l2")


def test_three_classes_have_three_pairs() -> None:
    """Every unordered pair of classes stands once, in the schema's order."""
    from frtaudit.datasets.cohorts.synthetic import SyntheticClass

    cohort = replace(spec().cohort, classes={name: SyntheticClass() for name in ("b", "a", "c")})
    system = put(
        spec(cohort=cohort, schemas={"group": SchemaSpec(column="group", classes=("b", "a", "c"))}), "two"
    )
    outcome = replace(ANALYSES["interclass"], B=19).estimates(system, 0.05)
    groups = [item.group for item in outcome.estimates if item.at["space"] == "tar"]
    assert groups == ["b", "a", "c", "b|a", "b|c", "a|c", "max"]
    values = {item.group: item.value for item in outcome.estimates if item.at["space"] == "tar"}
    assert values["max"] == max(values[name] for name in "abc")  # type: ignore[type-var]  # none is null


def test_each_space_has_its_unit() -> None:
    """A distance of TAR curves is not a number of score points, and says so."""
    units = {item.at["space"]: item.unit for item in pick(whole().result, "d_l2")}
    assert units["quantile"] == "points of the score range mapped to 0..100"
    assert units["tar"].startswith("TAR (0..1) times the root of points")


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ({"alpha": 0.0}, "analyses.interclass.alpha: found 0; accepted: a number between 0 and 1"),
        ({"alpha": 1.5}, "analyses.interclass.alpha: found 1.5; accepted: a number between 0 and 1"),
        ({"B": 1}, "analyses.interclass.B: found 1; accepted: 2 or more"),
        ({"curve_points": 0}, "analyses.interclass.curve_points: found 0; accepted: 2 or more"),
    ],
)
def test_its_own_numbers_are_checked(field: dict[str, float], line: str) -> None:
    """An alpha outside (0, 1), fewer than two resamples or points are usage errors."""
    with pytest.raises(SpecError, match=f"^{re.escape(line)}"):
        Interclass(**field)


def test_pairs_carry_the_thesis_interval_of_class_minus_class() -> None:
    """For two classes the pair's interval is twice that of either class from their mean; TAR space offers none."""
    at = {"space": "quantile"}
    pair = one(whole().result, "d_l2", provider="one", group="x|y", at=at)
    single = one(whole().result, "d_l2", provider="one", group="x", at=at)
    between, alone = (item.intervals[0] for item in (pair, single))
    assert between.low == pytest.approx(2 * alone.low, rel=1e-12)
    assert between.high == pytest.approx(2 * alone.high, rel=1e-12)
    assert between.low <= pair.value <= between.high
    assert not one(whole().result, "d_l2", provider="one", group="x|y", at={"space": "tar"}).intervals


def test_the_lower_bound_of_the_largest_class_holds_for_all() -> None:
    """For a verdict at error a the largest class's lower bound is that of the classes at a/C, the upper one at a."""
    from frtaudit.datasets.cohorts.synthetic import SyntheticClass

    names = ("b", "a", "c")
    cohort = replace(
        spec().cohort,
        classes={n: SyntheticClass(concentration=c) for n, c in zip(names, (0.3, 1, 1), strict=True)},
    )
    system = put(spec(cohort=cohort, schemas={"group": SchemaSpec(column="group", classes=names)}), "two")
    found = replace(ANALYSES["interclass"], B=19).estimates(system, 0.05).estimates
    made = {
        item.group: next(i.one_sided for i in item.intervals if i.method is Method.VERTEX_GAUSSIAN)
        for item in found
        if item.at["space"] == "quantile" and "|" not in item.group
    }
    largest = made["max"](0.45)
    assert largest.low == max(made[name](0.15).low for name in names) > 0
    assert largest.high == max(made[name](0.45).high for name in names)
