import dataclasses
import json
from pathlib import Path

import jsonschema
import report_fixture
from finished_runs import finished_run

from frtaudit.core.text.file_names import file_name
from frtaudit.report.exports.model_card import ModelCard

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "model_card.schema.json").read_text())


def test_a_card_for_each_system(tmp_path: Path) -> None:
    """Each card follows the toolkit's schema, and its metrics are the result's numbers, to the last bit."""
    run = finished_run(tmp_path)
    ModelCard().write(run, tmp_path)
    cards = {path.stem: json.loads(path.read_text()) for path in (tmp_path / "model_card").iterdir()}
    assert set(cards) == set(report_fixture.SYSTEMS)
    for name, card in cards.items():
        jsonschema.Draft7Validator(SCHEMA).validate(card)
        own = [item for item in run.result.estimates if item.provider == name and item.value is not None]
        metrics = card["quantitative_analysis"]["performance_metrics"]
        assert {float(metric["value"]) for metric in metrics} == {item.value for item in own}
        bounds = {(i.low, i.high) for item in own for i in item.intervals}
        given = [metric["confidence_interval"] for metric in metrics if "confidence_interval" in metric]
        assert given
        assert {(float(one["lower_bound"]), float(one["upper_bound"])) for one in given} <= bounds
        assert all(" for=" in metric["type"] for metric in metrics if "confidence_interval" in metric)
        assert {metric.get("slice") for metric in metrics} == {
            None if item.schema is None and item.group == "all"
            else "=".join(part for part in (item.schema, item.group) if part) for item in own
        }  # fmt: skip


def test_names_make_files(tmp_path: Path) -> None:
    """Systems whose names no file can have, or that differ in such letters only, get files of their own."""
    result = report_fixture.result()
    names = dict(zip(report_fixture.SYSTEMS, ("../a/b", "../a:b"), strict=True))
    renamed = tuple(
        dataclasses.replace(item, provider=names.get(item.provider, item.provider))
        for item in result.estimates
    )
    changed = dataclasses.replace(result, estimates=renamed, curves=())
    ModelCard().write(finished_run(tmp_path, result=changed), tmp_path)
    files = sorted(path.name for path in (tmp_path / "model_card").iterdir())
    assert files == sorted(f"{file_name(name)}.json" for name in names.values())
    assert len({*files}) == 2
    assert not (tmp_path.parent / "a").exists()
