import hashlib
import time
from pathlib import Path
from shutil import rmtree

import numpy as np
import pandas as pd
import pytest

from frtaudit.core.spec import ConflictRule, SchemaSpec
from frtaudit.datasets.cohorts.templates import TemplateFolder
from frtaudit.errors import DataError

METADATA = "image_id,subject_id,gender\nb_2,b,f\na_1,a,m\na_2,a,m\nb_1,b,f\nc_1,c,\n"
GENDER = {"gender": SchemaSpec(column="gender", classes=("f", "m"))}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three subjects, five samples; model y lacks c_1 and, without a reason, a_2."""
    (tmp_path / "metadata.csv").write_text(METADATA)
    (tmp_path / "templates").mkdir()
    ids = np.array(["a_1", "a_2", "b_1", "b_2", "c_1"])
    vectors = np.arange(1, 11, dtype=np.float16).reshape(5, 2)
    np.savez(tmp_path / "templates" / "x.npz", embedding=vectors, image_id=ids)
    np.savez(tmp_path / "templates" / "y.npz", embedding=vectors[[0, 2, 3]], image_id=ids[[0, 2, 3]])
    (tmp_path / "failures.csv").write_text("image_id,model,reason\nc_1,y,no_face\n")
    return tmp_path


def test_a_folder_is_read(root: Path) -> None:
    """Samples sorted by subject, classes, providers by stem, failures by reason, digests of every file."""
    cohort_data = TemplateFolder(root=str(root)).load(GENDER, 0)
    assert cohort_data.cohort.sample_ids == ("a_1", "a_2", "b_1", "b_2", "c_1")
    assert cohort_data.cohort.classifications["gender"].codes.tolist() == [1, 0, -1]
    assert list(cohort_data.templates) == list(cohort_data.failures) == ["x", "y"]
    assert dict(cohort_data.failures["y"]) == {1: "no_template", 4: "no_face"}
    assert cohort_data.templates["y"]().rows.tolist() == [0, 2, 3]
    assert cohort_data.pairs is None
    digest = hashlib.sha256((root / "metadata.csv").read_bytes())
    assert cohort_data.inputs["metadata.csv"] == digest.hexdigest()
    assert cohort_data.pseudonym_key not in (digest.digest(), bytes.fromhex(cohort_data.cohort.digest))
    assert sorted(cohort_data.inputs) == [
        "failures.csv",
        "metadata.csv",
        "templates/x.npz",
        "templates/y.npz",
    ]


def test_failures_of_a_model_without_templates_are_noted(root: Path) -> None:
    """A model's name that is mistyped in failures.csv is said, with the nearest name."""
    (root / "templates" / "door.npz").write_bytes((root / "templates" / "y.npz").read_bytes())
    (root / "failures.csv").write_text("image_id,model,reason\nc_1,dor,no_face\n")
    assert TemplateFolder(root=str(root)).load({}, 0).notes == (
        "failures.csv: model 'dor' has no templates (did you mean 'door'?); its failures (1) are not counted",
    )


def test_a_failure_of_an_image_with_a_template_is_noted(root: Path) -> None:
    """It is counted as acquired, which the list of failures contradicts; a header alone lists none."""
    (root / "failures.csv").write_text("image_id,model,reason\na_1,x,no_face\nc_1,y,no_face\n")
    assert TemplateFolder(root=str(root)).load({}, 0).notes == (
        "failures.csv: 1 image has a row in templates/x.npz too: counted as acquired",
    )
    (root / "failures.csv").write_text("image_id,model,reason\n")
    cohort_data = TemplateFolder(root=str(root)).load({}, 0)
    assert (cohort_data.notes, cohort_data.failures["y"][4]) == ((), "no_template")


def test_what_is_no_template_file_is_named_as_unread(root: Path) -> None:
    """An array beside the templates; not what macOS leaves there."""
    for name in ("._x.npz", "b.npy", "c.NPZ"):
        (root / "templates" / name).write_bytes(b"junk")
    source = TemplateFolder(root=str(root))
    assert source.systems == ["x", "y"]
    assert source.load({}, 0).unread == ("templates/b.npy", "templates/c.NPZ")


