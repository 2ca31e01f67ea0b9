from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from searches import labelling

from frtaudit.core.spec_values import Limits, Rule
from frtaudit.labelling import pictures
from frtaudit.labelling.evaluation import Scores, persons, split
from frtaudit.stats.rates.censoring import Censoring, ScoreAtom


def scores(mated: np.ndarray, non_mated: np.ndarray) -> Scores:
    """Scores of one query."""
    sides = [np.zeros(side.size, dtype=np.int32) for side in (mated, non_mated)]
    return Scores(
        mated=mated,
        non_mated=non_mated,
        mated_query=sides[0],
        non_mated_queries=np.stack([sides[1]] * 2, axis=1),
    )


@given(seed=st.integers(0, 999), values=st.sampled_from([7, 40, 10**6]), size=st.integers(20, 300))
def test_every_point_is_a_pair_of_rates_at_its_threshold(seed: int, values: int, size: int) -> None:
    """FMR and FNMR counted one by one at each threshold, ties or none; FMR ascends, from ten false matches at most."""
    rng = np.random.default_rng(seed)
    of = scores(rng.integers(0, values, 50) + values / 3, rng.integers(0, values, size).astype(float))
    found = pictures.det(of, Censoring(), [0.1])
    assert (np.diff(found.fmr) > 0).all()
    for fmr, cut, fnmr in zip(found.fmr, found.threshold, found.fnmr, strict=True):
        assert fmr == pytest.approx(np.mean(of.non_mated > cut), abs=1e-12)
        assert fnmr == np.mean(of.mated <= cut)
    assert found.fmr.size == 0 or found.fmr[0] * size <= pictures.FEW + 1e-9


def test_nothing_is_drawn_where_scores_hide_it() -> None:
    """Below a floor, at a ceiling, and of too few comparisons."""
    rng = np.random.default_rng(1)
    of = scores(rng.normal(3, 1, 500), rng.normal(0, 1, 500))
    hidden = Censoring(
        floor=ScoreAtom(score=0.5, mated=0.0, non_mated=0.7),
        ceiling=ScoreAtom(score=1.5, mated=0.9, non_mated=0.06),
    )
    found = pictures.det(of, hidden)
    assert found.threshold.size
    assert ((found.threshold > 0.5) & (found.threshold < 1.5)).all()
    assert pictures.det(scores(of.mated, of.non_mated[:19]), Censoring()).fmr.size == 0


def test_histograms_and_rates_cover_all_scores() -> None:
    """Shares of bins sum to one; FMR falls to 0, FNMR rises to 1 over the thresholds."""
    of = labelling()
    service = of.services[2]
    found = split(of.faces, service, persons(of)["estimated"])
    _, shares = pictures.histograms(service, found)
    assert {name: round(float(share.sum()), 9) for name, share in shares.items()} == {
        "mated": 1,
        "non_mated": 1,
    }
    cuts, rates = pictures.over_threshold(service, found)
    assert cuts[0] < cuts[-1]
    assert rates["fmr"][-1] == 0
    assert rates["fnmr"][-1] == 1
    assert (np.diff(rates["fmr"]) <= 0).all()


def test_votes_agree_with_labels_where_there_are_labels() -> None:
    """In queries that are used most services take a face for the person if and only if its label is 1."""
    of = labelling()
    kept = of.labelled.label >= 0
    votes = pictures.voted(of.labelled, Limits().tau)
    assert (votes[kept] == (of.labelled.label[kept] == 1)).all()
    assert pictures.of_queries(of.faces, votes).sum() == votes.sum()


def test_one_example_of_each_kind_by_falling_z() -> None:
    """A query that is used and one with several people, which has two eigenvectors; the matrix is symmetric."""
    of = labelling()
    found = {
        one.reason: one
        for one in pictures.examples(of.faces, of.services[0], of.labelled, Rule.PUBLIC, Limits())
    }
    assert {"", "several"} <= set(found)
    assert found[""].vectors.shape[1] == 1
    assert found["several"].vectors.shape[1] == 2
    assert set(found["several"].label.tolist()) == {-1}
    for one in found.values():
        assert (np.diff(one.z) <= 0).all()
        assert np.array_equal(one.matrix, one.matrix.T)
        assert np.linalg.norm(one.vectors, axis=0) == pytest.approx(1)


def test_shares_are_of_annotated_faces() -> None:
    """Of each query, faces of its person by those said to be of it or not; NaN where nobody said."""
    of = labelling()
    found = pictures.right_shares(of.faces)
    q = 3
    own = of.faces.annotated[of.faces.query_of == q]
    assert found[q] == np.mean(own[own >= 0] == 1)
    blank = replace(of.faces, annotated=np.full(len(of.faces.names), -2, dtype=np.int8))
    assert np.isnan(pictures.right_shares(blank)).all()
