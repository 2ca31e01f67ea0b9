"""How many findings requirements ask for, before anything is estimated (FORMULAS 8.9)."""

from collections.abc import Mapping, Sequence

from frtaudit.core.methods import Sided
from frtaudit.core.metrics import D_L2, INDICES
from frtaudit.core.spec import RequirementSpec

EACH = "each"
OF_SCHEMA = (*INDICES, D_L2)  # one of each schema
WITHIN = (
    "fmr_same_class",
    "fmr_same_class_ratio",
)  # one of each schema, and one within all where there are more


def planned(
    requirements: Sequence[RequirementSpec],
    ranked: Mapping[str, tuple[str, ...]],
    systems: int,
    *,
    counted: bool = False,
) -> int:
    """How many findings the requirements ask for: requirements x groups x systems (FORMULAS 8.9).

    What a schema has one of (an index, d_l2's largest class) is found in each schema where none is named; what counts
    transactions is one finding for all systems, unless transactions are ``counted``.

    >>> each = RequirementSpec(name="r", metric="fnmr", limit=0.1, group="each")
    >>> planned([each], {"sex": ("f", "m"), "age": ("old", "young", "other")}, 2)
    10
    """
    return sum(
        1
        if requirement.minimum.get("transactions") and not counted
        else systems * _groups(requirement, ranked)
        for requirement in requirements
    )


def _groups(requirement: RequirementSpec, ranked: Mapping[str, tuple[str, ...]]) -> int:
    """Estimates of one system that a requirement names: those of its group."""
    schemas = [requirement.schema] if requirement.schema else list(ranked)
    classes = [ranked.get(schema, ()) for schema in schemas]
    if requirement.group == EACH:
        return sum(map(len, classes))
    if requirement.metric in OF_SCHEMA and requirement.group in ("all", "max"):
        return len(schemas)
    if requirement.metric in WITHIN and requirement.group == "all":
        return max(1, len(schemas) + (len(schemas) > 1))
    return max(1, sum(requirement.group in names for names in classes))


def directions(requirements: Sequence[RequirementSpec]) -> int:
    """In how many directions the requirements spend alpha at most: 2 where one is two-sided."""
    return 2 if any(requirement.sided is Sided.TWO for requirement in requirements) else 1
