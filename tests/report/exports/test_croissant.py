import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import report_fixture
from finished_runs import finished_run

from frtaudit.inputs.croissant import read_origin
from frtaudit.report.exports.croissant import CONFORMS, Croissant

RESULT = report_fixture.result()
DECLARED = {
    "name": "Faces",
    "version": "1.2.0",
    "licence": "https://creativecommons.org/licenses/by/4.0/",
    "creator": "Example Borders",
    "source": "https://example.org/faces",
}


@pytest.fixture
def described(tmp_path: Path) -> Path:
    """The description of a test set that is declared."""
    run = finished_run(
        tmp_path, result=replace(RESULT, spec={**RESULT.spec, "provenance": {"test_data": DECLARED}})
    )
    Croissant().write(run, tmp_path)
    return tmp_path / "croissant.json"


def test_what_is_written_is_read_back(described: Path, tmp_path: Path) -> None:
    """Name, version, licence, creator and address survive; undeclared ones are left out and not made up."""
    origin = read_origin(described)
    assert {name: getattr(origin, name) for name in DECLARED} == DECLARED
    (tmp_path / "bare").mkdir()
    Croissant().write(finished_run(tmp_path / "bare"), tmp_path / "bare")
    bare = json.loads((tmp_path / "bare" / "croissant.json").read_text())
    assert not {"license", "creator", "url"} & set(bare)


def test_files_and_classes_are_listed(described: Path) -> None:
    """Each input with its digest, each class with its counts; both versions that it follows."""
    made: dict[str, Any] = json.loads(described.read_text())
    assert made["conformsTo"] == list(CONFORMS)
    assert {item["name"]: item["sha256"] for item in made["distribution"]} == RESULT.digests["inputs"]
    (classes,) = made["recordSet"]
    assert sum(row["classes/subjects"] for row in classes["data"] if row["classes/schema"] == "group") > 0
    assert made["datePublished"] == "2026-03-04"
    assert any("biometric" in text for text in made["rai:personalSensitiveInformation"])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of rdflib, below mlcroissant
def test_the_official_reader_reads_it(described: Path) -> None:
    """The package mlcroissant validates the description and yields the classes."""
    import mlcroissant as official

    dataset = official.Dataset(str(described))
    assert dataset.metadata.name == "Faces"
    assert not dataset.metadata.ctx.issues.errors
    assert len(list(dataset.records("classes"))) == len(
        json.loads(described.read_text())["recordSet"][0]["data"]
    )
