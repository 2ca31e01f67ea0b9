"""Names from right to left: ordered by themselves, alike in text and in drawings."""

import re

import pytest
from matplotlib.axes import Axes
from small_audits import whole

from frtaudit.core.spec import Report
from frtaudit.report.direction import as_shown, isolated, names_in, strings_in, use_names
from frtaudit.report.figures import canvas
from frtaudit.report.figures.canvas import Drawing

ALEF, BET = "\u05d0", "\u05d1"
NAME = f"{ALEF}{BET} 18"
ALONE = f"\u2068{NAME}\u2069"


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        (NAME, f"{NAME}: 5, {NAME} 7 %", f"{ALONE}: 5, {ALONE} 7 %"),
        (f"18 {ALEF}{BET}", f"5 18 {ALEF}{BET} 7", f"5 \u206818 {ALEF}{BET}\u2069 7"),
        (f"{ALEF}_&1", f"of {ALEF}  & 1 2", f"of \u2068{ALEF}  & 1\u2069 2"),  # a class as it is printed
        (f"{ALEF} 1", f"{ALEF} 18", f"\u2068{ALEF}\u2069 18"),  # 18 is not a number of that name
        (ALEF, f"{ALEF}{BET} {ALEF}", f"\u2068{ALEF}{BET} {ALEF}\u2069"),
        (f"\u202e{ALEF} 1", f"\u202e{ALEF} 1 2", f"\u2068\\u202e{ALEF} 1\u2069 2"),
        ("18-35", "18-35 (4)", "18-35 (4)"),
    ],
)
def test_a_name_stands_by_itself(name: str, text: str, shown: str) -> None:
    """A known name is isolated whole with its numbers, in no longer word; words that are no name without numbers."""
    with use_names([name]):
        assert as_shown(text) == shown


def test_names_are_known_within_their_report_alone() -> None:
    """Afterwards a number beside a word is no part of it."""
    with use_names([NAME]):
        assert isolated(NAME) == ALONE
    assert isolated(NAME) == f"\u2068{ALEF}{BET}\u2069 18"


def test_a_report_names_what_its_result_does() -> None:
    """Systems, schemas, classes, requirements, and what the settings say."""
    found = {*names_in(whole().result, Report(title="T", organisation="O"))}
    assert {"one", "two", "group", "x", "y", "T", "O"} <= found


def test_strings_are_keys_and_texts() -> None:
    """At any depth; numbers are none."""
    assert [*strings_in({"a": ["b", {"c": None}], "d": 2})] == ["a", "b", "c", "d"]


def test_a_figure_draws_the_order_of_the_text() -> None:
    """In a title the name is drawn as it is alone, from right to left, and what follows it to its right."""
    with use_names([NAME]):
        alone, title = glyphs(NAME), glyphs(f"x {NAME}, 5")
        assert alone == [*glyphs("18"), *glyphs(BET), *glyphs(ALEF)]
        assert title == [*glyphs("x"), *alone, *glyphs(","), *glyphs("5")]


def glyphs(text: str) -> list[str]:
    """The letters of a title, from left to right."""

    def draw(axes: Axes) -> None:
        axes.set_axis_off()
        axes.set_title(text)

    svg = canvas.plot("g", "", draw).svg
    blank = re.findall(r'<path id="([^"]+)" transform', svg)
    return [name for name in re.findall(r'<use [^>]*href="#([^"]+)"', svg) if name not in blank]


def test_a_kept_figure_is_drawn_with_its_names() -> None:
    """What a formatter says later, when a notebook or a file asks for the figure, is said of the same names."""
    with use_names([NAME]), canvas.keeping() as kept:
        canvas.plot("f", "", lambda axes: axes.set_yticks([0.5], labels=[NAME]))
    (drawing,) = (drawing for _, drawing in kept.values())
    assert isinstance(drawing, Drawing)
    drawing.canvas.draw()
    assert [label.get_text() for label in drawing.axes[0].get_yticklabels()] == [ALONE]
