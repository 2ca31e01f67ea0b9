"""Who stands in training and test set both: counts, lists to act on, and accuracy without them (004, section 3)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import partial

import numpy as np

from frtaudit.analyses.shared.nearest_matches import (
    VERDICTS,
    Cleaning,
    Engine,
    NearestMatches,
    Overlap,
    Rules,
    matcher_of,
    review_rows,
    survey,
)
from frtaudit.core import CohortData, Curve, Estimate, Interval, Method
from frtaudit.core.arrays import Flags, Ints, Singles
from frtaudit.core.canonical import seed_of
from frtaudit.core.methods import MIN_ERROR_SUBJECTS, MIN_ERRORS
from frtaudit.core.registry import register
from frtaudit.core.spec import AuditSpec
from frtaudit.core.spec_values import PATH
from frtaudit.core.text.file_names import file_name
from frtaudit.core.text.formatting import counted
from frtaudit.errors import SpecError
from frtaudit.evaluation.intervals import from_bounds
from frtaudit.evaluation.system import AnalysisOutput, FoldPairs, SystemData, on_panel
from frtaudit.inputs.review import as_csv, as_lines, need_review
from frtaudit.stats.folds import fold_assignment, fold_differences, kfold_accuracy
from frtaudit.stats.interclass import violins

NAME = "train_test_overlap"
WHERE = f"analyses.{NAME}"
REVIEW = ("pair", "training_set", "test_image", "training_image", "rank", "score", "verdict")
AtKey = Mapping[str, float | str]


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class TrainTestOverlap:
    """The ``k`` best matches of each test sample in each of the cohort's training sets, searched once by ``matcher``.

    ``thresholds``: scores above which images and identities are counted; ``overlap_at``: the score above which a
    match that nobody reviewed is the same identity; ``review_from``: the lowest score that is selected for review;
    ``reviewed``: the review file with verdicts; ``clean``: DBSCAN within matching training identities, null for none;
    ``engine``: who searches. ``known``: a column of the training metadata with the test subject that each image
    shows, where that is known by name (and ``<known>_image``: the test image that it copies); it stands for a review.
    ``matcher``: default the first provider with templates on both sides.
    """

    matcher: str | None = None
    k: int = 2
    thresholds: tuple[float, ...] = (0.5, 0.7, 0.9)
    overlap_at: float = 0.5
    review_from: float = 0.4
    engine: Engine = Engine.BLOCKED
    clean: Cleaning | None = field(default_factory=Cleaning)
    reviewed: str | None = field(default=None, metadata=PATH)
    known: str | None = None

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for numbers that no search can have."""
        if self.k < 1:
            raise SpecError(f"{WHERE}.k", f"found {self.k}", "1 or more")
        if not self.thresholds:
            raise SpecError(f"{WHERE}.thresholds", "names nothing", "one score or more")
        if self.clean is not None and not (0 < self.clean.reach <= 2 and self.clean.least >= 1):
            raise SpecError(
                f"{WHERE}.clean", "a reach outside (0, 2], or least below 1", "such as reach 0.6, least 2"
            )

    def check_files(self) -> None:
        """Raise :class:`DataError` for a review file that is not there, before anything is estimated."""
        need_review(self.reviewed)

    def survey(self, spec: AuditSpec, cohort_data: CohortData) -> Overlap:
        """Search all training sets once, whatever systems are audited."""
        rules = Rules(**{setting.name: getattr(self, setting.name) for setting in fields(Rules)})
        matcher = matcher_of(cohort_data, on_panel(spec, cohort_data), self.matcher, WHERE)
        return survey(cohort_data, matcher, rules)

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """Counts, violins and lists once, with the matcher, else the first system; accuracy split for every system."""
        overlap = next(survey for survey in system.surveys.values() if isinstance(survey, Overlap))
        split = tuple(_split(system, overlap, alpha))
        names = on_panel(system.spec, system.cohort_data)
        if system.provider != (overlap.matcher if overlap.matcher in names else names[0]):
            return AnalysisOutput(estimates=split)
        counts = tuple(self._counts(system, overlap))
        return AnalysisOutput(
            estimates=(*counts, *split),
            curves=tuple(_violins(overlap, system.provider)),
            notes=tuple(self._notes(overlap)),
            files=self._files(system, overlap),
        )

    def _counts(self, system: SystemData, overlap: Overlap) -> Iterator[Estimate]:
        for name, raw in overlap.raw.items():
            stages = {"found": raw} | (
                {"cleaned": overlap.cleaned[name].found} if name in overlap.cleaned else {}
            )
            for stage, matches in stages.items():
                yield from _stage(system, matches, stage, self.thresholds)
            if name in overlap.cleaned:
                done = overlap.cleaned[name]
                counts = int(done.removed.sum()), done.images
                yield Estimate.share(
                    system.provider, NAME, "overlap_noise_images", counts, at={"training": name}
                )
            yield from _review(system, overlap.last[name], self.thresholds)

    def _notes(self, overlap: Overlap) -> Iterator[str]:
        rule = f"a best match above {self.overlap_at:g} counts as the same identity unless a reviewer says otherwise"
        yield f"overlap: searched with {overlap.matcher}, the {self.k} best matches of each test image; {rule}"
        for name, done in overlap.cleaned.items():
            seen = f"{done.looked_at} matching training identities with {done.images} images"
            yield f"overlap with {name}: DBSCAN looked at {seen} and took out {int(done.removed.sum())}"
        for name, matches in overlap.last.items():
            used_up = int(matches.same.all(axis=1).sum())
            if used_up and np.unique(matches.edges()[1]).size < matches.training.n_subjects:
                yield (
                    f"overlap with {name}: the {self.k} best matches of {counted(used_up, 'test image')} all count as "
                    "the same identity, so further training identities may match: counts and lists are at least "
                    f"these, and a larger {WHERE}.k extends them"
                )

    def _files(self, system: SystemData, overlap: Overlap) -> Mapping[str, bytes]:
        """The review file, and for each training set: to remove, a random control, to merge, noise."""
        last = overlap.last
        rows = [
            row for nearest_matches in last.values() for row in review_rows(nearest_matches, self.review_from)
        ]
        files = {"overlap/review.csv": as_csv(REVIEW, rows)}
        for name, matches in last.items():
            below = f"overlap/{file_name(name)}"
            people = matches.training.subject_ids
            remove = np.unique(matches.edges()[1])
            # as many training identities that match nobody (the paper's ID-Overlap-R), or all that there are
            others = np.setdiff1d(np.arange(matches.training.n_subjects), remove)
            rng = np.random.default_rng(seed_of(system.spec.seed, NAME, "control", name))
            control = np.sort(rng.permutation(others)[: remove.size])
            merged = [(people[a], people[b]) for a, b in matches.merged()]
            files |= {
                f"{below}/remove.txt": as_lines([people[k] for k in remove]),
                f"{below}/random_control.txt": as_lines([people[k] for k in control]),
                f"{below}/merge.csv": as_csv(("training_identity", "merge_into"), merged),
                f"{below}/test_identities.txt": as_lines(
                    [matches.test.subject_ids[k] for k in np.flatnonzero(matches.overlapping)]
                ),
            }
            if name in overlap.cleaned:
                noise = np.flatnonzero(overlap.cleaned[name].removed)
                files[f"{below}/noise_images.txt"] = as_lines([matches.training.sample_ids[n] for n in noise])
        return files


