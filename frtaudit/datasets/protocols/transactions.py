"""Verification transactions composed of a cohort's samples: each person's own, and claims of others' identities."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frtaudit.core.registry import register
from frtaudit.core.spec_values import NonMated
from frtaudit.errors import DataError, SpecError

if TYPE_CHECKING:
    from frtaudit.core.arrays import Ints
    from frtaudit.core.cohort import CohortData
    from frtaudit.core.comparisons import Comparisons

MAX_ATTEMPTS = 1000  # of all comparisons of two people


@register("protocol", "transactions")
@dataclass(frozen=True, slots=True, kw_only=True)
class ComposedTransactions:
    """A person's first sample is the reference, the next ``k`` are the attempts of a transaction, and so on.

    ``each``: at most so many transactions of a person; people with fewer than k + 1 samples take no part. Every
    transaction claims the person's own identity, and that of each other person whom ``non_mated`` and ``within``
    allow. ``order``: a column that orders a person's samples (numbers as numbers); by default their names do. A sample
    that failed is a failed attempt; a person whose reference failed was not enrolled. ``analyses.transactions`` counts.
    """

    k: int = 1
    each: int = 1
    order: str | None = None
    non_mated: NonMated = NonMated.ALL
    within: str | None = None

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for no attempt or no transaction, and for too many."""
        for key in ("k", "each"):
            if not 1 <= getattr(self, key) <= MAX_ATTEMPTS:
                raise SpecError(f"protocol.{key}", f"found {getattr(self, key)}", f"1 to {MAX_ATTEMPTS}")

    def comparisons(self, cohort_data: "CohortData") -> "Comparisons":
        """Each attempt with the reference that it claims. :class:`DataError` where too few people have enough."""
        import numpy as np

        from frtaudit.inputs.pairing import cells_of, listed_comparisons

        if cohort_data.transactions:
            raise DataError("protocol", "the cohort holds transactions already", "protocol=listed")
        cohort = cohort_data.cohort
        samples = np.argsort(self._rank(cohort_data), kind="stable")
        samples = samples[np.argsort(cohort.subject_of[samples], kind="stable")]
        sizes = np.bincount(cohort.subject_of, minlength=cohort.n_subjects)
        first = np.cumsum(sizes) - sizes
        counts = np.minimum((sizes - 1) // self.k, self.each)
        able = np.flatnonzero(counts > 0)
        if able.size < 2:
            text = f"{able.size} subject(s) with a reference and {self.k} more samples"
            raise DataError("protocol.k", text, "a smaller k, or samples of two people or more")
        cells = cells_of(cohort, self.non_mated, self.within)
        starts = np.repeat(first, counts)
        turn = np.arange(starts.size) - np.repeat(np.cumsum(counts) - counts, counts)
        attempts = samples[
            (starts + 1 + turn * self.k)[:, None] + np.arange(self.k)
        ]  # of each, (T, k), by person
        claims = np.repeat(np.arange(attempts.shape[0]), able.size)
        return listed_comparisons(
            cohort,
            attempts[claims].ravel().astype(np.int32),
            np.repeat(np.tile(samples[first[able]], attempts.shape[0]), self.k).astype(np.int32),
            cells,
            transaction=np.repeat(np.arange(claims.size), self.k).astype(np.int32),
        )

    def _rank(self, cohort_data: "CohortData") -> "Ints":
        """What orders a person's samples, shape (N,)."""
        import numpy as np

        if self.order is None:
            return np.arange(cohort_data.cohort.n_samples)
        if self.order not in cohort_data.attributes:
            known = ", ".join(cohort_data.attributes) or "none"
            raise DataError("protocol.order", f"no column {self.order!r}", f"one of the columns: {known}")
        texts = cohort_data.attributes[self.order].astype(str)
        if np.any(texts == ""):
            problem = f"column {self.order!r} is empty for some samples"
            raise DataError("protocol.order", problem, "a value for each")
        try:
            values = texts.astype(np.float64)
        except ValueError:
            values = texts
        return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64)
