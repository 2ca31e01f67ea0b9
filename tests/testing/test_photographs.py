"""Drawn photographs repeat to the byte; tests also drawn_model, which ONNX's own package takes for a model."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from frtaudit.testing.drawn_model import DIMENSION, model_bytes
from frtaudit.testing.photographs import Photographs


def test_photographs_repeat_and_are_of_everybody(tmp_path: Path) -> None:
    """Two calls write the same bytes; a torn file and a face that is not found are among them."""
    drawn = Photographs(people=2, images=3, faceless=5)
    first, second = (drawn.write(tmp_path / name).parent for name in ("a", "b"))
    names = sorted(str(path.relative_to(first)) for path in first.rglob("*") if path.is_file())
    assert len(names) == 8
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes()
    lines = (first / "photographs.csv").read_text().splitlines()
    assert lines[0].startswith("image,subject_id,group,x1,y1,x2,y2")
    assert [line.endswith("," * 10) for line in lines[1:]] == [False, False, False, False, True, False]


def test_the_drawn_model_is_what_it_says() -> None:
    """A valid ONNX model, whose output is the averages of squares around their mean by colour."""
    onnx = pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    onnx.checker.check_model(onnx.load_from_string(model_bytes()), full_check=True)
    values = np.random.default_rng(0).standard_normal((1, 3, 112, 112)).astype(np.float32)
    session = runtime.InferenceSession(model_bytes(), providers=["CPUExecutionProvider"])
    squares = values.reshape(1, 3, 14, 8, 14, 8).mean(axis=(3, 5))
    expected = (squares - squares.mean(axis=(2, 3), keepdims=True)).reshape(1, DIMENSION)
    np.testing.assert_allclose(session.run(None, {"face": values})[0], expected, atol=1e-5)


@pytest.mark.parametrize(("words", "code"), [(["--help"], 0), ([], 2), (["a", "b"], 2)])
@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
def test_an_option_is_no_folder(
    words: list[str], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question for help and a wrong call write nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["photographs", *words])
    with pytest.raises(SystemExit) as stop:
        runpy.run_module("frtaudit.testing.photographs", run_name="__main__")
    assert stop.value.code == code
    assert not list(tmp_path.iterdir())
