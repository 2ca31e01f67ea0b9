"""Scores that hide others: a floor, a ceiling, few values. What an FMR target cannot mean there (PEERS 0.6)."""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats

MIN_SHARE, MIN_COUNT, TIMES = (
    0.005,
    10,
    3.0,
)  # of an atom: of one kind's scores, scores, and the value next to it
MAX_VALUES, REPEATS = 1024, 10  # quantised: at most so many values, each met so often on average
APART = 0.01  # of FMR and FNMR where they come nearest to each other
REFUSED, SAID = 0.5, 0.9  # of the false matches that a target allows: fewer are refused, or said


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreAtom:
    """The comparisons whose score is the least or the highest there is: ``score``, shares of either kind, 0..1."""

    score: float
    mated: float
    non_mated: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Censoring:
    """What the scores of one system hide; ``values``: how many different ones it gives, 0 where they are not few."""

    floor: ScoreAtom | None = None
    ceiling: ScoreAtom | None = None
    values: int = 0

    def beyond(self, threshold: float) -> str | None:
        """Why rates at a fixed ``threshold`` say nothing (match iff score > threshold), None where they do.

        >>> Censoring(floor=ScoreAtom(score=20.0, mated=0.0, non_mated=0.4)).beyond(10.0)
        'refused: the threshold lies below the floor of the scores, 20'
        """
        if self.floor is not None and threshold < self.floor.score:
            return f"refused: the threshold lies below the floor of the scores, {self.floor.score:g}"
        if self.ceiling is not None and threshold >= self.ceiling.score:
            return f"refused: the threshold is not below the ceiling of the scores, {self.ceiling.score:g}"
        return None

    def sentences(self) -> tuple[str, ...]:
        """What the report says of it."""
        return tuple(
            text
            for text in (
                _said(self.floor, "least", "floor", "above"),
                _said(self.ceiling, "highest", "ceiling", "below"),
                f"the scores take {self.values} values only: FMR moves in steps" if self.values else None,
            )
            if text is not None
        )


def _said(atom: ScoreAtom | None, most: str, end: str, side: str) -> str | None:
    if atom is None:
        return None
    share = 1 - atom.non_mated if end == "floor" else atom.non_mated
    limit = f", {side} FMR {share:.3g} no threshold can be told" if 0 < share < 1 else ""
    return (
        f"{100 * atom.mated:.3g} % of mated and {100 * atom.non_mated:.3g} % of non-mated comparisons have the {most} "
        f"score, {atom.score:g}: a {end}{limit}"
    )


def censoring_of(mated: Floats, non_mated: Floats) -> Censoring:
    """Atoms at the ends, and whether the values are few; ``mated``, ``non_mated``: finite scores of either kind.

    An atom holds ten scores and more, 0.5 % of the mated or of the non-mated ones, and three times what the next
    value holds. Values are few where there are at most 1,024 beside the atoms, each met ten times on average.

    >>> rng = np.random.default_rng(0)
    >>> censoring_of(np.minimum(rng.normal(90, 8, 500), 100), rng.normal(50, 8, 500)).ceiling
    ScoreAtom(score=100.0, mated=0.106, non_mated=0.0)
    """
    value, count = np.unique(np.concatenate([mated, non_mated]), return_counts=True)
    if value.size < 2:
        return Censoring()
    floor = _atom(mated, non_mated, value[0], int(count[0]), int(count[1]))
    ceiling = _atom(mated, non_mated, value[-1], int(count[-1]), int(count[-2]))
    inner = count[floor is not None : count.size - (ceiling is not None)]
    few = 0 < inner.size <= MAX_VALUES and int(inner.sum()) >= REPEATS * inner.size
    return Censoring(floor=floor, ceiling=ceiling, values=value.size if few else 0)


def _atom(mated: Floats, non_mated: Floats, score: float, count: int, beside: int) -> ScoreAtom | None:
    shares = [float(np.mean(kind == score)) if kind.size else 0.0 for kind in (mated, non_mated)]
    if count < MIN_COUNT or count < TIMES * beside or max(shares) < MIN_SHARE:
        return None
    return ScoreAtom(score=float(score), mated=shares[0], non_mated=shares[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Where an FMR target falls among the scores.

    ``threshold``: the smallest one that meets the target; ``realised``: the rate there, below the target where many
    scores are equal to it; ``above``: the rate at the next lower score; ``tied``: non-mated scores equal to the
    threshold; ``allowed``: false matches that the target allows.
    """

    target: float
    threshold: float
    realised: float
    above: float
    tied: int
    allowed: int

    @property
    def short(self) -> float:
        """The realised rate by the target, 1 where nothing but the number of comparisons parts them."""
        return self.realised / self.target if self.tied > (1 - SAID) * self.allowed else 1.0


def refusal(censoring: Censoring, step: Step) -> str | None:
    """Why FNMR at this FMR target is not what it says, None where it is.

    The threshold lies at the ceiling, so that nothing matches; at the floor, though more may match; or at a step
    below which fewer than half of the false matches are left that the target allows.
    """
    floor, ceiling = censoring.floor, censoring.ceiling
    if ceiling is not None and step.threshold >= ceiling.score:
        share = f"{100 * ceiling.non_mated:.3g} %"
        return (
            f"FMR {step.target:g} lies in the ceiling: {share} of the non-mated comparisons have the highest score, "
            f"{ceiling.score:g}"
        )
    if floor is not None and step.threshold <= floor.score and step.short < SAID:
        allowed = (
            f"the largest target allowed is {step.realised:.3g}" if step.realised else "no target is allowed"
        )
        return (
            f"FMR {step.target:g} lies in the floor: {100 * floor.non_mated:.3g} % of the non-mated comparisons have "
            f"the least score, {floor.score:g}; {allowed}"
        )
    if step.short < REFUSED:
        return (
            f"FMR {step.target:g} falls between two steps of the scores, at FMR {step.realised:.3g} and "
            f"{step.above:.3g}"
        )
    return None


def remark(step: Step) -> str | None:
    """What to say of a target that is not refused and not quite met.

    >>> remark(Step(target=0.01, threshold=80.0, realised=0.008, above=0.013, tied=50, allowed=100))
    'the scores come in steps: FNMR at FMR 0.01 is that at FMR 0.008'
    """
    if step.short >= SAID:
        return None
    return f"the scores come in steps: FNMR at FMR {step.target:g} is that at FMR {step.realised:.3g}"


def eer_hidden(censoring: Censoring, threshold: float, fmr: float, fnmr: float) -> str | None:
    """Why the EER, nearest to which FMR and FNMR come at ``threshold``, is hidden; None where it is not.

    At the floor FMR would have to rise past FNMR, at the ceiling FNMR past FMR, where no threshold can be told; and
    the mean of two rates a percent apart, of which one is more than twice the other, is no equal error rate.

    >>> eer_hidden(Censoring(values=5), 3.0, 0.30, 0.02)
    'refused: the scores come in steps, FMR 0.3 and FNMR 0.02 are the nearest to each other'
    """
    if abs(fmr - fnmr) == 1:
        return "refused: all scores are the same"
    low = censoring.floor is not None and threshold <= censoring.floor.score and fmr < fnmr
    high = censoring.ceiling is not None and threshold >= censoring.ceiling.score and fnmr > fmr
    if low or high:
        return f"refused: it lies in the {'floor' if low else 'ceiling'} of the scores, {threshold:g}"
    if censoring.values and abs(fmr - fnmr) > max(APART, REFUSED * max(fmr, fnmr)):
        return f"refused: the scores come in steps, FMR {fmr:.3g} and FNMR {fnmr:.3g} are the nearest to each other"
    return None