def _stage(
    system: SystemData, matches: NearestMatches, stage: str, thresholds: tuple[float, ...]
) -> Iterator[Estimate]:
    images = matches.rows.size
    identities, trained = int(np.unique(matches.subject).size), matches.training.n_subjects
    for threshold in sorted(thresholds):
        at: AtKey = {"training": matches.name, "above": threshold, "stage": stage}
        counts = matches.above(threshold)
        make = partial(Estimate.share, system.provider, NAME, at=at)
        yield make("overlap_images", (counts[0], images))
        yield make("overlap_identities", (counts[1], identities))
        yield make("overlap_training_identities", (counts[2], trained))
    whole = partial(Estimate.share, system.provider, NAME, at={"training": matches.name, "stage": stage})
    test, training = matches.edges()
    yield whole("overlap_identities", (int(np.unique(test).size), identities))
    matched, merged = int(np.unique(training).size), len(matches.merged())
    yield whole("overlap_training_identities", (matched, trained))
    yield whole("overlap_merged_identities", (merged, matched))


def _review(system: SystemData, matches: NearestMatches, thresholds: tuple[float, ...]) -> Iterator[Estimate]:
    """How many reviewed matches above a score are one identity, and one image."""
    reviewed = matches.verdict >= 0
    if not reviewed.any():
        return
    for threshold in sorted({*thresholds, -1.0}):
        at: AtKey = {"training": matches.name, **({} if threshold < 0 else {"above": threshold})}
        high = reviewed & (matches.score > threshold)
        total = int(high.sum())
        make = partial(Estimate.share, system.provider, NAME, at=at)
        yield make("reviewed_same_identity", (int(np.isin(matches.verdict[high], (0, 1)).sum()), total))
        yield make("reviewed_same_image", (int((matches.verdict[high] == 0).sum()), total))


