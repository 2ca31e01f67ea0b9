"""From a collection to the page: its names, its pictures, its boxes."""

import json
from functools import cache
from pathlib import Path
from threading import Thread

import pytest
from browser import tab

from frtaudit.cli import main
from frtaudit.cli.annotate import session
from frtaudit.cli.annotate.questions import to_json
from frtaudit.cli.annotate.server import ReviewState, Server
from frtaudit.cli.annotate.session import Wanted, review_of
from frtaudit.cli.options import label_overrides
from frtaudit.collection.run import collect
from frtaudit.config.load import load_collection, load_spec
from frtaudit.errors import SpecError

WORDS = (
    "collection=demo", "source.queries=3", "source.images=10", "source.wrong=0.2", "source.crowd=0.2",
    "least=2", "canaries.pairs=0", "duplicates.faces=none",
)  # fmt: skip


@cache
def collected(folder: Path, *words: str) -> Path:
    """A small collection."""
    assert collect(load_collection([*WORDS, *words, f"into={folder}"])).complete
    return folder


@pytest.mark.parametrize("kept", [True, False])
def test_pictures_and_names_of_a_collection_reach_the_page(tmp_path: Path, *, kept: bool) -> None:
    """Kept ones from the folder, others again from the source; each has a box, each query its name of the list."""
    folder = collected(tmp_path / "c", *(["keep_images=true"] if kept else []))
    names = tmp_path / "names.csv"
    names.write_text("name\nAda\nBo\nCy\n")
    source = None if kept else load_collection([*WORDS, "into=."]).source
    spec = load_spec(label_overrides([str(folder)]))
    review = review_of(spec, Wanted(names=names, source=source))
    faces = [question.face for sheet in review.sheets for question in sheet.questions]
    pictures = [review.pictures.read(face) for face in faces]
    assert len(faces) >= 15
    assert all(picture is not None and picture.kind == "image/png" for picture in pictures)
    shown = to_json(review.sheets, review.faces, review.pictures.names, {}, review.names, review.boxes)
    for sheet in shown["sheets"]:  # type: ignore[union-attr]
        assert sheet["query"] in {"Ada", "Bo", "Cy"}  # type: ignore[index,call-overload]
        assert all(face["picture"] and len(face["box"]) == 4 for face in sheet["faces"])  # type: ignore[index,call-overload,union-attr]
    if not kept:
        assert all(picture is None for picture in map(review_of(spec).pictures.read, faces))


def test_pictures_are_fetched_by_the_words_of_a_source_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``label --fetch`` asks no service, and needs none."""
    reviews: list[ReviewState] = []
    monkeypatch.setattr(session, "serve_review", lambda review, *_: reviews.append(review))
    words = [word for word in WORDS if word.startswith("source.")]
    fetch = [
        word for source in ("source=made_up", "source.variation=0.65", *words) for word in ("--fetch", source)
    ]
    assert main.main(["label", str(collected(tmp_path / "c")), *fetch]) == 0
    (review,) = reviews
    faces = [question.face for sheet in review.sheets for question in sheet.questions]
    assert all(review.pictures.read(face) is not None for face in faces)


def test_a_paid_search_is_not_paid_again(tmp_path: Path) -> None:
    """Its pictures are those that were kept."""
    names = tmp_path / "names.csv"
    names.write_text("name\nAda\n")
    words = [
        "source=image_search",
        f"source.names={names}",
        "source.price=0.1",
        "services.a.type=made_up",
        "into=.",
    ]
    source = load_collection(words).source
    folder = collected(tmp_path / "c")
    with pytest.raises(SpecError, match=r"^--fetch: a source that is paid"):
        review_of(load_spec(label_overrides([str(folder)])), Wanted(source=source))


def test_faces_are_shown_framed_or_cut_out(tmp_path: Path) -> None:
    """The whole picture at first, as wide as it is high or wider; with C the face with half its size around it."""
    folder = collected(tmp_path / "c", "keep_images=true")
    review = review_of(load_spec(label_overrides([str(folder)])))
    sizes = "JSON.stringify([...document.querySelectorAll('canvas')].map(each => [each.width, each.height]))"
    decoded = (
        "new Promise(done => { const ask = setInterval(() => { const drawn = document.querySelectorAll('canvas');"
        " if (drawn.length && [...drawn].every(each => each.width !== 300)) { clearInterval(ask); done(drawn.length); }"
        " }, 20); })"
    )
    with tab(tmp_path / "profile") as page, Server(review) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        page.visit(server.address)
        assert page.run(decoded) > 0
        whole = json.loads(str(page.run(sizes)))
        page.press("c")
        assert page.run("document.getElementById('status').textContent") == "Faces cut out of their pictures."
        cut = json.loads(str(page.run(sizes)))
        assert len(whole) == len(cut) == len(review.sheets[0].questions)
        assert all(width > height for width, height in whole)
        assert all(size == [320, 320] for size in cut)
        server.shutdown()
