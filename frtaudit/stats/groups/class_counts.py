"""Non-mated comparisons of each subject with each class: how many there are, and how many match by mistake."""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.scores import ScoreTail
from frtaudit.stats.rates.sums import BelowFloorError, first_not_above
from frtaudit.stats.rates.trials import block_sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassSums(FrozenArrays):
    """Of each subject k with the subjects of each class c, shape (K, C).

    ``errors`` int64: sum of e_kl; ``shares`` float64: sum of e_kl / n_kl; ``trials`` int64: sum of n_kl; ``partners``
    int64: how many of them k was compared with. ``code`` (K,) int64: the class of each subject.
    """

    errors: Ints
    shares: Floats
    trials: Ints
    partners: Ints
    code: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassTrials(FrozenArrays):
    """The ``trials``, ``partners`` and ``code`` of :class:`ClassSums`, which no threshold moves."""

    trials: Ints
    partners: Ints
    code: Ints


def class_trials(tail: ScoreTail, code: Ints, n_classes: int) -> ClassTrials:
    """Comparisons and partners of each subject with each class; ``code`` (K,) int64 in 0..n_classes-1.

    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])
    >>> class_trials(tail, np.array([0, 1]), 2).trials.tolist()
    [[0, 2], [2, 0]]
    """
    if tail.blocks is None:
        trials, partners = _complete(tail.n_samples, tail.cells, code, n_classes)
    else:
        first, second = tail.blocks.k.astype(np.int64), tail.blocks.l.astype(np.int64)
        trials, partners = (
            _spread(first, second, code, n_classes, each).astype(np.int64)
            for each in (tail.blocks.count.astype(np.float64), np.ones(first.size))
        )
    return ClassTrials(trials=trials, partners=partners, code=code)


def block_squares(tail: ScoreTail, code: Ints, n_classes: int) -> Floats:
    """Sum of n_kl^2 of each subject with each class (K, C), as :func:`class_trials` has the sum of n_kl.

    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])
    >>> block_squares(tail, np.array([0, 1]), 2).tolist()
    [[0.0, 4.0], [4.0, 0.0]]
    """
    if tail.blocks is None:
        return _complete(np.square(tail.n_samples), tail.cells, code, n_classes)[0].astype(np.float64)
    first, second = tail.blocks.k.astype(np.int64), tail.blocks.l.astype(np.int64)
    return _spread(first, second, code, n_classes, np.square(tail.blocks.count.astype(np.float64)))


def class_sums(tail: ScoreTail, threshold: float, comparisons: ClassTrials) -> ClassSums:
    """Errors (score > threshold) of each subject with each class, beside the comparisons.

    Raises :class:`BelowFloorError` for a threshold below the tail's floor.

    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])
    >>> class_sums(tail, 0.25, class_trials(tail, np.array([0, 1]), 2)).errors.tolist()
    [[0, 1], [1, 0]]
    """
    if threshold < tail.cutoff:
        raise BelowFloorError(f"threshold {threshold:g}", tail.cutoff)
    end = first_not_above(tail.tail_score, threshold)
    first, second = tail.subject_of[tail.tail_i[:end]], tail.subject_of[tail.tail_j[:end]]
    share = 1.0 / block_sizes(tail, first, second)
    ends = first.astype(np.int64), second.astype(np.int64)
    n_classes = comparisons.trials.shape[1]
    return ClassSums(
        errors=_spread(*ends, comparisons.code, n_classes, np.ones(end)).astype(np.int64),
        shares=_spread(*ends, comparisons.code, n_classes, share),
        trials=comparisons.trials,
        partners=comparisons.partners,
        code=comparisons.code,
    )


def _spread(first: Ints, second: Ints, code: Ints, n_classes: int, value: Floats) -> Floats:
    """Add each pair's value to both subjects, under the other's class: (K, C)."""
    size = code.size * n_classes
    sides = ((first, second), (second, first))
    forward, other = (np.bincount(a * n_classes + code[b], weights=value, minlength=size) for a, b in sides)
    return np.asarray((forward + other).reshape(code.size, n_classes), dtype=np.float64)


def _complete(n_samples: Ints, cells: Index, code: Ints, n_classes: int) -> tuple[Ints, Ints]:
    """Every pair within a cell was compared: n_k times the samples of the class in the cell, without its own."""
    counts = (n_samples > 0) & (cells >= 0)
    room = np.where(counts, cells, 0).astype(np.int64)
    key = (room * n_classes + code)[counts]
    size = (int(room.max(initial=0)) + 1) * n_classes
    samples = np.bincount(key, weights=n_samples[counts], minlength=size).reshape(-1, n_classes)[room]
    people = np.bincount(key, minlength=size).reshape(-1, n_classes)[room]
    same_class = np.arange(n_classes) == code[:, None]
    n_k = n_samples[:, None]
    trials = np.where(counts[:, None], n_k * (samples.astype(np.int64) - same_class * n_k), 0)
    return trials.astype(np.int64), np.where(counts[:, None], people - same_class, 0).astype(np.int64)
