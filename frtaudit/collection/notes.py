"""What a source's own paid calls were answered: kept while a collection goes on, so that none is paid for twice."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from frtaudit.collection.clients.gate import Budget
from frtaudit.collection.store import Store

SOURCE = -1  # the source's number among services
_PREFIX = "answer of the source "


class KeptNotes:
    """Notes in the store; each call is paid for from the collection's budget, on the disk before it is made.

    Answers hold addresses: :func:`forget` takes them out when nothing needs an image any more.
    """

    def __init__(self, store: Store, budget: Budget, prices: Mapping[str, float]) -> None:
        self._store, self._budget, self._prices = store, budget, prices

    def answer(self, kind: str, key: str, ask: Callable[[], str]) -> str:
        """See ``Notes``. Raises ``BudgetError``."""
        known = self._store.meta(_PREFIX + key)
        if known is not None:
            return known
        price = Fraction(str(self._prices.get(kind, 0.0)))
        self._budget.take(price)
        self._store.commit([], [], paid={(SOURCE, kind, str(price)): 1})
        answer = ask()
        self._store.note(_PREFIX + key, answer)
        return answer


def forget(store: Store) -> None:
    """Take out every answer of the source, and every handle of a face."""
    store.forget(_PREFIX)
