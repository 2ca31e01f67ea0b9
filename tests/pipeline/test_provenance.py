import platform
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_audits import COHORT, SCHEMAS, folder_of, spec, whole

from frtaudit.analyses.train_test_overlap import TrainTestOverlap
from frtaudit.core.canonical import sha256, sha256_file
from frtaudit.core.identity import spec_digest
from frtaudit.core.spec import Bootstrap, Folds, FoldSource, PairSetSpec, RequirementSpec, SchemaSpec
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.evaluation.system import AnalysisOutput
from frtaudit.pipeline.components import load_providers
from frtaudit.pipeline.provenance import (
    PACKAGES,
    cohort_counts,
    digests_of,
    inputs_of,
    notes_of,
    rows_of,
    versions,
)

MATERIAL = COHORT.load(SCHEMAS, 0)


def test_counts_of_the_cohort() -> None:
    """Samples and subjects, in all, by class, and of those with two samples; classes and unknown add up."""
    cohort = MATERIAL.cohort
    counts = cohort_counts(cohort)
    samples = np.bincount(cohort.subject_of)
    assert (counts["samples"], counts["subjects"]) == (cohort.n_samples, 24)
    assert counts["subjects_with_two_samples"] == int((samples >= 2).sum())
    groups = counts["schemas"]["group"]["groups"]  # type: ignore[index,call-overload]  # mappings
    assert [row["group"] for row in groups] == ["x", "y", "unknown"]
    codes = cohort.classifications["group"].codes
    for code, row in zip((0, 1, -1), groups, strict=True):
        assert row["subjects"] == int((codes == code).sum())
        assert row["samples"] == int(samples[codes == code].sum())
    assert sum(row["samples"] for row in groups) == cohort.n_samples


def test_labels_and_super_classes_stand_in_the_counts() -> None:
    """A class is printed by its label, super-classes name their parts."""
    schema = SchemaSpec(
        column="group", classes=("x", "y"), labels=("Ex", "Why"), super_classes={"both": ("x", "y")}
    )
    counts = cohort_counts(COHORT.load({"g": schema}, 0).cohort)
    part = counts["schemas"]["g"]  # type: ignore[index,call-overload]  # mappings
    assert [row["label"] for row in part["groups"]] == ["Ex", "Why", "unknown"]
    assert part["super_classes"] == {"both": ["x", "y"]}


def test_every_file_is_an_input(tmp_path: Path) -> None:
    """The cohort's files and those that the spec names, by name and digest; templates not audited are left out."""
    source = folder_of(tmp_path / "faces")
    (tmp_path / "own.csv").write_text("probe,reference,fold\n")
    made = spec(
        cohort=source, providers=("one",), folds=Folds(source=FoldSource.FILE, file=str(tmp_path / "own.csv"))
    )
    cohort_data = source.load(SCHEMAS, 0)
    inputs = inputs_of(made, cohort_data, load_providers(made, cohort_data))
    assert inputs == {
        "metadata.csv": sha256_file(tmp_path / "faces" / "metadata.csv"),
        "templates/one.npz": sha256_file(tmp_path / "faces" / "templates" / "one.npz"),
        "own.csv": sha256_file(tmp_path / "own.csv"),
    }
    digests = digests_of(made, cohort_data, inputs)
    rows = rows_of(cohort_data, inputs)
    assert set(rows) == {"metadata.csv", "templates/one.npz"}
    assert digests == {
        "spec": spec_digest(made, inputs), "cohort": cohort_data.cohort.digest, "inputs": inputs, "rows": rows,
    }  # fmt: skip


def test_metadata_is_an_input_beside_templates_of_its_name(tmp_path: Path) -> None:
    """A system that is not audited takes no file with it but its own."""
    source = folder_of(tmp_path / "faces")
    templates = tmp_path / "faces" / "templates"
    (templates / "two.npz").rename(templates / "metadata.npz")
    made = spec(cohort=source, providers=("one",))
    cohort_data = source.load(SCHEMAS, 0)
    inputs = inputs_of(made, cohort_data, load_providers(made, cohort_data))
    assert set(inputs) == {"metadata.csv", "templates/one.npz"}


def test_two_files_of_one_name_are_two_inputs(tmp_path: Path) -> None:
    """A file with the name of another input stands under the field that names it; the same file stands once."""
    for folder, text in (("a", "one"), ("b", "two")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "pairs.csv").write_text(text)
    first, second = (str(tmp_path / folder / "pairs.csv") for folder in ("a", "b"))
    made = spec(protocol=Listed(file=first), folds=Folds(source=FoldSource.FILE, file=second))
    assert inputs_of(made, MATERIAL, []) == {
        "pairs.csv": sha256_file(Path(first)),
        "folds.file/pairs.csv": sha256_file(Path(second)),
    }
    same = replace(made, folds=replace(made.folds, file=first))
    assert inputs_of(same, MATERIAL, []) == {"pairs.csv": sha256_file(Path(first))}


def test_a_synthetic_cohort_has_no_inputs() -> None:
    """Without files the identity is the spec alone."""
    assert whole().result.digests["inputs"] == {}


def test_versions_name_what_made_the_numbers() -> None:
    """Every numerical package and Python stand with their version."""
    found = versions()
    assert set(found) == {*PACKAGES, "python"}
    assert (found["numpy"], found["python"]) == (np.__version__, platform.python_version())


@pytest.mark.parametrize(("resamples", "noted"), [(199, False), (39, False), (60, True), (1000, True)])
def test_an_uneven_number_of_resamples_is_noted(resamples: int, noted: bool) -> None:
    """A B for which alpha (B + 1) is no integer is noted, not refused."""
    notes = notes_of(spec(bootstrap=Bootstrap(B=resamples)), ())
    assert [note for note in notes if "no integer" in note] == (
        [f"alpha (B + 1) = {0.05 * (resamples + 1):g} is no integer: percentile bounds are interpolated"]
        if noted
        else []
    )


def test_notes_stand_once_in_order() -> None:
    """Notes on the spec first, then those of the analyses, each once."""
    requirement = RequirementSpec(name="r", metric="eer", limit=0.1)
    outcomes = (AnalysisOutput(notes=("b", "a")), AnalysisOutput(notes=("a", "c")))
    notes = notes_of(replace(spec(), requirements=(requirement,)), outcomes)
    rule = (
        "requirements are judged at alpha = 0.05: a pass each by itself, a failure by Holm over all findings"
    )
    assert notes == (rule, "b", "a", "c")
    own = replace(spec(), requirements=(replace(requirement, level=0.8),))
    assert notes_of(own, ())[0].startswith(
        "requirements are judged at alpha = 0.05, or at a level of their own: "
    )


def test_files_of_test_sets_and_of_matchers_are_inputs(tmp_path: Path) -> None:
    """Lists that test sets name, and templates that only a matcher reads, are hashed; lists made are outputs."""
    source = folder_of(tmp_path / "faces")
    (tmp_path / "a.csv").write_text("probe,reference\n")
    pairs = Listed(file=str(tmp_path / "a.csv"))
    made = spec(cohort=source, providers=("one",), test_sets={"own": PairSetSpec(pairs=pairs)})
    made = replace(made, analyses={"overlap": TrainTestOverlap(matcher="two")})
    cohort_data = source.load(SCHEMAS, 0)
    inputs = inputs_of(made, cohort_data, load_providers(made, cohort_data))
    assert {"a.csv", "templates/two.npz", "templates/one.npz"} <= set(inputs)
    made_list = digests_of(made, cohort_data, inputs, {"x.csv": b"x"})["outputs"]
    assert made_list == {"x.csv": sha256(b"x")}
