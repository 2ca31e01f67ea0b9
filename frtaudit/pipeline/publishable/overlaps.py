"""Schemas whose classes contain each other among the people of a cohort: what no rule of a spec says.

Wards may lie in houses, whatever columns name them. Then a house minus its wards that are published is what is left of
it: a withheld ward, or a few people.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from frtaudit.core.arrays import Flags, Index
from frtaudit.core.spec_values import UNKNOWN
from frtaudit.errors import DataError

CLASS = "class_"  # before the name of a schema in the table of samples


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """``codes``: by schema the number of each subject's class, shape (K,); ``several``: who has two images or more."""

    codes: Mapping[str, Index]
    several: Flags


def people_of(table: Path) -> People:
    """The subjects of a run by its table of samples. Raises :class:`DataError` where there is none."""
    import pandas as pd

    if not table.is_file():
        raise DataError(
            table.name, "is missing: it says which classes contain others", "a run with its tables"
        )
    rows = pd.read_parquet(table)
    rows = rows[rows["provider"] == rows["provider"].iloc[0]]
    subjects = rows.groupby(rows["subject"].astype(str), sort=True)
    schemas = [str(name) for name in rows.columns if str(name).startswith(CLASS)]
    classes = {name: subjects[name].first().astype(object).fillna(UNKNOWN) for name in schemas}
    return People(
        codes={name.removeprefix(CLASS): pd.factorize(groups)[0] for name, groups in classes.items()},
        several=(subjects.size() > 1).to_numpy(),
    )


def nested(people: People, minimum: int) -> Iterator[tuple[str, str, bool]]:
    """Pairs of schemas, the finer first, where a class is a union of the other's classes up to ``minimum`` - 1 people.

    With whether a few are left over: such two must not be published side by side, even if no class of theirs is small.

    >>> wards, houses = np.repeat([0, 1, 2], [45, 1, 24]), np.repeat([0, 1], [46, 24])
    >>> seen = People(codes={"house": houses, "ward": wards}, several=np.ones(70, dtype=bool))
    >>> list(nested(seen, 10))
    [('ward', 'house', True)]
    """
    for pair in combinations(people.codes, 2):
        coarse, fine = sorted(pair, key=lambda name: people.codes[name].max())
        first, second = people.codes[coarse], people.codes[fine]
        left_over = [*_left_over(people, first, second, minimum), *_left_over(people, second, first, minimum)]
        if left_over:
            yield fine, coarse, any(left_over)


def _left_over(people: People, outer: Index, inner: Index, minimum: int) -> Iterator[bool]:
    """For each class of ``outer`` that is a union of classes of ``inner`` up to a few people: whether there are any."""
    table = np.zeros((outer.max() + 1, inner.max() + 1), dtype=np.int64)
    np.add.at(table, (outer, inner), 1)
    mostly = 2 * table > table.sum(axis=0)
    for group in np.flatnonzero(mostly.any(axis=1) & (table.sum(axis=1) < outer.size)):
        differs = (outer == group) != mostly[group][inner]
        counts = [int(np.count_nonzero(differs)), int(np.count_nonzero(differs & people.several))]
        few = any(0 < count < minimum for count in counts)
        if few or not counts[0]:
            yield few
