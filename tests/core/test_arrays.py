"""Tests of frtaudit.core.arrays."""

import re
from pathlib import Path

import frtaudit
from frtaudit.core import arrays

PACKAGE = Path(frtaudit.__file__).parent
NAMES = [name for name in vars(arrays) if name[0].isupper()]


def test_a_type_of_arrays_is_named_in_one_place() -> None:
    """No other module writes the type of one of these names again."""
    again = re.compile(rf"^(?:{'|'.join(NAMES)}) = npt\.", re.MULTILINE)
    found = {path.name for path in PACKAGE.rglob("*.py") if again.search(path.read_text())}
    assert found == {"arrays.py"}
