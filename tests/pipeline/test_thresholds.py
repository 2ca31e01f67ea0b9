from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_audits import EXPLICIT, audit, one, pick, plain, put, spec

from frtaudit.core.spec import CurveGrid, Grid, GridKind, Reach, Thresholds
from frtaudit.datasets.providers.cosine import Cosine
from frtaudit.errors import SpecError
from frtaudit.pipeline.thresholds import decades_of, declared_thresholds, targets_of

VENDOR = Cosine(name="one", recommended={"high": 0.4, "low": 0.15}, thresholds_version="3")


def grid(kind: GridKind, **changes: Any) -> Thresholds:
    """Targets of the small audit and a grid."""
    return Thresholds(fmr=(0.1, 0.03), grid=Grid(kind=kind, **changes))


@given(st.lists(st.integers(-6, -1), min_size=1, max_size=4, unique=True))
def test_targets_hold_the_declared_ones(powers: list[int]) -> None:
    """Targets ascend, hold every declared one where `declared` says, and stay between the declared extremes."""
    declared = [10.0**power for power in powers]
    targets, places = targets_of(spec(thresholds=Thresholds(fmr=tuple(declared))))
    assert list(targets) == sorted(set(targets))
    assert [targets[place] for place in places] == sorted(declared)
    assert (targets[0], targets[-1]) == (min(declared), max(declared))


def test_no_targets_at_all() -> None:
    """An audit without FMR targets has none to draw."""
    assert targets_of(spec(thresholds=Thresholds(fmr=()))) == ((), ())
    result = audit(spec(thresholds=Thresholds(fmr=(), grid=EXPLICIT))).result
    assert not pick(result, "fnmr_at_fmr")
    assert len(pick(result, "fnmr", group="all", provider="one", weighting="pooled")) == 3


def test_curve_targets_go_down_to_the_resolution() -> None:
    """Below the largest declared target stand so many a decade, the last at 5 expected false matches or just above."""
    curve = CurveGrid(per_decade=10, reach=Reach.RESOLUTION)
    made = spec(thresholds=Thresholds(fmr=(0.1, 0.02), curve=curve))
    targets, places = targets_of(made, 5_000)
    assert [targets[place] for place in places] == [0.02, 0.1]
    assert targets[0] == 0.001
    assert targets_of(made, 4_990)[0][0] == 0.00125893
    between = [value for value in targets if value != 0.02]
    assert np.diff(np.log10(between)) == pytest.approx([0.1] * 20, abs=1e-5)
    assert targets_of(made)[0] == (0.02, 0.1)
    alone = spec(thresholds=Thresholds(fmr=(0.01, 0.1), curve=CurveGrid(per_decade=2)))
    assert targets_of(alone)[0] == (0.01, 0.0316228, 0.1)


def test_declared_thresholds() -> None:
    """An explicit or linear grid, then the vendor's thresholds by name; the other grids wait for the scores."""
    vendor = [(0.4, {"recommended": "high", "version": "3"}), (0.15, {"recommended": "low", "version": "3"})]
    assert declared_thresholds(spec(), VENDOR) == [(0.1, {}), (0.2, {}), (0.3, {}), *vendor]
    linear = declared_thresholds(spec(thresholds=grid(GridKind.LINEAR, num=5)), VENDOR)
    assert [value for value, _ in linear[:5]] == [-1.0, -0.5, 0.0, 0.5, 1.0]
    part = declared_thresholds(spec(thresholds=grid(GridKind.LINEAR, low=0.0, high=0.2, num=3)), VENDOR)
    assert [value for value, _ in part[:3]] == [0.0, 0.1, 0.2]
    for kind in (GridKind.QUANTILE, GridKind.FMR_DECADES):
        assert declared_thresholds(spec(thresholds=grid(kind)), VENDOR) == vendor


@pytest.mark.parametrize("value", [-1.01, 1.5])
def test_thresholds_out_of_range_are_refused(value: float) -> None:
    """A threshold outside the provider's range stops the audit and names the range."""
    made = spec(thresholds=grid(GridKind.EXPLICIT, values=(value,)))
    with pytest.raises(
        SpecError, match=f"^thresholds: {value:g} lies outside the score range of one; accepted: -1 to 1$"
    ):
        audit(made)
    with pytest.raises(SpecError, match="lies outside the score range"):
        audit(spec(thresholds=grid(GridKind.LINEAR, low=min(value, 0.0), high=max(value, 0.0))))


def test_recommended_thresholds_are_always_reported() -> None:
    """FMR and FNMR at the vendor's thresholds stand in every audit, with name and version, whatever the grid."""
    result = audit(spec(providers=(VENDOR,), thresholds=grid(GridKind.QUANTILE, num=3))).result
    for name, threshold in VENDOR.recommended.items():
        for rate in ("fmr", "fnmr"):
            at = {"threshold": threshold, "recommended": name, "version": "3"}
            found = one(result, rate, group="all", weighting="pooled", at=at)
            assert (found.numerator, found.denominator) == plain().rate(rate, threshold)


def test_a_quantile_grid_lies_on_the_mated_scores() -> None:
    """Thresholds of a quantile grid are quantiles of the mated scores."""
    found = put(
        spec(thresholds=grid(GridKind.QUANTILE, low=0.1, high=0.9, num=5)), "one"
    ).operating_points.thresholds
    scores = plain().score[plain().mated]
    assert found == pytest.approx(np.quantile(scores, np.linspace(0.1, 0.9, 5)), abs=2e-7)


def test_an_fmr_grid_has_the_plain_thresholds() -> None:
    """Thresholds of an FMR grid are those at each decade that these data resolve."""
    thresholds = Thresholds(fmr=(0.03,), grid=Grid(kind=GridKind.FMR_DECADES, low=1e-4, high=0.1))
    made = spec(thresholds=thresholds)
    assert decades_of(made) == [0.1, 0.01, 0.001, 0.0001]
    found = put(made, "one").operating_points.thresholds
    assert found == pytest.approx([plain().threshold(0.1), plain().threshold(0.01)], abs=2e-7)


@pytest.mark.parametrize(
    ("thresholds", "decades"),
    [
        (Thresholds(fmr=(0.01, 0.001)), [0.01, 0.001]),
        (Thresholds(fmr=(0.03,)), []),
        (Thresholds(fmr=(0.2, 0.0005)), [0.1, 0.01, 0.001]),
        (Thresholds(fmr=()), []),
        (Thresholds(fmr=(0.1,), grid=EXPLICIT), []),
    ],
)
def test_decades_span_the_targets(thresholds: Thresholds, decades: list[float]) -> None:
    """By default the decades are those between the largest and the smallest declared target."""
    assert decades_of(spec(thresholds=thresholds)) == decades


@pytest.mark.parametrize(("kind", "rate"), [(GridKind.QUANTILE, "fnmr"), (GridKind.FMR_DECADES, "fmr")])
def test_measured_thresholds_say_so(kind: GridKind, rate: str) -> None:
    """A grid threshold read off the data names them as its source, and the rate that it was read off (8.13)."""
    system = put(spec(thresholds=grid(kind)), "two")
    assert system.operating_points.origin
    for at in system.operating_points.origin:
        assert at["source"] == "same_data"
        assert str(at["name"]).startswith(f"{rate}=")


def test_decades_below_a_small_tail_are_left_out() -> None:
    """Under a budget that cuts the tail short, decades that it does not reach are left out: no error."""
    assert (
        put(spec(thresholds=grid(GridKind.FMR_DECADES), tail_budget=1), "two").operating_points.origin == ()
    )
