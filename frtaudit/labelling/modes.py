"""The two modes of a service's scores, by which they are normalised for labels: of people who differ, and of one."""

from collections.abc import Mapping, Sequence

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.core.labelling import Faces, ModeFit, Service
from frtaudit.errors import DataError
from frtaudit.stats.labels.tobit import cut_mixture
from frtaudit.stats.rates.censoring import censoring_of

MOSTLY = 0.5  # of all scores at the floor and the ceiling together: these are the modes then
BINS = 20  # of a refusal's histogram
EMPTY = "no score at all, only failures"


def mode_fit(scores: Floats) -> ModeFit:
    """The means of the likeliest mixture of two normal distributions of a service's scores, ascending.

    ``scores``: shape (P,), finite. Their order changes nothing. Where many have the least or the highest score, it is
    a mixture of scores that were cut off there, and a mode beyond the cut lies at it; where most lie at the two ends,
    these are the modes. Two parts must lie apart and be likelier than one by the Bayesian information criterion.
    """
    if not scores.size:
        return ModeFit(problem=EMPTY)
    cut = censoring_of(scores, np.zeros(0))
    floor, ceiling = cut.floor, cut.ceiling
    if floor is not None and ceiling is not None and floor.mated + ceiling.mated > MOSTLY:
        return ModeFit(modes=(floor.score, ceiling.score))
    ends = [None if atom is None else atom.score for atom in (floor, ceiling)]
    mixture = cut_mixture(scores, *ends)
    if mixture is None:
        return ModeFit(problem=f"all {scores.size} scores are the same")
    problem = None
    if not mixture.apart:
        problem = f"the two components of a mixture of {scores.size} scores overlap"
    elif mixture.gain <= 3 * np.log(scores.size) / (2 * scores.size):  # the price of three more parameters
        problem = f"a mixture fits {scores.size} scores no better than one normal distribution"
    low, high = (
        min(max(mean, -np.inf if ends[0] is None else ends[0]), np.inf if ends[1] is None else ends[1])
        for mean in mixture.mean
    )
    return ModeFit(modes=None if problem else (low, high), mixture=mixture, problem=problem)


def balanced(faces: Faces, service: Service) -> Floats:
    """The scores of a service that its modes are read off, sorted: within queries all, between them at most as many.

    Where all pairs between queries were scored, those of one person are too few among them to make a mode; then
    equally spaced ranks of the scores between queries stand for all.

    >>> faces = Faces(names=("a", "b", "c"), query_of=[0, 0, 1], queries=("p", "q"), annotated=[1, 1, 1])
    >>> service = Service(name="s", first=[0, 0, 1], second=[1, 2, 2], score=[9.0, 1.0, 2.0], failure=[-1, -1, -1],
    ...                   codes=())
    >>> balanced(faces, service).tolist()
    [1.0, 9.0]
    """
    known = ~np.isnan(service.score)
    same = faces.query_of[service.first] == faces.query_of[service.second]
    within, between = service.score[known & same], np.sort(service.score[known & ~same])
    if 0 < within.size < between.size:
        between = between[np.linspace(0, between.size - 1, within.size).round().astype(np.int64)]
    return np.sort(np.concatenate([within, between]))


def refused(fits: Mapping[str, ModeFit], scores: Mapping[str, Floats], others: Sequence[str]) -> DataError:
    """One line on services whose scores show no two modes: why, their histogram, and what helps.

    ``others``: services that can label without them.
    """
    shown = [EMPTY if fit.problem == EMPTY else _found(fit, scores[name]) for name, fit in fits.items()]
    by_hand = [f"cohort.labels.modes.{name}=[low,high]" for name, fit in fits.items() if fit.problem != EMPTY]
    ways = (
        [f"{' and '.join(by_hand)}, the mean scores of different people and of one person"] if by_hand else []
    )
    ways += [f"cohort.labels.services=[{','.join(others)}] to label without it"] if others else []
    return DataError(f"scores of {', '.join(fits)}", "; ".join(shown), ", or ".join(ways) or "scores")


def _found(fit: ModeFit, scores: Floats) -> str:
    count, edges = np.histogram(scores, BINS)
    bins = " ".join(str(number) for number in count.tolist())
    shown = f"histogram of {BINS} equal bins from {edges[0]:.4g} to {edges[-1]:.4g}: {bins}"
    return f"no two modes: {fit.problem} ({shown})"
