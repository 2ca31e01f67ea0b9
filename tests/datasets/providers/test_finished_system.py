from dataclasses import replace

import numpy as np
import pytest
from small_audits import B
from vendor_audits import runs, trials

from frtaudit.datasets.cohorts.runs import Runs
from frtaudit.datasets.providers.finished_system import FinishedSystem
from frtaudit.errors import DataError, SpecError
from frtaudit.stats.similarity.allpairs import TailRequest

REQUEST = TailRequest(fmr=0.1, thresholds=(), eer=False, budget=10**9, threads=1)


def test_scores_are_the_runs() -> None:
    """The tail of all pairs, the folds' pairs with their scores; nothing else was kept."""
    cohort_data = Runs(runs=(str(runs() / "one"),)).load({}, 0)
    system, groups = FinishedSystem(name="one", score_range=(-1.0, 1.0)), trials()[0].groups
    assert cohort_data.compared is not None
    assert cohort_data.folded is not None
    stored = system.score_tail(cohort_data, cohort_data.compared, groups, REQUEST, 0)
    assert (stored.tail, stored.context) == (cohort_data.stored_systems["one"].tail, None)
    table = system.score_table(cohort_data, cohort_data.folded, 0)
    pairs = trials()[0].fold_pairs
    assert pairs is not None
    assert table.score[np.isfinite(table.score)].tolist() == pairs.score.tolist()
    assert (system.recommended, system.thresholds_version) == ({}, None)
    assert system.failed(cohort_data, 0) == trials()[0].failed
    assert len(cohort_data.stored_systems["one"].replicates[0.1, "identity"]) == B
    with pytest.raises(SpecError, match="no finished run holds it"):
        FinishedSystem(name="nobody").score_tail(cohort_data, cohort_data.compared, groups, REQUEST, 0)


def test_a_threshold_below_what_the_run_kept_is_refused() -> None:
    """One line with the lowest threshold that the run's scores answer."""
    cohort_data = Runs(runs=(str(runs() / "one"),)).load({}, 0)
    assert cohort_data.compared is not None
    low = replace(REQUEST, thresholds=(-0.5,))
    with pytest.raises(
        DataError, match=r"threshold -0.5 lies below the scores that its run kept; accepted: 0\.\d+ or"
    ):
        FinishedSystem(name="one").score_tail(cohort_data, cohort_data.compared, trials()[0].groups, low, 0)


def test_a_run_of_listed_comparisons_has_no_tail() -> None:
    """All pairs of a run that listed its comparisons are refused, with the protocol that works."""
    cohort_data = Runs(runs=(str(runs() / "one"),)).load({}, 0)
    assert cohort_data.compared is not None
    stored = {name: replace(of, tail=None) for name, of in cohort_data.stored_systems.items()}
    listed = replace(cohort_data, stored_systems=stored)
    with pytest.raises(DataError, match="one: its run listed comparisons; accepted: protocol=finished"):
        FinishedSystem(name="one").score_tail(listed, cohort_data.compared, trials()[0].groups, REQUEST, 0)
