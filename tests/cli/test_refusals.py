"""Tests of frtaudit.cli.refusals: what is refused of a spec before its data are read, and in whose words."""

from pathlib import Path
from typing import Any

import pytest
from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig, OmegaConf

from frtaudit.cli import main
from frtaudit.cli.refusals import checked_early
from frtaudit.config import composition, named_files
from frtaudit.config.load import Typed, load_spec
from frtaudit.errors import FrtauditError, SpecError
from frtaudit.pipeline.dry_run import check

UNDECLARED = ("schema=null", "+schemas.group={column: group}")
SMALL = ("audit=demo", "cohort.subjects=24")


def early_of(*words: str) -> Typed:
    """What a run or a check has before it loads more."""
    return checked_early(composition.composed(composition.CONFIG, [*SMALL, *words], None))


@pytest.mark.parametrize(
    "words",
    [
        ("bootstrap.B=20",),
        ("bootstrap.B=198",),
        ("bootstrap.B=98", "providers=[vendor_a]"),
        ("providers=[nosuch]",),
        ("report.key=missing",),
        ("seal=missing",),
        ("thresholds.source=file", "thresholds.file=missing"),
        ("folds.source=file", "folds.file=missing.csv"),
    ],
)
def test_it_says_what_a_check_says(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same line, before the data are read."""
    monkeypatch.chdir(tmp_path)
    spec = load_spec([*SMALL, *words])
    with pytest.raises(FrtauditError) as late:
        check(spec)
    with pytest.raises(FrtauditError) as early:
        early_of(*words)
    assert str(early.value) == str(late.value)


def test_a_b_below_alpha_is_refused_whatever_the_data() -> None:
    """Classes of an undeclared schema are counted in the data: alpha alone needs 39."""
    with pytest.raises(FrtauditError, match=r"^bootstrap.B: B = 38 is too small .*; accepted: 39 or more$"):
        early_of(*UNDECLARED, "bootstrap.B=38")
    early_of(*UNDECLARED, "bootstrap.B=39")


def test_a_missing_name_of_templates_is_told_as_the_audit_tells_it(tmp_path: Path) -> None:
    """The folder's files are the systems that it offers."""
    (tmp_path / "metadata.csv").write_text("image_id,subject_id\na,1\n")
    words = ["audit=templates", f"cohort.root={tmp_path}", "providers=[nosuch]"]
    checked_early(composition.composed(composition.CONFIG, words, None))  # without templates the data tell it
    (tmp_path / "templates").mkdir()
    for name in ("two", "one"):
        (tmp_path / "templates" / f"{name}.npz").touch()
    with pytest.raises(SpecError, match=r"^providers: the cohort offers no 'nosuch'; accepted: one, two$"):
        checked_early(composition.composed(composition.CONFIG, words, None))


def test_what_can_be_audited_passes() -> None:
    """The shipped audit itself."""
    assert early_of().spec.name == "demo"


def test_what_a_spec_names_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The seal and the key are asked for before the values are checked, and not again after."""
    asked = []
    monkeypatch.setattr(named_files, "refuse_missing", asked.append)
    assert main.main(["check", *SMALL]) == 0
    assert len(asked) == 1


@pytest.mark.parametrize(
    "command",
    [
        ["run", *SMALL],
        ["run", "-m", *SMALL, "seed=1,2"],
        ["run", *SMALL, "--cfg", "job"],
        ["run", *SMALL, "--info", "config"],
        ["check", *SMALL],
        ["plan", *SMALL],
        ["seal", *SMALL],
        ["label", "."],
        ["collect", "services.a.type=made_up", "source=folder", "source.root=.", "into=out"],
        ["embed", "images", "model=m.onnx", "preset=arcface_rgb_127.5", "detector=given", "into=out"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_settings_of_hydra_are_refused_by_every_command(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each command that composes asks whether Hydra's part was added to, before it does anything."""
    by_hydra = composition._composed_by_hydra

    def changed(*spec: Any) -> DictConfig:  # Any: as it takes them
        config = by_hydra(*spec)
        OmegaConf.update(config, "hydra.verbose", value=True, force_add=True)
        return config

    monkeypatch.setattr(composition, "_composed_by_hydra", changed)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "faces.csv").touch()
    assert main.main(command) == 2
    assert capsys.readouterr().err.count("spec: changes settings of Hydra; accepted: keys of the spec") == 1
    assert [path.name for path in tmp_path.rglob("*")] == ["faces.csv"]


@pytest.mark.parametrize("node", [None, {"job": None}, {"job": "x"}, {"runtime": None}, {"overrides": None}])
def test_a_node_that_empties_settings_of_hydra_is_refused(node: object) -> None:
    """What another wheel puts into Hydra's store may take from Hydra what it reads itself: one line says so."""
    store = ConfigStore.instance()
    store.store(name="emptied", group="audit", package="_global_", node={"hydra": node})
    try:
        with pytest.raises(SpecError, match=r"^spec: changes settings of Hydra; accepted: keys of the spec$"):
            load_spec(["audit=emptied"])
    finally:
        store.repo["audit"].pop("emptied.yaml")


def test_a_spec_that_names_the_seal_that_is_to_be_made_can_be_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A seal's file is looked for by what runs, not by what makes it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FRTAUDIT_CONFIG_HOME", str(tmp_path / "config"))
    assert main.main(["seal", *SMALL, "seal=seal.json", "--out", "seal.json"]) == 0
    assert main.main(["check", *SMALL, "seal=seal.json"]) == 0
