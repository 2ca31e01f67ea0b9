"""Error rates of comparisons of vendors, on synthetic people: ``python -m frtaudit.testing.study.compare``.

Two systems are exchangeable when independent noise on the same templates makes them (FORMULAS 8.16); the noise is small
enough that their errors hang together by 0.8. They are evaluated and compared as an audit does it, at targets that
expect 5, 20 and 200 false matches. A difference is planted by moving the second system's mated scores down.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scipy

from frtaudit.analyses.comparison import measures
from frtaudit.analyses.comparison.contrasts import IDENTICAL, Judged, judged
from frtaudit.analyses.comparison.support import CommonSupport, support_of
from frtaudit.core.arrays import Flags, Floats
from frtaudit.core.canonical import seed_of
from frtaudit.core.spec import AuditSpec, CurveGrid, Plan, Weighting
from frtaudit.evaluation.system import POOLED, SystemData
from frtaudit.stats.bootstrap.resample import replicate
from frtaudit.stats.systems import multiple_comparisons, support
from frtaudit.stats.von_mises_fisher import unit
from frtaudit.testing.populations import HUBS, ISOTROPIC, WOLVES, Population
from frtaudit.testing.study.misses import Claim, of_share, told
from frtaudit.testing.study.pages import parser_of
from frtaudit.testing.study.systems import SYSTEM, cohort_of, spec_of, system_of

ALPHA, POWER, WIDTH = 0.05, 0.8, 0.8
EXPECTED = (5, 20, 200)  # false matches at the targets
SUBJECTS, SAMPLES, PILOTS = 100, 4, 40
NAMES = ("first", "second")
PLACE, HEAD = "vendors", ("people", "claim", "found", "held to", "p")  # its table on a page


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A population, and the length of the ``noise`` that each system adds to its unit templates."""

    population: Population
    noise: float


