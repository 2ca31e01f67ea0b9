from small_audits import whole
from vendor_audits import result as compared

from frtaudit.report.brief import answer, front_figure


def test_an_audit_in_brief_is_its_first_page() -> None:
    """Sentences name the systems and end; the figure is that of the first page, with its words."""
    result = whole().result
    said = answer(result)
    assert said
    assert all(sentence.endswith(".") for sentence in said)
    assert any("one" in sentence for sentence in said)
    front = front_figure(result)
    assert front is not None
    assert front.shows
    assert front.drawing.png().startswith(b"\x89PNG")


def test_a_comparison_in_brief_is_its_choice() -> None:
    """The rule and what it chooses come first, and the figure shows the differences."""
    result = compared()
    assert answer(result)[0].partition(". Verdicts hold for ")[0].split()[-1] in ("chosen", "not")
    assert front_figure(result) is not None
