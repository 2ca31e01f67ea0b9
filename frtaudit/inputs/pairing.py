"""From pairs of samples to comparisons: which non-mated ones count, and which rows of two lists are the same pair."""

import numpy as np

from frtaudit.core.arrays import Index, Ints, Shorts
from frtaudit.core.cohort import Cohort
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.spec_values import NonMated, OrderRule
from frtaudit.errors import SpecError

ONCE = "each comparison once, or once in each order"


def cells_of(cohort: Cohort, non_mated: NonMated, within: str | None) -> Index:
    """The cell of each subject, shape (K,), int32: a non-mated comparison counts within one cell only, -1 = none.

    ``all``: one cell. ``within_group``: the classes of schema ``within`` (default: the first one). ``yoked``: the
    combinations of the classes of every schema. A subject of unknown class is in no cell. Raises
    :class:`SpecError` when there is no such schema.
    """
    schemas = list(cohort.classifications)
    if non_mated is NonMated.ALL:
        return np.zeros(cohort.n_subjects, dtype=np.int32)
    if not schemas or (within is not None and within not in schemas):
        text = f"no schema {within!r}" if within else f"non_mated={non_mated.value} without a schema"
        raise SpecError("protocol.within", text, ", ".join(schemas) or "a schema in schemas")
    if non_mated is NonMated.WITHIN_GROUP:
        schemas = [within or schemas[0]]
    codes = np.stack([cohort.classifications[name].codes.astype(np.int32) for name in schemas])
    unknown = np.any(codes < 0, axis=0)
    cells = np.full(cohort.n_subjects, -1, dtype=np.int32)
    cells[~unknown] = np.unique(codes[:, ~unknown], axis=1, return_inverse=True)[1].reshape(-1)
    return cells


def implied_comparisons(cells: Index) -> Comparisons:
    """All pairs: nothing is listed."""
    none = np.empty(0, dtype=np.int32)
    return Comparisons(all_pairs=True, probe=none, reference=none, mated=none.astype(np.bool_), cells=cells)


def listed_comparisons(
    cohort: Cohort,
    probe: Index,
    reference: Index,
    cells: Index | None = None,
    *,
    fold: Shorts | None = None,
    ordered: bool = False,
    order_rule: OrderRule = OrderRule.MEAN,
    transaction: Index | None = None,
) -> Comparisons:
    """Comparisons of listed pairs: all mated ones, and the non-mated ones within a cell.

    Parameters
    ----------
    cohort : Cohort
        Whose samples are compared.
    probe, reference : ndarray of int32, shape (P,)
        Cohort indices of the two samples of each pair.
    cells : ndarray of int32, shape (K,), optional
        Cell of each subject; -1 is in no cell. Without cells every non-mated pair counts.
    fold : ndarray of int16, shape (P,), optional
        Fold of each pair.
    ordered : bool
        Whether A-B and B-A are both listed.
    order_rule : OrderRule
        Whether the two orders count as one comparison with their mean score, or as one each.
    transaction : ndarray of int32, shape (P,), optional
        Transaction that each pair is an attempt of, in the order of its attempts.

    Returns
    -------
    Comparisons
        The pairs that count, in their order.

    Raises
    ------
    ValueError
        A sample is compared with itself; ``probe``, ``reference``, ``fold`` and ``transaction`` differ in length; or
        ``cells`` has not one cell of each subject.

    Examples
    --------
    >>> cohort = Cohort(sample_ids=("a1", "a2", "b1"), subject_ids=("a", "b"), subject_of=np.array([0, 0, 1], np.int32),
    ...                 classifications={}, digest="")
    >>> pairs = np.array([0, 0], np.int32), np.array([1, 2], np.int32)
    >>> listed_comparisons(cohort, *pairs).mated.tolist()
    [True, False]
    """
    per_pair = {"probe": probe, "reference": reference, "fold": fold, "transaction": transaction}
    lengths = {name: values.size for name, values in per_pair.items() if values is not None}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"lengths differ: {', '.join(f'{size} {name}' for name, size in lengths.items())}")
    cells = np.zeros(cohort.n_subjects, dtype=np.int32) if cells is None else cells
    if cells.size != cohort.n_subjects:
        raise ValueError(f"lengths differ: {cells.size} cells of {cohort.n_subjects} subjects")
    mated = cohort.subject_of[probe] == cohort.subject_of[reference]
    a, b = cells[cohort.subject_of[probe]], cells[cohort.subject_of[reference]]
    counts = mated | ((a == b) & (a >= 0))
    return Comparisons(
        all_pairs=False,
        probe=probe[counts],
        reference=reference[counts],
        mated=mated[counts],
        cells=cells,
        fold=None if fold is None else fold[counts],
        ordered=ordered,
        order_rule=order_rule,
        transaction=None if transaction is None else transaction[counts],
    )


