import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core import Cohort, Comparisons, ScoreTable
from frtaudit.stats.rates.rates import rates
from frtaudit.testing import strategies
from frtaudit.testing.strategies import Counted

LISTED = strategies.cohorts().flatmap(
    lambda cohort: st.tuples(st.just(cohort), strategies.comparisons(cohort))
)


@given(strategies.audits())
def test_estimates_equal_the_counted_truth(audit: Counted) -> None:
    """The product's FMR and FNMR of every group equal the strategy's exact fractions."""
    assert audit.tail.mated_i.size == len(audit.mated)
    assert audit.tail.tail_i.size == len(audit.non_mated)
    found = rates(audit.tail, audit.groups, [0.3])
    for group_index in range(len(audit.groups.names) + 1):
        for value, true in (
            (found.fmr[0, group_index], audit.fmr(0.3, group_index)),
            (found.fnmr[0, group_index], audit.fnmr(0.3, group_index)),
        ):
            assert np.isnan(value) if true is None else value == pytest.approx(float(true))


@given(
    LISTED.flatmap(lambda two: st.tuples(st.just(two[0]), st.just(two[1]), strategies.score_tables(two[1])))
)
def test_listed_parts_fit_together(parts: tuple[Cohort, Comparisons, ScoreTable]) -> None:
    """Comparisons are of the cohort's samples, mated iff of one subject; each has a score or a failure."""
    cohort, listed, table = parts
    ends = cohort.subject_of[listed.probe], cohort.subject_of[listed.reference]
    assert np.array_equal(listed.mated, ends[0] == ends[1])
    assert table.score.size == listed.n_listed


def test_only_the_strategies_need_hypothesis() -> None:
    """`import frtaudit.testing` loads neither hypothesis nor pytest."""
    code = "import sys, frtaudit.testing; print(bool({'hypothesis', 'pytest'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
