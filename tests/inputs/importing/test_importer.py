"""From a folder to an audit.

Tests also agreement, array_files, attach, contents, folds, id_lists, image_table, lists, number_rows, output,
pair_table, recognition, starter, stored_embeddings, summary and values, which the importer stands on.
"""

import csv
import os
import re
import shlex
import signal
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pandas as pd
import pytest
import yaml
from known_sets import made_pairs, write_bfw, write_bin, write_lfw

from frtaudit.cli.main import main
from frtaudit.config.load import load_spec
from frtaudit.core.provenance import Origin
from frtaudit.inputs.importing.values import RESEARCH
from frtaudit.pipeline.dry_run import check

PAIRS = made_pairs(each=3)
N, D = 48, 20
RNG = np.random.default_rng(3)
FACES = {f"emp{number:02d}": RNG.normal(size=D) for number in range(16)}
ROWS = [
    (f"shots/{who}_{shot}.png", who, "FM"[int(who[3:]) % 2], str(20 + shot), face + 0.3 * RNG.normal(size=D))
    for who, face in FACES.items()
    for shot in range(3)
]
IDS = [row[0] for row in ROWS]
VECTORS = np.float32([row[4] for row in ROWS])


def table(path: Path, *header: str) -> None:
    """A table of the images under these names of columns: image, person, sex, age."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *(row[: len(header)] for row in ROWS)])


def stored(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a template file, which is closed again."""
    with np.load(path) as file:
        return dict(file)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """The exit code of an import and all that it printed."""
    code = main(["import", *words])
    printed = capsys.readouterr()
    return code, printed.out + printed.err


def npz(folder: Path) -> None:
    """Features and paths of an array file; people by their name alone, in a table."""
    np.savez(folder / "Vendor A.npz", feats=VECTORS, paths=IDS)
    table(folder / "people.csv", "photo", "subject", "sex", "years")


def npy_in_order(folder: Path) -> None:
    """A matrix without ids beside a table with as many rows."""
    np.save(folder / "vendor_a.npy", VECTORS)
    table(folder / "people.csv", "file", "person_id", "sex")


def npy_with_list(folder: Path) -> None:
    """A matrix, its ids in a list of lines, the table in another order."""
    np.save(folder / "vendor_a.npy", VECTORS)
    (folder / "paths.txt").write_text("\n".join(IDS))
    table(folder / "people.csv", "file", "person_id", "sex")
    lines = (folder / "people.csv").read_text().splitlines()
    (folder / "people.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")


def wide_csv(folder: Path) -> None:
    """One table with everything, numbers in numbered columns."""
    with (folder / "vendor_a.csv").open("w", newline="") as file:
        header = ["path", "person", "sex", *(f"f{i}" for i in range(D))]
        csv.writer(file).writerows([header, *([*row[:3], *row[4]] for row in ROWS)])


def spreadsheet_csv(folder: Path) -> None:
    """The same as a spreadsheet writes it: semicolons, decimal commas, a byte order mark."""
    wide_csv(folder)
    lines = (folder / "vendor_a.csv").read_text().replace(",", ";").replace(".", ",").replace(",png", ".png")
    (folder / "vendor_a.csv").write_text(lines, encoding="utf-8-sig")


def bracket_csv(folder: Path) -> None:
    """Lists of numbers as text, as pgvector writes them."""
    rows = {"id": IDS, "person": [row[1] for row in ROWS], "sex": [row[2] for row in ROWS]}
    pd.DataFrame({**rows, "embedding": [str(row[4].tolist()) for row in ROWS]}).to_csv(
        folder / "vendor_a.csv", index=False
    )


def list_parquet(folder: Path) -> None:
    """A column of lists; people are the folders of the paths."""
    paths = [f"db/{row[1]}/{Path(row[0]).name}" for row in ROWS]
    pd.DataFrame({"identity": paths, "embedding": list(VECTORS)}).to_parquet(folder / "vendor_a.parquet")


def deepface(folder: Path) -> None:
    """DeepFace's arrays: a row without an embedding is zeros, and says so."""
    there = np.arange(N) != 5
    np.savez(
        folder / "vendor_a.npz",
        embedding=np.float64(VECTORS) * there[:, None],
        has_embedding=there,
        identity=[f"db/{row[1]}/{Path(row[0]).name}" for row in ROWS],
        hash=[str(row) for row in range(N)],
        target_x=np.arange(N),
    )


