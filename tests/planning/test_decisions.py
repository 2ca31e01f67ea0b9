"""The plan of a profile: what each requirement takes, the designs, and what a cohort can decide."""

import shlex
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from frtaudit.config.load import load_spec
from frtaudit.errors import SpecError
from frtaudit.planning.plan import check, plan
from frtaudit.planning.values import Section, Settings, page, with_stand_in
from frtaudit.stats.sample_size.power import (
    Dependence,
    least,
    mated,
    non_mated,
    power_to_pass,
    subjects_to_pass,
)

NIST = ("schema=gender", "requirement=[nist_800_63a_4]", "profiles.nist_800_63a_4.at={threshold: 0.4}")
FIDO = ("requirement=[fido_bcc_level2]", "profiles.fido_bcc_level2.at={threshold: 0.4}")
VIETNAM = ("requirement=[vn_sbv_50_2024]",)
POWER = 0.8


@cache
def made(words: tuple[str, ...], deff: float | None = None, **settings: Any) -> dict[str, Section]:
    """Sections by name; ``deff``: of FNMR."""
    given = {} if deff is None else {"fnmr": deff}
    found = plan(load_spec(with_stand_in(list(words))), Settings(deff=given, **settings))
    return {section.name: section for section in found.sections}


def rows(section: Section) -> dict[str, dict[str, Any]]:
    """Rows by their first cell."""
    return {str(row[0]): dict(zip(section.columns, row, strict=True)) for row in section.rows}


def test_a_rate_takes_as_many_as_its_own_plan() -> None:
    """Limits on rates: the sizes of the sections that other specs have."""
    takes = rows(made(NIST, samples=4)["takes"])
    for rate, design, limit in (("fmr", non_mated(4), 1e-4), ("fnmr", mated(4), 1e-2)):
        row = takes[f"nist-800-63a-4-{rate}"]
        assert row["independent: of all"] == subjects_to_pass(
            design, least(design), limit / 2, limit, 0.05, POWER
        )


def test_a_ratio_takes_more_than_every_rate() -> None:
    """With two equal groups some 62 errors of each, 124 for a group of few; people are counted in all."""
    takes = rows(made(NIST, samples=4)["takes"])
    ratio = takes["nist-800-63a-4-fnmr-ratio"]
    assert 50 < ratio["independent: errors"] < 70
    assert ratio["independent: of all"] == pytest.approx(2 * ratio["independent: subjects"], abs=1)
    assert ratio["independent: of all"] > 5 * takes["nist-800-63a-4-fnmr"]["independent: of all"]


def test_a_design_decides_all_and_one_person_fewer_does_not() -> None:
    """At the number of people of the design the cohort's table says so, for each requirement."""
    whole = rows(made(NIST, samples=4)["designs"])["4"]["independent: subjects"]
    for subjects, decided in ((whole, True), (whole - 10, False)):
        cohort = made(NIST, samples=4, subjects=subjects)["decides"]
        assert all(row[4] >= POWER for row in cohort.rows if isinstance(row[4], float)) is decided


def test_the_guide_shows_what_its_commands_print() -> None:
    """The tables of what_it_takes.md; of the last no row is untestable."""
    guide = (Path(__file__).parents[2] / "docs/guides/what_it_takes.md").read_text(encoding="utf-8")
    command = guide.partition("## What a cohort can decide")[2].partition("```bash")[2].partition("```")[0]
    words = [word for word in shlex.split(command) if "=" in word]
    takes, decides = made(NIST, samples=4)["takes"], made(tuple(words), samples=4, subjects=2000)["decides"]
    for section in (takes, decides):
        assert page(replace(section, notes=())) + "\n```" in guide
    assert not [row for row in decides.rows if "not testable" in str(row[-1])]


def test_one_sample_each_decides_no_fnmr() -> None:
    """No size has a mated comparison then, and the row names the requirement."""
    row = rows(made(NIST, samples=4)["designs"])["1"]
    assert row["independent: subjects"] is None
    assert row["independent: for"] == "nist-800-63a-4-fnmr"


def test_a_threshold_of_the_same_data_decides_no_fmr() -> None:
    """Without a threshold from elsewhere the plan says what the audit would."""
    outcome = rows(made(NIST[:2], samples=4, subjects=1000)["decides"])["nist-800-63a-4-fmr"]["outcome"]
    assert "not testable: the threshold is chosen to meet it" in outcome


def test_transactions_are_planned_at_the_profiles_level_and_size() -> None:
    """FAR at one side of 0.1, FRR by transactions of each subject, both with 245 subjects at least."""
    found = made(FIDO, samples=1, transactions=5)
    takes = rows(found["takes"])
    design = non_mated(1)
    assert takes["fido-bcc-level2-far"]["independent: of all"] == subjects_to_pass(
        design, least(design), 5e-5, 1e-4, 0.1, POWER
    )
    assert takes["fido-bcc-level2-frr"]["independent: of all"] == 245
    assert takes["fido-bcc-level2-frr"]["independent: comparisons"] == 5 * 245
    assert found["designs"].columns[0] == "transactions each"


def test_the_fewest_transactions_of_a_profile_are_planned() -> None:
    """FRR of 10,000 mated transactions: with T of each subject a design has 10,000/T subjects at least."""
    found = made(VIETNAM, samples=1, transactions=5)
    assert rows(found["takes"])["vn-sbv-50-2024-frr"]["independent: of all"] == 2000
    designs = rows(found["designs"])
    assert [designs[each]["independent: subjects"] for each in ("1", "3", "10")] == [10000, 3334, 1000]
    assert designs["10"]["independent: for"] == "vn-sbv-50-2024-frr"


@pytest.mark.parametrize(
    ("words", "requirement", "reason"),
    [
        (VIETNAM, "vn-sbv-50-2024-frr", "it asks for 10,000 transactions, and these are 500"),
        (FIDO, "fido-bcc-level2-frr", "it asks for 245 subjects, and these are 100"),
    ],
)
def test_a_cohort_below_the_minimum_is_not_testable(
    words: tuple[str, ...], requirement: str, reason: str
) -> None:
    """The outcome is that of the audit, with its words."""
    decides = rows(made(words, samples=1, subjects=100, transactions=5)["decides"])
    assert decides[requirement]["outcome"] == f"not testable: {reason}"


def test_a_given_design_effect_has_columns_of_its_own() -> None:
    """At its size the power is reached with that effect."""
    found = rows(made(NIST, samples=4, deff=1.5)["takes"])["nist-800-63a-4-fnmr"]
    subjects, design = found["deff given: of all"], mated(4)
    assert found["independent: of all"] < subjects < found["dependent: of all"]
    given = Dependence(base=1.5, share=0.0)
    assert power_to_pass(design, given, subjects, 5e-3, 1e-2, 0.05) >= POWER
    assert power_to_pass(design, given, subjects - 1, 5e-3, 1e-2, 0.05) < POWER


def test_no_transaction_is_refused() -> None:
    """One line that names the option."""
    with pytest.raises(SpecError, match="--transactions"):
        check(Settings(transactions=0))
