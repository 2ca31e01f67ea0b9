"""Mated scores by class: what everything about interclass bias is made of."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.canonical import seed_of
from frtaudit.core.estimates import Test
from frtaudit.errors import SpecError
from frtaudit.evaluation.system import SystemData
from frtaudit.stats.interclass.iid_bootstrap import thesis_bootstrap
from frtaudit.stats.intervals.dependence import effective_number

SMALL, RATIO = 30, 3  # subjects by weight of a small class, and how many times as many a large one has


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassScores:
    """Mated scores pooled within each class of one schema, and the subject of each score.

    ``names``: C classes; ``group_indices``: their places among the system's groups; ``scores``: C arrays (n_c,) in
    score units, one for each unordered comparison, ascending; ``subjects``: C arrays (n_c,), cohort indices;
    ``pairs``: C arrays (n_c, 2), cohort indices of the two samples.
    """

    schema: str
    names: tuple[str, ...]
    group_indices: tuple[int, ...]
    scores: tuple[Floats, ...]
    subjects: tuple[Ints, ...]
    pairs: tuple[Ints, ...]
    score_range: tuple[float, float]

    def fewest(self) -> tuple[str, int]:
        """The class with the fewest subjects that have a mated comparison, and their number."""
        counts = [len(np.unique(who)) for who in self.subjects]
        place = int(np.argmin(counts))
        return self.names[place], counts[place]

    def uneven(self, test: Test) -> str | None:
        """Why the test that all classes are equal may reject too often: docs/methods/interclass.md, Validation."""
        if test.p is None:
            return None
        counts = [effective_number(np.bincount(who)) for who in self.subjects]
        place = int(np.argmin(counts))
        if counts[place] >= SMALL or max(counts) < RATIO * counts[place]:
            return None
        return (
            f"p may be too small: by weight {self.names[place]} has {counts[place]:.3g} subjects, "
            f"the largest class {max(counts):.3g}"
        )


def class_scores(system: SystemData, schema: str) -> tuple[ClassScores, list[str]]:
    """The classes of a schema that have mated comparisons, and the names of those that have none."""
    tail, groups = system.tail, system.groups
    subject = tail.subject_of[tail.mated_i]
    class_of = groups.of[groups.schemas.index(schema)][subject]
    rows = np.stack([tail.rows[tail.mated_i], tail.rows[tail.mated_j]], axis=1).astype(np.int64)
    classes: list[tuple[int, str, Flags]] = []
    missing: list[str] = []
    for group_index, label in system.classes(schema):
        chosen = class_of == group_index - 1
        if bool(chosen.any()):
            classes.append((group_index, label, chosen))
        else:
            missing.append(label)
    scores = ClassScores(
        schema=schema,
        names=tuple(label for _, label, _ in classes),
        group_indices=tuple(group_index for group_index, _, _ in classes),
        scores=tuple(tail.mated_score[chosen].astype(np.float64) for _, _, chosen in classes),
        subjects=tuple(subject[chosen].astype(np.int64) for _, _, chosen in classes),
        pairs=tuple(rows[chosen] for _, _, chosen in classes),
        score_range=tail.score_range,
    )
    return scores, missing


def check_shares(declared: Mapping[str, Mapping[str, float]], system: SystemData, where: str) -> None:
    """Raise :class:`SpecError` for shares of a schema or a class that the audit does not have."""
    for schema, given in declared.items():
        if schema not in system.groups.schemas:
            raise SpecError(where, f"no schema is named {schema!r}", ", ".join(system.groups.schemas))
        known = [name for _, name in system.classes(schema)]
        for name in given:
            if name not in known:
                raise SpecError(f"{where}.{schema}", f"{name!r} is not a class", ", ".join(known))


def shares_of(declared: Mapping[str, Mapping[str, float]], scores: ClassScores, where: str) -> Floats:
    """The share of each class in overall, shape (C,), sum 1: as declared for its schema, else all alike.

    Raises :class:`SpecError` for a class without a share, or shares that are negative or all 0.
    """
    given = declared.get(scores.schema)
    if given is None:
        return np.full(len(scores.names), 1 / len(scores.names))
    missing = [name for name in scores.names if name not in given]
    shares = np.array([given.get(name, 0.0) for name in scores.names], dtype=np.float64)
    if missing or not np.all(np.isfinite(shares)) or shares.min() < 0 or shares.sum() <= 0:
        text = f"no share of {missing[0]}" if missing else "a negative share, or none above 0"
        raise SpecError(f"{where}.{scores.schema}", text, f"a share of each of {', '.join(scores.names)}")
    return np.asarray(shares / shares.sum())


def drawn_order(scores: ClassScores) -> list[int]:
    """Classes by their first subject: what is drawn depends neither on their names nor on the order they stand in."""
    return sorted(range(len(scores.names)), key=lambda c: int(scores.subjects[c].min()))


def thesis_ends(system: SystemData, scores: ClassScores, alpha: float, n: int) -> tuple[Floats, Floats]:
    """Lower and upper bound of each class's d_l2 by the thesis's bootstrap of scores, ``n`` times; each (C,)."""
    order = drawn_order(scores)
    firsts = (str(scores.subjects[c].min()) for c in order)
    seed = seed_of(system.spec.seed, "interclass", "thesis", scores.schema, *firsts)
    ordered = tuple(scores.scores[c] for c in order)
    table = thesis_bootstrap(ordered, scores.score_range, alpha=alpha, n=n, seed=seed)
    places = np.argsort(order)
    return table.lower[places], table.upper[places]
