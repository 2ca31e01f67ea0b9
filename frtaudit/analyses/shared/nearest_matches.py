"""Who stands in a training set and in a test set: best matches, a reviewer's verdicts, noise, identities (004, 3)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from frtaudit.core import Cohort, CohortData
from frtaudit.core.arrays import Flags, Ints, Singles
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.machine.extras import need
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs.review import pair_id, read_review
from frtaudit.stats._scipy import scipy
from frtaudit.stats.labels.identity_noise import noise_in
from frtaudit.stats.similarity.nearest import Matches, best_matches, faiss_matches, unit_rows

SAME_IMAGE, SAME_IDENTITY, DIFFERENT = "same_image", "same_identity", "different"
VERDICTS = (SAME_IMAGE, SAME_IDENTITY, DIFFERENT)
NOT_REVIEWED = -1


class Engine(Enum):
    """Who searches: this project, block by block, or faiss (extra ``search``)."""

    BLOCKED = "blocked"
    FAISS = "faiss"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaning:
    """DBSCAN within a training identity: ``reach`` in 1 - cosine, ``least`` neighbours of a core, itself included."""

    reach: float = 0.6
    least: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How overlap is looked for: see :class:`frtaudit.analyses.train_test_overlap.TrainTestOverlap`."""

    k: int
    overlap_at: float
    review_from: float
    engine: Engine
    clean: Cleaning | None
    reviewed: str | None
    known: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestMatches(FrozenArrays):
    """The best matches of a test set in one training set.

    ``rows`` (n,) int64: cohort samples with a template; ``subject`` (n,) int64: their subjects; ``index`` (n, k)
    int64: training samples, best first, -1 = none; ``score`` (n, k) float32; ``verdict`` (n, k) int64: place in
    ``VERDICTS``, -1 = not reviewed; ``overlap_at``: the score above which a match that nobody reviewed counts as the
    same identity.
    """

    name: str
    test: Cohort
    training: Cohort
    rows: Ints
    index: Ints
    score: Singles
    verdict: Ints
    overlap_at: float

    @property
    def subject(self) -> Ints:
        """The subject of each row, shape (n,)."""
        return self.test.subject_of[self.rows].astype(np.int64)

    @property
    def same(self) -> Flags:
        """Which matches count as one identity: the reviewer's word, else the score; shape (n, k)."""
        unseen = (self.verdict == NOT_REVIEWED) & (self.score > self.overlap_at)
        return np.asarray((self.index >= 0) & (unseen | np.isin(self.verdict, (0, 1))))

    @property
    def overlapping(self) -> Flags:
        """Which test subjects overlap, shape (K,)."""
        flags = np.zeros(self.test.n_subjects, dtype=bool)
        flags[self.subject[self.same.any(axis=1)]] = True
        return flags

    def edges(self) -> tuple[Ints, Ints]:
        """Distinct pairs of a test subject and a training subject that are one identity."""
        row, place = np.nonzero(self.same)
        ends = self.subject[row], self.training.subject_of[self.index[row, place]].astype(np.int64)
        both = np.unique(np.stack(ends), axis=1)
        return both[0], both[1]

    def merged(self) -> list[tuple[int, int]]:
        """Training subjects joined by test identities: each but the first, with the first."""
        test, training = self.edges()
        size = self.test.n_subjects + self.training.n_subjects
        graph = scipy.sparse.coo_array(
            (np.ones(test.size), (test, self.test.n_subjects + training)), shape=(size, size)
        )
        part = scipy.sparse.csgraph.connected_components(graph, directed=False)[1][self.test.n_subjects :]
        first: dict[int, int] = {}
        merges = []
        for subject in np.unique(training).tolist():
            leader = first.setdefault(int(part[subject]), subject)
            if leader != subject:
                merges.append((subject, leader))
        return merges

    def above(self, threshold: float) -> tuple[int, int, int]:
        """Test images, test identities and training identities among matches that score above ``threshold``."""
        high = (self.score > threshold) & (self.index >= 0)
        rows = high.any(axis=1)
        trained = self.training.subject_of[self.index[high]]
        return int(rows.sum()), int(np.unique(self.subject[rows]).size), int(np.unique(trained).size)

    def pair(self, row: int, place: int) -> tuple[str, str, str]:
        """The review file's name of a match, and its two images."""
        test = self.test.sample_ids[self.rows[row]]
        trained = self.training.sample_ids[self.index[row, place]]
        return pair_id(self.name, test, trained), test, trained


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """What cleaning did: ``looked_at`` identities with ``images``; ``removed`` (M,) bool: samples taken out."""

    looked_at: int
    images: int
    removed: Flags
    found: NearestMatches


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """Every training set: the matches as they are, and after cleaning where that was asked for."""

    matcher: str
    raw: Mapping[str, NearestMatches]
    cleaned: Mapping[str, Cleaned]

    @property
    def last(self) -> Mapping[str, NearestMatches]:
        """The matches that count: cleaned where that was done."""
        return {
            name: self.cleaned[name].found if name in self.cleaned else raw for name, raw in self.raw.items()
        }

    def judged(self, judge: Callable[[NearestMatches], NearestMatches]) -> "Overlap":
        """The same with the verdicts that ``judge`` gives all matches, as they are and after cleaning."""
        return replace(
            self,
            raw={name: judge(matches) for name, matches in self.raw.items()},
            cleaned={name: replace(done, found=judge(done.found)) for name, done in self.cleaned.items()},
        )


