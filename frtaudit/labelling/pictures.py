"""What a report draws of labels: rates, scores, the faces of each query, one query by a service."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Ints, Signs
from frtaudit.core.labelling import OF_QUERY, Faces, Labelled, Service
from frtaudit.core.spec_values import Limits, Rule
from frtaudit.labelling.evaluation import Scores, confidences
from frtaudit.stats.labels.spectral import leading
from frtaudit.stats.rates.censoring import Censoring

FEW = 10  # non-mated scores above a threshold, below which no curve is drawn
HIGHEST, PER_DECADE = 0.5, 8  # of FMR; points of a curve
BINS, CUTS = 60, 200
PER_OCTAVE = 4  # bins of face sizes
EXAMPLES = ("", "several", "disagree", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """FMR, threshold and FNMR there (match iff score > threshold), shape (P,) each, FMR ascending."""

    fmr: Floats
    threshold: Floats
    fnmr: Floats


def det(scores: Scores, censoring: Censoring, targets: Sequence[float] = ()) -> Rates:
    """FNMR over FMR as realised, from ten false matches to FMR 0.5; not where a floor or a ceiling hides it.

    ``targets``: FMR targets at whose thresholds there is a point besides.

    >>> rng = np.random.default_rng(0)
    >>> nobody = np.zeros(1000, dtype=np.int32)
    >>> made = Scores(mated=rng.normal(3, 1, 1000), non_mated=rng.normal(0, 1, 1000), mated_query=nobody,
    ...               non_mated_queries=np.stack([nobody, nobody], axis=1))
    >>> det(made, Censoring()).fmr[[0, -1]].round(6).tolist()
    [0.01, 0.5]
    """
    size = scores.non_mated.size
    if size < 2 * FEW or not scores.mated.size:
        return Rates(fmr=np.zeros(0), threshold=np.zeros(0), fnmr=np.zeros(0))
    mated, non_mated = np.sort(scores.mated), np.sort(scores.non_mated)
    low, high = np.log10(FEW / size), np.log10(HIGHEST)
    steps = max(1, round(float(high - low) * PER_DECADE))
    wanted = [*np.logspace(low, high, steps + 1), *(target for target in targets if FEW / size <= target < 1)]
    allowed = np.floor(np.array(wanted) * size + 1e-9).astype(np.int64)
    threshold = np.unique(non_mated[size - 1 - allowed])[::-1]
    if censoring.floor is not None:
        threshold = threshold[threshold > censoring.floor.score]
    if censoring.ceiling is not None:
        threshold = threshold[threshold < censoring.ceiling.score]
    return Rates(
        fmr=(size - np.searchsorted(non_mated, threshold, side="right")) / size,
        threshold=threshold,
        fnmr=np.searchsorted(mated, threshold, side="right") / mated.size,
    )


def histograms(service: Service, scores: Scores) -> tuple[Floats, Mapping[str, Floats]]:
    """Middles of ``BINS`` bins over a service's scores, and the share of either kind in each (Figure 4, left)."""
    edges = np.linspace(np.nanmin(service.score), np.nanmax(service.score), BINS + 1)
    shares = {
        name: np.histogram(side, edges)[0] / side.size if side.size else np.zeros(BINS)
        for name, side in {"mated": scores.mated, "non_mated": scores.non_mated}.items()
    }
    return (edges[1:] + edges[:-1]) / 2, shares


def over_threshold(service: Service, scores: Scores) -> tuple[Floats, Mapping[str, Floats]]:
    """Thresholds over a service's scores, and FMR and FNMR at each (Figure 4, middle)."""
    cuts = np.linspace(np.nanmin(service.score), np.nanmax(service.score), CUTS)
    rates: dict[str, Floats] = {}
    if scores.non_mated.size:
        below = np.searchsorted(np.sort(scores.non_mated), cuts, side="right")
        rates["fmr"] = 1 - below / scores.non_mated.size
    if scores.mated.size:
        rates["fnmr"] = np.searchsorted(np.sort(scores.mated), cuts, side="right") / scores.mated.size
    return cuts, rates


def voted(labelled: Labelled, tau: float) -> Flags:
    """Whether most services take a face for its query's person, shape (F,), also in queries that are left out."""
    return np.asarray(2 * (labelled.z > tau).sum(axis=1) > labelled.z.shape[1])


def of_queries(faces: Faces, flagged: Flags) -> Ints:
    """How many faces of each query are flagged, shape (Q,)."""
    return np.bincount(faces.query_of[flagged], minlength=len(faces.queries)).astype(np.int64)


def size_histograms(size_of: Mapping[str, Floats]) -> tuple[Floats, dict[str, Ints]]:
    """Sizes of faces in logarithmic bins, the same for all: lower edges, shape (N,), pixels; counts by service.

    >>> edge, count = size_histograms({"a": np.array([10.0, 19.0]), "b": np.array([np.nan, 16.0])})
    >>> edge.round(1).tolist(), count["b"].tolist()
    ([9.5, 11.3, 13.5, 16.0], [0, 0, 0, 1])
    """
    octave = {name: np.floor(PER_OCTAVE * np.log2(size[np.isfinite(size)])) for name, size in size_of.items()}
    bins = np.concatenate(list(octave.values()))
    if not bins.size:
        return np.zeros(0), {name: np.zeros(0, dtype=np.int64) for name in size_of}
    low, high = int(bins.min()), int(bins.max())
    count = {
        name: np.bincount((places - low).astype(np.int64), minlength=high - low + 1)
        for name, places in octave.items()
    }
    return 2 ** (np.arange(low, high + 1) / PER_OCTAVE), count


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One query by one service, its n faces by falling z.

    ``matrix``: (n, n), confidences scaled to 0..1; ``vectors``: (n, k), eigenvectors of the identities that it sees,
    one at least; ``z``, ``label``: (n,), the decision 1, 0, or -1 left out.
    """

    reason: str
    matrix: Floats
    vectors: Floats
    z: Floats
    label: Signs


def examples(
    faces: Faces, service: Service, labelled: Labelled, rule: Rule, limits: Limits, column: int = 0
) -> Iterator[Example]:
    """The middle query by size of each kind that there is, whose faces all services scored (Figures 3 and S.5).

    ``service``: one that labels, whose z is in this column; the queries are the same for all.
    """
    sizes = np.diff(faces.starts)
    known = np.isfinite(labelled.z.sum(axis=1))
    for reason in EXAMPLES:
        fits = [
            q
            for q, outcome in enumerate(labelled.reason)
            if outcome == reason and sizes[q] and known[faces.starts[q] : faces.starts[q + 1]].all()
        ]
        if not fits:
            continue
        q = sorted(fits, key=lambda number: (sizes[number], number))[len(fits) // 2]
        rows = np.arange(faces.starts[q], faces.starts[q + 1])
        z = labelled.z[rows, column]
        matrix = confidences(faces, service, q, labelled.modes[service.name])
        order = np.argsort(-z, kind="stable")
        yield Example(
            reason=reason,
            matrix=matrix[np.ix_(order, order)],
            vectors=leading(matrix, rule, limits)[order],
            z=z[order],
            label=labelled.label[rows][order],
        )


def right_shares(faces: Faces) -> Floats:
    """The share of each query's faces that show its person by annotation, shape (Q,), NaN where none is annotated."""
    right = of_queries(faces, faces.annotated == OF_QUERY)
    judged = of_queries(faces, faces.annotated >= 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(right / judged)
