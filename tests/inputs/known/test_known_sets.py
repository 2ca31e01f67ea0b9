"""Each known layout, made up, read again; what contradicts itself is in a table at the end; any damage is one line.

Of agedb_30, bfw, bob_database, calfw_cplfw, cfp, embeddings, feature_list, frte, ijb, ijb_nist, image_memory,
insightface_bin, insightface_rec, lfw, meds, morph, people_folders, rfw and vggface2.
"""

import os
import pickle
import random
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scipy.io
from hypothesis import given, settings
from hypothesis import strategies as st
from known_sets import (
    NAMES,
    Pair,
    agedb_name,
    bfw_rows,
    bob_id,
    halves,
    ijb_id,
    images_of,
    lfw_line,
    made_pairs,
    mid,
    python_2_bin,
    write_agedb,
    write_bfw,
    write_bin,
    write_bob,
    write_cfp,
    write_csv,
    write_features,
    write_frte,
    write_ijb,
    write_ijb_nist,
    write_lfw,
    write_memory,
    write_morph,
    write_rec,
    write_rfw,
    write_two_lines,
)

from frtaudit.config.plugins import load_plugins
from frtaudit.core.registry import name_of, names
from frtaudit.errors import DataError, FrtauditError
from frtaudit.inputs.importing.agreement import agreed
from frtaudit.inputs.importing.attach import with_systems
from frtaudit.inputs.importing.contents import contents_of
from frtaudit.inputs.importing.importer import read_import
from frtaudit.inputs.importing.recognition import recognise
from frtaudit.inputs.importing.values import KnownSet, Options
from frtaudit.report.exports.write import write_whole

PAIRS = made_pairs()
Row = tuple[str, str, bool, int]


def read(folder: Path, **options: str) -> KnownSet:
    """The set in a folder, recognised, read and checked."""
    load_plugins()
    contents = contents_of(folder)
    reader, _ = recognise(contents)
    return agreed(reader.read(contents, Options(**options)), options.get("mated", ""))


def recognised(folder: Path) -> str:
    """Which layout a folder is taken for."""
    load_plugins()
    return name_of("known_set", type(recognise(contents_of(folder))[0]))


def rows(known: KnownSet) -> list[Row]:
    """Ids, kind and fold of each pair."""
    pairs = known.pairs
    assert pairs is not None
    assert pairs.mated is not None
    fold = np.full(pairs.probe.size, -1) if pairs.fold is None else pairs.fold
    ids = np.asarray(known.samples.ids, dtype=object)
    return list(zip(ids[pairs.probe], ids[pairs.reference], pairs.mated.tolist(), fold.tolist(), strict=True))


def expected(pairs: list[Pair], image: Callable[[str, int], str]) -> list[Row]:
    """The same of synthetic pairs, images being called ``image(name, number)``."""
    return [(image(*pair.probe), image(*pair.reference), pair.mated, pair.fold) for pair in pairs]


def subject(known: KnownSet, image: str) -> str:
    """Who is shown."""
    assert known.samples.subjects is not None
    return known.samples.subjects[list(known.samples.ids).index(image)]


@given(seed=st.integers(0, 10_000), folds=st.integers(2, 5), each=st.integers(1, 3))
@settings(max_examples=15)
def test_lfw_comes_back(tmp_path_factory: pytest.TempPathFactory, seed: int, folds: int, each: int) -> None:
    """Pairs, folds and people of any list in LFW's layout are those that were written."""
    folder = tmp_path_factory.mktemp("lfw")
    pairs = made_pairs(seed, folds, each)
    write_lfw(folder, pairs)
    known = read(folder)
    assert rows(known) == expected(pairs, "{}_{:04d}".format)
    assert all(
        subject(known, f"{name}_{number:04d}") == name for name, number in (pair.probe for pair in pairs)
    )


def bfw_name(name: str, number: int) -> str:
    """An image of BFW's table."""
    group = "asian_females" if NAMES.index(name) % 2 else "white_males"
    return f"{group}/n{NAMES.index(name):06d}/{number:04d}_01.jpg"


def cfp_name(name: str, number: int) -> str:
    """A frontal image of CFP."""
    return f"{NAMES.index(name) + 1:03d}/frontal/{number:02d}"


def frte_name(name: str, number: int) -> str:
    """An image of MEDS-II, as the logs call its template."""
    return f"S{NAMES.index(name):03d}-{number:02d}-t10_01"


def in_order(pairs: list[Pair]) -> list[Row]:
    """Of a set that names nobody: images by their place."""
    return [(f"{2 * i:06d}", f"{2 * i + 1:06d}", pair.mated, pair.fold) for i, pair in enumerate(pairs)]


def without_folds(found: list[Row]) -> list[Row]:
    """Of a layout that has none."""
    return [(*row[:3], -1) for row in found]


BACK: dict[str, tuple[Callable[..., object], Callable[[list[Pair]], list[Row]]]] = {
    "agedb_30": (write_agedb, lambda pairs: expected(pairs, agedb_name)),
    "bfw": (write_bfw, lambda pairs: expected(pairs, bfw_name)),
    "bob_database": (write_bob, lambda pairs: without_folds(expected(pairs, bob_id))),
    "calfw_cplfw": (write_two_lines, lambda pairs: expected(halves(pairs), "{}_{}".format)),
    "cfp": (write_cfp, lambda pairs: expected(pairs, cfp_name)),
    "feature_list": (write_features, lambda pairs: expected(pairs, "lfw/{0}_{1:04d}.jpg".format)),
    "frte": (write_frte, lambda pairs: without_folds(expected(pairs, frte_name))),
    "ijb": (write_ijb, lambda pairs: without_folds(expected(pairs, lambda *side: str(ijb_id(*side))))),
    "ijb_nist": (
        write_ijb_nist,
        lambda pairs: without_folds(expected(pairs, lambda *side: str(ijb_id(*side)))),
    ),
    "image_memory": (write_memory, in_order),
    "insightface_bin": (write_bin, in_order),
    "rfw": (
        write_rfw,
        lambda pairs: [
            (f"{race}/{row[0]}", f"{race}/{row[1]}", *row[2:])
            for race in ("Asian", "Indian")
            for row in expected(pairs, lambda name, number: f"{mid(name)}_{number:04d}")
        ],
    ),
}


