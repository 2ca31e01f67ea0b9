"""Hypothesis strategies for the parts of an audit's result."""

import numpy as np
from hypothesis import strategies as st

from frtaudit.core import (
    AuditResult,
    Curve,
    Estimate,
    Finding,
    Interval,
    LedgerEntry,
    Method,
    Test,
    TestMethod,
    Verdict,
)

NUMBERS = st.floats(allow_nan=False)
VALUES = st.floats()
FINITE = st.floats(allow_nan=False, allow_infinity=False)
LEVELS = st.floats(0, 1, exclude_min=True, exclude_max=True)
PS = st.floats(0, 1, exclude_min=True)
TEXTS = st.text(max_size=5)
SAID = st.text(min_size=1, max_size=8)
COUNTS = st.integers(0, 10**12)
AT = st.dictionaries(TEXTS, NUMBERS | st.text("abc", max_size=3), max_size=3)
GROUPS = {
    "schema": st.none() | TEXTS,
    "group": TEXTS,
    "weighting": st.sampled_from(["pooled", "identity", None]),
}


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    """An interval with bounds, or one without that says why."""
    method = draw(st.sampled_from(Method))
    bounds = sorted(draw(st.lists(NUMBERS, min_size=2, max_size=2)))
    without = draw(st.booleans())
    return Interval(
        low=None if without else bounds[0],
        high=None if without else bounds[1],
        level=draw(LEVELS),
        method=method,
        target=draw(st.sampled_from(method.serves)),
        n_resamples=draw(st.none() | COUNTS),
        n_eff=draw(st.none() | NUMBERS),
        mc_error=draw(st.none() | NUMBERS),
        note=draw(SAID if without else st.none() | SAID),
    )


@st.composite
def differences(draw: st.DrawFn) -> Test:
    """A test with a p value, or one that says why there is none."""
    p = draw(st.none() | PS)
    return Test(
        p=p,
        null_median=draw(st.none() | NUMBERS),
        null_edge=draw(st.none() | NUMBERS),
        alpha=draw(LEVELS),
        n_resamples=draw(st.none() | COUNTS),
        method=draw(st.sampled_from(TestMethod)),
        detectable=draw(st.none() | NUMBERS),
        detectable_unit=draw(TEXTS),
        power=draw(LEVELS),
        p_adjusted=draw(st.none() | PS),
        family=draw(st.none() | COUNTS),
        note=draw(SAID if p is None else st.none() | SAID),
    )


@st.composite
def estimates(draw: st.DrawFn) -> Estimate:
    """An estimate with a value, or a refused one with a note; with both counts or none."""
    denominator = draw(st.none() | COUNTS)
    value = draw(st.none() | VALUES)
    return Estimate(
        provider=draw(TEXTS),
        analysis=draw(TEXTS),
        metric=draw(TEXTS),
        **{name: draw(kind) for name, kind in GROUPS.items()},
        at=draw(AT),
        value=value,
        numerator=None if denominator is None else draw(st.integers(0, denominator)),
        denominator=denominator,
        unit=draw(TEXTS),
        intervals=tuple(draw(st.lists(intervals(), max_size=2))),
        note=draw(SAID if value is None else st.none() | SAID),
        test=draw(st.none() | differences()),
    )


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    """A curve with or without a band."""
    size = draw(st.integers(0, 4))
    points = st.lists(VALUES, min_size=size, max_size=size).map(tuple)
    banded = draw(st.booleans())
    method = draw(st.none() | st.sampled_from(Method))
    return Curve(
        provider=draw(TEXTS),
        analysis=draw(TEXTS),
        **{name: draw(kind) for name, kind in GROUPS.items()},
        x=draw(points),
        y=draw(points),
        low=draw(points) if banded else None,
        high=draw(points) if banded else None,
        method=method,
        target=None if method is None else method.serves[0],
        metric=draw(st.none() | TEXTS),
        rate=draw(st.none() | TEXTS),
        level=draw(st.none() | st.floats(0.5, 0.99)),
        simultaneous=banded and draw(st.booleans()),
        replicates=tuple(draw(st.lists(points, max_size=2))),
        notes=tuple(draw(st.lists(TEXTS, max_size=2))),
    )


@st.composite
def findings(draw: st.DrawFn, n_estimates: int) -> Finding:
    """A finding on one of the estimates, or on none."""
    verdict = draw(st.sampled_from(Verdict))
    decided = verdict in (Verdict.PASS, Verdict.FAIL)
    place = draw(st.none() | st.integers(0, n_estimates - 1)) if n_estimates else None
    return Finding(
        requirement=draw(TEXTS),
        estimate=None if place is None else f"/estimates/{place}",
        verdict=verdict,
        limit=draw(NUMBERS),
        bound=draw(NUMBERS if decided else st.none() | NUMBERS),
        bound_level=draw(st.none() | LEVELS),
        sentence=draw(SAID),
        p=draw(st.none() | PS),
        p_adjusted=draw(st.none() | PS),
        family=draw(st.none() | COUNTS),
    )


ENTRIES = st.builds(
    LedgerEntry,
    code=TEXTS,
    count=COUNTS,
    unit=TEXTS,
    provider=st.none() | TEXTS,
    schema=st.none() | TEXTS,
    group=st.none() | TEXTS,
    names=st.lists(TEXTS, max_size=2).map(tuple),
)
TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | NUMBERS | TEXTS,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(TEXTS, part, max_size=3),
    max_leaves=5,
)


@st.composite
def results(draw: st.DrawFn) -> AuditResult:
    """A whole result whose findings point at its estimates."""
    found = draw(st.lists(estimates(), max_size=3))
    return AuditResult(
        spec=draw(st.dictionaries(TEXTS, TREES, max_size=2)),
        digests=draw(st.dictionaries(TEXTS, TREES, max_size=2)),
        versions=draw(st.dictionaries(TEXTS, TEXTS, max_size=2)),
        estimates=tuple(found),
        curves=tuple(draw(st.lists(curves(), max_size=2))),
        findings=tuple(draw(st.lists(findings(len(found)), max_size=2))),
        failures=tuple(draw(st.lists(ENTRIES, max_size=2))),
        cohort=draw(st.dictionaries(TEXTS, TREES, max_size=2)),
        notes=tuple(draw(st.lists(TEXTS, max_size=2))),
    )


@st.composite
def pair_lists(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mated and non-mated pairs over a few subjects, by subject code, in any order."""
    subject = st.integers(0, draw(st.integers(3, 12)))
    mated = [(k, k) for k in draw(st.lists(subject, min_size=4, max_size=25))]
    other = draw(st.lists(st.tuples(subject, subject).filter(lambda p: p[0] != p[1]), max_size=25))
    both = draw(st.permutations(mated + other))
    first, second = np.array(both).T
    return first, second, first == second
