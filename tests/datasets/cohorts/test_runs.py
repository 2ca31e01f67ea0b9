import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from small_audits import put, spec
from vendor_audits import VENDORS, from_runs, made, pick, runs, trials

from frtaudit.core import AuditResult
from frtaudit.core.canonical import digest, sha256, to_bytes
from frtaudit.core.plain.records import to_json
from frtaudit.core.spec import AuditSpec, Bootstrap, Folds, Report, SchemaSpec, Thresholds
from frtaudit.datasets.cohorts.bob import BobScores
from frtaudit.datasets.cohorts.runs import Runs
from frtaudit.datasets.cohorts.scores import ScoreLists
from frtaudit.datasets.cohorts.templates import TemplateFolder
from frtaudit.datasets.protocols.all_pairs import AllPairs
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs.score_lists import nameless
from frtaudit.pipeline.audit import audit
from frtaudit.pipeline.components import load_cohort
from frtaudit.pipeline.rederive import note_paths
from frtaudit.pipeline.run import run


def test_finished_runs_give_the_numbers_of_one_audit() -> None:
    """Every estimate, failure and exclusion is that of the audit with all vendors, but for digits of accuracy."""
    direct = audit(made(*VENDORS, asked=from_runs().analyses["vendor_comparison"])).result  # type: ignore[arg-type]  # it is
    again = audit(
        replace(from_runs(), analyses={"vendor_comparison": from_runs().analyses["vendor_comparison"]})
    ).result
    assert [to_json(item) for item in again.estimates] == [to_json(item) for item in direct.estimates]
    assert again.failures == direct.failures
    assert "were reproduced from their scores: one, two, three" in " ".join(again.notes)
    assert len(pick(again, "vendor_difference")) > 20


def test_systems_are_named_by_their_runs() -> None:
    """A name for each run; without names two runs of one system are refused in one line."""
    path = str(runs() / "one")
    named = Runs(runs=(path, path), names=("old", "new")).load({}, 0)
    assert list(named.stored_systems) == ["old", "new"]
    with pytest.raises(
        SpecError, match="'one' is in two runs; .*: NAME=RUN NAME=RUN; in Python {'NAME': RUN,"
    ):
        Runs(runs=(path, path)).load({}, 0)
    with pytest.raises(SpecError, match="1 for 2 runs"):
        Runs(runs=(path, path), names=("old",)).load({}, 0)
    with pytest.raises(SpecError, match="no run"):
        Runs(runs=()).load({}, 0)


def test_the_cohort_is_that_of_the_runs() -> None:
    """The same digest, counts and classes; no name of a person, no path among the inputs."""
    cohort = trials()[0].cohort
    found = Runs(runs=(str(runs() / "one"),)).load({}, 0)
    assert found.cohort.digest == cohort.digest
    assert found.cohort.subject_of.tolist() == cohort.subject_of.tolist()
    assert (
        found.cohort.classifications["group"].codes.tolist() == cohort.classifications["group"].codes.tolist()
    )
    assert not set(found.cohort.sample_ids) & set(cohort.sample_ids)
    assert all(name.startswith("1/one/") for name in found.inputs)
    assert found.failures["one"] == dict(trials()[0].failed)


def test_runs_on_nobody_in_particular_are_refused(tmp_path: Path) -> None:
    """A run on scores without subjects has nobody to draw."""
    shutil.copytree(runs() / "two", tmp_path / "two")
    content = json.loads((tmp_path / "two" / "result.json").read_bytes())
    content["notes"].append(nameless.SAID)
    (tmp_path / "two" / "result.json").write_bytes(to_bytes(content))
    (tmp_path / "two" / "verdict.json").write_bytes(to_bytes({"result_sha256": digest(content)}))
    with pytest.raises(DataError, match="two: its files name no subjects"):
        Runs(runs=(str(tmp_path / "two"),)).load({}, 0)


