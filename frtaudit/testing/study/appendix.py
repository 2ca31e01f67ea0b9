"""Whether the coverage appendix tells the truth: "as estimated" against cohorts drawn from real sets (FORMULAS 8.22).

``python -m frtaudit.testing.study.appendix --data FOLDER`` prints a table and writes it as JSON. FOLDER is one of real
templates (``metadata.csv`` and ``templates/``). A design is a system, a number of people and an FMR target. Its truth:
how often the report's 95 % interval holds the rate of the whole set, over cohorts drawn from it. Its appendix: what the
analysis says of the same interval, on average over audits of such cohorts; an audit without errors says nothing.
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from frtaudit.analyses.coverage import Coverage, Scenario
from frtaudit.analyses.shared.cohort_model import Row
from frtaudit.config.plugins import load_plugins
from frtaudit.core import Method, Target
from frtaudit.core.arrays import Ints
from frtaudit.core.canonical import seed_of
from frtaudit.core.spec import IntervalSpec, Weighting
from frtaudit.evaluation.operating_points import OperatingPoint
from frtaudit.stats.intervals import coverage
from frtaudit.stats.rates.targets import threshold_at
from frtaudit.stats.similarity.tail import no_groups
from frtaudit.testing.study.pages import parser_of, write_indented, write_line
from frtaudit.testing.study.sets import one_sided, scored_sets, shown, superpopulation
from frtaudit.testing.study.sets.superpopulation import RealSet
from frtaudit.testing.study.systems import cohort_of, spec_of, system_of

SYSTEMS = (
    *("dlib_resnet", "mobilefacenet_insightface", "mobilefacenet_foamliu"),
    *("mobilefacenet_xiaoccer", "mobilefacenet_quant_zye"),
)
PEOPLE, TARGETS = (100, 400), (1e-2, 1e-3, 1e-4)
ALPHA, TOLERATED = 0.05, 0.05
RATES, WEIGHTING = ("fmr", "fnmr"), Weighting.IDENTITY


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """One line: the true coverage of ``cohorts`` intervals with the misses of either side, and what audits said.

    ``appendix``: mean coverage "as estimated" over the ``audits`` that had errors, None where none had; ``highest``:
    of one audit.
    """

    system: str
    people: int
    target: float
    rate: str
    cohorts: int
    coverage: float
    lower: int
    upper: int
    audits: int
    appendix: float | None
    highest: float | None

    @property
    def holds(self) -> bool:
        """Whether the appendix promises no more than 0.05 above the truth."""
        return self.appendix is None or self.appendix <= self.coverage + TOLERATED


def designs(of: RealSet, people: int, target: float, cohorts: int, audits: int) -> list[Design]:
    """FMR and FNMR of one system, number of people and target, in the identity weighting."""
    threshold = threshold_at(of.tail, no_groups(of.tail), target, WEIGHTING)
    rng = np.random.default_rng(seed_of(0, "appendix", of.name, str(people), f"{target:g}"))
    chosen = superpopulation.draw(of, people, cohorts, rng)
    errors = scored_sets.errors_of(of.name, of.tail)
    fnmr = shown.mated(errors, chosen, threshold, WEIGHTING)
    fmr = one_sided.with_match_rates(shown.non_mated(errors, chosen, threshold, WEIGHTING), fnmr)
    estimates = [_audit(of, cohort, threshold) for cohort in chosen[:audits]]
    results = []
    for rate, drawn in {"fmr": fmr, "fnmr": fnmr}.items():
        given = one_sided.given(drawn)
        missed = coverage.misses(coverage.wilson(given.own, given.lent, given.over, ALPHA), given.truth)
        values = [estimate[rate] for estimate in estimates if rate in estimate]
        results.append(
            Design(
                system=of.name, people=people, target=target, rate=rate, cohorts=missed.given,
                coverage=missed.covered / missed.given, lower=missed.lower, upper=missed.upper,
                audits=len(values), appendix=float(np.mean(values)) if values else None,
                highest=max(values) if values else None,
            )
        )  # fmt: skip
    return results


def _audit(of: RealSet, people: Ints, threshold: float) -> dict[str, float]:
    """What the appendix of one audit says, "as estimated", of each rate that had errors."""
    wanted = (IntervalSpec(method=Method.WILSON, target=Target.POPULATION),)
    spec = spec_of(
        targets=(), thresholds=(threshold,), intervals=wanted, n=39, seed=int(people[0]), folds=False
    )
    system = system_of(cohort_of(of.templates.of(people), {}), spec)
    coverages = {}
    for rate in RATES:
        place = OperatingPoint(rate, WEIGHTING, 0, threshold, 0)
        row = Row(metric=rate, schema=None, group="all", at={}, place=place, moving=False)
        for estimate in Coverage().of_row(system, row, ALPHA, (Scenario.ESTIMATE,)):
            if estimate.metric == "simulated_coverage" and estimate.value is not None:
                coverages[rate] = estimate.value
    return coverages


def lines(results: Sequence[Design]) -> list[str]:
    """The table in Markdown."""
    head = "| system | K | FMR | rate | true coverage | misses below + above | appendix, mean (highest) | audits |"
    rows = [head, "|---|---|---|---|---|---|---|---|"]
    for design in results:
        text = "none" if design.appendix is None else f"{design.appendix:.3f} ({design.highest:.3f})"
        mark = "" if design.holds else " too high"
        rows.append(
            f"| {design.system} | {design.people} | {design.target:g} | {design.rate.upper()} | {design.coverage:.3f} "
            f"| {design.lower} + {design.upper} of {design.cohorts} | {text}{mark} | {design.audits} |"
        )
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0, or 1 where the appendix promises more than 0.05 above the truth."""
    parser = parser_of("appendix", __doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of real templates")
    parser.add_argument("--out", type=Path, help="JSON file")
    parser.add_argument("--system", action="append", default=[], help="one of the systems; can be repeated")
    parser.add_argument("--people", type=int, action="append", default=[])
    parser.add_argument("--target", type=float, action="append", default=[])
    parser.add_argument("--cohorts", type=int, default=2000)
    parser.add_argument("--audits", type=int, default=20)
    options = parser.parse_args(argv)
    load_plugins()
    results: list[Design] = []
    for system in options.system or SYSTEMS:
        of = superpopulation.real_set(options.data, system)
        for people in options.people or PEOPLE:
            for target in options.target or TARGETS:
                new = designs(of, people, target, options.cohorts, options.audits)
                write_line("\n".join(lines(new)[2 if results else 0 :]))
                results += new
    write_indented(options.out, map(asdict, results))
    return int(not all(design.holds for design in results))


if __name__ == "__main__":
    sys.exit(main())
