"""From what was composed to the spec: presets go to their places, short forms to the one thing they mean."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields

import yaml

from frtaudit.core.machine.resources import shipped
from frtaudit.core.metrics import METRICS
from frtaudit.core.plain.structure import MISSING, closest, described, mapping, refuse_unknown
from frtaudit.core.profile import ProfileSpec
from frtaudit.errors import SpecError

Plain = dict[str, object]
_DESCRIBED = tuple(field.name for field in fields(ProfileSpec))
_PROFILE_KEYS = (*_DESCRIBED, "fmr", "at", "requirements")
_PLACE = re.compile(r"requirements\[(\d+)\](.*)", re.DOTALL)
_RATIO = "ratio_to_overall"
REQUIREMENTS = "a list of requirements"
SELECTED = "{group}={name} on the command line, or - override /{group}: {name} in a file's defaults"


def resolve_presets(composed: Mapping[str, object]) -> Plain:
    """The spec as plain data, out of the composed tree.

    ``schema``: fields of the one selected schema; ``provider``: selected providers, added to ``providers``;
    ``profiles``: selected requirement profiles; their requirements join ``requirements``, with the analysis they need.

    >>> resolve_presets({"schemas": {"a": {"column": "x"}}, "schema": {"column": "y"}})["schemas"]
    {'a': {'column': 'y'}}
    """
    spec = dict(composed)
    _schema(spec, spec.pop("schema", None))
    _providers(spec, spec.pop("provider", None))
    _profiles(spec, spec.pop("profiles", None))
    with locating(spec):
        _refuse_unsaid_sense(spec.get("requirements"))
    return spec


@contextmanager
def locating(spec: Plain) -> Iterator[None]:
    """An error about a requirement of a profile names its place there, not the one in the list of all of them."""
    try:
        yield
    except SpecError as error:
        error.where = _place_in_profile(error.where, spec)
        raise


def _place_in_profile(where: str, spec: Plain) -> str:
    """``profiles.NAME.requirements[1].limit`` for ``requirements[3].limit``, where a profile states that one."""
    place, listed, profiles = _PLACE.fullmatch(where), spec.get("requirements"), spec.get("profiles")
    if place is None or not isinstance(listed, Sequence) or not isinstance(profiles, Mapping):
        return where
    states = [entry.get("profile") if isinstance(entry, Mapping) else None for entry in listed]
    index = int(place[1])
    if index >= len(states) or states[index] not in profiles:
        return where
    return f"profiles.{states[index]}.requirements[{states[:index].count(states[index])}]{place[2]}"


def _schema(spec: Plain, short: object) -> None:
    if isinstance(short, str):
        raise SpecError("schema", f"found {short!r}", SELECTED.format(group="schema", name=short))
    fields = _mapping("schema", short)
    if not fields:
        return
    schemas = _mapping("schemas", spec.get("schemas"))
    if len(schemas) != 1:
        places = ", ".join(f"schemas.{name}.{field}" for field in sorted(fields) for name in sorted(schemas))
        text = f"{len(schemas)} schemas are selected" if schemas else "no schema is selected"
        accepted = places or SELECTED.format(group="schema", name="NAME")
        raise SpecError(f"schema.{min(fields)}", text, accepted)
    name = next(iter(schemas))
    spec["schemas"] = {name: _mapping(f"schemas.{name}", schemas[name]) | fields}


def _providers(spec: Plain, selected: object) -> None:
    chosen = _mapping("provider", selected)
    if not chosen:
        return
    accepted = "a list of names or of mappings with name and type"
    listed = [*_sequence("providers", spec.get("providers") or [], accepted)]
    for name in sorted(chosen):  # without a name of its own it is called as its preset is
        given = _mapping(f"provider.{name}", chosen[name])
        listed.append(given | {"name": name} if given.get("name") in (None, "", MISSING) else given)
    spec["providers"] = listed


def _profiles(spec: Plain, selected: object) -> None:
    profiles = {
        name: _mapping(f"profiles.{name}", data) for name, data in _mapping("profiles", selected).items()
    }
    if not profiles:
        return
    added = [requirement for name in sorted(profiles) for requirement in _profile(name, profiles[name])]
    listed = _sequence("requirements", spec.get("requirements") or [], REQUIREMENTS)
    spec["requirements"] = [*listed, *added]
    spec["profiles"] = {
        name: {key: value for key, value in data.items() if key in _DESCRIBED}
        for name, data in profiles.items()
    }
    if any(requirement.get("metric") == _RATIO for requirement in added):
        spec["analyses"] = {_RATIO: {}} | _mapping("analyses", spec.get("analyses"))


def _profile(name: str, profile: Plain) -> list[Plain]:
    """The requirements of a profile; each carries its profile, and the source with its date."""
    where = f"profiles.{name}"
    refuse_unknown(where, profile, _PROFILE_KEYS)
    missing = [key for key in ("source", "date", "requirements") if not profile.get(key)]
    if missing:
        accepted = "a profile states its source, its date, its requirements"
        if len(missing) < len(("source", "date", "requirements")):
            raise SpecError(f"{where}.{missing[0]}", "no value", accepted)
        known = [path.stem for path in (shipped("conf") / "requirement").glob("*.yaml")]
        text = f"no profile of that name is selected{'' if name in known else closest(name, known)}"
        selected = f"requirement=[{name}] as well"
        raise SpecError(
            where, text, selected if name in known else f"requirement=[NAME] as well; one's own: {accepted}"
        )
    _refuse_changed(name, profile)
    items = _sequence(f"{where}.requirements", profile["requirements"], REQUIREMENTS)
    target: Plain = {} if profile.get("fmr") is None else {"fmr": profile["fmr"]}
    point = _mapping(f"{where}.at", profile.get("at")) or target
    origin: Plain = {"profile": name, "source": f"{profile['source']} ({profile['date']})"}
    if profile.get("rule") is None:
        origin["as_measured"] = True
    return [
        origin | _at(point, _mapping(f"{where}.requirements[{index}]", requirement))
        for index, requirement in enumerate(items)
    ]


def published(name: str) -> bool:
    """Whether frtaudit ships a profile of this name."""
    return (shipped("conf") / "requirement" / f"{name}.yaml").is_file()


def _refuse_changed(name: str, profile: Plain) -> None:
    """Refuse other limits under the name of a published profile; ``at`` is for the audit to say."""
    if not published(name):
        return
    text = (shipped("conf") / "requirement" / f"{name}.yaml").read_text(encoding="utf-8")
    for key, value in mapping(yaml.safe_load(text), name).items():
        if key != "at" and profile.get(key) != value:
            accepted = (
                "the profile as it is, perhaps with another at; or one's own, a copy in requirement/NAME.yaml"
            )
            raise SpecError(f"profiles.{name}.{key}", "is not what was published", accepted)


def _refuse_unsaid_sense(requirements: object) -> None:
    """Refuse a limit of what is better when higher that does not say on which side it is kept."""
    for index, requirement in enumerate(requirements if isinstance(requirements, Sequence) else ()):
        metric = METRICS.get(str(requirement.get("metric"))) if isinstance(requirement, Mapping) else None
        if metric is not None and metric.higher_is_better and "sense" not in requirement:
            accepted = f"'>=', for {metric.name} is better when higher; or '<='"
            raise SpecError(f"requirements[{index}].sense", "no value", accepted)


def _at(point: Plain, requirement: Plain) -> Plain:
    """A requirement at its profile's operating point; FNMR at an FMR target has a name of its own."""
    if "at" in requirement or not point:
        return requirement
    metric = requirement.get("metric")
    return requirement | {
        "at": point,
        "metric": "fnmr_at_fmr" if metric == "fnmr" and "fmr" in point else metric,
    }


def _sequence(where: str, value: object, accepted: str) -> Sequence[object]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise SpecError(where, f"found {described(value)}", accepted)
    return value


def _mapping(where: str, value: object) -> Plain:
    return {} if value is None else dict(mapping(value, where))
