"""Pairs drawn at random: mated ones with caps, as many non-mated ones, equal numbers for each group, folds."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from frtaudit.core.canonical import seed_of
from frtaudit.core.registry import register
from frtaudit.datasets.pair_rules import EVERYBODY, groups_of
from frtaudit.errors import DataError, SpecError

if TYPE_CHECKING:
    import numpy as np

    from frtaudit.core.arrays import Flags, Index, Ints
    from frtaudit.core.cohort import Cohort, CohortData
    from frtaudit.core.comparisons import Comparisons, Step


@register("protocol", "sampled")
@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """A random test set: ``mated`` pairs (null: all that the caps leave) and ``non_mated`` ones (null: as many).

    ``per_subject``: at most so many mated pairs of one subject, drawn; ``per_image``: at most so many mated, and as
    many non-mated, pairs of one sample; ``balance``: a schema whose classes get equal numbers of both kinds,
    non-mated pairs within a class; ``k``: with it, folds of equal size in which mated pairs of a subject lie in one
    fold. ``identities``, ``images``: only so many subjects and samples may be drawn, as many of each class, so that a
    control is like another set in more than its pairs; samples that no mated pair took are paired first, so that all
    stand in it where the pairs suffice. The draw is keyed by the spec's seed.
    """

    mated: int | None = None
    non_mated: int | None = None
    per_subject: int | None = None
    per_image: int | None = None
    balance: str | None = None
    k: int | None = None
    identities: int | None = None
    images: int | None = None

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for numbers that no list can have."""
        for name in ("mated", "non_mated", "per_subject", "per_image", "k", "identities", "images"):
            value = getattr(self, name)
            if value is not None and value < (2 if name == "k" else 1):
                accepted = "2 or more" if name == "k" else "1 or more"
                raise SpecError(f"protocol.{name}", f"found {value}", accepted)
        if self.mated is None and (self.k is not None or self.balance is not None):
            raise SpecError("protocol.mated", "no number, but balance or k is given", "how many mated pairs")

    def comparisons(self, cohort_data: "CohortData") -> "Comparisons":
        """The drawn pairs, mated first. :class:`DataError` where there are fewer than wanted, by kind and group."""
        import numpy as np

        from frtaudit.inputs.pairing import listed_comparisons

        cohort = cohort_data.cohort
        names, groups = groups_of(cohort, self.balance, "protocol.balance")
        rng = np.random.default_rng(seed_of(cohort_data.seed, "protocol", "sampled"))
        of_pool = np.random.default_rng(seed_of(cohort_data.seed, "protocol", "pool"))
        pool = self._pool(cohort, groups, names, of_pool)
        mated, folds, of_mated = self._mated(cohort, groups, names, pool, rng)
        wanted = mated[0].size if self.non_mated is None else self.non_mated
        left = pool.copy()
        left[np.concatenate(mated)] = False
        first = left if self.identities or self.images else np.zeros_like(left)
        other, more, of_other = self._non_mated(cohort, groups, names, (pool, first), wanted, rng)
        probe, reference = (np.concatenate(side).astype(np.int32) for side in zip(mated, other, strict=True))
        fold = np.concatenate([folds, more]).astype(np.int16) if self.k else None
        comparisons = listed_comparisons(cohort, probe, reference, fold=fold)
        steps = [*_steps("mated", of_mated, names), *_steps("non_mated", of_other, names)]
        return replace(comparisons, steps=tuple(steps))

    def _pool(
        self, cohort: "Cohort", groups: "Ints", names: tuple[str, ...], rng: "np.random.Generator"
    ) -> "Flags":
        """The samples that may be drawn, shape (N,): all, or those of ``identities`` subjects, at most ``images``."""
        import numpy as np

        if self.identities is None and self.images is None:
            return np.ones(cohort.n_samples, dtype=bool)
        parts = len(names)
        sizes = np.bincount(cohort.subject_of, minlength=cohort.n_subjects)
        pool = np.zeros(cohort.n_samples, dtype=bool)
        for group, name in enumerate(names):
            able = np.flatnonzero((groups == group) & (sizes >= 2))
            many = able.size if self.identities is None else self.identities // parts
            if many > able.size:
                text = f"{many} subjects of {name} with two samples are required, {able.size} are available"
                raise DataError("protocol.identities", text, f"{parts * able.size} or fewer")
            indices = np.flatnonzero(np.isin(cohort.subject_of, rng.permutation(able)[:many]))
            order = rng.permutation(indices.size)
            indices = indices[order][np.argsort(cohort.subject_of[indices[order]], kind="stable")]
            of = cohort.subject_of[indices]
            rank = np.arange(indices.size) - np.searchsorted(of, of)
            more = rng.permutation(indices[rank >= 2])
            room = more.size if self.images is None else max(self.images // parts - int((rank < 2).sum()), 0)
            pool[np.concatenate([indices[rank < 2], more[:room]])] = True
        return pool

    def _mated(
        self,
        cohort: "Cohort",
        groups: "Ints",
        names: tuple[str, ...],
        pool: "Flags",
        rng: "np.random.Generator",
    ) -> "tuple[tuple[Ints, Ints], Ints, Ints]":
        """Mated pairs, their folds and groups."""
        import numpy as np

        from frtaudit.stats.folds.fold_assignment import capped
        from frtaudit.stats.similarity.pairs import mated_pairs

        first, second = (side.astype(np.int64) for side in mated_pairs(cohort.subject_of))
        if not first.size:
            accepted = "subjects with two samples or more"
            raise DataError("protocol.mated", "no subject has two samples", accepted)
        inside = pool[first] & pool[second]
        first, second = first[inside], second[inside]
        order = rng.permutation(first.size)
        first, second = first[order], second[order]
        subject = cohort.subject_of[first].astype(np.int64)
        if self.mated is None and self.per_image is None:
            keep = np.ones(first.size, dtype=bool)
            if self.per_subject is not None:
                keep = capped(subject, keep, self.per_subject, rng)
            at = np.flatnonzero(keep)
            at = at[np.lexsort((second[at], first[at]))]
            return (first[at], second[at]), np.zeros(at.size, np.int64), groups[subject[at]]
        return self._chosen("mated", first, second, groups[subject], subject, self.mated or first.size, names)

    def _non_mated(
        self,
        cohort: "Cohort",
        groups: "Ints",
        names: tuple[str, ...],
        pools: "tuple[Flags, Flags]",
        wanted: int,
        rng: "np.random.Generator",
    ) -> "tuple[tuple[Ints, Ints], Ints, Ints]":
        """Non-mated pairs of the first of ``pools``, those of the second before others; their folds and groups."""
        import numpy as np

        from frtaudit.stats.similarity.pairs import drawn_pairs

        of = groups[cohort.subject_of]
        parts = []
        for group in range(len(names)):
            at, early = (np.flatnonzero((of == group) & pool) for pool in pools)
            parts.append(_side_by_side(cohort.subject_of, early, rng))
            parts.append(drawn_pairs(cohort.subject_of, at, at, 4 * (wanted // len(names) + 1), rng))
        first, second = (np.concatenate(side) for side in zip(*parts, strict=True))
        _, once = np.unique(np.stack([first, second]), axis=1, return_index=True)
        first, second = first[np.sort(once)], second[np.sort(once)]
        none = np.full(first.size, -1, dtype=np.int64)
        return self._chosen("non_mated", first, second, of[first], none, wanted, names)

    def _chosen(
        self,
        kind: str,
        first: "Ints",
        second: "Ints",
        group: "Ints",
        subject: "Ints",
        wanted: int,
        names: tuple[str, ...],
    ) -> "tuple[tuple[Ints, Ints], Ints, Ints]":
        """The first candidates that the caps leave, equally many of each group."""
        import numpy as np

        from frtaudit.stats.folds.selection import Candidates, Limits, choose

        k, all_of_them = self.k or 1, kind == "mated" and self.mated is None
        if wanted % (len(names) * k) and not all_of_them:
            text = f"{wanted} pairs do not divide into {len(names)} groups and {k} folds"
            raise SpecError(f"protocol.{kind}", text, f"a multiple of {len(names) * k}")
        known = group >= 0
        pairs = Candidates(
            first=first[known], second=second[known], stratum=group[known], subject=subject[known]
        )
        limits = Limits(
            wanted=(wanted // len(names),) * len(names),
            k=k,
            per_image=self.per_image,
            per_subject=self.per_subject,
        )
        picked = choose(pairs, limits)
        if not all_of_them:
            have = np.bincount(pairs.stratum[picked.at], minlength=len(names)).tolist()
            for name, count, want in zip(names, have, limits.wanted, strict=True):
                if count < want:
                    of = "" if name == EVERYBODY else f" of {name}"
                    text = f"{want} pairs{of} are required, {want - count} of them are missing"
                    raise DataError(f"protocol.{kind}", text, f"{count} or fewer, or weaker caps")
        order = np.lexsort((pairs.second[picked.at], pairs.first[picked.at]))
        at = picked.at[order]
        return (pairs.first[at], pairs.second[at]), picked.fold[order], pairs.stratum[at]


def _side_by_side(subject: "Index", samples: "Ints", rng: "np.random.Generator") -> "tuple[Ints, Ints]":
    """Random pairs of unlike subjects in which each of ``samples`` stands, where no subject has half of them.

    Subjects in a random order, the first half of their samples beside the second; the smaller sample first.
    """
    import numpy as np

    if not samples.size:
        return samples, samples
    rank = rng.permutation(int(subject[samples].max()) + 1)
    ordered = samples[np.argsort(rank[subject[samples]], kind="stable")]
    half = (ordered.size + 1) // 2
    front, other = ordered[:half], ordered[ordered.size - half :]
    apart = subject[front] != subject[other]
    front, other = front[apart], other[apart]
    return np.minimum(front, other), np.maximum(front, other)


def _steps(kind: str, of: "Ints", names: tuple[str, ...]) -> "list[Step]":
    import numpy as np

    from frtaudit.core.comparisons import Step

    return [
        Step(rule="drawn", kind=kind, group=name, left=count)
        for name, count in zip(names, np.bincount(of[of >= 0], minlength=len(names)).tolist(), strict=True)
    ]