def matcher_of(cohort_data: CohortData, components: Sequence[str], wanted: str | None, where: str) -> str:
    """The provider whose templates decide: the one asked for, else the first audited with templates on both sides."""
    if not cohort_data.training:
        raise SpecError(where, "the cohort has no training set", "cohort.training.NAME=FOLDER")
    shared = [
        name
        for name in cohort_data.templates
        if all(name in training_set.templates for training_set in cohort_data.training.values())
    ]
    first = next((name for name in components if name in shared), None)
    if wanted is None and first is not None:
        return first
    if wanted is None or wanted not in shared:
        text = (
            f"no templates of {wanted!r} on both sides"
            if wanted
            else "no system audited has templates on both sides"
        )
        raise SpecError(f"{where}.matcher", text, ", ".join(shared) or "the same .npz names in both folders")
    return wanted


def survey(cohort_data: CohortData, matcher: str, rules: Rules) -> Overlap:
    """Search every training set, read the review, clean, search again."""
    templates = cohort_data.templates[matcher]()
    probes = unit_rows(templates.vectors)
    search = _engine(rules.engine)
    raw: dict[str, NearestMatches] = {}
    cleaned: dict[str, Cleaned] = {}
    for name, training_set in cohort_data.training.items():
        trained = training_set.templates[matcher]()
        if trained.vectors.shape[1] != probes.shape[1]:
            text = f"templates of {trained.vectors.shape[1]} numbers, those of the test set have {probes.shape[1]}"
            raise DataError(f"training set {name}", text, "templates of one system")
        gallery = unit_rows(trained.vectors)
        rows = trained.rows.astype(np.int64)
        matches = search(probes, gallery, rules.k)
        base = NearestMatches(
            name=name,
            test=cohort_data.cohort,
            training=training_set.cohort,
            rows=templates.rows.astype(np.int64),
            index=np.where(matches.index >= 0, rows[matches.index], -1),
            score=matches.score,
            verdict=np.full(matches.index.shape, NOT_REVIEWED),
            overlap_at=rules.overlap_at,
        )
        raw[name] = base
        if rules.clean is not None:
            cleaned[name] = _clean(base, probes, gallery, rows, search, rules)
    overlap = Overlap(matcher=matcher, raw=raw, cleaned=cleaned)
    if rules.known is not None:
        overlap = overlap.judged(lambda matches: _told(matches, cohort_data.training[matches.name], rules))
    return _reviewed(overlap, rules)


