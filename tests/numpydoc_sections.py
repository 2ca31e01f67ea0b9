"""Sections of a numpydoc docstring, and what such a docstring lacks."""

import ast
import dataclasses
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from enum import Enum

SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
ENTRY = re.compile(r"^(\S[^:\n]*?)(?: : (.*))?$", re.MULTILINE)
ERROR = re.compile(r"^(?:\w+\.)*(\w*Error):", re.MULTILINE)  # the last line of a traceback
ROLE = re.compile(r":\w+:`")  # the site reads docstrings as Markdown


def sections(doc: str | None) -> dict[str, str]:
    """Heading to text; the text before the first heading under ""."""
    texts = SECTION.split(inspect.cleandoc(doc or ""))
    return {"": texts[0], **dict(zip(texts[1::2], texts[2::2], strict=True))}


def entries(text: str) -> dict[str, str]:
    """Name to type of the entries of a section; several names may share a line."""
    return {
        name.strip().lstrip("*"): kind for names, kind in ENTRY.findall(text) for name in names.split(",")
    }


def parameters(function: Callable[..., object]) -> list[str]:
    """Names of a function's parameters, without what it is bound to."""
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def raises(function: Callable[..., object]) -> bool:
    """Whether an error is raised in the function itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return any(isinstance(node, ast.Raise) and node.exc is not None for node in ast.walk(tree))


def _entry_faults(doc: str | None, heading: str, named: Iterable[str]) -> list[str]:
    listed, wanted = entries(sections(doc).get(heading, "")), list(named)
    wrong = [] if sorted(listed) == sorted(wanted) else [f"{heading}: {list(listed)}, not {wanted}"]
    wrong += [f"{name} has no type" for name, kind in listed.items() if not kind]
    wrong += [
        f"{name} has no shape" for name, kind in listed.items() if "array" in kind and "shape" not in kind
    ]
    return wrong + (["a role of reStructuredText"] if ROLE.search(doc or "") else [])


def _missing(doc: str | None, due: Mapping[str, bool]) -> list[str]:
    there = sections(doc)
    return [f"no {heading}" for heading, needed in due.items() if needed and heading not in there]


def faults_of_function(function: Callable[..., object], *, example: bool) -> list[str]:
    """What the docstring of a function or method lacks."""
    returns = inspect.signature(function).return_annotation not in (None, "None")
    due = {"Returns": returns, "Raises": raises(function), "Examples": example}
    doc = function.__doc__
    faults = _entry_faults(doc, "Parameters", parameters(function)) + _missing(doc, due)
    shown, listed = ERROR.findall(sections(doc).get("Examples", "")), entries(sections(doc).get("Raises", ""))
    return faults + [f"Raises: no {name}, which an example shows" for name in shown if name not in listed]


def faults_of_class(kind: type) -> list[str]:
    """What the docstring lacks: Parameters and an example, or else Attributes; of an enumeration, each member."""
    doc = kind.__doc__
    if issubclass(kind, Enum):
        listed = entries(sections(doc).get("Attributes", ""))
        return [f"Attributes: no {name}" for name in kind.__members__ if name not in listed]
    if "Parameters" in sections(doc):
        return _entry_faults(doc, "Parameters", parameters(kind)) + _missing(doc, {"Examples": True})
    known = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    named = [field.name for field in known if not field.name.startswith("_")] or parameters(kind)
    return _entry_faults(doc, "Attributes", named)
