"""Ids that look the same and are not: other Unicode forms, letters of other scripts, marks that nobody sees."""

import unicodedata
from collections.abc import Sequence

_LOOKS = str.maketrans(
    "аеорсухіјѕһԁԛԝАВЕКМНОРСТУХІЈЅҮοανΑΒΕΖΗΙΚΜΝΟΡΤΥΧօ",  # noqa: RUF001  Cyrillic, Greek, Armenian
    "aeopcyxijshdqwABEKMHOPCTYXIJSYoavABEZHIKMNOPTYXo",
)
SHOWN = 3  # pairs in a sentence


def looks_of(name: str) -> str:
    r"""What a reader takes the name for: composed, in Latin letters where others look like them, without unseen marks.

    >>> looks_of("Zoe\u0308") == looks_of("Zo\u00eb"), looks_of("\u0430nna")
    (True, 'anna')
    """
    plain = unicodedata.normalize("NFKC", name)
    return "".join(mark for mark in plain if unicodedata.category(mark) != "Cf").translate(_LOOKS)


def twins(names: Sequence[str]) -> list[tuple[int, int]]:
    r"""Pairs of places in ``names`` whose names differ and look alike, the first place of each look with each other.

    >>> twins(["anna", "b", "\u0430nna", "b"])
    [(0, 2)]
    """
    if all(name.isascii() for name in names):
        return []
    first: dict[str, int] = {}
    befores = [first.setdefault(looks_of(name), place) for place, name in enumerate(names)]
    return [(before, place) for place, before in enumerate(befores) if names[before] != names[place]]


def twin_notes(names: Sequence[str], what: str) -> tuple[str, ...]:
    r"""A sentence where ids look alike; it names places among the sorted ids, not the ids.

    >>> twin_notes(["anna", "\u0430nna"], "subject")[0]
    '1 subject id looks the same as another and is not (places 1 and 2 of the sorted ids): check that they are two'
    """
    pairs = twins(sorted(set(names)))
    if not pairs:
        return ()
    shown = "; ".join(f"{number + 1} and {other + 1}" for number, other in pairs[:SHOWN])
    more = f", and {len(pairs) - SHOWN} more" if len(pairs) > SHOWN else ""
    count = f"{len(pairs)} {what} id looks" if len(pairs) == 1 else f"{len(pairs)} {what} ids look"
    others = ("another and is not", "two") if len(pairs) == 1 else ("others and are not", "different")
    return (
        f"{count} the same as {others[0]} (places {shown}{more} of the sorted ids): check that they are {others[1]}",
    )
