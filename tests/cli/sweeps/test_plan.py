"""Tests of frtaudit.cli.sweeps.plan: what a sweep is known by, and its file."""

from dataclasses import replace
from pathlib import Path

import pytest
import small_sweep

from frtaudit.cli.sweeps import plan as plans
from frtaudit.cli.sweeps.plan import Plan, last_parts, without_places
from frtaudit.errors import SpecError


def test_a_plan_comes_back_from_its_file(tmp_path: Path) -> None:
    """Reading gives what was written, settings in their order."""
    plans.write(small_sweep.plan(), tmp_path)
    found = plans.read(tmp_path)
    assert found == small_sweep.plan()
    assert list(found.jobs[0].settings) == ["providers", "bootstrap.alpha"]


def test_the_identity_moves_with_settings_and_specs_only() -> None:
    """Another spec or setting is another sweep; where presets stand, and the order of writing a setting, is not."""
    made = small_sweep.plan()
    assert replace(made, config_dir="elsewhere").digest == made.digest
    other = replace(made, jobs=(*made.jobs[:3], replace(made.jobs[3], spec="f" * 64)))
    assert other.digest != made.digest
    assert made.folder == Path("demo") / made.digest[:16]
    assert {job.folder for job in made.jobs} == {f"{0:016x}"}


def test_a_folder_holds_one_sweep(tmp_path: Path) -> None:
    """The same sweep may come again; another is refused in one line and the first stays."""
    made = small_sweep.plan()
    plans.write(made, tmp_path)
    plans.write(made, tmp_path)
    with pytest.raises(
        SpecError, match=r"^hydra.sweep.dir: .* contains another sweep; accepted: a separate folder$"
    ):
        plans.write(replace(made, jobs=made.jobs[:2]), tmp_path)
    assert plans.read(tmp_path) == made


def test_two_jobs_of_one_spec_are_refused() -> None:
    """Settings that leave the spec as it is would run one audit twice into one folder."""
    jobs = small_sweep.plan().jobs
    with pytest.raises(
        SpecError, match=r"bootstrap.alpha=0.05 and providers=\[a\] .* describe the same audit"
    ):
        Plan(audit="demo", jobs=(jobs[0], replace(jobs[1], spec=jobs[0].spec)))


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["/data/me/a", "/data/me/b"], ["a", "b"]),
        (["/data/me/a/x", "/data/me/b/x", "/y"], ["a/x", "b/x", "y"]),
        (["/data/me/x", "x"], ["me/x", "x"]),
        (["/data/me/x", "/data/me/x"], ["x", "x"]),
        (["/x", "x"], ["x", "x"]),
        (["runs/x", "0.1"], ["runs/x", "0.1"]),
        (["/", "/x"], ["", "x"]),
        (["[/data/me/a,/data/me/b]", "[/data/me/b,/data/me/a]"], ["[a,b]", "[b,a]"]),
        (["['/data/me/a']", "[{root: /data/me/b}]"], ["['a']", "[{root: b}]"]),
        (["http://127.0.0.1:8000", "https://host/x"], ["http://127.0.0.1:8000", "https://host/x"]),
    ],
)
def test_settings_tell_no_place_of_the_machine(values: list[str], labels: list[str]) -> None:
    """Absolute paths are cut to what makes them distinct, also from what is no path; nothing else changes."""
    made = without_places([{"cohort.root": value, "seed": "1"} for value in values])
    assert [job["cohort.root"] for job in made] == labels
    assert {job["seed"] for job in made} == {"1"}
    assert without_places([]) == []


def test_why_a_job_was_refused_tells_no_place_either() -> None:
    """Its error is in the signed table; the rest of the sentence stays, with shares and addresses."""
    text = "cohort.root: no folder '/data/me/x', nor /data/me/y; accepted: metadata.csv and/or 1/2, https://host/x"
    assert last_parts(text) == (
        "cohort.root: no folder 'x', nor y; accepted: metadata.csv and/or 1/2, https://host/x"
    )
