"""A synthetic result with everything a report may meet: two systems, three classes and unknown, all four verdicts."""

import math
from dataclasses import replace
from itertools import product
from statistics import NormalDist

from frtaudit.core import (
    AuditResult,
    Curve,
    Estimate,
    Finding,
    Interval,
    LedgerEntry,
    Method,
    Target,
    Test,
    TestMethod,
    Verdict,
)
from frtaudit.core.spec import Report

SYSTEMS = {"northgate": 5.2, "quill_2": 4.4}
CLASSES = {"amber": 0.7, "birch": 1.0, "cedar": 2.4}
TARGETS = (0.01, 0.001)
DATE = "2026-01-31"
SETTINGS = Report(
    title="Two systems at the border desk",
    organisation="Office for Fair Gates",
    auditor="A. Auditor",
    purpose="Decide which system may be tried",
    reference="OFG-7",
)
NORMAL = NormalDist()


def fnmr(system: str, fmr: float) -> float:
    """FNMR of two normal score distributions at an FMR."""
    return NORMAL.cdf(NORMAL.inv_cdf(1 - fmr) - SYSTEMS[system])


def interval(
    value: float, spread: float, method: Method, target: Target, note: str | None = None
) -> Interval:
    """An interval of relative width ``spread``; bootstraps carry B and their Monte Carlo error."""
    drawn = method in (Method.VERTEX, Method.RECENTERED)
    return Interval(
        low=value * (1 - spread),
        high=value * (1 + spread) + 1e-4,
        level=0.95,
        method=method,
        target=target,
        n_resamples=1000 if drawn else None,
        n_eff=None if drawn else 812.4,
        mc_error=value * 0.01 if drawn else None,
        note=note,
    )


def intervals(value: float) -> tuple[Interval, ...]:
    """One interval for each target; the bootstrap of people withheld where few err."""
    few = value < 0.004
    vertex = (
        Interval(
            low=None,
            high=None,
            level=0.95,
            method=Method.VERTEX,
            target=Target.POPULATION,
            note="withheld: fewer than 10 subjects with errors",
        )
        if few
        else interval(value, 0.22, Method.VERTEX, Target.POPULATION)
    )
    return (
        interval(value, 0.25, Method.WILSON, Target.POPULATION),
        vertex,
        interval(value, 0.12, Method.RECENTERED, Target.FIXED_IDENTITIES),
        interval(value, 0.05, Method.WILSON_IID, Target.COMPARISONS_IID),
    )


def rate(
    system: str,
    metric: str,
    value: float | None,
    trials: int,
    *,
    at: dict[str, float | str],
    schema: str | None = None,
    group: str = "all",
    weighting: str | None = "identity",
    note: str | None = None,
    analysis: str = "error_rates",
) -> Estimate:
    """A rate with pooled counts and its intervals."""
    return Estimate(
        provider=system,
        analysis=analysis,
        metric=metric,
        schema=schema,
        group=group,
        weighting=weighting,
        at=at,
        value=value,
        numerator=None if value is None else round(value * trials),
        denominator=None if value is None else trials,
        unit="share of comparisons",
        intervals=() if value is None else intervals(value),
        note=note,
    )


def number(
    system: str,
    metric: str,
    value: float,
    *,
    at: dict[str, float | str],
    made: tuple[Interval, ...] = (),
    schema: str | None = None,
    group: str = "all",
    unit: str = "index",
    weighting: str | None = "identity",
    note: str | None = None,
    analysis: str = "differentials",
) -> Estimate:
    """A number without counts."""
    return Estimate(
        provider=system,
        analysis=analysis,
        metric=metric,
        schema=schema,
        group=group,
        weighting=weighting,
        at=at,
        value=value,
        numerator=None,
        denominator=None,
        unit=unit,
        intervals=made,
        note=note,
    )


def overall(system: str) -> list[Estimate]:
    """Rates of everybody at targets and at one fixed threshold, thresholds, EER."""
    found = []
    for target, weighting in product(TARGETS, ("pooled", "identity")):
        at: dict[str, float | str] = {"fmr": target}
        value = fnmr(system, target) * (1.1 if weighting == "pooled" else 1)
        threshold = 0.2 + NORMAL.inv_cdf(1 - target) / 20
        found.append(number(system, "threshold_at_fmr", threshold, at=at, weighting=weighting, unit="score"))
        found.append(rate(system, "fnmr_at_fmr", value, 24_310, at=at, weighting=weighting))
        found.append(rate(system, "fmr", target * 0.99, 7_108_060, at=at, weighting=weighting))
    fixed: dict[str, float | str] = {"threshold": 0.4123456, "vendor": "recommended"}
    found.append(rate(system, "fmr", 4e-5, 7_108_060, at=fixed))
    found.append(rate(system, "fnmr", 0.0612, 24_310, at=fixed))
    found.append(number(system, "eer", 0.0093, at={}, weighting="pooled", note="at threshold 0.31"))
    return found


