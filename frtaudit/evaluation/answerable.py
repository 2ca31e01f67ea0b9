"""Whether a requirement can be judged, before anything is scored: by which analysis, at which point, which group."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from frtaudit.core.metrics import D_L2, INDICES
from frtaudit.core.spec import AuditSpec, GridKind, RequirementSpec, ThresholdSource
from frtaudit.core.text import formatting
from frtaudit.core.text.kinds import place

EVERYBODY, EACH, MAX = "all", "each", "max"
TARGET, VALUE, VENDOR, ELSEWHERE = {"fmr"}, {"threshold"}, {"recommended"}, {"name"}
FAR = {"far"}  # a target of transactions
BY_RATE = ("gini", "log_geomean", "max_geomean", "max_min")  # each of one rate: at.rate, or of, says which
RATIO = "ratio_to_overall"
RATE = {"rate"}
BY_SCORES = (GridKind.FMR_DECADES, GridKind.QUANTILE)
TRANSACTIONS = "transactions"  # the analysis that counts them
NO_TRANSACTIONS = "it counts transactions, and this audit counts comparisons"
COUNTED = f"write cohort=attempts or protocol=transactions with +analyses.{TRANSACTIONS}={{}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimated:
    """What estimates a metric: one of ``analyses``, at each of the ``forms`` of a requirement's ``at``.

    ``whole``: for all subjects only; ``parts``: for groups only; ``instead``: the metric to use if ``at`` is an FMR
    target.
    """

    analyses: tuple[str, ...]
    forms: tuple[frozenset[str], ...] = (frozenset(),)
    whole: bool = False
    parts: bool = False
    instead: str = ""


def _at(*forms: set[str]) -> tuple[frozenset[str], ...]:
    return tuple(map(frozenset, forms))


_RATES, _DIFFERENCES, _FOLDS = ("error_rates",), ("differentials",), ("accuracy",)
ESTIMATED: Mapping[str, Estimated] = {
    "fmr": Estimated(analyses=_RATES, forms=_at(VALUE, VENDOR, ELSEWHERE, TARGET)),
    "fnmr": Estimated(analyses=_RATES, forms=_at(VALUE, VENDOR, ELSEWHERE), instead="fnmr_at_fmr"),
    "fnmr_at_fmr": Estimated(analyses=(*_RATES, *_DIFFERENCES), forms=_at(TARGET)),
    "threshold_at_fmr": Estimated(analyses=(*_RATES, *_DIFFERENCES), forms=_at(TARGET), whole=True),
    "eer": Estimated(analyses=(*_RATES, *_FOLDS), whole=True),
    "fta": Estimated(analyses=("failures",)),
    "frr": Estimated(analyses=("failures",), forms=_at(TARGET)),  # of one attempt; of several as "far"
    **dict.fromkeys(
        ("far", "gfar", "gfrr"), Estimated(analyses=(TRANSACTIONS,), forms=_at(VALUE, VENDOR, ELSEWHERE, FAR))
    ),
    "fte": Estimated(analyses=(TRANSACTIONS,)),
    "accuracy": Estimated(analyses=_FOLDS, whole=True),
    "accuracy_fold_sd": Estimated(analyses=_FOLDS, whole=True),
    D_L2: Estimated(analyses=("interclass",)),
    RATIO: Estimated(
        analyses=(RATIO,), forms=_at(VALUE | RATE, VENDOR | RATE, ELSEWHERE | RATE, TARGET | RATE), parts=True
    ),
    **dict.fromkeys(
        ("fmr_same_class", "fmr_same_class_ratio"),
        Estimated(analyses=("same_class",), forms=_at(VALUE, VENDOR, ELSEWHERE, TARGET), whole=True),
    ),
    "fmr_model": Estimated(analyses=("tail_model",), forms=_at(VALUE, VENDOR, ELSEWHERE), whole=True),
    **{
        name: Estimated(analyses=_DIFFERENCES, forms=_at({"fmr", "rate"} if name in BY_RATE else TARGET))
        for name in INDICES
    },
}
_FREE = {"attempts", "pairs", "space", "weight", "source", "version"}  # optional, or given elsewhere
_EXTRA = {"threshold_of", "schema"}  # at the threshold of the group with the largest FMR
POINT_KEYS = tuple(  # what ``at`` may name
    sorted({key for known in ESTIMATED.values() for form in known.forms for key in form} | _FREE | _EXTRA)
)


def why_not(requirement: RequirementSpec, spec: AuditSpec, ranked: Mapping[str, Sequence[str]]) -> str | None:
    """Why no finding of a requirement can be tested, whatever the scores; None if one may be, or it is not known.

    ``ranked``: schema to its classes. The text ends with what to write instead.

    >>> asked = RequirementSpec(name="r", metric="fnmr", at={"fmr": 0.001}, limit=0.1)
    >>> why_not(asked, AuditSpec(name="a", cohort=None, protocol=None, analyses={"error_rates": None}), {})
    'fnmr is not estimated at fmr; write metric: fnmr_at_fmr'
    """
    if requirement.minimum.get("transactions") and TRANSACTIONS not in spec.analyses:
        return f"{NO_TRANSACTIONS}; {COUNTED}"
    several = requirement.metric == "frr" and TRANSACTIONS in spec.analyses and set(requirement.at) != TARGET
    known = ESTIMATED.get("far" if several else requirement.metric)
    if known is None:  # a metric that only its analysis knows
        if any(requirement.metric in getattr(part, "metrics", ()) for part in spec.analyses.values()):
            return None
        how = "write +analyses.NAME={} with the name of one that does"
        return f"no analysis of the spec estimates {requirement.metric}; {how}"
    if known.analyses == (TRANSACTIONS,) and TRANSACTIONS not in spec.analyses:
        return f"{NO_TRANSACTIONS}; {COUNTED}, or metric: fmr or fnmr"
    if not set(known.analyses) & set(spec.analyses):
        return f"no analysis of the spec estimates {requirement.metric}; write +analyses.{known.analyses[0]}={{}}"
    return (
        _wrong_point(requirement, known)
        or _no_target(requirement, spec)
        or _wrong_group(requirement, known, ranked)
        or _by_construction(requirement)
    )


def below_minimum(requirement: RequirementSpec, sizes: Mapping[str, int | None]) -> str | None:
    """Which of a requirement's minimum sizes data miss; ``sizes``: by kind, None or absent where not known.

    >>> asked = RequirementSpec(name="r", metric="frr", limit=0.1, minimum={"subjects": 20, "transactions": 10000})
    >>> below_minimum(asked, {"subjects": 30, "transactions": 1500})
    'it asks for 10,000 transactions, and these are 1,500'
    """
    missed = [
        f"{formatting.count(least)} {kind}, and these are {formatting.count(size)}"
        for kind, least in sorted(requirement.minimum.items())  # as in a result
        if (size := sizes.get(kind)) is not None and size < least
    ]
    return f"it asks for {'; for '.join(missed)}" if missed else None


def _wrong_point(requirement: RequirementSpec, known: Estimated) -> str | None:
    asked = set(requirement.place) - _FREE - _EXTRA
    if frozenset(asked) in known.forms:
        return None
    where = f"at {', '.join(sorted(asked))}" if asked else "without an operating point"
    problem = f"{requirement.metric} is not estimated {where}"
    if asked == TARGET and known.instead:
        return f"{problem}; write metric: {known.instead}"
    forms = [
        f"at: {{{', '.join(f'{key}: ...' for key in sorted(form - (RATE if known.parts else set())))}}}"
        for form in known.forms
        if form
    ]
    of = "of: fmr, or of: fnmr, and " if known.parts and requirement.of is None else ""
    return f"{problem}; write {of}{' or '.join(forms) or 'at: {}'}"


def _no_target(requirement: RequirementSpec, spec: AuditSpec) -> str | None:
    target, value = requirement.at.get("fmr"), requirement.at.get("threshold")
    if isinstance(target, float) and target not in spec.thresholds.fmr:
        return f"FMR {place('fmr', target)} is not a target of the spec; write thresholds.fmr=[{target:g}]"
    grid = spec.thresholds.grid
    filed = spec.thresholds.source is ThresholdSource.FILE  # a result has no path
    fixed = not filed and grid.kind is GridKind.EXPLICIT
    if isinstance(value, float) and fixed and value not in grid.values:
        every = ",".join(f"{at!r}" for at in sorted({*grid.values, value}))
        return f"threshold {value:g} is not of the grid; write thresholds.grid.values=[{every}]"
    if isinstance(value, float) and not filed and grid.kind in BY_SCORES:
        return (
            f"a grid of kind {grid.kind.value} is set from the scores and may not contain threshold {value:g}; "
            f"write thresholds.grid.kind=explicit thresholds.grid.values=[{value!r}]"
        )
    return None


def _wrong_group(
    requirement: RequirementSpec, known: Estimated, ranked: Mapping[str, Sequence[str]]
) -> str | None:
    schemas = [requirement.schema] if requirement.schema else list(ranked)
    group = requirement.group
    largest = requirement.metric == D_L2
    if (known.whole or requirement.metric in INDICES) and group != EVERYBODY:
        return f"{requirement.metric} is not estimated for one group; write group: all"
    if group == (EVERYBODY if largest else MAX) or (known.parts and group == EVERYBODY):
        accepted = "each, or a class" if known.parts else "each, or max" if largest else "all, or each"
        return f"{requirement.metric} is not estimated for group {group!r}; write group: {accepted}"
    if not schemas and (group != EVERYBODY or requirement.metric in INDICES):
        return "the spec has no groups; write schema=NAME, or +schemas.NAME={column: ...}"
    classes = {name for schema in schemas for name in ranked.get(schema, ())}
    if group not in (EVERYBODY, EACH, MAX) and not set(group.split("|")) & {*classes, "unknown"}:
        return f"there is no class {group!r}; write group: {' or '.join(sorted(classes))}"
    return None


def _by_construction(requirement: RequirementSpec) -> str | None:
    """FMR or FAR of everybody at its own target meets it by choice of the threshold (FORMULAS 8.13)."""
    if (
        requirement.metric in ("far", "gfar")
        and set(requirement.at) >= FAR
        and requirement.group == EVERYBODY
    ):
        return "the threshold is chosen to meet it; write at: {threshold: ...} from other data"
    if requirement.metric == "fmr" and set(requirement.at) == TARGET and requirement.group == EVERYBODY:
        return (
            "the threshold is chosen to meet it; write group: each, or at: {threshold: ...} from other data"
        )
    return None
