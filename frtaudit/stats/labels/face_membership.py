"""How likely each face of a query shows the query's person, from how alike it is to the person's other faces.

Faces that show the person and faces that do not form two clusters on one scale; a mixture of normal distributions
says where they meet. No label enters but as a start, so faces that the labels missed are in it as well. What lies
below that place cannot be told from the scores: bad images of the person, or strangers who look like the person. So
there are two ends (:func:`fewest`, :func:`most`), and the truth is held to lie between them.
"""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Flags, Floats

BINS, LOW, HIGH = 240, -1.5, 2.5  # of the scale on which strangers lie about 0 and the person about 1
ROUNDS, AGAIN, MIN_SPREAD = (
    150,
    30,
    0.02,
)  # of the EM, first and refitted; the smallest standard deviation of a part
FEW = 20  # faces: a cluster of fewer has no shape
SURE, EVEN = 0.9, 0.5  # likely to be the person's: surely, and as likely as not
STEP = 0.1  # of the scale: the width within which faces are counted
GRID = np.linspace(0.0, 1.0, 401)  # places at which it is sought where clusters meet
FAR = 2.0  # how much wider the second cluster of the persons' own faces starts

TOO_FEW = f"fewer than {FEW} faces of the queries' persons, or of other people"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Fisher's discriminant according to S services.

    ``strangers``, ``step``: shape (S,), their mean, and from there to that of own faces; ``spread``: shape (S, S), the
    covariance within both.
    """

    strangers: Floats
    step: Floats
    spread: Floats

    def place(self, alike: Floats) -> Floats:
        """Where something lies, shape (P,): 0 at the mean of strangers, 1 at that of own faces.

        ``alike``: shape (P, S), NaN where a service does not say: the others place it; NaN where there is none.
        """
        known = ~np.isnan(alike)
        place = self._place(alike, np.ones(self.step.size, dtype=np.bool_))
        some = known.any(axis=1) & ~known.all(axis=1)
        for pattern in np.unique(known[some], axis=0):
            rows = (known == pattern).all(axis=1)
            place[rows] = self._place(alike[rows][:, pattern], pattern)
        return place

    def _place(self, alike: Floats, pattern: Flags) -> Floats:
        step = self.step[pattern]
        way = np.linalg.solve(self.spread[np.ix_(pattern, pattern)], step)
        return np.asarray((alike - self.strangers[pattern]) @ way / (step @ way))


def scale_of(alike: Floats, likely: Floats) -> Scale:
    """The scale on which faces of a person and strangers lie furthest apart for how far they spread.

    ``alike``: shape (F, S), how alike faces are to a person, NaN where a service does not say; ``likely``: shape (F,),
    in [0, 1], how likely each face is the person's. Raises ``ValueError`` below 20 faces of either kind.

    >>> alike = np.repeat([[0.1, 0.2], [0.7, 0.8]], 30, axis=0) + np.tile([[0.01, 0.0], [-0.01, 0.02]], (30, 1))
    >>> scale_of(alike, np.repeat([0.0, 1.0], 30)).place(np.array([[0.4, 0.51], [0.7, 0.81]])).round(6).tolist()
    [0.5, 1.0]
    """
    whole = ~np.isnan(alike).any(axis=1)
    weights = np.stack([1 - likely[whole], likely[whole]])
    if weights.sum(axis=1).min() < FEW:
        raise ValueError(TOO_FEW)
    means = weights @ alike[whole] / weights.sum(axis=1, keepdims=True)
    apart = [alike[whole] - mean for mean in means]
    scatter = sum(
        (deviation * weight[:, None]).T @ deviation for deviation, weight in zip(apart, weights, strict=True)
    )
    spread = np.asarray(scatter) / whole.sum()
    spread += 1e-9 * np.trace(spread) * np.eye(len(spread))
    return Scale(strangers=means[0], step=means[1] - means[0], spread=spread)


@dataclass(frozen=True, slots=True, kw_only=True)
class Histograms:
    """Mixtures of three normal distributions: strangers, and the persons' own faces, clear ones and hard ones.

    ``share``, ``mean``, ``spread``: shape (M, 3) each, one row for each of M mixtures.
    """

    share: Floats
    mean: Floats
    spread: Floats

    def own(self, places: Floats) -> Floats:
        """How likely a face at each place is the person's own, shape (M, P); 0 at a place that is not known.

        Never falls as faces get more alike, and 0 where a face is less alike than strangers are on average.
        """
        order = np.argsort(places, kind="stable")[: np.count_nonzero(np.isfinite(places))]
        ascending = places[order]
        values = np.zeros((len(self.share), places.size))
        for row, middle in enumerate(self.mean[:, 0]):
            parts = _parts(ascending[:, None], self.share[row], self.mean[row], self.spread[row])
            likely = parts[:, 1:].sum(axis=1) / parts.sum(axis=1)
            likely[ascending < middle] = 0.0
            values[row, order] = np.maximum.accumulate(likely)
        return values

    def meet(self, level: float) -> Floats:
        """The first place from 0 to 1 at which a face is the person's with this probability, shape (M,); 1 if none."""
        there = self.own(GRID) >= level
        return np.where(there.any(axis=1), GRID[there.argmax(axis=1)], 1.0)


