"""The public names are documented: numpydoc sections that agree with the signatures, and a place in the reference."""

import inspect
import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import pytest
from numpydoc_sections import faults_of_class, faults_of_function, sections

import frtaudit
from frtaudit import plugin

DOCS = Path(__file__).resolve().parents[1] / "docs" / "reference"
PUBLIC = {name: getattr(module, name) for module in (frtaudit, plugin) for name in module.__all__}
FUNCTIONS = {name: value for name, value in PUBLIC.items() if inspect.isfunction(value)}
CLASSES = {name: value for name, value in PUBLIC.items() if inspect.isclass(value)}
PROTOCOLS = {name for name, kind in CLASSES.items() if getattr(kind, "_is_protocol", False)}
LISTED = [
    name
    for name, kind in CLASSES.items()
    if name not in PROTOCOLS and (issubclass(kind, Enum) or "__init__" in vars(kind))
]
METHODS = {
    f"{name}.{attribute}": getattr(kind, attribute)
    for name, kind in CLASSES.items()
    for attribute, value in vars(kind).items()
    if not attribute.startswith("_") and (inspect.isfunction(value) or isinstance(value, classmethod))
}
OF_PUBLICATIONS = {"audit", "compare", "evaluate", "rate_estimate", "run", "share_estimate", "verify"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_their_sections(name: str) -> None:
    """Parameters as in the signature, arrays with their shape, Returns, Raises where it raises, an example."""
    assert faults_of_function(FUNCTIONS[name], example=True) == []
    assert name not in OF_PUBLICATIONS or "References" in sections(FUNCTIONS[name].__doc__)


@pytest.mark.parametrize("name", METHODS)
def test_methods_have_their_sections(name: str) -> None:
    """The same without the example; where there is no argument, except in a protocol, a line is enough."""
    method = METHODS[name]
    arguments = [argument for argument in inspect.signature(method).parameters if argument != "self"]
    assert method.__doc__
    if arguments or name.partition(".")[0] in PROTOCOLS:
        assert faults_of_function(method, example=False) == []


@pytest.mark.parametrize("name", CLASSES)
def test_classes_name_what_they_hold(name: str) -> None:
    """What is constructed has Parameters and an example, or Attributes: all of them, as an enumeration; else a line."""
    assert CLASSES[name].__doc__
    if name in LISTED:
        assert faults_of_class(CLASSES[name]) == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_enumerations_that_are_taken_are_public(name: str) -> None:
    """Who calls a public function can name each of its values."""
    taken = [parameter.annotation for parameter in inspect.signature(FUNCTIONS[name]).parameters.values()]
    kinds = [kind for kind in taken if inspect.isclass(kind) and issubclass(kind, Enum)]
    assert [kind for kind in kinds if kind not in CLASSES.values()] == []


def test_what_is_missing_is_noticed() -> None:
    """Of a function without sections, or with those of another, of a class that hides a field: each fault is named."""

    def bare(scores: list[float]) -> float:
        """The mean."""
        if not scores:
            raise ValueError("none")
        return sum(scores) / len(scores)

    def renamed(scores: list[float]) -> None:
        """Print :class:`str`.

        Parameters
        ----------
        score : ndarray of float64
            Scores.
        """

    @dataclass
    class Hidden:
        """Two numbers.

        Attributes
        ----------
        a : int
            The first.
        """

        a: int
        b: int

    assert faults_of_function(bare, example=True) == [
        "Parameters: [], not ['scores']",
        "no Returns",
        "no Raises",
        "no Examples",
    ]
    assert faults_of_function(renamed, example=False) == [
        "Parameters: ['score'], not ['scores']",
        "score has no shape",
        "a role of reStructuredText",
    ]
    assert faults_of_class(Hidden) == ["Attributes: ['a'], not ['a', 'b']"]


def test_each_name_has_its_place_in_the_reference() -> None:
    """The two generated pages name each public name once; the second links to what the first has."""
    first, second = ((DOCS / page).read_text("utf-8") for page in ("public_names.md", "plugin_names.md"))
    generated = re.findall(r"^::: (frtaudit\.\w+)$", first, re.MULTILINE)
    assert sorted(generated) == sorted(
        f"frtaudit.{name}" for name in frtaudit.__all__ if name != "__version__"
    )
    own = re.findall(r"^::: frtaudit\.plugin\.(\w+)$", second, re.MULTILINE)
    linked = re.findall(r"\[`(\w+)`\]\[frtaudit\.\1\]", second)
    assert sorted([*own, *linked]) == sorted(plugin.__all__)
    assert {f"frtaudit.{name}" for name in linked} <= set(generated)
