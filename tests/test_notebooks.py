"""The notebooks of docs/notebooks run from an empty folder, cell by cell, and show what their text says."""

import ast
import contextlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hydra.core.config_store import ConfigStore

from frtaudit.core import registry

NOTEBOOKS = Path(__file__).resolve().parents[1] / "docs" / "notebooks"
QUICK, LONG = ("paper", "plug_in"), ("first_audit", "vendors")  # plug_in registers a plug-in


def run(path: Path) -> list[str]:
    """What the code cells of a notebook show, run in the folder where this process stands."""
    module = ModuleType(path.stem)
    cells = json.loads(path.read_text("utf-8"))["cells"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(
            sys.modules, path.stem, module
        )  # where dataclasses look for what their annotations name
        return [_cell("".join(cell["source"]), vars(module)) for cell in cells if cell["cell_type"] == "code"]


def _cell(text: str, names: dict[str, Any]) -> str:
    """Run a cell; what a notebook would show of its last expression."""
    *body, last = ast.parse(text).body
    if not isinstance(last, ast.Expr):
        exec(compile(text, "cell", "exec"), names)
        return ""
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    if hasattr(value, "_repr_png_"):
        return f"png {value._repr_png_()[:4]!r}"
    return value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)


def shown_by(folder: Path, names: Sequence[str]) -> dict[str, list[str]]:
    """What the code cells of each notebook show, each run in a folder of its own."""
    found = {}
    for name in names:
        (folder / name).mkdir()
        with contextlib.chdir(folder / name):
            found[name] = run(NOTEBOOKS / f"{name}.ipynb")
    return found


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, list[str]]]:
    """What the quick notebooks show; the plug-in is forgotten again."""
    folder = tmp_path_factory.mktemp("notebooks")
    found = shown_by(folder, QUICK)
    assert (folder / "paper" / "det.pdf").read_bytes().startswith(b"%PDF")
    assert "\\toprule" in (folder / "paper" / "fnmr.tex").read_text("utf-8")
    yield found
    del registry._registered["analysis", "near_threshold"]
    ConfigStore.instance().repo["analysis"].pop("near_threshold.yaml")


def test_every_notebook_is_run_and_stored_without_outputs() -> None:
    """The tests run all of the folder; what is committed is text and code, in the format that Jupyter reads."""
    books = {path.stem: json.loads(path.read_text("utf-8")) for path in NOTEBOOKS.glob("*.ipynb")}
    assert set(books) == {*QUICK, *LONG}
    for book in books.values():
        assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
        assert all(cell.get("outputs", []) == [] for cell in book["cells"])
        assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])


@pytest.mark.slow
def test_a_report_shows_its_answer_a_figure_and_a_table(tmp_path: Path) -> None:
    """An audit and a comparison show sentences, a picture with its words, and a table; a saved audit verifies."""
    shown = shown_by(tmp_path, LONG)
    for page in (shown["first_audit"][0], shown["vendors"][1]):
        assert page.count("<p>") >= 1
        assert '<img style="max-width: 36em" alt="' in page
        assert "<table" in page
    assert shown["first_audit"][-1].startswith("'valid")


def test_ten_lines_make_a_figure_a_table_and_a_frame(shown: dict[str, list[str]]) -> None:
    """The notebook of a paper has one cell of at most ten lines for all three."""
    cells = json.loads((NOTEBOOKS / "paper.ipynb").read_text("utf-8"))["cells"]
    (cell,) = (cell for cell in cells if any("to_latex" in line for line in cell["source"]))
    assert len(cell["source"]) <= 10
    assert "png b'\\x89PNG'" in shown["paper"]
    assert all(f"<td>{name}</td>" in shown["paper"][1] for name in ("all", "f", "m"))


def test_a_plug_in_meets_a_requirement(shown: dict[str, list[str]]) -> None:
    """A metric of one's own is judged on its interval: one system passes."""
    assert "<td>pass</td>" in shown["plug_in"][1]
    assert "population" in shown["plug_in"][2]
