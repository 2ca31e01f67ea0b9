"""Tests of frtaudit.testing.study.planted_duplicates."""

import numpy as np

from frtaudit.testing.populations import ISOTROPIC
from frtaudit.testing.study.planted_duplicates import Flagged, drawn, split, table
from frtaudit.testing.study.sets.scored_sets import tail_of
from frtaudit.testing.study.sets.superpopulation import RealSet


def small() -> RealSet:
    """40 synthetic people of ten images and ten of three."""
    rng = np.random.default_rng(3)
    sampled = ISOTROPIC.subjects(rng, 50).samples(rng, np.array([10] * 40 + [3] * 10))
    return RealSet(name="small", tail=tail_of(sampled), templates=sampled)


def test_people_are_split_in_halves_and_nothing_is_lost() -> None:
    """Each planted label has half of its person's images; people of few images take no part."""
    of = small()
    sampled, whose = split(of, 10, 5, np.random.default_rng(1))
    assert len(sampled.vectors) == 400
    images = np.bincount(sampled.subject_of)
    assert images[40:].tolist() == [5] * 5
    assert [images[k] for k in whose[40:]] == [5] * 5
    assert np.sort(images[:40]).tolist() == [5] * 5 + [10] * 35


def test_planted_pairs_are_counted_apart_from_others() -> None:
    """Among people who are far apart most of the planted pairs are found and no other."""
    hit, others, by_one_cut = drawn(small(), 10, 5, np.random.default_rng(1))
    assert 3 <= hit <= 5
    assert others == 0
    assert by_one_cut <= hit


def test_the_bar_is_that_of_every_draw() -> None:
    """16 of 20 at least and two others at most; a draw beyond it is named."""
    row = Flagged(system="s", found=(16, 20), others=(0, 2), by_one_cut=(17, 12), of_all=7)
    assert row.holds
    assert "| s | 16 20 | 2 | 7 | holds | 12 17 |" in table([row])
    for found, others in (((15, 20), (0, 0)), ((20, 20), (0, 3))):
        low = Flagged(system="s", found=found, others=others, by_one_cut=found, of_all=7)
        assert not low.holds
        assert "claim rejected" in table([low])
