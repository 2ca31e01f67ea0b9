"""Tests of frtaudit.signing.contents."""

import json
from dataclasses import replace

from small_run import make_result, verdict_of

from frtaudit.core.findings import Verdict
from frtaudit.signing.contents import against_schema, verdict_problem


def test_a_result_follows_its_schema() -> None:
    """The schema holds for a result, and names the place where another value departs from it."""
    value = json.loads(make_result().to_bytes())
    assert against_schema(value) is None
    value["estimates"][0]["numerator"] = -1
    assert str(against_schema(value)).startswith("/estimates/0/numerator ")


def test_a_verdict_agrees_with_its_result() -> None:
    """Counts, choice and exit code follow from the result; a code that depends on --fail-on may be either."""
    right = verdict_of(make_result())
    assert verdict_problem(make_result(), right) is None
    for wrong in ({"exit_code": 3}, {"counts": {}}, {"choice": ["take vendor"]}):
        assert verdict_problem(make_result(), {**right, **wrong}) is not None
    (finding,) = make_result().findings
    failed = replace(make_result(), findings=(replace(finding, verdict=Verdict.FAIL),))
    assert verdict_problem(failed, verdict_of(failed)) is None
    assert verdict_problem(failed, {**verdict_of(failed), "exit_code": 0}) is not None
    undecided = replace(make_result(), findings=(replace(finding, verdict=Verdict.INCONCLUSIVE),))
    for code in (0, 3):
        assert verdict_problem(undecided, {**verdict_of(undecided), "exit_code": code}) is None
