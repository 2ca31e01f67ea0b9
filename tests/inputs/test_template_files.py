import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from frtaudit.errors import DataError
from frtaudit.inputs.template_files import TemplateFile

IDS = np.array(["c", "a", "b"])
GOOD = np.array([[3.0, 1.0], [1.0, 2.0], [2.0, 1.0]], dtype=np.float16)


def saved(tmp_path: Path, **arrays: object) -> TemplateFile:
    """A file of the given arrays; the cohort holds a, b, d (0, 1, 2), and c left it."""
    np.savez(tmp_path / "m.npz", **arrays)  # type: ignore[arg-type]  # arrays by name
    return file(tmp_path / "m.npz")


def file(path: Path) -> TemplateFile:
    index = {"a": 0, "b": 1, "c": -1, "d": 2}
    return TemplateFile(path=path, name="templates/m.npz", index=index, n_samples=3, reasons={"d": "no_face"})


def test_templates_come_in_cohort_order(tmp_path: Path) -> None:
    """Rows are sorted by cohort index, float32, not normalised; those that left the cohort are skipped."""
    found = saved(tmp_path, embedding=GOOD, image_id=IDS).templates()
    assert found.rows.tolist() == [0, 1]
    assert found.vectors.tolist() == [[1.0, 2.0], [2.0, 1.0]]
    assert found.vectors.dtype == np.float32


def test_spaces_at_the_ends_of_an_id_do_not_count(tmp_path: Path) -> None:
    """As in the tables that name the same samples."""
    found = saved(tmp_path, embedding=GOOD, image_id=np.array([" c", "a ", "\tb"])).templates()
    assert found.rows.tolist() == [0, 1]


def test_ids_of_bytes_are_utf_8(tmp_path: Path) -> None:
    """As tables are; the row of other bytes is named."""
    index = {"é": 0, "a": 1}
    for text, found in (("é".encode(), [0, 1]), (b"\xe9", None)):
        np.savez(tmp_path / "m.npz", embedding=GOOD[:2], image_id=np.array([b"a", text]))
        made = replace(file(tmp_path / "m.npz"), index=index, n_samples=2)
        if found is None:
            with pytest.raises(DataError, match=r"m.npz: row 1 has an image id that is not UTF-8"):
                made.templates()
        else:
            assert made.templates().rows.tolist() == found


def test_samples_without_a_row_failed(tmp_path: Path) -> None:
    """The declared reason is the code, no_template where none is declared."""
    assert saved(tmp_path, embedding=GOOD, image_id=IDS).failed() == {2: "no_face"}
    assert saved(tmp_path, embedding=GOOD[:1], sample_id=IDS[1:2]).failed() == {
        1: "no_template",
        2: "no_face",
    }


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"image_id": IDS}, "no array embedding; accepted: arrays embedding and image_id"),
        ({"embedding": GOOD}, "no array image_id"),
        (
            {"embedding": GOOD, "image_id": np.array(["a", "b", "z"])},
            "row 2 has an image id without metadata",
        ),
        (
            {"embedding": GOOD, "image_id": np.array(["a", "b", "a"])},
            "duplicate ids: row 2 repeats an image id",
        ),
        ({"embedding": GOOD[:2], "image_id": IDS}, r"shape \(2, 2\) for 3 image ids \(dimension mismatch\)"),
        ({"embedding": GOOD[0], "image_id": IDS}, r"shape \(2,\) for 3 image ids"),
        ({"embedding": GOOD * np.nan, "image_id": IDS}, "row 0 of embedding holds NaN or infinity"),
        (
            {"embedding": GOOD * np.float16([[1], [np.inf], [1]]), "image_id": IDS},
            "row 1 of embedding holds NaN",
        ),
        ({"embedding": GOOD * [[1], [1], [0]], "image_id": IDS}, "row 2 of embedding is a zero vector"),
        (
            {"embedding": GOOD * [[1], [1e200], [1]], "image_id": IDS},
            "row 1 of embedding lies beyond float32",
        ),
        (
            {"embedding": GOOD * [[1], [1], [1e-200]], "image_id": IDS},
            "row 2 of embedding lies beyond float32",
        ),
        ({"embedding": GOOD.astype(str), "image_id": IDS}, "embedding holds <U"),
        ({"embedding": GOOD, "image_id": np.empty(0, "U1")}, r"image_id has shape \(0,\)"),
        (
            {"embedding": GOOD, "image_id": np.array(["a", "b", "c"], dtype=object)},
            "'image_id' is not a plain array",
        ),
    ],
)
def test_bad_arrays_are_one_line(tmp_path: Path, arrays: dict[str, np.ndarray], message: str) -> None:
    """Each fault names the file, and the row where there is one; nothing is unpickled."""
    with pytest.raises(DataError, match=message) as caught:
        saved(tmp_path, **arrays).templates()
    assert str(caught.value).startswith("templates/m.npz: ")


def test_unreadable_files_are_one_line(tmp_path: Path) -> None:
    """Junk, a bare array, a cut archive and a missing file are refused alike."""
    np.savez(tmp_path / "whole.npz", embedding=GOOD, image_id=IDS)
    (tmp_path / "cut.npz").write_bytes((tmp_path / "whole.npz").read_bytes()[:-30])
    (tmp_path / "junk.npz").write_bytes(b"junk")
    (tmp_path / "empty.npz").write_bytes(b"")
    for name in ("cut", "junk", "empty", "missing"):
        with pytest.raises(DataError, match="not a readable .npz file"):
            file(tmp_path / f"{name}.npz").templates()
    np.save(tmp_path / "bare.npy", GOOD)
    (tmp_path / "bare.npy").rename(tmp_path / "bare.npz")
    with pytest.raises(DataError, match="one bare array"):
        file(tmp_path / "bare.npz").failed()


def test_a_flipped_byte_is_seen(tmp_path: Path) -> None:
    """An archive whose content does not match its checksum is unreadable."""
    np.savez_compressed(
        tmp_path / "m.npz", embedding=np.random.default_rng(0).normal(size=(3, 64)), image_id=IDS
    )
    data = bytearray((tmp_path / "m.npz").read_bytes())
    data[300] ^= 0xFF
    (tmp_path / "m.npz").write_bytes(bytes(data))
    with pytest.raises(DataError, match="not a readable .npz file"):
        file(tmp_path / "m.npz").templates()


@pytest.mark.parametrize("extra", ["objects", "text", "many"])
def test_what_else_a_file_holds_is_plain_too(extra: str, tmp_path: Path) -> None:
    """An array of objects, a member that is no array, and thousands of members are refused by any name."""
    objects = {"more": np.array([{}], dtype=object)} if extra == "objects" else {}
    templates = saved(tmp_path, embedding=GOOD, image_id=IDS, **objects)
    with zipfile.ZipFile(tmp_path / "m.npz", "a") as held:
        for number in range({"objects": 0, "text": 1, "many": 1001}[extra]):
            held.writestr(f"more{number}", b"junk")
    with pytest.raises(
        DataError, match="'more0?' is not a plain array" if extra != "many" else "1003 arrays"
    ):
        templates.templates()
