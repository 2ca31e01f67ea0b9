"""Whether a folder goes on; what a run says of it is in test_run.py."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from frtaudit.collection.clients.protocol import SourceImage
from frtaudit.collection.same import same_collection, same_currency, same_images
from frtaudit.collection.store import Store
from frtaudit.errors import DataError


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty one."""
    with closing(Store(tmp_path / "s")) as store:
        yield store


def found(*addresses: str) -> list[SourceImage]:
    """Images of one query."""
    return [SourceImage(query=0, place="", columns={"group": "a"}, address=one) for one in addresses]


def test_another_spec_is_named_by_where_it_differs(store: Store) -> None:
    """The first spec is the folder's; the same one goes on, another is refused at the first place that differs."""
    same_collection(store, {"seed": 1, "source": {"limit": 3}})
    same_collection(store, {"source": {"limit": 3}, "seed": 1})
    with pytest.raises(DataError, match=r"into: .* another source\.limit; accepted: the same spec"):
        same_collection(store, {"seed": 1, "source": {"limit": 4}})


def test_a_spec_of_before_is_the_same(store: Store) -> None:
    """What a service says it is asked with stood under ``asked`` once; another value is another collection."""
    store.note("spec", '{"seed":1,"services":{"acme":{"asked":{"model":"m1"},"seed":2}}}')
    service = {"seed": 2, "recorded_settings": {"model": "m1"}}
    same_collection(store, {"seed": 1, "services": {"acme": service}})
    with pytest.raises(DataError, match=r"another services\.acme\.recorded_settings\.model;"):
        same_collection(
            store, {"seed": 1, "services": {"acme": {**service, "recorded_settings": {"model": "m2"}}}}
        )


def test_the_list_of_images_is_known_by_its_digest(store: Store) -> None:
    """No address is kept; another number, order or column is another list; no list asks nothing."""
    same_images(store, found("there/one", "there/two"))
    same_images(store, found("there/one", "there/two"))
    same_images(store, [])
    assert "there" not in str(store.meta("listed"))
    with pytest.raises(DataError, match="it lists 1 images, and 2 when this collection began"):
        same_images(store, found("there/one"))
    with pytest.raises(DataError, match="it lists 2 images, but others than when"):
        same_images(store, found("there/two", "there/one"))


def test_what_was_spent_keeps_its_currency(store: Store) -> None:
    """A sum of dollars is never said to be euros; before anything is paid the currency may change."""
    for currency in ("USD", "EUR", "EUR"):
        same_currency(store, currency)
    store.commit([], [], paid={(0, "compare", "0.001"): 3})
    same_currency(store, "EUR")
    with pytest.raises(DataError, match=r"budget\.currency: USD, but .* paid in EUR; accepted: EUR$"):
        same_currency(store, "USD")
