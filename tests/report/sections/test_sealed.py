"""Tests of frtaudit.report.sections.sealed."""

from dataclasses import replace

import pytest
from printed_values import Page, on_page
from report_fixture import DATE, SETTINGS, result

from frtaudit.core.seal import Departure, SealRecord
from frtaudit.report import render
from frtaudit.report.sections.sealed import build
from frtaudit.report.source import Source

RECORD = SealRecord(
    sha256="0" * 64, signer="Sealer", keyid="1" * 64, signed_at="2026-01-01T00:00:00Z", stamped_at=None, departures=()
)  # fmt: skip


def sealed_page(*departures: Departure) -> str:
    """The page of a result under a seal."""
    sealed = replace(result(), seal=replace(RECORD, departures=departures))
    page = render.html(sealed, SETTINGS, DATE, "unsigned")
    assert on_page(Page(page), sealed.to_json()).wrong == ()
    return page


def test_without_a_seal_there_is_no_section() -> None:
    """A result that was not sealed says nothing of seals."""
    assert build(Source(result())) is None


@pytest.mark.slow
def test_a_kept_seal_says_so() -> None:
    """Without a departure the section says that there is none."""
    assert "does not differ from the seal" in sealed_page()


def test_every_departure_stands_in_the_report() -> None:
    """Each departure is printed with both values, however many there are."""
    many = [Departure(place=f"/spec/x/{n}", sealed=str(n), run=None) for n in range(300)]
    page = sealed_page(*many)
    assert all(f"/spec/x/{n}<" in page for n in range(300))
    assert page.count(">nothing<") == 300 or page.count("nothing") >= 300
    assert "departure" in page


def test_the_authoritys_time_is_printed() -> None:
    """With a time-stamping authority the section prints its time."""
    sealed = replace(result(), seal=replace(RECORD, stamped_at="2026-01-02T03:04:05Z"))
    assert "2026-01-02T03:04:05Z" in render.html(sealed, SETTINGS, DATE, "unsigned")
