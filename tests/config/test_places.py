"""Tests of frtaudit.config.places: paths of a spec lead below the cohort's root as they do from the working folder."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from frtaudit.config.load import load_spec, load_typed
from frtaudit.config.places import check_files, refuse_missing_files, refuse_missing_root
from frtaudit.core.spec_values import PATH
from frtaudit.errors import DataError


@dataclass(frozen=True)
class Elsewhere:
    """A source of another wheel, whose root is not there."""

    root: str = field(default="absent", metadata=PATH)

    def load(self, *_: object) -> None:
        """Nobody may call it here."""
        pytest.fail("loaded")

    def check_files(self) -> None:
        """Nor this, which means something else there."""
        pytest.fail("checked")


SPEC = [
    "audit=templates",
    "cohort.root=root",
    "schema=null",
    "protocol=listed",
    "protocol.file=pairs.csv",
    "folds.source=file",
    "folds.file=folds.csv",
    "thresholds.source=file",
    "thresholds.file=thresholds.json",
    "cohort.pseudonym_key=key",
]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder ``root`` of the working folder, empty."""
    monkeypatch.chdir(tmp_path)
    Path("root").mkdir()
    return Path("root")


def test_every_path_to_data_may_lie_below_the_root(root: Path) -> None:
    """Pairs, folds, thresholds and key are found below the root; what is in neither folder stays as it was written."""
    for name in ("pairs.csv", "folds.csv", "thresholds.json"):
        (root / name).touch()
    spec = load_spec(SPEC)
    assert (spec.protocol.file, spec.folds.file, spec.thresholds.file) == (  # type: ignore[attr-defined]
        "root/pairs.csv",
        "root/folds.csv",
        "root/thresholds.json",
    )
    assert spec.cohort.pseudonym_key == "key"  # type: ignore[attr-defined]
    assert spec.cohort.root == "root"  # type: ignore[attr-defined]


def test_two_files_of_one_name_are_refused_by_the_key_that_names_them(root: Path) -> None:
    """The message begins with the key."""
    for name in ("pairs.csv", "root/pairs.csv"):
        Path(name).touch()
    with pytest.raises(
        DataError, match=r"^protocol.file: 'pairs.csv' is both in the working folder and below 'root'"
    ):
        load_spec(SPEC)


def test_a_source_of_another_wheel_is_loaded_by_the_audit_alone() -> None:
    """It may make its root, or need none: it is not asked before."""
    spec = load_spec(SPEC)
    refuse_missing_root(replace(spec, cohort=Elsewhere()))
    with pytest.raises(DataError, match="^cohort.root: no folder 'root'"):
        refuse_missing_root(spec)


def test_files_of_plug_ins_are_asked_for_where_they_lead(root: Path) -> None:
    """A list below the root is there, one in neither folder is refused; a plug-in of another wheel is not asked."""
    for name in ("metadata.csv", "key", "pairs.csv"):
        (root / name).write_text("a\n", encoding="utf-8")
    spec = load_typed(SPEC, None).spec
    check_files([Elsewhere(), None])
    (root / "pairs.csv").unlink()
    with pytest.raises(DataError, match=r"^pairs.csv: no file 'root/pairs.csv'; accepted: a .csv"):
        refuse_missing_files(spec)
    with pytest.raises(DataError, match=r"^pairs.csv: no file 'pairs.csv'; accepted: a .csv"):
        refuse_missing_files(load_typed(SPEC, None).spec)


def test_a_review_file_that_is_not_there_is_refused_before_the_audit(root: Path) -> None:
    """The line of the analysis that reads it."""
    with pytest.raises(DataError, match=r"^none.csv: no file 'none.csv'; accepted: a .csv"):
        load_typed(["audit=demo", "analyses.robustness.reviewed=none.csv"], None).whole_with_files()
