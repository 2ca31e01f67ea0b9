import numpy as np
import pytest

from frtaudit.testing.web_searches import NOISE, Truth, search


@pytest.mark.parametrize("truth", list(Truth))
def test_the_seed_decides(truth: Truth) -> None:
    """One seed makes one search, scores and all; another makes another."""
    one, two, other = (search(truth, 8, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert one[0].names == two[0].names
    assert all(np.array_equal(a.score, b.score) for a, b in zip(one[1], two[1], strict=True))
    assert not np.array_equal(one[1][0].score[:5], other[1][0].score[:5])


def test_what_makes_a_search_hard_is_seen_in_the_scores() -> None:
    """Hard people lower mated scores; relatives raise scores of others within a query; noise lowers both services'."""
    mated, others = {}, {}
    for truth in Truth:
        faces, services = search(truth, 150, np.random.default_rng(3))
        one = services[0]
        same = faces.query_of[one.first] == faces.query_of[one.second]
        own = faces.annotated == 1
        mated[truth] = one.score[same & own[one.first] & own[one.second]]
        others[truth] = one.score[same & (own[one.first] != own[one.second])]
    assert np.quantile(mated[Truth.HARD], 0.05) < np.quantile(mated[Truth.EASY], 0.05) - 0.05
    assert np.quantile(others[Truth.RELATIVES], 0.97) > np.quantile(others[Truth.EASY], 0.97) + 0.05
    assert len(services) == len(NOISE)
    assert 0.45 <= (faces.annotated == 1).mean() <= 0.9
