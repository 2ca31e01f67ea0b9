"""Tests of frtaudit.signing.contents."""

import json
from dataclasses import replace
from importlib.metadata import version
from types import SimpleNamespace
from typing import cast

import pytest
from small_run import make_result, verdict_of

from frtaudit.core.findings import Verdict
from frtaudit.evaluation.contradictions import FULL
from frtaudit.signing.contents import TABLES, against_schema, table_checks, verdict_problem
from frtaudit.signing.statement import Statement


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


@pytest.mark.parametrize(
    ("is_variant", "listed", "wrong"),
    [
        (False, TABLES, ()),
        (False, TABLES[1:], TABLES[:1]),
        (False, (), TABLES),
        (True, (), ()),
        (True, TABLES[:1], TABLES[:1]),
        (True, TABLES, TABLES),
    ],
)
def test_a_run_has_all_its_tables_and_a_variant_none(
    is_variant: bool, listed: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    """Each table that a run's statement does not list is named, and each that a publishable variant's does."""
    result = make_result()
    digests = {**result.digests, **({FULL: "0" * 64} if is_variant else {})}
    result = replace(result, digests=digests, versions={**result.versions, "frtaudit": version("frtaudit")})
    outer = cast("Statement", SimpleNamespace(subjects=dict.fromkeys(("result.json", *listed))))
    checks = list(table_checks(result.to_bytes(), outer))
    assert {check.subject for check in checks} == set(wrong)
    assert all(("publishable" in check.message) is is_variant for check in checks)
