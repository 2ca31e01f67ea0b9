"""Error rates when a share of the faces has a person's answer, the rest the estimate's (Knott et al., Figure S.15)."""

from dataclasses import replace

import numpy as np

from frtaudit.core.arrays import Index
from frtaudit.core.labelling import UNSAID, Faces, Labelled
from frtaudit.core.spec_values import LabelSource
from frtaudit.labelling.asking import asking
from frtaudit.labelling.enrolment import persons
from frtaudit.labelling.evaluation import Scores
from frtaudit.stats.rates.listed import threshold_of


def complete(faces: Faces) -> bool:
    """Whether every face has an answer."""
    return not bool(np.any(faces.annotated == UNSAID))


def answered(faces: Faces, labelled: Labelled, tau: float, shares: tuple[float, ...]) -> list[Index]:
    """For each share the person of each face, shape (F,), -1 for none: answers for the first of that order.

    ``faces``: with every answer (:func:`complete`); ``shares``: of all faces, 0 to 1.
    """
    order = asking(replace(faces, annotated=np.full_like(faces.annotated, UNSAID)), labelled, tau).order
    people = []
    for share in shares:
        annotated = np.full_like(faces.annotated, UNSAID)
        chosen = order[: round(share * order.size)]
        annotated[chosen] = faces.annotated[chosen]
        source = LabelSource.COMBINED if chosen.size else LabelSource.ESTIMATED
        people.append(persons(replace(faces, annotated=annotated), labelled, source))
    return people


def misses(scores: Scores, target: float) -> int:
    """False non-matches at the smallest threshold whose FMR is at most ``target`` (match iff score > threshold)."""
    return int(np.count_nonzero(scores.mated <= threshold_of(scores.non_mated, target)))
