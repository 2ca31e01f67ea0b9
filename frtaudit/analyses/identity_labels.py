"""Labels read off the services' own scores: how many, how right, and what they do to the rates (Knott et al.)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from frtaudit.core import Curve, Estimate, Material
from frtaudit.core.labelling import LEFT_OUT, Labelled, Labelling, Service
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import SpecError
from frtaudit.inference import At, finite
from frtaudit.labelling import evaluation
from frtaudit.labelling.estimate import How
from frtaudit.labelling.evaluation import ANNOTATED, NO_VOTE, Persons, Scores
from frtaudit.registry import register
from frtaudit.stats.crossing import eer_of
from frtaudit.stats.listed import fnmr_at_fmr, threshold_of
from frtaudit.trial import Outcome, Trial, on_panel

NAME = "identity_labels"
DET, COUNTS, MATRIX = "labels_det", "label_counts", "confidence_matrix"
FEW = 10  # non-mated scores above a threshold, below which no curve is drawn
EXAMPLES = ("", "several", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Survey:
    """What is the same for all services: persons by whose labels, and by subsets of the services."""

    persons: Mapping[str, Persons]
    subsets: tuple[tuple[tuple[str, ...], Labelled], ...]


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityLabels:
    """Labels, what was left out, how right they are; FNMR and EER under each kind, without a vote, by subsets.

    ``subsets``: whether every subset of three and more services labels anew. ``matrices``: whether an example of
    each kind of query is drawn.
    """

    subsets: bool = True
    matrices: bool = True

    def survey(self, spec: AuditSpec, material: Material) -> object:
        """Persons by whose labels. Raises :class:`SpecError` for a cohort whose subjects are known."""
        labelling = _labelling(material)
        made = evaluation.subsets(labelling, _how(spec)) if self.subsets else ()
        return _Survey(persons=evaluation.persons(labelling), subsets=tuple(made))

    def estimates(self, trial: Trial, alpha: float) -> Outcome:  # noqa: ARG002  analyses share a signature
        """Of the labels once, with the first system; of each service what its scores say under each label."""
        found = _Reading(trial, _labelling(trial.material), cast("_Survey", trial.surveys[NAME]))
        first = trial.provider == on_panel(trial.spec, trial.material)[0]
        estimates = [*(found.labels() if first else ()), *found.own()]
        curves = [*found.curves(), *(found.counts() if first else ())]
        if first and self.matrices:
            curves += found.examples()
        return Outcome(estimates=tuple(estimates), curves=tuple(curves))


def _labelling(material: Material) -> Labelling:
    if material.labelling is None:
        raise SpecError(f"analyses.{NAME}", "a cohort whose subjects are known", "cohort=queries")
    return material.labelling


def _how(spec: AuditSpec) -> How:
    return cast("How", getattr(spec.cohort, "labels", How()))


@dataclass(frozen=True, slots=True)
class _Reading:
    """One service under every kind of label."""

    trial: Trial
    of: Labelling
    survey: _Survey

    @property
    def service(self) -> Service:
        """What this system said."""
        return next(one for one in self.of.services if one.name == self.trial.provider)

    def labels(self) -> Iterator[Estimate]:
        """Queries and faces by what became of them; the confusion table and the agreement with annotation."""
        labelled, faces = self.of.labelled, self.of.faces
        for reason in dict.fromkeys(("", *sorted(labelled.reason))):
            count = labelled.reason.count(reason)
            yield self._share(
                "label_queries", {"reason": reason or "used"}, count, len(faces.queries), "queries"
            )
        for label in (1, 0, LEFT_OUT):
            count = int(np.count_nonzero(labelled.label == label))
            yield self._share("label_faces", {"estimated": label}, count, len(faces.names), "faces")
        if ANNOTATED not in self.survey.persons:
            return
        found = evaluation.agreement(faces, labelled)
        total = sum(found.table.values())
        for (said, estimated), count in found.table.items():
            yield self._share(
                "label_confusion", {"annotated": said, "estimated": estimated}, count, total, "faces"
            )
        yield self._share("label_agreement", {}, found.right, found.both, "faces with both labels")
        left = sum(
            n for (said, estimated), n in found.table.items() if said != LEFT_OUT and estimated == LEFT_OUT
        )
        known = sum(n for (said, _), n in found.table.items() if said != LEFT_OUT)
        yield self._share("label_left_out", {}, left, known, "annotated faces")

    def own(self) -> Iterator[Estimate]:
        """FNMR at each declared FMR target and EER, by whose labels, of everybody and of each group; by subsets."""
        lost = evaluation.lost(self.of.faces, [self.service])[self.trial.provider]
        yield self._share("label_no_score", {}, lost, len(self.of.faces.names), "faces", self.trial.provider)
        for labels, scores in self._scores().items():
            for schema, group, member in self._groups():
                own = scores if member is None else scores.of(member)
                yield from self._rates(own, {"labels": labels}, schema, group)
        for names, labelled in self.survey.subsets:
            if self.trial.provider in names:
                scores = evaluation.split(self.of.faces, self.service, labelled.identity)
                yield from self._at_targets(scores, {"labels": "+".join(names)}, None, "all")

    def _scores(self) -> dict[str, Scores]:
        persons = dict(self.survey.persons)
        persons[NO_VOTE] = evaluation.alone(self.of, self.service, _how(self.trial.spec))
        return {
            name: evaluation.split(self.of.faces, self.service, person) for name, person in persons.items()
        }

    def _groups(self) -> Iterator[tuple[str | None, str, np.ndarray | None]]:
        """Everybody, and the queries of each class: a query has the class of its person in the cohort."""
        yield None, "all", None
        cohort, faces = self.trial.cohort, self.of.faces
        known = np.flatnonzero(self.of.sample_of >= 0)
        for schema, item in cohort.classifications.items():
            code = np.full(len(faces.queries), -1, dtype=np.int64)
            code[faces.query_of[known]] = item.codes[cohort.subject_of[self.of.sample_of[known]]]
            for place, name in enumerate(item.classes):
                yield schema, name, code == place

    def _rates(self, scores: Scores, at: At, schema: str | None, group: str) -> Iterator[Estimate]:
        yield from self._at_targets(scores, at, schema, group)
        crossing = eer_of(scores.mated, scores.non_mated)
        value = finite(crossing.value)
        yield replace(
            self._bare("eer_by_labels", at, schema, group),
            value=value,
            unit="mean of FMR and FNMR where they cross",
            note=None if value is not None else "no mated or no non-mated comparison",
        )

    def _at_targets(self, scores: Scores, at: At, schema: str | None, group: str) -> Iterator[Estimate]:
        points = self.trial.points
        for place in points.declared:
            target = points.targets[place]
            made = replace(
                self._bare("fnmr_by_labels", {"fmr": target, **at}, schema, group),
                unit="share of mated comparisons",
            )
            value = finite(fnmr_at_fmr(scores.mated, scores.non_mated, target))
            if value is None or target * scores.non_mated.size < FEW / 2:
                few = f"{scores.mated.size} mated and {scores.non_mated.size} non-mated comparisons"
                yield replace(made, value=None, note=f"too few to resolve: {few}")
                continue
            errors = round(value * scores.mated.size)
            yield replace(made, value=value, numerator=errors, denominator=scores.mated.size, note=None)

    def curves(self) -> Iterator[Curve]:
        """FNMR over FMR targets, by whose labels, of everybody."""
        for labels, scores in self._scores().items():
            targets = [t for t in self.trial.points.targets if t * scores.non_mated.size >= FEW and t < 1]
            cuts = [threshold_of(scores.non_mated, t) for t in targets]
            if scores.mated.size and targets:
                ordered = np.sort(scores.mated)
                fnmr = np.searchsorted(ordered, cuts, side="right") / ordered.size
                yield self._curve(DET, "all", tuple(targets), tuple(fnmr.tolist()), metric=labels)

    def counts(self) -> Iterator[Curve]:
        """For each query its right faces, in number and as a share, by what became of it (Figure S.6)."""
        if ANNOTATED not in self.survey.persons:
            return
        faces, starts = self.of.faces, self.of.faces.starts
        right = np.add.reduceat((faces.annotated == 1).astype(np.int64), starts[:-1])
        size = np.diff(starts)
        for reason in dict.fromkeys(self.of.labelled.reason):
            own = np.array([item == reason for item in self.of.labelled.reason])
            order = np.lexsort((right[own], right[own] / size[own]))
            yield self._curve(
                COUNTS,
                reason or "used",
                tuple(right[own][order].astype(float).tolist()),
                tuple((right[own] / size[own])[order].tolist()),
            )

    def examples(self) -> Iterator[Curve]:
        """One query of each kind: the confidences of its faces as rows, the z of each face as y (Figure S.5)."""
        for reason in EXAMPLES:
            chosen = self._example(reason)
            if chosen is None:
                continue
            rows, matrix = chosen
            z = self.of.labelled.z[rows, 0]
            order = np.argsort(-z, kind="stable")
            yield self._curve(
                MATRIX,
                reason or "used",
                tuple(float(place) for place in range(rows.size)),
                tuple(z[order].tolist()),
                replicates=tuple(tuple(row) for row in matrix[np.ix_(order, order)].tolist()),
            )

    def _example(self, reason: str) -> tuple[np.ndarray, np.ndarray] | None:
        """The middle query of its kind by size, whose faces all services scored, and its normalised confidences."""
        service, labelled, faces = self.of.services[0], self.of.labelled, self.of.faces
        sizes = np.diff(faces.starts)
        scored = np.logical_and.reduceat(~np.isnan(labelled.z).any(axis=1), faces.starts[:-1])
        fits = [q for q, found in enumerate(labelled.reason) if found == reason and scored[q]]
        if not fits or service.name not in labelled.modes:
            return None
        q = sorted(fits, key=lambda one: (sizes[one], one))[len(fits) // 2]
        rows = np.arange(faces.starts[q], faces.starts[q + 1])
        return rows, evaluation.confidences(faces, service, q, labelled.modes[service.name])

    def _share(self, metric: str, at: At, count: int, total: int, unit: str, provider: str = "") -> Estimate:
        return replace(
            self._bare(metric, at, None, "all"),
            provider=provider or self.trial.provider,
            value=count / total if total else None,
            numerator=count if total else None,
            denominator=total or None,
            unit=f"share of {unit}",
            note=None if total else f"no {unit}",
        )

    def _bare(self, metric: str, at: At, schema: str | None, group: str) -> Estimate:
        return Estimate(
            provider=self.trial.provider,
            analysis=NAME,
            metric=metric,
            schema=schema,
            group=group,
            weighting="pooled" if metric in ("fnmr_by_labels", "eer_by_labels") else None,
            at=at,
            value=None,
            numerator=None,
            denominator=None,
            unit="",
            note="undefined",
        )

    def _curve(
        self,
        kind: str,
        group: str,
        x: tuple[float, ...],
        y: tuple[float, ...],
        *,
        metric: str | None = None,
        replicates: tuple[tuple[float, ...], ...] = (),
    ) -> Curve:
        return Curve(
            provider=self.trial.provider,
            analysis=kind,
            schema=None,
            group=group,
            weighting="pooled",
            x=x,
            y=y,
            metric=metric,
            replicates=replicates,
        )
