"""Plain data to typed frozen values, strictly, and back. No Hydra, no import by string; only int becomes float."""

import dataclasses
import difflib
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints  # Any: a type as a value

from frtaudit.core.canonical import Json, number_in, number_out
from frtaudit.core.machine import limits
from frtaudit.errors import SpecError

MISSING = "???"
QUOTE = "text; quote it, for YAML reads a bare no, 010 or 1.0 as a truth value or a number"
_MAPPING = "a mapping of keys to values"
_NOT_FINITE = ("inf", "-inf", "nan")
_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}

Kind: TypeAlias = Any  # a type as a value: a class, a union, a generic alias
Built: TypeAlias = Any  # a value of a type that is known only at run time
Field: TypeAlias = "dataclasses.Field[Any]"  # whatever the field holds
Keep: TypeAlias = "Callable[[Field], bool]"


def build(kind: Kind, data: object, where: str) -> Built:
    """Make a value of type ``kind`` out of plain data; ``where`` names the place in the spec.

    Known kinds: dataclasses, Enums (by value), tuples, mappings with text keys (kept in the order of their keys),
    unions, bool, int, float, str. An int becomes a float where a float is asked for; nothing else is converted.

    Raises :class:`SpecError` for an unknown or missing key, a wrong type or an unknown choice.

    >>> build(tuple[float, ...], [1, 0.5], "thresholds.fmr")
    (1.0, 0.5)
    """
    if data == MISSING and isinstance(data, str):
        raise SpecError(where, "no value", _wanted(kind))
    if origin(kind) in (Union, types.UnionType):
        return _union(kind, data, where)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return construct(
            kind, mapping(data, where, [field.name for field in dataclasses.fields(kind)]), where
        )
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _choice(kind, data, where)
    if origin(kind) is tuple:
        return _tuple(get_args(kind), data, where)
    if origin(kind) in (dict, Mapping):
        inner = get_args(kind)[1]
        return {
            key: build(inner, value, f"{where}.{key}") for key, value in sorted(mapping(data, where).items())
        }
    return _scalar(kind, data, where)


def check_kind(kind: Kind, value: object, where: str) -> None:
    """Refuse a value made in Python that is not of type ``kind``, or holds what is not; nothing is converted.

    Raises :class:`SpecError`. A whole number may stand for a number; of ``object`` anything is taken.

    >>> check_kind(tuple[float, ...], (0.1, "x"), "thresholds.fmr")
    Traceback (most recent call last):
    frtaudit.errors.SpecError: thresholds.fmr[1]: found 'x'; accepted: a number
    """
    options = get_args(kind) if origin(kind) in (Union, types.UnionType) else (kind,)
    fits = next((option for option in options if _is_kind(option, value)), None)
    if fits is None:
        only = [option for option in options if option is not type(None)]
        accepted = _accepted_in_python(only[0]) if len(only) == 1 else _accepted(kind)
        raise SpecError(where, f"found {value!r:.60}", accepted)
    for part, entry, place in _parts(fits, value, where):
        check_kind(part, entry, place)


def _parts(kind: Kind, value: Any, where: str) -> Iterable[tuple[Kind, object, str]]:  # noqa: ANN401  of that type
    """What a value of a type holds: the type of each part, the part, its place."""
    if origin(kind) is tuple:
        items = get_args(kind)
        each = [items[0]] * len(value) if items[-1] is Ellipsis else items
        pairs = enumerate(zip(each, value, strict=True))
        return [(part, entry, f"{where}[{index}]") for index, (part, entry) in pairs]
    if origin(kind) in (dict, Mapping):
        return [(get_args(kind)[1], entry, f"{where}.{key}") for key, entry in value.items()]
    if _is_record(kind):
        return [(hint, getattr(value, name), f"{where}.{name}") for name, hint in hints_of(kind).items()]
    return []


def _is_kind(kind: Kind, value: object) -> bool:
    """Whether a value is of a type, whatever it holds."""
    if kind is float:
        return isinstance(value, float) or type(value) is int
    if kind in (int, bool):
        return type(value) is kind
    made_of = origin(kind)
    if made_of is tuple:
        items = get_args(kind)
        return isinstance(value, tuple | list) and (items[-1] is Ellipsis or len(items) == len(value))
    if made_of in (dict, Mapping):
        return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)
    return isinstance(value, kind)


