"""Frozen values as JSON and back, and the JSON Schema of what they write: all three from the types of their fields.

Fields that do not compare are not written; a field ``ADDED`` after the first results is written only where it differs
from its default; a ``PLAIN`` one holds plain data already. Limits of a value stand in its type, as in ``Count``.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache
from types import MappingProxyType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypeAlias,
    Union,
    get_args,
    get_type_hints,
    is_typeddict,
)

from frtaudit.core.canonical import Json, number_in, number_out
from frtaudit.core.plain.structure import Field, Keep, Kind, hints_of, origin, silent

ADDED: Mapping[str, object] = MappingProxyType({"added": True})
PLAIN: Mapping[str, object] = MappingProxyType({"plain": True})
Count = Annotated[int, ("minimum", 0)]
Level = Annotated[float, ("exclusiveMinimum", 0), ("exclusiveMaximum", 1)]
PValue = Annotated[float, ("exclusiveMinimum", 0), ("maximum", 1)]
Share = Annotated[float, ("minimum", 0), ("maximum", 1)]
WeightingName = Annotated[str, ("pattern", "^(pooled|identity)$")]
Sha256 = Annotated[str, ("pattern", "^[0-9a-f]{64}$")]

Schema: TypeAlias = dict[str, Json]
Convert: TypeAlias = "Callable[[Any], Any]"  # Any: between a value and its JSON, whatever they are
_SCALARS: Mapping[Kind, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"anyOf": [{"type": "number"}, {"enum": ["inf", "-inf", "nan"]}]},
    str: {"type": "string"},
    type(None): {"type": "null"},
}


def to_json(value: Any) -> dict[str, Json]:  # noqa: ANN401  any dataclass of these types
    """What a frozen value writes.

    >>> from frtaudit.core.cohort import Required
    >>> to_json(Required(schema="s", group="a", left=(2, 1)))
    {'schema': 's', 'group': 'a', 'left': [2, 1]}
    """
    kind: Kind = type(value)
    written: dict[str, Json] = _writer(kind)(value)
    return written


def written_as(kind: Kind, value: Any) -> Any:  # noqa: ANN401  any value of the kind that is named
    """What a value writes as a field of that type.

    >>> written_as(tuple[float, ...], (1, float("nan")))
    [1.0, 'nan']
    """
    return _writer(kind)(value)


def from_json(kind: Kind, data: Mapping[str, object]) -> Any:  # noqa: ANN401  a value of the kind that is named
    """Read what :func:`to_json` wrote; ``data`` was held against the schema before.

    >>> from frtaudit.core.cohort import Required
    >>> from_json(Required, {"schema": "s", "group": "a", "left": [2, 1]}).left
    (2, 1)
    """
    return _reader(kind)(data)


@cache
def _writer(kind: Kind) -> Convert:
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = hints_of(kind)
        fields = [
            (field, _same if "plain" in field.metadata else _writer(hints[field.name]))
            for field in _fields(kind)
        ]

        def write(value: object) -> dict[str, Json]:
            values = ((field, convert, getattr(value, field.name)) for field, convert in fields)
            return {
                field.name: convert(entry) for field, convert, entry in values if not silent(field, entry)
            }

        return write
    return _converted(
        kind, _writer, lambda value: number_out(float(value)), lambda member: member.value, list
    )


@cache
def _reader(kind: Kind) -> Convert:
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = hints_of(kind)
        fields = {
            field.name: _same if "plain" in field.metadata else _reader(hints[field.name])
            for field in _fields(kind)
        }

        def read(data: object) -> object:
            if not isinstance(data, Mapping):
                raise TypeError(f"{kind.__name__} is not a mapping")
            return kind(**{name: fields.get(name, _same)(entry) for name, entry in data.items()})

        return read
    return _converted(kind, _reader, number_in, kind, tuple)


def _converted(
    kind: Kind, part: Callable[[Kind], Convert], number: Convert, choice: Convert, row: Convert
) -> Convert:
    """A value of no dataclass; ``part`` converts what it holds."""
    if kind is float:
        return number
    if isinstance(kind, type) and issubclass(kind, Enum):
        return choice
    if origin(kind) in (Union, UnionType):
        given = [option for option in get_args(kind) if option is not type(None)]
        inner = part(float if float in given else given[0])
        unchanged = (str, type(None)) if str in given else type(None)
        return lambda value: value if isinstance(value, unchanged) else inner(value)
    if origin(kind) is tuple:
        inner = part(get_args(kind)[0])
        return lambda value: row(map(inner, value))
    if origin(kind) is Mapping:
        inner = part(get_args(kind)[1])
        return lambda value: {key: inner(entry) for key, entry in _mapping(value).items()}
    return _same


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise TypeError(f"a {type(value).__name__} is not a mapping")
    return value


def _same(value: Any) -> Any:  # noqa: ANN401  what is JSON already
    return value


def _fields(kind: Kind) -> list[Field]:
    return [field for field in dataclasses.fields(kind) if field.compare]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """The JSON Schema of types: of which fields (``keep``), which of them must stand (``needed``).

    ``named``: types that stand once, under ``$defs``.
    """

    keep: Keep = lambda field: field.compare
    needed: Keep = lambda field: "added" not in field.metadata
    named: Mapping[Kind, str] = dataclasses.field(default_factory=dict)

    def of(self, kind: Kind) -> Schema:
        """The schema of what a value of a type writes; no key beside those of its fields.

        >>> Contract().of(tuple[Level, ...])
        {'type': 'array', 'items': {'type': 'number', 'exclusiveMinimum': 0, 'exclusiveMaximum': 1}}
        """
        if kind in self.named:
            return {"$ref": f"#/$defs/{self.named[kind]}"}
        if kind in _SCALARS:
            return dict(_SCALARS[kind])
        if isinstance(kind, type) and issubclass(kind, Enum):
            return {"enum": [enum.value for enum in kind]}
        if is_typeddict(kind):
            hints = get_type_hints(kind, include_extras=True)
            return closed({name: self.of(hint) for name, hint in hints.items()}, kind.__required_keys__)
        return (
            self.record(kind)
            if dataclasses.is_dataclass(kind)
            else self._generic(origin(kind), get_args(kind))
        )

    def _generic(self, made_of: object, parts: tuple[Kind, ...]) -> Schema:
        if made_of is Annotated:
            inner: Schema = {"type": "number"} if parts[0] is float else self.of(parts[0])
            return inner | dict(parts[1:])
        if made_of is Literal:
            return {"enum": list(parts)}
        if made_of is NotRequired:
            return self.of(parts[0])
        if made_of in (Union, UnionType):
            return {"anyOf": [self.of(option) for option in parts]}
        if made_of in (dict, Mapping):
            return {"type": "object", "additionalProperties": self.of(parts[1])}
        return self._list(parts) if made_of in (tuple, list) else {}

    def record(self, kind: Kind, given: Mapping[str, Json] = MappingProxyType({})) -> Schema:
        """The schema of a dataclass; ``given``: what is known of some of its properties, or beside them."""
        fields = [field for field in dataclasses.fields(kind) if field.init and self.keep(field)]
        hints = get_type_hints(kind, include_extras=True)
        parts = {field.name: self.of(hints[field.name]) for field in fields if field.name not in given}
        needed = [field.name for field in fields if self.needed(field) and field.name not in given]
        return closed({**given, **parts}, [*given, *needed])

    def _list(self, items: tuple[Kind, ...]) -> Schema:
        if len(items) == 1 or items[1] is Ellipsis:
            return {"type": "array", "items": self.of(items[0])}
        parts: list[Json] = [self.of(kind) for kind in items]
        return {"type": "array", "prefixItems": parts, "minItems": len(items), "items": False}


def closed(parts: Mapping[str, Json], needed: Iterable[str]) -> Schema:
    """An object of these properties and of no other."""
    return {
        "type": "object",
        "properties": dict(parts),
        "required": sorted(needed),
        "additionalProperties": False,
    }
