from typing import Any

import numpy as np
import pytest
import strategies_core as strategies
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from frtaudit.core import Curve, RateCurve
from frtaudit.core.canonical import to_bytes
from frtaudit.core.curves import spans, step_envelope
from frtaudit.core.plain.records import from_json, to_json

SCORES = arrays.arrays(np.float64, st.integers(0, 12), elements=st.integers(-4, 4).map(float))


def curve(**changes: Any) -> Curve:
    fields = {
        "provider": "p",
        "analysis": "roc",
        "schema": None,
        "group": "all",
        "weighting": None,
        "x": (0.1,),
        "y": (0.2,),
    }
    return Curve(**{**fields, **changes})


@given(SCORES, SCORES)
def test_rates_of_any_scores_are_monotone(mated: np.ndarray, non_mated: np.ndarray) -> None:
    """Counted at any thresholds FNMR rises and FMR falls, both within 0..1, and both are counts over trials."""
    at = np.arange(-5.0, 5.0)
    made = RateCurve(
        thresholds=at,
        false_non_matches=(mated[None, :] <= at[:, None]).sum(1),
        false_matches=(non_mated[None, :] > at[:, None]).sum(1),
        n_mated=mated.size,
        n_non_mated=non_mated.size,
    )
    assert np.all(np.diff(made.fnmr) >= 0)
    assert np.all(np.diff(made.fmr) <= 0)
    assert np.all((made.fnmr >= 0) & (made.fnmr <= 1) & (made.fmr >= 0) & (made.fmr <= 1))
    assert made.fnmr[-1] == float(mated.size > 0)
    assert made.fmr[0] == float(non_mated.size > 0)


@pytest.mark.parametrize(
    ("thresholds", "missed", "matched", "said"),
    [
        ([1.0, 1.0], [0, 1], [1, 0], "thresholds ascend"),
        ([1.0, 2.0], [1, 0], [1, 0], "false non-matches rise"),
        ([1.0, 2.0], [0, 1], [0, 1], "false matches fall"),
    ],
)
def test_curves_that_turn_are_refused(
    thresholds: list[float], missed: list[int], matched: list[int], said: str
) -> None:
    """A curve that is not monotone is no rate curve."""
    with pytest.raises(ValueError, match=said):
        RateCurve(
            thresholds=np.array(thresholds),
            false_non_matches=np.array(missed),
            false_matches=np.array(matched),
            n_mated=2,
            n_non_mated=2,
        )


def test_a_rate_curve_is_read_only() -> None:
    """Thresholds and counts cannot be written."""
    made = RateCurve(
        thresholds=np.array([0.0]),
        false_non_matches=np.array([0]),
        false_matches=np.array([1]),
        n_mated=1,
        n_non_mated=1,
    )
    for array in (made.thresholds, made.false_non_matches, made.false_matches):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@given(strategies.curves())
def test_a_curve_survives_json(made: Curve) -> None:
    """from_json(to_json(x)) == x, infinities, bands and absent bands included; its JSON is canonical."""
    assert from_json(Curve, to_json(made)) == made
    assert to_bytes(to_json(from_json(Curve, to_json(made)))) == to_bytes(to_json(made))


def test_undefined_points_survive_json() -> None:
    """A band without bounds at a point is NaN there, and "nan" in JSON."""
    made = curve(low=(float("nan"),), high=(float("inf"),))
    assert to_json(made)["low"] == ["nan"]
    assert to_json(made)["high"] == ["inf"]
    assert from_json(Curve, to_json(made)) == made
    assert curve(low=(0.0,), high=(float("inf"),)) != made
    assert made != "curve"
    assert len({made, from_json(Curve, to_json(made)), curve()}) == 2


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"y": ()}, "one y per x"),
        ({"low": (0.1,)}, "both bounds or none"),
        ({"high": (0.1,)}, "both bounds or none"),
        ({"low": (), "high": ()}, "one bound per x"),
        ({"replicates": ((0.1, 0.2),)}, "one value of a replicate per x"),
        ({"simultaneous": True}, "a simultaneous band has bounds"),
    ],
)
def test_broken_curves_are_refused(changes: dict[str, Any], said: str) -> None:
    """Each invariant of a drawn curve is checked at birth and named."""
    with pytest.raises(ValueError, match=said):
        curve(**changes)


def test_what_few_curves_have_stands_only_where_it_is_set() -> None:
    """A plain curve has no key for metric, rate, level, replicates or notes; one that has them keeps them."""
    more = {"metric", "rate", "level", "simultaneous", "replicates", "notes"}
    assert not more & set(to_json(curve()))
    made = curve(
        low=(0.1,),
        high=(0.3,),
        metric="gini",
        rate="fmr",
        level=0.95,
        simultaneous=True,
        replicates=((0.2,),),
        notes=("n",),
    )
    assert more <= set(to_json(made))
    assert from_json(Curve, to_json(made)) == made


def test_the_envelope_of_a_band_holds_between_its_points() -> None:
    """Low comes from the right neighbour, high from the left; a point without bounds is stepped over."""
    nan = float("nan")
    x, low, high = step_envelope((1, 2, 3), (0.5, nan, 0.1), (0.7, nan, 0.3))
    assert x.tolist() == [1, 1, 3, 3]
    assert low.tolist() == [0.5, 0.1, 0.1, 0.1]
    assert high.tolist() == [0.7, 0.7, 0.7, 0.3]
    assert [part.size for part in step_envelope((1,), (nan,), (nan,))] == [0, 0, 0]


def test_gaps_are_told_once_for_neighbours() -> None:
    """Neighbouring targets with one reason share a sentence; another reason, or a point without one, ends it."""
    reasons = ["few", None, "few", "few", "none"]
    said = spans((0.5, 0.1, 0.01, 0.02, 0.05), reasons)
    assert said == ("FMR 1 % to 2 %: few", "FMR 5 %: none", "FMR 50 %: few")
    assert spans((), ()) == ()
