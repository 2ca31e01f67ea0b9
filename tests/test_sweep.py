from dataclasses import replace

import numpy as np
import pytest
from small_audits import interval, put, spec

from frtaudit.core.spec import CurveGrid, Plan, Reach, Thresholds, Weighting
from frtaudit.inference import Place, read
from frtaudit.sweep import THIN, Drawn, sweep
from frtaudit.trial import Trial

GRID = CurveGrid(per_decade=5, reach=Reach.RESOLUTION)


def trial(**changes: object) -> Trial:
    """A small trial with recentered intervals and targets down to the resolution."""
    wanted = (interval("recentered", "fixed_identities"), interval("vertex", "population"))
    made = {"thresholds": Thresholds(fmr=(0.1,), curve=GRID), "intervals": wanted, **changes}
    return put(spec(**made), "two")


def test_a_sweep_is_the_readings_at_every_target() -> None:
    """Values, V-statistics and replicates along the targets are those of a reading at each of them."""
    on = trial()
    for w, weighting in enumerate(Weighting):
        swept = sweep(on, "fnmr", weighting, 1)
        assert swept.x.tolist() == list(on.points.targets)
        for a in range(swept.x.size):
            place = Place(
                rate="fnmr", weighting=weighting, tag=1, threshold=float(on.points.at_target[w, a]), point=a
            )
            found = read(on, place)
            assert (swept.value[a], swept.vstat[a]) == (found.value, found.vstat)
            assert (swept.thin[a] is None) == (found.errors >= 10 and found.erring >= 10)
            for plan in (Plan.IMAGES, Plan.SUBJECTS):
                assert swept.replicates[plan][:, a].tolist() == found.replicates[plan].tolist()


def test_targets_without_a_threshold_are_refused_in_words() -> None:
    """Where the kept tail ends above the threshold the sweep has no point, and names the targets."""
    on = trial(tail_budget=1)
    swept = sweep(on, "fnmr", Weighting.POOLED, 0)
    assert swept.x.size == 0
    first, last = on.points.targets[0], on.points.targets[-1]
    said = f"FMR {first:.3g} to {last:.3g}: the threshold lies below the floor of the kept tail"
    assert swept.refused == (said,)


def test_a_gap_of_a_band_says_why() -> None:
    """A band is missing exactly where there are too few errors, and the note names those targets."""
    on = trial()
    swept = sweep(on, "fmr", Weighting.IDENTITY, 1)
    named = Drawn(trial=on, kind="k", schema="group", group="x", metric="m", rate="fmr")
    made = named.banded(swept, interval("recentered", "fixed_identities"), 0.05, (None,) * swept.x.size)
    thin = [reason is not None for reason in swept.thin]
    assert any(thin)
    assert not all(thin)
    assert made.low is not None
    assert np.isnan(made.low).tolist() == thin
    assert [note.partition(": ")[2] for note in made.notes] == [f"no band: {THIN}"]
    uncertain = named.uncertainty(swept)
    assert uncertain is not None
    assert np.isnan(uncertain.y).tolist() == thin


def test_without_replicates_of_images_there_is_no_uncertainty() -> None:
    """A spec without image replicates has bands without bounds, which say so, and no normalized uncertainty."""
    on = trial(intervals=(interval("vertex", "population"),))
    swept = sweep(on, "fnmr", Weighting.IDENTITY, 0)
    named = Drawn(trial=on, kind="k", schema=None, group="all", metric="m", rate="fnmr")
    made = named.banded(swept, interval("naive", "fixed_identities"), 0.05, (None,) * swept.x.size)
    assert made.low is not None
    assert np.isnan(made.low).all()
    assert any("no replicates of images" in note for note in made.notes)
    assert named.uncertainty(swept) is None


def test_replicates_that_agree_give_no_bounds() -> None:
    """A point at which every replicate is the same has no band: it would claim certainty."""
    on = trial()
    swept = sweep(on, "fnmr", Weighting.IDENTITY, 0)
    flat = {Plan.IMAGES: np.repeat(swept.value[None], 50, axis=0)}
    named = Drawn(trial=on, kind="k", schema=None, group="all", metric="m", rate="fnmr")
    made = named.banded(
        replace(swept, replicates=flat),
        interval("recentered", "fixed_identities"),
        0.05,
        (None,) * swept.x.size,
    )
    assert made.low == pytest.approx([np.nan] * swept.x.size, nan_ok=True)