def _violins(overlap: Overlap, provider: str) -> Iterator[Curve]:
    """Densities of the best matches' scores: by training set, and by verdict where somebody reviewed."""
    for name, raw in overlap.raw.items():
        yield from _violin(provider, name, "all", raw.score[raw.index >= 0])
        last = overlap.last[name]
        for number, verdict in enumerate(VERDICTS):
            yield from _violin(provider, name, verdict, last.score[last.verdict == number])


def _violin(provider: str, name: str, part: str, scores: Singles) -> Iterator[Curve]:
    shape = violins.shape_of(scores.astype(np.float64))
    if shape is None:
        return
    x, y = ([float(f"{value:.6g}") for value in side] for side in shape)
    notes = (f"{scores.size:,} scores",)
    yield Curve.of(provider, "match_scores", x, y, (None, name), metric=part, notes=notes)


def _split(system: SystemData, overlap: Overlap, alpha: float) -> Iterator[Estimate]:
    """Accuracy of the folds' pairs and of every test set: all, without overlapping identities, and of them alone."""
    for name, matches in overlap.last.items():
        for pairs_name, pairs in system.pair_sets.items():
            at = {"pairs": pairs_name, "training": name}
            hit = matches.overlapping[pairs.first] | matches.overlapping[pairs.second]
            yield from _without(system, pairs, hit, at, alpha)


def _without(system: SystemData, pairs: FoldPairs, hit: Flags, at: AtKey, alpha: float) -> Iterator[Estimate]:
    """Each part with mated and non-mated pairs in the ratio of all: who overlaps changes that ratio."""
    rng = np.random.default_rng(seed_of(system.spec.seed, NAME, "mix", str(at["pairs"]), str(at["training"])))
    mixed = [fold_assignment.of_one_mix(pairs.mated, pairs.folds, part, rng) for part in (~hit, hit)]
    without, alone = (np.where(part, pairs.folds, kfold_accuracy.DROPPED) for part in mixed)
    parts = {
        "accuracy_without_overlap": without,
        "accuracy_of_overlap": alone,
    }
    for metric, of in parts.items():
        yield _accuracy(system, pairs, of, metric, at, alpha)
    if any(kfold_accuracy.empty_folds(of, pairs.k) for of in (pairs.folds, without)):
        return
    both = (pairs.folds, without)
    accuracy, other = (kfold_accuracy.k_fold_accuracy(pairs.score, pairs.mated, of, pairs.k) for of in both)
    delta = fold_differences.accuracy_difference(accuracy, other, both, pairs.first, pairs.second)
    bounds = fold_differences.difference_interval(delta, 0.0, pairs.n_subjects, alpha)
    few = _too_few(pairs, accuracy, hit & (pairs.folds >= 0))
    low, high = (None, None) if few or bounds is None else bounds
    note = "fold thresholds held fixed" if bounds else "degenerate: no overlap, or no errors"
    interval = Interval.of(low, high, alpha, Method.DYADIC, note=few if bounds and few else note)
    yield Estimate.of(
        system.provider, NAME, "delta_accuracy_overlap", delta.value, at=at, intervals=(interval,)
    )


def _too_few(pairs: FoldPairs, accuracy: kfold_accuracy.FoldAccuracy, hit: Flags) -> str | None:
    """Why no interval is printed: few wrong pairs, or few people in them, on one side (FORMULAS 8.3)."""
    for name, side in (("overlap", hit), ("no overlap", ~hit & (pairs.folds >= 0))):
        wrong = side & ~accuracy.is_correct
        subjects_with_errors = np.unique(np.concatenate([pairs.first[wrong], pairs.second[wrong]])).size
        if side.any() and (np.count_nonzero(wrong) < MIN_ERRORS or subjects_with_errors < MIN_ERROR_SUBJECTS):
            return (
                f"fewer than {MIN_ERRORS} wrong pairs, or {MIN_ERROR_SUBJECTS} subjects in them, with {name}"
            )
    return None


def _accuracy(
    system: SystemData, pairs: FoldPairs, of: Ints, metric: str, at: AtKey, alpha: float
) -> Estimate:
    empty = kfold_accuracy.empty_folds(of, pairs.k)
    if empty:
        note = f"{empty} of {pairs.k} folds hold no such pair"
        return Estimate.of(system.provider, NAME, metric, None, at=at, note=note)
    accuracy = kfold_accuracy.k_fold_accuracy(pairs.score, pairs.mated, of, pairs.k)
    bounds = kfold_accuracy.accuracy_bounds(accuracy, of, pairs.first, pairs.second)
    interval = from_bounds(bounds, alpha, "fold thresholds held fixed")
    counts = (int(accuracy.correct.sum()), int(accuracy.total.sum()))
    return Estimate.of(
        system.provider, NAME, metric, accuracy.mean, counts=counts, at=at, intervals=(interval,)
    )
