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


LEVEL = "{name: strict, metric: fnmr_at_fmr, at: {fmr: 0.001}, limit: 0.9, level: 0.98}"
TWO = "{name: both, metric: eer, limit: 0.9, sided: two_sided}"
ONE = "{name: plain, metric: eer, limit: 0.9}"


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ((ONE,), None),
        (
            (ONE, LEVEL),
            r"alpha = 0\.02 \(findings: 2; requirement 'strict' has level 0\.98\); accepted: 99 or more",
        ),
        ((TWO, ONE), r"alpha = 0\.1 \(findings: 2, twice for the two-sided 'both'\); accepted: 39 or more"),
        (
            (TWO, LEVEL),
            r"alpha = 0\.02 \(findings: 2, twice .* 'both'; .* has level 0\.98\); accepted: 199 or more",
        ),
    ],
)
def test_the_requirement_that_decides_is_named(asked: tuple[str, ...], line: str | None) -> None:
    """A level of its own below alpha, and a side that counts twice: without them the number could not be derived."""
    words = ["audit=demo", "bootstrap.B=20", "bootstrap.alpha=0.1", f"requirements=[{','.join(asked)}]"]
    spec = load_spec(words)
    if line is None:
        refuse_few_replicates(spec, CLASSES, 1)
        return
    with pytest.raises(SpecError, match=f"^bootstrap.B: B = 20 is too small for {line}$"):
        refuse_few_replicates(spec, CLASSES, 1)
