import json
from pathlib import Path

import jsonschema
from finished_runs import counts, finished_run

from frtaudit.report.exports.ai_verify import AiVerify

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "aiverify.testresult.schema.json").read_text())


def test_the_frame_is_ai_verifys(tmp_path: Path) -> None:
    """The file follows AI Verify's published schema, formats too, and holds the result's findings and estimates."""
    run = finished_run(tmp_path)
    AiVerify().write(run, tmp_path)
    made = json.loads((tmp_path / "ai_verify.json").read_text())
    checker = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
    checker.validate(made)
    whole = json.loads(run.result.to_bytes())
    assert made["output"]["findings"] == whole["findings"]
    assert made["output"]["estimates"] == whole["estimates"]
    assert made["testArguments"]["algorithmArgs"] == whole["spec"]
    assert made["output"]["verdicts"] == {
        verdict.value: count for verdict, count in counts(run.result).items()
    }
    assert made["startTime"] == "2026-03-04T05:06:07Z"
    assert made["artifacts"] == ["report.html", "result.json"]
    assert made["output"]["not_recorded"] == ["timeTaken"]


def test_the_schema_would_object(tmp_path: Path) -> None:
    """The check is one that can fail: without its start the file is refused."""
    AiVerify().write(finished_run(tmp_path), tmp_path)
    made = json.loads((tmp_path / "ai_verify.json").read_text())
    del made["startTime"]
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(made)
