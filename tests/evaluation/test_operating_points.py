"""Rates at operating points: the note on the heaviest pair of people, few right decisions (FORMULAS 8.1, 8.18)."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from small_audits import system_of

from frtaudit.core.methods import MIN_ERRORS
from frtaudit.evaluation import operating_points
from frtaudit.evaluation.operating_points import HEAVY, MIN_HEAVY, ONE_PAIR, OperatingPoint, read
from frtaudit.evaluation.system import WEIGHTINGS
from frtaudit.stats.groups.influence import heaviest_pair
from frtaudit.stats.intervals import wilson


def test_a_note_names_the_heaviest_pair_where_it_is_heavy_and_nowhere_else() -> None:
    """At every target, weighting and group the note stands iff one pair has a tenth of the errors, two at least."""
    system = system_of()
    seen = set()
    groups = [group_index for group_index, _, _ in system.every_group()]
    points = range(len(system.operating_points.targets))
    for (w, weighting), group_index, point in product(enumerate(WEIGHTINGS), groups, points):
        threshold = float(system.operating_points.at_target[w, point])
        member = system.rule.spread.member[group_index]
        heaviest = heaviest_pair(system.tail, member, threshold, weighting)
        heavy = heaviest is not None and heaviest.share >= HEAVY and heaviest.errors >= MIN_HEAVY
        place = OperatingPoint(
            rate="fmr", weighting=weighting, group_index=group_index, threshold=threshold, point=point
        )
        rule = read(system, place).rule
        assert rule is not None
        assert np.isfinite(threshold)
        assert (ONE_PAIR in (rule(0.05).note or "")) == heavy
        seen.add(heavy)
    assert seen == {True, False}


def test_few_right_decisions_borrow_as_few_errors_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where FNMR is nearly 1 the variance of replicates counts only where it is larger than by 8.1."""
    system = system_of()
    steady = np.linspace(0.5, 0.5001, system.spec.bootstrap.B)  # replicates that hardly vary
    monkeypatch.setattr(operating_points, "_moved", lambda *_: steady)
    for weighting, right in product(WEIGHTINGS, (3, 9, 40)):
        threshold = float(np.sort(system.tail.mated_score)[-1 - right])
        place = OperatingPoint(rate="fnmr", weighting=weighting, group_index=0, threshold=threshold, point=0)
        held = wilson.prepare(system.tail, system.groups, [threshold])
        rule = read(replace(system, rule=held), place).rule
        assert rule is not None
        known = held.fnmr(threshold, 0, 0.05, weighting)
        few = known.trials - known.errors < MIN_ERRORS
        assert few == (right < MIN_ERRORS)
        assert rule(0.05).n_eff == pytest.approx(known.n_eff if few else known.trials)