def difference(p: float | None, **more: object) -> Test:
    """A test of equal rates."""
    known = p is not None
    return Test(
        p=p,
        null_median=1.21 if known else None,
        null_edge=1.78 if known else None,
        alpha=0.05,
        n_resamples=1000 if known else None,
        method=TestMethod.CENTRED_RATES,
        detectable=2.31 if known else None,
        detectable_unit="largest FNMR over smallest",
        power=0.8,
        **more,  # type: ignore[arg-type]  # p_adjusted, family, note
    )


def by_class(system: str) -> list[Estimate]:
    """Rates of every class, one of them refused, one without an error; indices at the smaller target."""
    found = []
    at: dict[str, float | str] = {"fmr": 0.001}
    for name, factor in CLASSES.items():
        value = fnmr(system, 0.001) * factor
        none = system == "northgate" and name == "amber"
        found.append(
            rate(system, "fnmr_at_fmr", 0.0 if none else value, 8_000, at=at, schema="group", group=name)
        )
        found.append(rate(system, "fmr", 0.001 * factor, 780_000, at=at, schema="group", group=name))
    found.append(rate(system, "fnmr_at_fmr", value / 3, 310, at=at, schema="group", group="unknown"))
    found.append(
        rate(
            system, "fmr", None, 0, at=at, schema="group", group="unknown", note="no comparison in this group"
        )
    )
    ratio = (interval(2.4, 0.3, Method.MAX_T, Target.POPULATION),)
    found.append(number(system, "max_min", 2.4 / 0.7, at={**at, "rate": "fnmr"}, made=ratio, schema="group"))
    found[-1] = replace(found[-1], test=difference(0.003, p_adjusted=0.021, family=7))
    found.append(number(system, "gini", 0.31, at={**at, "rate": "fnmr"}, schema="group"))
    found[-1] = replace(
        found[-1], test=difference(0.247, family=7, note="unadjusted p: adjusting for 7 tests needs B of 362")
    )
    found.append(number(system, "max_min", math.inf, at={**at, "rate": "fmr"}, schema="group"))
    found[-1] = replace(found[-1], test=difference(None, note="Cedar has 3 FMR errors of 2 subjects"))
    return found


def further(system: str) -> list[Estimate]:
    """d_l2, accuracy and its folds, failures, and an analysis that has no section of its own."""
    found = []
    for name, value in (*zip(CLASSES, (1.2, 0.4, 1.7), strict=True), ("amber|birch", 0.9), ("max", 1.7)):
        made = (interval(value, 0.4, Method.T_BOOTSTRAP, Target.COMPARISONS_IID),) if "|" not in name else ()
        at: dict[str, float | str] = {"space": "quantile"}
        unit = "points of the score range mapped to 0..100"
        found.append(
            number(
                system, "d_l2", value, at=at, made=made, schema="group", group=name, unit=unit, weighting=None
            )
        )
    folds: dict[str, float | str] = {"pairs": "folds"}
    found.append(rate(system, "accuracy", 0.961, 6_000, at=folds, weighting=None, analysis="accuracy"))
    found.append(number(system, "accuracy_fold_sd", 0.0061, at=folds, weighting=None, analysis="accuracy"))
    for fold in range(3):
        at = {"pairs": "folds", "fold": float(fold), "threshold": 0.3 + fold / 100}
        found.append(rate(system, "fold_accuracy", 0.95 + fold / 200, 600, at=at, weighting=None))
    found.append(rate(system, "fta", 0.0021, 13_233, at={}, weighting=None, analysis="failures"))
    found.append(rate(system, "fta", 0.0102, 4_011, at={}, schema="group", group="cedar", weighting=None))
    found.append(number(system, "frr", 0.0731, at={"fmr": 0.001}, weighting=None, analysis="failures"))
    found.append(number(system, "order_asymmetry", 0.000_04, at={}, weighting=None, analysis="round_trip"))
    return found


def curve(
    system: str, kind: str, x: list[float], y: list[float], group: str = "all", **more: object
) -> Curve:
    """A curve, of a class where one is named."""
    return Curve(
        provider=system,
        analysis=kind,
        schema=None if group == "all" and not kind.startswith("tar") else "group",
        group=group,
        weighting=None if kind.startswith("tar") else "identity" if kind == "roc" else "pooled",
        x=tuple(x),
        y=tuple(y),
        **more,  # type: ignore[arg-type]  # band, method and target of a curve
    )


