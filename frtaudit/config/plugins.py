"""Everything that a spec can name. A plug-in of frtaudit is known by its source, and imported when a spec names it."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from frtaudit.core.machine.faults import UNEXPECTED, as_line, lacks_memory
from frtaudit.core.machine.streams import write_line
from frtaudit.core.registry import Declared, declare, load_entry_points, of_other_wheel, plugin_packages
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
DEBUG = "FRTAUDIT_DEBUG"  # where --debug stands for the modules below the command line
_DECLARATION = re.compile(
    r'^@register\("(?P<group>\w+)", (?:"(?P<name>[\w-]+)"|NAME)\)\n'
    r'@dataclass\(.*\)\nclass \w+(?:\(.*\))?:\n    """(?P<about>.*?)(?:"""|$)',
    re.MULTILINE,
)
_NAME = re.compile(r'^NAME = "(?P<name>[\w-]+)"', re.MULTILINE)
_METRICS = re.compile(r"^    metrics = \((?P<texts>[^)]*)\)$", re.MULTILINE)


def load_plugins() -> None:
    """Register the plug-ins of frtaudit and of other wheels; a second call changes nothing.

    Those of other wheels are imported, those of frtaudit when they are looked up. A wheel whose import fails is left
    out, and a line on standard error says so, once.
    """
    for group, name, declared in _declarations():
        declare(group, name, declared)
    for plugin in load_entry_points():
        if os.environ.get(DEBUG):
            sys.excepthook(type(plugin.error), plugin.error, plugin.error.__traceback__)
        line = fault_line(plugin.error, plugin.module)
        known = line is plugin.error  # a line of ours, which does not name the plug-in
        where, problem = (f"plug-in {plugin.module}", f"{line.where}: ") if known else (line.where, "")
        _say_once(str(FrtauditError(where, f"{problem}{line.found} (left out)", line.accepted)))


@cache
def _say_once(line: str) -> None:
    write_line(line)


def fault_line(error: BaseException, module: str = "") -> FrtauditError:
    """One line for any error, as :func:`~frtaudit.core.machine.faults.as_line`; it names a plug-in whose code ran.

    ``module``: that of the plug-in that was called, for an error that its code does not stand in.
    """
    line = as_line(error)
    place = place_in_plugins(error) or module
    if line is error or lacks_memory(error) or not place:
        return line
    if isinstance(error, OSError) and line.where != UNEXPECTED:
        return type(line)(f"plug-in {place}", f"{line.where}: {line.found}", line.accepted)
    text = f"{type(error).__name__}: {error}"
    return FrtauditError(f"plug-in {place}", text, "--debug shows where; report it to its authors")


@contextmanager
def naming(plugin: object) -> Iterator[None]:
    """What is raised within names a plug-in of another wheel: its code runs, or what it returned is read."""
    try:
        yield
    except (Exception, SystemExit) as error:
        line = fault_line(error, type(plugin).__module__)
        if line is error or not of_other_wheel(type(plugin)):
            raise
        raise line from error


def place_in_plugins(error: BaseException) -> str:
    """Module and line of a plug-in's code that an error went through last; empty for none."""
    place, packages = "", plugin_packages()
    frames = error.__traceback__
    while frames is not None:
        module = str(frames.tb_frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] in packages:
            place = f"{module} line {frames.tb_lineno}"
        frames = frames.tb_next
    return place


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
