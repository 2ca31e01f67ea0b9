import json
from pathlib import Path

import pytest

from frtaudit.testing.study import __main__ as study


@pytest.mark.slow
def test_the_command_writes_json_page_and_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A small run of one cell leaves guarantees.json, index.html and SVG; drawing again changes no byte."""
    out, docs = tmp_path / "out", tmp_path / "docs"
    argv = [
        "--out",
        str(out),
        "--cohorts",
        "2",
        "--B",
        "39",
        "--B-level",
        "39",
        "--level-cohorts",
        "2",
        "--cell",
        "isotropic, 40",
    ]
    assert study.main(argv) == 0
    assert "claims of coverage or size hold" in capsys.readouterr().out
    written = json.loads((out / "guarantees.json").read_text())
    assert [cell["name"] for cell in written["cells"]] == ["isotropic, 40 x 4"]
    page, figure = ((out / name).read_bytes() for name in ("index.html", "few_errors.svg"))
    assert study.main(["--out", str(out), "--draw", "--docs", str(docs)]) == 0
    assert ((out / "index.html").read_bytes(), (out / "few_errors.svg").read_bytes()) == (page, figure)
    assert sorted(path.name for path in docs.iterdir()) == ["few_errors.svg"]


def test_an_unknown_cell_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 and one line that names the cells."""
    assert study.main(["--out", str(tmp_path), "--cell", "moon"]) == 2
    assert "isotropic, 40 x 4" in capsys.readouterr().err