@pytest.mark.parametrize("layout", BACK)
@given(seed=st.integers(0, 10_000), each=st.integers(1, 3))
@settings(max_examples=8)
def test_any_pairs_come_back(
    tmp_path_factory: pytest.TempPathFactory, layout: str, seed: int, each: int
) -> None:
    """Reader(writer(pairs)) is the pairs, with their images, kinds and folds, in each layout that has pairs."""
    folder, pairs = tmp_path_factory.mktemp(layout), unrepeated(made_pairs(seed, 10, each))
    write, wanted = BACK[layout]
    write(folder, pairs)
    known = read(folder, **({"file": "FF"} if layout == "cfp" else {}))
    assert sorted(rows(known)) == sorted(wanted(pairs))


def unrepeated(pairs: list[Pair]) -> list[Pair]:
    """With another image where a comparison stood before: no list holds one twice."""
    found: dict[frozenset[tuple[str, int]], Pair] = {}
    for pair in pairs:
        changed = pair
        while frozenset({changed.probe, changed.reference}) in found or changed.probe == changed.reference:
            name, number = changed.reference
            changed = Pair(changed.probe, (name, number % 24 + 1), changed.fold)
        found[frozenset({changed.probe, changed.reference})] = changed
    return list(found.values())


def test_xqlfw_has_qualities_and_dev_lists_have_no_folds(tmp_path: Path) -> None:
    """Quality joins by name and number; a list with one count has no folds and gives way to one with two."""
    write_lfw(tmp_path, PAIRS)
    (name, number) = PAIRS[0].probe
    (tmp_path / "scores.txt").write_text(f"ID Num Score\n{name} {number} 0.25\n")
    dev = halves(PAIRS)
    (tmp_path / "dev.txt").write_text("\n".join([str(len(dev) // 2), *map(lfw_line, dev)]))
    known = read(tmp_path)
    place = list(known.samples.ids).index(f"{name}_{number:04d}")
    assert known.samples.columns["quality"][place] == "0.25"
    assert known.name == "xqlfw"
    assert known.notes[-1].startswith("not read: dev.txt")
    of_dev = read(tmp_path, file="dev.txt")
    assert of_dev.pairs is not None
    assert of_dev.pairs.fold is None


def test_images_of_lfw_are_found_by_name_and_listed(tmp_path: Path) -> None:
    """An image that no pair names joins the set where its folder is its person; a missing one is counted."""
    write_lfw(tmp_path, PAIRS)
    for name, number in ((NAMES[0], 77), PAIRS[0].probe):
        place = tmp_path / "lfw" / name
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{name}_{number:04d}.jpg").write_bytes(b"")
    (tmp_path / "lfw" / "other.jpg").write_bytes(b"")
    known = read(tmp_path)
    assert f"{NAMES[0]}_0077" in known.samples.ids
    assert "other" not in known.samples.ids
    assert sorted(path for path in known.samples.columns["path"] if path) == sorted(
        f"lfw/{name}/{name}_{number:04d}.jpg" for name, number in ((NAMES[0], 77), PAIRS[0].probe)
    )
    assert any(note.startswith("not in the folder: ") for note in known.notes)


@pytest.mark.parametrize(
    ("name", "pattern", "label"), [("calfw", "{0}_{1:04d}.jpg", "{}"), ("cplfw", "{0}_{1}.jpg", "1")]
)
def test_calfw_and_cplfw_are_regrouped(tmp_path: Path, name: str, pattern: str, label: str) -> None:
    """All mated pairs stand first: fold i is the i-th part of each half, any label but 0 is mated."""
    write_two_lines(tmp_path, PAIRS, pattern, label)
    known = read(tmp_path)
    assert known.name == name
    assert rows(known) == expected(halves(PAIRS), lambda *side: pattern.format(*side).removesuffix(".jpg"))


def test_rfw_keeps_races_apart_and_pads_numbers(tmp_path: Path) -> None:
    """Two-digit numbers have four digits in names; a person under two races is two subjects, which is said."""
    write_rfw(tmp_path, PAIRS)
    known = read(tmp_path)
    wanted = [
        row
        for race in ("Asian", "Indian")
        for row in expected(PAIRS, lambda name, number, race=race: f"{race}/{mid(name)}_{number:04d}")  # type: ignore[misc]
    ]
    assert rows(known) == wanted
    assert any(number > 9 for pair in PAIRS for _, number in (pair.probe,))
    people = len({side[0] for pair in PAIRS for side in (pair.probe, pair.reference)})
    assert f"people in the lists of two races, each of whom counts as two subjects: {people}" in known.notes
    assert set(known.samples.columns["race"]) == {"Asian", "Indian"}


def test_an_error_in_the_second_list_of_rfw_names_it(tmp_path: Path) -> None:
    """A place names the file that the pair stands in, also where several files make one list."""
    write_rfw(tmp_path, PAIRS)
    known = read(tmp_path)
    assert known.pairs is not None
    assert known.pairs.place(len(PAIRS) + 2) == "txts/Indian/Indian_pairs.txt line 3"


def test_bfw_is_pairs_folds_groups_and_systems(tmp_path: Path) -> None:
    """Every column of numbers that is none of BFW's is a system; an empty score is a failed comparison."""
    write_bfw(tmp_path, PAIRS)
    known = read(tmp_path)
    assert rows(known) == expected(PAIRS, bfw_name)
    assert sorted(known.scores) == ["resnet50", "sphereface"]
    assert np.isnan(known.scores["sphereface"].score).tolist() == [True] + [False] * (len(PAIRS) - 1)
    assert known.samples.groups == ("attribute", "ethnicity", "gender")
    assert set(known.samples.columns["gender"]) == {"female", "male"}


def test_a_header_with_spaces_is_read(tmp_path: Path) -> None:
    """Spaces before the names of columns are not part of them."""
    write_csv(tmp_path / "table.csv", bfw_rows(PAIRS), lambda name: f" {name}")
    assert read(tmp_path).name == "bfw"


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_bin_comes_back_from_every_protocol(tmp_path: Path, protocol: int) -> None:
    """Images and labels are those that were pickled, byte for byte, and nobody is named."""
    write_bin(tmp_path, PAIRS, protocol)
    known = read(tmp_path)
    assert [row[2:] for row in rows(known)] == [(pair.mated, pair.fold) for pair in PAIRS]
    assert known.samples.subjects is None
    assert known.held is not None
    assert [data for _, data in known.held()] == list(images_of(PAIRS))
    assert [name for name, _ in known.held()][:2] == ["000000.jpg", "000001.jpg"]


def test_a_bin_of_python_2_comes_back(tmp_path: Path) -> None:
    """Byte strings as Python 2 pickled them are images; what Python itself reads from the file is the same."""
    data = python_2_bin(PAIRS)
    assert pickle.loads(data, encoding="bytes") == (list(images_of(PAIRS)), [pair.mated for pair in PAIRS])
    (tmp_path / "lfw.bin").write_bytes(data)
    known = read(tmp_path)
    assert known.held is not None
    assert [data for _, data in known.held()] == list(images_of(PAIRS))


def test_a_folder_of_people_is_all_pairs(tmp_path: Path) -> None:
    """People are the folders; ids are paths without endings, or with them where two would be alike."""
    for path in ("a/1.jpg", "a/2.jpg", "b/1.png"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(b"")
    known = read(tmp_path)
    assert (known.pairs, list(known.samples.ids), known.samples.subjects) == (
        None,
        ["a/1", "a/2", "b/1"],
        ["a", "a", "b"],
    )
    assert known.notes == ("people with one image, in non-mated comparisons only: 1",)
    (tmp_path / "a/1.png").write_bytes(b"")
    assert list(read(tmp_path).samples.ids) == ["a/1.jpg", "a/1.png", "a/2.jpg", "b/1.png"]
    (tmp_path / "pairs.txt").write_text("a\t1\t2\na\t1\tb\t1\n")
    assert read(tmp_path).notes[-1] == "lists and tables that are not read: pairs.txt"


@pytest.mark.parametrize("header", [True, False])
def test_records_come_back(tmp_path: Path, header: bool) -> None:
    """Labels are people and bytes are images, with or without a first record; people's own records are no images."""
    who = write_rec(tmp_path, PAIRS, header=header)
    known = read(tmp_path)
    assert known.samples.subjects == [f"id{NAMES.index(name):07d}" for name in who]
    assert known.held is not None
    assert [data for _, data in known.held()] == list(images_of(PAIRS))


def test_features_come_back_with_people_where_paths_say_them(tmp_path: Path) -> None:
    """Names that agree with every label are people, and the templates are theirs."""
    vectors = write_features(tmp_path, PAIRS)
    known = read(tmp_path)
    assert rows(known) == expected(PAIRS, "lfw/{0}_{1:04d}.jpg".format)
    assert subject(known, known.samples.ids[0]) == PAIRS[0].probe[0]
    (held,) = known.templates.values()
    place = list(known.samples.ids).index("lfw/{}_{:04d}.jpg".format(*PAIRS[-1].reference))
    assert np.array_equal(held.vectors[list(held.rows).index(place)], vectors[-1].astype(np.float32))


def test_features_of_nobody_are_scores(tmp_path: Path) -> None:
    """Paths that say nothing leave comparisons: the cosine of each pair."""
    vectors = write_features(tmp_path, PAIRS, "{0}{1}.jpg")
    known = read(tmp_path)
    assert known.samples.subjects is None
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    (scores,) = known.scores.values()
    assert np.allclose(scores.score, np.sum(unit[::2] * unit[1::2], axis=1), atol=1e-6)


@pytest.mark.parametrize(("kind", "pose"), [("FF", "frontal"), ("FP", "profile")])
def test_cfp_comes_back(tmp_path: Path, kind: str, pose: str) -> None:
    """Numbers count from 1; the protocol asked for is read; pose is a column and no group."""
    write_cfp(tmp_path, PAIRS)
    known = read(tmp_path, file=kind)

    def image(name: str, number: int, of: str = "frontal") -> str:
        return f"{NAMES.index(name) + 1:03d}/{of}/{number:02d}"

    wanted = [(image(*pair.probe), image(*pair.reference, pose), pair.mated, pair.fold) for pair in PAIRS]
    assert sorted(rows(known)) == sorted(wanted)
    assert known.samples.groups == ()
    with pytest.raises(DataError, match="accepted: file=FF or file=FP"):
        read(tmp_path)


def test_agedb_comes_back(tmp_path: Path) -> None:
    """Folds, people, gender and age are read from the Matlab file and the names in it."""
    write_agedb(tmp_path, PAIRS)
    known = read(tmp_path)
    assert rows(known) == expected(PAIRS, agedb_name)
    place = list(known.samples.ids).index(agedb_name(*PAIRS[0].probe))
    assert known.samples.columns["age"][place] == str(PAIRS[0].probe[1] + 20)
    assert set(known.samples.columns["gender"]) == {"female", "male"}


def test_ijb_has_people_from_its_1n_lists(tmp_path: Path) -> None:
    """Templates need not be consecutive; frames and media are counted; people come from the lists beside."""
    write_ijb(tmp_path, PAIRS)
    known = read(tmp_path)
    wanted = expected(PAIRS, lambda name, number: str(ijb_id(name, number)))
    assert rows(known) == [(*row[:3], -1) for row in wanted]
    assert subject(known, str(ijb_id(NAMES[3], 5))) == "3"
    assert (set(known.samples.columns["images"]), set(known.samples.columns["media"])) == ({"3"}, {"2"})


def test_ijb_without_these_lists_is_comparisons(tmp_path: Path) -> None:
    """Nobody is named; scores in an array as long as the list of pairs are its scores."""
    write_ijb(tmp_path, PAIRS, people=False)
    np.save(tmp_path / "Job_1.npy", np.linspace(0, 1, len(PAIRS)))
    known = with_systems(read(tmp_path), contents_of(tmp_path), Options())
    assert known.samples.subjects is None
    assert known.notes[0].startswith("these lists have no subject ids")
    assert known.scores["job_1"].score.tolist() == np.linspace(0, 1, len(PAIRS)).tolist()


def test_nists_ijb_has_people_and_classes_by_majority(tmp_path: Path) -> None:
    """Mated is what the people say; an empty cell says nothing, and most images decide a class."""
    write_ijb_nist(tmp_path, PAIRS)
    known = read(tmp_path)
    wanted = expected(PAIRS, lambda name, number: str(ijb_id(name, number)))
    assert rows(known) == [(*row[:3], -1) for row in wanted]
    of = dict(zip(known.samples.subjects or (), known.samples.columns["gender"], strict=True))
    assert of == {f"9{i}": "01"[i % 2] for i, _ in enumerate(NAMES)}
    assert known.samples.groups == ("gender", "skin_tone")


def test_logs_of_frte_have_failures_by_code(tmp_path: Path) -> None:
    """Parts make one list; a return code is a failure whatever the score; codes carry the names of the interface."""
    write_frte(tmp_path, PAIRS)
    known = read(tmp_path)
    (scores,) = known.scores.values()
    lost = [i % 5 == 4 for i, _ in enumerate(PAIRS)]
    assert np.isnan(scores.score).tolist() == lost
    assert set(scores.failure.values()) == {"template_creation_error"}
    assert [row[2] for row in rows(known)] == [pair.mated for pair in PAIRS]
    assert "1 template not created: face_detection_error 1" in known.notes
    assert known.pairs is not None
    assert known.pairs.place(len(PAIRS) // 2) == "match.log.1 line 2"


def test_logs_of_frte_take_a_table_of_people(tmp_path: Path) -> None:
    """Where names say nothing, the table that the error asks for settles it."""
    write_frte(tmp_path, PAIRS, "{0}x{1}")
    with pytest.raises(DataError, match="accepted: table=FILE with columns id and subject_id"):
        read(tmp_path)
    who = [
        {"id": f"{NAMES.index(name)}x{number}", "subject_id": name} for name in NAMES for number in range(25)
    ]
    write_csv(tmp_path / "who.csv", who)
    known = read(tmp_path, table="who.csv")
    assert [row[2] for row in rows(known)] == [pair.mated for pair in PAIRS]


@pytest.mark.parametrize("matching", [True, False])
def test_a_database_of_bob_comes_back(tmp_path: Path, matching: bool) -> None:
    """The matching list is the pairs; without it every probe meets every enrolled image but itself."""
    write_bob(tmp_path, PAIRS, matching=matching)
    known = read(tmp_path)
    wanted = [row[:3] for row in expected(PAIRS, bob_id)]
    if not matching:
        probes, enrolled = (
            {side(pair) for pair in PAIRS} for side in (lambda p: p.probe, lambda p: p.reference)
        )
        wanted = [(bob_id(*a), bob_id(*b), a[0] == b[0]) for a in probes for b in enrolled if a != b]
    assert sorted(row[:3] for row in rows(known)) == sorted(wanted)
    assert known.samples.groups == ("race",)
    assert "leye_x" not in known.samples.columns


def test_morph_has_classes_and_says_where_they_vary(tmp_path: Path) -> None:
    """Photos are images by name; people whose gender or race varies are counted."""
    write_morph(tmp_path)
    known = read(tmp_path)
    assert known.samples.ids[4] == "000001_1M31"
    assert known.notes == (
        "people with several values of gender, of which the majority counts: 1",
        "people with several values of race, of which the majority counts: 1",
    )
    assert set(known.samples.columns["race"]) == {"white", "black", "asian", "hispanic", "other"}


def test_meds_is_read_from_names_in_any_folder(tmp_path: Path) -> None:
    """Subject, encounter and pose stand in the name; one image alone gives no mated comparison."""
    for name in ("S001-01-t10_01", "S001-02-t10_01", "S300-01-t10_02"):
        (tmp_path / f"{name}.jpg").write_bytes(b"")
    known = read(tmp_path)
    assert known.name == "meds"
    assert known.samples.subjects == ["S001", "S001", "S300"]
    assert known.samples.columns["encounter"] == ["01", "02", "01"]
    assert known.notes[0].startswith("people with one image")


def test_vggface2_takes_a_header_with_spaces_and_the_test_part(tmp_path: Path) -> None:
    """Names with commas are quoted, columns begin with spaces; the test part is read; people's names are left out."""
    (tmp_path / "meta.csv").write_text(
        'Class_ID, Name, Sample_Num, Flag, Gender\nn000001, "Lo, Ada", 2, 0, f\nn000002, "Bo", 1, 1, m\n'
    )
    for path in ("train/n000002/0001_01.jpg", "test/n000001/0001_01.jpg", "test/n000009/0002_01.jpg"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_bytes(b"")
    known = read(tmp_path)
    assert (known.name, list(known.samples.ids)) == ("vggface2", ["n000001/0001_01", "n000009/0002_01"])
    assert known.samples.columns["gender"] == ["female", ""]
    assert known.notes == ("people of unknown gender, in no line of meta.csv: 1",)
    assert list(read(tmp_path, file="train").samples.ids) == ["n000002/0001_01"]


def test_labels_of_an_array_of_images_come_back(tmp_path: Path) -> None:
    """AdaFace's list is pairs by place; a list whose images nobody describes is none."""
    write_memory(tmp_path, PAIRS)
    known = read(tmp_path)
    assert [row[2:] for row in rows(known)] == [(pair.mated, pair.fold) for pair in PAIRS]
    assert known.samples.subjects is None
    np.save(tmp_path / "lfw_list.npy", np.array([True]))
    with pytest.raises(DataError, match="no known layout"):
        read(tmp_path)


def swapped(folder: Path) -> None:
    """One fold has mated pairs only, another non-mated ones."""
    rows = bfw_rows(PAIRS)
    for row in rows:
        row["fold"] = "2" if row["label"] == "1" else "1"
    write_bfw(folder, PAIRS, rows)


def relabelled(folder: Path) -> None:
    """A label says mated of two people."""
    rows = bfw_rows(PAIRS)
    rows[3]["label"] = "1"
    write_bfw(folder, PAIRS, rows)


def regrouped(folder: Path) -> None:
    """The gender of an image disagrees with its folder."""
    rows = bfw_rows(PAIRS)
    rows[2]["g1"] = "F" if rows[2]["g1"] == "M" else "M"
    write_bfw(folder, PAIRS, rows)


def two_lines(change: Callable[[list[str]], list[str]]) -> Callable[[Path], None]:
    """CPLFW's list, its lines changed."""

    def write(folder: Path) -> None:
        write_two_lines(folder, PAIRS)
        path = folder / "list.txt"
        path.write_text("\n".join(change(path.read_text().splitlines())) + "\n")

    return write


def bin_of(data: bytes) -> Callable[[Path], None]:
    """A file of these bytes."""
    return lambda folder: (folder / "x.bin").write_bytes(data) and None


def short_lfw(folder: Path) -> None:
    """A list with fewer pairs than its first line says."""
    write_lfw(folder, PAIRS, header="10\t300")


def swapped_lfw(folder: Path) -> None:
    """A list whose first mated line and first non-mated one changed places."""
    first = next(row for row, pair in enumerate(PAIRS) if not pair.mated)
    write_lfw(folder, [PAIRS[first], *PAIRS[1:first], PAIRS[0], *PAIRS[first + 1 :]])


def itself(folder: Path) -> None:
    """A pair of an image with itself."""
    (folder / "pairs.txt").write_text("1\t1\nAda\t1\t1\nAda\t1\tBo\t1\n")


def linked(folder: Path) -> None:
    """The list is a link to a file elsewhere."""
    (folder / "sub").mkdir()
    write_lfw(folder / "sub", PAIRS)
    os.link(folder / "sub" / "pairs.txt", folder / "real.txt")
    (folder / "sub" / "pairs.txt").unlink()
    (folder / "real.txt").rename(folder.parent / f"{folder.name}.txt")
    (folder / "pairs.txt").symlink_to(folder.parent / f"{folder.name}.txt")


def records(change: Callable[[bytearray], None]) -> Callable[[Path], None]:
    """Records, the bytes of the file changed."""

    def write(folder: Path) -> None:
        write_rec(folder, PAIRS)
        data = bytearray((folder / "train.rec").read_bytes())
        change(data)
        (folder / "train.rec").write_bytes(data)

    return write


def beyond(folder: Path, offset: int = 99999999) -> None:
    """An offset behind the end of the records."""
    write_rec(folder, PAIRS)
    index = (folder / "train.idx").read_text()
    (folder / "train.idx").write_text(index + f"900\t{offset}\n")


def features(change: Callable[[str], str], file: str = "feat.list") -> Callable[[Path], None]:
    """MagFace's lists, one of them changed."""

    def write(folder: Path) -> None:
        write_features(folder, PAIRS)
        (folder / file).write_text(change((folder / file).read_text()))

    return write


def cfp(change: Callable[[Path], None]) -> Callable[[Path], None]:
    """CFP with FF alone, something changed."""

    def write(folder: Path) -> None:
        write_cfp(folder, PAIRS)
        shutil.rmtree(folder / "Protocol" / "Split" / "FP")
        change(folder / "Protocol")

    return write


def of_text(name: str, text: str) -> Callable[[Path], None]:
    """A file of this text below the folder."""
    return lambda folder: (folder / name).write_text(text) and None


def changed(write: Callable[..., None], file: str, old: str, new: str) -> Callable[[Path], None]:
    """A set as ``write`` makes it, then ``old`` replaced once in one file of it; the text is there."""

    def both(folder: Path) -> None:
        write(folder, PAIRS)
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new, 1))

    return both


def two_people(folder: Path) -> None:
    """A third 1:N list says another person of a template."""
    write_ijb(folder, PAIRS)
    write_csv(folder / "g2.csv", [{"TEMPLATE_ID": str(ijb_id(NAMES[0], 1)), "SUBJECT_ID": "77"}])
    (folder / "g2.csv").rename(folder / "a.csv")


def enrolled_again(folder: Path) -> None:
    """A probe is enrolled as somebody else."""
    write_bob(folder, PAIRS)
    with (folder / "rfw/dev/for_enrolling.csv").open("a") as file:
        file.write(f"{bob_id(*PAIRS[0].probe)},Zed,T,a,3\n")


def vgg_fields(folder: Path) -> None:
    """A line with a field too many."""
    vgg_parts(folder)
    with (folder / "meta.csv").open("a") as file:
        file.write("n000002, B, C, 1, 0, f\n")


def meds_link(folder: Path) -> None:
    """Images that are links to files elsewhere."""
    for name in ("S001-01-t10_01.jpg", "S001-02-t10_01.jpg"):
        (folder / name).symlink_to("/dev/zero")


def vgg_parts(folder: Path) -> None:
    """A table without images."""
    (folder / "meta.csv").write_text("Class_ID, Name, Sample_Num, Flag, Gender\nn000001, A, 1, 0, f\n")


def memory_of_objects(folder: Path) -> None:
    """Labels that are Python objects."""
    write_memory(folder, PAIRS)
    np.save(folder / "lfw_list.npy", np.array([Evil(), True], dtype=object))


def packed_zeros(folder: Path) -> None:
    """A small Matlab file that unpacks to 72 MB."""
    scipy.io.savemat(folder / "x.mat", {"splits": np.zeros(9_000_000)}, do_compression=True)


class Evil:
    """Unpickled, it would make a folder."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("pwned",)


BINS = list(images_of(PAIRS))
LABELS = [pair.mated for pair in PAIRS]
BAD = {
    "lfw, fewer pairs than said": (short_lfw, "pairs.txt: 40 pairs; accepted: 6000, as the first line says"),
    "lfw, lines exchanged": (swapped_lfw, "pairs.txt line 2: a line of the other kind; accepted: "),
    "lfw, an image with itself": (itself, "pairs.txt line 2: compares an image with itself"),
    "lfw, a link": (linked, "no known layout: 0 files"),
    "cplfw, labels of a pair disagree": (
        two_lines(lambda lines: [*lines[:5], lines[5][:-1] + "0", *lines[6:]]),
        "list.txt line 6: the two labels of a pair disagree",
    ),
    "cplfw, a label disagrees with names": (
        two_lines(lambda lines: [*lines[:-2], *(line[:-1] + "1" for line in lines[-2:])]),
        "accepted: labels that agree with the names, or mated=names",
    ),
    "cplfw, half a pair": (
        two_lines(lambda lines: lines[:-1]),
        "list.txt: 79 lines; accepted: an even number",
    ),
    "cplfw, a line of something else": (
        two_lines(lambda lines: [*lines, "../../etc/x 1"]),
        "list.txt line 81: not an image and a label",
    ),
    "bfw, a fold of one kind": (swapped, "table.csv: fold 1 has non-mated pairs only"),
    "bfw, label and people disagree": (
        relabelled,
        "table.csv line 5: the label is mated, the names are of two people",
    ),
    "bfw, group and folder disagree": (regrouped, "att, g and e of an image disagree"),
    "rec, a magic number lost": (
        records(lambda data: data.__setitem__(slice(40, 44), b"xxxx")),
        "train.idx key 1: no record begins there",
    ),
    "rec, a part of a record": (
        records(lambda data: data.__setitem__(47, 0x20)),
        "key 1: a record in several parts",
    ),
    "rec, a giant flag": (
        records(lambda data: data.__setitem__(slice(48, 52), b"\xff" * 4)),
        "key 1: the record is cut off",
    ),
    "rec, half a person": (
        records(lambda data: data.__setitem__(slice(72, 76), b"\0\0\0\x3f")),
        "key 1: the label is not the number",
    ),
    "rec, an infinite person": (
        records(lambda data: data.__setitem__(slice(72, 76), b"\0\0\x80\x7f")),
        "key 1: the label is not a finite number",
    ),
    "rec, no number of images": (
        records(lambda data: data.__setitem__(slice(32, 36), b"\0\0\xc0\x7f")),
        "key 0: the label is not a finite number",
    ),
    "rec, an offset beyond": (beyond, "train.rec: a record is cut off"),
    "rec, an offset beyond all files": (partial(beyond, offset=10**19 - 1), "train.rec: a record is cut off"),
    "features, a label of 2": (
        features(lambda text: text + "2\n", "pair.list"),
        "pair.list line 41: the last field is neither",
    ),
    "features, too few": (features(lambda text: text.partition("\n")[2]), "feat.list: 79 lines for 40 pairs"),
    "features, a line cut": (
        features(lambda text: text[:-30].rpartition(" ")[0] + " x"),
        "feat.list: a line is not a path",
    ),
    "cfp, number 0": (
        cfp(of_text("Split/FF/03/same.txt", "0,1\n")),
        "03/same.txt line 1: not a pair of numbers of the lists",
    ),
    "cfp, a gap": (
        cfp(
            of_text(
                "Pair_list_F.txt",
                "1 ../Data/Images/001/frontal/01.jpg\n3 ../Data/Images/001/frontal/02.jpg\n",
            )
        ),
        "Pair_list_F.txt line 2: not a number and a path",
    ),
    "cfp, diff of one person": (
        cfp(of_text("Split/FF/01/diff.txt", "1,2\n")),
        "the label is non-mated, the names are of one",
    ),
    "agedb, a file that unpacks to too much": (packed_zeros, "x.mat: more than 67108864 bytes when unpacked"),
    "agedb, a label of the other kind": (
        lambda folder: write_agedb(folder, PAIRS, flip=2),
        "protocol.mat line 9: the label is non-mated, the names are of one person",
    ),
    "ijb, a template without images": (
        changed(write_ijb, "template_pair_label.txt", f"{ijb_id(*PAIRS[0].probe)} ", "5 "),
        "template_pair_label.txt line 1: a template without images",
    ),
    "ijb, a label of the other kind": (
        changed(write_ijb, "template_pair_label.txt", " 1\n", " 0\n"),
        "line 1: the label is non-mated, the names are of one person",
    ),
    "ijb, a template of two people": (two_people, "gallery_G1.csv line 2: a template of two people"),
    "ijb, words": (
        changed(write_ijb, "template_pair_label.txt", f"{ijb_id(*PAIRS[-1].reference)} 0\n", "x 0\n"),
        "template_pair_label.txt: not 3 fields in each line",
    ),
    "nist's ijb, an unknown template": (
        changed(write_ijb_nist, "test1/match.csv", ",", ",1"),
        "match.csv line 1: not a pair of templates",
    ),
    "nist's ijb, no person": (
        changed(write_ijb_nist, "test1/enroll_templates.csv", ",90,", ",,"),
        "a template of two people, or of none",
    ),
    "frte, a code that is not a number": (
        changed(write_frte, "match.log.1", " 0\n", " ok\n"),
        "match.log.1 line 2: score or code is not a number",
    ),
    "frte, no score with success": (
        changed(write_frte, "match.log.0", " 0.0 0", " nan 0"),
        "match.log.0 line 2: no finite score with",
    ),
    "frte, a line cut": (
        changed(write_frte, "match.log.0", " 0.0 0", " 0.0"),
        "match.log.0 line 2: 3 fields",
    ),
    "bob, an unknown template": (
        changed(write_bob, "rfw/dev/for_matching.csv", ",T", ",U"),
        "a template that is not enrolled, or not a probe",
    ),
    "bob, an image of two": (enrolled_again, "for_probing.csv line 2: an image of two subjects"),
    "morph, an unknown gender": (
        changed(lambda folder, _: write_morph(folder), "any.csv", ",M,", ",X,"),
        "any.csv line 2: an unknown gender; accepted: M, F",
    ),
    "morph, a photo twice": (
        changed(lambda folder, _: write_morph(folder), "any.csv", "000000_1M31", "000000_0M30"),
        "morph: 1 duplicate image ids",
    ),
    "meds, links": (meds_link, "no known layout: 0 files"),
    "vggface2, a field too many": (
        vgg_fields,
        "meta.csv line 3: 6 fields; accepted: 5, as the first line has",
    ),
    "vggface2, no images": (vgg_parts, "0 parts with images of people"),
    "arrays, labels that are objects": (
        memory_of_objects,
        "lfw_list.npy: holds Python objects, which would have to be unpickled",
    ),
    "bin, something to run": (
        bin_of(pickle.dumps(([Evil()], [True]), protocol=2)),
        "GLOBAL 'posix mkdir', which a list of images does not need",
    ),
    "bin, something to run, protocol 4": (
        bin_of(pickle.dumps(([Evil()], [True]), protocol=4)),
        "STACK_GLOBAL",
    ),
    "bin, numpy's labels": (
        bin_of(pickle.dumps((BINS, list(np.array(LABELS))), protocol=4)),
        "if you trust the file: import pickle",
    ),
    "bin, cut off": (
        bin_of(pickle.dumps((BINS, LABELS), protocol=4)[:-60]),
        "a damaged pickle, or not a list of images",
    ),
    "bin, a length beyond the file": (bin_of(b"\x80\x04](\x8e" + b"\xff" * 7 + b"\x0f."), "a damaged pickle"),
    "bin, too few labels": (
        bin_of(pickle.dumps((BINS, LABELS[1:]), protocol=4)),
        "80 images and 39 labels; accepted: two images for each label",
    ),
    "bin, texts for images": (
        bin_of(pickle.dumps((["a", "b"], [True]), protocol=4)),
        "a value that is not an encoded image",
    ),
    "bin, a list in itself": (bin_of(b"\x80\x02]q\x00h\x00a]\x88a\x86."), "1 images and 1 labels"),
    "bin, a label of 7": (
        bin_of(pickle.dumps((BINS[:2], [7]), protocol=4)),
        "a label that is neither true nor false",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_contradicts_itself_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """One line names the place and the fault; nothing in the file runs."""
    folder = tmp_path / "set"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    write, message = BAD[case]
    write(folder)
    with pytest.raises(DataError) as caught:
        read(folder)
    assert message in str(caught.value)
    assert not (tmp_path / "pwned").exists()


def test_names_decide_where_they_are_asked_to(tmp_path: Path) -> None:
    """With mated=names a contradiction is a note, and the people decide."""
    relabelled(tmp_path)
    known = read(tmp_path, mated="names")
    assert rows(known)[3][2] is False
    assert "1 label against the names: the names were used" in known.notes


def test_two_layouts_are_a_question(tmp_path: Path) -> None:
    """A folder that is two things says which option settles it, and then is the one that was named."""
    write_lfw(tmp_path, PAIRS)
    write_bin(tmp_path, PAIRS)
    with pytest.raises(DataError, match=r"accepted: as=insightface_bin or as=lfw"):
        recognised(tmp_path)
    load_plugins()
    assert recognise(contents_of(tmp_path), "lfw")[1].file == "pairs.txt"


def write_embeddings(folder: Path, pairs: list[Pair]) -> None:
    """An array file, and a table of its images."""
    images = sorted({side for pair in pairs for side in (pair.probe, pair.reference)})
    ids = ["{}_{}.png".format(*image) for image in images]
    np.savez(folder / "m.npz", features=np.random.default_rng(1).normal(size=(len(ids), 4)), paths=ids)
    write_csv(
        folder / "people.csv", [{"photo": i, "person": n} for i, (n, _) in zip(ids, images, strict=True)]
    )


def write_shots(*paths: str) -> Callable[[Path, list[Pair]], None]:
    """Empty images at these places."""

    def write(folder: Path, _: list[Pair]) -> None:
        for path in paths:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(b"")

    return write


def write_vgg(folder: Path, pairs: list[Pair]) -> None:
    """VGGFace2's table with two people's images."""
    write_shots("train/n000001/0001_01.jpg", "train/n000001/0002_01.jpg", "train/n000002/0001_01.jpg")(
        folder, pairs
    )
    (folder / "meta.csv").write_text(
        "Class_ID, Name, Sample_Num, Flag, Gender\nn000001, A, 2, 1, f\nn000002, B, 1, 1, m\n"
    )


WRITERS: dict[str, Callable[..., object]] = {
    **{layout: write for layout, (write, _) in BACK.items()},
    "embeddings": write_embeddings,
    "insightface_rec": write_rec,
    "lfw": write_lfw,
    "meds": write_shots("S001-01-t10_01.jpg", "S001-02-t10_01.jpg", "S300-01-t10_02.jpg"),
    "morph": lambda folder, _: write_morph(folder),
    "people_folders": write_shots("a/1.jpg", "a/2.jpg", "b/1.png", "b/2.png"),
    "vggface2": write_vgg,
}
WORDS = ("../../x", "/etc/passwd", "=1+1", "nan", "-1", "9" * 30, "", "\u202e", "a,b")


def cut(path: Path, rng: random.Random) -> None:
    """The file ends before its last byte."""
    data = path.read_bytes()
    path.write_bytes(data[: rng.randrange(len(data))])


def altered(path: Path, rng: random.Random) -> None:
    """One byte is another."""
    data = bytearray(path.read_bytes())
    place = rng.randrange(len(data))
    data[place] ^= 1 + rng.randrange(255)
    path.write_bytes(data)


def worded(path: Path, rng: random.Random) -> None:
    """One field is a hostile word."""
    fields = re.split(rb"([,\s]+)", path.read_bytes())
    place = 2 * rng.randrange(len(fields) // 2)
    fields[place] = rng.choice([word for word in WORDS if word.encode() != fields[place]]).encode()
    path.write_bytes(b"".join(fields))


def renamed(path: Path, rng: random.Random) -> None:
    """The name is a hostile word."""
    path.rename(path.with_name(f"{rng.choice(WORDS).replace('/', '_')}{path.suffix}"))


DAMAGES = (cut, altered, worded)


def damage(folder: Path, rng: random.Random, how: Callable[[Path, random.Random], None]) -> None:
    """A file with this damage; where none has bytes, or fields for a word, another name of one."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    held = {path: data for path in files if (data := path.read_bytes())}
    able = [path for path in held if how is not worded or b"\0" not in held[path]]
    path = rng.choice(able or files)
    (how if able else renamed)(path, rng)
    assert not path.exists() or path.read_bytes() != held[path]


@pytest.mark.parametrize("layout", ["lfw", "insightface_bin", "insightface_rec", "image_memory", "cfp"])
def test_a_file_that_is_none_of_the_sets_is_refused(tmp_path: Path, layout: str) -> None:
    """A name that was mistyped is not answered with another set; what is accepted is accepted."""
    WRITERS[layout](tmp_path, PAIRS)
    with pytest.raises(DataError, match=r"^file: 'typo' is not one of the ") as refused:
        read(tmp_path, file="typo")
    accepted = str(refused.value).rpartition("accepted: ")[2].split(" or ")
    assert [read(tmp_path, file=name).pairs is None for name in accepted] == [
        layout == "insightface_rec"
    ] * len(accepted)


@pytest.mark.parametrize("layout", WRITERS)
def test_damaged_and_hostile_files_are_one_line_or_a_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    """Cut, of another byte or of a hostile word, four each: an import ends in one line or with all its files."""
    load_plugins()
    assert set(WRITERS) == set(names("known_set"))
    monkeypatch.chdir(tmp_path)
    refused, said = 0, ""
    for number in range(12):
        folder, into = tmp_path / f"set{number}", tmp_path / f"out{number}"
        folder.mkdir()
        WRITERS[layout](folder, PAIRS)
        damage(folder, random.Random(f"{layout} {number}"), DAMAGES[number % len(DAMAGES)])
        before = sorted(tmp_path.rglob("*"))
        try:
            made = read_import(str(folder), str(into), "", Options(file="FF" if layout == "cfp" else ""))
            write_whole(into, made.write, "into")
        except FrtauditError as error:
            refused += 1
            said = str(error)
        assert "\n" not in said
        assert [path for path in sorted(tmp_path.rglob("*")) if not path.is_relative_to(into)] == before
    assert refused >= (layout not in ("meds", "people_folders"))


LONG = "9" * 5000  # digits that int() refuses
BFW = "fold,p1,p2,label,att1,att2"
MATCH = "enrollTempl verifTempl simScore returnCode\na.template b.template 0.5 0\n"
ENROL = "id image templateSizeBytes returnCode\na a.jpg 1 {}\n"
NIST = "TEMPLATE_ID,SUBJECT_ID,FILENAME\n1,a,x\n2,b,y\n"
TEXTS: dict[str, dict[str, str]] = {
    "lfw, giant counts": {"pairs.txt": f"{LONG}\nA\t1\t2\n"},
    "lfw, a giant number beside a quality": {
        "pairs.txt": "1\nA\t1\t2\n",
        "q.txt": f"id num score\nA {LONG} 1\n",
    },
    "calfw, giant labels": {"pairs.txt": f"a_1.jpg {LONG}\na_2.jpg {LONG}\nb_1.jpg 0\nc_1.jpg 0\n"},
    "cfp, a giant number": {
        "list.txt": f"1 x/001/frontal/01.jpg\n{LONG} x/001/frontal/02.jpg\n",
        "Split/FF/01/same.txt": "1,2\n",
    },
    "frte, two signs": {"match.log": MATCH, "enroll.log": ENROL.format("--5")},
    "frte, a giant code": {"match.log": MATCH, "enroll.log": ENROL.format(LONG)},
    "bfw, another header": {"t.csv": f"{BFW.upper()},x\n1,a/b/c,a/b/d,1,a,a,0.5\n"},
    "bfw, half a side": {"t.csv": f"{BFW},g1,e1,x\n1,a/b/c,a/b/d,1,a,a,F,A,0.5\n"},
    "ijb_nist, another header": {
        "a/templates.csv": NIST,
        "a/match.csv": "1,2\n",
        "labels.csv": "subject_id,gender,skintone\na,0,1\n",
    },
    "vggface2, a giant field": {
        "meta.csv": f"Class_ID, Name, Sample_Num, Flag, Gender\nn000001, {LONG * 40}, 1, 1, f\n",
        "n000001/1.jpg": "",
    },
    "agedb, no Matlab": {
        "a.mat": f"MATLAB 5.0 MAT-file{' ' * 105}\x00\x01IM\x0f\x00\x00\x00\x40\x00\x00\x00{'x' * 64}"
    },
}


@pytest.mark.parametrize("case", TEXTS)
def test_what_looks_like_a_set_and_is_none_is_one_line_or_a_set(tmp_path: Path, case: str) -> None:
    """No number, header, field or archive ends an import with anything but its own error."""
    for name, text in TEXTS[case].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    said = ""
    try:
        read(tmp_path)
    except DataError as error:
        said = str(error)
    assert "\n" not in said


def test_a_table_of_logs_keeps_images_of_one_name_apart(tmp_path: Path) -> None:
    """Images 1.jpg in the folders of two people are of two people."""
    (tmp_path / "match.log").write_text(f"{MATCH}a.template c.template 0.2 0\n")
    lines = "".join(
        f"{name} faces/{who}/1.jpg 1 0\n" for name, who in (("a", "ann"), ("b", "bob"), ("c", "cy"))
    )
    (tmp_path / "enroll.log").write_text(f"id image templateSizeBytes returnCode\n{lines}")
    people = [{"file": f"faces/{who}/1.jpg", "subject_id": who} for who in ("ann", "bob", "cy")]
    write_csv(tmp_path / "who.csv", people)
    assert read(tmp_path, table="who.csv", id="file").samples.subjects == ["ann", "bob", "cy"]