def test_a_provider_is_read_when_it_is_asked_for(root: Path) -> None:
    """A broken file of one provider stands in nobody else's way."""
    (root / "templates" / "y.npz").write_bytes(b"junk")
    cohort_data = TemplateFolder(root=str(root)).load({}, 0)
    assert cohort_data.templates["x"]().rows.size == 5
    assert not cohort_data.failures["x"]
    with pytest.raises(DataError, match="templates/y.npz: not a readable .npz file"):
        cohort_data.templates["y"]()
    with pytest.raises(DataError, match="templates/y.npz: not a readable .npz file"):
        cohort_data.failures["y"]


def test_metadata_in_parquet_reads_alike(root: Path) -> None:
    """metadata.parquet is found where there is no metadata.csv, and gives the same cohort."""
    first = TemplateFolder(root=str(root)).load(GENDER, 0)
    pd.read_csv(root / "metadata.csv").to_parquet(root / "metadata.parquet")
    (root / "metadata.csv").unlink()
    second = TemplateFolder(root=str(root)).load(GENDER, 0)
    assert first.cohort.digest == second.cohort.digest
    assert "metadata.parquet" in second.inputs


def test_columns_and_files_can_be_named(root: Path) -> None:
    """Sample and subject columns, metadata, pairs, failures and the key file go by declared names."""
    (root / "who.csv").write_text("file,person\n" + "".join(f"{s}_{i},{s}\n" for s in "abc" for i in (1, 2)))
    (root / "list.txt").write_text("a 1 2\n")
    (root / "key").write_bytes(b"secret")
    cohort = TemplateFolder(
        root=str(root), metadata="who.csv", sample_column="file", subject_column="person", pairs="list.txt",
        failures="failures.csv", pseudonym_key=str(root / "key"),
    )  # fmt: skip
    cohort_data = cohort.load({}, 0)
    assert cohort_data.cohort.n_samples == 6
    assert cohort_data.pairs == root / "list.txt"
    assert cohort_data.pseudonym_key == b"secret"


def test_a_dropped_subject_leaves_every_file(root: Path) -> None:
    """Templates and failures of a subject whom a conflict rule dropped are no error and no failure."""
    (root / "metadata.csv").write_text(METADATA.replace("b_1,b,f", "b_1,b,m"))
    rule = {"gender": SchemaSpec(column="gender", conflicts=ConflictRule.DROP)}
    cohort_data = TemplateFolder(root=str(root)).load(rule, 0)
    assert cohort_data.cohort.sample_ids == ("a_1", "a_2", "c_1")
    assert cohort_data.templates["x"]().vectors[:, 0].tolist() == [1, 3, 9]
    assert dict(cohort_data.failures["y"]) == {1: "no_template", 2: "no_face"}
    assert cohort_data.cohort.ledger[0].count == 1


def edit(root: Path, name: str, text: str) -> None:
    (root / name).write_text(text)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("metadata.csv", METADATA + "a_1,a,m\n", "metadata.csv line 7: duplicate id: .* metadata.csv line 3"),
        ("metadata.csv", METADATA.replace("c_1,c", "c_1,"), "metadata.csv line 6: no subject id"),
        (
            "metadata.csv",
            METADATA.replace("image_id", "picture"),
            "cohort.sample_column: metadata.csv has no column image_id or sample_id; .*=COLUMN, one of picture, sub",
        ),
        (
            "metadata.csv",
            METADATA.replace("b_1,b,f", "b_1,b,m"),
            r"1 subject\(s\) have samples that disagree",
        ),
        ("metadata.csv", METADATA.replace(",m", ",f"), "no subject is in class 'm'"),
        ("metadata.csv", "image_id,subject_id,gender\na_1,a,m\n", r"1 subject\(s\) to compare"),
        (
            "failures.csv",
            "image_id,model,reason\nz_1,y,no_face\n",
            "failures.csv line 2: an image id without metadata",
        ),
        ("failures.csv", "image_id,reason\na_1,no_face\n", "failures.csv: no column model or provider"),
    ],
)
def test_bad_files_are_one_line(root: Path, name: str, text: str, message: str) -> None:
    """Each fault names the file and the line."""
    edit(root, name, text)
    with pytest.raises(DataError, match=message):
        TemplateFolder(root=str(root)).load(GENDER, 0)


