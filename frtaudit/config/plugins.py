"""Everything that a spec can name. A plug-in of frtaudit is known by its source, and imported when a spec names it."""

import re
from functools import cache
from pathlib import Path

from frtaudit.core.machine.faults import UNEXPECTED, as_line
from frtaudit.core.registry import Declared, declare, load_entry_points, plugin_packages
from frtaudit.errors import FrtauditError

PACKAGES = (
    "analyses",
    "collection.detectors",
    "collection.services",
    "collection.sources",
    "datasets.cohorts",
    "datasets.protocols",
    "datasets.providers",
    "inputs.known",
    "report.exports",
)
_DECLARATION = re.compile(
    r'^@register\("(?P<group>\w+)", (?:"(?P<name>[\w-]+)"|NAME)\)\n'
    r'@dataclass\(.*\)\nclass \w+:\n    """(?P<about>.*?)(?:"""|$)',
    re.MULTILINE,
)
_NAME = re.compile(r'^NAME = "(?P<name>[\w-]+)"', re.MULTILINE)
_METRICS = re.compile(r"^    metrics = \((?P<texts>[^)]*)\)$", re.MULTILINE)


def load_plugins() -> None:
    """Register the plug-ins of frtaudit and of other wheels; a second call changes nothing.

    Those of other wheels are imported, those of frtaudit when they are looked up.
    """
    for group, name, declared in _declarations():
        declare(group, name, declared)
    load_entry_points()


def fault_line(error: BaseException) -> FrtauditError:
    """One line for any error, as :func:`~frtaudit.core.machine.faults.as_line`; it names a plug-in that raised it."""
    line = as_line(error)
    if line.where != UNEXPECTED:
        return line
    module, frames = "", error.__traceback__
    while frames is not None:
        module, frames = str(frames.tb_frame.f_globals.get("__name__", "")), frames.tb_next
    if module.partition(".")[0] not in plugin_packages():
        return line
    return FrtauditError(f"plug-in {module}", line.found, "--debug shows where; report it to its authors")


@cache
def _declarations() -> tuple[tuple[str, str, Declared], ...]:
    """Group, name and what is declared of each class under ``@register`` in the files of the packages."""
    declarations = []
    for package in PACKAGES:
        folder = Path(__file__).resolve().parents[1].joinpath(*package.split("."))
        for file in sorted(folder.glob("*.py")):
            text = file.read_text(encoding="utf-8")
            for declaration in _DECLARATION.finditer(text):
                constant = _NAME.search(text)
                name = declaration["name"] or (constant["name"] if constant else file.stem)
                listed = _METRICS.search(text)
                metrics = tuple(re.findall(r'"(\w+)"', listed["texts"])) if listed else ()
                declared = Declared(f"frtaudit.{package}.{file.stem}", declaration["about"], metrics)
                declarations.append((declaration["group"], name, declared))
    return tuple(declarations)
