"""From rates of groups to an index, its intervals and its test (FORMULAS 8.5, 8.6)."""

from dataclasses import replace

import numpy as np
import pytest

from frtaudit.core.methods import GROUPS_NEED
from frtaudit.core.spec import Plan
from frtaudit.evaluation.differentials import BOTH, GroupRates, difference, forms, population_interval
from frtaudit.evaluation.intervals import RateSummary


def rate_summary(value: float, spread: float, seed: int, errors: int = 40) -> RateSummary:
    """A group's rate with subject replicates."""
    noise = np.random.default_rng(seed).standard_normal(399)
    return RateSummary(
        value=value,
        vstat=value,
        errors=errors,
        trials=1000,
        subjects_with_errors=min(errors, 30),
        replicates={Plan.SUBJECTS: value * np.exp(spread * noise)},
        total=1000,
    )


def groups(*values: float, errors: int = 40) -> GroupRates:
    """Groups with these rates, of FMR and of FNMR."""
    readings = {
        rate: tuple(rate_summary(value, 0.15, 7 * k + len(rate), errors) for k, value in enumerate(values))
        for rate in BOTH
    }
    common = float(np.mean(values))
    return GroupRates(
        labels=tuple(f"g{k}" for k in range(len(values))),
        summaries=readings,
        common=dict.fromkeys(BOTH, common),
    )


@pytest.mark.parametrize("form", forms(0.5), ids=lambda form: f"{form.metric}-{'-'.join(form.rates)}")
def test_every_index_finds_a_large_difference_and_none_at_equality(form: object) -> None:
    """Rates 10 to 1 give the smallest p; equal ones a p of 1, and the minimum detectable difference."""
    made = form  # one of forms(0.5)
    far = difference(made, groups(0.3, 0.03), 0.05)  # type: ignore[arg-type]  # parametrized
    same = difference(made, groups(0.1, 0.1), 0.05)  # type: ignore[arg-type]  # parametrized
    assert (far.p, far.differs) == (1 / 400, True)
    assert (same.p, same.differs) == (1.0, False)
    assert same.detectable is not None
    assert 1.3 < same.detectable < 4
    assert same.null_median is not None
    assert same.null_edge is not None
    assert (same.null_edge < same.null_median) == (form.metric == "fdr")  # type: ignore[attr-defined]  # parametrized


def test_thin_and_single_groups_are_not_testable() -> None:
    """Fewer than ten errors, or one group alone: no p, and the reason."""
    form = forms(0.5)[0]
    thin = difference(form, groups(0.1, 0.2, errors=9), 0.05)
    assert thin.p is None
    assert "g0 has 9 FMR errors of 9 subjects" in (thin.note or "")
    one = difference(form, groups(0.1, 0.2, errors=1), 0.05)
    assert "g0 has 1 FMR error of 1 subject; " in (one.note or "")
    assert difference(form, groups(0.1), 0.05).note == "a comparison of groups needs 2 groups"


@pytest.mark.parametrize(
    ("rate", "errors", "times"),
    [
        ("fnmr", 9, "1.2"),
        ("fnmr", 4, "2.5"),
        ("fnmr", 7, "1.5"),
        ("fnmr", 1, "10"),
        ("fmr", 9, "1.1"),
        ("fmr", 4, "1.6"),
        ("fmr", 1, "3.2"),
    ],
)
def test_too_few_errors_say_how_many_more_subjects_would_do(rate: str, errors: int, times: str) -> None:
    """Errors of FNMR grow with subjects, those of FMR with their pairs."""
    note = groups(0.1, 0.2, errors=errors).too_few_errors((rate,)) or ""
    assert f"; about {times} times its subjects would give enough; " in note
    assert note.endswith(GROUPS_NEED)


def test_errors_of_listed_comparisons_grow_with_subjects() -> None:
    """A list has so many comparisons for each subject, those of FMR too."""
    listed = replace(groups(0.1, 0.2, errors=4), all_pairs=False)
    assert "; about 2.5 times its subjects would give enough; " in (listed.too_few_errors(("fmr",)) or "")


@pytest.mark.parametrize(("errors", "of"), [((9, 4, 40), "g1 has 4 FMR"), ((9, 0, 1), "g1 has 0 FMR")])
def test_the_group_that_lacks_the_most_errors_is_named(errors: tuple[int, ...], of: str) -> None:
    """Enough subjects of another group would not make the comparison testable."""
    rates = groups(0.1, 0.2, 0.3)
    few = tuple(
        replace(summary, errors=n, subjects_with_errors=n)
        for summary, n in zip(rates.summaries["fmr"], errors, strict=True)
    )
    note = replace(rates, summaries={**rates.summaries, "fmr": few}).too_few_errors(("fmr",)) or ""
    assert note.startswith(f"{of} error")


@pytest.mark.parametrize("rate", ["fnmr", "fmr"])
def test_a_group_without_errors_projects_nothing(rate: str) -> None:
    """No rate is seen that could be projected."""
    assert "times" not in (groups(0.1, 0.2, errors=0).too_few_errors((rate,)) or "times")


def test_bounds_widen_as_the_error_falls() -> None:
    """An index's population interval at a smaller error holds that at a larger one."""
    for form in forms(0.5):
        wide, narrow = (population_interval(form, groups(0.2, 0.05, 0.1), alpha) for alpha in (0.01, 0.2))
        assert wide.low is not None
        assert wide.high is not None
        assert narrow.low is not None
        assert narrow.high is not None
        assert wide.low <= narrow.low
        assert narrow.high <= wide.high
        assert narrow.one_sided is not None
        assert narrow.one_sided(0.01) == wide