def _accepted_in_python(kind: Kind) -> str:
    """What a field of a type accepts in Python."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return ", ".join(f"{kind.__name__}.{member.name}" for member in kind)
    if _is_record(kind):
        return f"{kind.__name__}(...)"
    return "a tuple" if origin(kind) is tuple else _accepted(kind)


def construct(kind: type, data: Mapping[str, object], where: str) -> Built:
    """Make a dataclass of type ``kind`` out of its fields as plain data.

    A :class:`SpecError` of the dataclass itself whose place begins with a dot is placed below ``where``.

    >>> from frtaudit.core.spec import Bootstrap
    >>> construct(Bootstrap, {"B": 99}, "bootstrap").B
    99
    """
    fields = {field.name: field for field in dataclasses.fields(kind) if field.init}
    refuse_unknown(where, data, fields)
    hints = hints_of(kind)
    place = f"{where}." if where else ""
    for name, field in fields.items():
        if data.get(name, MISSING if required(field) else None) == MISSING:
            is_path = field.metadata.get("role") == "path"
            wanted = f"a path: {place}{name}=PATH" if is_path else _wanted(hints[name])
            raise SpecError(f"{place}{name}", "no value", wanted)
    values = {key: build(hints[key], value, f"{place}{key}") for key, value in data.items()}
    try:
        return kind(**values)
    except SpecError as error:
        if not error.where.startswith("."):
            raise
        below = (where + error.where).strip(".") or "spec"
        raise SpecError(below, error.found, error.accepted) from None
    except (ValueError, TypeError) as error:
        raise SpecError(where or "spec", str(error)) from None


def refuse_unknown(where: str, keys: Iterable[str], accepted: Iterable[str]) -> None:
    """Raise :class:`SpecError` for the first key that nothing takes: it names the accepted keys and the closest.

    >>> refuse_unknown("bootstrap", ["b"], ["B", "alpha"])
    Traceback (most recent call last):
    frtaudit.errors.SpecError: bootstrap: unknown key 'b' (did you mean 'B'?); accepted: B, alpha
    """
    names = list(accepted)
    for key in keys:
        if key not in names:
            problem = f"unknown key {key!r}{closest(key, names)}"
            raise SpecError(where or "spec", problem, ", ".join(names) or "no key")


def closest(name: str, names: Iterable[str]) -> str:
    """`` (did you mean 'x'?)`` for the nearest of ``names``, or nothing."""
    folded = {known.lower(): known for known in names}
    near = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.65)
    return f" (did you mean {folded[near[0]]!r}?)" if near else ""


def plain(value: object, keep: Keep = lambda _: True) -> Json:
    """What :func:`build` reads back: fields of dataclasses for which ``keep`` holds, values of Enums, lists.

    >>> from frtaudit.core.spec import GridKind
    >>> plain((GridKind.LINEAR, float("inf")))
    ['linear', 'inf']
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field for field in dataclasses.fields(value) if field.init and keep(field)]
        values = [(field, getattr(value, field.name)) for field in fields]
        return {field.name: plain(entry, keep) for field, entry in values if not silent(field, entry)}
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, Mapping):
        return {str(key): plain(entry, keep) for key, entry in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        return [plain(entry, keep) for entry in value]
    if isinstance(value, float):
        return number_out(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    raise TypeError(f"{type(value).__name__} is not plain data")


def origin(kind: Kind) -> object:
    """What a generic type is made of: ``tuple`` of ``tuple[int, ...]``; None of a plain class.

    >>> origin(tuple[int, ...])
    <class 'tuple'>
    """
    return get_origin(kind)


def silent(field: Field, value: object) -> bool:
    """Whether a field added after the first results holds its default: plain data leave it out (see ``ADDED``)."""
    return "added" in field.metadata and bool(value == default_of(field))


def default_of(field: Field) -> object:
    """The value of a field that is not given; ``dataclasses.MISSING`` where it is required."""
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def required(field: Field) -> bool:
    """Whether a field has no default."""
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


@cache
def hints_of(kind: type) -> Mapping[str, Kind]:
    """Field name to type of a dataclass."""
    return get_type_hints(kind)


def mapping(data: object, where: str, keys: Sequence[str] = ()) -> Mapping[str, object]:
    """``data`` if it is a mapping with text keys; else :class:`SpecError`, which names its ``keys``."""
    if not isinstance(data, Mapping):
        named = f": {', '.join(keys)}" if keys else ""
        raise SpecError(where or "spec", f"found {described(data)}", f"{_MAPPING}{named}")
    for key in data:
        if not isinstance(key, str):
            raise SpecError(where or "spec", f"the key {described(key)} is not text", QUOTE)
        limits.check_text(where or "spec", key)
    return data


def described(data: object) -> str:
    """How an error shows a value that it found."""
    if data is None:
        return "null"
    if isinstance(data, bool):
        return f"{str(data).lower()} (a truth value)"
    if isinstance(data, Mapping):
        return "a mapping"
    if isinstance(data, (list, tuple)):
        return "a list"
    return f"{data!r}" if isinstance(data, str) else f"{data!r} (a number)"


def _union(kind: Kind, data: object, where: str) -> Built:
    members = get_args(kind)
    if data is None and type(None) in members:
        return None
    others = [member for member in members if member is not type(None)]
    exact = [member for member in others if isinstance(member, type) and type(data) is member]
    if exact:
        return build(exact[0], data, where)
    for member in others[:-1]:
        try:
            return build(member, data, where)
        except SpecError:
            continue
    if len(others) == 1:
        return build(others[0], data, where)
    try:
        return build(others[-1], data, where)
    except SpecError:
        raise SpecError(where, f"found {described(data)}", _accepted(kind, data)) from None


def _choice(kind: type[Enum], data: object, where: str) -> Enum:
    values = [str(member.value) for member in kind]
    for member in kind:
        if data == member.value and not isinstance(data, bool):
            return member
    hint = closest(data, values) if isinstance(data, str) else ""
    raise SpecError(where, f"found {described(data)}{hint}", ", ".join(values))


def _tuple(items: Sequence[Kind], data: object, where: str) -> tuple[Built, ...]:
    if not isinstance(data, (list, tuple)):
        raise SpecError(where, f"found {described(data)}", f"a list: [{_accepted(items[0])}, ...]")
    limits.check_length(where, len(data), limits.ITEMS, "values")
    if len(items) == 2 and items[1] is Ellipsis:
        return tuple(build(items[0], entry, f"{where}[{index}]") for index, entry in enumerate(data))
    if len(items) != len(data):
        raise SpecError(where, f"found {len(data)} values", f"{len(items)} values")
    pairs = zip(items, data, strict=True)
    return tuple(build(kind, entry, f"{where}[{index}]") for index, (kind, entry) in enumerate(pairs))


def _scalar(kind: Kind, data: object, where: str) -> Built:
    if kind is float and isinstance(data, str) and data in _NOT_FINITE:
        return number_in(data)
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        limits.check_whole(where, data)
        return float(data)
    if kind in _WORDS and type(data) is kind:
        if isinstance(data, int):
            limits.check_whole(where, data)
        if isinstance(data, float):
            limits.check_real(where, data)
        if isinstance(data, str):
            limits.check_text(where, data)
        return data
    raise SpecError(where, f"found {described(data)}", _accepted(kind, data))


def _wanted(kind: Kind) -> str:
    """What is accepted where nothing is given: of a mapping, the keys that it needs."""
    if kind is str:
        return "text"
    needed = [field.name for field in dataclasses.fields(kind) if required(field)] if _is_record(kind) else []
    return f"{_MAPPING}, with {', '.join(needed)}" if needed else _accepted(kind)


def _is_record(kind: Kind) -> bool:
    return dataclasses.is_dataclass(kind) and isinstance(kind, type)


def _accepted(kind: Kind, data: object = "") -> str:
    """What a kind accepts; ``data``: what was found, which may have been meant as text."""
    if kind is str:
        return QUOTE if data is None or isinstance(data, bool | int | float) else _WORDS[str]
    if kind in _WORDS:
        return _WORDS[kind]
    if origin(kind) in (Union, types.UnionType):
        words = ["null" if option is type(None) else _accepted(option, data) for option in get_args(kind)]
        return " or ".join(words)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return ", ".join(str(member.value) for member in kind)
    if origin(kind) is tuple:
        return f"a list: [{_accepted(get_args(kind)[0])}, ...]"
    return _MAPPING
