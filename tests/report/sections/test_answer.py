"""The answer of the first page: sentences on requirements, groups, and what the data cannot decide."""

from dataclasses import replace
from statistics import NormalDist

import pytest
from report_fixture import result

from frtaudit.core import Verdict
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import answer, verdicts
from frtaudit.report.source import Source


def said(source: Source) -> list[str]:
    """The sentences as text."""
    return [plain_text(text) for text in answer.sentences(source, verdicts.all_rulings(source))]


def test_a_failure_is_said_with_its_interval_and_limit() -> None:
    """A system that fails is named with the number, its interval and the limit; groups that differ with both rates."""
    lines = said(Source(result()))
    assert (
        "quill_2 fails 1 of 2 requirements: FNMR at FMR 0.1 % is 9.51 %, 95 % CI 7.14 % to 11.9 %, limit at most 3 %."
        in lines
    )
    assert any(
        line.startswith("northgate: FNMR is ") and " times as high (p 0.00300" in line for line in lines
    )
    assert any(line.startswith("Inconclusive on these data: northgate, failure to acquire") for line in lines)


def test_without_requirements_the_rates_answer() -> None:
    """A report without requirements says the FNMR of each system at the main target."""
    lines = said(Source(replace(result(), findings=())))
    assert lines[0] == "northgate: FNMR 1.74 % at FMR 0.1 %, 95 % CI 1.31 % to 2.19 %."
    assert lines[1].startswith("quill_2: FNMR 9.51 % at FMR 0.1 %")


@pytest.mark.parametrize(("value", "family"), [(0.018, 1), (0.025, 4)])
def test_so_many_subjects_put_the_bound_on_the_limit(value: float, family: int) -> None:
    """Wilson's bound on the effective size of so many subjects reaches the limit, to the two digits printed."""
    base = result()
    place = next(
        index
        for index, item in enumerate(base.estimates)
        if item.metric == "fnmr_at_fmr" and item.group == "all" and item.intervals and item.intervals[0].n_eff
    )
    estimate = replace(
        base.estimates[place],
        value=value,
        intervals=(replace(base.estimates[place].intervals[0], n_eff=100.0),),
    )
    finding = replace(
        base.findings[0],
        estimate=f"/estimates/{place}",
        verdict=Verdict.INCONCLUSIVE,
        limit=0.02,
        bound=0.03,
        bound_level=0.95,
        p=0.2,
        p_adjusted=0.9,
        family=family,
    )
    estimates = (*base.estimates[:place], estimate, *base.estimates[place + 1 :])
    source = Source(replace(base, estimates=estimates, findings=(finding,)))
    (ruling,) = verdicts.all_rulings(source)
    assert ruling.record is not None
    needed = answer.subjects_needed(source, ruling, ruling.record)
    assert needed is not None
    n = 100.0 * needed / float(str(base.cohort["subjects"]))
    z = NormalDist().inv_cdf(1 - 0.05 / family)
    centre = (value + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * (value * (1 - value) / n + z**2 / (4 * n**2)) ** 0.5
    assert centre + (half if value < 0.02 else -half) == pytest.approx(0.02, abs=0.0002)