def hdf5(folder: Path) -> None:
    """Datasets of numbers, and of texts that are bytes."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(folder / "vendor_a.h5", "w") as file:
        file["features"] = VECTORS
        file["names"] = IDS
        file["labels"] = [row[1] for row in ROWS]


FOLDERS = [
    npz,
    npy_in_order,
    npy_with_list,
    wide_csv,
    spreadsheet_csv,
    bracket_csv,
    list_parquet,
    deepface,
    hdf5,
]


@pytest.mark.parametrize("layout", FOLDERS, ids=[layout.__name__ for layout in FOLDERS])
def test_embeddings_of_any_layout_come_to_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], layout: Callable[[Path], None]
) -> None:
    """People, groups and vectors are those that were written, by image, and the spec passes the check."""
    layout(tmp_path)
    out = tmp_path / "out"
    code, printed = run(capsys, str(tmp_path), f"into={out}")
    assert code == 0, printed
    metadata = pd.read_csv(out / "metadata.csv", dtype=str, keep_default_na=False)
    who = {
        Path(image).name: person
        for image, person in zip(metadata["image_id"], metadata["subject_id"], strict=True)
    }
    assert who == {Path(row[0]).name: row[1] for row in ROWS}
    (held,) = (stored(path) for path in (out / "templates").iterdir())
    vectors = {
        Path(str(name)).name: vector for name, vector in zip(held["image_id"], held["embedding"], strict=True)
    }
    wanted = {
        Path(row[0]).name: VECTORS[i] for i, row in enumerate(ROWS) if not (layout is deepface and i == 5)
    }
    assert vectors.keys() == wanted.keys()
    assert all(np.array_equal(vectors[name], wanted[name]) for name in wanted)
    spec = load_spec(["audit=imported_embeddings"], str(out))
    assert list(spec.schemas) == (["sex"] if "sex" in metadata else [])
    assert check(spec)[0] == "cohort: 48 samples of 16 subjects"


def test_the_one_column_of_distinct_words_names_the_images(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is asked for; the rows of two systems in another order meet by it. Of two such columns one is asked."""
    header = ["img", "who", "sex", *(f"e{i}" for i in range(D))]
    rows = [[Path(row[0]).stem, *row[1:3], *map(repr, row[4].tolist())] for row in ROWS]
    for name, lines in (("a", rows), ("b", rows[::-1])):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *lines])
    out = tmp_path / "out"
    code, printed = run(capsys, str(tmp_path), f"into={out}", "subject=who")
    assert code == 0, printed
    first, second = (stored(out / "templates" / f"{name}.npz") for name in "ab")
    assert np.array_equal(first["image_id"], second["image_id"])
    assert np.array_equal(first["embedding"], second["embedding"])
    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["hash", *header], *(["x" + line[0], *line] for line in rows)])
    code, printed = run(capsys, str(tmp_path / "a.csv"), f"into={tmp_path / 'two'}", "subject=who")
    assert code == 1
    assert "2 columns that could hold image ids; accepted: id=hash or id=img" in printed


def test_scores_beside_templates_are_named_as_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A vendor's score list gives the pairs; the note has the command that audits it, which composes."""
    folder = tmp_path / "all vendors"
    folder.mkdir()
    np.savez(folder / "a.npz", embedding=VECTORS, image_id=IDS)
    table(folder / "people.csv", "file", "person_id")
    lines = [f"{one},{other},0.5" for one, other in pairwise(IDS)]
    (folder / "b.csv").write_text("\n".join(["image_id_1,image_id_2,similarity", *lines]) + "\n")
    code, printed = run(capsys, str(folder), f"into={tmp_path / 'out'}")
    assert code == 0, printed
    said = re.search(
        r"b\.csv: its pairs are compared, its column similarity is not read; .*: frtaudit run (.*)", printed
    )
    assert said is not None
    assert load_spec(shlex.split(said[1])).cohort.root == str(folder / "b.csv")


def test_a_row_that_is_said_to_be_no_embedding_may_hold_anything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tiny number there, which float32 rounds to zero, is not looked at: the row is a failure to acquire."""
    there = np.arange(N) != 5
    vectors = np.where(there[:, None], np.float64(VECTORS), 6.9e-310)
    np.savez(tmp_path / "m.npz", embedding=vectors, image_id=IDS, has_embedding=there)
    table(tmp_path / "people.csv", "photo", "person")
    code, printed = run(capsys, str(tmp_path), f"into={tmp_path / 'out'}")
    assert code == 0, printed
    assert (tmp_path / "out" / "failures.csv").read_text().splitlines()[1:] == [f"{IDS[5]},m,no_embedding"]


def test_a_failure_of_deepface_is_a_failure_to_acquire(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The row without an embedding is not scored, and stands in failures.csv with its reason."""
    deepface(tmp_path)
    out = tmp_path / "out"
    printed = run(capsys, str(tmp_path), f"into={out}")[1]
    assert "images without a template: vendor_a: 1" in printed
    assert "failures in 1 row: no_embedding" in printed
    failures = pd.read_csv(out / "failures.csv")
    assert failures[["model", "reason"]].to_numpy().tolist() == [["vendor_a", "no_embedding"]]


