"""Tests of frtaudit.attest.contents."""

import json

from small_run import make_page, make_result, render_pdf

from frtaudit.attest.contents import against_schema, printed_numbers
from frtaudit.attest.verification import Outcome

NAMES = ("report.html", "report.pdf")


def outcomes(page: bytes, pdf: bytes | None) -> list[Outcome]:
    """What came out of the comparison with the result."""
    return [check.outcome for check in printed_numbers(make_result().to_bytes(), page, pdf, NAMES)]


def test_a_result_follows_its_schema() -> None:
    """The schema holds for a result, and names the place where another value departs from it."""
    value = json.loads(make_result().to_bytes())
    assert against_schema(value) is None
    value["estimates"][0]["numerator"] = -1
    assert str(against_schema(value)).startswith("/estimates/0/numerator ")


def test_page_and_pdf_are_compared() -> None:
    """One check for each; a page without places is a note, and one that cannot be read is invalid."""
    page = make_page(make_result())
    pdf = render_pdf({}, page.decode())
    assert outcomes(page, pdf) == [Outcome.OK, Outcome.OK]
    assert outcomes(page, None) == [Outcome.OK]
    assert outcomes(make_page(make_result(0.4, 2)), pdf) == [Outcome.INVALID, Outcome.INVALID]
    assert outcomes(b"<p>nothing", pdf) == [Outcome.NOTE]
    assert outcomes(b"\xff", pdf) == [Outcome.INVALID]
    assert outcomes(page, b"no PDF") == [Outcome.OK, Outcome.INVALID]
