"""Tests of frtaudit.labelling.settings: what a spec can ask of labels."""

import pytest

from frtaudit.core.spec_values import Limits
from frtaudit.errors import SpecError
from frtaudit.labelling.settings import How


def test_modes_and_limits_that_cannot_be_are_one_line() -> None:
    """Modes that do not ascend, fewer than two faces, no positive: refused where they are written."""
    with pytest.raises(
        SpecError, match=r"^cohort.labels.modes.acme: 0.9, 0.1; accepted: two numbers, non-mated first"
    ):
        How(modes={"acme": (0.9, 0.1)})
    with pytest.raises(SpecError, match=r"^cohort.labels.limits.min_faces: -3; accepted: 2 or more"):
        How(limits=Limits(min_faces=-3))
    with pytest.raises(SpecError, match=r"^cohort.labels.limits.min_positives: 0; accepted: 1 or more"):
        How(limits=Limits(min_positives=0))
