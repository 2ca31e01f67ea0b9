from functools import cache

import numpy as np
import pytest
from scipy import stats
from small_audits import audit, one, pick, plain, spec

from frtaudit.analyses.densities import Densities
from frtaudit.core import AuditResult
from frtaudit.core.spec import FailureScore
from frtaudit.errors import SpecError
from frtaudit.stats.interclass.densities import improved_sheather_jones


@cache
def result() -> AuditResult:
    """The small audit with densities."""
    return audit(spec(analyses={"densities": Densities(points=51)})).result


def scores_of(code: int) -> np.ndarray:
    """Mated scores of a class on 0..100."""
    made = plain("one")
    return (made.score[made.mated & made.inside(code)] + 1) * 50


def test_bandwidth_and_curve_of_each_class() -> None:
    """The bandwidth is that of the class's scores; the curve integrates to 1."""
    for code, name in enumerate("xy"):
        found = one(result(), "density_bandwidth", provider="one", group=name)
        assert found.value == pytest.approx(improved_sheather_jones(scores_of(code), 0, 100), rel=1e-4)
        (curve,) = [c for c in result().curves if (c.provider, c.group) == ("one", name)]
        assert np.trapezoid(curve.y, curve.x) == pytest.approx(1, abs=0.01)


def test_curves_lie_where_the_scores_are() -> None:
    """The classes share a grid, as wide as their scores and as much on both sides: a narrow peak is smooth."""
    every = np.concatenate([scores_of(code) for code in range(2)])
    beside = np.ptp(every)
    grids = {c.x for c in result().curves if (c.provider, c.analysis) == ("one", "density")}
    ((first, *_, last),) = grids
    assert first == pytest.approx(max(every.min() - beside, 0), abs=1e-4)
    assert last == pytest.approx(min(every.max() + beside, 100), abs=1e-4)


def test_normality_of_scores_and_of_people() -> None:
    """K^2 of all scores is scipy's, its note says what it assumes; that of people has one mean each."""
    found = one(result(), "normality_k2", provider="one", group="y", at={"per": "score"})
    assert found.value == pytest.approx(stats.normaltest(scores_of(1)).statistic, rel=1e-4)
    assert found.note is not None
    assert found.note.startswith("scores treated as independent")
    people = one(result(), "normality_p", provider="one", group="y", at={"per": "subject"})
    assert (people.value, people.note) == (None, "fewer than 20 different values")


def test_scores_on_an_end_are_counted() -> None:
    """Failures that score the lowest value lie on the end of the scale: counted, with their share."""
    zero = audit(spec(analyses={"densities": Densities()}, failures=FailureScore.SCORE_ZERO)).result
    found = pick(zero, "scores_at_end", provider="one", at={"end": "low"})
    assert found
    assert all(e.numerator and e.value == e.numerator / e.denominator for e in found)
    assert not pick(result(), "scores_at_end")


def test_one_point_is_no_curve() -> None:
    """Fewer than two points are a usage error."""
    with pytest.raises(SpecError, match=r"analyses\.densities\.points: found 1; accepted: 2 or more"):
        Densities(points=1)
