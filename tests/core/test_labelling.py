import numpy as np
import pytest

from frtaudit.core.labelling import LEFT_OUT, UNSAID, Faces, Labelled, Labelling, Service
from frtaudit.core.spec_values import LabelSource


def test_faces_stand_by_query() -> None:
    """Starts of each query and the end; faces out of order are refused."""
    faces = Faces(
        names=("a", "b", "c"), query_of=np.array([0, 0, 1]), queries=("p", "q"), annotated=np.ones(3)
    )
    assert faces.starts.tolist() == [0, 2, 3]
    with pytest.raises(ValueError, match="sorted by query"):
        Faces(names=("a", "b"), query_of=np.array([1, 0]), queries=("p", "q"), annotated=np.ones(2))


def test_a_service_gives_a_score_or_fails() -> None:
    """Neither both nor none, and never a face with itself."""
    fine = {"name": "s", "first": np.array([0]), "second": np.array([1]), "codes": ("lost",)}
    assert Service(score=np.array([np.nan]), failure=np.array([0]), **fine).codes == ("lost",)
    with pytest.raises(ValueError, match="a score or a failure"):
        Service(score=np.array([0.5]), failure=np.array([0]), **fine)
    with pytest.raises(ValueError, match="self-comparison"):
        Service(score=np.array([0.5]), failure=np.array([-1]), **(fine | {"second": np.array([0])}))


def test_whose_labels_leave_a_face_out() -> None:
    """Estimated labels by their own; annotation where it says so; combined, what neither says."""
    annotated = np.array([1.0, LEFT_OUT, UNSAID, UNSAID])
    faces = Faces(names=tuple("abcd"), query_of=np.zeros(4, dtype=int), queries=("p",), annotated=annotated)
    estimated = np.array([1, 1, LEFT_OUT, 0])
    labelled = Labelled(
        label=estimated,
        identity=np.zeros(4),
        z=np.zeros((4, 1)),
        reason=("",),
        clusters=np.ones((1, 1), dtype=int),
        modes={},
    )
    expected = {
        LabelSource.ESTIMATED: [False, False, True, False],
        LabelSource.ANNOTATED: [False, True, True, True],
        LabelSource.COMBINED: [False, True, True, False],
    }
    for source, left_out in expected.items():
        made = Labelling(
            faces=faces,
            services=(),
            labelled=labelled,
            source=source,
            sample_of=np.full(4, -1, dtype=np.int32),
        )
        assert made.left_out.tolist() == left_out
