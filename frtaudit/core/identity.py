"""The audit's identity: the spec as plain data, and the spec again from plain data. Plug-ins only from the registry."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from frtaudit.core.canonical import Json, digest
from frtaudit.core.plain.structure import (
    MISSING,
    Built,
    Field,
    Keep,
    build,
    check_kind,
    closest,
    construct,
    described,
    hints_of,
    mapping,
    plain,
    refuse_unknown,
    required,
    silent,
)
from frtaudit.core.registry import known_as, lookup, name_of, names, names_of
from frtaudit.core.spec import AuditSpec, Folds, PairSetSpec
from frtaudit.errors import SpecError

TYPE = "type"
MERGED = ("cohort", "protocol")  # groups of which a file's fields are merged with those of a selected preset
SPEC_VERSION = "1"
INPUTS = "inputs"
_OF_PROVIDER = re.compile(r"providers\[(\d+)\]\.", re.ASCII)
_PLUGINS = {"cohort": "cohort", "protocol": "protocol", "analyses": "analysis", "providers": "provider"}


def identifies(field: Field) -> bool:
    """Whether a field is part of the identity: paths, machine settings and the report's own words are not."""
    return "role" not in field.metadata and field.name != "report"


def to_plain(spec: AuditSpec) -> dict[str, Json]:
    """The resolved, typed spec without ``report``, paths and machine settings: what ``result.json`` holds.

    A plug-in is a mapping with its ``type`` and its fields.
    """
    return _spec_plain(spec, identifies)


def to_portable(spec: AuditSpec) -> dict[str, Json]:
    """The whole spec but its machine settings, such as thread counts: the same files come of it on any machine."""
    return _spec_plain(spec, lambda field: field.metadata.get("role") != "machine")


def spec_digest(spec: AuditSpec, inputs: Mapping[str, str]) -> str:
    """SHA-256 of the identity: :func:`to_plain` and each input as its file name and sha256."""
    return digest(to_plain(spec) | {INPUTS: dict(inputs)})


def from_plain(data: Mapping[str, object], paths: Mapping[str, object] | None = None) -> AuditSpec:
    """The spec that plain data describes, typed strictly; ``paths`` fills fields by dotted name.

    ``paths`` supplies what an identity leaves out, such as ``{"cohort.root": "faces", "providers[0].file": "a.csv"}``;
    ``inputs`` in ``data`` is not part of a spec and is left out. Values are not checked here: see
    :func:`frtaudit.config.validate.check_spec`.

    Raises :class:`SpecError` for unknown keys, wrong types, missing values and plug-ins that nothing registered.
    """
    spec = {key: value for key, value in data.items() if key != INPUTS}
    for dotted, value in (paths or {}).items():
        place = _OF_PROVIDER.match(dotted)
        path = (
            dotted.split(".") if place is None else ["providers", place[1], *dotted[place.end() :].split(".")]
        )
        spec = _with_value(spec, path, value, dotted)
    return replace(without_analyses(spec), analyses=analyses_from_plain(spec))


def without_analyses(spec: Mapping[str, object]) -> AuditSpec:
    """The spec before its analyses are imported: in place of each stands what the registry knows of it.

    Raises :class:`SpecError` as :func:`from_plain` does, but for the fields of an analysis.
    """
    _check_keys(spec)
    last = sorted(spec, key=lambda key: key in _PLUGINS)  # a plug-in is imported once the rest is right
    values = {key: _field(key, spec[key]) for key in last if key != "analyses"}
    given = _analyses(spec["analyses"])
    return AuditSpec(**values, analyses={key: _known_analysis(key, given[key]) for key in given})


def _known_analysis(key: str, data: object) -> object:
    """An analysis whose module is imported, as those of other wheels are; else what the registry knows of it."""
    where = f"analyses.{key}"
    known = known_as("analysis", *_kind("analysis", data, where, key))
    return plugin("analysis", data, where, default=key) if isinstance(known, type) else known


