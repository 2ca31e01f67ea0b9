"""A comparison of vendors keeps its promises (FORMULAS 8.2, 8.9, 8.16): a small part of the study.

Each claim is an exact one-sided binomial test, or a t test, with a false alarm of at most 0.001. The whole
study is ``python -m frtaudit.testing.study.compare``.
"""

import pytest

from frtaudit.testing.study import compare
from frtaudit.testing.study.misses import ALARM

COHORTS, B, SEED = 20, 99, 7


@pytest.mark.slow
def test_every_claim_about_vendors_holds() -> None:
    """Significant at most at alpha, paired at most 0.8 as wide, signs flip, planted differences found."""
    found = list(compare.study(COHORTS, B, SEED, compare.SCENES[3:]))
    assert [one.claim for one in found if one.p <= ALARM] == []
    assert len(found) >= 10
