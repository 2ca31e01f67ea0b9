"""Which requirements are planned, and for whom."""

import pytest
from small_audits import spec

from frtaudit.core.spec import RequirementSpec, SchemaSpec
from frtaudit.errors import SpecError
from frtaudit.planning.parties import from_sizes
from frtaudit.planning.values import Settings
from frtaudit.planning.wanted import Wanted, too_small, wanted, with_limits
from frtaudit.stats.sample_size.power import mated

SPEC = spec(schemas={"site": SchemaSpec(column="site", classes=("a", "b"))})
PARTIES = from_sizes(SPEC, 100, 4)


def one(**fields: object) -> Wanted | tuple[RequirementSpec, str]:
    item = RequirementSpec(**({"name": "r", "metric": "fnmr", "limit": 0.02} | fields))
    (found,) = wanted((item,), PARTIES, Settings(expected={"fmr": 0.004}))
    return found


@pytest.mark.parametrize(("group", "names"), [("all", ["all"]), ("each", ["a", "b"]), ("b", ["b"])])
def test_parties_of_a_requirement(group: str, names: list[str]) -> None:
    """Everybody, each group, or one."""
    found = one(group=group)
    assert isinstance(found, Wanted)
    assert [party.name for party in found.parties] == names


def test_half_the_limit_is_expected_unless_said() -> None:
    """The true rate is half the limit, or the one that is given for the rate."""
    assert one().expected == 0.01
    found = one(metric="fmr")
    assert found.expected == 0.004
    assert found.title() == "r: FMR at most 2 %, 0.4 % expected"
    at_target = one(metric="fnmr_at_fmr", at={"fmr": 0.001})
    assert (at_target.rate, at_target.title()) == ("fnmr", "r: FNMR at FMR 0.1 % at most 2 %, 1 % expected")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"metric": "d_l2"}, "no plan is made for d_l2"),
        ({"sense": ">="}, "only upper limits between 0 and 1 are planned"),
        ({"limit": 2.0}, "only upper limits between 0 and 1 are planned"),
        ({"group": "nobody"}, "the classes of 'nobody' are not known without the data"),
    ],
)
def test_what_has_no_plan_says_why(fields: dict[str, object], why: str) -> None:
    """A requirement that is not planned is named with the reason, not dropped."""
    item, said = one(**fields)
    assert (item.name, said) == ("r", why)


def test_what_is_too_small_is_said_as_the_audit_says_it() -> None:
    """Subjects and comparisons below the minimum, each with its number; none at it."""
    asked = RequirementSpec(name="r", metric="fnmr", limit=0.1, minimum={"subjects": 20, "comparisons": 120})
    reason = "it asks for 120 comparisons, and these are 114; for 20 subjects, and these are 19"
    assert too_small(asked, mated(4), 19) == reason
    assert too_small(asked, mated(4), 20) is None


@pytest.mark.parametrize("limit", [0.004, 0.001])
def test_a_rate_that_no_size_lets_pass_is_refused(limit: float) -> None:
    """An expected rate at or above a limit contradicts it: one line that names the requirement and its limit."""
    said = rf"^--expected: fmr=0.004 cannot meet the limit {limit} of r, .*; accepted: a rate below {limit}$"
    with pytest.raises(SpecError, match=said):
        one(metric="fmr", limit=limit)


def test_limits_of_the_command_are_for_all_and_each() -> None:
    """A limit stands once for everybody, and once for each group where there are schemas."""
    found = with_limits(SPEC, Settings(limits={"fmr": 0.001}))[-2:]
    assert [(item.name, item.group, item.limit) for item in found] == [
        ("fmr", "all", 0.001),
        ("fmr-each-group", "each", 0.001),
    ]
    assert len(with_limits(spec(schemas={}), Settings(limits={"fmr": 0.001}))) == 1