def check_types(spec: AuditSpec) -> None:
    """Refuse a spec with a value of another type, which ``dataclasses.replace`` takes; raises :class:`SpecError`."""
    for name, kind in hints_of(AuditSpec).items():
        check_kind(kind, getattr(spec, name), name)
    if spec.spec_version != SPEC_VERSION:
        raise SpecError("spec_version", f"found {described(spec.spec_version)}", f'"{SPEC_VERSION}"')
    pairs = {f"test_sets.{name}.pairs": entry.pairs for name, entry in spec.test_sets.items()}
    parts = [("cohort", "cohort", spec.cohort), ("protocol", "protocol", spec.protocol)]
    parts += [("protocol", where, part) for where, part in pairs.items() if part is not None]
    parts += [("analysis", f"analyses.{name}", part) for name, part in spec.analyses.items()]
    systems = [(f"providers[{index}]", part) for index, part in enumerate(spec.providers or ())]
    parts += [("provider", where, part) for where, part in systems if not isinstance(part, str)]
    for group, where, part in parts:
        if not list(names_of(group, type(part))):
            raise SpecError(where, f"found {part!r:.60}", f"an instance of one of: {', '.join(names(group))}")


def analyses_from_plain(spec: Mapping[str, object]) -> dict[str, object]:
    """The analyses of a spec as plain data, by name; those that are given fields are imported first."""
    given = _analyses(spec["analyses"])
    first = sorted(given, key=lambda key: not given[key])
    analyses = {key: plugin("analysis", given[key], f"analyses.{key}", default=key) for key in first}
    return {key: analyses[key] for key in given}


def plugin_plain(group: str, plugin: object, keep: Keep = identifies) -> dict[str, Json]:
    """A registered plug-in as plain data: its ``type`` and the fields that ``keep`` keeps."""
    fields = plain(plugin, keep)
    return {TYPE: name_of(group, type(plugin)), **(fields if isinstance(fields, Mapping) else {})}


def plugin(group: str, data: object, where: str, default: str | None = None) -> object:
    """The registered plug-in that a mapping with ``type`` describes (``default``: the type where none is named)."""
    kind, place = _kind(group, data, where, default)
    known = lookup(group, kind, place)
    fields = data if isinstance(data, Mapping) else {}
    try:
        return construct(known, {key: value for key, value in fields.items() if key != TYPE}, where)
    except SpecError as error:
        if group not in MERGED or not error.found.startswith("unknown key"):
            raise
        preset = (
            f"- override /{group}: {kind} among a file's defaults, or {group}={kind}, leaves out another's"
        )
        raise SpecError(error.where, error.found, f"{error.accepted}; {preset}") from None


def _kind(group: str, data: object, where: str, default: str | None = None) -> tuple[str, str]:
    """The type that a mapping names, and where in the spec it does."""
    if data is None or data == MISSING:
        raise SpecError(where, "no value", f"one of: {', '.join(names(group))}")
    if not isinstance(data, Mapping):
        preset = f"; a preset: - override /{group}: {data} among a file's defaults, or {group}={data}"
        accepted = "a mapping with type and fields"
        is_named = isinstance(data, str) and group in MERGED
        raise SpecError(where, f"found {described(data)}", accepted + (preset if is_named else ""))
    kind = data.get(TYPE, default)
    if not isinstance(kind, str) or kind == MISSING:
        raise SpecError(f"{where}.{TYPE}", "no value", ", ".join(names(group)))
    return kind, f"{where}.{TYPE}"


def _spec_plain(spec: AuditSpec, keep: Keep) -> dict[str, Json]:
    values: dict[str, Json] = {}
    for field in dataclasses.fields(spec):
        value = getattr(spec, field.name)
        if keep(field) and not silent(field, value):
            values[field.name] = _value_plain(field.name, value, keep)
    return values


