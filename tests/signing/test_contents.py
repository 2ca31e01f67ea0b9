"""Tests of frtaudit.signing.contents."""

import json
from dataclasses import replace
from datetime import timedelta
from importlib.metadata import version
from types import SimpleNamespace
from typing import cast

import pytest
from small_run import WHEN, make_result, verdict_of

from frtaudit.core.findings import Verdict
from frtaudit.core.seal import SealRecord
from frtaudit.evaluation.contradictions import FULL
from frtaudit.signing import contents
from frtaudit.signing.contents import TABLE_FILES, against_schema, seal_checks, table_checks, verdict_problem
from frtaudit.signing.signer import Signer
from frtaudit.signing.statement import Statement
from frtaudit.signing.trust import Trust
from frtaudit.signing.verification import CheckStatus


def test_a_result_follows_its_schema() -> None:
    """The schema holds for a result, and names the place where another value departs from it."""
    value = json.loads(make_result().to_bytes())
    assert against_schema(value) is None
    value["estimates"][0]["numerator"] = -1
    assert str(against_schema(value)).startswith("/estimates/0/numerator ")


def test_a_result_of_version_0_1_follows_it_too() -> None:
    """Keys that have another name today: ``said`` of a stage, ``asked`` of a service; no other key, nor both."""
    stage: dict[str, object] = {"step": "read", "reason": "", "subjects": 1, "samples": 2, "groups": []}
    value = json.loads(make_result().to_bytes())
    value["cohort"]["sanitized"] = {"stages": [{**stage, "said": "as read"}], "required": [], "counted_at": 0}
    assert against_schema(value) is None
    for wrong in ({"told": "as read"}, {"said": "as read", "rule": "as read"}, {"said": 5}):
        value["cohort"]["sanitized"]["stages"] = [{**stage, **wrong}]
        assert str(against_schema(value)).startswith("/cohort/sanitized/stages/0")


def test_a_verdict_agrees_with_its_result() -> None:
    """Counts, choice and exit code follow from the result; a code that depends on --fail-on may be either."""
    right = verdict_of(make_result())
    assert verdict_problem(make_result(), right) is None
    assert verdict_problem(make_result(), {**right, "result_sha256": "0", "choice": []}) is None
    for wrong in ({"exit_code": 3}, {"counts": {}}, {"choice": ["take vendor"]}, {"more": 0}):
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
        (False, TABLE_FILES, ()),
        (False, TABLE_FILES[1:], TABLE_FILES[:1]),
        (False, (), TABLE_FILES),
        (True, (), ()),
        (True, TABLE_FILES[:1], TABLE_FILES[:1]),
        (True, TABLE_FILES, TABLE_FILES),
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


@pytest.mark.parametrize(
    ("seconds", "stamped", "holds"), [(0, False, True), (1, False, False), (0, True, True), (1, True, False)]
)
def test_a_seal_is_no_younger_than_the_signature(
    seconds: int, stamped: bool, holds: bool, signer: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the same second it holds; an authority's time counts before the signer's."""
    record = SealRecord(
        sha256="0" * 64, signer="S", keyid="1" * 64, signed_at="then", stamped_at=None, departures=()
    )
    later = WHEN + timedelta(seconds=seconds)
    statement = SimpleNamespace(
        when=WHEN if stamped else later, certificate=signer.certificate, keyid=signer.keyid
    )
    stamp = SimpleNamespace(when=later, certificate=signer.certificate, distrust=None) if stamped else None
    monkeypatch.setattr(contents, "open_seal", lambda *_: SimpleNamespace(statement=statement, stamp=stamp))
    monkeypatch.setattr(contents, "recorded", lambda *_: record)
    checks = list(seal_checks(replace(make_result(), seal=record), b"", "seal.json", WHEN, Trust()))
    assert (checks[0].status is CheckStatus.OK) is holds
    assert holds or checks[0].message == "was made after the report was signed"
