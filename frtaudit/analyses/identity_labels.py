"""Labels estimated from the services' own scores: how many, how right, and what they do to the rates (Knott et al.)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from frtaudit.analyses.shared import label_modes
from frtaudit.core import CohortData, Curve, Estimate, Method, Target
from frtaudit.core.arrays import Floats, Index
from frtaudit.core.labelling import LEFT_OUT, OF_QUERY, Labelled, Labelling, ModeFit, Service
from frtaudit.core.registry import register
from frtaudit.core.spec import AuditSpec, FailureScore, Weighting
from frtaudit.core.spec_values import LabelSource
from frtaudit.errors import SpecError
from frtaudit.evaluation.intervals import AtKey, finite
from frtaudit.evaluation.system import AnalysisOutput, SystemData, on_panel
from frtaudit.labelling import evaluation, pictures
from frtaudit.labelling.estimate import lacking
from frtaudit.labelling.evaluation import ANNOTATED, ESTIMATED, NO_VOTE, Scores
from frtaudit.labelling.modes import balanced
from frtaudit.labelling.pictures import FEW
from frtaudit.labelling.settings import How, Several
from frtaudit.labelling.table import label_table
from frtaudit.stats.intervals import wilson
from frtaudit.stats.labels.spectral import Reason
from frtaudit.stats.rates.censoring import eer_hidden
from frtaudit.stats.rates.eer import eer_of
from frtaudit.stats.rates.listed import fnmr_at_fmr

NAME = "identity_labels"
DET, SCORES, RATES = "labels_det", "labels_scores", "labels_rates"
COUNTS, SIZES, SHARES = "label_counts", "label_sizes", "label_shares"
FACE_SIZES = "face_sizes"
MATRIX, VECTORS = "confidence_matrix", "confidence_vectors"
BOTH = (ESTIMATED, ANNOTATED)
COHORT_OF = {LabelSource.ESTIMATED: ESTIMATED, LabelSource.ANNOTATED: ANNOTATED}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Survey:
    """What is the same for all services: persons by whose labels, by subsets of the services.

    ``several``: the labels with queries of several people left out, and with them used; empty where there are none.
    """

    persons: Mapping[str, Index]
    subsets: tuple[tuple[tuple[str, ...], Labelled], ...]
    several: Mapping[Several, Labelled]


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityLabels:
    """Labels, exclusions, accuracy of the labels; FNMR and EER under each kind, without a vote, by subsets.

    ``subsets``: whether every subset of three and more services labels anew. ``matrices``: whether an example of
    each kind of query is drawn, of each service that labels.
    """

    subsets: bool = True
    matrices: bool = True

    def survey(self, spec: AuditSpec, cohort_data: CohortData) -> object:
        """Persons by whose labels. Raises :class:`SpecError` for a cohort whose subjects are known."""
        labelling = _labelling(cohort_data)
        subsets = evaluation.subsets(labelling, _how(spec)) if self.subsets else ()
        return _Survey(
            persons=evaluation.persons(labelling),
            subsets=tuple(subsets),
            several=evaluation.by_several(labelling, _how(spec)),
        )

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """Of the labels once, with the first system; of each service what its scores say under each label."""
        labels = _ServiceLabels.of_system(system, alpha)
        first = system.provider == on_panel(system.spec, system.cohort_data)[0]
        estimates = [*(labels.labels() if first else ()), *labels.own()]
        curves = [*labels.curves(), *labels.distributions(), *labels.face_sizes()]
        curves += labels.queries() if first else ()
        estimates += label_modes.estimates(system.provider, NAME, labels.fit)
        curves += label_modes.curves(system.provider, labels.fitted_scores, labels.fit.mixture)
        if self.matrices:
            curves += labels.examples()
        key = system.cohort_data.pseudonym_key
        files = {f"{NAME}/labels.csv": label_table(_labelling(system.cohort_data), key)} if first else {}
        return AnalysisOutput(estimates=tuple(estimates), curves=tuple(curves), files=files)


def _labelling(cohort_data: CohortData) -> Labelling:
    if cohort_data.labelling is None:
        raise SpecError(f"analyses.{NAME}", "a cohort whose subjects are known", "cohort=queries")
    return cohort_data.labelling


def _how(spec: AuditSpec) -> How:
    return cast("How", getattr(spec.cohort, "labels", How()))


@dataclass(frozen=True, slots=True)
class _ServiceLabels:
    """One service under every kind of label."""

    system: SystemData
    alpha: float
    of: Labelling
    survey: _Survey
    service: Service
    fit: ModeFit
    fitted_scores: Floats
    scores: Mapping[str, Scores]

    @classmethod
    def of_system(cls, system: SystemData, alpha: float) -> "_ServiceLabels":
        """What this system said, both orders of a pair as one, split by everybody's labels and by its own."""
        of, survey = _labelling(system.cohort_data), cast("_Survey", system.surveys[NAME])
        asked, how = of.by_name[system.provider], _how(system.spec)
        service, fit = evaluation.pooled(asked), evaluation.fit_of(of, asked, how)
        persons = dict(survey.persons)
        if fit.modes is not None:
            persons[NO_VOTE] = evaluation.alone(of, service, how, fit.modes)
        scores = {name: evaluation.split(of.faces, service, person) for name, person in persons.items()}
        return cls(system, alpha, of, survey, service, fit, balanced(of.faces, asked), scores)

    def labels(self) -> Iterator[Estimate]:
        """Queries and faces by what became of them; the confusion table and the agreement with annotation."""
        labelled, faces = self.of.labelled, self.of.faces
        for reason in dict.fromkeys(("", *sorted(labelled.reason))):
            count = labelled.reason.count(reason)
            at: AtKey = {"reason": reason or "used"}
            estimate = self._share("label_queries", at, count, len(faces.queries), "queries")
            yield replace(estimate, note=self._failed()) if reason == Reason.FAILED else estimate
        for label in (1, 0, LEFT_OUT):
            count = int(np.count_nonzero(labelled.label == label))
            yield self._share("label_faces", {"estimated": label}, count, len(faces.names), "faces")
        yield from self._several()
        if ANNOTATED not in self.survey.persons:
            return
        agreement = evaluation.agreement(faces, labelled)
        total = sum(agreement.table.values())
        for (number, estimated), count in agreement.table.items():
            yield self._share(
                "label_confusion", {"annotated": number, "estimated": estimated}, count, total, "faces"
            )
        yield self._share("label_agreement", {}, agreement.right, agreement.both, "faces with both labels")
        left = sum(
            n
            for (annotated, estimated), n in agreement.table.items()
            if annotated != LEFT_OUT and estimated == LEFT_OUT
        )
        known = sum(n for (annotated, _), n in agreement.table.items() if annotated != LEFT_OUT)
        yield self._share("label_left_out", {}, left, known, "annotated faces")

    def _failed(self) -> str:
        """Which services gave too few scores, of how many of the faces of queries left out for that."""
        of = self.of
        failed = np.array([reason == Reason.FAILED for reason in of.labelled.reason])[of.faces.query_of]
        asked = [service for service in of.services if service.name in of.labelled.modes]
        counts = (lacking(of.faces, asked) & failed[:, None]).sum(axis=0).tolist()
        return "; ".join(
            f"{service.name} failed on {n} of their {failed.sum()} faces"
            for service, n in zip(asked, counts, strict=True)
            if n
        )

    def _several(self) -> Iterator[Estimate]:
        """Queries, people and faces that have labels, with several people left out and with them used."""
        faces = self.of.faces
        for setting, labelled in self.survey.several.items():
            at: dict[str, float | str] = {"several": str(setting)}
            used, shown = labelled.reason.count(""), np.flatnonzero(labelled.identity >= 0)
            yield self._share("label_several_queries", at, used, len(faces.queries), "queries")
            yield self._share("label_several_faces", at, shown.size, len(faces.names), "faces")
            people = len(
                set(zip(faces.query_of[shown].tolist(), labelled.identity[shown].tolist(), strict=True))
            )
            bare = self._bare("label_several_people", at, None, "all")
            yield replace(bare, value=float(people), note=None)

    def own(self) -> Iterator[Estimate]:
        """FNMR at each declared FMR target and EER, by whose labels, of everybody and of each group; by subsets."""
        lost = evaluation.lost(self.of.faces, [self.service])[self.system.provider]
        yield self._share("label_no_score", {}, lost, len(self.of.faces.names), "faces", self.system.provider)
        for labels, scores in self.scores.items():
            for schema, group, member in self._groups():
                group_scores = scores if member is None else scores.of(member)
                yield from self._rates(group_scores, {"labels": labels}, schema, group)
        if self.fit.problem is not None:
            yield from self._no_labels(self.fit.problem)
        for names, labelled in self.survey.subsets:
            if self.system.provider in names:
                scores = evaluation.split(self.of.faces, self.service, labelled.identity)
                yield from self._at_targets(scores, {"labels": "+".join(names)}, None, "all")

        for setting, relabelled in self.survey.several.items():
            scores = evaluation.split(self.of.faces, self.service, relabelled.identity)
            yield from self._at_targets(scores, {"labels": f"several_{setting}"}, None, "all")

    def _no_labels(self, problem: str) -> Iterator[Estimate]:
        """Of a service that gives no labels alone: why."""
        points = self.system.operating_points
        for place in points.declared:
            at: AtKey = {"fmr": points.targets[place], "labels": NO_VOTE}
            yield replace(self._bare("fnmr_by_labels", at, None, "all"), note=problem)
        yield replace(self._bare("eer_by_labels", {"labels": NO_VOTE}, None, "all"), note=problem)

    def _groups(self) -> Iterator[tuple[str | None, str, np.ndarray | None]]:
        """Everybody, and the queries of each class, those that the estimate left out included."""
        yield None, "all", None
        for schema, classification in self.system.cohort.classifications.items():
            classes = np.array(self.of.classes[schema], dtype=object)
            for name in classification.classes:
                yield schema, name, classes == name

    def _rates(self, scores: Scores, at: AtKey, schema: str | None, group: str) -> Iterator[Estimate]:
        yield from self._at_targets(scores, at, schema, group)
        eer = eer_of(scores.mated, scores.non_mated)
        value, note = finite(eer.value), "no mated or no non-mated comparison"
        if value is not None:
            note = eer_hidden(self.system.censoring, eer.threshold, eer.fmr, eer.fnmr) or ""
        yield replace(
            self._bare("eer_by_labels", at, schema, group),
            value=None if note else value,
            note=note or None,
        )

    def _at_targets(self, scores: Scores, at: AtKey, schema: str | None, group: str) -> Iterator[Estimate]:
        points = self.system.operating_points
        for place in points.declared:
            target = points.targets[place]
            estimate = self._bare("fnmr_by_labels", {"fmr": target, **at}, schema, group)
            value = finite(fnmr_at_fmr(scores.mated, scores.non_mated, target))
            if value is None or target * scores.non_mated.size < FEW / 2:
                few = f"{scores.mated.size} mated and {scores.non_mated.size} non-mated comparisons"
                yield replace(estimate, value=None, note=f"too few to resolve: {few}")
                continue
            reason = evaluation.hidden(scores, target, self.system.censoring)
            if reason is not None:
                yield replace(estimate, value=None, note=reason)
                continue
            errors = round(value * scores.mated.size)
            yield replace(estimate, value=value, numerator=errors, denominator=scores.mated.size, note=None)

    def curves(self) -> Iterator[Curve]:
        """FNMR over FMR, by whose labels, of everybody; of each group estimated and annotated (Figures 1, S.7 to S.12).

        The labels that the cohort has get Wilson's band at each threshold, held (FORMULAS 8.1).
        """
        cohort = COHORT_OF.get(self.of.source)
        targets = [
            self.system.operating_points.targets[place] for place in self.system.operating_points.declared
        ]
        for labels, scores in self.scores.items():
            rates = pictures.det(scores, self.system.censoring, targets)
            curve = self._curve(DET, "all", rates.fmr, rates.fnmr, metric=labels)
            if curve.x and labels == cohort and self.system.spec.failures is FailureScore.APART:
                curve = self._banded(curve, rates.threshold)
            yield curve
        for schema, group, member in self._groups():
            for labels in BOTH if member is not None else ():
                if labels in self.scores and member is not None:
                    rates = pictures.det(self.scores[labels].of(member), self.system.censoring, targets)
                    yield self._curve(DET, group, rates.fmr, rates.fnmr, metric=labels, schema=schema)

    def _banded(self, curve: Curve, threshold: np.ndarray) -> Curve:
        prepared = wilson.prepare_mated(self.system.tail, self.system.groups, threshold)
        rules = [prepared.fnmr(cut, 0, self.alpha, Weighting.POOLED) for cut in threshold.tolist()]
        ends = [
            (np.nan, np.nan) if rule.low is None or rule.high is None else (rule.low, rule.high)
            for rule in rules
        ]
        return replace(
            curve,
            low=tuple(float(low) for low, _ in ends),
            high=tuple(float(high) for _, high in ends),
            method=Method.WILSON,
            target=Target.POPULATION,
            level=1 - self.alpha,
        )

    def distributions(self) -> Iterator[Curve]:
        """Scores of either kind, and FMR and FNMR over the threshold, by whose labels (Figures 4, S.9, S.10)."""
        for labels in BOTH:
            if labels in self.scores and np.isfinite(self.service.score).any():
                for kind, make in ((SCORES, pictures.histograms), (RATES, pictures.over_threshold)):
                    x, series = make(self.service, self.scores[labels])
                    for name, y in series.items():
                        yield self._curve(kind, "all", x, y, metric=labels, rate=name)

    def face_sizes(self) -> Iterator[Curve]:
        """How many faces this service's boxes show in which size, the harmonic mean of the sides (Figure S.4)."""
        if self.system.provider in self.of.size_of:
            edge, count = pictures.size_histograms(self.of.size_of)
            yield self._curve(FACE_SIZES, "all", edge, count[self.system.provider])

    def queries(self) -> Iterator[Curve]:
        """Faces of each query; right ones in number and share, annotated and estimated, by what became of it.

        By class too (Figures S.1 to S.3, S.6).
        """
        faces, labelled = self.of.faces, self.of.labelled
        size = np.diff(faces.starts)
        number, queries = np.unique(size, return_counts=True)
        yield self._curve(SIZES, "all", number, queries)
        if ANNOTATED not in self.survey.persons:
            return
        annotated = pictures.of_queries(faces, faces.annotated == OF_QUERY)
        estimated = pictures.of_queries(faces, pictures.voted(labelled, _how(self.system.spec).limits.tau))
        for reason in dict.fromkeys(labelled.reason):
            indices = np.flatnonzero([query_reason == reason for query_reason in labelled.reason])
            for metric, by in (("faces", np.ones(size.size)), ("share", size)):
                x, y = annotated[indices] / by[indices], estimated[indices] / by[indices]
                order = np.lexsort((y, x))
                yield self._curve(COUNTS, reason or "used", x[order], y[order], metric=metric)
        share = pictures.right_shares(faces)
        for schema, group, member in self._groups():
            indices = np.isfinite(share) if member is None else np.isfinite(share) & member
            order = np.lexsort((size[indices], share[indices]))
            yield self._curve(SHARES, group, size[indices][order], share[indices][order], schema=schema)

    def examples(self) -> Iterator[Curve]:
        """Of a service that labels one query of each kind: confidences over z, eigenvectors over the decision."""
        how, names = _how(self.system.spec), list(self.of.labelled.modes)
        for column in [place for place, name in enumerate(names) if name == self.system.provider]:
            service = self.of.by_name[self.system.provider]
            for example in pictures.examples(
                self.of.faces, service, self.of.labelled, how.rule, how.limits, column
            ):
                group, place = example.reason or "used", np.arange(example.z.size)
                yield self._curve(MATRIX, group, place, example.z, rows=example.matrix)
                yield self._curve(VECTORS, group, place, example.label, rows=example.vectors.T)

    def _share(self, metric: str, at: AtKey, count: int, total: int, of: str, provider: str = "") -> Estimate:
        return replace(
            self._bare(metric, at, None, "all"),
            provider=provider or self.system.provider,
            value=count / total if total else None,
            numerator=count if total else None,
            denominator=total or None,
            note=None if total else f"no {of}",
        )

    def _bare(self, metric: str, at: AtKey, schema: str | None, group: str) -> Estimate:
        return Estimate.of(
            self.system.provider,
            NAME,
            metric,
            None,
            of=(schema, group),
            at=at,
            weighting="pooled" if metric in ("fnmr_by_labels", "eer_by_labels") else None,
            note="undefined",
        )

    def _curve(
        self,
        kind: str,
        group: str,
        x: np.ndarray,
        y: np.ndarray,
        *,
        metric: str | None = None,
        rate: str | None = None,
        schema: str | None = None,
        rows: np.ndarray | None = None,
    ) -> Curve:
        of, provider = (schema, group), self.system.provider
        curve = Curve.of(provider, kind, x, y, of, weighting="pooled", metric=metric, rate=rate)
        return curve if rows is None else replace(curve, replicates=tuple(map(tuple, rows.tolist())))
