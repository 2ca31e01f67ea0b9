"""What a spec can name: plug-ins by group and name. No Hydra, no import by string."""

import dataclasses
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import TypeVar

from frtaudit.core.plain.structure import closest
from frtaudit.errors import SpecError

GROUPS = (
    "analysis",
    "cohort",
    "detector",
    "export",
    "known_set",
    "protocol",
    "provider",
    "requirement",
    "section",
    "service",
    "source",
)
ENTRY_POINTS = "frtaudit.plugins"
NAME = re.compile(r"[A-Za-z][\w-]{0,99}")  # of a plug-in

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Declared:
    """A plug-in that is not imported yet: its module, the first line of its docstring, the metrics that it names."""

    module: str
    about: str
    metrics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotLoaded:
    """A module of another wheel whose import failed, and how."""

    module: str
    error: BaseException


_registered: dict[tuple[str, str], type | Declared] = {}


def register(group: str, name: str) -> Callable[[type[T]], type[T]]:
    """Class decorator: make a dataclass known as ``name`` in ``group``; the plug-ins of frtaudit are frozen ones.

    Parameters
    ----------
    group : str
        What kind of plug-in it is: ``analysis``, ``cohort``, ``detector``, ``export``, ``known_set``, ``protocol``,
        ``provider``, ``requirement``, ``section``, ``service`` or ``source``.
    name : str
        How a spec names it.

    Returns
    -------
    callable
        Takes the class and returns it unchanged.

    Raises
    ------
    ValueError
        There is no such group, the name is no word, or it is taken, or that of a metric.
    TypeError
        The class is no dataclass.

    Examples
    --------
    >>> register("sort", "mine")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: unknown group 'sort'; groups: analysis, cohort, ...
    """
    if group not in GROUPS:
        raise ValueError(f"unknown group {group!r}; groups: {', '.join(GROUPS)}")
    given: object = name
    if not isinstance(given, str) or not NAME.fullmatch(given):
        raise ValueError(
            f"{group}: found {name!r} as a name; accepted: letters, digits, _ and -, a letter first"
        )

    def keep(plugin: type[T]) -> type[T]:
        if not dataclasses.is_dataclass(plugin):
            raise TypeError(f"{plugin.__name__} must be a dataclass to be registered")
        known = _registered.get((group, name), plugin)
        place = known.module if isinstance(known, Declared) else None
        if known is not plugin and place != plugin.__module__:
            raise ValueError(f"{group} {name!r} is registered twice")
        if group == "analysis" and of_other_wheel(plugin):
            _refuse_metrics_in_use(name, plugin)
        _registered[group, name] = plugin
        return plugin

    return keep


def _refuse_metrics_in_use(name: str, plugin: type) -> None:
    """Refuse an analysis of another wheel that calls its metric as frtaudit or another such analysis does."""
    from frtaudit.core.metrics import METRICS  # where nothing of another wheel is there, not needed

    for metric in _metrics_of(plugin):
        others = [
            other
            for (group, other), known in _registered.items()
            if group == "analysis" and known is not plugin and metric in _metrics_in(known)
        ]
        if metric in METRICS or others:
            raise ValueError(f"metric {metric!r} of analysis {name!r} is in use: another name")


def _metrics_in(known: type | Declared) -> Iterable[object]:
    return known.metrics if isinstance(known, Declared) else _metrics_of(known)


def declare(group: str, name: str, declared: Declared) -> None:
    """Make a plug-in known without importing it: :func:`lookup` imports its module, which registers it."""
    _registered.setdefault((group, name), declared)


def known_as(group: str, name: str, where: str) -> type | Declared:
    """What is registered as ``name`` in ``group``: nothing is imported for it. Raises :class:`SpecError`."""
    try:
        return _registered[group, name]
    except KeyError:
        accepted = names(group)
        text = f"no {group} is named {name!r}{closest(name, accepted)}"
        if failed := load_entry_points():
            text += f"; not loaded: plug-in {', '.join(plugin.module for plugin in failed)}"
        raise SpecError(where, text, ", ".join(accepted)) from None


