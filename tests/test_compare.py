from pathlib import Path

import pytest
from vendor_audits import VENDORS, runs

from frtaudit.cli import main
from frtaudit.compare import overrides_of, parted
from frtaudit.core import AuditResult
from frtaudit.errors import SpecError
from frtaudit.json_schema import schema_text


def test_runs_names_and_overrides_are_told_apart() -> None:
    """A word with = is a run where its right side is one, else an override."""
    one = runs() / "one"
    assert parted([str(one), f"new={one}", "bootstrap.B=99"]) == (
        [("", one), ("new", one)],
        ["bootstrap.B=99"],
    )


def test_what_the_runs_share_is_taken_over() -> None:
    """Seed, targets, B and weighting of the runs' specs; the caller's own words come last."""
    words = overrides_of([*(str(runs() / name) for name in VENDORS), "bootstrap.alpha=0.1"])
    assert words[0] == "audit=compare"
    assert "thresholds.fmr=[0.1,0.03]" in words
    assert "bootstrap.B=199" in words
    assert "folds.source='official'" in words
    assert words[-1] == "bootstrap.alpha=0.1"
    named = overrides_of([f"it's={runs() / 'one'}", str(runs() / "two")])
    assert "cohort.names=['it\\'s','two']" in named
    with pytest.raises(SpecError, match="no run"):
        overrides_of(["bootstrap.B=99"])


def test_compare_writes_a_page_from_finished_runs(tmp_path: Path) -> None:
    """One command: exit code 0, a result that follows its schema, the page with the rule and the ranks."""
    import json

    import jsonschema

    folders = [str(runs() / name) for name in VENDORS]
    out = tmp_path / "out"
    settings = ["report.sign=false", "report.pdf=false", "report.date=2026-01-02", f"hydra.run.dir={out}"]
    assert main(["compare", *folders, *settings]) == 0
    content = json.loads((out / "result.json").read_bytes())
    jsonschema.validate(content, json.loads(schema_text("result")))
    assert AuditResult.from_json(content).to_json() == content
    page = (out / "report.html").read_text()
    assert "Systems compared" in page
    assert "three is not best" in page
    assert 'id="f-two-splits"' in page
    assert main(["reproduce", str(out)]) == 0


def test_a_run_that_is_none_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, and what would be accepted."""
    assert main(["compare", str(tmp_path)]) == 1
    assert "no result.json; accepted: the folder of a finished run" in capsys.readouterr().err
