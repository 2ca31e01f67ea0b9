"""Coverage of intervals on true labels, on synthetic searches whose mechanisms the method does not know.

`python -m frtaudit.testing.label_study`: a line for each scene. A scene is a kind of search: who is found, how many of
the faces are wrong, how many images are bad, how many services there are and how well they see. Of each search one
service is judged, in turn, so that what is counted is independent.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from frtaudit.analyses.label_cost import on_truth, spanning
from frtaudit.core import Interval, Method
from frtaudit.core.arrays import Floats
from frtaudit.core.canonical import seed_of
from frtaudit.core.labelling import OF_QUERY, Faces, Labelling, Service
from frtaudit.core.spec_values import LabelSource
from frtaudit.datasets.cohorts.synthetic_queries import SyntheticQueries, SyntheticService
from frtaudit.errors import DataError
from frtaudit.evaluation.intervals import RateSummary
from frtaudit.labelling import cost
from frtaudit.labelling.estimate import labelled
from frtaudit.labelling.settings import How
from frtaudit.stats.labels import reweighted
from frtaudit.testing.study.pages import into, write_indented, write_line
from frtaudit.testing.web_searches import Truth, search

ALPHA, TARGET, ALARM = 0.05, np.array([0.01]), 1e-3
QUERIES, TRUTHS = 80, 100  # of one search; drawn for it
PLACE = "estimated labels"  # of the table on a page

Drawing = tuple[Faces, tuple[Service, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A kind of search by ``name``; ``draw``: one of them, from queries and a seed.

    ``held``: whether the intervals are claimed to contain the true value; else they are known not to.
    """

    name: str
    draw: Callable[[int, int], Drawing]
    held: bool = True


def _sphere(name: str, *levels: float, **shape: Any) -> Scene:  # noqa: ANN401  fields of the cohort
    """People on a sphere, as ``synthetic_queries`` draws them; their own labels, quickly made, are not read."""
    services = {f"service_{place}": SyntheticService(noise=level) for place, level in enumerate(levels)}
    labels = How(modes=dict.fromkeys(services, (50.0, 80.0)))

    def draw(queries: int, seed: int) -> Drawing:
        people = SyntheticQueries(
            queries=queries, services=services, labels=labels, **{"twins": 0.0, **shape}
        )
        labelling = people.load({}, seed).labelling
        if labelling is None:
            raise DataError("cohort", "no labelling", "a synthetic search")
        return labelling.faces, labelling.services

    return Scene(name=name, draw=draw)


def _web(truth: Truth) -> Scene:
    return Scene(
        name=f"mechanism {truth}",
        draw=lambda queries, seed: search(truth, queries, np.random.default_rng(seed)),
    )


def _unseen(share: float) -> Scene:
    """An easy search in which a ``share`` of the strangers are the person after all: images that say nothing."""

    def draw(queries: int, seed: int) -> Drawing:
        rng = np.random.default_rng(seed)
        faces, services = search(Truth.EASY, queries, rng)
        blind = (faces.annotated != OF_QUERY) & (rng.random(faces.annotated.size) < share)
        return replace(faces, annotated=np.where(blind, OF_QUERY, faces.annotated).astype(np.int8)), services

    return Scene(name=f"{share:.0%} of the strangers unseen own faces", draw=draw, held=False)


SCENES = (
    *(_web(truth) for truth in Truth),
    _sphere("no bad image", 0.25, 0.4, 0.55, bad=0.0),
    _sphere("8 % bad", 0.25, 0.3, 0.35, 0.4, 0.6, bad=0.08),
    _sphere("12 % bad, two services", 0.3, 0.5, bad=0.12),
    _sphere("10 % wrong faces", 0.25, 0.35, 0.45, 0.6, share=(0.87, 0.93)),
    _sphere("half wrong faces", 0.25, 0.35, 0.45, 0.6, share=(0.42, 0.58), faces=(16, 30)),
    _sphere("twins in 10 %", 0.3, 0.4, 0.5, twins=0.1),
    _sphere("poor services", 0.6, 0.7, 0.8, bad=0.03),
    _sphere("128 dimensions", 0.25, 0.4, dimension=128, concentration=(150.0, 300.0)),
    _unseen(0.2),
)


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
    of_person, once = faces.annotated == OF_QUERY, np.ones(len(faces.queries))
    nobody = np.zeros(of_person.size, dtype=np.int32)
    every = reweighted.listed(
        (service.first, service.second), service.score, faces.query_of, nobody, of_person
    )
    return float(every.fnmr(of_person, once, every.threshold(of_person, once, TARGET))[0])


def held(
    faces: Faces,
    services: tuple[Service, ...],
    seed: int,
    truths: int = TRUTHS,
    only: Sequence[int] | None = None,
) -> Iterator[Held]:
    """What ``label_cost`` says of the services of a search, of all or of some."""
    labels = labelled(faces, services, How())
    sample_of = np.where(labels.identity >= 0, 0, -1).astype(np.int32)
    labelling = Labelling(
        faces=faces, services=services, labelled=labels, source=LabelSource.ESTIMATED, sample_of=sample_of
    )
    likely = cost.likely(labelling)
    drawn = cost.truths(faces, likely, truths, np.random.default_rng(seed))
    for service in [services[place] for place in (range(len(services)) if only is None else only)]:
        ends = [_end(labelling, service, likely, truth) for truth in drawn.values()]
        span = spanning([interval for _, interval in ends if interval is not None])
        if span is None or span.low is None or span.high is None:
            continue
        yield Held(
            reported=float(ends[0][0].reported[0]),
            drawn=float(np.mean([outcome.true.mean() for outcome, _ in ends])),
            true=rate_on_truth(faces, service),
            low=span.low,
            high=span.high,
        )