def test_pairs_with_folds_become_the_protocol(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """LFW's list and templates beside it: folds are official, the check counts the pairs."""
    write_lfw(tmp_path, PAIRS)
    ids = sorted({f"{name}_{number:04d}" for pair in PAIRS for name, number in (pair.probe, pair.reference)})
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "m.npz", embedding=rng.normal(size=(len(ids) + 1, 8)), image_id=[*ids, "other_0001"])
    out = tmp_path / "out"
    code, printed = run(capsys, str(tmp_path), f"into={out}")
    assert code == 0, printed
    assert (
        "recognised: pairs in LFW's layout (pairs) (pairs.txt: first line '10 3', then name i j)" in printed
    )
    assert "folds      10 official folds of 6 pairs" in printed
    assert "m.npz: 1 row of images that are not in the set: left out" in printed
    assert printed.endswith(f"next: frtaudit check --config-dir {out} audit=imported_lfw\n")
    spec = load_spec(["audit=imported_lfw"], str(out))
    assert spec.folds.source.value == "official"
    assert spec.provenance.test_data == Origin(name="pairs in LFW's layout (pairs)", licence=RESEARCH)
    assert spec.provenance.test_data.non_commercial
    assert "protocol: 60 listed comparisons, 30 of them non-mated" in check(spec)


def test_scores_become_score_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """BFW's table: a list for each system, groups as schemas, the pairs with their folds."""
    write_bfw(tmp_path, PAIRS)
    out = tmp_path / "out"
    code, printed = run(capsys, str(tmp_path), f"into={out}")
    assert code == 0, printed
    assert "comparisons without a score: resnet50: 0, sphereface: 1" in printed
    assert "no redistribution" in printed
    spec = load_spec(["audit=imported_bfw"], str(out))
    assert list(spec.schemas) == ["attribute", "ethnicity", "gender"]
    lines = check(spec)
    assert "protocol: 60 listed comparisons, 30 of them non-mated" in lines
    assert "provider sphereface" in lines


def test_a_system_keeps_its_name_in_any_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """So that its failures are counted, also where no file can have its name; of Hebrew only the digits were left."""
    npz(tmp_path)
    (tmp_path / "Vendor A.npz").unlink()
    lost = np.where(np.arange(len(IDS))[:, None] == 1, np.float32(np.nan), VECTORS)
    for name in ("con", "מדקק (2026)", "प्रणाली"):
        np.savez(tmp_path / f"{name}.npz", feats=lost, paths=IDS)
    out = tmp_path / "out"
    code, printed = run(capsys, str(tmp_path), f"into={out}")
    assert code == 0, printed
    names = {path.stem for path in (out / "templates").iterdir()}
    assert names == {"con-1143da2bc54c495c", "מדקק_2026", "प्रणाली"}
    assert set(pd.read_csv(out / "failures.csv")["model"]) == names


def test_two_files_of_scores_of_one_name_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second took the place of the first, and nothing was said."""
    write_lfw(tmp_path, PAIRS)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "m.npy", np.linspace(0, 1, len(PAIRS)))
    code, printed = run(capsys, str(tmp_path), f"into={tmp_path / 'out'}")
    assert (code, printed.count("\n")) == (1, 1)
    assert "b/m.npy: is system 'm', and so is a/m.npy; accepted: a name for each system" in printed


def test_pairs_of_nobody_become_scores_of_comparisons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A .bin and its templates: cosines in bob.measure's two columns, and a spec that claims nothing of people."""
    folder, out, shots = tmp_path / "set", tmp_path / "out", tmp_path / "shots"
    folder.mkdir()
    write_bin(folder, PAIRS)
    code, printed = run(capsys, str(folder), f"into={tmp_path / 'first'}", f"images={shots}")
    assert code == 0, printed
    assert "no subject ids: 120 images; comparisons only" in printed
    assert len(list(shots.iterdir())) == 120
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(119, 8))
    np.savez(tmp_path / "m.npz", embedding=vectors, image_id=[f"{row:06d}.jpg" for row in range(119)])
    code, printed = run(capsys, str(folder), f"into={out}", f"templates={tmp_path / 'm.npz'}")
    assert code == 0, printed
    lines = [line.split() for line in (out / "scores" / "m.txt").read_text().splitlines()]
    assert [kind for kind, _ in lines] == ["1" if pair.mated else "-1" for pair in PAIRS]
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert np.allclose(
        [float(score) for _, score in lines[:-1]], np.sum(unit[0:118:2] * unit[1:118:2], axis=1), atol=1e-6
    )
    assert lines[-1][1] == "nan"
    spec = load_spec(["audit=imported_insightface_bin"], str(out))
    assert check(spec)[0].startswith("cohort: the files name no subjects")


