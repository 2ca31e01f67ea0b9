from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from frtaudit.core.cohort import CohortData
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.scores import Groups, ScoreTable, ScoreTail
from frtaudit.core.spec import FailureScore
from frtaudit.datasets.cohorts.synthetic import Synthetic, SyntheticSystem
from frtaudit.datasets.cohorts.templates import TemplateFolder
from frtaudit.datasets.protocols.all_pairs import AllPairs
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.datasets.providers.cosine import Cosine, Metric
from frtaudit.errors import SpecError
from frtaudit.stats.similarity.allpairs import TailRequest

REQUEST = TailRequest(fmr=0.1, threads=1)


def cohort_data() -> CohortData:
    """Twelve subjects of three samples; system y loses some."""
    systems = {"x": SyntheticSystem(), "y": SyntheticSystem(noise=0.3, failure_rate=0.2)}
    return Synthetic(subjects=12, dimension=8, systems=systems).load({}, 7)


def no_groups(cohort_data: CohortData) -> Groups:
    return Groups(schemas=(), names=(), of=np.empty((0, cohort_data.cohort.n_subjects), np.int32), ranked=())


def everything(cohort_data: CohortData) -> Comparisons:
    """All pairs, listed."""
    probe, reference = (side.astype(np.int32) for side in np.triu_indices(cohort_data.cohort.n_samples, k=1))
    of = cohort_data.cohort.subject_of
    return Comparisons(
        all_pairs=False, probe=probe, reference=reference, mated=of[probe] == of[reference],
        cells=np.zeros(cohort_data.cohort.n_subjects, np.int32),
    )  # fmt: skip


def tail(provider: Cosine, failures: FailureScore = FailureScore.APART) -> ScoreTail:
    comparisons = AllPairs().comparisons(cohort_data())
    groups = no_groups(cohort_data())
    return provider.score_tail(cohort_data(), comparisons, groups, REQUEST, 0, failures).tail


def table(provider: Cosine, failures: FailureScore = FailureScore.APART) -> ScoreTable:
    return provider.score_table(cohort_data(), everything(cohort_data()), 0, failures)


@pytest.mark.parametrize("failures", FailureScore)
@pytest.mark.parametrize("metric", Metric)
@pytest.mark.parametrize("name", ["x", "y"])
def test_all_pairs_and_listed_pairs_score_alike(name: str, metric: Metric, failures: FailureScore) -> None:
    """The tail and mated scores of all pairs are the scores of the same pairs when listed, failures included."""
    provider = Cosine(name=name, metric=metric)
    whole, listed, pairs = tail(provider, failures), table(provider, failures), everything(cohort_data())
    score = {
        (i, j): s
        for i, j, s in zip(pairs.probe, pairs.reference, listed.score, strict=True)
        if np.isfinite(s)
    }
    for first, second, scores in (
        (whole.mated_i, whole.mated_j, whole.mated_score),
        (whole.tail_i, whole.tail_j, whole.tail_score),
    ):
        ends = np.sort(np.stack([whole.rows[first], whole.rows[second]]), axis=0)
        assert np.allclose([score[i, j] for i, j in ends.T.tolist()], scores, rtol=0, atol=2e-7)
    assert whole.mated_score.size == np.isfinite(listed.score[pairs.mated]).sum()
    assert whole.histogram.sum() == np.isfinite(listed.score[~pairs.mated]).sum()
    assert whole.score_range == provider.score_range


def test_cosine_is_the_cosine() -> None:
    """A listed score is the dot product of the normalised vectors, and -|a - b|^2 for the other metric."""
    vectors = cohort_data().templates["x"]().vectors.astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    pairs = everything(cohort_data())
    a, b = vectors[pairs.probe], vectors[pairs.reference]
    assert np.allclose(table(Cosine(name="x")).score, np.sum(a * b, axis=1), atol=1e-7)
    squared = -np.sum((a - b) ** 2, axis=1)
    assert np.allclose(
        table(Cosine(name="z", templates="x", metric=Metric.EUCLIDEAN)).score, squared, atol=1e-6
    )


def test_failures_have_their_codes() -> None:
    """A pair with a failed sample has that sample's code and no score; all pairs lose the sample."""
    failed = Cosine(name="y").failed(cohort_data(), 0)
    listed, pairs = table(Cosine(name="y")), everything(cohort_data())
    hit = np.isin(pairs.probe, list(failed)) | np.isin(pairs.reference, list(failed))
    assert hit.any()
    assert np.array_equal(listed.failure >= 0, hit)
    assert listed.codes == ("synthetic_failure",)
    assert sorted([*tail(Cosine(name="y")).rows.tolist(), *failed]) == list(range(36))
    assert tail(Cosine(name="y"), FailureScore.SCORE_ZERO).rows.size == 36


def test_unknown_templates_are_named() -> None:
    """A stem that the cohort does not hold is refused with those there."""
    with pytest.raises(SpecError, match="the cohort holds no templates named 'z'; accepted: x, y"):
        table(Cosine(name="z"))


def test_recommended_thresholds_lie_in_the_range() -> None:
    """A vendor's threshold out of the metric's range is a usage error."""
    assert Cosine(name="x", recommended={"strict": 0.4}, thresholds_version="1").recommended == {
        "strict": 0.4
    }
    with pytest.raises(SpecError, match="threshold 0.4 out of range; accepted: -4 to 0"):
        Cosine(name="x", metric=Metric.EUCLIDEAN, recommended={"strict": 0.4})


@pytest.mark.data
def test_scores_of_official_pairs_are_the_published_ones(face_data: Path) -> None:
    """LFW's 6,000 pairs: our cosines are those of pairs_scores.csv to its six decimals, failures at the same pairs."""
    lfw = TemplateFolder(root=str(face_data / "lfw")).load({}, 0)
    comparisons = Listed().comparisons(lfw)
    published = pd.read_csv(face_data / "lfw" / "pairs_scores.csv")
    for name in lfw.templates:
        found = Cosine(name=name).score_table(lfw, comparisons, 0)
        assert np.allclose(found.score, published[name], rtol=0, atol=2e-6, equal_nan=True)
