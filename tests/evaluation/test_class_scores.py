from dataclasses import replace

import numpy as np
import pytest
from small_audits import CLASSES, plain, system_of

from frtaudit.core.estimates import Test, TestMethod
from frtaudit.errors import SpecError
from frtaudit.evaluation.class_scores import check_shares, class_scores, shares_of


def test_the_scores_of_each_class() -> None:
    """Every mated score of a class once, with its subject and its two samples."""
    system = system_of("one")
    held, missing = class_scores(system, "group")
    made = plain("one")
    assert (held.names, held.group_indices, missing) == (CLASSES, (1, 2), [])
    for code, scores in enumerate(held.scores):
        chosen = made.mated & made.inside(code)
        assert scores == pytest.approx(np.sort(made.score[chosen]), abs=1e-6)
    cohort = system.cohort
    for who, pairs in zip(held.subjects, held.pairs, strict=True):
        assert np.array_equal(cohort.subject_of[pairs], np.stack([who, who], axis=1))
    assert held.fewest()[1] == min(len(set(who.tolist())) for who in held.subjects)


def test_shares_in_overall() -> None:
    """All alike by default; declared ones are scaled to sum 1; what cannot be is one line."""
    held, _ = class_scores(system_of("one"), "group")
    assert shares_of({}, held, "w").tolist() == [0.5, 0.5]
    assert shares_of({"group": {"x": 3.0, "y": 1.0}}, held, "w").tolist() == [0.75, 0.25]
    with pytest.raises(SpecError, match=r"^w\.group: no share of y; accepted: a share of each of x, y$"):
        shares_of({"group": {"x": 1.0}}, held, "w")
    with pytest.raises(SpecError, match="a negative share, or none above 0"):
        shares_of({"group": {"x": 0.0, "y": 0.0}}, held, "w")


def test_shares_of_what_the_audit_does_not_have() -> None:
    """A schema or a class that nobody declared is an error, not a share that is passed over."""
    system = system_of("one")
    check_shares({"group": {"x": 3.0, "y": 1.0}}, system, "w")
    with pytest.raises(SpecError, match="w: no schema is named 'grup'; accepted: group"):
        check_shares({"grup": {"x": 1.0}}, system, "w")
    with pytest.raises(SpecError, match=r"w\.group: 'z' is not a class; accepted: x, y"):
        check_shares({"group": {"x": 1.0, "z": 1.0}}, system, "w")


def test_one_small_class_beside_a_large_one_is_noted() -> None:
    """Fewer than 30 subjects by weight in a class and three times as many in another: the note has both numbers.

    Where there is no p there is nothing to note of it.
    """
    found, _ = class_scores(system_of("one"), "group")
    test = Test(p=0.03, alpha=0.05, method=TestMethod.CENTRED_CURVES, detectable_unit="points", power=0.8)
    for sizes, note in (
        ((60, 20), "p may be too small: by weight y has 20 subjects, the largest class 60"),
        ((59, 20), None),
        ((300, 30), None),
    ):
        subjects = tuple(np.repeat(np.arange(size), 2) for size in sizes)
        assert replace(found, subjects=subjects).uneven(test) == note
        assert replace(found, subjects=subjects).uneven(replace(test, p=None, note="too few")) is None
