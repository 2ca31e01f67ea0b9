"""Whether a folder goes on with the collection that it holds: the same spec, the same images."""

import json
from collections.abc import Sequence

from frtaudit.collection.clients.protocol import SourceImage
from frtaudit.collection.store import Store
from frtaudit.core.canonical import Json, digest, dumps, mapping
from frtaudit.errors import DataError

LISTED, CURRENCY = "listed", "currency"


def same_collection(store: Store, spec: dict[str, Json]) -> None:
    """Raise :class:`DataError` for a folder that holds another collection; a new one takes this."""
    text, known = dumps(spec), store.meta("spec")
    if known is None:
        store.note("spec", text)
    elif known != text and dumps(before := _with_present_key(json.loads(known))) != text:
        place = _difference(before, json.loads(text), "")
        problem = f"the folder holds a collection with another {place}"
        raise DataError("into", problem, "the same spec, or another folder")


def same_currency(store: Store, currency: str) -> None:
    """Raise :class:`DataError` where something was spent in another currency; earlier stores do not know it."""
    known = store.meta(CURRENCY)
    if known == currency:
        return
    if known is not None and store.spent():
        raise DataError("budget.currency", f"{currency}, but the folder's calls were paid in {known}", known)
    store.note(CURRENCY, currency)


def same_images(store: Store, founds: Sequence[SourceImage]) -> None:
    """Raise :class:`DataError` where a source lists other images than at first; nothing listed asks nothing.

    The store knows images by their numbers: of the list it keeps a digest and the length.
    """
    if not founds:
        return
    listed: list[Json] = [
        [image.query, str(image.address), dict(sorted(image.columns.items()))] for image in founds
    ]
    known, now = store.meta(LISTED), f"{digest(listed)} {len(listed)}"
    if known is None:
        store.note(LISTED, now)
    elif known != now:
        then = int(known.rpartition(" ")[2])
        how = (
            f"{len(listed)} images, and {then}" if then != len(listed) else f"{then} images, but others than"
        )
        problem = f"it lists {how} when this collection began"
        raise DataError("source", problem, "the same images, or another folder")


def _with_present_key(spec: dict[str, Json]) -> dict[str, Json]:
    """A stored spec with the key of today: ``asked`` of a service became ``recorded_settings``."""
    for service in mapping(spec.get("services")).values():
        if isinstance(service, dict) and "asked" in service:
            service["recorded_settings"] = service.pop("asked")
    return spec


def _difference(first: object, other: object, at: str) -> str:
    """Where two plain values first differ."""
    if isinstance(first, dict) and isinstance(other, dict):
        for key in sorted({*first, *other}):
            if first.get(key) != other.get(key):
                return _difference(first.get(key), other.get(key), f"{at}.{key}" if at else str(key))
    return at or "spec"