def _value_plain(name: str, value: Built, keep: Keep) -> Json:
    if name == "test_sets":
        return {
            key: {
                "pairs": None if entry.pairs is None else plugin_plain("protocol", entry.pairs, keep),
                "folds": plain(entry.folds, keep),
            }
            for key, entry in sorted(value.items())
        }
    group = _PLUGINS.get(name)
    if group is None or value is None:
        return plain(value, keep)
    if isinstance(value, Mapping):
        return {key: plugin_plain(group, entry, keep) for key, entry in sorted(value.items())}
    if isinstance(value, tuple):
        return [entry if isinstance(entry, str) else plugin_plain(group, entry, keep) for entry in value]
    return plugin_plain(group, value, keep)


def _check_keys(spec: Mapping[str, object]) -> None:
    fields = {field.name: field for field in dataclasses.fields(AuditSpec)}
    refuse_unknown("", spec, fields)
    for name, field in fields.items():
        if required(field) and name not in spec:
            raise SpecError(
                name, "no value", ", ".join(names(_PLUGINS[name])) if name in _PLUGINS else "text"
            )
    version = spec.get("spec_version", SPEC_VERSION)
    if version != SPEC_VERSION:
        raise SpecError("spec_version", f"found {described(version)}", f'"{SPEC_VERSION}"')


def _field(name: str, value: object) -> Built:
    if name == "providers":
        if value is None:
            return None
        if not isinstance(value, Sequence) or isinstance(value, str):
            accepted = "a list of names or of mappings with name and type"
            raise SpecError(name, f"found {described(value)}", accepted)
        return tuple(_provider(provider, f"{name}[{index}]") for index, provider in enumerate(value))
    if name == "test_sets":
        return {
            key: _set(test_set, f"{name}.{key}") for key, test_set in sorted(mapping(value, name).items())
        }
    if name in _PLUGINS:
        return plugin(_PLUGINS[name], value, name)
    return build(hints_of(AuditSpec)[name], value, name)


def _analyses(value: object) -> dict[str, object]:
    """Plain data of each analysis, by name."""
    if not isinstance(value, Mapping):
        raise SpecError("analyses", f"found {described(value)}", "a mapping of names to analyses")
    return {str(key): {} if analysis is None else analysis for key, analysis in sorted(value.items())}


def _set(value: object, where: str) -> PairSetSpec:
    """A test set: its pairs are a protocol, its folds plain fields."""
    fields = mapping(value, where)
    refuse_unknown(where, fields, ("pairs", "folds"))
    pairs = fields.get("pairs")
    return PairSetSpec(
        pairs=None if pairs is None else plugin("protocol", pairs, f"{where}.pairs"),
        folds=build(Folds, fields.get("folds", {}), f"{where}.folds"),
    )


def _provider(provider: object, where: str) -> object:
    """A name stays a name: the cohort knows whether it is scored from templates or was scored before."""
    if isinstance(provider, str) and provider not in ("", MISSING):
        return provider
    if not isinstance(provider, Mapping):
        raise SpecError(
            where, f"found {described(provider)}", "a name, quoted if it looks like a number, or a mapping"
        )
    return plugin("provider", provider, where)


def _with_value(
    data: Mapping[str, object], path: Sequence[str], value: object, dotted: str
) -> dict[str, object]:
    if len(path) == 1:
        return {**data, path[0]: value}
    inner = data.get(path[0], {})
    if (
        isinstance(inner, Sequence)
        and not isinstance(inner, str)
        and path[1].isdecimal()
        and int(path[1]) < len(inner)
    ):
        place = int(path[1])
        entry = _with_value(mapping(inner[place], dotted), path[2:], value, dotted)
        return {**data, path[0]: [*inner[:place], entry, *inner[place + 1 :]]}
    if not isinstance(inner, Mapping):
        raise SpecError(dotted, f"{path[0]!r} holds no keys{closest(path[0], data)}", ", ".join(data))
    return {**data, path[0]: _with_value(inner, path[1:], value, dotted)}
