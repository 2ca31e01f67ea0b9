"""Tests of frtaudit.config.replicates."""

import pytest

from frtaudit.config.load import load_spec
from frtaudit.config.replicates import refuse_few_replicates
from frtaudit.errors import SpecError

CLASSES = {"group": ("amber", "birch", "cedar")}


def test_b_is_enough_for_every_finding() -> None:
    """Two systems have ten findings, one has five: 1/(B + 1) is at most alpha over their number."""
    spec = load_spec(["audit=demo", "bootstrap.B=198"])
    refuse_few_replicates(spec, CLASSES, 1)
    with pytest.raises(SpecError, match=r"^bootstrap.B: B = 198 .*\(findings: 10\); accepted: 199 or more$"):
        refuse_few_replicates(spec, CLASSES, 2)