def _end(
    labelling: Labelling, service: Service, likely: cost.Likely, drawn: cost.Truths
) -> tuple[cost.Drawn, Interval | None]:
    seen = cost.views(labelling, service, likely, drawn)
    cuts = cost.cuts_at(labelling, seen, drawn, TARGET)
    rates = cost.rates_at(labelling, seen, drawn, cost.Rate.FNMR, cuts)
    summary = _reading(float(rates.reported[0]), seen)
    return rates, on_truth(summary, rates.true[:, 0], rates.anew[:, 0], ALPHA, moving=True)


def _reading(reported: float, seen: cost.Views) -> RateSummary:
    """The rate on the labels, with Wilson's interval of comparisons a query of which is one."""
    trials = seen.reported.mated.score.size
    people = np.unique(seen.reported.mated.query).size
    wilson = Interval.of(0.0, 1.0, ALPHA, Method.WILSON, n_eff=float(people))
    errors = round(reported * trials)
    return RateSummary(
        value=reported,
        vstat=reported,
        errors=errors,
        trials=trials,
        subjects_with_errors=min(errors, people),
        replicates={},
        effective_subjects=float(people),
        rule=lambda _: wilson,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A scene's searches: means of the rates, of the plain distance and of the half-width, and counts of what held.

    ``due``: the population's rate, ``true``: the searches' own; ``covers``, ``low``, ``high``: searches whose interval
    holds the population's rate, lies below it, above it; ``here``: that hold the search's own rate; ``withheld``:
    searches in which labels or intervals were refused; ``p``: of "covers 95 % or more".
    """

    scene: str
    held: bool
    searches: int
    withheld: int
    due: float | None
    reported: float | None
    drawn: float | None
    true: float | None
    half_width: float | None
    covers: int
    low: int
    high: int
    here: int
    p: float


def study(
    searches: int, seed: int, queries: int = QUERIES, scenes: Sequence[Scene] = SCENES
) -> Iterator[Row]:
    """A row for each scene, one service of each search judged, in turn.

    The population's rate is the mean of the truth of the other searches, so that no search is judged by itself.
    """
    for scene in scenes:
        judged = [_judged(scene, seed, number, queries) for number in range(searches)]
        rates = np.array([true for true, _ in judged])
        others = (rates.sum(axis=0) - rates) / (searches - 1)
        pairs = [
            (float(others[number, number % rates.shape[1]]), outcome)
            for number, (_, outcome) in enumerate(judged)
            if outcome is not None
        ]
        yield _row(scene, searches, pairs)


def _judged(scene: Scene, seed: int, number: int, queries: int) -> tuple[Floats, Held | None]:
    """The truth of every service, shape (S,), and one of them judged, or None where that is refused."""
    faces, services = scene.draw(queries, seed_of(seed, "label_study", scene.name, str(number)))
    true = np.array([rate_on_truth(faces, service) for service in services])
    try:
        return true, next(held(faces, services, seed=number, only=[number % len(services)]), None)
    except (DataError, ValueError):
        return true, None


def _row(scene: Scene, searches: int, pairs: Sequence[tuple[float, Held]]) -> Row:
    covers = sum(outcome.low <= rate <= outcome.high for rate, outcome in pairs)

    def mean(values: Iterator[float]) -> float | None:
        return float(np.mean(list(values))) if pairs else None

    return Row(
        scene=scene.name,
        held=scene.held,
        searches=searches,
        withheld=searches - len(pairs),
        due=mean(rate for rate, _ in pairs),
        reported=mean(outcome.reported for _, outcome in pairs),
        drawn=mean(outcome.drawn for _, outcome in pairs),
        true=mean(outcome.true for _, outcome in pairs),
        half_width=mean((outcome.high - outcome.low) / 2 for _, outcome in pairs),
        covers=covers,
        low=sum(outcome.high < rate for rate, outcome in pairs),
        high=sum(outcome.low > rate for rate, outcome in pairs),
        here=sum(outcome.low <= outcome.true <= outcome.high for _, outcome in pairs),
        p=float(scipy.stats.binomtest(covers, len(pairs), 1 - ALPHA, alternative="less").pvalue)
        if pairs
        else 1.0,
    )


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows of a page in Markdown."""
    head = [
        "| search | FNMR of the population | reported | on true labels | half-width | covers | its own | p |",
        "|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *(_line(row) for row in rows)])


def _line(row: Mapping[str, Any]) -> str:
    judged = row["searches"] - row["withheld"]
    away = f", {row['withheld']} withheld" if row["withheld"] else ""
    rates = " | ".join(
        "" if row[name] is None else f"{row[name]:.3f}" for name in ("due", "reported", "drawn", "half_width")
    )
    return (
        f"| {row['scene']} | {rates} | {row['covers']} of {judged}{away} | {row['here']} of {judged} | "
        f"{format(row['p'], '.2g') if row['held'] else 'not held'} |"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0; 1 where a claim does not hold."""
    parser = argparse.ArgumentParser(prog="python -m frtaudit.testing.label_study", description=__doc__)
    parser.add_argument("--searches", type=int, default=20, help="of each scene")
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--out", type=Path, default=None, help="write the rows as JSON")
    parser.add_argument("--docs", type=Path, default=None, help="the page that has their table")
    options = parser.parse_args(argv)
    rows: list[Mapping[str, Any]] = []
    for row in study(options.searches, options.seed, options.queries):
        rows.append(asdict(row))
        write_line(_line(rows[-1]))
    into(options.docs, PLACE, table(rows))
    write_indented(options.out, rows)
    return int(any(row["held"] and row["p"] <= ALARM for row in rows))


if __name__ == "__main__":
    sys.exit(main())