def pair_keys(probe: Index, reference: Index, *, ordered: bool) -> Ints:
    """One integer per pair, shape (P,), int64; the order within a pair counts only when ``ordered``.

    >>> bool(np.diff(pair_keys(np.array([1, 2]), np.array([2, 1]), ordered=False))[0])
    False
    """
    a, b = probe.astype(np.int64), reference.astype(np.int64)
    if not ordered:
        a, b = np.minimum(a, b), np.maximum(a, b)
    return (a << 31) | b


def occurrence(keys: Ints) -> Ints:
    """How many times each key stood before, shape (P,), int64.

    >>> occurrence(np.array([7, 8, 7, 7])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    starts = np.flatnonzero(np.diff(ranked, prepend=ranked[:1] - 1))
    sizes = np.diff(starts, append=ranked.size)
    result = np.empty(keys.size, dtype=np.int64)
    result[order] = np.arange(keys.size) - np.repeat(starts, sizes)
    return result


def align(wanted: Ints, have: Ints) -> Ints:
    """For each wanted key the position of the same occurrence of it in ``have``, -1 where there is none.

    >>> align(np.array([5, 5, 9]), np.array([9, 5])).tolist()
    [1, -1, 0]
    """
    order = np.lexsort((occurrence(have), have))
    low = np.searchsorted(have[order], wanted, side="left")
    high = np.searchsorted(have[order], wanted, side="right")
    position = low + occurrence(wanted)
    matched = position < high
    result = np.full(wanted.size, -1, dtype=np.int64)
    result[matched] = order[position[matched]]
    return result


def repeated(probe: Index, reference: Index) -> tuple[int, int] | None:
    """The first row whose pair of samples an earlier row holds in the same order, and that row; None without one.

    A sample with itself is no comparison, and is not looked at.

    >>> repeated(np.array([1, 2, 3, 1]), np.array([2, 1, 3, 2]))
    (3, 0)
    """
    keys = pair_keys(probe, reference, ordered=True)
    again = np.flatnonzero((occurrence(keys) > 0) & (probe != reference))
    return (int(again[0]), int(np.argmax(keys == keys[again[0]]))) if again.size else None


def both_orders(probe: Index, reference: Index) -> bool:
    """Whether some pair of samples stands in both orders, as a sample with itself does."""
    if bool(np.any(probe == reference)):
        return True
    up, down = probe < reference, probe > reference
    forward = np.sort(pair_keys(probe[up], reference[up], ordered=True))
    backward = pair_keys(reference[down], probe[down], ordered=True)
    if not forward.size or not backward.size:
        return False
    place = np.minimum(np.searchsorted(forward, backward), forward.size - 1)
    return bool(np.any(forward[place] == backward))


def repeated_notes(where: str, listed: Comparisons) -> tuple[str, ...]:
    """A sentence where a list names a pair of samples more than once; ``where``: what lists it."""
    keys = pair_keys(listed.probe, listed.reference, ordered=listed.ordered)
    count = int(np.count_nonzero(occurrence(keys)))
    note = f"{where}: {count} of {listed.n_listed} pairs were listed before: each counts again"
    return (note,) if count else ()
