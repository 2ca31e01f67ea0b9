"""Interclass bias keeps its promises on synthetic people (FORMULAS 8.7, 8.16): a small part of the study.

Each claim is an exact one-sided binomial test that would alarm falsely with probability 0.001 at most. The whole study,
1000 cohorts, is ``python -m frtaudit.testing.study.bias``.
"""

import numpy as np
import pytest

from frtaudit.testing.study import bias
from frtaudit.testing.study.misses import ALARM, of_share

COHORTS, B, SEED = 60, 199, 11


@pytest.mark.slow
def test_every_claim_about_interclass_bias_holds() -> None:
    """Intervals cover a moved class, the test flags at most alpha, releases too, a planned change is found."""
    found = list(bias.study(COHORTS, B, SEED))
    assert len(found) == len(bias.SHAPES) + 3
    assert [one.claim for one in found if one.p <= ALARM] == []


def test_the_claims_can_fail() -> None:
    """A test that flags every second cohort, and an interval that covers half of them, break their claims."""
    half = np.arange(60) % 2 == 0
    assert of_share("alike", "flags", half, bias.ALPHA, "greater").p < ALARM
    assert of_share("alike", "covers", half, 0.95, "less").p < ALARM
