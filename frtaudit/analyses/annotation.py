"""What a person's answers would change: rates by the share of faces annotated, or which faces to ask about next."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from frtaudit.core import CohortData, Curve, Estimate
from frtaudit.core.labelling import UNSAID, Labelling
from frtaudit.core.registry import register
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import SpecError
from frtaudit.evaluation.system import AnalysisOutput, SystemData
from frtaudit.labelling.asking import asking
from frtaudit.labelling.evaluation import Scores, hidden, pooled, split
from frtaudit.labelling.fractions import answered, complete, misses
from frtaudit.labelling.pictures import det
from frtaudit.labelling.settings import How
from frtaudit.stats.rates.resolution import unresolved

NAME = "annotation"
METRIC = "fnmr_by_annotation"
NEAR = 0.1  # of tau: the faces that are called ambiguous in the note


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """FNMR over FMR when ``shares`` of all faces are annotated, the most informative first.

    Where every face has one; else how many are to be asked, and why. ``order``: left out first, then most ambiguous.
    """

    shares: tuple[float, ...] = (0.0, 0.1, 0.2, 0.3, 0.5, 1.0)
    metrics = ("fnmr_by_annotation",)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for shares that are none, or do not ascend."""
        ascend = list(self.shares) == sorted(set(self.shares))
        if not self.shares or not ascend or not 0 <= self.shares[0] <= self.shares[-1] <= 1:
            text = ", ".join(f"{share:g}" for share in self.shares) or "nothing"
            raise SpecError(f"analyses.{NAME}.shares", f"found {text}", "numbers from 0 to 1 that ascend")

    def survey(self, spec: AuditSpec, cohort_data: CohortData) -> object:
        """The persons of all faces at each share, once for all systems; None without an answer for every face."""
        labelling = cohort_data.labelling
        if labelling is None or not complete(labelling.faces):
            return None
        return answered(labelling.faces, labelling.labelled, _tau(spec), self.shares)

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:  # noqa: ARG002  analyses share a signature
        """Curves and rates of one system at each share; what :meth:`across` counts is kept."""
        labelling, persons = system.cohort_data.labelling, system.surveys.get(NAME)
        service = None if labelling is None else labelling.by_name.get(system.provider)
        if labelling is None or service is None or persons is None:
            return AnalysisOutput(per_system_state=labelling)
        service = pooled(service)
        estimates: list[Estimate] = []
        curves: list[Curve] = []
        for share, person in zip(self.shares, cast("list[np.ndarray]", persons), strict=True):
            scores = split(labelling.faces, service, person)
            estimates += _rates(system, share, scores)
            curves.append(_curve(system, share, scores))
        return AnalysisOutput(estimates=tuple(estimates), curves=tuple(curves), per_system_state=labelling)

    def across(self, states: Mapping[str, object], spec: AuditSpec, alpha: float) -> AnalysisOutput:  # noqa: ARG002  the same
        """How many faces are to be asked and why: counts, no names."""
        labelling = cast("Labelling", next(iter(states.values())))
        return AnalysisOutput(notes=tuple(_said(labelling, _tau(spec))))


def _tau(spec: AuditSpec) -> float:
    """That of the cohort's labels."""
    how = getattr(spec.cohort, "labels", None)
    return (how if isinstance(how, How) else How()).limits.tau


def _rates(system: SystemData, share: float, scores: Scores) -> Iterator[Estimate]:
    """FNMR at each declared FMR target, or why there is none."""
    for place in system.operating_points.declared:
        target = system.operating_points.targets[place]
        few = unresolved(target, scores.non_mated.size) or (
            None if scores.mated.size else "no mated comparison"
        )
        reason = few or hidden(scores, target, system.censoring)
        errors = 0 if reason else misses(scores, target)
        yield Estimate.of(
            system.provider,
            NAME,
            METRIC,
            None if reason else errors / scores.mated.size,
            counts=None if reason else (errors, scores.mated.size),
            at={"fmr": target, "annotated": share},
            weighting="pooled",
            note=reason,
        )


def _curve(system: SystemData, share: float, scores: Scores) -> Curve:
    """FNMR over FMR, as far as these comparisons resolve it."""
    rates = det(
        scores,
        system.censoring,
        [system.operating_points.targets[a] for a in system.operating_points.declared],
    )
    of = (None, f"{100 * share:g} %")
    return Curve.of(system.provider, NAME, rates.fmr, rates.fnmr, of, weighting="pooled", metric="fnmr")


def _said(labelling: Labelling, tau: float) -> Iterator[str]:
    faces, labelled = labelling.faces, labelling.labelled
    queue = asking(faces, labelled, tau)
    given = int(np.count_nonzero(faces.annotated != UNSAID))
    yield f"annotation: {given} of {len(faces.names)} faces have a person's answer, {queue.order.size} have none"
    if not queue.order.size:
        return
    rows = queue.order[: queue.left_out]
    reason = np.array([*labelled.reason], dtype=object)[faces.query_of[rows]]
    for name in sorted(set(reason.tolist()), key=lambda name: (name == "", name)):
        selected = rows[reason == name]
        queries = np.unique(faces.query_of[selected]).size
        why = f"query left out ({name})" if name else "a service gave no scores"
        yield f"annotation: ask first: {selected.size} faces of {queries} queries without a label: {why}"
    near = int(np.count_nonzero(queue.distance[queue.left_out :] <= NEAR))
    yield (
        f"annotation: ask next: {queue.order.size - queue.left_out} faces with a label, by ambiguity; "
        f"{near} of them have z within {NEAR:g} of tau = {tau:g}"
    )
