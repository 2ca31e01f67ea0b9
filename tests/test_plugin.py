"""What plug-ins of other wheels import: it is all there, and the documents import nothing else for one."""

import re
from pathlib import Path

from frtaudit import plugin

DOCS = Path(__file__).resolve().parents[1] / "docs"
IMPORT = re.compile(r"^from (frtaudit[\w.]*) import (.+)$", re.MULTILINE)


def test_every_name_is_there() -> None:
    """Each name of __all__ is an attribute, once, and the module imports nothing that it does not offer."""
    assert len(set(plugin.__all__)) == len(plugin.__all__)
    assert {name for name in dir(plugin) if not name.startswith("_")} == set(plugin.__all__)


def test_examples_import_nothing_else() -> None:
    """The plug-ins of the documents take all they need from frtaudit.plugin."""
    for page in ("reference/extending.md", "guides/formats.md"):
        imports = IMPORT.findall((DOCS / page).read_text("utf-8"))
        assert {place for place, _ in imports} == {"frtaudit.plugin"}
        wanted = {name for _, names in imports for name in names.split(", ")}
        assert wanted <= set(plugin.__all__)
