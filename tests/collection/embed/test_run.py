"""From images to the folder that an audit reads; tests also engine, block, processes and folder."""

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import killed_embed
import numpy as np
import pytest
from face_photos import photos
from PIL import Image
from small_models import embedding_model

from frtaudit.collection.clients.face_finding import FoundFace
from frtaudit.collection.embed import processes
from frtaudit.collection.embed.align import similarity, warped
from frtaudit.collection.embed.face_detector import Gives
from frtaudit.collection.embed.run import embed
from frtaudit.collection.embed.spec import Several
from frtaudit.config.load import load_embedding
from frtaudit.core import registry
from frtaudit.core.canonical import sha256_file
from frtaudit.core.collecting import Box
from frtaudit.core.spec import SchemaSpec
from frtaudit.datasets.cohorts.templates import TemplateFolder
from frtaudit.errors import FrtauditError
from frtaudit.testing.photographs import LANDMARKS, Photographs

pytest.importorskip("onnxruntime")
TESTS = Path(__file__).resolve().parents[2]
FILES = ["failures.csv", "metadata.csv", "templates/drawn.json", "templates/drawn.npz"]
DRAWN = Photographs(people=43, images=3, faceless=60)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of drawn photographs."""
    return DRAWN.write(tmp_path_factory.mktemp("drawn")).parent


@pytest.fixture(scope="module")
def whole(drawn: Path) -> Path:
    """What came of them without a pause, in this process."""
    into = drawn / "whole"
    embed(load_embedding(killed_embed.words(drawn, into, 1)))
    return into


def files(into: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {str(path.relative_to(into)): path.read_bytes() for path in into.rglob("*") if path.is_file()}


def test_an_audit_reads_what_was_made(drawn: Path, whole: Path) -> None:
    """Every image has a template or a stated failure; people, columns and the record are there; no image is."""
    schema = SchemaSpec(column="group", classes=("amber", "birch", "cedar"))
    read = TemplateFolder(root=str(whole)).load({"group": schema}, 0)
    assert (read.cohort.n_samples, read.cohort.n_subjects) == (129, 43)
    lost = {read.cohort.sample_ids[row]: code for row, code in read.failures["drawn"].items()}
    assert lost == {
        "person000/1.jpg": "unreadable_image",
        "person019/2.jpg": "no_face",
        "person039/2.jpg": "no_face",
    }
    templates = read.templates["drawn"]()
    assert templates.vectors.shape == (126, 588)
    assert read.made["drawn"]["settings"]["sha256 of the model"] == sha256_file(drawn / "drawn.onnx")
    assert read.made["drawn"]["settings"]["preset"] == "arcface_rgb_127.5"
    assert read.made["drawn"]["failures"] == {"no_face": 2, "unreadable_image": 1}
    assert read.inputs["templates/drawn.json"] == sha256_file(whole / "templates" / "drawn.json")
    assert sorted(files(whole)) == [
        "failures.csv",
        "metadata.csv",
        "templates/drawn.json",
        "templates/drawn.npz",
    ]
    assert str(drawn) not in (whole / "templates" / "drawn.json").read_text()


def test_a_template_is_the_models_output_of_the_aligned_face(drawn: Path, whole: Path) -> None:
    """One image aligned, scaled and averaged by NumPy: the row of the file, to 1e-5."""
    with (drawn / "photographs.csv").open() as stream:
        line = list(csv.DictReader(stream))[7]
    points = np.array([[float(line[f"{axis}{number}"]) for axis in "xy"] for number in range(1, 6)])
    image = np.asarray(Image.open(drawn / line["image"]).convert("RGB"))
    face = (warped(image, similarity(points, np.float32(LANDMARKS)), (112, 112)) - np.float64(127.5)) / 127.5
    squares = face.reshape(14, 8, 14, 8, 3).mean(axis=(1, 3)).transpose(2, 0, 1)
    expected = (squares - squares.mean(axis=(1, 2), keepdims=True)).ravel()
    held = np.load(whole / "templates" / "drawn.npz")
    found = held["embedding"][held["image_id"].tolist().index(line["image"])]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_five_kills_leave_the_bytes_of_an_unbroken_run(drawn: Path, whole: Path, tmp_path: Path) -> None:
    """Killed five times, each after more blocks than before: the files are those of the unbroken run."""
    path = {**os.environ, "PYTHONPATH": f"{TESTS.parent}{os.pathsep}{TESTS}"}
    command = [sys.executable, str(TESTS / "killed_embed.py"), str(drawn), str(tmp_path / "broken"), "1"]
    done = subprocess.run(command, env=path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    seen = [int(word) for word in done.stdout.split()]
    assert seen == sorted(seen)
    assert seen[-1] >= 3
    assert files(tmp_path / "broken") == files(whole)


@pytest.mark.slow
def test_kills_of_a_run_on_several_processes_leave_the_same_bytes(
    drawn: Path, whole: Path, tmp_path: Path
) -> None:
    """Two processes, killed five times; the blocks of a process that outlives its parent would be seen."""
    path = {**os.environ, "PYTHONPATH": f"{TESTS.parent}{os.pathsep}{TESTS}"}
    command = [sys.executable, str(TESTS / "killed_embed.py"), str(drawn), str(tmp_path / "broken"), "2"]
    done = subprocess.run(command, env=path, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert files(tmp_path / "broken") == files(whole)


def test_a_block_that_is_whole_is_not_computed_again(
    drawn: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped at the fourth block, the next run computes what is missing, altered or another block's."""
    spec = load_embedding(killed_embed.words(drawn, tmp_path / "out", 1))
    written, write = [], processes.write_block

    def stops(folder: Path, number: int, data: bytes) -> None:
        if len(written) == 3:
            raise KeyboardInterrupt
        written.append(number)
        write(folder, number, data)

    monkeypatch.setattr(processes, "write_block", stops)
    with pytest.raises(KeyboardInterrupt):
        embed(spec)
    assert written == [0, 1, 2]
    with pytest.raises(FrtauditError, match="into: unfinished-drawn in it has other images or settings"):
        embed(replace(spec, preset=replace(spec.preset, flip_sum=True)))
    monkeypatch.setattr(processes, "write_block", write)
    first, second, third = sorted((tmp_path / "out" / "unfinished-drawn").glob("*.block"))
    second.write_bytes(first.read_bytes())
    third.write_bytes(third.read_bytes().replace(b"descr", b"Descr", 1))
    lines: list[str] = []
    embed(spec, lines.append)
    assert lines == ["32 of 129 images are done"]
    assert files(tmp_path / "out") == files(whole)
    assert embed(spec).summary[0] == "nothing to do: all files exist"


