import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from frtaudit.core import Curve, Method
from frtaudit.core.canonical import to_bytes
from frtaudit.core.plain.records import to_json
from frtaudit.errors import DataError
from frtaudit.report.figures.nominal_levels import CohortBands, Levels, Study, figures, read_study
from frtaudit.report.files import STUDY_FILE
from frtaudit.report.paper_figures import drawings

DESIGN = {"subjects": 40, "samples": 4, "dimension": 16, "concentration": (25.0, 90.0), "B": 49}


def curve(method: Method | None = None) -> Curve:
    """FNMR at three FMRs, with a band 0.02 wide where it has a method."""
    x, y = (0.001, 0.01, 0.1), (0.3, 0.2, 0.1)
    low, high = (tuple(value + shift for value in y) for shift in (-0.01, 0.01)) if method else (None, None)
    return Curve(
        provider="synthetic", analysis="roc", schema=None, group="all", weighting="pooled", x=x, y=y,
        low=low, high=high, method=method,
    )  # fmt: skip


def study() -> Study:
    """Two methods at two levels; the second has no interval at the lower one."""
    levels = Levels(
        **DESIGN, fmr=0.003, cohorts=8, truth=0.2, methods=("recentered", "naive"),
        nominal=(0.5, 0.95), coverage=((0.5, math.nan), (0.94, 0.66)), without=(0, 1),
    )  # fmt: skip
    curves = (curve(Method.RECENTERED), curve(Method.NAIVE))
    return Study(levels=(levels,), bands=CohortBands(**DESIGN, level=0.95, curves=curves, truth=curve()))


def write(folder: Path, found: Study) -> Path:
    """The study's file, as the study writes it."""
    file = folder / STUDY_FILE
    file.write_bytes(to_bytes(to_json(found)))
    return file


def test_a_study_is_read_as_it_was_written(tmp_path: Path) -> None:
    """From its file or its folder, undefined shares too; a folder of a run, or any other, is none."""
    file = write(tmp_path, study())
    for path in (file, tmp_path):
        read = read_study(path)
        assert read is not None
        assert to_bytes(to_json(read)) == file.read_bytes()
    (tmp_path / "result.json").write_bytes(b"{}")
    assert read_study(tmp_path) is None
    assert read_study(tmp_path / "result.json") is None


@pytest.mark.parametrize(
    ("held", "line"),
    [
        (b"{", "is not JSON"),
        (b"[]", "not the numbers of the study of coverage"),
        (b'{"study":"nominal_levels","levels":[]}', "not the numbers of the study of coverage"),
    ],
)
def test_what_is_no_study_is_one_line(tmp_path: Path, held: bytes, line: str) -> None:
    """Broken JSON, and JSON of another layout."""
    (tmp_path / STUDY_FILE).write_bytes(held)
    with pytest.raises(DataError, match=line):
        read_study(tmp_path)


def test_rows_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    """A level without its row, and a curve at other FMRs than the true one's."""
    held = json.loads(write(tmp_path, study()).read_bytes())
    for key, broken in (
        ("levels", [held["levels"][0] | {"coverage": [[0.5, 0.5]]}]),
        ("bands", held["bands"] | {"truth": held["bands"]["truth"] | {"x": [0.1, 0.2, 0.3]}}),
    ):
        (tmp_path / STUDY_FILE).write_bytes(to_bytes(held | {key: broken}))
        with pytest.raises(DataError, match="not the numbers"):
            read_study(tmp_path)


def test_figures_of_the_study(ink: None) -> None:
    """Coverage of each design, a band of each method with the true curve; captions say what was simulated."""
    drawn = drawings(lambda: figures(study()))
    assert list(drawn) == ["levels-0-003", "bands-recentered", "bands-naive"]
    levels = drawn["levels-0-003"]
    assert levels.title == "Realised against nominal coverage at FMR 0.3 %: Coverage of FNMR at FMR 0.3 %"
    assert levels.shows.endswith("At nominal 0.95: recentred 0.94, naive 0.66.")
    assert "left out: 1 by naive." in levels.caption
    assert drawn["bands-naive"].shows == (
        "naive band at level 95 %: the true FNMR lies outside at 0 of 3 FMRs."
    )
    assert "One cohort of 40 subjects with 4 samples each" in drawn["bands-naive"].caption


def test_bands_of_two_methods_are_drawn_on_one_scale(ink: None) -> None:
    """As the publication has them beside each other, also where one band is higher."""
    made = study()
    high = replace(made.bands.curves[1], high=(0.9, 0.8, 0.7))
    bands = replace(made.bands, curves=(made.bands.curves[0], high))
    drawn = drawings(lambda: figures(replace(made, bands=bands)))
    limits = [drawn[f"bands-{name}"].drawing.axes[0].get_ylim() for name in ("recentered", "naive")]
    assert limits[0] == limits[1]
    assert limits[0][1] > 0.9
    names = [text.get_text() for text in drawn["bands-recentered"].drawing.legends[0].get_texts()]
    assert names == ["empirical ROC", "recentred band", "true ROC"]
