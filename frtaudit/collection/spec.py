"""What a collection is asked for: images, services, pairs, canaries, a budget; typed as an audit's spec is."""

import dataclasses
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from frtaudit.collection.clients.protocol import Service, Source
from frtaudit.collection.duplicates import Duplicates, FaceBy, recorded_settings
from frtaudit.core.canonical import Json
from frtaudit.core.identity import identifies, plugin, plugin_plain
from frtaudit.core.plain.structure import Built, build, hints_of, mapping, plain, refuse_unknown, required
from frtaudit.core.registry import names
from frtaudit.core.spec_values import PATH
from frtaudit.core.text import file_names
from frtaudit.errors import ProviderError, SpecError
from frtaudit.labelling.settings import Between, Detected

RESERVED = ("answers", "boxes", "faces", "collection", "source")
# a service's, and of its score list
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_-]{{0,{file_names.LONGEST - 1}}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Which faces are compared: all within a query, and ``between`` queries of one ``group``, a column of the source.

    ``group``: None for one group of all.
    """

    between: Between = Between.MATCHED
    group: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Canaries:
    """Fixed pairs that are asked for in each of ``rounds``, both ways round, ``repeats`` times.

    The first round is before all other comparisons, the last after them. ``given``: pairs by the first letters of
    their images' digests; without them ``pairs`` are drawn from the collection's own.
    """

    pairs: int = 10
    rounds: int = 3
    repeats: int = 3
    given: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for numbers that show no change."""
        if self.pairs < 0:
            raise SpecError("canaries.pairs", f"{self.pairs}", "0 for none, or more")
        for name in ("rounds", "repeats"):
            number = getattr(self, name)
            if number < 2:
                raise SpecError(f"canaries.{name}", f"{number}", "2 or more; or canaries.pairs=0")


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSpec:
    """``limit``: of all runs, None for none; ``partial``: go as far as it reaches, and let an audit read that."""

    limit: float | None = None
    currency: str = "USD"
    partial: bool = False

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a limit below 0."""
        if self.limit is not None and not 0 <= self.limit < math.inf:
            raise SpecError("budget.limit", f"{self.limit:g}", "0 or more, or null for no limit")


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionSpec:
    """A whole collection.

    ``source``: where images come from; ``services``: name to service; ``into``: the folder that it goes into, and
    goes on in; ``detected``: which faces of an image are used; ``least``: faces that a query needs, else it is left
    out (the rapid test can label none with fewer); ``keep_images``: write each image that was read into the folder.
    """

    source: Source
    services: Mapping[str, Service]
    into: str = field(metadata=PATH)
    detected: Detected = Detected.SINGLE
    pairs: Pairing = field(default_factory=Pairing)
    duplicates: Duplicates = field(default_factory=Duplicates)
    canaries: Canaries = field(default_factory=Canaries)
    budget: BudgetSpec = field(default_factory=BudgetSpec)
    keep_images: bool = False
    seed: int = 1
    least: int = 8

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for names that no file can have, and for queries of no pair."""
        if not self.services:
            raise SpecError("services", "none is named", "services.NAME.type=TYPE")
        _check_names(self.services)
        if self.least < 1:
            raise SpecError("least", f"{self.least}", "1 or more")
        if self.duplicates.faces is FaceBy.TEMPLATES:
            raise SpecError("duplicates.faces", "templates: no collection stores them", "crops or none")
        silent = [name for name, service in sorted(self.services.items()) if not service.detects]
        if self.detected is Detected.ALL and silent:
            raise SpecError("detected", f"all faces, but {silent[0]} does not say where they are", "single")


def _check_names(services: Iterable[str]) -> None:
    """Raise :class:`SpecError` unless each is the name of a file of its own, also where case does not count."""
    by_file: dict[str, str] = {}
    for name in services:
        if not _NAME.fullmatch(name) or name.lower() in {*RESERVED, *file_names.RESERVED}:
            marks = f"up to {file_names.LONGEST} of a to z, A to Z, digits, _ and -"
            accepted = f"{marks}; no device, none of {', '.join(RESERVED)}"
            raise SpecError("services", f"the name {name!r}", accepted)
        if by_file.setdefault(name.lower(), name) != name:
            problem = f"{name!r} and {by_file[name.lower()]!r}"
            raise SpecError("services", problem, "names that differ in more than the case of letters")


def from_plain(data: Mapping[str, object]) -> CollectionSpec:
    """The spec that plain data describes, typed strictly. Raises :class:`SpecError` naming the place.

    >>> from_plain({"sorce": {}})
    Traceback (most recent call last):
    frtaudit.errors.SpecError: spec: unknown key 'sorce' (did you mean 'source'?); accepted: source, services, into,
    detected, pairs, duplicates, canaries, budget, keep_images, seed, least
    """
    _check_keys(data, (setting.name for setting in dataclasses.fields(CollectionSpec) if required(setting)))
    return CollectionSpec(**{key: _field(key, value) for key, value in data.items()})


def source_from_plain(data: Mapping[str, object]) -> Source:
    """The source alone, for what asks no service. Raises as :func:`from_plain` does."""
    _check_keys(data, ("source",))
    source: Source = _field("source", data["source"])
    return source


def _check_keys(data: Mapping[str, object], needed: Iterable[str]) -> None:
    refuse_unknown("", data, {declared.name: declared for declared in dataclasses.fields(CollectionSpec)})
    for name in needed:
        if data.get(name) in (None, "", "???"):
            raise SpecError(name, "no value", _wanted(name))


def _wanted(name: str) -> str:
    if name == "into":
        return "a folder: into=FOLDER"
    known = ", ".join(names("source" if name == "source" else "service"))
    return known if name == "source" else f"services.NAME.type=TYPE with one of: {known}"


def _field(name: str, value: object) -> Built:
    if name == "source":
        return plugin("source", value, name)
    if name == "services":
        return {
            key: plugin("service", {} if service is None else service, f"services.{key}", default=key)
            for key, service in sorted(mapping(value, name).items())
        }
    return build(hints_of(CollectionSpec)[name], value, name)


@contextmanager
def named(name: str) -> Iterator[None]:
    """An error of a service as a whole names it as the spec does."""
    try:
        yield
    except ProviderError as error:
        raise ProviderError(f"services.{name}", error.found, error.accepted) from None


def identity(spec: CollectionSpec) -> dict[str, Json]:
    """What decides the answers, and what services say they will be asked with: no path, budget, price or limits."""
    settings = {
        field.name: plain(getattr(spec, field.name), identifies)
        for field in dataclasses.fields(CollectionSpec)
        if identifies(field) and field.name not in (*_PLUGGED, "budget", "keep_images", "duplicates")
    }
    services: dict[str, Json] = {}
    for name, service in sorted(spec.services.items()):
        fields = {key: value for key, value in plugin_plain("service", service).items() if key != "limits"}
        with named(name):
            services[name] = {
                **fields,
                "recorded_settings": dict(sorted(service.recorded_settings().items())),
            }
    asked_with = recorded_settings(spec.duplicates, spec.duplicates.embedder())
    return {
        **settings,
        "duplicates": dict(asked_with),
        "source": plugin_plain("source", spec.source),
        "services": services,
    }


_PLUGGED = ("source", "services")
