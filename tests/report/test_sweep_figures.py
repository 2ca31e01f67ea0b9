"""Tests of frtaudit.report.sweep_figures: a sweep drawn for its page and for a paper."""

import json
from pathlib import Path

import pytest
import small_sweep

from frtaudit.core.canonical import plain
from frtaudit.errors import DataError
from frtaudit.report import sweep_figures
from frtaudit.report.figures import canvas
from frtaudit.report.paper_figures import drawings

FOUND = plain(small_sweep.sweep(0.012).to_json())


def test_both_rates_have_one_scale() -> None:
    """The limits of both panels are those of all their dots."""
    with canvas.keeping() as registry:
        sweep_figures.figure(FOUND)  # type: ignore[arg-type]  # JSON
    spans = [
        drawing.axes[0].get_xlim() for name, drawing in registry.values() if name.startswith("sweep-fnmr")
    ]
    assert len(spans) == 2
    assert len(set(spans)) == 1


def test_each_system_has_its_hue_and_each_job_its_settings() -> None:
    """Jobs of one system each: the colours are those of systems, the caption says what each job was run with."""
    systems = [*dict.fromkeys(row["provider"] for row in FOUND["rows"])]  # type: ignore[index,union-attr]  # JSON
    made = drawings(lambda: sweep_figures.figures(FOUND))  # type: ignore[arg-type]  # JSON
    assert all(name.startswith("sweep-fnmr-at-fmr-") for name in made)
    for figure in made.values():
        (legend,) = figure.drawing.legends
        assert [text.get_text() for text in legend.get_texts()] == systems
        hues = {line.get_color() for line in figure.drawing.axes[0].lines}
        assert {canvas.pen(index).hue for index in range(len(systems))} <= hues
        assert "Job 2: providers=[a], bootstrap.alpha=0.1." in figure.caption
        assert "panel" not in figure.caption


def test_a_table_is_read_from_its_folder(tmp_path: Path) -> None:
    """Nothing where there is none; one line for a file that is no table of a sweep."""
    assert sweep_figures.read_sweep(tmp_path) is None
    assert sweep_figures.read_sweep(tmp_path / "result.json") is None
    table = tmp_path / "sweep.json"
    table.write_text(json.dumps(FOUND))
    assert sweep_figures.read_sweep(tmp_path) == sweep_figures.read_sweep(table) == FOUND
    for content in ("{", "[]", '{"rows": [1]}'):
        table.write_text(content)
        with pytest.raises(DataError, match=r"sweep.json: is not the table of a sweep"):
            sweep_figures.read_sweep(tmp_path)
