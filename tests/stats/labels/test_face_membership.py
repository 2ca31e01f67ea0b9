import numpy as np
import pytest
from scipy.stats import norm

from frtaudit.stats.labels.face_membership import fewest, histograms, most, refitted, scale_of


def people(seed: int, strangers: int = 900, own: int = 1100) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How alike faces are in three services' eyes, the truth, and a guess that is wrong once in a hundred."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([0.0, 1.0], [strangers, own])
    shared = rng.normal(0, 0.12, truth.size)
    seen = truth[:, None] * [0.5, 0.6, 0.4] + shared[:, None] + rng.normal(0, 0.1, (truth.size, 3))
    return seen, truth, np.where(rng.random(truth.size) < 0.01, 1 - truth, truth)


def test_strangers_lie_about_zero_and_own_faces_about_one() -> None:
    """The means of the two kinds are 0 and 1, by how likely each face is of a kind."""
    seen, _, guess = people(1)
    place = scale_of(seen, guess).place(seen)
    assert np.average(place, weights=1 - guess) == pytest.approx(0, abs=1e-9)
    assert np.average(place, weights=guess) == pytest.approx(1, abs=1e-9)


def test_several_services_part_better_than_the_best_alone() -> None:
    """The discriminant's spread within a kind is smaller than each service's, on the same scale."""
    seen, truth, _ = people(2)
    together = scale_of(seen, truth).place(seen)[truth == 1].std()
    alone = [scale_of(seen[:, [s]], truth).place(seen[:, [s]])[truth == 1].std() for s in range(3)]
    assert together < min(alone)


def test_the_order_of_services_changes_nothing() -> None:
    """The same places to rounding."""
    seen, truth, _ = people(3)
    turned = scale_of(seen[:, ::-1], truth).place(seen[:, ::-1])
    assert turned == pytest.approx(scale_of(seen, truth).place(seen), abs=1e-9)


def test_a_face_that_services_miss_is_placed_by_the_others() -> None:
    """As on the scale of those services alone; nowhere where there is none."""
    seen, truth, _ = people(4)
    scale = scale_of(seen, truth)
    some = seen[:5].copy()
    some[:, 1], some[4] = np.nan, np.nan
    expected = scale_of(seen[:, [0, 2]], truth).place(seen[:4, [0, 2]])
    assert scale.place(some)[:4] == pytest.approx(expected, abs=1e-6)
    assert np.isnan(scale.place(some)[4])


def test_clusters_say_how_likely_a_face_is_the_persons() -> None:
    """Where the truth is two normal clusters, the likelihood is that of Bayes' rule, from a guess with errors."""
    rng = np.random.default_rng(5)
    truth = np.repeat([0.0, 1.0], [30_000, 50_000])
    place = rng.normal(truth, np.where(truth == 1, 0.15, 0.2))
    guess = np.where(rng.random(truth.size) < 0.02, 1 - truth, truth)
    at = np.array([0.3, 0.45, 0.55, 0.7])
    right = 5 * norm.pdf(at, 1, 0.15) / (5 * norm.pdf(at, 1, 0.15) + 3 * norm.pdf(at, 0, 0.2))
    assert histograms(place, guess).own(at)[0] == pytest.approx(right, abs=0.06)


def test_the_more_alike_the_likelier() -> None:
    """Never falls along the scale, 0 below the mean of strangers and where nothing is known."""
    seen, _, guess = people(6)
    place = scale_of(seen, guess).place(seen)
    grid = np.linspace(-2, 3, 200)
    likely = histograms(place, guess).own(np.append(grid, np.nan))[0]
    assert (np.diff(likely[:-1]) >= 0).all()
    assert likely[-1] == likely[:-1][grid < -0.1].max() == 0
    assert likely[:-1].max() > 0.999


def test_refitted_with_every_face_once_stays() -> None:
    """Each mixture is fitted to its own weights: unit weights leave the fit, others move it."""
    seen, _, guess = people(7)
    place = scale_of(seen, guess).place(seen)
    base = histograms(place, guess)
    weights = np.ones((2, place.size))
    weights[1, :400] = 0
    found = refitted(place, weights, base)
    assert found.share[0] == pytest.approx(base.share[0], abs=0.01)
    assert found.share[1, 0] < base.share[0, 0] - 0.1


@pytest.mark.parametrize("own", [5, 1995])
def test_too_few_of_a_kind_are_refused(own: int) -> None:
    """A cluster of fewer than 20 faces has no shape."""
    seen, truth, _ = people(8, 2000 - own, own)
    with pytest.raises(ValueError, match="fewer than 20 faces"):
        scale_of(seen, truth)
    with pytest.raises(ValueError, match="fewer than 20 faces"):
        histograms(seen[:, 0], truth)


def test_at_the_ends_own_faces_start_where_it_is_sure_or_thin_out_slowly() -> None:
    """Few: 0 or 1, 1 from where it is sure. Many: as common below the meeting place as at it, none below strangers."""
    rng = np.random.default_rng(4)
    truth = np.repeat([0.0, 1.0], [800, 1200])
    places = rng.normal(truth, 0.15)
    made = histograms(places, truth)
    low, high = fewest(places, made)[0], most(places, np.ones((1, places.size)), made)[0]
    assert set(low.tolist()) == {0.0, 1.0}
    assert (low <= high).all()
    meet = float(made.meet(0.5)[0])
    assert (high[places >= meet] == 1).all()
    assert (high[places < 0] == 0).all()
    at = np.count_nonzero(np.abs(places - meet) <= 0.05) + 1
    assert high[(places >= 0) & (places < meet)].sum() == pytest.approx(at * meet / 0.1, rel=0.25)


def test_faces_that_are_not_known_are_nobodys_at_either_end() -> None:
    """A place of NaN has probability 0."""
    truth = np.repeat([0.0, 1.0], 100)
    places = np.random.default_rng(5).normal(truth, 0.1)
    made = histograms(places, truth)
    gap = np.array([np.nan, 1.0])
    assert fewest(gap, made).tolist() == most(gap, np.ones((1, 2)), made).tolist() == [[0.0, 1.0]]
