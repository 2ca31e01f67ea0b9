"""dlib on photos: detection, one person's scores above two persons', the same each time, from several threads."""

import io
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from face_photos import MIN_FACES, PERSONS, at_least, photos
from PIL import Image, ImageOps

from frtaudit.collection.clients import dlib_faces
from frtaudit.collection.clients.gate import Budget, BudgetError, RateLimiter
from frtaudit.collection.clients.pictures import picture_of
from frtaudit.collection.clients.protocol import Limits
from frtaudit.collection.services.dlib import Dlib
from frtaudit.core.collecting import CallError, Crop, Detection, Picture
from frtaudit.core.identity import plugin, plugin_plain
from frtaudit.core.labelling import OF_QUERY
from frtaudit.datasets.cohorts.queries import Queries
from frtaudit.errors import SpecError

pytestmark = pytest.mark.slow

pytest.importorskip("dlib")

QUICK = Dlib(upsample=0)  # faces of 80 pixels and more


def gate(limit: Fraction | None = None) -> RateLimiter:
    """A gate that lets everything through, or as much as ``limit`` pays."""
    return RateLimiter(limits=Limits(detect=1.0, compare=1.0), budget=Budget(limit=limit))


def small(data: bytes) -> Picture:
    """The photo with sides of at most 600 pixels, which HOG reads in a tenth of a second."""
    with Image.open(io.BytesIO(data)) as opened:
        image = ImageOps.contain(ImageOps.exif_transpose(opened).convert("RGB"), (600, 600))
    stream = io.BytesIO()
    image.save(stream, format="PNG")
    return picture_of(stream.getvalue())


@pytest.fixture(scope="module")
def pictures() -> dict[str, list[Picture]]:
    """Eight pictures of each of two persons, copies among them."""
    return {person: [small(one) for one in at_least(files)] for person, files in photos().items()}


@pytest.fixture(scope="module")
def detected(pictures: dict[str, list[Picture]]) -> dict[str, list[Detection]]:
    """What dlib sees in them, from four threads at once."""
    session = QUICK.open(gate())
    with ThreadPoolExecutor(4) as pool:
        return {person: list(pool.map(session.detect, files)) for person, files in pictures.items()}


def crops(pictures: list[Picture], detected: list[Detection]) -> list[Crop]:
    """One crop for each picture with one face."""
    return [
        Crop(picture=one, face=found.faces[0])
        for one, found in zip(pictures, detected, strict=True)
        if len(found.faces) == 1
    ]


def test_a_face_is_found_in_every_photo_and_copy(
    pictures: dict[str, list[Picture]], detected: dict[str, list[Detection]]
) -> None:
    """Of each person one face in each of at least 8 pictures, of different bytes, with box and confidence."""
    for person, found in detected.items():
        assert len({one.digest for one in pictures[person]}) == len(found) >= MIN_FACES
        assert [len(one.faces) for one in found] == [1] * len(found)
        assert all(one.faces[0].facts["confidence"] > 0 for one in found)


def test_one_person_scores_above_two_persons(
    pictures: dict[str, list[Picture]], detected: dict[str, list[Detection]]
) -> None:
    """The lowest score of one person is above the highest of both, in the range, alike both ways round."""
    session, ours = QUICK.open(gate()), {p: crops(pictures[p], detected[p]) for p in pictures}
    mated = [session.compare(x, y).score for one in ours.values() for x, y in combinations(one, 2)]
    non_mated = [session.compare(x, y).score for x in ours["a"] for y in ours["b"]]
    low, high = Dlib().score_range
    assert low <= min(non_mated) <= max(non_mated) < min(mated) <= max(mated) <= high
    x, y = ours["a"][0], ours["b"][0]
    assert session.compare(x, y) == session.compare(y, x)
    assert session.compare(x, x).score == 1.0


def test_stored_scores_of_two_names_are_read_as_two_persons(
    pictures: dict[str, list[Picture]], detected: dict[str, list[Detection]], tmp_path: Path
) -> None:
    """Every pair's score in the layout of a collection's export: each face is labelled as its query's person."""
    session, ours = QUICK.open(gate()), [x for p in pictures for x in crops(pictures[p], detected[p])]
    names = [one.picture.digest for one in ours]
    pairs = list(combinations(range(len(ours)), 2))
    queries = [p for p in pictures for _ in crops(pictures[p], detected[p])]
    pq.write_table(pa.table({"face_id": names, "query": queries}), tmp_path / "faces.parquet")
    sides = [pa.array([names[pair[side]] for pair in pairs]).dictionary_encode() for side in (0, 1)]
    scores = pa.array([session.compare(ours[i], ours[j]).score for i, j in pairs])
    table = pa.table([*sides, scores], names=["probe", "reference", "score"])
    pq.write_table(table, tmp_path / "dlib.parquet")
    made = Queries(root=str(tmp_path), faces="faces.parquet").load({}, 0)
    assert made.cohort.n_samples == len(ours) == 2 * MIN_FACES
    assert made.cohort.n_subjects == len(PERSONS)
    assert made.labelling.labelled.label.tolist() == [OF_QUERY] * len(ours)
    comparisons, held = made.tables["dlib"]
    assert held.score[comparisons.mated].min() > held.score[~comparisons.mated].max()