def test_an_image_that_changed_between_two_runs_is_embedded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two images of one size change places: after a stop their block is computed again; finished, they are refused."""
    folder = Photographs(people=11, images=3, faceless=60).write(tmp_path / "own").parent
    images = folder / "person001/0.jpg", folder / "person002/0.jpg"
    size = max(path.stat().st_size for path in images)
    first, second = (path.read_bytes().ljust(size, b"\0") for path in images)
    images[0].write_bytes(first)
    images[1].write_bytes(second)
    spec = load_embedding(killed_embed.words(folder, tmp_path / "out", 1))
    write = processes.write_block

    def stops(into: Path, number: int, data: bytes) -> None:
        write(into, number, data)
        raise KeyboardInterrupt

    monkeypatch.setattr(processes, "write_block", stops)
    with pytest.raises(KeyboardInterrupt):
        embed(spec)
    monkeypatch.setattr(processes, "write_block", write)
    images[0].write_bytes(second)
    images[1].write_bytes(first)
    lines: list[str] = []
    embed(spec, lines.append)
    assert lines == []
    embed(replace(spec, into=str(tmp_path / "fresh")))
    assert files(tmp_path / "out") == files(tmp_path / "fresh")
    images[0].write_bytes(first)
    with pytest.raises(FrtauditError, match="drawn.npz exists, for other images or settings"):
        embed(spec)


def test_another_model_into_the_same_folder_is_another_system(
    drawn: Path, whole: Path, tmp_path: Path
) -> None:
    """Both are read, each with its own failures; other images, and a changed record, are refused."""
    into = tmp_path / "both"
    words = killed_embed.words(drawn, into, 1)
    spec = load_embedding(words)
    embed(spec)
    other = replace(spec, name="flipped", preset=replace(spec.preset, flip_sum=True, normalise=True))
    embed(other)
    read = TemplateFolder(root=str(into)).load({}, 0)
    assert set(read.failures) == {"drawn", "flipped"}
    assert dict(read.failures["drawn"]) == dict(read.failures["flipped"])
    vectors = read.templates["flipped"]().vectors
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    with pytest.raises(FrtauditError, match="drawn.npz exists, for other images or settings"):
        embed(replace(other, name="drawn"))
    fewer = Photographs(people=3, images=2).write(tmp_path / "fewer")
    with pytest.raises(FrtauditError, match="into: metadata.csv in it has other images"):
        embed(replace(spec, images=str(fewer)))
    record = into / "templates" / "drawn.json"
    record.write_bytes((into / "templates" / "flipped.json").read_bytes())
    with pytest.raises(FrtauditError, match="is the record of templates other than those"):
        TemplateFolder(root=str(into)).load({}, 0)
    record.write_text("{")
    with pytest.raises(FrtauditError, match="not readable as a record of templates"):
        TemplateFolder(root=str(into)).load({}, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """Finds as many faces as a picture has pixels in its red corner, the larger ones first."""

    gives = frozenset({Gives.BOX, Gives.LANDMARKS})

    def recorded_settings(self) -> Mapping[str, str]:
        """The kind."""
        return {"faces": "counted"}

    def open(self) -> "Counting":
        """Itself."""
        return self

    def faces(self, image: np.ndarray, given: FoundFace | None) -> Sequence[FoundFace]:
        """The corner's red value is their number."""
        return [
            FoundFace(box=Box(x=0, y=0, width=10 + k, height=10 + k), landmarks=LANDMARKS / (1 + k))
            for k in range(int(image[0, 0, 0]))
        ]


