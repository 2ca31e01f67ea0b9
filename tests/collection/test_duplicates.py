"""Images and faces that are left out because another is the same."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from web_pages import photo

from frtaudit.collection.clients.embedding import Network, Thumbnail
from frtaudit.collection.clients.pictures import picture_of
from frtaudit.collection.duplicates import (
    Across,
    Duplicates,
    Embedding,
    FaceBy,
    images_left_out,
    near_duplicates,
    recorded_settings,
    repeated,
    shared,
    sieved,
)
from frtaudit.core.collecting import CallError, Picture, Refusal
from frtaudit.core.plain.structure import build
from frtaudit.errors import ProviderError, SpecError


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcd")), max_size=12).map(sorted))
def test_equal_images_by_counting(rows: list[tuple[int, str]]) -> None:
    """What stays is, of each query, one of each image that no other query has; each left out has one reason."""
    query_of, digests = np.array([q for q, _ in rows], dtype=np.int32), [one for _, one in rows]
    held = Counter(one for _, one in set(rows))
    kept = {row for row in rows if held[row[1]] == 1}
    reasons = sieved(query_of, digests, Duplicates())
    assert [row for row, reason in zip(rows, reasons, strict=True) if not reason] == sorted(kept)
    again = sieved(query_of, digests, Duplicates(across=Across.KEEP))
    assert [row for row, reason in zip(rows, again, strict=True) if not reason] == sorted(set(rows))
    assert repeated(query_of, digests).sum() == len(rows) - len(set(rows))
    assert all(shared(query_of, digests)[n] == (held[one] > 1) for n, one in enumerate(digests))


def test_near_duplicates_leave_the_medoid() -> None:
    """Copies in other sizes are left out but one; others stay; what another reason left out is no candidate."""
    sizes = [(1, 200), (1, 100), (1, 120), (2, 200), (3, 200)]
    vectors = np.stack([Thumbnail().vector(picture_of(photo(seed, side))) for seed, side in sizes])
    gone = near_duplicates(vectors, 0.9)
    assert gone[:3].sum() == 2
    assert not gone[3:].any()
    distinct = np.array([False, True, True, True, True])
    assert near_duplicates(vectors, 0.9, distinct)[1:3].sum() == 1
    assert not near_duplicates(vectors, 0.9, np.zeros(5, dtype=bool)).any()
    assert near_duplicates(vectors[:0], 0.9).size == 0


def test_an_image_has_one_reason() -> None:
    """Equal, under two queries, near: each image once, under the first that holds."""
    near = np.array([False, False, True, True, False])
    reasons = sieved(np.int32([0, 0, 0, 0, 1]), ["a", "a", "b", "c", "c"], Duplicates(), near)
    shared_image = "image_of_several_queries"
    assert reasons == ["", "same_image_in_query", "near_duplicate", shared_image, shared_image]


def test_images_of_a_collection_are_left_out_by_reason() -> None:
    """Equal, shared, near; the first of two equal ones is the candidate; one that cannot be read again stays."""
    small, large, other, shared_one = photo(1, 100), photo(1, 200), photo(2), photo(3)
    held = {1: small, 2: small, 3: large, 4: other, 5: shared_one, 7: shared_one, 8: photo(4)}

    def reread(image: int) -> Picture:
        if image == 6:
            raise CallError(Refusal.TRANSPORT, "timeout")
        return picture_of(held[image])

    images = [(1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 1), (7, 1), (8, 1)]
    expected = {
        2: "same_image_in_query",
        3: "near_duplicate",
        5: "image_of_several_queries",
        7: "image_of_several_queries",
    }
    assert images_left_out(Duplicates(), images, reread) == expected
    without = images_left_out(Duplicates(embedding=Embedding.NONE, across=Across.KEEP), images, reread)
    assert without == {2: "same_image_in_query"}
    assert images_left_out(Duplicates(), [], reread) == {}


@pytest.mark.data
def test_a_cosine_of_09_between_templates_tells_no_duplicates(face_data: Path) -> None:
    """Of 2,000 real dlib templates more than a third would go, all but none of them copies: hence no default."""
    with np.load(face_data / "lfw" / "templates" / "dlib_resnet.npz") as held:
        names = held["image_id"].astype(str)[:2000]
        vectors = held["embedding"][:2000].astype(np.float32)
    who = np.array([name.rsplit("_", 1)[0] for name in names])
    several = [rows for one in np.unique(who) if (rows := np.flatnonzero(who == one)).size > 1]
    gone = sum(int(near_duplicates(vectors[rows], 0.9).sum()) for rows in several)
    assert gone > 0.33 * sum(rows.size for rows in several)
    assert Duplicates().faces is FaceBy.CROPS


def test_settings_say_what_is_compared(tmp_path: Path) -> None:
    """From plain data; the record says the settings and the model's digest."""
    settings = build(Duplicates, {"similarity": 0.95, "across": "keep", "faces": "none"}, "duplicates")
    assert isinstance(settings.embedder(), Thumbnail)
    assert recorded_settings(settings, settings.embedder()) == {
        "across": "keep",
        "embedding": "pixels",
        "faces": "none",
        "similarity": "0.95",
    }
    assert Duplicates(embedding=Embedding.NONE).embedder() is None
    said = recorded_settings(Duplicates(faces=FaceBy.TEMPLATES, template_similarity=0.99), None)
    assert (said["template_similarity"], said["embedding"]) == ("0.99", "none")
    with pytest.raises(ProviderError, match="no file"):
        Duplicates(embedding=Embedding.ONNX, model=str(tmp_path / "m.onnx")).embedder()
    assert Network.__slots__


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"similarity": 1.0}, "duplicates.similarity"),
        ({"embedding": "onnx"}, "duplicates.model"),
        ({"model": "m.onnx"}, "duplicates.model"),
        ({"faces": "templates"}, "duplicates.template_similarity"),
        ({"template_similarity": 0.99}, "duplicates.template_similarity"),
        ({"faces": "templates", "template_similarity": 1.5}, "duplicates.template_similarity"),
    ],
)
def test_settings_that_leave_something_open(settings: dict[str, object], where: str) -> None:
    """A cosine that nothing exceeds, a model without its file, templates without their own number."""
    with pytest.raises(SpecError) as caught:
        build(Duplicates, settings, "duplicates")
    assert str(caught.value).startswith(f"{where}:")