def test_another_session_gives_the_same_scores_with_and_without_what_was_seen(
    pictures: dict[str, list[Picture]], detected: dict[str, list[Detection]]
) -> None:
    """A new session, one thread, detecting by comparing or from the box alone: the same score to the last bit."""
    session = QUICK.open(gate())
    x, y = (crops(pictures[p], detected[p])[0] for p in ("a", "b"))
    first = QUICK.open(gate()).compare(x, y)
    box = Crop(picture=x.picture, face=type(x.face)(box=x.face.box))
    assert session.compare(Crop(picture=x.picture), Crop(picture=y.picture)) == first
    if float(x.face.box.x).is_integer():  # a box of the picture's own pixels
        assert session.compare(box, y) == first


def test_several_faces_are_told_one_by_one_and_none_is_an_answer(
    pictures: dict[str, list[Picture]], detected: dict[str, list[Detection]]
) -> None:
    """Two persons in one picture: two faces from the left, each alike its own; a grey one: none, and no_face."""
    session = QUICK.open(gate())
    images = [Image.open(io.BytesIO(pictures[p][0].data)) for p in ("a", "b")]
    both = Image.new("RGB", (sum(image.width for image in images), max(image.height for image in images)))
    both.paste(images[0], (0, 0))
    both.paste(images[1], (images[0].width, 0))
    found = session.detect(_png(both))
    assert len(found.faces) == 2
    left, right = (Crop(picture=_png(both), face=face) for face in found.faces)
    a, b = (crops(pictures[p], detected[p])[0] for p in ("a", "b"))
    assert session.compare(left, a).score > 0.8
    assert session.compare(right, a).score < 0.4
    assert session.compare(right, b).score > 0.8
    grey = _png(Image.new("RGB", (200, 200), "grey"))
    assert session.detect(grey).faces == ()
    with pytest.raises(CallError, match="failure_to_acquire: no_face"):
        session.compare(Crop(picture=grey), a)


def _png(image: Image.Image) -> Picture:
    stream = io.BytesIO()
    image.save(stream, format="PNG")
    return picture_of(stream.getvalue())


def test_a_picture_of_one_pixel_has_no_face() -> None:
    """Nothing breaks on the least of pictures."""
    assert QUICK.open(gate()).detect(_png(Image.new("RGB", (1, 1)))).faces == ()


def test_68_landmarks_are_another_model_with_another_score(
    pictures: dict[str, list[Picture]], detected: dict[str, list[Detection]]
) -> None:
    """The digests differ, and so does the descriptor; one person is one person still."""
    many, few = Dlib(landmarks=68, upsample=0), QUICK
    assert set(many.recorded_settings()) ^ set(few.recorded_settings()) == {
        f"sha256 of shape_predictor_{n}_face_landmarks.dat" for n in (5, 68)
    }
    session = many.open(gate())
    x, y = (Crop(picture=one.picture) for one in crops(pictures["a"], detected["a"])[:2])
    score = session.compare(x, y).score
    assert score > 0.4
    assert score != few.open(gate()).compare(x, y).score


def test_asked_tells_package_settings_and_digests() -> None:
    """Everything that decides an answer is told as text; a changed setting changes it."""
    asked = Dlib().recorded_settings()
    assert asked["package"].startswith("dlib-bin ")
    assert asked["jitters"] == "0"
    assert sum("sha256 of" in key and len(value) == 64 for key, value in asked.items()) == 2
    assert Dlib(upsample=0).recorded_settings() != asked


def test_the_gate_stands_before_each_call(pictures: dict[str, list[Picture]]) -> None:
    """With a budget of one call, the second is not made."""
    session = QUICK.open(gate(Fraction(1)))
    session.detect(pictures["a"][0])
    with pytest.raises(BudgetError):
        session.detect(pictures["a"][0])


def test_a_spec_names_it_strictly() -> None:
    """Plain data to a service and back; three landmarks are refused in one line."""
    made = plugin("service", {"type": "dlib", "landmarks": 68, "detector": "cnn"}, "services.x")
    assert made == Dlib(landmarks=68, detector=dlib_faces.Finder.CNN)
    assert plugin_plain("service", made)["landmarks"] == 68
    with pytest.raises(SpecError, match=r"services.x.landmarks: found 3 .*accepted: 5, 68"):
        plugin("service", {"type": "dlib", "landmarks": 3}, "services.x")
    with pytest.raises(SpecError, match="longest"):
        plugin("service", {"type": "dlib", "longest": 1}, "services.x")
