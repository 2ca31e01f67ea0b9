"""The sections of the report: each is declared where it is built, and most of them share one view."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from frtaudit.report.pieces import Figure, Table, Text
from frtaudit.report.source import Source

Build = Callable[[Source], object | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What most sections hold, in the order of ``templates/section.html.j2``.

    ``lead``: paragraphs; ``verdicts``: a list; ``main``: tables that are never folded; ``figures``, ``tables``, of
    which ``shown`` gives how many of each are not folded (None: all), under the heading ``fold``; ``left_out``: what
    the section does not show.
    """

    lead: tuple[Text, ...] = ()
    verdicts: tuple[Text, ...] = ()
    main: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    shown: tuple[int, int] | None = None
    fold: str = "all figures and tables"
    left_out: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A section: ``name`` in addresses and of its template, ``title`` in the contents, ``after``: which it follows."""

    name: str
    title: str
    after: str
    annex: bool
    build: Build


_declared: dict[str, Declared] = {}


def section(name: str, title: str, *, after: str = "", annex: bool = False) -> Callable[[Build], Build]:
    """Declare what builds a section's view; it returns None where the section does not stand.

    ``after``: the section that it stands directly after, none for the first of the report or of the annex. The view is
    laid out by ``templates/sections/NAME.html.j2`` where that file exists, else it is a :class:`View`.
    """

    def keep(build: Build) -> Build:
        _declared[name] = Declared(name=name, title=title, after=after, annex=annex, build=build)
        return build

    return keep


@cache
def sections() -> tuple[Declared, ...]:
    """All of ``report/sections``, in their order: those of the report, then those of the annex.

    >>> [entry.name for entry in sections() if entry.annex][:2]
    ['requirements', 'profile_facts']
    """
    package = import_module("frtaudit.report.sections")
    for module in iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")
    return (*_following("", annex=False), *_following("", annex=True))


def _following(after: str, *, annex: bool) -> tuple[Declared, ...]:
    """Those after a section: first, by name, each that none follows, so that it stands where it says."""
    followed = {entry.after for entry in _declared.values() if entry.annex == annex}
    ours = sorted(
        (entry for entry in _declared.values() if (entry.after, entry.annex) == (after, annex)),
        key=lambda entry: (entry.name in followed, entry.name),
    )
    return tuple(later for entry in ours for later in (entry, *_following(entry.name, annex=annex)))


def titles() -> dict[str, str]:
    """Shipped sections in their order: name to title."""
    return {entry.name: entry.title for entry in sections()}
