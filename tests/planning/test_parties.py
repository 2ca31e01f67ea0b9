"""Who there is, counted against the comparisons themselves."""

from dataclasses import replace

import numpy as np
import pytest
from small_audits import COHORT, SCHEMAS, spec

from frtaudit.core import Comparisons, OrderRule
from frtaudit.core.spec import SchemaSpec
from frtaudit.datasets.protocols.all_pairs import AllPairs
from frtaudit.pipeline.evaluate import groups_of
from frtaudit.planning import parties

MATERIAL = COHORT.load(SCHEMAS, 0)
GROUPS = groups_of(MATERIAL.cohort)
OWNER = MATERIAL.cohort.subject_of


def listed(keep: np.ndarray, *, ordered: bool = False) -> Comparisons:
    """Some of all pairs as a list."""
    i, j = np.triu_indices(OWNER.size, 1)
    i, j = i[keep[: i.size]], j[keep[: j.size]]
    if ordered:
        i, j = np.concatenate([i, j]), np.concatenate([j, i])
    return Comparisons(
        all_pairs=False,
        probe=i.astype(np.int32),
        reference=j.astype(np.int32),
        mated=OWNER[i] == OWNER[j],
        cells=np.zeros(MATERIAL.cohort.n_subjects, dtype=np.int32),
        ordered=ordered,
    )


def test_all_pairs_are_counted() -> None:
    """Mated and non-mated comparisons of everybody and of each group are those that a list of all pairs holds."""
    comparisons = AllPairs().comparisons(MATERIAL)
    found = parties.from_cohort(MATERIAL, comparisons, GROUPS)
    codes = MATERIAL.cohort.classifications["group"].codes
    i, j = np.triu_indices(OWNER.size, 1)
    assert [(item.schema, item.name) for item in found] == [(None, "all"), ("group", "x"), ("group", "y")]
    for code, item in zip((None, 0, 1), found, strict=True):
        both = (
            np.ones(i.size, bool) if code is None else (codes[OWNER[i]] == code) & (codes[OWNER[j]] == code)
        )
        mated = OWNER[i] == OWNER[j]
        assert item.trials("fnmr") == int(np.sum(mated & both))
        assert item.trials("fmr") == int(np.sum(~mated & both))
        inside = np.ones(OWNER.size, bool) if code is None else codes[OWNER] == code
        assert item.trials("fta") == int(inside.sum())
        assert item.designs["fta"].few_as_one
        assert item.subjects == len(np.unique(OWNER[inside]))


@pytest.mark.parametrize("ordered", [False, True])
def test_listed_comparisons_are_counted_once(ordered: bool) -> None:
    """A list counts what stands in it; both orders of two samples are one comparison."""
    keep = np.random.default_rng(1).random(OWNER.size**2) < 0.4
    found = parties.from_cohort(MATERIAL, listed(keep, ordered=ordered), GROUPS)[0]
    once = listed(keep)
    assert found.trials("fnmr") == int(once.mated.sum())
    assert found.trials("fmr") == int((~once.mated).sum())
    mine = np.bincount(OWNER[once.probe[once.mated]])
    others = np.bincount(OWNER[np.concatenate([once.probe[~once.mated], once.reference[~once.mated]])])
    for rate, each in (("fnmr", mine), ("fmr", others)):
        weighted = float(np.sum(each**2) / each.sum())
        assert found.designs[rate].per_subject(MATERIAL.cohort.n_subjects) == pytest.approx(weighted)


def test_both_orders_count_where_the_protocol_says_so() -> None:
    """Twice the comparisons of one order."""
    keep = np.random.default_rng(1).random(OWNER.size**2) < 0.4
    each = replace(listed(keep, ordered=True), order_rule=OrderRule.EACH)
    found, once = (parties.from_cohort(MATERIAL, made, GROUPS)[0] for made in (each, listed(keep)))
    assert found.trials("fnmr") == 2 * once.trials("fnmr") > 0
    assert found.trials("fmr") == 2 * once.trials("fmr") > 0


def test_a_size_is_a_cohort_of_equal_groups() -> None:
    """Sizes stand in for data: all pairs, equal groups of the declared classes; no counts without subjects."""
    asked = spec(schemas={"site": SchemaSpec(column="site", classes=("a", "b", "c"))})
    found = parties.from_sizes(asked, 300, 4)
    assert [(item.name, item.subjects) for item in found] == [
        ("all", 300),
        ("a", 100),
        ("b", 100),
        ("c", 100),
    ]
    assert (found[0].trials("fnmr"), found[0].trials("fmr")) == (1800, 300 * 299 // 2 * 16)
    assert parties.from_sizes(asked, None, 4)[1].trials("fmr") is None
    assert list(parties.schemas_of(found)) == ["site"]
    assert list(parties.schemas_of(found[:2])) == []
