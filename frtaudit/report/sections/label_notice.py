"""What the first page says of estimated labels: that they were, and where intervals with label errors stand."""

from frtaudit.core import Target
from frtaudit.core.canonical import mapping
from frtaudit.core.spec import Weighting
from frtaudit.core.spec_values import LabelSource
from frtaudit.report import phrases
from frtaudit.report.pieces import Text, TextSpan, spans
from frtaudit.report.source import Record, Source

UNNAMED = "Rates on true identity labels, except of annotated faces: labels were estimated from the services' scores."
TRUE = "fnmr_true_labels"
LINE = "with label errors "
SECTION = TextSpan(text="Effect of label errors", kind="#label_cost")


def estimated(source: Source) -> bool:
    """Whether the audit is based, wholly or in part, on estimated labels."""
    return _whose(source) in (LabelSource.ESTIMATED, LabelSource.COMBINED)


def _whose(source: Source) -> str | None:
    labels = mapping(mapping(source.result.spec.get("cohort")).get("labels"))
    return str(labels["source"]) if "source" in labels else None


def true_rates(source: Source) -> dict[tuple[str, float], Record]:
    """(system, FMR target) to FNMR of everybody on true labels, where it was told."""
    return {
        (record.estimate.provider, float(record.estimate.at["fmr"])): record
        for record in source.select(TRUE)
        if record.estimate.schema is None and "fmr" in record.estimate.at
    }


def beside(source: Source, record: Record) -> Text:
    """After an interval on estimated labels the one with label errors, or that it includes none; empty where given."""
    if not estimated(source):
        return ()
    of_true = true_rates(source).get((record.estimate.provider, float(record.estimate.at["fmr"])))
    bound = None if of_true is None else of_true.bound(Target.POPULATION)
    if of_true is None or bound is None or bound.interval.low is None:
        return spans(" without label errors")
    return spans(" without label errors, ", *phrases.bounds(bound, of_true.estimate), " with them")


def notice(source: Source) -> Text:
    """What a reader of a rate must know of its label; empty where labels were given."""
    if not estimated(source):
        return ()
    some = _whose(source) == LabelSource.COMBINED
    who = "For images without an identity label" if some else "Images have no identity labels"
    verdicts = ", verdicts" if source.result.findings else ""
    text = (
        f"{who}: labels were estimated from the services' own scores. Rates, tests{verdicts}, and intervals that do "
        "not name label errors treat them as true"
    )
    if true_rates(source):
        return spans(
            f"{text}; intervals with label errors are of pooled rates (see Error rates and ", SECTION, ")."
        )
    return spans(
        f"{text}; the uncertainty of labels is not part of this report (+analyses.label_cost={{}} estimates it)."
    )


def lines(source: Source) -> dict[tuple[str, float], Text]:
    """(system, FMR target) to the pooled rate at its own threshold, its counts, its interval with uncertain labels."""
    true, texts = true_rates(source), {}
    for pooled in source.select("fnmr_at_fmr", grouped=False):
        at = pooled.estimate.at
        key = pooled.estimate.provider, float(at["fmr"])
        bounds = true[key].bound(Target.POPULATION) if key in true else None
        is_pooled = pooled.estimate.weighting == Weighting.POOLED.value and set(at) == {"fmr"}
        if is_pooled and bounds is not None and bounds.interval.low is not None:
            rate = phrases.styled(
                spans("pooled ", phrases.value(pooled), ", ", phrases.counts(pooled)), "soft"
            )
            interval = phrases.bounds(bounds, true[key].estimate)
            texts[key] = spans(rate, phrases.BREAK, TextSpan(text=LINE, kind="soft"), interval)
    return texts


def second_line(source: Source) -> str:
    """What stands below a rate of the headline's table."""
    if true_rates(source):
        return "Below: the pooled rate at its own threshold, its errors / mated comparisons and interval"
    return "Below: errors / mated comparisons, as pooled counts"


def caption(source: Source) -> Text:
    """What the headline's caption adds; empty where labels were given."""
    if not estimated(source):
        return ()
    if not true_rates(source):
        return spans(" No interval includes label errors.")
    return spans(" They treat labels as true; those that include label errors, pooled, are in ", SECTION, ".")