def test_an_image_without_metadata_is_seen(root: Path) -> None:
    """A template whose id the metadata lack is refused, by row and not by name."""
    edit(root, "metadata.csv", METADATA.replace("c_1,c", "d_1,d"))
    edit(root, "failures.csv", "image_id,model,reason\nd_1,y,no_face\n")
    cohort_data = TemplateFolder(root=str(root)).load({}, 0)
    with pytest.raises(DataError, match="templates/x.npz: row 4 has an image id without metadata"):
        cohort_data.templates["x"]()


def test_people_without_templates_are_a_cohort(root: Path) -> None:
    """Without the folder the people and images are read, for a provider that scores by itself."""
    whole = TemplateFolder(root=str(root)).load({}, 0)
    rmtree(root / "templates")
    bare = TemplateFolder(root=str(root)).load({}, 0)
    assert bare.templates == {}
    assert bare.cohort.digest == whole.cohort.digest


def test_missing_files_are_one_line(root: Path) -> None:
    """No folder, no metadata, no declared pair list, no templates."""
    with pytest.raises(DataError, match="cohort.root: no folder"):
        TemplateFolder(root=str(root / "none")).load({}, 0)
    with pytest.raises(
        DataError, match=r"^cohort.pairs: no file 'pairs.csv' .*: .*failures.csv, metadata.csv, templates$"
    ):
        TemplateFolder(root=str(root), pairs="pairs.csv").load({}, 0)
    for path in (root / "templates").iterdir():
        path.unlink()
    embeddings = f"; embeddings of any other layout: frtaudit import {root} into=OUT$"
    with pytest.raises(DataError, match=f"templates: no .npz file.*{embeddings}"):
        TemplateFolder(root=str(root)).load({}, 0)
    (root / "templates" / "One.NPZ").touch()
    with pytest.raises(DataError, match=r"^templates/One\.NPZ: an ending in capitals; accepted: One\.npz$"):
        TemplateFolder(root=str(root)).load({}, 0)
    (root / "templates" / "One.NPZ").unlink()
    (root / "metadata.csv").unlink()
    with pytest.raises(DataError, match=r"^metadata.csv: no such file below .*cohort.metadata=FILE[^;]*$"):
        TemplateFolder(root=str(root)).load({}, 0)
    (root / "templates").rmdir()
    with pytest.raises(
        DataError, match=f"^metadata.csv: no such file below .*cohort.metadata=FILE.*{embeddings}"
    ):
        TemplateFolder(root=str(root)).load({}, 0)


@pytest.mark.data
def test_lfw_is_read(face_data: Path) -> None:
    """LFW: counts as its README says, six providers, seven declared failures of one of them, in seconds."""
    rule = SchemaSpec(column="subject_gender_majority", classes=("female", "male"), unknown=("*",))
    start = time.process_time()
    cohort_data = TemplateFolder(root=str(face_data / "lfw")).load({"gender": rule}, 0)
    assert time.process_time() - start < 5  # CPU seconds; 0.4 when measured
    assert (cohort_data.cohort.n_samples, cohort_data.cohort.n_subjects) == (13233, 5749)
    sizes = np.bincount(cohort_data.cohort.subject_of)
    assert (np.count_nonzero(sizes == 1), sizes.max()) == (4069, 530)
    codes = cohort_data.cohort.classifications["gender"].codes
    assert np.bincount(codes[cohort_data.cohort.subject_of] + 1).tolist() == [6, 2961, 10266]
    assert len(cohort_data.templates) == 6
    assert set(cohort_data.failures["dlib_resnet"].values()) == {"no_face_detected"}
    assert {name: loader().vectors.shape for name, loader in cohort_data.templates.items()} == {
        "dlib_resnet": (13226, 128),
        "mobileface_tfjs_weak": (13233, 256),
        "mobilefacenet_foamliu": (13233, 128),
        "mobilefacenet_insightface": (13233, 128),
        "mobilefacenet_quant_zye": (13233, 128),
        "mobilefacenet_xiaoccer": (13233, 128),
    }