def ambiguous(folder: Path) -> None:
    """Two columns could name the people."""
    np.savez(folder / "m.npz", embedding=VECTORS, image_id=IDS)
    table(folder / "people.csv", "photo", "person", "label")


def unnamed(folder: Path) -> None:
    """No column is called as one of people is."""
    np.savez(folder / "m.npz", embedding=VECTORS, image_id=IDS)
    table(folder / "people.csv", "photo", "employee", "sex")


def two_tables(folder: Path) -> None:
    """Two tables have the images."""
    unnamed(folder)
    table(folder / "more.csv", "photo", "person")


def two_matrices(folder: Path) -> None:
    """Two arrays could be the embeddings."""
    np.savez(folder / "m.npz", left=VECTORS, right=VECTORS, image_id=IDS)
    table(folder / "people.csv", "photo", "person")


def spaced(folder: Path) -> None:
    """Columns, arrays and files whose names a shell reads as several words, or as more than words."""
    np.savez(folder / "m.npz", **{"left side": VECTORS, "it's": VECTORS}, image_id=IDS)
    table(folder / "people (2026).csv", "photo", "employee name", "sex")
    table(folder / "people; more.csv", "photo", "employee name", "sex")


def repeated(folder: Path) -> None:
    """An image has two rows."""
    np.savez(folder / "m.npz", embedding=VECTORS, image_id=[IDS[1], *IDS[1:]])
    table(folder / "people.csv", "photo", "person")


def too_large(folder: Path) -> None:
    """Finite numbers that float32 does not hold."""
    np.savez(
        folder / "m.npz",
        embedding=np.where(np.arange(N)[:, None] == 3, 1e200, np.float64(VECTORS)),
        image_id=IDS,
    )
    table(folder / "people.csv", "photo", "person")


def too_small(folder: Path) -> None:
    """Numbers in columns that float32 rounds to zeros."""
    numbers = pd.DataFrame(np.where(np.arange(N)[:, None] == 3, 1e-200, np.float64(VECTORS)))
    numbers.rename(columns=str).assign(photo=IDS).to_csv(folder / "m.csv", index=False)
    table(folder / "people.csv", "photo", "person")


def too_large_in_a_list(folder: Path) -> None:
    """The same in brackets."""
    texts = [str(row.tolist()) for row in np.where(np.arange(N)[:, None] == 3, 1e200, np.float64(VECTORS))]
    pd.DataFrame({"photo": IDS, "embedding": texts}).to_csv(folder / "m.csv", index=False)
    table(folder / "people.csv", "photo", "person")


def short(folder: Path) -> None:
    """Rows without ids, and no table of as many."""
    np.save(folder / "m.npy", VECTORS[:-1])
    table(folder / "people.csv", "photo", "person")


def ragged(folder: Path) -> None:
    """Lists of several lengths."""
    pd.DataFrame({"id": IDS[:2], "person": ["a", "b"], "embedding": ["[1, 2]", "[1]"]}).to_csv(
        folder / "m.csv", index=False
    )


