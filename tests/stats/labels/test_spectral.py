import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.spec_values import Limits, Rule
from frtaudit.stats.labels import spectral
from frtaudit.stats.labels.spectral import Reason


def blocks(sizes: list[int], alone: int = 0, inside: float = 0.95, outside: float = 0.05) -> np.ndarray:
    """Confidences of identities with so many faces each, and of faces of nobody else; a little noise, symmetric."""
    who = np.r_[np.repeat(np.arange(len(sizes)), sizes), np.arange(alone) + len(sizes)]
    rng = np.random.default_rng(len(who))
    noise = rng.normal(0.0, 0.02, (who.size, who.size))
    made = np.where(who[:, None] == who, inside, outside) + noise + noise.T
    return spectral.normalised(made, 0.0, 1.0)


def test_one_identity_is_found_under_both_rules() -> None:
    """Nine faces of one person and four of others."""
    for rule in Rule:
        found = spectral.label([blocks([9], 4)] * 3, rule, Limits())
        assert found.reason is None
        assert found.labels.tolist() == [1] * 9 + [0] * 4
        assert (found.z[:9] > 0.8).all()
        assert (found.z[9:] < 0.1).all()


@pytest.mark.parametrize(
    ("confidences", "reason"),
    [
        ([blocks([7, 7])] * 3, Reason.SEVERAL),
        ([blocks([], 12)] * 3, Reason.NONE),
        ([blocks([7]), blocks([7])], Reason.FACES),
        ([blocks([9], 4), blocks([9], 4), blocks([], 13)], Reason.DISAGREE),
    ],
)
def test_a_query_is_left_out_for_a_reason(confidences: list[np.ndarray], reason: Reason) -> None:
    """Two identities as common, none, too few faces, services that disagree: all labels are -1."""
    found = spectral.label(confidences, Rule.PUBLIC, Limits())
    assert found.reason is reason
    assert set(found.labels.tolist()) == {-1}


def test_positives_are_counted_of_each_service_or_after_the_vote() -> None:
    """Two services of three see six faces, the third only four: left out as published, kept as the paper is written."""
    many, few = blocks([6], 4), blocks([6], 4)
    few[4:6, :4] = few[:4, 4:6] = 0.0
    limits = Limits(size=3.0)
    assert spectral.label([many, many, few], Rule.PUBLIC, limits).reason is Reason.POSITIVES
    kept = spectral.label([many, many, few], Rule.PAPER, limits)
    assert kept.labels.tolist() == [1] * 6 + [0] * 4


def test_services_that_see_different_people_leave_the_query_out() -> None:
    """Each sees one person of six faces, no two the same: nobody has most votes, and both rules say so."""
    sees = [np.eye(18) for _ in range(3)]
    for place, one in enumerate(sees):
        one[6 * place : 6 * place + 6, 6 * place : 6 * place + 6] = 1.0
    for rule in Rule:
        found = spectral.label(sees, rule, Limits())
        assert [view.clusters for view in found.views] == [1, 1, 1]
        assert found.reason is Reason.PEOPLE
        assert set(found.labels.tolist()) == {-1}
        assert spectral.label([sees[0], sees[0], sees[1]], rule, Limits()).labels.sum() == 6


def test_the_two_rules_part_where_eigenvalues_fall_slowly() -> None:
    """17.2, 4.8, 3.8 is kept by the gap and dropped by the count; 4.9, 3.9, 2.9 the other way round (FORMULAS 5)."""
    for values, public, paper in (([17.2, 4.8, 3.8], 1, 2), ([4.9, 3.9, 2.9], 0, 1)):
        sizes = np.diag([*values, *np.full(9, 0.5)])
        assert spectral.view(sizes, Rule.PUBLIC, Limits()).clusters == public
        assert spectral.view(sizes, Rule.PAPER, Limits()).clusters == paper


def test_a_face_without_scores_leaves_and_nobody_else() -> None:
    """A face that misses all scores goes; two that miss the score of their own pair go together."""
    gone = np.zeros((6, 6), dtype=bool)
    gone[2, :] = gone[:, 2] = True
    assert np.flatnonzero(~spectral.complete(gone)).tolist() == [2]
    gone = np.zeros((6, 6), dtype=bool)
    gone[1, 4] = gone[4, 1] = True
    assert np.flatnonzero(~spectral.complete(gone)).tolist() == [1, 4]
    assert spectral.complete(np.ones((3, 3), dtype=bool)).tolist() == [False] * 3


def test_both_orders_of_a_pair_are_one_comparison() -> None:
    """The mean of the two scores; modes in the wrong order are refused."""
    made = spectral.normalised(np.array([[9.0, 2.0], [4.0, 9.0]]), 0.0, 10.0)
    assert made.tolist() == [[1.0, 0.3], [0.3, 1.0]]
    with pytest.raises(ValueError, match="modes 1.0 and 1.0"):
        spectral.normalised(np.eye(2), 1.0, 1.0)


@given(sizes=st.lists(st.integers(3, 9), min_size=2, max_size=4), seed=st.integers(0, 99))
def test_rotation_finds_the_blocks_of_twins(sizes: list[int], seed: int) -> None:
    """Indicators mixed by any rotation come back, each once, nothing negative beyond a hair."""
    who = np.repeat(np.arange(len(sizes)), sizes)
    ideal = (who[:, None] == np.arange(len(sizes))) / np.sqrt(sizes)
    mix, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(sizes), len(sizes))))
    found = spectral.rotated(ideal @ mix)
    assert np.minimum(found, 0.0).min() > -1e-3
    assert np.allclose(found, ideal, atol=2e-3)


def test_several_identities_are_told_apart() -> None:
    """Beyond the paper: two people as common, strangers belong to neither; numbered by the first face."""
    confidences = [blocks([6, 6], 3)] * 3
    assert spectral.identities(confidences, Rule.PUBLIC, Limits()).tolist() == [0] * 6 + [1] * 6 + [-1] * 3
    assert spectral.identities([blocks([], 12)] * 3, Rule.PUBLIC, Limits()).tolist() == [-1] * 12


@given(seed=st.integers(0, 999))
def test_order_of_faces_and_services_changes_no_label(seed: int) -> None:
    """Labels follow their faces through any permutation, under both rules and for several identities."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(4, 10, rng.integers(1, 4)).tolist()
    confidences = [blocks(sizes, 4, inside) for inside in (0.9, 0.95, 0.7)]
    order, services = rng.permutation(len(confidences[0])), rng.permutation(3)
    moved = [confidences[k][np.ix_(order, order)] for k in services]
    for rule in Rule:
        before, after = (spectral.label(items, rule, Limits()) for items in (confidences, moved))
        assert before.labels[order].tolist() == after.labels.tolist()
        assert before.reason == after.reason
        one, other = (spectral.identities(items, rule, Limits()) for items in (confidences, moved))
        assert {frozenset(order[np.flatnonzero(other == k)]) for k in range(other.max() + 1)} == {
            frozenset(np.flatnonzero(one == k)) for k in range(one.max() + 1)
        }


def test_leading_vectors_are_those_of_the_identities() -> None:
    """Two blocks: two unit columns, one indicator each; nobody who prevails: the largest alone."""
    block = np.kron(np.eye(2), np.ones((6, 6)))
    found = spectral.leading(block, Rule.PUBLIC, Limits())
    assert np.round(found * np.sqrt(6), 6).tolist() == [[1, 0]] * 6 + [[0, 1]] * 6
    assert spectral.leading(np.eye(9), Rule.PUBLIC, Limits()).shape == (9, 1)