@pytest.mark.data
def test_orl_is_read(face_data: Path) -> None:
    """ORL: 38 subjects of ten samples, one declared failure."""
    cohort_data = TemplateFolder(root=str(face_data / "orl")).load({}, 0)
    assert np.bincount(cohort_data.cohort.subject_of).tolist() == [10] * 38
    assert sum(len(cohort_data.failures[name]) for name in cohort_data.failures) == 1


def test_a_folder_is_no_template_file(tmp_path: Path) -> None:
    """A folder whose name ends in .npz is refused by its name, not passed over."""
    (tmp_path / "templates" / "a.npz").mkdir(parents=True)
    (tmp_path / "metadata.csv").write_text("image_id,subject_id\na1,a\nb1,b\n")
    with pytest.raises(DataError, match=r"^templates/a\.npz: is a folder; accepted: an \.npz file$"):
        TemplateFolder(root=str(tmp_path)).load({}, 0)


def test_templates_may_be_the_sum_of_original_and_flipped(root: Path) -> None:
    """A named array is added to the embeddings as read; a file without it, or of another shape, is refused."""
    ids = np.array(["a_1", "b_1"])
    one, other = np.float16([[1, 2], [3, 4]]), np.float32([[0.5, 0], [0, 1]])
    for path in (root / "templates").glob("*.npz"):
        np.savez(path, embedding=one, flipped=other, image_id=ids)
    summed = TemplateFolder(root=str(root), flipped="flipped").load({}, 0).templates["x"]()
    assert summed.vectors.tolist() == [[1.5, 2], [3, 5]]
    assert TemplateFolder(root=str(root)).load({}, 0).templates["x"]().vectors.tolist() == one.tolist()
    with pytest.raises(DataError, match="templates/x.npz: no array mirrored"):
        TemplateFolder(root=str(root), flipped="mirrored").load({}, 0).templates["x"]()
    np.savez(root / "templates" / "x.npz", embedding=one, flipped=other[:1], image_id=ids)
    with pytest.raises(DataError, match="templates/x.npz: the flipped array has shape"):
        TemplateFolder(root=str(root), flipped="flipped").load({}, 0).templates["x"]()


def test_what_is_wrong_with_a_training_set_is_said_of_it(root: Path, tmp_path: Path) -> None:
    """A missing folder and an unusable one are named by the training set, not by the cohort's root."""
    (tmp_path / "empty").mkdir(exist_ok=True)
    for path, said in (("nowhere", "no folder 'nowhere'"), (str(tmp_path / "empty"), "metadata.csv: ")):
        with pytest.raises(DataError, match=f"^cohort.training.wild: {said}"):
            TemplateFolder(root=str(root), training={"wild": path}).load(GENDER, 0)


def test_attributes_and_training_sets(root: Path) -> None:
    """Every other column stands by sample; a training set is a folder of the same layout, its files are inputs."""
    training = {"wild": str(root)}
    cohort_data = TemplateFolder(root=str(root), training=training).load(GENDER, 0)
    assert cohort_data.attributes["gender"].tolist() == ["m", "m", "f", "f", ""]
    assert cohort_data.training["wild"].cohort.n_samples == 5
    assert list(cohort_data.training["wild"].templates) == ["x", "y"]
    assert "training/wild/templates/x.npz" in cohort_data.inputs