def bomb(folder: Path) -> None:
    """A few bytes that unpack to a third of a gigabyte."""
    import zipfile

    header = (
        b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (655360, 128), }".ljust(128)
        + b""
    )
    with (
        zipfile.ZipFile(folder / "m.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as held,
        held.open("x.npy", "w") as member,
    ):
        member.write(header)
        for _ in range(320):
            member.write(bytes(1 << 20))


def hdf5_bomb(folder: Path) -> None:
    """Two kilobytes that say they are twenty gigabytes."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(folder / "m.h5", "w") as held:
        held.create_dataset("embedding", shape=(10_000_000, 512), dtype="f4", chunks=(1000, 512))


def hdf5_elsewhere(folder: Path) -> None:
    """A dataset whose numbers stand in another file, one that is made of another's, a link to one."""
    h5py = pytest.importorskip("h5py")
    other = folder.parent / f"{folder.name}.other.h5"
    with h5py.File(other, "w") as held:
        held["x"] = VECTORS
    layout = h5py.VirtualLayout(shape=VECTORS.shape, dtype="f4")
    layout[:] = h5py.VirtualSource(str(other), "x", shape=VECTORS.shape)
    with h5py.File(folder / "m.h5", "w") as held:
        held.create_virtual_dataset("embedding", layout)
        held.create_dataset(
            "features", shape=VECTORS.shape, dtype="f4", external=[(str(other), 0, VECTORS.nbytes)]
        )
        held["feats"] = h5py.ExternalLink(str(other), "x")
        held["image_id"] = IDS
    table(folder / "people.csv", "photo", "person")


def alike(folder: Path) -> None:
    """Two files whose names differ by the case of a letter."""
    npz(folder)
    np.savez(folder / "VENDOR a.npz", feats=VECTORS, paths=IDS)


def twice(folder: Path) -> None:
    """Two arrays of one name, of which readers take different ones."""
    import zipfile

    np.savez(folder / "m.npz", embedding=VECTORS, image_id=IDS)
    with zipfile.ZipFile(folder / "m.npz", "a") as held, pytest.warns(UserWarning, match="Duplicate"):
        held.writestr("embedding.npy", held.read("embedding.npy"))


def packed_badly(folder: Path) -> None:
    """A member that is packed by LZMA, with its first bytes lost."""
    import zipfile

    np.savez(folder / "stored.npz", embedding=VECTORS)
    with (
        zipfile.ZipFile(folder / "stored.npz") as stored,
        zipfile.ZipFile(folder / "m.npz", "w", zipfile.ZIP_LZMA) as held,
    ):
        held.writestr("embedding.npy", stored.read("embedding.npy"))
    (folder / "stored.npz").unlink()
    data = bytearray((folder / "m.npz").read_bytes())
    start = 30 + len("embedding.npy")
    data[start + 4 : start + 9] = b"\xff" * 5
    (folder / "m.npz").write_bytes(data)


def endless(folder: Path) -> None:
    """An id that would take its length in every row of an array of texts."""
    np.savez(folder / "m.npz", embedding=VECTORS[:2], subject=["a", "b"], image_id=["x" * 2000, "y"])


def broken_line(folder: Path) -> None:
    """An id that ends its line in some readers' eyes."""
    np.savez(folder / "m.npz", embedding=VECTORS[:2], subject=["a", "b"], image_id=["x\ry", "y"])


def missing_person(folder: Path) -> None:
    """Two images of nobody who is known, as pandas writes it."""
    np.savez(folder / "m.npz", embedding=VECTORS[:3], subject=["a", "nan", "nan"], image_id=["x", "y", "z"])


def fifo(folder: Path) -> None:
    """Nothing but a FIFO and a link."""
    os.mkfifo(folder / "pairs.txt")
    (folder / "m.npz").symlink_to("/dev/zero")


def score_list(folder: Path) -> None:
    """Comparisons with their scores, which an audit reads as they are."""
    (folder / "vendor.csv").write_text("image_id_1,image_id_2,similarity\na,b,0.5\n")


def packed(folder: Path) -> None:
    """The archive that a set was loaded as."""
    (folder / "set.zip").touch()


def in_sessions(rows: list[tuple[str, str, str]]) -> Callable[[Path], None]:
    """Images in folders that are no people, who stand in a column of no known name."""

    def write(folder: Path) -> None:
        np.savez(folder / "m.npz", embedding=VECTORS[: len(rows)], paths=[row[0] for row in rows])
        with (folder / "people.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("photo", "employee", "sex"), *rows])

    return write


PEOPLE = [(f"emp{number:02d}", "FM"[number % 2], shot) for number in range(16) for shot in range(3)]
sessions = in_sessions([(f"session{shot}/{who[3:]}_{shot}.jpg", who, sex) for who, sex, shot in PEOPLE])
sessions.__name__ = "sessions"
days = in_sessions([(f"{who}-{shot // 2}/{shot}.jpg", who, sex) for who, sex, shot in PEOPLE])
days.__name__ = "days"

REFUSED = {
    sessions: "people could be the 3 folders of the images, or a column; accepted: subject=folder or subject=employee",
    days: "people could be the 32 folders of the images, or a column; accepted: subject=folder or subject=employee",
    ambiguous: "people.csv: 2 columns that could hold subject ids; accepted: subject=person or subject=label",
    unnamed: "no subject ids of the images; accepted: subject=COLUMN, one of photo, employee, sex, or table=FILE",
    two_tables: "2 tables of the images; accepted: table=more.csv or table=people.csv",
    two_matrices: "m.npz: 2 arrays of rows of numbers; accepted: embedding=left or embedding=right",
    spaced: "2 arrays of rows of numbers; accepted: embedding='left side' or embedding='it'\"'\"'s'",
    too_large: "m.npz: row 3 of embedding lies beyond float32; accepted: rows divided by their length",
    too_large_in_a_list: "m.csv: row 3 of embedding lies beyond float32; accepted: rows divided by their length",
    too_small: "m.csv: row 3 of embedding lies beyond float32; accepted: rows divided by their length",
    repeated: "m.npz: two embeddings of 1 image; accepted: one row for each image",
    short: "m.npy: 47 rows without ids, and no table with as many rows; accepted: an array of image ids, or table=FILE",
    ragged: "m.csv line 3: 1 numbers, the first row has 2; accepted: as many numbers in each row",
    hdf5_bomb: "m.h5: 'embedding' has 20480000000 bytes, few of them in the file; accepted: arrays of embeddings",
    hdf5_elsewhere: "no known layout: 2 files",
    alike: "Vendor A.npz: is system 'vendor_a', and so is VENDOR a.npz; accepted: a name for each system",
    twice: "m.npz: an array appears twice; accepted: each array once",
    packed_badly: "m.npz: not a readable .npz file",
    endless: "embeddings image 1: the image id has a line break or a zero byte, or more than 1000 characters",
    broken_line: "embeddings image 1: the image id has a line break or a zero byte, or more than 1000 characters",
    missing_person: "embeddings image 2: the subject id is a word for a missing value; accepted: the subject's id",
    bomb: "m.npz: 335544448 bytes packed into",
    score_list: "vendor.csv: a list of scores, no templates; accepted: frtaudit run audit=scores cohort.root=",
    packed: "set.zip: is an archive; accepted: the folder of its files, unpacked",
    fifo: "no known layout: 0 files; accepted: one of: ",
}


@pytest.mark.parametrize("write", REFUSED, ids=[write.__name__ for write in REFUSED])
def test_what_is_ambiguous_or_hostile_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], write: Callable[[Path], None]
) -> None:
    """The line names the option that settles it, which typed as it is printed then does; nothing is written."""
    write(tmp_path)
    code, printed = run(capsys, str(tmp_path), f"into={tmp_path / 'out'}")
    assert code == 1
    assert REFUSED[write] in printed
    assert printed.count("\n") == 1
    assert not (tmp_path / "out").exists()
    words: list[str] = []
    while option := re.search(
        r"accepted: (?:subject=COLUMN, one of \w+, (?P<column>.*?),|(?P<word>\w+=.*?)(?: or |$))", printed
    ):
        words += shlex.split(option["word"] or f"subject={option['column']}")
        code, printed = run(capsys, str(tmp_path), f"into={tmp_path / 'out'}", *words)
    assert code == (0 if words else 1), printed


