"""What one must know to read any number of the report: for whom, decisions, weighting, abbreviations."""

import re
from collections.abc import Iterable

from frtaudit.core import Method, Target
from frtaudit.core.canonical import mapping
from frtaudit.core.methods import UNADJUSTED
from frtaudit.core.metrics import THRESHOLDS
from frtaudit.core.text import formatting
from frtaudit.report import phrases
from frtaudit.report.pieces import Part, Text, TextSpan, plain_text, spans
from frtaudit.report.sections import coverage
from frtaudit.report.sections.verdicts import declared, two_sided
from frtaudit.report.source import Bounds, Source
from frtaudit.report.words import display_name, words

WILSON_SAID = (
    "“Wilson, effective sample size” is the wider of Wilson's and Clopper and Pearson's bounds; comparisons that share "
    "subjects count as fewer."
)
REALISED = " (in simulations up to 9 % where a few subjects cause most errors)"


def abbreviations(texts: Iterable[Text]) -> tuple[tuple[str, str], ...]:
    """Each abbreviation of ``texts`` with what it stands for, in the order of words.toml.

    >>> abbreviations([spans("FNMR is 1 %")])
    (('FNMR', 'false non-match rate, of comparisons of one subject'),)
    """
    used = set(re.findall(r"\w+", " ".join(map(plain_text, texts))))
    return tuple((name, meaning) for name, meaning in words().abbreviations.items() if name in used)


def adjustments(source: Source, texts: Iterable[Text]) -> tuple[tuple[str, str], ...]:
    """What the tests of ``texts`` were adjusted for, or what adjusting them would need; empty where none is printed."""
    printed = {span.pointer for text in texts for span in text}
    pointers = {f"{record.pointer}/test/p": record.estimate.test for record in source.records}
    tests = [test for pointer, test in pointers.items() if test is not None and pointer in printed]
    families = {test.family for test in tests if test.family and test.p_adjusted is not None}
    needs = {(test.note or "").partition(UNADJUSTED)[2] for test in tests if test.p_adjusted is None}
    alone = "; the test of a metric that a requirement limits is not one of them" if "" in needs else ""
    if len(families) == 1:
        count = formatting.count(families.pop())
        return (("p, adjusted", f"for all {count} exploratory tests (Benjamini and Yekutieli 2001)"),)
    unadjusted = tuple(("p, unadjusted", f"{need}{alone}") for need in sorted(needs - {""}))[:1]
    return (*unadjusted, ("B", "number of bootstrap resamples")) if unadjusted else ()


def step_down(source: Source, bounds: Iterable[Text]) -> tuple[tuple[str, str], ...]:
    """What bounds of failures are adjusted for; empty where none of them is."""
    adjusted = any("Holm" in plain_text(bound) for bound in bounds)
    count = source.result.findings[0].family or 0 if adjusted else 0
    over = f"{formatting.count(count)} finding{'' if count == 1 else 's'}"
    return (("Holm", f"adjusted over {over} (Holm 1979)"),) if adjusted else ()


def terms(source: Source) -> tuple[tuple[str, Text], ...]:
    """What one must know to read any number of the report."""
    spec = source.result.spec
    origin, pairing = mapping(spec.get("thresholds")).get("source"), phrases.pairing(spec)
    decision = "A comparison is a match if and only if its score is greater than the threshold."
    rows: list[tuple[str, Text]] = [("Targets", _for_whom(source)), ("Decision", spans(decision))]
    if any(bound.interval.method is Method.WILSON for record in source.records for bound in record.bounds):
        rows.append(("Intervals", spans(WILSON_SAID)))
    if pairing:
        text = display_name(words().non_mated, pairing)
        rows.append(("Non-mated pairs", (TextSpan(text=text, pointer="/spec/protocol/non_mated"),)))
    weighting = display_name(words().weighting, source.weighting)
    sentence = f"Main rates: {weighting}. The other weighting, at its own thresholds, is in the annex."
    rows.append(("Weighting", (TextSpan(text=sentence, pointer="/spec/weighting"),)))
    if origin:
        text = display_name(words().threshold_source, str(origin))
        rows.append(("Thresholds", (TextSpan(text=text, pointer="/spec/thresholds/source"),)))
    if source.result.findings:
        rows.append(("Verdicts", _verdict_rule(source)))
    return tuple(rows)


def _verdict_rule(source: Source) -> Text:
    findings = source.result.findings
    parts: list[Part] = [_bounds_said(source), " Each “pass” is tested by itself"]
    alpha = mapping(source.result.spec.get("bootstrap")).get("alpha")
    if isinstance(alpha, float):
        shown = phrases.number(formatting.exact(alpha), "/spec/bootstrap/alpha")
        half = ", half of that where it was two-sided" if any(_sides(source)) else ""
        levels = any("level" in declared(source, finding) for finding in findings)
        own_levels = ", or of the requirement's own level" if levels else ""
        parts += [", at a nominal error rate of ", shown, half, own_levels, REALISED]
    count = findings[0].family
    if not count:
        return spans(*parts, ".")
    family = phrases.counted([phrases.whole(count, "/findings/0/family")], "finding")
    return spans(*parts, ". “Fail” also holds after adjustment over ", family, " (Holm 1979).")


def _bounds_said(source: Source) -> str:
    """Which bounds decided: those of one-sided or of two-sided intervals, as each requirement has it."""
    sides = _sides(source)
    if not any(sides):
        return "Decided on one-sided bounds for the population, never on the estimate alone."
    if all(sides):
        return "Decided on the bounds of two-sided intervals for the population, never on the estimate alone."
    return (
        "Decided on bounds for the population, never on the estimate alone: one-sided, or those of a two-sided "
        "interval where the line says so."
    )


def _sides(source: Source) -> list[bool]:
    """Of every finding that has a bound, whether it is one of a two-sided interval."""
    return [two_sided(source, finding) for finding in source.result.findings if finding.bound is not None]


def _for_whom(source: Source) -> Text:
    seen: dict[Target, Bounds] = {}
    for record in source.records:
        if record.estimate.metric in THRESHOLDS or record.estimate.metric == coverage.METRIC:
            continue
        for bound in record.bounds:
            seen.setdefault(bound.interval.target, bound)
    order = [target for target in Target if target in seen]
    if not order:
        return spans("No interval is printed, so the numbers hold for these test subjects only.")
    names = [part for target in order for part in ("; ", phrases.target(seen[target]))]
    return spans("Every interval names its target. Here: ", *names[1:], ".")
