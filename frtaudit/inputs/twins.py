"""Names that look alike and are not one: other Unicode forms, alike letters, unseen marks, case, leading zeros."""

import unicodedata
from collections.abc import Sequence

from frtaudit.errors import excerpt

_LOOKS = str.maketrans(
    "аеорсухіјѕһԁԛԝАВЕКМНОРСТУХІЈЅҮοανΑΒΕΖΗΙΚΜΝΟΡΤΥΧօ",  # noqa: RUF001  Cyrillic, Greek, Armenian
    "aeopcyxijshdqwABEKMHOPCTYXIJSYoavABEZHIKMNOPTYXo",
)
SHOWN = 3  # pairs in a sentence


def looks_of(name: str) -> str:
    r"""What a reader takes the name for: composed, lower case, Latin where letters look so, numbers without zeros.

    >>> looks_of("Zoe\u0308") == looks_of("Zo\u00eb"), looks_of("\u0430nna")
    (True, 'anna')
    >>> looks_of("Anna"), looks_of("007"), looks_of("7.0")
    ('anna', '7', '7')
    """
    if not name.isascii():
        plain = unicodedata.normalize("NFKC", name)
        name = "".join(mark for mark in plain if unicodedata.category(mark) != "Cf").translate(_LOOKS)
    number = name.removesuffix(".0")
    return number.lstrip("0") or "0" if number.isdecimal() else name.casefold()


def twins(names: Sequence[str]) -> list[tuple[int, int]]:
    r"""Pairs of places in ``names`` whose names differ and look alike, the first place of each look with each other.

    >>> twins(["anna", "b", "\u0430nna", "b"])
    [(0, 2)]
    """
    first: dict[str, int] = {}
    befores = [first.setdefault(looks_of(name), place) for place, name in enumerate(names)]
    return [(before, place) for place, before in enumerate(befores) if names[before] != names[place]]


def twin_notes(names: Sequence[str], what: str) -> tuple[str, ...]:
    r"""A sentence where ids look alike; it names places among the sorted ids, not the ids.

    >>> twin_notes(["anna", "\u0430nna"], "subject")[0]
    '1 subject id looks like another (places 1 and 2 of the sorted ids): check that they are two'
    """
    pairs = twins(sorted(set(names)))
    if not pairs:
        return ()
    shown = "; ".join(f"{number + 1} and {other + 1}" for number, other in pairs[:SHOWN])
    more = f", and {len(pairs) - SHOWN} more" if len(pairs) > SHOWN else ""
    ids, check = (
        ("id looks like another", "two") if len(pairs) == 1 else ("ids look like others", "different")
    )
    return (
        f"{len(pairs)} {what} {ids} (places {shown}{more} of the sorted ids): check that they are {check}",
    )


def class_notes(schema: str, classes: Sequence[str]) -> tuple[str, ...]:
    """A sentence for the first classes that look alike.

    >>> class_notes("gender", ["Female", "Male", "male"])
    ("schema gender: classes 'Male' and 'male' look alike: check that they are two",)
    """
    pairs = [(excerpt(classes[first]), excerpt(classes[second])) for first, second in twins(classes)[:SHOWN]]
    return tuple(
        f"schema {schema}: classes {first} and {second} look alike: check that they are two"
        for first, second in pairs
    )
