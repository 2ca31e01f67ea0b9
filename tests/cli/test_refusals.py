"""Tests of frtaudit.cli.refusals: what is refused of a spec before its data are read, and in whose words."""

from pathlib import Path

import pytest

from frtaudit.cli.refusals import refuse
from frtaudit.config.load import load_spec, load_typed
from frtaudit.errors import FrtauditError
from frtaudit.pipeline.dry_run import check

UNDECLARED = ("schema=null", "+schemas.group={column: group}")
SMALL = ("audit=demo", "cohort.subjects=24")


@pytest.mark.parametrize(
    "words",
    [
        ("bootstrap.B=20",),
        ("bootstrap.B=198",),
        ("bootstrap.B=98", "providers=[vendor_a]"),
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
        refuse(load_typed([*SMALL, *words], None).spec)
    assert str(early.value) == str(late.value)


def test_a_b_below_alpha_is_refused_whatever_the_data() -> None:
    """Classes of an undeclared schema are counted in the data: alpha alone needs 39."""
    with pytest.raises(FrtauditError, match=r"^bootstrap.B: B = 38 is too small .*; accepted: 39 or more$"):
        refuse(load_typed([*SMALL, *UNDECLARED, "bootstrap.B=38"], None).spec)
    refuse(load_typed([*SMALL, *UNDECLARED, "bootstrap.B=39"], None).spec)


def test_what_can_be_audited_passes() -> None:
    """The shipped audit itself."""
    refuse(load_typed(SMALL, None).spec)
