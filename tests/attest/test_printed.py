"""Tests of frtaudit.attest.printed."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_run import make_page, make_result, render_pdf

from frtaudit import numbers
from frtaudit.attest.printed import Page, agrees, in_pdf, on_page, resolve

CONTENT = json.loads(make_result().to_bytes())


@given(st.floats(0, 1), st.sampled_from([numbers.rate, numbers.plain, numbers.score, numbers.exact]))
def test_what_the_report_prints_agrees(value: float, printed: object) -> None:
    """Every way in which the report rounds a rate is recognised as that rate."""
    assert agrees(value, printed(value))  # type: ignore[operator]  # a function


@given(st.floats(1e-9, 1), st.floats(1e-9, 1))
def test_a_number_further_than_its_rounding_is_another(value: float, other: float) -> None:
    """The rate that stands for another one is told apart as soon as three digits tell them apart."""
    shown = numbers.rate(other)
    if abs(Decimal(repr(value)) / Decimal(repr(other)) - 1) > Decimal("0.011"):
        assert not agrees(value, shown)


@pytest.mark.parametrize(
    ("value", "text", "same"),
    [
        (1234567, "1,234,567", True), (1234567, "1,234,568", False), (-0.01, "0 %", True), (1.2, "100 %", True),
        (0.001, "one in 1,000", True), (9.9e-4, "< 0.001", True), (1.1e-3, "< 0.001", False),
        ("inf", "∞", True), ("inf", "3", False), (float("inf"), "∞", True), (-3.0, "−3", True), (True, "yes", None),
        (None, "none", None), ({"a": 1}, '{"a": 1}', True), ({"a": 1}, '{"a": 2}', False), ({"a": 1}, "{", False),
        ([1], "one", None), (0.5, "half", None), ("wilson_iid", "Wilson 3", None),
    ],
)  # fmt: skip
def test_agreement(value: object, text: str, same: bool | None) -> None:
    """Counts, clipped bounds, inverses, bounds of p values, infinities, whole branches; words are not compared."""
    found = agrees(value if value != "inf" else float("inf"), text)  # type: ignore[arg-type]  # JSON
    assert found is same


def test_sentences_are_compared_in_full() -> None:
    """A finding's sentence and a note are held letter by letter, but for their first capital and last stop."""
    assert agrees("no error: up to 0.004", "No error: up to 0.004.", "/estimates/0/intervals/0/note")
    assert agrees("FNMR is 2 %", "FNMR is 3 %", "/findings/0/sentence") is False


def test_a_digest_may_be_cut_short() -> None:
    """Sixteen digits of a digest stand for it; fewer, or others, do not."""
    digest = "0123456789abcdef" * 4
    for shown, same in ((digest, True), (digest[:16], True), (digest[:15], False), ("f" * 16, False)):
        assert agrees(digest, shown, "/digests/spec") is same


def test_places_are_resolved() -> None:
    """A pointer leads to its value; one that leads nowhere raises."""
    assert resolve(CONTENT, "/estimates/0/intervals/0/level") == 0.95
    for pointer in ("/estimates/9", "/nothing", "/schema_version/0", "/estimates/x"):
        with pytest.raises((KeyError, IndexError, ValueError)):
            resolve(CONTENT, pointer)


def test_a_page_is_compared_with_the_result() -> None:
    """The page of a result agrees in all five values; that of another result does not, and the place is named."""
    assert on_page(Page(make_page(make_result()).decode()), CONTENT).wrong == ()
    assert on_page(Page(make_page(make_result()).decode()), CONTENT).compared == 5
    found = on_page(Page(make_page(make_result(0.35)).decode()), CONTENT)
    assert len(found.wrong) == 3
    assert "/estimates/0/value" in found.said()
    lost = on_page(Page("<p data-p='/estimates/7/value'>1 %</p>"), CONTENT)
    assert lost.wrong == ("/estimates/7/value is no place in the result",)


def test_a_pdf_is_compared_with_the_page() -> None:
    """A line that the PDF prints otherwise, or not, is named, and so is a number that it adds."""
    page = make_page(make_result()).decode()
    read = Page(page)
    assert in_pdf(render_pdf({}, page), read).wrong == ()
    other = in_pdf(render_pdf({}, make_page(make_result(0.35)).decode()), read)
    assert any("FNMR25.0%,1of4" in item for item in other.wrong)
    assert any("'45.0'" in item for item in other.wrong)
    added = in_pdf(render_pdf({}, page.replace("</body>", "<p>77</p></body>")), read)
    assert added.wrong == ("'77' stands in the PDF and not on the page",)


def test_what_stands_on_the_screen_only_is_not_sought_on_paper() -> None:
    """An element marked data-screen, styles and scripts are no part of the paper."""
    page = make_page(make_result()).decode()
    screen = "<p data-screen>Threshold 99</p><script>var a = 98</script></body>"
    assert in_pdf(render_pdf({}, page), Page(page.replace("</body>", screen))).wrong == ()


def test_a_line_may_run_on_to_the_next_sheet() -> None:
    """A paragraph that breaks across sheets is found whole."""
    filler = "<p style='height: 200mm'>filler</p>"
    text = "word " * 900 + "0.123 " + "word " * 900
    page = f"<html lang=en><title>t</title>{filler}<p>{text}</p></html>"
    assert in_pdf(render_pdf({}, page), Page(page)).wrong == ()
