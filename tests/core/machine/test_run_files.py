"""Tests of frtaudit.core.machine.run_files."""

import ast
from pathlib import Path

import frtaudit
from frtaudit.core.machine.run_files import RESULT, VERDICT

PACKAGE = Path(frtaudit.__file__).parent


def test_a_name_of_every_layer_is_written_once() -> None:
    """No other module spells the names of the result and of the verdicts."""
    spelled = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if any(name in (text := path.read_text()) for name in (RESULT, VERDICT))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and node.value in (RESULT, VERDICT)
    }
    assert spelled == {"core/machine/run_files.py"}
