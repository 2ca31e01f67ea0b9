"""Pseudonyms of a run's tables, and the order in which the tables have their samples and subjects."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa

from frtaudit.core.arrays import Index, Ints
from frtaudit.core.canonical import pseudonym
from frtaudit.core.cohort import CohortData


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Names:
    """Pseudonyms of samples and of subjects, HMAC-SHA256 under the cohort's key, in the order of the tables.

    ``sample_place`` (N,), ``subject_place`` (K,): where each of the cohort stands there. That is the cohort's order, or
    where the key is secret the pseudonyms' own, subject by subject: the order of ids would give names away.
    """

    samples: pa.Array
    subjects: pa.Array
    sample_place: Index
    subject_place: Index


def names_of(cohort_data: CohortData) -> Names:
    """The names that stand in the tables of a cohort's systems."""
    key, cohort = cohort_data.pseudonym_key, cohort_data.cohort
    subjects, subject_place = _pseudonyms(key, cohort.subject_ids)
    samples, _ = _pseudonyms(key, cohort.sample_ids)
    if not cohort_data.secret:
        return Names(
            samples=samples,
            subjects=subjects,
            sample_place=np.arange(cohort.n_samples, dtype=np.int32),
            subject_place=np.arange(cohort.n_subjects, dtype=np.int32),
        )
    order = np.lexsort((samples.to_numpy(zero_copy_only=False).astype(str), subject_place[cohort.subject_of]))
    return Names(
        samples=samples.take(pa.array(order)),
        subjects=subjects.take(pa.array(np.argsort(subject_place))),
        sample_place=_places(order),
        subject_place=subject_place,
    )


@lru_cache(maxsize=2)  # the systems of an audit have their names in common
def _pseudonyms(key: bytes, names: tuple[str, ...]) -> tuple[pa.Array, Index]:
    """Those of names, and the place of each among them in their own order."""
    pseudonyms = [pseudonym(key, name) for name in names]
    return pa.array(pseudonyms, type=pa.string()), _places(np.argsort(np.array(pseudonyms, dtype=np.str_)))


def _places(order: Ints) -> Index:
    place = np.empty(order.size, dtype=np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    return place