def object_ids(folder: Path) -> str:
    """Ids that are Python objects."""
    np.savez(folder / "m.npz", embedding=VECTORS, image_id=np.array(IDS, dtype=object))
    return "m"


def object_dictionary(folder: Path) -> str:
    """A dictionary of vectors, saved as an array."""
    np.save(folder / "m.npy", dict(zip(IDS, VECTORS, strict=True)))  # type: ignore[arg-type]
    return "m"


def object_of_one(folder: Path) -> str:
    """A dictionary of vectors as the one item of an array."""
    np.save(folder / "m.npy", np.array([dict(zip(IDS, VECTORS, strict=True))], dtype=object))
    return "m"


def object_list(folder: Path) -> str:
    """A matrix, and ids that are Python objects."""
    np.save(folder / "m.npy", VECTORS)
    np.save(folder / "ids.npy", np.array(IDS, dtype=object))
    return "m"


def object_rows(folder: Path) -> str:
    """A list of vectors as Python objects, beside the ids."""
    rows = np.empty(len(VECTORS), dtype=object)
    rows[:] = list(VECTORS)
    np.save(folder / "m.npy", rows)
    np.save(folder / "ids.npy", np.array(IDS))
    return "m"


def deepface_pickle(folder: Path) -> str:
    """DeepFace's store."""
    rows = [
        {"identity": name, "embedding": vector.tolist()} for name, vector in zip(IDS, VECTORS, strict=True)
    ]
    return pickled(folder, rows)


def pickled(folder: Path, held: object) -> str:
    """Some object as a pickle."""
    import pickle

    (folder / "m.pkl").write_bytes(pickle.dumps(held))
    return "m"


def pickled_pairs(folder: Path) -> str:
    """A path and a vector for each image, as DeepFace stored them before."""
    return pickled(folder, [[name, vector.tolist()] for name, vector in zip(IDS, VECTORS, strict=True)])


def pickled_dictionary(folder: Path) -> str:
    """Id to vector."""
    return pickled(folder, dict(zip(IDS, VECTORS, strict=True)))


@pytest.mark.parametrize(
    "write",
    [
        object_ids,
        object_dictionary,
        object_of_one,
        object_list,
        object_rows,
        deepface_pickle,
        pickled_pairs,
        pickled_dictionary,
    ],
)
def test_the_three_lines_of_a_refusal_convert(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    write: Callable[[Path], str],
) -> None:
    """Nothing is unpickled here; who runs the three lines of the refusal can import the folder as it then is."""
    monkeypatch.chdir(tmp_path)
    system = write(tmp_path)
    table(tmp_path / "people.csv", "photo", "person", "sex")
    code, printed = run(capsys, ".", "into=out")
    assert code == 1
    python = printed.split("if you trust the file: ")[1].strip().split("; ")
    assert len(python) == 3
    exec("\n".join(python), {})
    code, printed = run(capsys, ".", "into=out")
    assert code == 0, printed
    assert np.array_equal(
        np.sort(stored(Path(f"out/templates/{system}.npz"))["embedding"], axis=0), np.sort(VECTORS, axis=0)
    )


