"""Tests of frtaudit.pipeline.rederive."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from full_specs import to_full

from frtaudit.config.load import load_spec
from frtaudit.core import registry
from frtaudit.core.canonical import Json, sha256, to_bytes
from frtaudit.core.identity import to_plain
from frtaudit.core.spec import AuditSpec, Engine
from frtaudit.core.spec_values import PATH
from frtaudit.errors import DataError, SpecError
from frtaudit.pipeline import rederive as module
from frtaudit.pipeline.rederive import given_paths, held_seal, note_paths, noted_paths, rederive


@dataclass(frozen=True, slots=True, kw_only=True)
class OfAFile:
    """A system that reads a file."""

    name: str
    file: str = field(default="scores.csv", metadata=PATH)


@pytest.fixture(autouse=True)
def own_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, not made yet."""
    folder = tmp_path / "config"
    monkeypatch.setenv("FRTAUDIT_CONFIG_HOME", str(folder))
    return folder


@pytest.fixture
def audited(monkeypatch: pytest.MonkeyPatch) -> list[AuditSpec]:
    """The specs that are audited again."""
    specs: list[AuditSpec] = []

    def audit(spec: AuditSpec) -> SimpleNamespace:
        specs.append(spec)
        return SimpleNamespace(result=None)

    monkeypatch.setattr(module, "audit", audit)
    return specs


def lfw(root: str = "faces") -> AuditSpec:
    """A spec with a path, and one of the machine."""
    return load_spec(["audit=lfw", f"cohort.root={root}", "threads=2", "report.title=x"])


def content(spec: AuditSpec) -> Mapping[str, Any]:
    """What its result.json would hold."""
    return {"spec": to_plain(spec) | {"inputs": {"metadata.csv": "0" * 64}}}


def noted(spec: AuditSpec, about: AuditSpec | None = None) -> Mapping[str, Any]:
    """What the result.json of a spec would hold, and the note of its run (``about``: of another one)."""
    said = content(spec)
    note_paths(about or spec, sha256(to_bytes(said)))
    return said


def test_a_machine_knows_the_paths_of_its_runs(tmp_path: Path, audited: list[AuditSpec]) -> None:
    """Without words, the paths that the run noted on this machine are used; the spec is the result's."""
    rederive(noted(lfw()), tmp_path, [])
    assert to_plain(audited[0]) == to_plain(lfw())
    assert getattr(audited[0].cohort, "root", None) == "faces"
    assert audited[0].threads == 2


def test_words_win_over_notes(tmp_path: Path, audited: list[AuditSpec]) -> None:
    """cohort.root=PATH points elsewhere."""
    rederive(noted(lfw()), tmp_path, ["cohort.root=moved", "threads=1"])
    assert getattr(audited[0].cohort, "root", None) == "moved"
    assert audited[0].threads == 1


def test_a_noted_scheduler_is_not_asked_again(tmp_path: Path, audited: list[AuditSpec]) -> None:
    """Who reproduces a run that Dask shared or a device scored needs neither; who wants them names them."""
    said = noted(replace(lfw(), dask="tcp://gone:8786", engine=Engine.GPU))
    rederive(said, tmp_path, [])
    rederive(said, tmp_path, ["dask=local"])
    rederive(said, tmp_path, ["engine=gpu"])
    assert [spec.dask for spec in audited] == [None, "local", None]
    assert [spec.engine for spec in audited] == [Engine.CPU, Engine.CPU, Engine.GPU]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("dask", "tcp://127.0.0.1:9"),
        ("threads", 7),
        ("engine", "gpu"),
        ("seal", "/etc/passwd"),
        ("report", {"tsa": "http://127.0.0.1:9"}),
        ("cohort.root", "/etc"),
        ("thresholds.file", "/etc/passwd"),
    ],
)
def test_a_result_names_no_place(tmp_path: Path, audited: list[AuditSpec], key: str, value: Json) -> None:
    """A result.json that says a path, an address or a machine's setting is refused: an identity holds none."""
    spec = json.loads(json.dumps(to_plain(lfw())))
    section, _, name = key.rpartition(".")
    (spec[section] if section else spec)[name] = value
    with pytest.raises(
        SpecError,
        match=f"^{key}: found .* in result.json; accepted: a result.json as a run writes it: no paths",
    ):
        rederive({"spec": spec}, tmp_path, ["cohort.root=faces"])
    assert audited == []


def test_a_run_folder_says_no_path(tmp_path: Path, audited: list[AuditSpec]) -> None:
    """What lies in a stranger's folder leads to no file of this machine, and a result that nobody noted knows none."""
    (tmp_path / ".hydra").mkdir()
    (tmp_path / ".hydra/config.yaml").write_text(json.dumps(to_full(lfw("/etc"))))
    (tmp_path / "runs").mkdir()
    with pytest.raises(SpecError, match=r"^cohort\.root: no value"):
        rederive(content(lfw()), tmp_path, [])


def test_only_paths_are_noted_and_only_for_their_owner(own_config: Path) -> None:
    """A run without paths leaves no note; the note of one with paths holds them and nothing else."""
    note_paths(load_spec(["audit=demo"]), "0" * 64)
    assert not own_config.exists()
    note_paths(lfw(), "1" * 64)
    assert json.loads((own_config / "runs" / f"{'1' * 64}.json").read_bytes()) == {
        "cohort.root": "faces",
        "threads": 2,
    }


