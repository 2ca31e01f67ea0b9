"""What few subjects of most pairs, or of most images, do to a comparison of systems."""

import re
from dataclasses import replace

import numpy as np
import pytest
from vendor_audits import common

from frtaudit.analyses.comparison import attempts
from frtaudit.analyses.comparison.support import CommonSupport
from frtaudit.evaluation.system import FoldPairs


def alone_in_each_fold() -> FoldPairs:
    """Two subjects, each alone in a fold; all pairs of the first are decided right, six of the second's eight."""
    (made, *_) = (item.system.fold_pairs for item in common().systems)
    assert made is not None
    who, mated = np.repeat([0, 1], 8), np.tile([True, False], 8)
    score = np.where(mated, 0.9, 0.1)
    score[8:10] = [0.1, 0.9]
    second = np.where(mated, who, who + 2)
    return replace(
        made,
        first=who,
        second=second,
        mated=mated,
        score=score,
        folds=who,
        k=2,
        at=np.arange(16),
        overlap=None,
    )


def test_a_fold_of_one_subject_does_not_hide_how_that_subject_differs() -> None:
    """Each subject moves the mean by how far its own accuracy is from that of all, at half of the weight."""
    pairs = alone_in_each_fold()
    value, parts, _ = attempts._fold_accuracy(pairs, pairs.at, pairs.folds, 4)
    assert value == 0.875
    assert parts == pytest.approx(
        [0.0625, -0.0625, 0.03125, -0.03125]
    )  # non-mated pairs count with both subjects


def heavy() -> CommonSupport:
    """The vendors where subject 0 has most of the mated pairs of the folds."""
    systems = []
    for item in common().systems:
        pairs = item.system.fold_pairs
        assert pairs is not None
        first = np.where(pairs.mated & (np.arange(pairs.first.size) % 5 > 0), 0, pairs.first)
        second = np.where(pairs.mated, first, pairs.second)
        system = replace(item.system, fold_pairs=replace(pairs, first=first, second=second))
        systems.append(replace(item, system=system))
    return replace(common(), systems=tuple(systems))


def test_where_one_subject_has_most_accuracy_and_failures_are_not_tested(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Resampled subjects say little of a difference that one of them makes, whatever the number of wrong pairs."""
    (even,) = attempts.failures(common())
    assert not any("by weight" in why for why in even.untested.values())
    failed, who, unit = attempts.failed_attempts([item.system for item in common().systems])
    owner = np.where(np.arange(who.size) % 5 > 0, 0, who)
    monkeypatch.setattr(attempts, "failed_attempts", lambda _: (failed, owner, unit))
    measures = [*attempts.accuracy(heavy()), *attempts.failures(common())]
    assert len(measures) == 2
    for measure in measures:
        assert set(measure.untested) == {(0, 1), (0, 2), (1, 2)}
        assert all(
            re.fullmatch(r"by weight these are [12]\.\d+ subjects; a test needs 20", why)
            for why in measure.untested.values()
        )
    (even,) = attempts.accuracy(common())
    assert not any("by weight" in why for why in even.untested.values())
