"""Printed numbers never say more, or less, than the exact ones."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.text import formatting
from frtaudit.core.text.formatting import Style, cell
from frtaudit.inputs.review import as_csv

RATES = st.just(0.0) | st.floats(1e-300, 1)
SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def read(text: str) -> float:
    """A printed number back."""
    plain = text.replace("−", "-").replace(",", "").replace("∞", "inf")
    if plain.startswith("< "):
        return read(plain[2:]) / 2
    if plain.endswith(" %"):
        return float(plain[:-2]) / 100
    found = re.fullmatch(r"(-?)(?:([\d.]+) × )?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", plain)
    if found is None:
        return float(plain)
    value = float(found[2] or 1) * 10.0 ** int(found[3].translate(SUPERSCRIPT))
    return -value if found[1] else value


@given(RATES)
def test_a_rate_reads_back_to_three_digits(value: float) -> None:
    """A printed rate is the exact one within half a unit of its third digit; below 10⁻¹² only that is printed."""
    if 0 < value < 1e-12:
        assert formatting.rate(value) == "< 10⁻¹²"
    else:
        assert read(formatting.rate(value)) == pytest.approx(value, rel=0.0051, abs=1e-300)


@given(RATES)
def test_zero_and_one_are_printed_only_for_zero_and_one(value: float) -> None:
    """4e-5 is never printed as 0, 0.9999 never as 100 %; what rounding of sums leaves from 1 is 1."""
    shown = read(formatting.rate(value))
    assert (shown == 0) == (value == 0)
    assert formatting.rate(value).startswith("100") == (value >= 1 - 1e-12)


@pytest.mark.parametrize("value", [1 - 2e-16, 1 - 1e-16, 1 + 2e-16, 1 - 9e-13])
def test_rounding_noise_is_not_printed(value: float) -> None:
    """99.99999999999998 % is 100 %, unless a limit lies as near to 1."""
    assert formatting.rate(value) == "100 %"
    assert formatting.fixed(value, 2) == "100.00 %"
    assert formatting.plain(value) == "1.00"
    assert formatting.rate(value, limit=0.97) == "100 %"
    assert formatting.rate(value, limit=1.0).startswith("100 %") == (value == 1.0)


@given(RATES, RATES, st.sampled_from([None, *Style]))
def test_rounding_never_crosses_a_limit(value: float, limit: float, style: Style | None) -> None:
    """The printed value lies on the exact value's side of the limit, in either style."""
    shown = read(formatting.rate(value, limit=limit, style=style))
    assert (shown > limit) <= (value > limit) or shown == pytest.approx(limit, rel=1e-15)
    assert (shown < limit) <= (value < limit) or shown == pytest.approx(limit, rel=1e-15)


@given(RATES, st.lists(RATES, max_size=3))
def test_rounding_crosses_none_of_several_limits(value: float, limits: list[float]) -> None:
    """A number that several findings judge lies on its side of each of their limits."""
    shown = read(formatting.rate(value, limits=tuple(limits)))
    for limit in limits:
        assert (shown > limit) <= (value > limit) or shown == pytest.approx(limit, rel=1e-15)
        assert (shown < limit) <= (value < limit) or shown == pytest.approx(limit, rel=1e-15)


@given(st.floats(1e-3, 1e6), st.floats(1e-3, 1e6))
def test_numbers_keep_their_side_of_a_limit(value: float, limit: float) -> None:
    """An index beside its limit keeps its side too."""
    shown = read(formatting.plain(value, limit=limit))
    assert not (shown > limit and value < limit)
    assert not (shown < limit and value > limit)
    assert (shown == limit) <= (value == pytest.approx(limit, rel=1e-15))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4e-5, "4.00 × 10⁻⁵"),
        (0.961, "96.1 %"),
        (0.99996, "99.9960 %"),
        (0.0, "0 %"),
        (1.0, "100 %"),
        (2e-4, "0.0200 %"),
    ],
)
def test_rates_that_are_easily_printed_wrongly(value: float, text: str) -> None:
    """Rates near 0 and 1 keep what matters."""
    assert formatting.rate(value) == text


@given(st.floats(-50, 50, allow_nan=False))
def test_scores_have_six_digits(value: float) -> None:
    """A printed score is the exact one within its sixth digit."""
    assert read(formatting.score(value)) == pytest.approx(value, rel=5.1e-6, abs=1e-300)


@given(st.floats(1e-12, 1))
def test_declared_rates_are_printed_exactly(value: float) -> None:
    """A target or limit is printed in all of its digits."""
    assert read(formatting.exact(value)) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_what_is_not_finite_is_said(value: float) -> None:
    """Infinity and undefined have signs of their own in every printer."""
    printers = (
        formatting.rate,
        formatting.exact,
        formatting.plain,
        formatting.score,
        formatting.effective_size,
        formatting.declared,
    )
    assert {printer(value) for printer in printers} == {
        {"inf": "∞", "-inf": "−∞", "nan": "undefined"}[str(value)]
    }


@given(st.floats(-2, 3), st.floats(0, 2))
def test_clipping_stays_in_range_and_order(low: float, width: float) -> None:
    """A clipped interval lies in [0, 1] and stays one."""
    first, second = formatting.clipped(low, low + width)
    assert 0 <= first <= second <= 1


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1+1",
        "-1+cmd",
        "@SUM(1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "  =1",
        "-",
        "=",
        "+x",
        "\uff1d1+1",
        "\ufeff=1",
    ],
)
def test_a_formula_becomes_text(text: str) -> None:
    """What a spreadsheet would calculate gets an apostrophe, in the header too."""
    shown = "'" + text.replace("\r", "\\r")
    assert cell(text) == shown
    rows = list(csv.reader(io.StringIO(as_csv((text,), [(text,)]).decode(), newline="")))
    assert rows == [[shown], [shown]]


def test_a_carriage_return_begins_no_row() -> None:
    """A name cannot end its row and begin another with a formula in it."""
    assert b"\r" not in as_csv(("a",), [("x\r=1+1",)])


@pytest.mark.parametrize("value", ["-1", "+0.5", "-1e-05", "1", "a", "", "a=b", -1.5, 3, None])
def test_numbers_and_words_stay(value: object) -> None:
    """Numbers, also written as text, and text that begins otherwise are as they were."""
    assert cell(value) == value


def test_rounding_of_a_sum_is_not_printed() -> None:
    """A mean that is its limit but for the last bit is printed as that; one farther away on its side."""
    assert formatting.rate(0.19999999999999998, limit=0.2) == "20.0 %"
    assert formatting.rate(0.1999999, limit=0.2) == "19.99999 %"
