"""Tests of frtaudit.testing.study.decisions."""

from pathlib import Path

import numpy as np
import pytest

from frtaudit.core.spec import Weighting
from frtaudit.testing.populations import ISOTROPIC, Sampled
from frtaudit.testing.study.decisions import PLACE, Decided, design, table, tries, truth_of
from frtaudit.testing.study.pages import between
from frtaudit.testing.study.sets.scored_sets import made

ROOT = Path(__file__).parents[3]


def row(lower: tuple[int, ...] = (0, 0, 0, 0), upper: tuple[int, ...] = (0, 0, 0, 0)) -> Decided:
    """A design of 3,000 cohorts."""
    return Decided(set="isotropic", people=60, rate="accuracy", cohorts=3000, lower=lower, upper=upper)


def test_transactions_are_those_of_a_hand_count() -> None:
    """Three people of one, two and four images: the last two take part, one with two transactions."""
    angle = np.radians([0.0, 10.0, 20.0, 90.0, 92.0, 130.0, 91.0])
    vectors = np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)
    found = tries(Sampled(vectors=vectors, subject_of=np.array([0, 1, 1, 2, 2, 2, 2])))
    assert found.owner.tolist() == [0, 1, 1]
    assert found.made.tolist() == [1, 2, 1]
    expected = np.cos(np.radians([[10, 70], [82, 2], [81, 1]]))
    assert found.score[:, :, 0] == pytest.approx(expected, abs=1e-6)
    assert found.score[1, :, 1] == pytest.approx(np.cos(np.radians([120, 40])), abs=1e-6)
    truth = truth_of(found, 0.4)  # one of three impostors: 70 degrees, the least
    assert truth.far == {Weighting.POOLED: pytest.approx(1 / 3), Weighting.IDENTITY: pytest.approx(1 / 3)}
    assert truth.frr == {Weighting.POOLED: 0, Weighting.IDENTITY: 0}


def test_a_small_study_has_a_row_for_every_rate() -> None:
    """FAR and FRR in both weightings, and accuracy; few misses in few cohorts."""
    found = design(made(ISOTROPIC, (2, 4), 400, seed=3), 40, 0.02, 20)
    assert [item.rate for item in found] == [
        "FAR, pooled", "FRR, pooled", "FAR, identity", "FRR, identity", "accuracy",
    ]  # fmt: skip
    assert all(item.cohorts == 20 and not item.broken for item in found)


def test_a_row_beyond_the_bar_is_named() -> None:
    """Misses above 1.2 times nominal, by an exact test."""
    assert not row(lower=(150, 0, 0, 0)).broken
    assert "holds" in table([row(lower=(150, 0, 0, 0))])
    assert "claim rejected: upper 0.05" in table([row(upper=(300, 0, 0, 0))])


def test_no_claim_on_the_page_is_rejected() -> None:
    """docs/methods/guarantees.md: ten rates of two real sets at least, of 2,000 cohorts; no claim is rejected."""
    rows = between((ROOT / "docs" / "methods" / "guarantees.md").read_text("utf-8"), PLACE).splitlines()[2:]
    assert len(rows) >= 20
    assert all(1950 <= int(line.split(" | ")[5]) <= 2000 for line in rows)
    assert not [line for line in rows if "claim rejected" in line]
