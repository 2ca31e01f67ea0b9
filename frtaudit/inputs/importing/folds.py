"""Folds by the order of pairs, and the check that each can be used."""

import numpy as np

from frtaudit.core.arrays import Flags, Shorts
from frtaudit.errors import DataError
from frtaudit.inputs.importing.values import Pairs

TENTHS = 10


def positional_folds(mated: Flags, k: int = TENTHS) -> tuple[Shorts | None, str]:
    """The fold of each of P pairs by its position, and a note; None if the order gives no folds.

    Pairs in the order of folds are split in this order. All mated pairs, then all non-mated ones (CALFW, CPLFW): the
    i-th part of each half is fold i, for contiguous folds would have one kind each.

    >>> positional_folds(np.repeat([True, False], 4), k=2)[0].tolist()
    [0, 0, 1, 1, 0, 0, 1, 1]
    >>> positional_folds(np.tile([True, False], 4), k=2)[0].tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """
    size = mated.size
    if not size or size % (2 * k):
        return None, f"no folds: {size} pairs are not {k} parts with equally many of each kind"
    whole = np.repeat(np.arange(k, dtype=np.int16), size // k)
    if np.all(np.bincount(whole, mated, minlength=k) * 2 == size // k):
        return whole, f"{k} folds by order"
    if np.all(mated[: size // 2]) and not np.any(mated[size // 2 :]):
        half = np.repeat(np.arange(k, dtype=np.int16), size // 2 // k)
        return np.tile(half, 2), f"{k} folds: the i-th part of the mated and of the non-mated pairs"
    return None, "no folds: the order of mated and non-mated pairs gives none"


def check_folds(pairs: Pairs, mated: Flags) -> None:
    """Refuse a fold without pairs of both kinds: no threshold and no accuracy could be computed from it."""
    if pairs.fold is None:
        return
    for fold in np.unique(pairs.fold):
        kinds = mated[pairs.fold == fold]
        if kinds.all() or not kinds.any():
            kind = "mated" if kinds.all() else "non-mated"
            raise DataError(
                pairs.file, f"fold {int(fold) + 1} has {kind} pairs only", "folds with pairs of both kinds"
            )