def fewest(places: Floats, mixture: Histograms) -> Floats:
    """The person's own faces at the one end, shape (M, P), 0 or 1: those that surely are. Below there are strangers.

    ``places``: shape (P,), NaN where not known, which is nobody's.
    """
    return np.asarray(places >= mixture.meet(SURE)[:, None], dtype=np.float64)


def most(places: Floats, weights: Floats, mixture: Histograms) -> Floats:
    """How likely a face is the person's own at the other end, shape (M, P): own faces thin out slowly.

    Where the clusters meet every face is taken for the person's, and from there down to where strangers lie on average
    own faces are as common as all faces are where the clusters meet, and one more for each :data:`STEP`. The assumption
    is that own faces grow no more common, the less they are like their person; how common they are there is counted
    afresh for each row of ``weights``, shape (M, P), how often each face counts.

    >>> places = np.concatenate([np.repeat([-0.05, 0.05], 30), [0.35, 0.45], np.repeat(1.0, 40)])
    >>> made = Histograms(share=np.array([[0.6, 0.3, 0.1]]), mean=np.array([[0.0, 1.0, 0.8]]),
    ...              spread=np.array([[0.1, 0.1, 0.1]]))
    >>> np.round(most(places, np.ones((1, places.size)), made)[0, [0, 30, 60, 61, 62]], 2).tolist()
    [0.0, 0.07, 1.0, 1.0, 1.0]
    """
    values = np.zeros((len(weights), places.size))
    for row, (meet, weight) in enumerate(zip(mixture.meet(EVEN).tolist(), weights, strict=True)):
        below = np.flatnonzero((places >= 0) & (places < meet))
        there = weight[np.abs(places - meet) <= STEP / 2].sum() + 1
        step = ((meet - places[below]) / STEP).astype(np.int64)
        faces = np.maximum(np.bincount(step, weight[below])[step], 1.0)
        values[row, below] = np.minimum(there / faces, 1.0)
        values[row, places >= meet] = 1.0
    return values


def _parts(places: Floats, share: Floats, mean: Floats, spread: Floats) -> Floats:
    """Heights of the parts up to one factor at each place, shape (..., P, 3); never all 0."""
    level = np.log(share) - np.log(spread) - ((places - mean) / spread) ** 2 / 2
    return np.asarray(np.exp(level - level.max(axis=-1, keepdims=True)))


def histograms(places: Floats, likely: Floats) -> Histograms:
    """The mixture of faces at these places, M = 1, by EM on a fine histogram.

    ``places``: shape (F,), NaN where not known; ``likely``: shape (F,), in [0, 1], where to start from. Raises
    ``ValueError`` below 20 faces of either kind.

    >>> rng = np.random.default_rng(0)
    >>> places = np.concatenate([rng.normal(0, 0.1, 500), rng.normal(1, 0.1, 500)])
    >>> made = histograms(places, np.repeat([0.0, 1.0], 500))
    >>> np.round(made.own(np.array([0.3, 0.7])), 1).tolist()
    [[0.0, 1.0]]
    """
    known = np.isfinite(places)
    return _fitted(places, np.ones((1, places.size)), _start(places[known], likely[known]), ROUNDS)


def refitted(places: Floats, weights: Floats, start: Histograms) -> Histograms:
    """M mixtures of the same faces, each counted as often as its row of ``weights`` says, shape (M, F)."""
    return _fitted(places, weights, start, AGAIN)


def _fitted(places: Floats, weights: Floats, start: Histograms, rounds: int) -> Histograms:
    known = np.isfinite(places)
    bins = np.clip(((places[known] - LOW) / (HIGH - LOW) * BINS).astype(np.int64), 0, BINS - 1)
    counts = np.stack([np.bincount(bins, weight[known], minlength=BINS) for weight in weights])
    taken = np.flatnonzero(counts.any(axis=0))
    counts, middles = counts[:, taken], (LOW + (taken + 0.5) * (HIGH - LOW) / BINS)[:, None]
    parts = [np.repeat(part, len(counts), axis=0) for part in (start.share, start.mean, start.spread)]
    share, mean, spread = parts
    for _ in range(rounds):
        heights = _parts(middles, share[:, None], mean[:, None], spread[:, None])
        heights *= (counts / heights.sum(axis=2))[:, :, None]
        total = heights.sum(axis=1) + 1e-6
        share = total / total.sum(axis=1, keepdims=True)
        mean = (heights * middles).sum(axis=1) / total
        squares = (heights * (middles - mean[:, None]) ** 2).sum(axis=1) / total
        spread = np.sqrt(np.maximum(squares, MIN_SPREAD**2))
    return Histograms(share=share, mean=mean, spread=spread)


def _start(places: Floats, likely: Floats) -> Histograms:
    weights = np.stack([1 - likely, likely])
    size = weights.sum(axis=1)
    if size.min() < FEW:
        raise ValueError(TOO_FEW)
    mean = weights @ places / size
    spread = np.sqrt([np.average((places - m) ** 2, weights=w) for m, w in zip(mean, weights, strict=True)])
    spread = np.maximum(spread, MIN_SPREAD)
    return Histograms(
        share=np.array([[size[0], 0.8 * size[1], 0.2 * size[1]]]) / size.sum(),
        mean=np.array([[mean[0], mean[1], mean[1] - spread[1]]]),
        spread=np.array([[spread[0], spread[1], FAR * spread[1]]]),
    )
