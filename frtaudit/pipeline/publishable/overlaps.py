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
from frtaudit.core.machine.run_files import CLASS
from frtaudit.core.spec_values import UNKNOWN
from frtaudit.errors import DataError
from frtaudit.stats._scipy import scipy


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
    """Pairs of schemas, the finer first, where classes of one are classes of the other up to ``minimum`` - 1 people.

    With whether a few are left over: such two must not be published side by side, even if no class of theirs is small.

    >>> wards, houses = np.repeat([0, 1, 2], [45, 1, 24]), np.repeat([0, 1], [46, 24])
    >>> drawn = People(codes={"house": houses, "ward": wards}, several=np.ones(70, dtype=bool))
    >>> list(nested(drawn, 10))
    [('ward', 'house', True)]
    """
    for pair in combinations(people.codes, 2):
        coarse, fine = sorted(pair, key=lambda name: people.codes[name].max())
        unions = list(_unions(people.codes[coarse], people.codes[fine], minimum))
        left_over = [_is_few(people, first != second, minimum) for first, second in unions]
        if any(few is not False for few in left_over):
            yield fine, coarse, any(left_over)


def _is_few(people: People, differs: Flags, minimum: int) -> bool | None:
    """Whether two sets of people differ by a few; None where they are the same."""
    counts = [int(np.count_nonzero(who)) for who in (differs, differs & people.several)]
    return any(0 < count < minimum for count in counts) if counts[0] else None


def _unions(first: Index, second: Index, minimum: int) -> Iterator[tuple[Flags, Flags]]:
    """Sets of people, each by classes of one schema and by those of the other that make up most of it.

    Each class with the other schema's classes that lie mostly in it, and blocks of classes of both. Not everybody, on
    either side: the equations of all tables say what is left of that.
    """
    table = np.zeros((first.max() + 1, second.max() + 1), dtype=np.int64)
    np.add.at(table, (first, second), 1)
    for counts, outer, inner in ((table, first, second), (table.T, second, first)):
        mostly = 2 * counts > counts.sum(axis=0)
        yield from (
            (outer == group, part[inner]) for group, part in enumerate(mostly) if not _trivial(part[inner])
        )
    strong = table >= minimum
    strong[np.arange(len(table)), table.argmax(axis=1)] = True
    strong[table.argmax(axis=0), np.arange(table.shape[1])] = True
    both = np.block([[np.zeros((len(table),) * 2), strong], [strong.T, np.zeros((table.shape[1],) * 2)]])
    blocks, block_of = scipy.sparse.csgraph.connected_components(both)
    for block in range(blocks):
        inside = block_of[: len(table)][first] == block, block_of[len(table) :][second] == block
        if not any(map(_trivial, inside)):
            yield inside


def _trivial(inside: Flags) -> bool:
    return bool(inside.all()) or not inside.any()
