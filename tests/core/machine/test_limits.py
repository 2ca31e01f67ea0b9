"""Tests of frtaudit.core.machine.limits: absurd values are refused in one line before anything is read."""

from pathlib import Path

import pytest

from frtaudit.collection.spec import BudgetSpec
from frtaudit.config.load import load_collection, load_spec
from frtaudit.config.validate import check_spec
from frtaudit.core.machine import limits
from frtaudit.core.plain.structure import build
from frtaudit.core.spec import AuditSpec, Bootstrap, Folds, Grid, Report, Thresholds
from frtaudit.datasets.cohorts.synthetic import Synthetic
from frtaudit.datasets.cohorts.synthetic_queries import SyntheticQueries, SyntheticService
from frtaudit.datasets.cohorts.synthetic_releases import SyntheticReleases
from frtaudit.datasets.cohorts.traits import Traits
from frtaudit.errors import SpecError


@pytest.mark.parametrize(
    ("kind", "data", "line"),
    [
        (Bootstrap, {"B": 99_999_999_999}, "it.B: found 99999999999; accepted: at most 1000000"),
        (Folds, {"k": 10**9}, "it.k: found 1000000000; accepted: at most 10000"),
        (
            Synthetic,
            {"concentration": [1.0, 1e308]},
            "it.concentration[1]: found 1e+308; accepted: at most 1e+15",
        ),
        (Grid, {"num": 10**300}, "it.num: found a number of more than 30 digits; accepted: at most 100000"),
        (Thresholds, {"fmr": [0.1] * 100_001}, "it.fmr: found 100001 values; accepted: at most 100000"),
        (
            BudgetSpec,
            {"limit": 10**400},
            "it.limit: found a number of more than 30 digits; accepted: at most 1",
        ),
        (
            Synthetic,
            {"subjects": 100_000, "samples_per_subject": [3, 2_000]},
            "cohort.subjects: 100000 with up to 2000 images each; accepted: at most 3000000 images",
        ),
        (
            SyntheticQueries,
            {"queries": 10_000_000, "services": {"a": {}}},
            "cohort.queries: 10000000 with up to 24 images each; accepted: at most 3000000 images",
        ),
        (
            SyntheticReleases,
            {"subjects": 100_000_000},
            "cohort.subjects: 100000000 with up to 6 images each; accepted: at most 3000000 images",
        ),
        (
            Traits,
            {"samples_per_subject": [4, 20_000]},
            "it.samples_per_subject[1]: found 20000; accepted: at most 10000",
        ),
        (
            Synthetic,
            {"systems": {"a": {"noise": 1e7}}},
            "cohort.systems.a: noise outside [0, 1e+06], or a failure rate outside [0, 1)",
        ),
        (Bootstrap, {"alpha": float("nan")}, "it.alpha: found nan; accepted: a number"),
        (
            SyntheticService,
            {"noise": float("inf")},
            "cohort.services: noise inf, failure_rate 0, scale 100; accepted: noise from 0 to 1e+06",
        ),
        (Report, {"title": "a\ud800b"}, "it.title: the character U+D800; accepted: text"),
        (Synthetic, {"systems": {"\ud800": {}}}, "it.systems: the character U+D800; accepted: text"),
        (str, "x" * 10_000_000, "it: found 10000000 characters; accepted: at most 20000"),
    ],
)
def test_absurd_values_are_refused_where_plain_data_become_values(
    kind: type, data: object, line: str
) -> None:
    """The place, what was found, the limit; a long text or number is not repeated."""
    with pytest.raises(SpecError) as caught:
        build(kind, data, "it")
    assert str(caught.value).startswith(line)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("name", limits.LARGEST)
def test_every_limit_admits_itself(name: str) -> None:
    """What a line says is accepted is accepted."""
    limits.check_whole(f"any.{name}", limits.LARGEST[name])
    with pytest.raises(SpecError):
        limits.check_whole(f"any.{name}", limits.LARGEST[name] + 1)


def test_the_command_line_and_files_are_held_to_them(tmp_path: Path) -> None:
    """Overrides of an audit and of a collection, a word of 10 MB, a file of 10 MB."""
    with pytest.raises(SpecError, match=r"^bootstrap.B: found 99999999999; accepted: at most 1000000$"):
        load_spec(["audit=demo", "bootstrap.B=99999999999"])
    with pytest.raises(SpecError, match=r"^threads: found 9999999; accepted: at most 1024$"):
        load_spec(["audit=demo", "threads=9999999"])
    with pytest.raises(
        SpecError, match=r"^command line: 'question' and what follows: 1\d{7} characters; accepted: "
    ):
        load_spec(["audit=demo", f"question={'x' * 10_000_000}"])
    made = ["services.acme.type=made_up", "services.acme.limits.concurrency=99999"]
    with pytest.raises(SpecError, match=r"^services.acme.limits.concurrency: found 99999; accepted: at most"):
        load_collection(["source=made_up", "into=c", *made])
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "mine.yaml").write_text(f"question: '{'x' * 10_000_000}'\n")
    with pytest.raises(SpecError, match=r"^audit/mine.yaml: is too large for a spec; accepted: at most"):
        load_spec(["audit=mine"], tmp_path)


def test_an_alpha_that_no_resamples_reach_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not with a B that would be refused itself; the smallest alpha that is named works."""
    spec = load_spec(["audit=demo"])
    with pytest.raises(SpecError, match=r"^bootstrap.alpha: 1e-12 needs B = 2e\+12, and 1000000 is the la"):
        check_spec(_with(spec, Bootstrap(B=999, alpha=1e-12)))
    check_spec(_with(spec, Bootstrap(B=1_000_000, alpha=2e-6)))


def _with(spec: AuditSpec, bootstrap: Bootstrap) -> AuditSpec:
    from dataclasses import replace

    return replace(spec, bootstrap=bootstrap)


def test_a_name_that_no_folder_can_have_is_refused() -> None:
    """Before anything is computed for a folder that cannot be made."""
    with pytest.raises(SpecError, match=r"^name: found .*; accepted: 1 to 200 letters"):
        load_spec(["audit=demo", f"name={'n' * 10_000}"])
