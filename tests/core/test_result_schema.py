"""Tests of frtaudit.core.result_schema."""

import copy
import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from frtaudit.config.json_schema import schema_text
from frtaudit.config.load import load_spec
from frtaudit.core.estimates import Estimate, Interval, Test, TestMethod
from frtaudit.core.findings import Finding, Verdict
from frtaudit.core.methods import Method, Target
from frtaudit.core.plain.records import to_json
from frtaudit.core.result_schema import with_present_keys
from frtaudit.pipeline.audit import audit


@pytest.fixture(scope="module")
def result() -> Any:
    """A real result: a small audit with error rates, failures and a requirement."""
    overrides = ["audit=demo", "cohort.subjects=24", "bootstrap.B=199"]
    keep = [
        "~analyses.similarity_roc",
        "~analyses.differentials",
        "~analyses.interclass",
        "~analyses.accuracy",
    ]
    return json.loads(audit(load_spec([*overrides, *keep])).result.to_bytes())


@pytest.fixture(scope="module")
def validator() -> Any:
    """What `frtaudit schema result` prints, as a validator."""
    return Draft202012Validator(json.loads(schema_text("result")))


def test_a_real_result_validates(result: Any, validator: Any) -> None:
    """result.json of an audit follows the published schema."""
    validator.validate(result)
    assert result["estimates"]
    assert result["curves"]
    assert result["findings"]
    assert result["failures"]


@pytest.fixture(scope="module")
def short(result: Any, validator: Any) -> Any:
    """The same with two entries of each list, which is valid, too."""
    made = {key: value[:2] if isinstance(value, list) else value for key, value in result.items()}
    validator.validate(made)
    return made


@pytest.mark.parametrize("part", ["estimates", "curves", "findings", "failures"])
def test_no_further_key_is_allowed(short: Any, validator: Any, part: str) -> None:
    """A key that the contract does not name fails, in every part."""
    changed = copy.deepcopy(short)
    changed[part][0]["further"] = 1
    assert not validator.is_valid(changed)


@pytest.mark.parametrize(
    "part", ["schema_version", "spec", "digests", "versions", "estimates", "cohort", "notes"]
)
def test_every_part_is_required(short: Any, validator: Any, part: str) -> None:
    """A result without one of its parts fails."""
    assert not validator.is_valid({key: value for key, value in short.items() if key != part})


def test_every_field_of_the_types_is_in_the_schema(validator: Any) -> None:
    """What the core types write is what the schema names: neither more nor less."""
    interval = Interval(
        low=None, high=None, level=0.95, method=Method.WILSON, target=Target.POPULATION, note="why"
    )
    estimate = Estimate(
        provider="p", analysis="a", metric="m", schema=None, group="all", weighting=None, at={}, value=None,
        numerator=None, denominator=None, unit="u", intervals=(interval,), note="why",
    )  # fmt: skip
    finding = Finding(
        requirement="r",
        estimate=None,
        verdict=Verdict.INCONCLUSIVE,
        limit=1.0,
        bound=None,
        bound_level=None,
        sentence="s",
        other_bound=1.0,
        measured=True,
        advisory=True,
        set_aside=True,
        near_bound=1.0,
    )
    test = Test(
        p=None,
        null_median=None,
        null_edge=None,
        alpha=0.05,
        n_resamples=None,
        method=TestMethod.CENTRED_RATES,
        detectable=None,
        detectable_unit="u",
        power=0.8,
        note="why",
    )
    kinds = validator.schema["$defs"]
    assert set(kinds["test"]["properties"]) == set(to_json(test))
    assert set(kinds["estimate"]["properties"]) == set(to_json(estimate))
    assert set(kinds["interval"]["properties"]) == set(to_json(interval))
    assert set(kinds["finding"]["properties"]) == set(to_json(finding))


@pytest.mark.parametrize(
    "result", [None, [], {}, {"cohort": 5}, {"cohort": {"sanitized": [], "collection": {"services": 1}}}]
)
def test_results_without_such_keys_stay(result: Any) -> None:
    """What has neither stages nor services is the same, however broken."""
    assert with_present_keys(result) == result


def test_earlier_keys_have_the_names_of_today() -> None:
    """Stages and services have them, in their place; nothing else changes, not even a service of that name."""
    services = {"asked": {"asked": {"model": "m"}, "scored": 1}, "b": {"settings": {}}, "c": None}
    cohort = {
        "subjects": 2,
        "sanitized": {"stages": [{"said": "x", "step": "y"}, 5]},
        "collection": {"services": services},
    }
    now = with_present_keys({"cohort": cohort, "spec": {"said": 1}})
    assert json.dumps(now) == json.dumps(
        {
            "cohort": {
                "subjects": 2,
                "sanitized": {"stages": [{"rule": "x", "step": "y"}, 5]},
                "collection": {
                    "services": {
                        "asked": {"settings": {"model": "m"}, "scored": 1},
                        "b": {"settings": {}},
                        "c": None,
                    }
                },
            },
            "spec": {"said": 1},
        }
    )