def png(faces: int, size: tuple[int, int] = (60, 60)) -> bytes:
    """A picture in which so many faces are counted."""
    values = np.random.default_rng(faces).integers(0, 256, (*size, 3), dtype=np.uint8)
    values[0, 0] = faces
    stream = io.BytesIO()
    Image.fromarray(values).save(stream, format="PNG")
    return stream.getvalue()


def bomb() -> bytes:
    """A PNG of a few kB whose header promises 400 million pixels."""
    data = bytearray(png(1))
    data[16:24] = (20_000).to_bytes(4, "big") * 2
    import zlib

    data[29:33] = zlib.crc32(bytes(data[12:29])).to_bytes(4, "big")
    return bytes(data)


def test_each_image_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bomb, a torn file, text, no face, two faces, landmarks on one place: a reason each; the others go on."""
    monkeypatch.setitem(registry._registered, ("detector", "counting"), Counting)
    torn = io.BytesIO()
    Image.new("RGB", (200, 200), "red").save(torn, format="JPEG")
    held = {
        "bomb.png": bomb(),
        "one.png": png(1),
        "two.png": png(2),
        "none.png": png(0),
        "text.jpg": b"no image",
        "empty.jpg": b"",
        "torn.jpg": torn.getvalue()[:400],
    }
    for name, data in held.items():
        (tmp_path / "photos" / "ann").mkdir(parents=True, exist_ok=True)
        (tmp_path / "photos" / "ann" / name).write_bytes(data)
    (tmp_path / "photos" / "bob").mkdir()
    (tmp_path / "photos" / "bob" / "same.png").write_bytes(png(1))
    model = embedding_model(tmp_path / "small.onnx", 112)
    words = [f"images={tmp_path}/photos", f"model={model}", "preset=arcface_rgb_128", "preset.flip_sum=false"]
    spec = load_embedding([*words, "detector=aligned", f"into={tmp_path}/largest", "workers=1"])
    largest = replace(spec, detector=Counting())
    status = embed(largest)
    assert "3 of 8 images have a template" in status.summary[0]
    assert "1 image with several faces" in status.summary[1]
    assert status.warnings[-1] == (
        "1 image file is listed for several people, the first in lines 5 and 9 of metadata.csv"
    )
    expected = {
        "ann/bomb.png": "too_many_pixels",
        "ann/empty.jpg": "unreadable_image",
        "ann/none.png": "no_face",
        "ann/text.jpg": "unreadable_image",
        "ann/torn.jpg": "unreadable_image",
    }
    assert failures(tmp_path / "largest") == expected
    embed(replace(largest, several=Several.FAIL, into=str(tmp_path / "fail")))
    assert failures(tmp_path / "fail") == expected | {"ann/two.png": "several_faces"}
    with pytest.raises(
        FrtauditError, match=r"no image has a template \(not_of_input_size 4, too_many_pixels 1"
    ):
        embed(replace(spec, into=str(tmp_path / "new" / "folder")))
    assert not (tmp_path / "new").exists()


def test_another_detector_can_follow_where_none_found_a_face(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The advice works in the same folder: nothing unfinished stays in it."""
    monkeypatch.setitem(registry._registered, ("detector", "counting"), Counting)
    (tmp_path / "photos" / "ann").mkdir(parents=True)
    for name in "abc":
        (tmp_path / "photos" / "ann" / f"{name}.png").write_bytes(png(1))
    model = embedding_model(tmp_path / "small.onnx", 112)
    words = [f"images={tmp_path}/photos", f"model={model}", "preset=arcface_rgb_128", "detector=aligned"]
    spec = load_embedding([*words, f"into={tmp_path}/out", "workers=1"])
    (tmp_path / "out").mkdir()
    with pytest.raises(FrtauditError, match="no image has a template"):
        embed(spec)
    assert list((tmp_path / "out").iterdir()) == []
    assert embed(replace(spec, detector=Counting())).summary[0].startswith("3 of 3 images")