def curves(system: str) -> list[Curve]:
    """ROC with a band, DET, rates over the threshold, TAR curves with differences."""
    fmrs = [10 ** (-4 + step / 20) for step in range(61)]
    y = [fnmr(system, item) for item in fmrs]
    band = {"low": tuple(0.8 * v for v in y), "high": tuple(min(1.0, 1.25 * v) for v in y)}
    whole = [10 ** (-6 + step / 30) for step in range(180)]
    scores = [step / 100 for step in range(101)]
    found = [
        curve(system, "roc", fmrs, y, **band, method=Method.WILSON, target=Target.POPULATION),
        curve(system, "det", whole, [fnmr(system, item) for item in whole]),
        curve(system, "fmr", scores, [NORMAL.cdf(2 - 12 * item) for item in scores]),
        curve(system, "fnmr", scores, [NORMAL.cdf(12 * item - 7) for item in scores]),
    ]
    tars = [0.01 * step for step in range(1, 100)]
    for place, name in enumerate((*CLASSES, "all")):
        shift = (1.1, 0.3, -1.4, 0.0)[place]
        line = [70 - 9 * NORMAL.inv_cdf(item) + shift for item in tars]
        found.append(curve(system, "tar", tars, line, name))
        if name != "all":
            found.append(
                curve(system, "tar_difference", tars, [shift * (1 + item / 5) for item in tars], name)
            )
    return found


P_VALUES = {
    Verdict.PASS: {"p": 1.0, "p_adjusted": 1.0},
    Verdict.FAIL: {"p": 0.00123, "p_adjusted": 0.00615},
    Verdict.INCONCLUSIVE: {"p": 0.0204, "p_adjusted": 0.0816},
}


def findings(estimates: list[Estimate]) -> tuple[Finding, ...]:
    """One of each verdict, one of them with a bound that rounds to its limit."""

    def place(system: str, metric: str, group: str, **at: float) -> str:
        for index, item in enumerate(estimates):
            same = (item.provider, item.metric, item.group) == (system, metric, group)
            if same and dict(item.at) == at and item.weighting != "pooled":
                return f"/estimates/{index}"
        raise LookupError(metric)

    def found(name: str, where: str | None, verdict: Verdict, limit: float, bound: float | None) -> Finding:
        return Finding(
            requirement=name,
            estimate=where,
            verdict=verdict,
            limit=limit,
            bound=bound,
            bound_level=None if bound is None else 0.95,
            sentence=f"{name} is {verdict.value}.",
            **(P_VALUES[verdict] if bound is not None else {}),
            family=5,
        )

    return (
        found(
            "fnmr-overall",
            place("northgate", "fnmr_at_fmr", "all", fmr=0.001),
            Verdict.PASS,
            0.03,
            0.0299999996,
        ),
        found("fnmr-overall", place("quill_2", "fnmr_at_fmr", "all", fmr=0.001), Verdict.FAIL, 0.03, 0.071),
        found("fta-low", place("northgate", "fta", "all"), Verdict.INCONCLUSIVE, 0.002, 0.0031),
        found("nothing-there", None, Verdict.NOT_TESTABLE, 0.5, None),
        found(
            "accuracy-high",
            place("quill_2", "accuracy_fold_sd", "all", pairs="folds"),
            Verdict.NOT_TESTABLE,
            0.9,
            None,
        ),
    )


def spec() -> dict[str, object]:
    """The typed spec, as far as a report reads it."""
    limits = [("fnmr-overall", "<="), ("fta-low", "<="), ("accuracy-high", ">=")]
    return {
        "name": "border_desk",
        "question": "May either system be tried at the border desk?",
        "weighting": "identity",
        "seed": 7,
        "failures": "apart",
        "bootstrap": {"B": 1000, "alpha": 0.05},
        "protocol": {"type": "all_pairs", "non_mated": "all"},
        "thresholds": {"fmr": [0.01, 0.001], "source": "same_data"},
        "schemas": {"group": {"column": "group", "conflicts": "majority", "cross": []}},
        "requirements": [{"name": name, "sense": sense} for name, sense in limits],
    }


def result() -> AuditResult:
    """The whole synthetic result."""
    estimates = [item for name in SYSTEMS for item in (*overall(name), *by_class(name), *further(name))]
    groups = [
        {
            "group": name,
            "label": name.capitalize(),
            "subjects": 80,
            "samples": 400,
            "subjects_with_two_samples": 79,
        }
        for name in CLASSES
    ]
    groups.append(
        {"group": "unknown", "label": "unknown", "subjects": 6, "samples": 31, "subjects_with_two_samples": 5}
    )
    return AuditResult(
        spec=spec(),  # type: ignore[arg-type]  # plain JSON
        digests={"spec": "ab" * 32, "cohort": "cd" * 32, "inputs": {"metadata.csv": "ef" * 32}},
        versions={"frtaudit": "0.1.0", "numpy": "2.4.6"},
        estimates=tuple(estimates),
        curves=tuple(item for name in SYSTEMS for item in curves(name)),
        findings=findings(estimates),
        failures=(
            LedgerEntry(code="no_face_found", count=28, unit="samples", provider="northgate", group="all"),
            LedgerEntry(code="conflicting_class", count=2, unit="subjects", schema="group"),
        ),
        cohort={
            "samples": 1231,
            "subjects": 246,
            "subjects_with_two_samples": 242,
            "schemas": {"group": {"groups": groups, "super_classes": {}}},
        },
        notes=(
            "requirements are judged at alpha = 0.05: a pass each by itself, a failure by Holm over all findings",
        ),
    )
