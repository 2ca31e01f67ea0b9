"""What stands below the figures of uncertainty over FMR, and below a panel of theirs by itself."""

from collections.abc import Iterable, Mapping

from frtaudit.core import Curve, Method, Target
from frtaudit.core.canonical import mapping
from frtaudit.core.text import formatting
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures import bands
from frtaudit.report.pieces import Part, Text, spans
from frtaudit.report.source import Source

COPIES = (
    "resampled image is compared with copies of itself, which always match, so bootstrap curves are centred on the "
    "V-statistic, below the empirical curve. "
)
TOO_LOW = "naive band is too low as well"
SHIFTED = "; the recentred band is the naive band corrected by the known shift. "
RELATIVE = "Every curve is divided by the empirical one, which is 1 here. "
WHOLE = (
    "The filled band holds at any one FMR chosen beforehand; the stepped one at all drawn targets simultaneously, and "
    "between them, because a ROC is monotonic. A claim about the whole curve needs the stepped band. "
)
WHOM = {
    Target.FIXED_IDENTITIES: "For the same subjects, other images. ",
    Target.POPULATION: "For other subjects of the population. ",
}
EQUALITY = "at the threshold that the overall FMR sets. Grey: equality of all groups. "
NO_TEST = (
    "Resampling increases the spread of equal groups, so near the grey line a band is too high and may exclude its "
    "own curve: it is not a test. "
)


def resamples(source: Source) -> str:
    """How many bootstrap samples the bands are made of."""
    count = mapping(source.result.spec.get("bootstrap")).get("B")
    return f"B = {formatting.count(count)}" if isinstance(count, int) else ""


def missed(counts: tuple[int, int] | None) -> str:
    """The share of targets at which the naive band leaves its curve out, where it does."""
    if counts is None or not counts[0]:
        return ""
    return f" and leaves the curve itself out at {counts[0]} of {counts[1]} targets"


def left_out(curves: Iterable[Curve]) -> str:
    """Where a recentred band leaves its own curve out: the share of its targets, for each such metric."""
    counts = [
        (phrases.metric(curve.metric or ""), *bands.outside(curve, curve))
        for curve in curves
        if curve.method is Method.RECENTERED
    ]
    texts = [f"{name} at {out} of {total} targets" for name, out, total in counts if out]
    return f"Here that happens to {'; '.join(texts)}. " if texts else ""


def one_band(rate: str) -> str:
    """Why two bands of FMR coincide."""
    if rate != "fmr":
        return ""
    return "Non-mated pairs compare no image with itself, so for FMR the naive and the recentred band are identical. "


def bootstrap_alone(
    system: str, naive: tuple[int, int] | None, samples: Text, rest: Text
) -> Mapping[str, Text]:
    """The bundle and the bands, and the same over the empirical curve; ``naive``: as of :func:`missed`.

    ``samples``: how captions without bands end; ``rest``: with bands.
    """
    bundle = f"FNMR over FMR. A {COPIES}"
    banded = (
        f"FNMR over FMR, with bands for the same subjects, new images. The {TOO_LOW}{missed(naive)}{SHIFTED}"
    )
    return {
        roc_name(system, "replicates"): spans(bundle, samples),
        roc_name(system, "bands"): spans(banded, rest),
        roc_name(system, "replicates-relative"): spans(bundle, RELATIVE, samples),
        roc_name(system, "bands-relative"): spans(banded, RELATIVE, rest),
    }


def roc_name(system: str, what: str) -> str:
    """The name of a panel of the bootstrap of a system's ROC."""
    return name_of(f"roc-{what}", system)


def whole_name(target: Target | None, system: str) -> str:
    """The name of a panel of a band for the whole curve."""
    of = (target or Target.POPULATION).value.replace("_", "-")
    return name_of(f"roc-simultaneous-band-{of}", system)


def noise_name(rate: str, schema: str | None, system: str) -> str:
    """The name of a panel of normalized uncertainty."""
    return name_of(f"{rate}-normalized-uncertainty", schema or "", system)


def whole_alone(target: Target, rest: Text) -> Text:
    """The band for the whole curve beside the pointwise one."""
    return spans("FNMR over FMR. ", WHOLE, WHOM.get(target, ""), rest)


def metric_alone(rate: str, curves: list[Curve], rest: Text) -> Text:
    """One fairness metric; ``curves``: of the same metric, with the band of each method."""
    metric = phrases.metric(curves[0].metric or "")
    spread = f"The spread of the groups' {phrases.metric(rate)} in one number ({metric}) "
    no_test = NO_TEST if any(curve.low is not None for curve in curves) else ""
    parts: list[Part] = [spread, EQUALITY, no_test, left_out(curves), one_band(rate), rest]
    return spans(*parts)


def noise_alone(rate: str, rest: Text) -> Text:
    """The normalized uncertainty of all metrics of one rate."""
    return spans(
        f"Standard deviation of each metric of {phrases.metric(rate)} when images are resampled (recentred, for the "
        "same subjects), relative to its value, at the threshold that the overall FMR sets: the lower line is the more "
        "robust metric. Ratios and sums have different zero points, so this compares their noise only. ",
        rest,
    )
