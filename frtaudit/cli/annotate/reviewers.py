"""Two reviewers of one search: how far they agree."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Ints
from frtaudit.core.labelling import LEFT_OUT, NOT_OF_QUERY, OF_QUERY, Faces
from frtaudit.core.text.columns import aligned
from frtaudit.stats.labels.agreement import Kappa, kappa, table_of

WORDS = {OF_QUERY: "the person", NOT_OF_QUERY: "another person", LEFT_OUT: "unsure"}
LEVEL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """``faces``: that both answered, of ``queries``; ``table``: (3, 3), a row for each answer of the first reviewer."""

    faces: int
    queries: int
    table: Ints
    kappa: Kappa

    def text(self) -> str:
        """As a table, with kappa below it."""
        head = ["first \\ second", *WORDS.values()]
        rows = [
            [word, *map(str, line)] for word, line in zip(WORDS.values(), self.table.tolist(), strict=True)
        ]
        title = f"{self.faces} faces of {self.queries} queries have two answers"
        differ = self.faces - int(np.trace(self.table))
        return "\n".join([title, *aligned([head, *rows], left=[0]), self._kappa(), f"{differ} differ"])

    def _kappa(self) -> str:
        estimate = self.kappa
        if np.isnan(estimate.value):
            return "Cohen's kappa is not defined: both reviewers gave one answer to all faces"
        bounds = f"{100 * LEVEL:g} % CI {estimate.low:.3f} to {estimate.high:.3f}, between queries"
        if np.isnan(estimate.low):
            constant = self.faces in (*self.table.sum(axis=0), *self.table.sum(axis=1))
            why = "one reviewer gave one answer to all faces" if constant else "one query"
            bounds = f"no interval: {why}"
        return f"Cohen's kappa {estimate.value:.3f} ({bounds})"


def agreement_of(faces: Faces, answers: Mapping[int, int], other: Mapping[int, int]) -> Agreement:
    """Of the faces that both answered."""
    both = np.array(sorted(answers.keys() & other.keys()), dtype=np.int64)
    place = {answer: at for at, answer in enumerate(WORDS)}
    first, second = (
        np.array([place[given[row]] for row in both.tolist()], dtype=np.int64) for given in (answers, other)
    )
    query = faces.query_of[both].astype(np.int64)
    nothing = Kappa(value=np.nan, low=np.nan, high=np.nan)
    return Agreement(
        faces=both.size,
        queries=np.unique(query).size,
        table=table_of(first, second, len(WORDS)),
        kappa=kappa(first, second, query, 1 - LEVEL) if both.size else nothing,
    )
