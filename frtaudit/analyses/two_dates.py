"""Did a service change? Two collections of one search at two dates, each service paired with itself (Knott et al.)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from frtaudit.core import CohortData, Curve, Estimate
from frtaudit.core.metrics import EVERY_SYSTEM
from frtaudit.core.registry import register
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import SpecError
from frtaudit.evaluation.system import AnalysisOutput, SystemData, on_panel
from frtaudit.labelling.dated import NAME, DatedService, estimate
from frtaudit.labelling.dates import Design, Meeting, meet
from frtaudit.labelling.settings import How
from frtaudit.stats.systems.multiplicity import enough_for_holm, holm

FACES = "faces_of_both_dates"
SAID = {
    Design.SAME_IMAGES: (
        "two_dates: the same images, {faces} faces of {queries} queries; a service is compared on the pairs that it "
        "scored at both dates, on labels by the services of both dates together"
    ),
    Design.SAME_NAMES: (
        "two_dates: the same names, other images: {faces} faces of {queries} queries; each date has its own labels"
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What one service hands on: estimates that a declared family adjusts, and what the whole is about."""

    meeting: Meeting
    declared: tuple[Estimate, ...]


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class TwoDates:
    """FNMR of each service at two dates, paired by query: ``cohort.earlier`` against the cohort itself.

    ``design``: the same images or the same names, by default as the faces' ids say; ``dates``: what the two are called;
    ``versions``: service to its version at either date, as the vendor says.
    """

    design: Design = Design.FOUND
    dates: tuple[str, str] = ("earlier", "later")
    versions: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    metrics = (
        "fnmr_at_date",
        "fnmr_change",
        "scores_unchanged",
        "score_change_mean",
        "score_change_largest",
        "faces_of_both_dates",
    )

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for two dates of one name."""
        if self.dates[0] == self.dates[1]:
            raise SpecError(f"analyses.{NAME}.dates", f"both are {self.dates[0]!r}", "a name for each date")

    def survey(self, spec: AuditSpec, cohort_data: CohortData) -> object:
        """Both dates on a common support, once for all systems. Raises :class:`SpecError` where a date is missing."""
        if cohort_data.labelling is None or cohort_data.earlier is None:
            raise SpecError(f"analyses.{NAME}", "one collection", "cohort=queries with cohort.earlier=FOLDER")
        how = cast("How", getattr(spec.cohort, "labels", How()))
        met = meet(cohort_data.earlier, cohort_data.labelling, self.design, how)
        unknown = next((name for name in self.versions if name not in met.services), None)
        if unknown is not None:
            raise SpecError(
                f"analyses.{NAME}.versions", f"{unknown!r} is not at both dates", ", ".join(met.services)
            )
        tests = len(set(met.services) & set(on_panel(spec, cohort_data))) * max(len(spec.thresholds.fmr), 1)
        needed = enough_for_holm(spec.bootstrap.alpha, tests)
        if needed > spec.bootstrap.B:
            raise SpecError("bootstrap.B", f"found {spec.bootstrap.B}", f"{needed} or more for {tests} tests")
        return met

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """One service at both dates, by each kind of labels; what the declared family adjusts is kept."""
        met = next(survey for survey in system.surveys.values() if isinstance(survey, Meeting))
        if system.provider not in met.services:
            return AnalysisOutput(per_system_state=_Kept(meeting=met, declared=()))
        service = DatedService(system, met, alpha, self.dates)
        by_kind = {by: service.compared(by) for by in met.kinds}
        declared: list[Estimate] = []
        further: list[Estimate] = []
        curves: list[Curve] = []
        for by, compared in by_kind.items():
            first = by is met.kinds[0]
            further += list(service.values(compared, by))
            (declared if first else further).extend(service.changes(compared, by))
            further += list(service.at_threshold(compared, by)) if first else []
            curves += list(service.curves(compared, by)) if first else []
        if met.design is Design.SAME_IMAGES:
            further += list(service.scores())
        return AnalysisOutput(
            estimates=tuple(further),
            curves=tuple(curves),
            per_system_state=_Kept(meeting=met, declared=tuple(declared)),
        )

    def across(self, states: Mapping[str, object], spec: AuditSpec, alpha: float) -> AnalysisOutput:  # noqa: ARG002  the same
        """The declared tests, adjusted together by Holm; how much both dates share; services of one date only."""
        kepts = [cast("_Kept", state) for state in states.values()]
        met = kepts[0].meeting
        declared = [estimate for state in kepts for estimate in state.declared]
        faces = f"{met.faces[0]} and {met.faces[1]}" if met.design is Design.SAME_NAMES else str(met.faces[1])
        notes = [SAID[met.design].format(faces=faces, queries=len(met.queries))]
        for name, (first, second) in sorted(self.versions.items()):
            version = f"{first} at both dates" if first == second else f"{first}, then {second}"
            notes.append(f"two_dates: {name}: version {version}")
        names = {service.name for half in (met.earlier, met.later) for service in half.of.services}
        notes += [f"two_dates: {name} stands at one date only" for name in sorted(names - set(met.services))]
        return AnalysisOutput(estimates=(*_adjusted(declared), *_shared(met, self.dates)), notes=tuple(notes))


def _adjusted(declared: list[Estimate]) -> Iterator[Estimate]:
    """Holm's p over services and declared FMR targets (FORMULAS 8.9); a service that cannot be tested is not in it."""
    raw = {
        k: tested.test.p
        for k, tested in enumerate(declared)
        if tested.test is not None and tested.test.p is not None
    }
    p = dict(zip(raw, holm(list(raw.values())), strict=True))
    for k, change in enumerate(declared):
        test = change.test
        yield (
            change
            if test is None or k not in p
            else replace(change, test=replace(test, p_adjusted=p[k], family=len(p)))
        )


def _shared(met: Meeting, dates: tuple[str, str]) -> Iterator[Estimate]:
    """How many faces of each date stand in the common support."""
    for name, half, count in zip(dates, (met.earlier, met.later), met.faces, strict=True):
        total = len(half.of.faces.names)
        yield replace(
            estimate(EVERY_SYSTEM, FACES, {"date": name}, count / total),
            numerator=count,
            denominator=total,
        )
