"""Lists of pairs with their folds, to take away: as CSV, and in LFW's layout where names and folds allow it."""

import re
from collections.abc import Sequence

import numpy as np

from frtaudit.core import Comparisons
from frtaudit.core.text.file_names import file_name
from frtaudit.evaluation.system import FoldPairs, SystemData
from frtaudit.inputs.review import as_csv

LFW_ID = re.compile(r"(?P<name>.+)_(?P<number>\d{4})")


def fold_files(system: SystemData, name: str, pairs: FoldPairs) -> dict[str, bytes]:
    """The pairs of the test set ``name`` by fold, and by overlapping fold where those were dealt too."""
    files: dict[str, bytes] = {}
    for stem, listed in fold_lists(system, pairs).items():
        files |= pair_files(system.cohort.sample_ids, listed, f"{folder(name)}/{stem}")
    return files


def fold_lists(system: SystemData, pairs: FoldPairs) -> dict[str, Comparisons]:
    """Lists by name. Constructed folds hold the pairs that a system scored: one that scored fewer has its own lists."""
    suffix = f"_{file_name(system.provider)}" if pairs.failed else ""
    lists = {f"pairs{'' if pairs.official else suffix}": pairs.pairs_in(pairs.folds)}
    return lists if pairs.overlap is None else lists | {f"overlapping{suffix}": pairs.pairs_in(pairs.overlap)}


def folder(name: str) -> str:
    """Where the files of the test set ``name`` lie among those of a run."""
    return f"test_sets/{file_name(name)}"


def pair_files(names: Sequence[str], pairs: Comparisons, stem: str) -> dict[str, bytes]:
    """The same pairs as ``stem.csv`` and, where it can hold them, as ``stem.txt`` in LFW's layout.

    ``names``: ids of the samples.
    """
    folded = pairs.fold is not None
    fold = np.zeros(pairs.n_listed, dtype=np.int64) if pairs.fold is None else pairs.fold
    rows = [
        (
            names[pairs.probe[n]],
            names[pairs.reference[n]],
            int(pairs.mated[n]),
            *((int(fold[n]),) if folded else ()),
        )
        for n in np.lexsort((~pairs.mated, fold))
    ]
    files = {f"{stem}.csv": as_csv(("probe", "reference", "mated", *(("fold",) if folded else ())), rows)}
    text = lfw_layout(names, pairs)
    return files if text is None else files | {f"{stem}.txt": text}


def lfw_layout(names: Sequence[str], pairs: Comparisons) -> bytes | None:
    """Pairs as LFW's pairs.txt: ``folds pairs``, then for each fold mated lines, then as many non-mated ones.

    None where a name is not like ``name_0001``, or folds do not hold as many mated as non-mated pairs, all alike.
    """
    used = [LFW_ID.fullmatch(names[n]) for n in np.union1d(pairs.probe, pairs.reference)]
    if any(match is None or any(c.isspace() for c in match["name"]) for match in used) or not pairs.n_listed:
        return None
    fold = np.zeros(pairs.n_listed, dtype=np.int64) if pairs.fold is None else pairs.fold.astype(np.int64)
    sizes = np.stack(
        [np.bincount(fold[of], minlength=int(fold.max()) + 1) for of in (pairs.mated, ~pairs.mated)]
    )
    if np.unique(sizes).size != 1:
        return None
    lines = [f"{sizes.shape[1]}\t{sizes[0, 0]}"]
    for n in np.lexsort((~pairs.mated, fold)).tolist():
        (a, _, i), (b, _, j) = (names[side[n]].rpartition("_") for side in (pairs.probe, pairs.reference))
        lines.append(f"{a}\t{int(i)}\t{int(j)}" if pairs.mated[n] else f"{a}\t{int(i)}\t{b}\t{int(j)}")
    return ("\n".join(lines) + "\n").encode()