def test_runs_on_other_people_are_refused(tmp_path: Path) -> None:
    """A result that verdict.json does not name; people drawn by another seed, though their images have the same ids."""
    shutil.copytree(runs() / "two", tmp_path / "two")
    content = json.loads((tmp_path / "two" / "result.json").read_bytes())
    content["digests"]["cohort"] = "0" * 64
    (tmp_path / "two" / "result.json").write_bytes(to_bytes(content))
    with pytest.raises(DataError, match="not the one that verdict.json names"):
        Runs(runs=(str(runs() / "one"), str(tmp_path / "two"))).load({}, 0)
    run(spec(bootstrap=Bootstrap(B=39), report=BARE), tmp_path / "other", lambda _: 0)
    with pytest.raises(
        DataError,
        match="its synthetic subjects are not those of every run; accepted: runs with the same cohort and seed",
    ):
        Runs(runs=(str(runs() / "one"), str(tmp_path / "other"))).load({}, 0)


BARE = Report(sign=False, html=False, pdf=False)
IMAGES = [(f"p{number:02d}_{shot}", f"p{number:02d}") for number in range(30) for shot in range(2)]


@pytest.fixture(scope="module")
def formats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs on the same images as templates, as a score list and as a file of bob.bio; ``part``: a list of fewer."""
    root = tmp_path_factory.mktemp("formats")
    rng = np.random.default_rng(5)
    faces = np.repeat(rng.normal(size=(30, 8)), 2, axis=0)
    vectors = [faces + noise * rng.normal(size=faces.shape) for noise in (0.5, 0.7, 0.9)]
    (root / "npz" / "templates").mkdir(parents=True)
    np.savez(
        root / "npz" / "templates" / "npz.npz", embedding=vectors[0], image_id=[name for name, _ in IMAGES]
    )
    sex = "".join(f"{name},{who},{'fm'[int(who[1:]) % 2]}\n" for name, who in IMAGES)
    (root / "npz" / "metadata.csv").write_text(f"image_id,subject_id,sex\n{sex}")
    ours = "probe,reference,probe_subject,reference_subject,score\n"
    theirs = "bio_ref_template_id,probe_template_id,bio_ref_subject_id,probe_subject_id,score\n"
    (root / "list.csv").write_text(ours + "".join(_lines(vectors[1], 0)))
    (root / "bob.csv").write_text(theirs + "".join(_lines(vectors[2], 0)))
    (root / "part.csv").write_text(ours + "".join(_lines(vectors[2], 5)))
    for name in ("npz", "list", "bob", "part"):
        run(_of_format(root, name), root / "runs" / name, lambda _: 0)
    return root / "runs"


def _of_format(root: Path, name: str) -> AuditSpec:
    """The audit of one of the four."""
    sources = {"npz": TemplateFolder(root=str(root / "npz")), "bob": BobScores(root=str(root / "bob.csv"))}
    sources |= {other: ScoreLists(root=str(root / f"{other}.csv")) for other in ("list", "part")}
    schemas = {"sex": SchemaSpec(column="sex", classes=("f", "m"))} if name == "npz" else {}
    protocol = AllPairs() if name == "npz" else Listed()
    thresholds, bootstrap = Thresholds(fmr=(0.1,)), Bootstrap(B=39)
    return spec(
        cohort=sources[name],
        protocol=protocol,
        schemas=schemas,
        thresholds=thresholds,
        bootstrap=bootstrap,
        report=BARE,
    )


def _lines(vectors: npt.NDArray[np.float64], first: int) -> Iterator[str]:
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for i in range(first, len(IMAGES)):
        for j in range(i + 1, len(IMAGES)):
            yield f"{IMAGES[j][0]},{IMAGES[i][0]},{IMAGES[j][1]},{IMAGES[i][1]},{unit[i] @ unit[j]:.6f}\n"


def test_formats_are_matched_by_their_people(formats: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No secret, and no data: templates, a list and bob's file give every image one pseudonym, and their own rates."""
    monkeypatch.setattr(
        "frtaudit.datasets.run_people.names_of", lambda _: pytest.fail("the data are not needed")
    )
    asked = replace(
        from_runs(), cohort=Runs(runs=tuple(str(formats / name) for name in ("npz", "list", "bob")))
    )
    asked = replace(asked, thresholds=Thresholds(fmr=(0.1,)), folds=Folds(), bootstrap=Bootstrap(B=39))
    cohort_data = load_cohort(asked)
    assert cohort_data.cohort.n_samples == len(IMAGES)
    assert cohort_data.cohort.classifications["sex"].codes.tolist() == [0, 1] * 15
    assert cohort_data.compared is not None
    assert cohort_data.compared.n_listed == 60 * 59 // 2
    assert any("all 60 images of 30 people and all 1770 comparisons" in note for note in cohort_data.notes)
    for name in ("npz", "list", "bob"):
        own = AuditResult.from_json(json.loads((formats / name / "result.json").read_bytes()))
        (known,) = [
            item
            for item in own.estimates
            if item.metric == "fnmr_at_fmr"
            and item.group == "all"
            and item.weighting == "pooled"
            and len(item.at) == 1
        ]
        system = put(asked, name)
        assert system.rates[0].fnmr[system.operating_points.declared[0], 0] == known.value