def failures(into: Path) -> dict[str, str]:
    """Image to reason."""
    with (into / "failures.csv").open() as stream:
        return {row["image_id"]: row["reason"] for row in csv.DictReader(stream)}


def test_a_run_that_cannot_be_is_refused_in_one_line(drawn: Path, tmp_path: Path) -> None:
    """A model that scales by itself, of another input, no landmarks, no file: one line each; its advice works."""
    scaling = embedding_model(tmp_path / "scaling.onnx", 112, ("Sub", "Mul"))
    other = embedding_model(tmp_path / "other.onnx", 96)
    text = tmp_path / "text.onnx"
    text.write_text("no model")
    bare = drawn / "bare.csv"
    bare.write_text("image,subject\nperson001/0.jpg,a\n")
    table, into = f"images={drawn}/photographs.csv", f"into={tmp_path}/out"
    usual = [table, into, "preset=arcface_rgb_127.5", "detector=given", "workers=1"]
    wrong = [
        (
            [*usual, f"model={scaling}"],
            "its graph begins with Sub, Mul: it seems to scale pixels, as the preset",
        ),
        (
            [*usual, f"model={other}"],
            "takes shape [1, 3, 96, 96], the preset's pictures have [1, 3, 112, 112]",
        ),
        ([*usual, f"model={text}"], "text.onnx is not an ONNX model in one file"),
        ([*usual, "model=none.onnx"], "model: no file 'none.onnx'"),
        ([f"images={bare}", *usual[1:], f"model={drawn}/drawn.onnx"], "images: no columns of landmarks"),
        (
            [table, into, "preset=facenet_160", "detector=given", f"model={other}"],
            "images: no columns of boxes",
        ),
        (usual, "model: no value"),
        ([*usual, "model=x", "execution=None"], "no file 'x'"),
        (
            [*usual, f"model={drawn}/drawn.onnx", "execution=NoneProvider"],
            "no execution provider 'NoneProvider'",
        ),
        (
            [*usual, f"model={drawn}/drawn.onnx", "name=a/b"],
            "name: 'a/b'; accepted: name=NAME: 1 to 100 letters a to z",
        ),
        (
            [*usual, f"model={drawn}/drawn.onnx", "name=Nul.x"],
            "name: 'Nul.x'; accepted: name=NAME: 1 to 100 letters a to z",
        ),
        ([*usual, "into=a\x1b"], r"command line: cannot read 'into=a\x1b'; accepted: key=value"),
        ([table, into, "preset=dlib", "model=x"], "preset=dlib has its own model"),
        ([*usual, "workers=-1", "model=x"], "workers: -1"),
        ([*usual, "wrokers=1"], "unknown key 'wrokers' (did you mean 'workers'?)"),
        ([table, "preset=sface"], "into: no value; accepted: a folder: into=FOLDER"),
    ]
    for words, line in wrong:
        with pytest.raises(FrtauditError) as caught:
            embed(load_embedding(words))
        assert line in str(caught.value)
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "unfinished-drawn").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(
        FrtauditError, match="unfinished-drawn in it is a link; accepted: the folder without it"
    ):
        embed(load_embedding([*usual, f"model={drawn}/drawn.onnx"]))
    assert not list((tmp_path / "elsewhere").iterdir())
    (tmp_path / "out" / "unfinished-drawn").unlink()
    advice = ["preset.scaled_in_graph=true", "preset.mean=[0,0,0]", "preset.deviation=[1,1,1]"]
    status = embed(load_embedding([*usual, f"model={scaling}", *advice]))
    assert status.summary[0].startswith("126 of 129")
    lines: list[str] = []
    embed(load_embedding([*usual, f"model={drawn}/drawn.onnx", *advice]), lines.append)
    assert lines[0].startswith("warning: the preset says that the model scales pixels")


