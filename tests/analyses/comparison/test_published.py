import numpy as np
from vendor_audits import result, trials

from frtaudit.analyses.comparison import published
from frtaudit.analyses.comparison.published import CODES, SPLITS, TWO_MODELS, TWO_SPLITS, ZONES
from frtaudit.core import Curve, Method, Target
from frtaudit.evaluation.system import WEIGHTINGS
from frtaudit.stats.rates import rates
from frtaudit.stats.systems import support


def curves(kind: str) -> list[Curve]:
    """The curves of a kind in the shared audit."""
    return [item for item in result().curves if item.analysis == kind]


def test_two_models_have_a_recentred_band_each() -> None:
    """Named in the spec: the first and the third system, for the same subjects with new images."""
    found = curves(TWO_MODELS)
    assert [item.provider for item in found] == ["one", "three"]
    assert all((item.method, item.target) == (Method.RECENTERED, Target.FIXED_IDENTITIES) for item in found)
    assert all(item.low is not None for item in found)


def test_halves_are_those_of_the_paper() -> None:
    """Half the images of every subject in each part, single images out, odd ones in turn (002, A.3)."""
    sizes = np.array([1, 2, 3, 5, 7, 4])
    owner = np.repeat(np.arange(6), sizes)
    part = published.halves(owner, np.random.default_rng(4))
    counts = np.array([[np.count_nonzero(part[owner == k] == side) for side in (0, 1)] for k in range(6)])
    assert counts.tolist() == [[0, 0], [1, 1], [2, 1], [2, 3], [4, 3], [2, 2]]
    assert np.count_nonzero(part == -1) == 1


def test_two_splits_are_read_on_half_the_images() -> None:
    """Two curves of every system, the first one's band alone; the last point of one by the restricted tail itself."""
    found = curves(TWO_SPLITS)
    assert [(item.provider, item.group) for item in found] == [
        (name, split) for name in ("one", "three", "two", "twin") for split in SPLITS
    ]
    assert [item.low is not None for item in found] == [True] + [False] * 7
    system = trials()[2]
    from frtaudit.core.canonical import seed_of

    rng = np.random.default_rng(seed_of(system.spec.seed, TWO_SPLITS))
    part = published.halves(system.cohort.subject_of.astype(np.int64), rng)
    tail = support.restricted(system.tail, part == 1)
    target = found[3].x[-1]
    t = rates.threshold_at(tail, system.groups, target, system.spec.weighting)
    w = WEIGHTINGS.index(system.spec.weighting)
    made = rates.rates(tail, system.groups, [t])
    assert found[3].y[-1] == float((made.frr if w else made.fnmr)[0, 0])


def test_zones_agree_with_estimates_and_upper_bounds() -> None:
    """1 and -1 where both favour one system, 0 where they do not, at every target with both."""
    first, second = curves(ZONES)
    (codes,) = curves(CODES)
    assert (codes.provider, codes.group) == ("one", "three")
    assert first.high is not None
    assert second.high is not None
    for x, code in zip(codes.x, codes.y, strict=True):
        a, b = first.x.index(x), second.x.index(x)
        estimate = np.sign(second.y[b] - first.y[a])
        upper = np.sign(second.high[b] - first.high[a])
        assert code == (estimate if estimate == upper else 0)
