import re
from pathlib import Path

from finished_runs import finished_run

from frtaudit.report.exports.bibtex import Bibtex
from frtaudit.report.references import references_of


def test_every_reference_of_the_report_is_an_entry(tmp_path: Path) -> None:
    """The file has the publications that the run used and the software with its version, each key once."""
    run = finished_run(tmp_path)
    Bibtex().write(run, tmp_path)
    text = (tmp_path / "references.bib").read_text("utf-8")
    keys = re.findall(r"^@\w+\{(\w+),$", text, re.MULTILINE)
    assert keys == [*(item.key for item in references_of(run.result)), "frtaudit"]
    assert f"note = {{version {run.result.versions['frtaudit']}}}" in text
    assert text.count("{") == text.count("}")