@pytest.mark.slow
def test_real_photographs_by_dlib_are_told_apart(tmp_path: Path) -> None:
    """Photos of two people that a package ships: faces are found, every mated pair is nearer than any other."""
    pytest.importorskip("dlib")
    for person, held in photos().items():
        for number, data in enumerate(held):
            image = Image.open(io.BytesIO(data)).convert("RGB")
            image.thumbnail((500, 500))
            (tmp_path / "photos" / person).mkdir(parents=True, exist_ok=True)
            image.save(tmp_path / "photos" / person / f"{number}.png")
    spec = load_embedding([f"images={tmp_path}/photos", f"into={tmp_path}/faces", "preset=dlib", "workers=1"])
    embed(spec)
    with np.load(tmp_path / "faces" / "templates" / "dlib.npz") as held:
        vectors, subjects = held["embedding"], [name.split("/")[0] for name in held["image_id"]]
    distance = np.linalg.norm(vectors[:, None] - vectors[None], axis=2)
    mated = [distance[i, j] for i in range(len(subjects)) for j in range(i) if subjects[i] == subjects[j]]
    others = [distance[i, j] for i in range(len(subjects)) for j in range(i) if subjects[i] != subjects[j]]
    assert len(subjects) >= 5
    assert max(mated) < 0.6 < min(others)
    record = json.loads((tmp_path / "faces" / "templates" / "dlib.json").read_text())
    assert record["checks"]["cosine_with_mirrored"] > 0.9
    assert record["licence"] == "CC0 (public domain)"