def _told(matches: NearestMatches, training: CohortData, rules: Rules) -> NearestMatches:
    """Verdicts out of the training metadata: whom each training image shows, and which test image it copies."""
    shown = training.attributes.get(rules.known or "")
    if shown is None:
        where = f"training set {matches.name}"
        raise DataError(
            where, f"no column {rules.known!r}", ", ".join(training.attributes) or "a column of subjects"
        )
    copied = training.attributes.get(f"{rules.known}_image", np.full(shown.size, "", dtype=object))
    subjects = np.array(matches.test.subject_ids, dtype=object)[matches.subject][:, None]
    samples = np.array(matches.test.sample_ids, dtype=object)[matches.rows][:, None]
    verdict = np.full(matches.index.shape, VERDICTS.index(DIFFERENT))
    verdict[shown[matches.index] == subjects] = VERDICTS.index(SAME_IDENTITY)
    verdict[copied[matches.index] == samples] = VERDICTS.index(SAME_IMAGE)
    put = (matches.score > rules.review_from) & (matches.index >= 0)
    return replace(matches, verdict=np.where(put, verdict, NOT_REVIEWED))


def _engine(engine: Engine) -> Callable[[Singles, Singles, int], Matches]:
    if engine is Engine.BLOCKED:
        return best_matches
    try:
        faiss_matches(np.ones((1, 1), np.float32), np.ones((1, 1), np.float32), 1)
    except ModuleNotFoundError:
        raise SpecError(
            "analyses.train_test_overlap.engine", "faiss is not installed", "blocked, or the extra search"
        ) from None
    return faiss_matches


def _clean(
    base: NearestMatches,
    probes: Singles,
    gallery: Singles,
    rows: Ints,
    search: Callable[[Singles, Singles, int], Matches],
    rules: Rules,
) -> Cleaned:
    """Noise out of the training identities that match; then the matches of what is left."""
    need("learn", "sklearn", where="analyses.train_test_overlap.clean")
    clean = rules.clean or Cleaning()
    subject = base.training.subject_of[rows].astype(np.int64)
    looked_at = np.unique(base.edges()[1])
    noise = noise_in(gallery, subject, looked_at, clean.reach, clean.least)
    removed = np.zeros(base.training.n_samples, dtype=bool)
    removed[rows[noise]] = True
    matches = base
    if noise.any():
        remaining, again = rows[~noise], search(probes, gallery[~noise], rules.k)
        matches = replace(
            base, index=np.where(again.index >= 0, remaining[again.index], -1), score=again.score
        )
    images = int(np.isin(subject, looked_at).sum())
    return Cleaned(looked_at=int(looked_at.size), images=images, removed=removed, found=matches)


def _reviewed(overlap: Overlap, rules: Rules) -> Overlap:
    """The reviewer's verdicts on every match that has one."""
    if rules.reviewed is None:
        return overlap
    every = [*overlap.raw.values(), *(cleaned_set.found for cleaned_set in overlap.cleaned.values())]
    listed = {row[0] for matches in every for row in review_rows(matches, rules.review_from)}
    review = read_review(rules.reviewed, listed, VERDICTS)
    return overlap.judged(lambda matches: _judged(matches, review, rules.review_from))


def _judged(matches: NearestMatches, review: Mapping[str, str], review_from: float) -> NearestMatches:
    verdict = matches.verdict.copy()
    for row, place in zip(*np.nonzero((matches.score > review_from) & (matches.index >= 0)), strict=True):
        word = review.get(matches.pair(int(row), int(place))[0])
        if word is not None:
            verdict[row, place] = VERDICTS.index(word)
    return replace(matches, verdict=verdict)


def review_rows(
    matches: NearestMatches, review_from: float
) -> list[tuple[str, str, str, str, int, str, str]]:
    """Lines of the review file: pair, training set, test image, training image, rank, score, verdict; best first."""
    places = np.nonzero((matches.score > review_from) & (matches.index >= 0))
    order = np.lexsort((places[1], places[0], -matches.score[places]))
    lines = []
    for row, place in zip(places[0][order].tolist(), places[1][order].tolist(), strict=True):
        pair, test, trained = matches.pair(row, place)
        known = int(matches.verdict[row, place])
        word = "" if known == NOT_REVIEWED else VERDICTS[known]
        lines.append(
            (pair, matches.name, test, trained, place + 1, f"{float(matches.score[row, place]):z.6f}", word)
        )
    return lines
