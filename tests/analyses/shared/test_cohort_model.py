from dataclasses import replace

import numpy as np
from small_audits import put, spec

from frtaudit.analyses.shared.cohort_model import rows_of, stage_of
from frtaudit.core.spec import Grid, GridKind, Thresholds
from frtaudit.stats.intervals.wilson import prepare


def test_one_person_has_no_spread() -> None:
    """A group without errors from which a spread could be told has no model; the others have one."""
    grid = Grid(kind=GridKind.EXPLICIT, values=(0.2,))
    made = put(spec(thresholds=Thresholds(fmr=(0.1,), grid=grid)), "two")
    code = np.array(made.groups.of)
    code[0, code[0] == 1] = 0
    code[0, 0] = 1
    groups = replace(made.groups, of=code)
    alone = replace(made, groups=groups, rule=prepare(made.tail, groups, made.rule.mated.thresholds.tolist()))
    models = [(row.group, stage_of(alone, row)) for row in rows_of(alone)]
    assert [stage for group, stage in models if group == "y"] == [None] * 4
    assert all(stage is not None for group, stage in models if group == "all")


def test_thresholds_that_the_data_chose_are_left_out() -> None:
    """Grid thresholds at FMR decades stand beside the targets: only the targets are simulated."""
    made = put(spec(thresholds=Thresholds(fmr=(0.1,), grid=Grid(kind=GridKind.FMR_DECADES))), "two")
    assert made.operating_points.thresholds
    assert all("fmr" in row.at for row in rows_of(made))
