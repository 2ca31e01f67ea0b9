"""Reports full of odd names verify: a few here; `python tests/random_reports.py` makes all 300."""

from pathlib import Path

import pytest
import random_reports
from random_reports import Names, SecondProcess

from frtaudit.report import fresh

TROUBLE = Names(
    classes=("18-35", "<b>{{ 1 }}"),
    systems=("vendor2", "שלום 1.0"),
    schema="10 %",
    requirement="fnmr-1e-2",
    title="人脸 × 10⁻³",
    organisation="a\u0301" * 100,
)


@pytest.fixture(autouse=True)
def own_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A demo key of its own."""
    monkeypatch.setenv("FRTAUDIT_CONFIG_HOME", str(tmp_path / "config"))


def test_names_that_once_made_reports_invalid(tmp_path: Path) -> None:
    """Digits, markup, right to left and combining marks in every place that has a name: valid, nothing unchecked."""
    found = random_reports.audited(TROUBLE, tmp_path / "run", pdf=False)
    assert found.strict_exit_code == 0, str(found)


@pytest.mark.slow
@pytest.mark.filterwarnings(
    r"ignore:unclosed file .*sRGB2014\.icc:ResourceWarning",
    r"ignore:.*sRGB2014\.icc:pytest.PytestUnraisableExceptionWarning",
)
def test_twenty_with_their_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty random reports, each with its PDF, made by a second process too, and what verify lays out again."""
    monkeypatch.setattr(fresh, "subprocess", SecondProcess)
    try:
        assert random_reports.tried(20, 20) >= 20
    finally:
        SecondProcess.end()
