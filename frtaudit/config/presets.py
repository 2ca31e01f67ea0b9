"""From what was composed to the spec: presets go to their places, short forms to the one thing they mean."""

from collections.abc import Mapping, Sequence
from dataclasses import fields

from frtaudit.core.plain.structure import MISSING, described, mapping, refuse_unknown
from frtaudit.core.profile import ProfileSpec
from frtaudit.errors import SpecError

Plain = dict[str, object]
_DESCRIBED = tuple(field.name for field in fields(ProfileSpec))
_PROFILE_KEYS = (*_DESCRIBED, "fmr", "at", "requirements")
_RATIO = "ratio_to_overall"
REQUIREMENTS = "a list of requirements"


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
    return spec


def _schema(spec: Plain, short: object) -> None:
    fields = _mapping("schema", short)
    if not fields:
        return
    schemas = _mapping("schemas", spec.get("schemas"))
    if len(schemas) != 1:
        places = ", ".join(f"schemas.{name}.{field}" for field in sorted(fields) for name in sorted(schemas))
        text = f"{len(schemas)} schemas are selected" if schemas else "no schema is selected"
        raise SpecError(f"schema.{min(fields)}", text, places or "schema=NAME as well")
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
        raise SpecError(f"{where}.{missing[0]}", "no value", accepted)
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
