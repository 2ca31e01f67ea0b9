from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from frtaudit.core.cohort import CohortData
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import NonMated
from frtaudit.datasets.cohorts.scores import ScoreLists
from frtaudit.datasets.cohorts.synthetic import Synthetic, SyntheticClass
from frtaudit.datasets.cohorts.templates import TemplateFolder
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.errors import DataError

PAIRS = "probe,reference\nsubject_1_0000,subject_1_0001\nsubject_0_0000,subject_1_0000\nsubject_0_0000,subject_3_0000\n"


def cohort_data() -> CohortData:
    """Four subjects of three samples, classes a a b b."""
    cohort = Synthetic(subjects=4, classes={"a": SyntheticClass(), "b": SyntheticClass()})
    return cohort.load({"g": SchemaSpec(column="group")}, 0)


def test_a_file_goes_before_the_cohort(tmp_path: Path) -> None:
    """The protocol's own file is read first, then the cohort's list."""
    (tmp_path / "p.csv").write_text(PAIRS)
    (tmp_path / "q.csv").write_text("probe,reference\nsubject_0_0000,subject_0_0001\n")
    own = replace(cohort_data(), pairs=tmp_path / "q.csv")
    found = Listed(file=str(tmp_path / "p.csv")).comparisons(own)
    assert found.probe.tolist() == [3, 0, 0]
    assert found.mated.tolist() == [True, False, False]
    assert Listed().comparisons(own).n_listed == 1


def test_non_mated_lines_outside_a_group_are_not_compared(tmp_path: Path) -> None:
    """Within a group only the mated line and the one inside a class remain."""
    (tmp_path / "p.csv").write_text(PAIRS)
    rule = Listed(file=str(tmp_path / "p.csv"), non_mated=NonMated.WITHIN_GROUP)
    assert rule.comparisons(cohort_data()).reference.tolist() == [4, 3]


def test_there_must_be_a_list(tmp_path: Path) -> None:
    """No list anywhere, or a declared one that is not there, is refused."""
    with pytest.raises(DataError, match="the cohort holds no list of pairs; accepted: protocol.file"):
        Listed().comparisons(cohort_data())
    with pytest.raises(DataError, match="p.csv: no file"):
        Listed(file=str(tmp_path / "p.csv")).comparisons(cohort_data())


HEAD = "probe,reference,probe_subject,reference_subject,score,provider\n"


def lists(tmp_path: Path, lines: str) -> CohortData:
    (tmp_path / "s.csv").write_text(HEAD + lines)
    return ScoreLists(root=str(tmp_path / "s.csv")).load({}, 0)


def test_score_lists_are_their_own_list(tmp_path: Path) -> None:
    """The lines of one provider come in their order."""
    found = Listed().comparisons(lists(tmp_path, "a2,a1,A,A,1,x\na1,b1,A,B,0,x\n"))
    assert (found.probe.tolist(), found.reference.tolist()) == ([1, 0], [0, 2])


def test_providers_are_compared_on_the_union(tmp_path: Path) -> None:
    """Lines that a further provider adds come after; the order within a pair is respected."""
    found = Listed().comparisons(
        lists(tmp_path, "a1,a2,A,A,1,x\na1,b1,A,B,0,x\nb1,a1,B,A,0,y\na2,b1,A,B,0,y\n")
    )
    assert list(zip(found.probe.tolist(), found.reference.tolist(), strict=True)) == [
        (0, 1),
        (0, 2),
        (1, 2),
    ]
    assert not found.ordered


def test_an_ordered_list_keeps_both_orders(tmp_path: Path) -> None:
    """Where one provider lists a pair in both orders, both are compared."""
    found = Listed().comparisons(
        lists(tmp_path, "a1,a2,A,A,1,x\na2,a1,A,A,1,x\na1,a2,A,A,0,y\na1,b1,A,B,0,y\n")
    )
    assert found.ordered
    assert found.n_listed == 3


@pytest.mark.data
def test_official_pairs_of_lfw(face_data: Path) -> None:
    """LFW's View 2: ten folds of 300 mated and 300 non-mated pairs."""
    found = Listed().comparisons(TemplateFolder(root=str(face_data / "lfw")).load({}, 0))
    assert found.fold is not None
    counts = np.zeros((10, 2), dtype=np.int64)
    np.add.at(counts, (found.fold, found.mated.astype(np.int64)), 1)
    assert counts.tolist() == [[300, 300]] * 10
