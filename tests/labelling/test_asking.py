import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.labelling import Faces, Labelled
from frtaudit.labelling.asking import asking, consolidated

TAU = 0.2


def search(seed: int, services: int = 3) -> tuple[Faces, Labelled]:
    """A labelled search at random: some queries left out, some faces that a service gave no scores, some answers."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, 7)
    query = np.repeat(np.arange(7), sizes).astype(np.int32)
    n = query.size
    left = rng.random(7) < 0.4
    z = np.round(rng.uniform(-0.1, 1.1, (n, services)), 1)
    label = np.where(left[query], -1, (np.median(z, axis=1) > TAU).astype(int))
    lost = rng.random(n) < 0.1
    z[lost], label[lost] = np.nan, -1
    faces = Faces(
        names=tuple(f"f{row:03d}" for row in range(n)),
        query_of=query,
        queries=tuple(f"q{q}" for q in range(7)),
        annotated=rng.choice([-2, -2, -2, 0, 1], n).astype(np.int8),
    )
    labelled = Labelled(
        label=label.astype(np.int8),
        identity=np.where(label == 1, 0, -1).astype(np.int32),
        z=z,
        reason=tuple("several" if out else "" for out in left),
        clusters=np.ones((7, services), dtype=np.int32),
        modes={},
    )
    return faces, labelled


@given(seed=st.integers(0, 10_000))
def test_the_order_is_left_out_first_then_most_ambiguous(seed: int) -> None:
    """Every face without an answer once; those left out at the front, query by query; the others by rising distance."""
    faces, labelled = search(seed)
    found = asking(faces, labelled, TAU)
    assert sorted(found.order.tolist()) == np.flatnonzero(faces.annotated == -2).tolist()
    front, rest = found.order[: found.left_out], found.order[found.left_out :]
    assert (labelled.label[front] == -1).all()
    assert (labelled.label[rest] >= 0).all()
    assert (np.diff(found.distance[found.left_out :]) >= 0).all()
    query = faces.query_of[front]
    assert np.count_nonzero(np.diff(query)) == max(np.unique(query).size - 1, 0)
    missing = [int((query == q).sum()) for q in dict.fromkeys(query.tolist())]
    assert missing == sorted(missing, reverse=True)
    assert np.allclose(found.distance, np.abs(consolidated(labelled)[found.order] - TAU), equal_nan=True)


@given(seed=st.integers(0, 10_000), services=st.integers(1, 5), turn=st.randoms())
def test_the_order_of_services_changes_nothing(seed: int, services: int, turn: object) -> None:
    """The services' columns in any order give the same faces in the same order."""
    faces, labelled = search(seed, services)
    columns = list(range(services))
    turn.shuffle(columns)  # type: ignore[attr-defined]
    other = Labelled(
        label=labelled.label, identity=labelled.identity, z=labelled.z[:, columns], reason=labelled.reason,
        clusters=labelled.clusters, modes={},
    )  # fmt: skip
    assert asking(faces, other, TAU).order.tolist() == asking(faces, labelled, TAU).order.tolist()


def test_a_face_that_no_service_saw_comes_last_of_its_query() -> None:
    """Without z there is no distance; the face is asked too."""
    faces = Faces(names=("a", "b"), query_of=np.int32([0, 0]), queries=("p",), annotated=np.int8([-2, -2]))
    labelled = Labelled(
        label=np.int8([-1, -1]), identity=np.int32([-1, -1]), z=np.array([[np.nan], [0.9]]), reason=("none",),
        clusters=np.int32([[0]]), modes={},
    )  # fmt: skip
    assert asking(faces, labelled, TAU).order.tolist() == [1, 0]
