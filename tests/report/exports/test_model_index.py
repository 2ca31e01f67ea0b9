from dataclasses import replace
from pathlib import Path

import pytest
import report_fixture
import yaml
from finished_runs import finished_run

from frtaudit.report.exports.model_index import ModelIndex

RESULT = report_fixture.result()
SYSTEM = RESULT.estimates[0].provider
ORIGIN = {
    "systems": {SYSTEM: {"model": {"name": "r50", "licence": "research only"}}},
    "test_data": {"name": "Faces"},
}


@pytest.fixture
def cards(tmp_path: Path) -> list[Path]:
    """A card for each system of the synthetic result, one with a licence."""
    run = finished_run(tmp_path, result=replace(RESULT, spec={**RESULT.spec, "provenance": ORIGIN}))
    ModelIndex().write(run, tmp_path)
    return sorted((tmp_path / "model_index").iterdir())


def test_the_metadata_hold_the_rates_with_their_intervals(cards: list[Path]) -> None:
    """One result of one task and data set; every metric has its group and bounds; nothing is marked as verified."""
    heads = [yaml.safe_load(card.read_text().split("---\n")[1]) for card in cards]
    head = next(head for head in heads if head["model-index"][0]["name"] == SYSTEM)
    assert (head["license"], head["license_name"]) == ("other", "research only")
    assert all("license" not in other for other in heads if other is not head)
    (result,) = head["model-index"][0]["results"]
    assert result["task"]["type"] == "face-verification"
    assert result["dataset"] == {"type": "private", "name": "Faces"}
    first = next(item for item in result["metrics"] if item["type"] == "fnmr_at_fmr")
    known = {
        item.value for item in RESULT.estimates if item.metric == "fnmr_at_fmr" and item.provider == SYSTEM
    }
    assert first["value"] in known
    assert first["args"]["low"] <= first["value"] <= first["args"]["high"]
    assert first["args"]["interval_for"] == "population"
    assert len({item["name"] for item in result["metrics"]}) == len(result["metrics"])
    assert "verified" not in str(head)


@pytest.mark.parametrize(
    "name", ["1e5", "+1e-3", "1E5", "007", ".5", "0o17", "0x1F", "null", "2024-01-01", "v1.0"]
)
def test_a_system_whose_name_looks_like_a_number_is_a_text(name: str, tmp_path: Path) -> None:
    """YAML 1.2 reads ``1e5`` as a number, YAML 1.1 does not: the card quotes it."""
    renamed = tuple(
        replace(estimate, provider=name if estimate.provider == SYSTEM else estimate.provider)
        for estimate in RESULT.estimates
    )
    run = finished_run(tmp_path, result=replace(RESULT, estimates=renamed))
    ModelIndex().write(run, tmp_path)
    heads = [card.read_text().split("---\n")[1] for card in (tmp_path / "model_index").iterdir()]
    head = next(head for head in heads if yaml.safe_load(head)["model-index"][0]["name"] == name)
    assert (f"name: '{name}'\n" in head) == (name != "v1.0")


def test_the_hub_reads_the_card(cards: list[Path]) -> None:
    """The package huggingface_hub parses the card and finds every evaluation result."""
    import huggingface_hub as hub

    for path in cards:
        card = hub.ModelCard.load(path)
        (index,) = yaml.safe_load(path.read_text().split("---\n")[1])["model-index"]
        assert card.data.model_name == index["name"]
        assert len(card.data.eval_results) == len(index["results"][0]["metrics"])