def lookup(group: str, name: str, where: str) -> type:
    """The class registered as ``name`` in ``group``; ``where`` is the place in the spec for the error."""
    known = known_as(group, name, where)
    if isinstance(known, type):
        return known
    import_module(known.module)
    registered = _registered[group, name]
    if isinstance(registered, Declared):
        raise TypeError(f"{known.module} does not register {group} {name!r}")
    return registered


def about(group: str, name: str) -> str:
    """The first line of a plug-in's docstring; nothing is imported for it."""
    known = _registered[group, name]
    if isinstance(known, Declared):
        return known.about
    return (known.__doc__ or "").strip().split("\n")[0]


def declared_metrics() -> dict[str, str]:
    """Metrics that analyses of other wheels declare as ``metrics``: a mapping to what each is, or names alone."""
    declared: dict[str, str] = {}
    for (group, name), known in sorted(_registered.items()):
        if group == "analysis" and isinstance(known, type) and of_other_wheel(known):
            metrics = _metrics_of(known)
            texts = metrics if isinstance(metrics, Mapping) else dict.fromkeys(metrics, f"of analysis {name}")
            declared |= {str(metric): str(text) for metric, text in texts.items()}
    return declared


def of_other_wheel(plugin: type) -> bool:
    """Whether a plug-in's class is none of frtaudit's."""
    return not plugin.__module__.startswith("frtaudit.")


def _metrics_of(plugin: type) -> Iterable[object]:
    """What a class says of itself, be it the default of a field; nothing where only an instance has it."""
    metrics = getattr(plugin, "metrics", ())
    for part in dataclasses.fields(plugin):
        if part.name == "metrics":
            make = part.default_factory
            metrics = part.default if make is dataclasses.MISSING else make()
    return metrics if isinstance(metrics, Iterable) else ()


def names_of(group: str, plugin: type) -> list[str]:
    """The names under which a class is registered in ``group``; none for one that is not."""
    return [
        name for (registered, name), known in _registered.items() if known is plugin and registered == group
    ]


def name_of(group: str, plugin: type) -> str:
    """The name under which a class is registered in ``group``."""
    return next(iter(names_of(group, plugin)))


def names(group: str) -> list[str]:
    """The names registered in ``group``, sorted."""
    return sorted(name for registered, name in _registered if registered == group)


def plugin_packages() -> frozenset[str]:
    """Top-level packages of the plug-ins in other wheels."""
    return frozenset(point.module.partition(".")[0] for point in entry_points(group=ENTRY_POINTS))


def load_entry_points() -> tuple[NotLoaded, ...]:
    """Import plug-ins of other wheels (entry point group ``frtaudit.plugins``); they register themselves.

    Returns those whose import failed: of these nothing is registered. Folders of the search path are looked through
    again only when one of them has changed.
    """
    return _load_from(tuple((place, _changed(place)) for place in sys.path))


@lru_cache(maxsize=1)
def _load_from(_places: tuple[tuple[str, int], ...]) -> tuple[NotLoaded, ...]:
    failed = []
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry_point: entry_point.name):
        before = set(_registered)
        try:
            point.load()
        except (Exception, SystemExit) as error:
            from frtaudit.core.machine.faults import lacks_memory  # as above

            if lacks_memory(error):
                raise
            for key in set(_registered) - before:  # what it brought; frtaudit's stays imported
                known = _registered[key]
                if isinstance(known, type) and of_other_wheel(known):
                    del _registered[key]
            failed.append(NotLoaded(point.module, error))
    return tuple(failed)


def _changed(place: str) -> int:
    """When a folder last changed, in nanoseconds; 0 where there is none."""
    try:
        return Path(place).stat().st_mtime_ns
    except OSError:
        return 0
