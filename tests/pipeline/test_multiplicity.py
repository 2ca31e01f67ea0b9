"""Tests that no requirement names are adjusted together (FORMULAS 8.9)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from frtaudit.core import Estimate, Test, TestMethod
from frtaudit.core.spec import Weighting
from frtaudit.pipeline.multiplicity import adjusted


def index(p: float | None, weighting: str | None = "identity", resamples: int = 100_000) -> Estimate:
    """An index with a test."""
    return Estimate(
        provider="a",
        analysis="differentials",
        metric="gini",
        schema="group",
        group="all",
        weighting=weighting,
        at={},
        value=0.1,
        numerator=None,
        denominator=None,
        unit="index",
        test=Test(
            p=p,
            null_median=0.1,
            null_edge=0.2,
            alpha=0.05,
            n_resamples=resamples,
            method=TestMethod.CENTRED_RATES,
            detectable=2.0,
            detectable_unit="ratio",
            power=0.8,
            note=None if p is not None else "too few errors",
        ),
    )


def adjusted_p(items: tuple[Estimate, ...]) -> list[float | None]:
    """The adjusted p values."""
    return [item.test.p_adjusted for item in items if item.test is not None]


@settings(max_examples=20)
@given(st.lists(st.floats(1e-6, 1.0), min_size=2, max_size=10))
def test_scans_are_adjusted_by_benjamini_and_yekutieli(p: list[float]) -> None:
    """Adjusted p values are statsmodels'; tests of the other weighting and untestable ones take no part."""
    family = [index(value) for value in p]
    found = adjusted([*family, index(0.001, "pooled"), index(None)], (), Weighting.IDENTITY, 0.05)
    expected = multipletests(p, method="fdr_by")[1].tolist()
    assert adjusted_p(found)[: len(p)] == pytest.approx(expected)
    assert adjusted_p(found)[len(p) :] == [None, None]
    assert [item.test.p for item in found if item.test] == [*p, 0.001, None]


def test_what_a_requirement_names_is_no_scan() -> None:
    """An estimate that a requirement judges leaves the family."""
    found = adjusted([index(0.01), index(0.02), index(0.03)], {1}, Weighting.IDENTITY, 0.05)
    assert adjusted_p(found)[1] is None
    assert found[0].test is not None
    assert found[0].test.family == 2


def test_too_few_replicates_leave_raw_p_values() -> None:
    """Where 1/(B+1) > alpha/(m H_m) the raw p stands alone, and the note names the B that adjusting needs."""
    need = 109  # 3 tests: 0.05 / (3 * 11/6) = 1/110
    for resamples, given_p in ((need, True), (need - 1, False)):
        found = adjusted(
            [index(p, resamples=resamples) for p in (0.01, 0.2, 0.3)], (), Weighting.IDENTITY, 0.05
        )
        assert all((p is not None) == given_p for p in adjusted_p(found))
        notes = {item.test.note for item in found if item.test is not None}
        assert notes == (
            {None} if given_p else {"unadjusted p: adjusting for 3 tests needs B of 109 or more"}
        )
