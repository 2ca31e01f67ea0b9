"""What synthetic cohorts have in common: classes dealt to people, names of samples, and numbers as texts."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frtaudit.core.arrays import Floats, Ints, Texts
    from frtaudit.inputs.roster import Roster


def dealt(shares: Sequence[float], subjects: int) -> "Ints":
    """The class of each of K subjects, ascending, shape (K,): exact relative shares, rounded by largest remainder.

    >>> dealt([1.0, 2.0], 4).tolist(), dealt([], 2).tolist()
    ([0, 1, 1, 1], [0, 0])
    """
    import numpy as np

    parts = np.array(shares or [1.0])
    exact = parts / parts.sum() * subjects
    sizes = np.floor(exact).astype(np.int64)
    sizes[np.argsort(sizes - exact, kind="stable")[: subjects - int(sizes.sum())]] += 1
    return np.repeat(np.arange(parts.size), sizes)


def roster_of(owner: "Ints", digits: int, columns: "Mapping[str, Texts]", first: int = 0) -> "Roster":
    """Samples, named by the subject whose each is, (N,), in as many digits, and by their number from ``first``.

    >>> import numpy as np
    >>> roster_of(np.array([0, 1, 0]), 2, {}).sample_ids
    ['subject_00_0000', 'subject_01_0000', 'subject_00_0001']
    """
    from frtaudit.inputs.pairing import occurrence
    from frtaudit.inputs.roster import Roster

    subjects = [f"subject_{k:0{digits}d}" for k in owner]
    numbers = (first + occurrence(owner)).tolist()
    return Roster(
        sample_ids=[f"{name}_{number:04d}" for name, number in zip(subjects, numbers, strict=True)],
        subjects=subjects,
        columns=columns,
        places=[f"sample {i}" for i in range(owner.size)],
    )


def texts_of(values: "Floats", digits: int) -> "Texts":
    """Numbers with as many decimal places, shape (N,)."""
    import numpy as np

    return np.array([f"{value:.{digits}f}" for value in values], dtype=object)