CLEAR = Population(name="clear", dimension=64, concentration=(75.0, 130.0), classes=ISOTROPIC.classes)
SCENES = (
    Scene(population=ISOTROPIC, noise=0.10),
    Scene(population=HUBS, noise=0.10),
    Scene(population=WOLVES, noise=0.10),
    Scene(population=CLEAR, noise=0.15),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortComparison:
    """One cohort's comparison: ``told`` (A,) bool; ``paired``, ``unpaired`` (A,): widths; ``alike`` (A,): correlation.

    ``turned``: with the labels swapped every sign flips and nothing else; ``far`` (A,): the detectable difference;
    ``rates`` (2, A): FNMR of both; ``tested`` (A,) bool.
    """

    told: Flags
    tested: Flags
    paired: Floats
    unpaired: Floats
    alike: Floats
    far: Floats
    rates: Floats
    turned: bool


def systems_of(scene: Scene, number: int, seed: int, resamples: int, shift: float = 0.0) -> list[SystemData]:
    """Cohort ``number`` as both systems see it; ``shift``: how far the second one's mated scores are moved down."""
    cohort_seed = seed_of(seed, "compare", scene.population.name, str(number))
    rng = np.random.default_rng(cohort_seed)
    seen = scene.population.subjects(rng, SUBJECTS).samples(rng, [SAMPLES] * SUBJECTS, np.float64)
    scale, templates = scene.noise / np.sqrt(seen.vectors.shape[1]), {}
    for name in NAMES:
        noisy = unit(seen.vectors + scale * rng.standard_normal(seen.vectors.shape))
        templates[name] = cohort_of(replace(seen, vectors=noisy), {}).templates[SYSTEM]
    cohort_data = replace(cohort_of(seen, {}), templates=templates)
    spec = _spec(cohort_seed, resamples)
    first, second = (system_of(cohort_data, spec, name) for name in NAMES)
    if shift:  # thresholds stay, FNMR rises; replicates are drawn anew
        mated = (second.tail.mated_score - shift).astype(np.float32)
        second = replace(second, tail=replace(second.tail, mated_score=mated), replicates={})
    return [first, second]


def _spec(seed: int, resamples: int) -> AuditSpec:
    size = SUBJECTS * SAMPLES
    pairs = size * (size - 1) // 2 - SUBJECTS * SAMPLES * (SAMPLES - 1) // 2
    targets = [count / pairs for count in EXPECTED]
    spec = spec_of(targets=targets, thresholds=(), intervals=(), n=resamples, seed=seed, folds=False)
    return replace(
        spec,
        weighting=Weighting.POOLED,
        thresholds=replace(spec.thresholds, curve=CurveGrid(per_decade=0)),
        bootstrap=replace(spec.bootstrap, plans=(Plan.SUBJECTS,)),
    )


def compared(common: CommonSupport) -> list[Judged]:
    """FNMR of everybody at each target, every pair judged."""
    everybody = [measure for measure in measures.fnmr(common) if measure.schema is None]
    return [judged(measure, common, ALPHA) for measure in everybody]


def evaluated(systems: Sequence[SystemData]) -> CohortComparison:
    """One comparison, its mirror image, and the same systems as if other people had been drawn for each."""
    common = support_of(systems)
    judgeds, mirror = compared(common), compared(support_of(systems[::-1]))
    families = [judged.family for judged in judgeds]
    wrong = _errors(common)
    other = _other_people(common)
    unpaired = [
        judged.family and multiple_comparisons.family_of(judged.measure.values, drawn, ((0, 1),))
        for judged, drawn in zip(judgeds, other, strict=True)
    ]
    return CohortComparison(
        told=np.array([family is not None and bool(family.p()[0] <= ALPHA) for family in families]),
        tested=np.array([family is not None for family in families]),
        paired=np.array([_width(family) for family in families]),
        unpaired=np.array([_width(family) for family in unpaired]),
        alike=np.array([np.corrcoef(*part)[0, 1] if part.any(axis=1).all() else np.nan for part in wrong]),
        far=np.array([np.nan if judged.family is None else judged.detectable()[0] for judged in judgeds]),
        rates=np.array([judged.measure.values for judged in judgeds]).T,
        turned=all(_turned(judged, back) for judged, back in zip(judgeds, mirror, strict=True)),
    )


def _width(family: multiple_comparisons.Family | None) -> float:
    if family is None:
        return float("nan")
    low, high = family.bounds(ALPHA)
    return float(high[0] - low[0])


def _turned(judged: Judged, back: Judged) -> bool:
    """Exactly the other sign, the same p, the bounds changed places."""
    if judged.family is None or back.family is None:
        return judged.family is back.family
    low, high = judged.family.bounds(ALPHA)
    again = back.family.bounds(ALPHA)
    signs = (
        judged.family.value[0] == -back.family.value[0] and low[0] == -again[1][0] and high[0] == -again[0][0]
    )
    return bool(signs and judged.family.p()[0] == back.family.p()[0])


def _errors(common: CommonSupport) -> list[Floats]:
    """Errors of both systems on the mated comparisons at each target, (2, P) each."""
    mated = [support.mated_by_pair(system.tail)[1] for system in common.systems]
    return [
        np.array([score <= threshold for score, threshold in zip(mated, at, strict=True)], dtype=np.float64)
        for at in zip(*(system.thresholds[POOLED] for system in common.systems), strict=True)
    ]


def _other_people(common: CommonSupport) -> list[Floats]:
    """Replicates with the second system's people drawn apart from the first's: what not pairing costs, (B, 2) each."""
    first, second = common.systems
    apart = replicate(
        second.tail,
        common.groups,
        plan=Plan.SUBJECTS,
        n=first.drawn_fnmr.shape[1],
        seed=seed_of(first.system.spec.seed, "compare", "apart"),
        targets=list(common.targets),
        thresholds=[],
        threads=1,
    )
    return [
        np.stack([first.drawn_fnmr[POOLED, :, a, 0], apart.fnmr[POOLED, :, a, 0]], axis=1)
        for a in range(len(common.targets))
    ]


def study(cohorts: int, resamples: int, seed: int, scenes: Sequence[Scene] = SCENES) -> Iterator[Claim]:
    """Every claim: false differences at most at alpha, narrower if paired, signs flip, planted differences found."""
    for scene in scenes:
        seen = [evaluated(systems_of(scene, number, seed, resamples)) for number in range(cohorts)]
        yield from _exchangeable(scene, seen)
        yield from _planted(scene, seen, cohorts, resamples, seed)
    yield _self(scenes[0], seed, resamples)


def _exchangeable(scene: Scene, seen: Sequence[CohortComparison]) -> Iterator[Claim]:
    name = scene.population.name
    for a, expected in enumerate(EXPECTED):
        where = f"{name}, {expected} expected false matches"
        alike = float(np.nanmean([comparison.alike[a] for comparison in seen]))
        differs = np.array([comparison.told[a] for comparison in seen])
        claim = f"exchangeable vendors (errors correlated by {alike:.2f}) differ significantly"
        yield of_share(where, claim, differs, ALPHA, "greater")
        ratio = np.array(
            [comparison.paired[a] / comparison.unpaired[a] for comparison in seen if comparison.tested[a]]
        )
        yield _mean(where, "paired width over unpaired", ratio, WIDTH)
    turned = np.array([not comparison.turned for comparison in seen])
    yield of_share(name, "swapping the labels does more than flip signs", turned, 0.0, "greater")


def _planted(
    scene: Scene, seen: Sequence[CohortComparison], cohorts: int, resamples: int, seed: int
) -> Iterator[Claim]:
    """A difference as large as the mean detectable one is found with probability 0.8 or more, at each target."""
    pilots = [systems_of(scene, -1 - number, seed, 2) for number in range(PILOTS)]
    for a, expected in enumerate(EXPECTED):
        size = float(np.nanmean([comparison.far[a] for comparison in seen]))
        shift = _shift(pilots, a, size)
        if shift is None:
            continue
        detected = []
        for number in range(cohorts):
            systems = systems_of(scene, cohorts + number, seed, resamples, shift)
            family = compared(support_of(systems))[a].family
            detected.append(family is not None and bool(family.p()[0] <= ALPHA))
        where = f"{scene.population.name}, {expected} expected false matches"
        yield of_share(
            where, f"a planted difference of {size:.3f} is found", np.array(detected), POWER, "less"
        )


def _shift(pilots: Sequence[Sequence[SystemData]], a: int, size: float) -> float | None:
    """How far mated scores must move for a mean difference of ``size``; None where FNMR has no room for it."""

    def gap(shift: float) -> float:
        return float(np.mean([_rate(second, a, shift) - _rate(first, a, 0.0) for first, second in pilots]))

    low, high = 0.0, 1.0
    if not np.isfinite(size) or gap(high) <= size:
        return None
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if gap(middle) > size else (middle, high)
    return high


def _rate(system: SystemData, a: int, shift: float) -> float:
    threshold = system.operating_points.at_target[POOLED, system.operating_points.declared[a]]
    return float(np.mean(system.tail.mated_score - shift <= threshold))


def _self(scene: Scene, seed: int, resamples: int) -> Claim:
    """A system against itself, under two names."""
    system = systems_of(scene, 0, seed, resamples)[0]
    judgeds = compared(support_of([system, replace(system, provider="twin")]))
    differs = np.array(
        [judged.family is not None or set(judged.untested.values()) != {IDENTICAL} for judged in judgeds]
    )
    return of_share(
        scene.population.name, f"a vendor against itself is not {IDENTICAL}", differs, 0.0, "greater"
    )


def _mean(scene: str, claim: str, values: Floats, limit: float) -> Claim:
    """The mean is at most the limit; ``p`` of the t test that it is more."""
    spread = float(values.std(ddof=1)) if values.size > 1 else 0.0
    z = (float(values.mean()) - limit) / max(spread / np.sqrt(values.size), 1e-12)
    p = float(scipy.stats.t.sf(z, max(values.size - 1, 1)))
    return Claim(scene=scene, claim=claim, found=float(values.mean()), cohorts=values.size, limit=limit, p=p)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0; 1 where a claim does not hold."""
    parser = parser_of("compare", __doc__)
    parser.add_argument("--cohorts", type=int, default=300)
    parser.add_argument("--B", type=int, default=199, dest="resamples")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scene", action="append", default=[], help="only this population; can be repeated")
    parser.add_argument("--out", type=Path, default=None, help="write the claims as JSON")
    options = parser.parse_args(argv)
    wanted = options.scene or [scene.population.name for scene in SCENES]
    scenes = [scene for scene in SCENES if scene.population.name in wanted]
    return told(study(options.cohorts, options.resamples, options.seed, scenes), PLACE, HEAD, options)


if __name__ == "__main__":
    sys.exit(main())
