import re
from dataclasses import replace
from functools import cache

import pytest
from small_audits import COHORT, audit, pick, spec

from frtaudit.analyses import releases
from frtaudit.analyses.interclass import Interclass
from frtaudit.analyses.releases import TIED, Release, Releases
from frtaudit.core import AuditResult
from frtaudit.core.spec import AuditSpec
from frtaudit.datasets.cohorts.synthetic import SyntheticSystem
from frtaudit.datasets.providers.cosine import Cosine
from frtaudit.errors import SpecError

FAMILY = {
    "b": Release(detection="1", recognition="2", released="2021-06-01"),
    "a": Release(detection="1", recognition="1", released="2019"),
    "c": Release(detection="2", recognition="2", released="2023"),
    "grid_only": Release(detection="2", recognition="1"),
}


def made(**changes: object) -> AuditSpec:
    """Four systems of one vendor, two of them the same templates."""
    cohort = replace(
        COHORT,
        systems={
            "a": SyntheticSystem(noise=0.3),
            "b": SyntheticSystem(noise=0.3),
            "grid_only": SyntheticSystem(),
        },
    )
    systems = ("a", "b", Cosine(name="c", templates="b"), "grid_only")
    analyses = {"interclass": Interclass(B=99), "releases": Releases(families={"vendor": FAMILY})}
    return spec(cohort=cohort, providers=systems, analyses=analyses, **changes)


@cache
def result() -> AuditResult:
    """The audit of :func:`made`."""
    return audit(made()).result


def test_changes_go_from_each_dated_release_to_the_next() -> None:
    """By date, not by name or order; a system without a date has no change."""
    found = pick(result(), "d_l2_change")
    assert [(e.at["from"], e.provider) for e in found] == [("a", "b"), ("b", "c")]
    largest = {e.provider: e.value for e in pick(result(), "d_l2", group="max", at={"space": "quantile"})}
    assert found[0].value == pytest.approx(largest["b"] - largest["a"], abs=0.05)
    assert found[0].test is not None
    assert found[0].test.method.value == "paired_people"
    assert found[0].intervals[0].target.value == "population"


def test_a_release_against_itself_has_no_test() -> None:
    """The same templates under another name: identical by construction, no interval and no p."""
    same = pick(result(), "d_l2_change")[1]
    assert (same.value, same.intervals, same.note) == (None, (), TIED)
    assert same.test is not None
    assert same.test.p is None


def test_a_release_that_was_not_on_trial_is_said() -> None:
    """The chain skips it, and a note names it."""
    fewer = audit(replace(made(), providers=("a", Cosine(name="c", templates="b")))).result
    assert [(e.at["from"], e.provider) for e in pick(fewer, "d_l2_change")] == [("a", "c")]
    assert "vendor: no system named b was audited" in fewer.notes


def test_a_further_release_moves_no_earlier_number() -> None:
    """The change from a to b is the same whatever came later."""
    fewer = audit(replace(made(), providers=("a", "b"))).result
    one, other = (pick(r, "d_l2_change")[0] for r in (result(), fewer))
    assert (one.value, one.intervals) == (other.value, other.intervals)


@pytest.mark.parametrize(
    ("members", "line"),
    [
        (
            {"a": Release(), "b": Release()},
            "analyses.releases.families.v: two systems have the same place in the grid; accepted: each place once",
        ),
        (
            {"a": Release(released="last year")},
            "analyses.releases.families.v.a.released: found 'last year'; accepted: YYYY or YYYY-MM-DD",
        ),
        (
            {"a": Release(released="20230501")},
            "analyses.releases.families.v.a.released: found '20230501'; accepted: YYYY or YYYY-MM-DD",
        ),
    ],
)
def test_families_that_cannot_be(members: dict[str, Release], line: str) -> None:
    """A date that is none, and a place taken twice, are usage errors."""
    with pytest.raises(SpecError, match=f"^{re.escape(line)}$"):
        Releases(families={"v": members})


def test_the_metric_that_is_read_from_the_source_is_the_one_that_is_made() -> None:
    """A spec is checked before the module is imported: its metrics stand there as texts."""
    assert releases.Releases.metrics == (releases.METRIC,)
