from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from frtaudit.core.cohort import CohortData
from frtaudit.core.scores import Groups, ScoreTable
from frtaudit.core.spec import FailureScore
from frtaudit.datasets.cohorts.scores import ScoreLists
from frtaudit.datasets.protocols.all_pairs import AllPairs
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.datasets.providers.precomputed import Precomputed
from frtaudit.errors import DataError, SpecError
from frtaudit.stats.similarity.allpairs import TailRequest

LINES = (
    "probe,reference,probe_subject,reference_subject,score,failure,provider\n"
    "a1,a2,A,A,0.9,,x\nb1,a1,B,A,0.2,,x\na2,b1,A,B,,no_face,x\na2,a1,A,A,0.8,,y\n"
)


@pytest.fixture
def cohort_data(tmp_path: Path) -> CohortData:
    """Provider x with three lines, y with one of them, the other way round."""
    (tmp_path / "s.csv").write_text(LINES)
    return ScoreLists(root=str(tmp_path / "s.csv")).load({}, 0)


def scores(
    provider: Precomputed, cohort_data: CohortData, failures: FailureScore = FailureScore.APART
) -> ScoreTable:
    return provider.score_table(cohort_data, Listed().comparisons(cohort_data), 0, failures)


def test_scores_come_in_the_order_of_the_comparisons(cohort_data: CohortData) -> None:
    """Each comparison finds its line, whichever way round; one that is not listed failed as not_compared."""
    x, y = scores(Precomputed(name="x"), cohort_data), scores(Precomputed(name="y"), cohort_data)
    assert x.score[:2].tolist() == [0.9, 0.2]
    assert x.codes[x.failure[2]] == "no_face"
    assert y.score[0] == 0.8
    assert [y.codes[code] for code in y.failure[1:]] == ["not_compared"] * 2
    assert Precomputed(name="x").failed(cohort_data, 0) == {}


def test_a_pair_compared_twice_has_its_score_twice(cohort_data: CohortData) -> None:
    """A list of pairs may name one twice, as published lists do; its one score stands at both."""
    wanted = Listed().comparisons(cohort_data)
    twice = np.array([0, 1, 0])
    comparisons = replace(
        wanted, probe=wanted.probe[twice], reference=wanted.reference[twice], mated=wanted.mated[twice]
    )
    found = Precomputed(name="x").score_table(cohort_data, comparisons, 0)
    assert found.score.tolist() == [0.9, 0.2, 0.9]


def test_failures_can_score_the_lowest(cohort_data: CohortData) -> None:
    """With score_zero a failed comparison has the low end of the declared range."""
    provider = Precomputed(name="x", score_range=(-1.0, 1.0))
    assert scores(provider, cohort_data, FailureScore.SCORE_ZERO).score.tolist() == [0.9, 0.2, -1.0]


def test_scores_must_lie_in_the_declared_range(cohort_data: CohortData) -> None:
    """Scores beyond the declared range are counted and refused."""
    with pytest.raises(
        DataError, match=r"provider x: 1 score\(s\) out of the declared range; accepted: 0.5 to 1"
    ):
        scores(Precomputed(name="x", score_range=(0.5, 1.0)), cohort_data)


def test_only_listed_scores_are_there(cohort_data: CohortData) -> None:
    """All pairs and unknown names are refused; so is a range without width."""
    with pytest.raises(SpecError, match="no score list names 'z'; accepted: x, y"):
        scores(Precomputed(name="z"), cohort_data)
    groups = Groups(schemas=(), names=(), of=np.empty((0, 2), np.int32), ranked=())
    with pytest.raises(SpecError, match="holds listed scores only; accepted: protocol=listed"):
        Precomputed(name="x").score_tail(
            cohort_data, AllPairs().comparisons(cohort_data), groups, TailRequest(fmr=0.1), 0
        )
    with pytest.raises(SpecError, match="providers.x.score_range"):
        Precomputed(name="x", score_range=(1.0, 0.0))
