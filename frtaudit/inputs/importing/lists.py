"""Pairs of images by name, as lists give them, as arrays of a set's samples."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from frtaudit.core.arrays import Flags, Shorts
from frtaudit.core.text.formatting import counted
from frtaudit.inputs.importing.contents import Contents
from frtaudit.inputs.importing.folds import positional_folds
from frtaudit.inputs.importing.values import Pairs


def pairs_of(
    file: str,
    sides: tuple[Sequence[str], Sequence[str]],
    ids: Sequence[str],
    *,
    first: int = 1,
    step: int = 1,
    mated: Flags | None = None,
    fold: Shorts | None = None,
) -> Pairs:
    """Pairs by sample; pair i is in line ``first + i * step`` of ``file``.

    >>> pairs_of("pairs.txt", (["a"], ["b"]), ["b", "a"]).probe.tolist()
    [1]
    """
    number = {name: i for i, name in enumerate(ids)}
    probe, reference = (np.array([number[name] for name in side], dtype=np.int32) for side in sides)
    lines = first + step * np.arange(probe.size, dtype=np.int64)
    return Pairs(file=file, probe=probe, reference=reference, lines=lines, mated=mated, fold=fold)


def two_by_two(file: str, mated: Flags) -> tuple[Pairs, str]:
    """Pair i of images 2i and 2i + 1, with the folds that their order gives, and a note on these."""
    rows, (fold, note) = np.arange(mated.size, dtype=np.int32), positional_folds(mated)
    lines = rows.astype(np.int64) + 1
    return Pairs(file=file, probe=2 * rows, reference=2 * rows + 1, lines=lines, mated=mated, fold=fold), note


def with_images(
    listed: Iterable[str], folder: Contents, belongs: Callable[[str], bool]
) -> tuple[list[str], dict[str, list[str]], tuple[str, ...]]:
    """Ids of the listed images and of those in the folder that ``belongs`` takes; a column ``path``; what was noticed.

    An id is the file's name without folder and ending. Of images in several folders (two alignments) one is used.
    """
    names = set(listed)
    paths = {stem: path for stem, path in folder.by_stem().items() if stem in names or belongs(path)}
    ids = sorted(names | set(paths))
    if not paths:
        return ids, {}, ("the folder holds no image of the list: only names were read",)
    missing = len(names - set(paths))
    notes = [f"not in the folder: {counted(missing, 'image')} of the list"] if missing else []
    copies = sum(map(belongs, folder.images())) - sum(map(belongs, paths.values()))
    if copies > 0:
        notes.append(f"{counted(copies, 'image')} in several folders: the first by name is used")
    return ids, {"path": [paths.get(name, "") for name in ids]}, tuple(notes)


def joined(parts: Sequence[Pairs]) -> Pairs:
    """The pairs of several files, one after the other; folds of one number are one fold."""
    sizes = np.cumsum([0, *(part.probe.size for part in parts)])
    folds = [part.fold for part in parts if part.fold is not None]
    mated = [part.mated for part in parts if part.mated is not None]
    return Pairs(
        file=parts[0].file,
        probe=np.concatenate([part.probe for part in parts]),
        reference=np.concatenate([part.reference for part in parts]),
        lines=np.concatenate([part.lines for part in parts]),
        mated=np.concatenate(mated) if len(mated) == len(parts) else None,
        fold=np.concatenate(folds) if len(folds) == len(parts) else None,
        starts=tuple((int(start), part.file) for start, part in zip(sizes, parts, strict=False)),
    )
