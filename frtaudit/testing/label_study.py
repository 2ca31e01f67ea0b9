"""How often intervals on true labels hold the truth, on made-up searches whose mechanisms the method does not know.

`python -m frtaudit.testing.label_study SEARCHES`: a line for each kind of search and service.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest

from frtaudit.analyses.label_cost import on_truth
from frtaudit.core import Interval, Method, Target
from frtaudit.core.labelling import OF_QUERY, Faces, Labelling, LabelSource, Service
from frtaudit.inference import Reading
from frtaudit.labelling import cost
from frtaudit.labelling.estimate import How, labelled
from frtaudit.stats import reweighted
from frtaudit.testing.web_searches import Truth, search

ALPHA, TARGET = 0.05, np.array([0.01])
QUERIES, TRUTHS, SEARCHES = 80, 100, 200  # of one search; drawn for it; whose mean is the population's rate

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One service of one search: FNMR at FMR 1 % as reported, drawn, on its truth, and the interval."""

    reported: float
    drawn: float
    true: float
    low: float
    high: float


def rate_on_truth(faces: Faces, service: Service) -> float:
    """FNMR at FMR 1 % on the annotation of all faces."""
    own, once = faces.annotated == OF_QUERY, np.ones(len(faces.queries))
    nobody = np.zeros(own.size, dtype=np.int32)
    every = reweighted.listed((service.first, service.second), service.score, faces.query_of, nobody, own)
    return float(every.fnmr(own, once, every.threshold(own, once, TARGET))[0])


def population(truth: Truth, seed: int, searches: int = SEARCHES, queries: int = QUERIES) -> Floats:
    """The mean of that rate over many searches, by service."""
    rng = np.random.default_rng(seed)
    made = [search(truth, queries, rng) for _ in range(searches)]
    rates = [[rate_on_truth(faces, one) for one in services] for faces, services in made]
    return np.asarray(np.mean(rates, axis=0))


def held(faces: Faces, services: tuple[Service, ...], seed: int, truths: int = TRUTHS) -> Iterator[Held]:
    """What ``label_cost`` says of each service of a search."""
    found = labelled(faces, services, How())
    labelling = Labelling(
        faces=faces,
        services=services,
        labelled=found,
        source=LabelSource.ESTIMATED,
        sample_of=np.where(found.identity >= 0, 0, -1).astype(np.int32),
    )
    likely = cost.likely(labelling)
    drawn = cost.truths(faces, likely, truths, np.random.default_rng(seed))
    for service in services:
        seen = cost.views(labelling, service, likely, drawn)
        rates = cost.fnmr_at(labelling, seen, drawn, TARGET)
        reported, true, anew = (float(rates.reported[0]), rates.true[:, 0], rates.anew[:, 0])
        made = on_truth(_reading(reported, seen), true, anew, ALPHA, moving=True)
        if made is None or made.low is None or made.high is None:
            continue
        yield Held(
            reported=reported,
            drawn=float(true.mean()),
            true=rate_on_truth(faces, service),
            low=made.low,
            high=made.high,
        )


def _reading(reported: float, seen: cost.Views) -> Reading:
    """The rate on the labels, with Wilson's interval of comparisons a query of which is one."""
    trials = seen.reported.mated.score.size
    people = np.unique(seen.reported.mated.query).size
    wilson = Interval(
        low=0.0,
        high=1.0,
        level=1 - ALPHA,
        method=Method.WILSON,
        target=Target.POPULATION,
        n_eff=float(people),
    )
    errors = round(reported * trials)
    return Reading(
        value=reported,
        vstat=reported,
        errors=errors,
        trials=trials,
        erring=min(errors, people),
        replicates={},
        effective=float(people),
        rule=lambda _: wilson,
    )


def main(searches: int) -> None:
    """Print coverage of the population's rate and of the search's own, with the p of "covers 95 % or more"."""
    for number, truth in enumerate(Truth):
        due = population(truth, number)
        rng = np.random.default_rng(1000 + number)
        rows = [list(held(*search(truth, QUERIES, rng), seed=k)) for k in range(searches)]
        for place, rate in enumerate(due):
            own = [row[place] for row in rows if len(row) == len(due)]
            covered = sum(one.low <= rate <= one.high for one in own)
            below = sum(rate < one.low for one in own)
            here = sum(one.low <= one.true <= one.high for one in own)
            p = binomtest(covered, len(own), 1 - ALPHA, alternative="less").pvalue
            reported, drawn, true = np.mean([(one.reported, one.drawn, one.true) for one in own], axis=0)
            print(  # noqa: T201  the study's output
                f"{truth:9} {place} due {rate:.4f} reported {reported:.4f} drawn {drawn:.4f} true {true:.4f} "
                f"covers {covered}/{len(own)} (too high {below}) p {p:.3f}; this search's truth {here}/{len(own)}",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]))
