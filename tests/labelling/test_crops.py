"""What each service said of its own crops of the faces that stay; a web search read from files."""

from pathlib import Path

import boxed_search
import numpy as np
import pytest

from frtaudit.core import CohortData
from frtaudit.datasets.cohorts.queries import Queries
from frtaudit.errors import DataError, SpecError
from frtaudit.labelling.settings import Detected


def load(folder: Path, **asked: object) -> CohortData:
    """The material of a folder."""
    return Queries(root=str(folder), **asked).load({}, 1)


def labels(made: CohortData) -> dict[str, int]:
    """Face to label."""
    assert made.labelling is not None
    return dict(zip(made.labelling.faces.names, made.labelling.labelled.label.tolist(), strict=True))


def counts(made: CohortData) -> dict[tuple[str, str | None], int]:
    """Failures and exclusions: code and provider to count."""
    return {(entry.code, entry.provider): entry.count for entry in made.cohort.ledger}


def test_own_crops_under_own_names_change_no_label(tmp_path: Path) -> None:
    """Two services that name their crops as they like, joined by boxes, give the labels of images under one name."""
    plain = load(boxed_search.write(tmp_path / "plain"))
    joined = load(boxed_search.write(tmp_path / "boxes", boxed_search.usual_boxes()), boxes="boxes.csv")
    assert labels(joined) == labels(plain)
    for name in boxed_search.SERVICES:
        assert np.array_equal(np.sort(joined.tables[name][1].score), np.sort(plain.tables[name][1].score))
    assert {0, 1} <= set(labels(plain).values())


def test_the_order_of_lines_and_the_names_of_services_change_no_label(tmp_path: Path) -> None:
    """Every file shuffled and the services renamed so that their order turns round: the same label of every face."""
    boxes = [*boxed_search.usual_boxes(), ("face_000003", "acme", "extra", 300.0, 5.0, 30.0, 30.0)]
    usual = load(boxed_search.write(tmp_path / "a", boxes, several=["face_000010"]), boxes="boxes.csv")
    turned = boxed_search.write(
        tmp_path / "b",
        boxes,
        several=["face_000010"],
        rename={"acme": "zeta", "crest": "able"},
        rng=np.random.default_rng(3),
    )
    assert labels(load(turned, boxes="boxes.csv")) == labels(usual)
    assert "face_000003" not in labels(usual)
    assert "face_000010" not in labels(usual)


def test_one_service_fails_on_half_the_faces(tmp_path: Path) -> None:
    """A service that finds no face in every other image halves what is tested, and the failures name it."""
    boxes = [box for k, box in enumerate(boxed_search.usual_boxes()) if box[1] == "acme" or k % 4 == 1]
    made = load(boxed_search.write(tmp_path, boxes), boxes="boxes.csv", labels=_lenient())
    images = len(boxed_search.search().faces.names)
    left = counts(made)
    assert left["no_face_found", "bolt"] == left["image_left_out", None] == images // 2
    assert len(labels(made)) == images - images // 2
    assert left["comparison_of_face_left_out", "acme"] > 0
    assert ("no_face_found", "acme") not in left


def _lenient() -> object:
    from frtaudit.core.spec_values import Limits
    from frtaudit.labelling.settings import How

    return How(limits=Limits(min_faces=4, min_positives=2))


def test_all_faces_of_an_image_are_named_and_annotated_apart(tmp_path: Path) -> None:
    """A second face that all services find is a face of its own, and the image's answer is said of neither."""
    made = boxed_search.search()
    shown = made.faces.names[int(np.flatnonzero(made.faces.annotated == 1)[0])]
    boxes = boxed_search.usual_boxes()
    boxes += [(shown, name, f"{name}+", 200.0, 20.0, 40.0, 40.0) for name in boxed_search.BOXED]
    folder = boxed_search.write(tmp_path, boxes)
    (folder / "crest.csv").unlink()
    found = load(folder, boxes="boxes.csv", detected=Detected.ALL)
    assert {f"{shown}/1", f"{shown}/2"} < set(labels(found))
    assert counts(found)["annotation_of_several_faces", None] == 2
    assert labels(found)[f"{shown}/2"] == -1  # nobody scored it


def test_each_face_has_the_size_of_its_boxes(tmp_path: Path) -> None:
    """The harmonic mean of the sides, of the services that drew boxes, whatever the order of lines and faces."""
    rng = np.random.default_rng(8)
    boxes = [(*box[:5], *rng.uniform(20, 200, 2).tolist()) for box in boxed_search.usual_boxes()]
    sides = {(box[1], box[0]): box[5:] for box in boxes}
    made = load(boxed_search.write(tmp_path, boxes, rng=rng), boxes="boxes.csv").labelling
    assert made is not None
    assert set(made.size_of) == set(boxed_search.BOXED)
    for name, size in made.size_of.items():
        wanted = [2 / sum(1 / side for side in sides[name, face]) for face in made.faces.names]
        assert size.tolist() == pytest.approx(wanted)


def test_near_duplicates_leave_one_each(tmp_path: Path) -> None:
    """Of three images of one query with all but the same embedding the medoid stays; exclusions count the others."""
    folder = boxed_search.write(tmp_path)
    names = boxed_search.search().faces.names
    vectors = np.random.default_rng(1).standard_normal((len(names), 32)).astype(np.float32)
    vectors[1] = vectors[0] + 0.1 * vectors[5]
    vectors[2] = vectors[0] - 0.1 * vectors[5]
    np.savez(folder / "pictures.npz", image_id=np.array(names[:-2]), embedding=vectors[:-2])
    made = load(folder, duplicates="pictures.npz")
    assert set(names) - set(labels(made)) == {names[1], names[2]}
    left = counts(made)
    assert left["near_duplicate", None] == 2
    assert left["image_without_embedding", None] == 2
    assert "pictures.npz" in made.inputs


def test_a_list_that_names_another_providers_face_is_refused(tmp_path: Path) -> None:
    """Scores of a face that a service's boxes lack name file and line."""
    folder = boxed_search.write(tmp_path, boxed_search.usual_boxes())
    held = (folder / "bolt.csv").read_text().splitlines()
    held[4] = "a0000,b0001,50,"
    (folder / "bolt.csv").write_text("\n".join(held) + "\n")
    with pytest.raises(DataError, match=r"bolt.csv line 5: a face that the list of boxes lacks"):
        load(folder, boxes="boxes.csv")


def test_nothing_left_is_said(tmp_path: Path) -> None:
    """Where no image has one face by every service the error says so."""
    boxes = [box for box in boxed_search.usual_boxes() if box[1] == "acme"]
    boxes.append(("face_000000", "bolt", "b0000", 500.0, 500.0, 10.0, 10.0))
    folder = boxed_search.write(tmp_path, boxes)
    boxed_search.lines(folder / "bolt.csv", ("probe", "reference", "score"), [("b0000", "b0000", 1)])
    with pytest.raises(DataError, match="none of .* images has a face that every service found"):
        load(folder, boxes="boxes.csv")


def test_settings_that_cannot_be_are_refused() -> None:
    """All faces without boxes, and a cosine that nothing exceeds, are refused at once."""
    with pytest.raises(SpecError, match="no boxes"):
        Queries(root="x", detected=Detected.ALL)
    with pytest.raises(SpecError, match="similarity"):
        Queries(root="x", similarity=1.0)
