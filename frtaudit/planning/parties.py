"""Everybody, and each group: how many they are, and what comparisons they make."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core import CohortData, Comparisons, Groups
from frtaudit.core.arrays import Ints
from frtaudit.core.spec import AuditSpec
from frtaudit.core.spec_values import OrderRule
from frtaudit.stats.rates.trials import complete_trials, members
from frtaudit.stats.sample_size import power
from frtaudit.stats.sample_size.power import ComparisonDesign

EVERYBODY = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """Everybody (``schema`` None), or one group of a schema, with its comparisons before any failure.

    ``subjects``: how many there are, None where only samples per subject are known; ``designs``: rate name (``fmr``,
    ``fnmr``, ``fta``) to what each subject, or each two, compare; non-mated ones within the group.
    """

    schema: str | None
    name: str
    subjects: int | None
    samples: float
    designs: dict[str, ComparisonDesign]

    def trials(self, rate: str) -> int | None:
        """Comparisons (or acquisitions) behind a rate."""
        return None if self.subjects is None else round(self.designs[rate].trials(self.subjects))


def from_sizes(spec: AuditSpec, subjects: int | None, samples: float, transactions: int = 1) -> list[Party]:
    """A cohort by its size: all pairs, schemas that declare their classes, groups of equal size.

    ``transactions``: mated ones of each subject; non-mated: one of each two.
    """
    designs = {
        "fmr": power.non_mated(samples),
        "fnmr": power.mated(samples),
        "fta": power.attempts(samples),
        "far": ComparisonDesign(ends=2, each=1.0),
        "frr": ComparisonDesign(ends=1, each=float(transactions)),
    }
    parties = [Party(schema=None, name=EVERYBODY, subjects=subjects, samples=samples, designs=designs)]
    for name, schema in spec.schemas.items():
        share = None if subjects is None else subjects // max(len(schema.classes), 1)
        parties += [
            Party(schema=name, name=label, subjects=share, samples=samples, designs=designs)
            for label in schema.classes
        ]
    return parties


def from_cohort(cohort_data: CohortData, comparisons: Comparisons, groups: Groups) -> list[Party]:
    """Everybody and each ranked group of a cohort, with the comparisons that the protocol plans."""
    owner = cohort_data.cohort.subject_of
    member = members(groups, cohort_data.cohort.n_subjects)
    samples = np.bincount(owner, minlength=cohort_data.cohort.n_subjects).astype(np.int64)
    names = [(None, EVERYBODY), *groups.names]
    ranked = [True, *(groups.ranked or [True] * len(groups.names))]
    listed = None
    if not comparisons.all_pairs:  # subjects, (P, 2); both orders are one unless each counts (FORMULAS 8.15)
        ends = np.sort(np.stack([comparisons.probe, comparisons.reference], axis=1), axis=1)
        if comparisons.ordered and comparisons.order_rule is OrderRule.MEAN:
            ends = np.unique(ends, axis=0)
        listed = np.sort(owner[ends], axis=1).astype(np.int64)
    parties: list[Party] = []
    for (schema, name), inside, flag in zip(names, member, ranked, strict=True):
        if not flag:
            continue
        count = int(inside.sum())
        if listed is None:
            within = np.where(inside, comparisons.cells, -1).astype(np.int32)
            mated = inside * samples * (samples - 1) // 2
            non_mated = complete_trials(samples, within).comparisons
        else:
            both = inside[listed[:, 0]] & inside[listed[:, 1]]
            same = listed[:, 0] == listed[:, 1]
            mated = np.bincount(listed[both & same, 0], minlength=inside.size)
            non_mated = np.bincount(listed[both & ~same].ravel(), minlength=inside.size)
        designs = {
            "fmr": _design(2, non_mated, count),
            "fnmr": _design(1, mated, count),
            "fta": replace(_design(1, inside * samples, count), few_as_one=True),
        }
        each = int(samples[inside].sum()) / max(count, 1)
        parties.append(Party(schema=schema, name=name, subjects=count, samples=each, designs=designs))
    return parties


def of_schema(parties: list[Party], schema: str) -> list[Party]:
    """The groups of one schema."""
    return [party for party in parties if party.schema == schema]


def schemas_of(parties: list[Party]) -> Iterator[str]:
    """Schemas of two or more groups."""
    for schema in dict.fromkeys(party.schema for party in parties):
        if schema is not None and len(of_schema(parties, schema)) > 1:
            yield schema


def ranked_in(parties: list[Party]) -> dict[str, tuple[str, ...]]:
    """Each schema of two or more groups to the names of its groups."""
    return {
        schema: tuple(party.name for party in of_schema(parties, schema)) for schema in schemas_of(parties)
    }


def _design(ends: int, each: Ints, subjects: int) -> ComparisonDesign:
    """The test of ``subjects`` of whom subject k makes ``each[k]`` comparisons."""
    total = int(each.sum())
    groups = subjects if ends == 1 else subjects * (subjects - 1)
    if total == 0 or groups == 0:
        return ComparisonDesign(ends=ends, each=0.0)
    imbalance = float(np.square(each, dtype=np.float64).sum()) / total**2 * subjects
    return ComparisonDesign(ends=ends, each=total / groups, imbalance=imbalance)