def test_a_table_adds_people_and_groups(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """table=FILE names the people of a set that names none, and adds groups."""
    write_bin(tmp_path, PAIRS)
    rows = [
        (f"{2 * i + side:06d}", who, "ab"[len(who) % 2])
        for i, pair in enumerate(PAIRS)
        for side, (who, _) in enumerate((pair.probe, pair.reference))
    ]
    with (tmp_path / "who.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("image", "person", "site"), *rows])
    out = tmp_path / "out"
    code, printed = run(capsys, str(tmp_path), f"into={out}", f"table={tmp_path / 'who.csv'}")
    assert code == 0, printed
    assert re.search(r"groups     site \(a: \d+, b: \d+ images\)", printed)
    assert list(load_spec(["audit=imported_insightface_bin"], str(out)).schemas) == ["site"]


def test_the_output_may_stand_in_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What an import wrote below the folder is not read by the next; a file that stands there is kept."""
    npz(tmp_path)
    out = tmp_path / "sub" / "out"
    assert run(capsys, str(tmp_path), f"into={out}")[0] == 0
    code, printed = run(capsys, str(tmp_path), f"into={out}")
    assert code == 1
    assert "into: already contains audit, metadata.csv, templates; accepted: an empty folder" in printed


@pytest.mark.parametrize(("write", "folders"), [(sessions, 3), (days, 32)])
def test_who_is_shown_is_said_where_folders_or_a_column_could_be_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], write: Callable[[Path], None], folders: int
) -> None:
    """Each answer is taken: the folders, or the column, whose sex is a group then."""
    (tmp_path / "set").mkdir()
    write(tmp_path / "set")
    for answer, people in (("folder", folders), ("employee", 16)):
        into = tmp_path / answer
        code, printed = run(capsys, str(tmp_path / "set"), f"into={into}", f"subject={answer}")
        assert code == 0, printed
        assert pd.read_csv(into / "metadata.csv")["subject_id"].nunique() == people
    assert "groups     sex" in printed


def test_a_column_that_nothing_has_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where the folders could be people: what was asked for is never passed over."""
    np.savez(tmp_path / "m.npz", embedding=VECTORS, paths=[f"{row[1]}/{row[0][6:]}" for row in ROWS])
    code, printed = run(capsys, str(tmp_path), f"into={tmp_path / 'out'}", "subject=worker")
    assert code == 1
    assert "subject: no table and no array of the images has 'worker'; accepted: " in printed


def test_images_of_one_name_in_several_folders_stay_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Paths, pairs and groups are those of the person whose image it is, with and without the ending in a table."""
    ids = [f"{who}/{shot}.jpg" for who in ("alice", "bob", "carol") for shot in (1, 2)]
    for name in ids:
        (tmp_path / "set" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "set" / name).write_bytes(b"")
    groups = "".join(f"{name},{'m' if name.startswith('bob') else 'f'}\n" for name in ids)
    (tmp_path / "groups.csv").write_text(f"image_id,sex\n{groups}")
    words = [str(tmp_path / "set"), f"table={tmp_path / 'groups.csv'}"]
    code, printed = run(capsys, *words, f"into={tmp_path / 'people'}")
    assert code == 0, printed
    of = pd.read_csv(tmp_path / "people" / "metadata.csv").set_index("image_id")["sex"]
    assert of.to_dict() == {name[:-4]: "m" if name.startswith("bob") else "f" for name in ids}
    np.savez(tmp_path / "set" / "m.npz", embedding=VECTORS[: len(ids)], image_id=ids)
    (tmp_path / "set" / "pairs.csv").write_text("probe,reference\nalice/1,alice/2\nbob/1,carol/2\n")
    code, printed = run(capsys, str(tmp_path / "set"), f"into={tmp_path / 'out'}", "as=embeddings")
    assert code == 0, printed
    samples = pd.read_csv(tmp_path / "out" / "metadata.csv")
    assert samples["path"].tolist() == samples["image_id"].tolist() == ids
    pairs = pd.read_csv(tmp_path / "out" / "pairs.csv")
    assert pairs.to_numpy().tolist() == [["alice/1.jpg", "alice/2.jpg", 1], ["bob/1.jpg", "carol/2.jpg", 0]]


@pytest.mark.parametrize("mark", ["\n", "\r", "\x85", "\u2028"])
def test_a_file_name_is_no_line_of_the_spec(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], mark: str
) -> None:
    """Nor is it the value of another key, where it looks like one; nor is a path a command where it is printed."""
    folder = tmp_path / "pairs; touch pwned"
    folder.mkdir()
    write_bin(folder, PAIRS)
    (folder / "set.bin").rename(folder / f"x{mark}seed: 666{mark}# ${{cohort.root}}.bin")
    out = tmp_path / "out"
    code, printed = run(capsys, str(folder), f"into={out}")
    assert code == 0, printed
    assert f"frtaudit import '{folder}' into=FOLDER" in printed
    held = (out / "audit" / "imported_insightface_bin.yaml").read_text()
    assert "seed" not in yaml.safe_load(held)
    assert load_spec(["audit=imported_insightface_bin"], str(out)).seed != 666
    assert "${" not in held


def test_a_class_that_a_spec_would_read_as_a_key_is_no_group(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The column stays in the metadata, and the spec loads."""
    rows = [
        f"{name},{name.split('_')[0]},{'${cohort.root}' if row % 2 else 'b'}" for row, name in enumerate(IDS)
    ]
    np.savez(tmp_path / "m.npz", embedding=VECTORS, image_id=IDS)
    (tmp_path / "people.csv").write_text("\n".join(["photo,person,site", *rows]) + "\n")
    code, printed = run(capsys, str(tmp_path), f"into={tmp_path / 'out'}")
    assert code == 0, printed
    assert "site" in (tmp_path / "out" / "metadata.csv").read_text().splitlines()[0]
    assert not load_spec(["audit=imported_embeddings"], str(tmp_path / "out")).schemas


@pytest.mark.parametrize("column", ["a&b", "a|b", "x" * 201, "_target_", "x\x1b[2J", "hydra", "../site", " "])
def test_a_column_of_any_name_becomes_a_schema_that_the_spec_can_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], column: str
) -> None:
    """Its classes are those of the column, whatever the schema is called."""
    people = sorted({name.split("_")[0] for name in IDS})
    rows = [[name, name.split("_")[0], "ab"[people.index(name.split("_")[0]) % 2]] for name in IDS]
    np.savez(tmp_path / "m.npz", embedding=VECTORS, image_id=IDS)
    with (tmp_path / "people.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([["photo", "person", column], *rows])
    code, printed = run(capsys, str(tmp_path), f"into={tmp_path / 'out'}")
    assert code == 0, printed
    schemas = load_spec(["audit=imported_embeddings"], str(tmp_path / "out")).schemas.values()
    assert [schema.column for schema in schemas] == ([column] if column.strip() else [])
    assert all(schema.classes == ("a", "b") for schema in schemas)


@pytest.mark.parametrize("step", ["contents.os.scandir", "importer.recognise", "output.metadata"])
def test_a_signal_ends_it_between_two_steps(
    step: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the folder is listed, while it is read, while files are written: nothing is left."""
    given, into = tmp_path / "given", tmp_path / "into"
    given.mkdir()
    npz(given)
    target = f"frtaudit.inputs.importing.{step}"
    whole = resolve_name(target)

    def signalled(*values: object) -> object:
        os.kill(os.getpid(), signal.SIGTERM)
        return whole(*values)

    monkeypatch.setattr(target, signalled)
    code, said = run(capsys, str(given), f"into={into}")
    assert (code, said.splitlines()[-1]) == (143, "frtaudit: stopped")
    assert not into.exists()


def test_image_names_are_ids_and_numbers_of_people_may_become_groups(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Columns of no known name: the one of image files is taken; the schema that is proposed for ages is checked."""
    folder, into = tmp_path / "export", tmp_path / "into"
    folder.mkdir()
    np.save(folder / "vendor_a.npy", VECTORS)
    with (folder / "staff.csv").open("w", newline="") as file:
        rows = ((name, who, 20 + 2 * int(who[3:]), who) for name, who, *_ in ROWS)
        csv.writer(file).writerows([("bild", "badge", "years", "pay roll"), *rows])
    code, printed = run(capsys, str(folder), f"into={into}", "subject=badge")
    assert code == 0, printed
    assert "table of images: staff.csv, column bild" in printed
    (line,) = [line for line in printed.splitlines() if line.startswith("  numbers")]
    proposed = line[line.index("'") + 1 : line.rindex("'")]
    assert proposed == "+schemas.years={column: years, bins: {edges: [35]}}"
    spec = load_spec(["audit=imported_embeddings", f"cohort.root={into}", proposed], str(into))
    assert any(said.startswith("schema years: <35: 8, >=35: 8 subjects") for said in check(spec))