def test_partly_shared_people_are_compared_on_what_is_shared(formats: Path, tmp_path: Path) -> None:
    """Five images fewer: the data of the runs name the images; the notes count; other data, or none, are one line."""
    paths = (str(formats / "npz"), str(formats / "part"))
    for path in map(Path, paths):
        note_paths(_of_format(formats.parent, path.name), sha256((path / "result.json").read_bytes()))
    found = Runs(runs=paths).load({}, 0)
    assert found.cohort.n_samples == 55
    assert found.compared is not None
    assert found.compared.n_listed == 55 * 54 // 2
    assert "npz: all runs share 55 of its 60 images, of 28 of its 30 people, and 1485 of" in found.notes[0]
    assert not set(found.cohort.sample_ids) & {name for name, _ in IMAGES}
    direct = Runs(runs=(str(formats / "npz"),)).load({}, 0)
    assert set(found.cohort.sample_ids) < set(direct.cohort.sample_ids)
    score = found.stored_systems["npz"].table
    tail = direct.stored_systems["npz"].tail
    assert score is not None and tail is not None  # noqa: PT018  for mypy
    mated = found.compared.mated
    known = np.maximum(tail.mated_score.astype(np.float64), score.score.min())
    assert set(score.score[mated]) <= set(known)
    source = formats.parent / "part.csv"
    source.rename(tmp_path / "part.csv")
    try:
        with pytest.raises(DataError, match="part: its pseudonyms differ, and its data were not found"):
            Runs(runs=paths).load({}, 0)
    finally:
        (tmp_path / "part.csv").rename(source)


@pytest.mark.parametrize(
    ("table", "change", "said"),
    [
        ("tail", lambda frame: frame.assign(reference=frame["probe"]), "whose label and subjects disagree"),
        ("scores", lambda frame: frame.assign(probe="nobody"), "a probe that is not a sample"),
        ("samples", lambda frame: frame.drop(columns="subject"), "KeyError: 'subject'"),
        ("systems", lambda frame: frame.iloc[:0], "IndexError"),
    ],
)
def test_tables_that_contradict_each_other_are_refused(
    tmp_path: Path, table: str, change: Callable[[pd.DataFrame], pd.DataFrame], said: str
) -> None:
    """An unsigned run is taken as it is, but no comparison under another label, and none of somebody else."""
    shutil.copytree(runs() / "two", tmp_path / "two")
    path = tmp_path / "two" / "tables" / f"{table}.parquet"
    frame = pd.read_parquet(path)
    change(frame.astype(dict.fromkeys(frame.select_dtypes("category"), object))).to_parquet(path)
    with pytest.raises(DataError, match=f"{said}.*; accepted: (an unchanged run|unchanged runs)"):
        Runs(runs=(str(tmp_path / "two"),)).load({}, 0)


def test_a_list_with_other_labels_is_refused(formats: Path, tmp_path: Path) -> None:
    """A non-mated comparison that is counted as mated."""
    shutil.copytree(formats / "list", tmp_path / "list")
    path = tmp_path / "list" / "tables" / "scores.parquet"
    frame = pd.read_parquet(path)
    frame.loc[0, "mated"] = not frame.loc[0, "mated"]
    frame.to_parquet(path)
    with pytest.raises(DataError, match="whose label and subjects disagree"):
        Runs(runs=(str(tmp_path / "list"),)).load({}, 0)
