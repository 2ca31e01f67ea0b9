"""The method in words: what was decided how, for whom each interval holds, what each method does, notes."""

from collections.abc import Iterable
from dataclasses import dataclass

from frtaudit.core import Method, Target
from frtaudit.core.canonical import mapping
from frtaudit.report import phrases
from frtaudit.report.pieces import Text, TextSpan, sentence, spans
from frtaudit.report.references import citations
from frtaudit.report.section import section
from frtaudit.report.source import Source
from frtaudit.report.words import display_name, words

Explained = tuple[TextSpan, str, str]  # a term, the code that stands for it in the result, and what it means


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodView:
    """The view: settings, targets, methods, weightings, notes."""

    settings: tuple[tuple[str, Text], ...]
    targets: tuple[Explained, ...]
    methods: tuple[Explained, ...]
    weightings: tuple[str, ...]
    notes: tuple[Text, ...]


@section("method", "Method", after="sealed")
def build(source: Source) -> MethodView:
    """Stands in every report."""
    intervals = [bound for record in reversed(source.records) for bound in reversed(record.bounds)]
    of_target = {bound.interval.target: bound for bound in intervals}
    of_method = {bound.interval.method: bound for bound in intervals}
    methods = []
    for method in Method:
        if method in of_method:
            cited = citations(method.value)
            meaning = words().method_means.get(method.value, "") + (f" ({cited}.)" if cited else "")
            methods.append((phrases.method(of_method[method]), method.value, meaning))
    return MethodView(
        settings=tuple(_settings(source)),
        targets=tuple(
            (phrases.target(bounds), target.value, display_name(words().target_means, target.value))
            for target in Target
            if (bounds := of_target.get(target)) is not None
        ),
        methods=tuple(methods),
        weightings=tuple(words().weighting_means.values()),
        notes=tuple(
            (TextSpan(text=sentence(note), pointer=f"/notes/{index}"),)
            for index, note in enumerate(source.result.notes)
        ),
    )


def _settings(source: Source) -> Iterable[tuple[str, Text]]:
    spec = source.result.spec
    yield "Decision", spans("A comparison is a match if and only if its score is greater than the threshold.")
    smallest = (
        "The smallest threshold at which the overall FMR is at most the target, in the named weighting."
    )
    yield "Threshold at an FMR target", spans(smallest)
    for title, part, key, names in (
        ("Thresholds come from", "thresholds", "source", words().threshold_source),
        ("Non-mated pairs", "protocol", "non_mated", words().non_mated),
    ):
        pairing = phrases.pairing(spec) if part == "protocol" else mapping(spec.get(part)).get(key)
        if pairing:
            yield title, (TextSpan(text=display_name(names, str(pairing)), pointer=f"/spec/{part}/{key}"),)
    if spec.get("failures"):
        text = display_name(words().failure_score, str(spec["failures"]))
        yield "Failed comparisons", (TextSpan(text=text, pointer="/spec/failures"),)
    yield from _resampling(source)


def _resampling(source: Source) -> Iterable[tuple[str, Text]]:
    if source.result.cohort.get("subjects") == 0:  # the files name nobody: nobody was drawn
        return
    bootstrap = mapping(source.result.spec.get("bootstrap"))
    replicates, alpha, seed = bootstrap.get("B"), bootstrap.get("alpha"), source.result.spec.get("seed")
    if isinstance(replicates, (int, float)) and isinstance(alpha, (int, float)):
        yield (
            "Resampling",
            spans(
                "B = ",
                phrases.whole(replicates, "/spec/bootstrap/B"),
                " replicates, exact over all comparisons; alpha = ",
                phrases.number(f"{alpha:g}", "/spec/bootstrap/alpha"),
                ".",
            ),
        )
        yield "Subjects are resampled", _stratum(source)
    if isinstance(seed, int):
        number = phrases.number(str(seed), "/spec/seed")
        yield "Seed", spans(number, "; the same seed gives an identical result.")


def _stratum(source: Source) -> Text:
    """Within which groups subjects are drawn (FORMULAS 8.2): as declared, or the first schema's."""
    declared = mapping(source.result.spec.get("bootstrap")).get("stratify")
    name = declared or next(iter(mapping(source.result.spec.get("schemas"))), None)
    where = "/spec/bootstrap/stratify" if declared else "/spec/schemas"
    if name is None or name == "none":
        text = "Among all subjects: the cohort is taken as a random sample of the population's mix."
        return (TextSpan(text=text, pointer=where if declared else None),)
    shown = TextSpan(text=str(name).replace("_", " "), pointer=where)
    return spans("Within the groups by ", shown, ": their sizes are treated as fixed by design.")
