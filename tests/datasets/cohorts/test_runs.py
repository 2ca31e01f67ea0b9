import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from vendor_audits import VENDORS, from_runs, made, pick, runs, trials

from frtaudit.core.canonical import digest, to_bytes
from frtaudit.core.records import to_json
from frtaudit.datasets.cohorts.runs import Runs
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs import nameless
from frtaudit.pipeline.audit import audit


def test_finished_runs_give_the_numbers_of_one_audit() -> None:
    """Every estimate and every entry of the ledger is that of the audit with all vendors, but for accuracy's digits."""
    direct = audit(made(*VENDORS, asked=from_runs().analyses["vendor_comparison"])).result  # type: ignore[arg-type]  # it is
    again = audit(
        replace(from_runs(), analyses={"vendor_comparison": from_runs().analyses["vendor_comparison"]})
    ).result
    assert [to_json(item) for item in again.estimates] == [to_json(item) for item in direct.estimates]
    assert again.failures == direct.failures
    assert "found again from their scores: one, two, three" in " ".join(again.notes)
    assert len(pick(again, "vendor_difference")) > 20


def test_systems_are_named_by_their_runs() -> None:
    """A name for each run; without names two runs of one system are refused in one line."""
    path = str(runs() / "one")
    named = Runs(runs=(path, path), names=("old", "new")).load({}, 0)
    assert list(named.stored_systems) == ["old", "new"]
    with pytest.raises(SpecError, match="'one' stands in two runs"):
        Runs(runs=(path, path)).load({}, 0)
    with pytest.raises(SpecError, match="1 for 2 runs"):
        Runs(runs=(path, path), names=("old",)).load({}, 0)
    with pytest.raises(SpecError, match="no run"):
        Runs(runs=()).load({}, 0)


def test_the_cohort_is_that_of_the_runs() -> None:
    """The same digest, counts and classes; no name of a person, no path among the inputs."""
    cohort = trials()[0].cohort
    found = Runs(runs=(str(runs() / "one"),)).load({}, 0)
    assert found.cohort.digest == cohort.digest
    assert found.cohort.subject_of.tolist() == cohort.subject_of.tolist()
    assert (
        found.cohort.classifications["group"].codes.tolist() == cohort.classifications["group"].codes.tolist()
    )
    assert not set(found.cohort.sample_ids) & set(cohort.sample_ids)
    assert all(name.startswith("1/one/") for name in found.inputs)
    assert found.failures["one"] == dict(trials()[0].failed)


def test_runs_on_nobody_in_particular_are_refused(tmp_path: Path) -> None:
    """A run on scores without subjects has nobody to draw."""
    import json

    shutil.copytree(runs() / "two", tmp_path / "two")
    content = json.loads((tmp_path / "two" / "result.json").read_bytes())
    content["notes"].append(nameless.SAID)
    (tmp_path / "two" / "result.json").write_bytes(to_bytes(content))
    (tmp_path / "two" / "verdict.json").write_bytes(to_bytes({"result_sha256": digest(content)}))
    with pytest.raises(DataError, match="two: its files name no subjects"):
        Runs(runs=(str(tmp_path / "two"),)).load({}, 0)


def test_runs_on_other_people_are_refused(tmp_path: Path) -> None:
    """Another seed draws another cohort: one line says so."""
    import json

    shutil.copytree(runs() / "two", tmp_path / "two")
    content = json.loads((tmp_path / "two" / "result.json").read_bytes())
    content["digests"]["cohort"] = "0" * 64
    (tmp_path / "two" / "result.json").write_bytes(to_bytes(content))
    with pytest.raises(DataError, match="not the one that verdict.json names"):
        Runs(runs=(str(runs() / "one"), str(tmp_path / "two"))).load({}, 0)
    (tmp_path / "two" / "verdict.json").write_bytes(to_bytes({"result_sha256": digest(content)}))
    with pytest.raises(DataError, match="its cohort is not that of one"):
        Runs(runs=(str(runs() / "one"), str(tmp_path / "two"))).load({}, 0)
