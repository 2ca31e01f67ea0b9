from dataclasses import replace

import numpy as np
import pytest
from small_audits import interval, put, spec

from frtaudit.core.spec import CurveGrid, Plan, Reach, Thresholds, Weighting
from frtaudit.evaluation.operating_points import OperatingPoint, read
from frtaudit.evaluation.over_fmr import TOO_FEW, Drawn, _no_value, read_along
from frtaudit.evaluation.system import SystemData
from frtaudit.stats.groups.differentials import RateIndex

GRID = CurveGrid(per_decade=5, reach=Reach.RESOLUTION)


def system(**changes: object) -> SystemData:
    """A small system with recentered intervals and targets down to the resolution."""
    wanted = (interval("recentered", "fixed_identities"), interval("vertex", "population"))
    made = {"thresholds": Thresholds(fmr=(0.1,), curve=GRID), "intervals": wanted, **changes}
    return put(spec(**made), "two")


def test_it_is_the_reading_at_every_target() -> None:
    """Values, V-statistics and replicates along the targets are those of a reading at each of them."""
    on = system()
    for w, weighting in enumerate(Weighting):
        along = read_along(on, "fnmr", weighting, 1)
        assert along.x.tolist() == list(on.operating_points.targets)
        for a in range(along.x.size):
            place = OperatingPoint(
                rate="fnmr",
                weighting=weighting,
                group_index=1,
                threshold=float(on.operating_points.at_target[w, a]),
                point=a,
            )
            found = read(on, place)
            assert (along.value[a], along.vstat[a]) == (found.value, found.vstat)
            assert (along.too_few_errors[a] is None) == (
                found.errors >= 10 and found.subjects_with_errors >= 10
            )
            for plan in (Plan.IMAGES, Plan.SUBJECTS):
                assert along.replicates[plan][:, a].tolist() == found.replicates[plan].tolist()


@pytest.mark.usefixtures("one_pass")
def test_targets_without_a_threshold_are_refused_in_words() -> None:
    """Where the kept tail ends above the threshold there is no reading, and names the targets."""
    on = system(tail_budget=1)
    along = read_along(on, "fnmr", Weighting.POOLED, 0)
    assert along.x.size == 0
    first, last = on.operating_points.targets[0], on.operating_points.targets[-1]
    said = (
        f"FMR {100 * first:.3g} % to {100 * last:.3g} %: the threshold lies below the floor of the kept tail"
    )
    assert along.refused == (said,)


def test_a_gap_of_a_band_says_why() -> None:
    """A band is missing exactly where there are too few errors, and the note names those targets."""
    on = system()
    along = read_along(on, "fmr", Weighting.IDENTITY, 1)
    named = Drawn(system=on, kind="k", schema="group", group="x", metric="m", rate="fmr")
    made = named.banded(along, interval("recentered", "fixed_identities"), 0.05, (None,) * along.x.size)
    thin = [reason is not None for reason in along.too_few_errors]
    assert any(thin)
    assert not all(thin)
    assert made.low is not None
    assert np.isnan(made.low).tolist() == thin
    assert [note.partition(": ")[2] for note in made.notes] == [f"no band: {TOO_FEW}"]
    uncertain = named.uncertainty(along)
    assert uncertain is not None
    assert np.isnan(uncertain.y).tolist() == thin


def test_without_replicates_of_images_there_is_no_uncertainty() -> None:
    """A spec without image replicates has bands without bounds, which say so, and no normalized uncertainty."""
    on = system(intervals=(interval("vertex", "population"),))
    along = read_along(on, "fnmr", Weighting.IDENTITY, 0)
    named = Drawn(system=on, kind="k", schema=None, group="all", metric="m", rate="fnmr")
    made = named.banded(along, interval("naive", "fixed_identities"), 0.05, (None,) * along.x.size)
    assert made.low is not None
    assert np.isnan(made.low).all()
    assert any("no replicates of images" in note for note in made.notes)
    assert named.uncertainty(along) is None


def test_replicates_that_agree_give_no_bounds() -> None:
    """A point at which every replicate is the same has no band: it would claim certainty."""
    on = system()
    along = read_along(on, "fnmr", Weighting.IDENTITY, 0)
    flat = {Plan.IMAGES: np.repeat(along.value[None], 50, axis=0)}
    named = Drawn(system=on, kind="k", schema=None, group="all", metric="m", rate="fnmr")
    made = named.banded(
        replace(along, replicates=flat),
        interval("recentered", "fixed_identities"),
        0.05,
        (None,) * along.x.size,
    )
    assert made.low == pytest.approx([np.nan] * along.x.size, nan_ok=True)


def test_a_class_without_an_error_leaves_a_gap() -> None:
    """With a class of rate 0 ratios are infinite, Gini is finite; with no error anywhere nothing has a value."""
    zero, none, missing = np.array([0.0, 0.1]), np.zeros(2), np.array([np.nan, 0.1])
    for kind in RateIndex:
        assert _no_value(kind, none) == "no value: no class has an error"
        assert _no_value(kind, missing) == "no value: a class has no comparison"
        assert _no_value(kind, zero) == (None if kind is RateIndex.GINI else "infinite: a class has no error")
        assert _no_value(kind, np.array([0.2, 0.1])) is None
