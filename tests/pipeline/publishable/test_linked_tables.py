"""Linked tables: every equation that is claimed holds in the people that were counted."""

from dataclasses import replace

import numpy as np
import pytest
from published_people import ATOMS, GROUPS, drawn, of_class, result_of

from frtaudit.core import AuditResult
from frtaudit.pipeline.publishable.linked_tables import linked


@pytest.mark.parametrize("seed", range(5))
def test_every_equation_holds_for_real_people(seed: int) -> None:
    """Counts of people by class and by combination solve the system, whoever the people are."""
    people = drawn(np.random.default_rng(seed), 40)
    tables = linked(result_of(people))
    finest = {atom: sum((p.sex, p.tone) == atom for p in people) for atom in ATOMS}
    printed = [sum(p.group(schema) == group for p in people) for schema, group in tables.cells]
    values = np.array([len(people), *printed, *finest.values()], dtype=float)
    assert tables.system.shape[1] == values.size
    assert not (tables.system @ values).any()


def test_crossings_share_cells_with_their_parts() -> None:
    """A class of the crossing and the classes it is made of are sums over the same finest cells."""
    tables = linked(result_of(drawn(np.random.default_rng(0), 20)))
    first = 1 + len(tables.cells)
    for number, (schema, group) in enumerate(tables.cells, 1):
        row = next(row for row in tables.system if row[number] == 1 and row[first:].any())
        assert np.array_equal(row[first:] == -1, of_class(schema, group))


def schemas(**found: dict[str, object]) -> AuditResult:
    """A result whose schemas are these, each with classes a, b and unknown."""
    base = result_of(drawn(np.random.default_rng(0), 20))
    groups = [{"group": name, "label": name, "subjects": 5} for name in ("a", "b", "unknown")]
    cohort = {"subjects": 15, "schemas": {name: {"groups": groups} for name in found}}
    return replace(base, spec={"schemas": found}, cohort=cohort)


def test_schemas_on_one_column_share_its_values() -> None:
    """Two schemas that read the same column count the same people in a class of the same name."""
    tables = linked(schemas(one={"column": "tone"}, two={"column": "tone"}))
    assert tables.kin == ()
    shared = np.zeros(tables.system.shape[1])
    shared[1 + tables.cells.index(("one", "a"))], shared[1 + tables.cells.index(("two", "a"))] = 1, -1
    assert np.linalg.matrix_rank(np.vstack([tables.system, shared])) == np.linalg.matrix_rank(tables.system)


@pytest.mark.parametrize(
    "two",
    [
        {"column": "age", "bins": {"edges": [30]}},
        {"column": "other", "bins": {"percentiles": [50], "within": "one"}},
        {"column": "age", "conflicts": "majority"},
    ],
)
def test_overlaps_that_no_equation_says_are_kin(two: dict[str, object]) -> None:
    """Bins of a shared column, bins within another schema, another rule for conflicts: published whole or not."""
    tables = linked(schemas(one={"column": "age", "conflicts": "error"}, two=two))
    assert frozenset(("one", "two")) in tables.kin


def test_counts_within_classes_may_lack_pairs_across_them() -> None:
    """Sums of comparisons within classes stay below their total: the second system has a cell for what they lack."""
    people = drawn(np.random.default_rng(3), 30)
    tables = linked(result_of(people))
    within = np.array([*(sum(p.group(s) == g for p in people) ** 2 for s, g in tables.cells)], dtype=float)
    finest = np.array([sum((p.sex, p.tone) == atom for p in people) ** 2 for atom in ATOMS], dtype=float)
    known = np.array([len(people) ** 2, *within, *finest])
    width = known.size
    lacks = tables.bounds[:, :width] @ known
    assert (lacks >= 0).all()
    assert lacks.any()
    assert tables.bounds.shape[1] - width == np.count_nonzero((tables.system != 0).sum(axis=1) > 2)
    assert {schema for schema, _ in tables.cells} == set(GROUPS)
