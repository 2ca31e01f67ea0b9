"""What a spec can name: plug-ins by group and name. No Hydra, no import by string."""

import dataclasses
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import TypeVar

from frtaudit.errors import SpecError

GROUPS = (
    "analysis",
    "cohort",
    "export",
    "protocol",
    "provider",
    "requirement",
    "section",
    "service",
    "source",
)
ENTRY_POINTS = "frtaudit.plugins"

T = TypeVar("T")

_registered: dict[tuple[str, str], type] = {}


def register(group: str, name: str) -> Callable[[type[T]], type[T]]:
    """Class decorator: make a frozen dataclass known as ``name`` in ``group``.

    Parameters
    ----------
    group : str
        What kind of plug-in it is: ``analysis``, ``cohort``, ``export``, ``protocol``, ``provider``, ``section``,
        ``service`` or ``source``.
    name : str
        How a spec names it.

    Returns
    -------
    callable
        Takes the class and returns it unchanged.

    Raises
    ------
    ValueError
        There is no such group, or the name is taken.
    TypeError
        The class is no dataclass.

    Examples
    --------
    >>> register("sort", "mine")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: unknown group 'sort'; groups: analysis, cohort, ...
    """

    def keep(plugin: type[T]) -> type[T]:
        if group not in GROUPS:
            raise ValueError(f"unknown group {group!r}; groups: {', '.join(GROUPS)}")
        if not dataclasses.is_dataclass(plugin):
            raise TypeError(f"{plugin.__name__} must be a dataclass to be registered")
        known = _registered.setdefault((group, name), plugin)
        if known is not plugin:
            raise ValueError(f"{group} {name!r} is registered twice")
        return plugin

    return keep


def lookup(group: str, name: str, where: str) -> type:
    """The class registered as ``name`` in ``group``; ``where`` is the place in the spec for the error."""
    try:
        return _registered[group, name]
    except KeyError:
        raise SpecError(where, f"no {group} is named {name!r}", ", ".join(names(group))) from None


def name_of(group: str, plugin: type) -> str:
    """The name under which a class is registered in ``group``."""
    return next(
        name for (registered, name), known in _registered.items() if known is plugin and registered == group
    )


def names(group: str) -> list[str]:
    """The names registered in ``group``, sorted."""
    return sorted(name for registered, name in _registered if registered == group)


def load_entry_points() -> None:
    """Import plug-ins of other wheels (entry point group ``frtaudit.plugins``); they register themselves."""
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda found: found.name):
        point.load()