def test_a_note_that_cannot_be_kept_is_none(own_config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A finished run does not fail where the user's folder cannot be written, or where the user has none."""

    def homeless() -> Path:
        raise DataError("home folder", "this user has none")

    own_config.write_text("no folder")
    note_paths(lfw(), "1" * 64)
    assert noted_paths("1" * 64) == {}
    monkeypatch.setattr(module, "config_folder", homeless)
    note_paths(lfw(), "1" * 64)
    assert noted_paths("1" * 64) == {}


def test_a_note_about_another_spec_changes_no_number(tmp_path: Path, audited: list[AuditSpec]) -> None:
    """Only paths and machine settings are taken from a note: it is not signed."""
    other = load_spec(["audit=lfw", "cohort.root=faces", "seed=5", "bootstrap.B=99"])
    rederive(noted(lfw(), about=other), tmp_path, [])
    assert to_plain(audited[0]) == to_plain(lfw())


def test_without_paths_the_missing_one_is_named(tmp_path: Path, audited: list[AuditSpec]) -> None:
    """A result alone says which path it needs."""
    with pytest.raises(SpecError, match=r"^cohort\.root: no value; accepted: a path: cohort\.root=PATH"):
        rederive(content(lfw()), tmp_path, [])
    assert audited == []


def test_a_result_without_spec_is_refused(tmp_path: Path) -> None:
    """What holds no spec cannot be derived again."""
    with pytest.raises(SpecError, match="^spec: the result holds none"):
        rederive({}, tmp_path, [])


@pytest.mark.parametrize("word", ["cohort.root", "=x", "cohort.root="])
def test_words_are_key_and_value(word: str) -> None:
    """A word of another form is refused."""
    with pytest.raises(SpecError, match="^command line: cannot read"):
        given_paths([word])


def test_runs_that_moved_are_named_as_a_list() -> None:
    """As ``frtaudit run`` reads it: with quotes where a path needs them; what is no list of texts is refused."""
    assert given_paths(["cohort.runs=[old/a,'my runs/b',010]"]) == {
        "cohort.runs": ["old/a", "my runs/b", "010"]
    }
    assert given_paths(["cohort.root=faces[1]"]) == {"cohort.root": "faces[1]"}
    with pytest.raises(SpecError):
        given_paths(["cohort.runs=[a,b]]"])


@pytest.mark.parametrize("text", ["", "[1]", "{", "\xff"])
def test_an_unreadable_note_is_no_note(own_config: Path, text: str) -> None:
    """A broken note gives no paths, and no crash."""
    note_paths(lfw(), "1" * 64)
    (own_config / "runs" / f"{'1' * 64}.json").write_text(text, "latin-1")
    assert noted_paths("1" * 64) == {}


def test_paths_of_test_sets_and_analyses_are_noted(tmp_path: Path, audited: list[AuditSpec]) -> None:
    """Files that test sets and analyses read are no part of the identity, and come back from the run's note."""
    words = ["audit=train_test_overlap", "cohort.root=faces", "cohort.training.wild=wild"]
    words += ["analyses.train_test_overlap.reviewed=r.csv", "folds.source=file", "folds.file=f.csv"]
    words += [
        "test_sets.own.pairs.type=listed",
        "test_sets.own.pairs.file=p.csv",
        "test_sets.own.folds.source=official",
    ]
    spec = load_spec(words)
    assert "csv" not in str(to_plain(spec))
    rederive(noted(spec), tmp_path, [])
    assert to_full(audited[0]) | {"report": None} == to_full(spec) | {"report": None}


def test_paths_of_providers_are_noted_and_given_by_their_place(
    tmp_path: Path, audited: list[AuditSpec], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A system of another wheel may read a file of its own, which is no part of the identity."""
    monkeypatch.setitem(registry._registered, ("provider", "of_a_file"), OfAFile)
    system = OfAFile(name="a", file="a.csv")
    spec = replace(lfw(), providers=("facenet", system))
    assert "csv" not in str(to_plain(spec))
    recorded = noted(spec)
    rederive(recorded, tmp_path, [])
    rederive(recorded, tmp_path, ["providers[1].file=b.csv"])
    assert [each.providers for each in audited] == [
        ("facenet", system),
        ("facenet", replace(system, file="b.csv")),
    ]
    with pytest.raises(SpecError, match=r"^providers\[1\]\.file: found a list; accepted: text"):
        rederive(recorded, tmp_path, ["providers[1].file=[b,c]"])
    with pytest.raises(SpecError, match=r"^providers\[2\]\.file: 'providers' holds no keys"):
        rederive(recorded, tmp_path, ["providers[2].file=b.csv"])
    with pytest.raises(SpecError, match=r"^providers\[0\]\.file: "):
        rederive(recorded, tmp_path, ["providers[0].file=b.csv"])


def test_a_seal_comes_from_the_run(tmp_path: Path) -> None:
    """The seal beside the result is used under the name that it had; without a seal or its file, nothing is."""
    sealed = {"seal": {"sha256": "1" * 64}, "digests": {"inputs": {"plan.json": "1" * 64, "a.csv": "2" * 64}}}
    (tmp_path / "seal.json").write_bytes(b"{}")
    with held_seal(sealed, tmp_path) as held:
        path = Path(str(held["seal"]))
        assert (path.name, path.read_bytes()) == ("plan.json", b"{}")
    assert not path.exists()
    with held_seal({}, tmp_path) as held:
        assert held == {}
    (tmp_path / "seal.json").unlink()
    with held_seal(sealed, tmp_path) as held:
        assert held == {}
