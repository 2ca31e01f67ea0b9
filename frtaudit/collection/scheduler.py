"""The loop of a run: what arrived and what starts next stand on the disk before anything starts."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from queue import Empty, SimpleQueue

from frtaudit.collection.clients.gate import Budget, BudgetError
from frtaudit.collection.live import LiveLine
from frtaudit.collection.reader import Reader
from frtaudit.collection.rows import ImageRow, Key
from frtaudit.collection.store import Store
from frtaudit.collection.worker import CallResult, Inbox, Read, RetryEvent, ServiceWorker
from frtaudit.core.machine import signals
from frtaudit.errors import ProviderError

ReadOne = Callable[[ImageRow], None]


@dataclass(slots=True)
class _Arrived:
    """What the next commit takes, and what is told when it has."""

    results: list[CallResult] = field(default_factory=list)
    retries: list[RetryEvent] = field(default_factory=list)
    rows: list[ImageRow] = field(default_factory=list)


class Scheduler:
    """Keeps services busy. Each turn is one durable commit: as many calls can be lost as are in flight, and no more.

    A spent budget, an error or Ctrl-C stops what would start next; what is in flight is waited for and stored.
    ``tell``: a line for the user, at once.
    """

    def __init__(self, store: Store, budget: Budget, live: LiveLine, tell: Callable[[str], None]) -> None:
        self.store, self.budget, self.live, self._tell = store, budget, live, tell
        self.inbox: Inbox = SimpleQueue()
        self.stop: BaseException | None = None
        self._arrived = _Arrived()
        self._told: list[ServiceWorker] = []

    def run(
        self,
        workers: Sequence[ServiceWorker],
        reader: Reader | None = None,
        on_read: ReadOne = lambda _: None,
    ) -> None:
        """Until nothing is left to start and nothing is in flight. Raises what stopped it, after that.

        A service that is down ends its own calls; the others go on.
        """
        while self._turn(workers, reader, on_read):
            if signals.noted():  # what is in flight is waited for
                self.stop = self.stop or KeyboardInterrupt()
        signals.check()
        ended = self.stop or next((worker.down for worker in workers if worker.down is not None), None)
        if ended is not None:
            raise ended

    def _turn(self, workers: Sequence[ServiceWorker], reader: Reader | None, on_read: ReadOne) -> bool:
        starts = self._starts(workers)
        self._commit(starts)
        for worker, key in starts:
            worker.launch(key)
        if reader is not None and self.stop is None:
            reader.launch(max((len(worker.todo) for worker in workers if worker.down is None), default=0))
        if not any(worker.flying for worker in workers) and not (reader and reader.flying):
            return False
        with suppress(Empty):  # everything that arrived; the first of it is waited for
            message = self.inbox.get(timeout=0.5)
            while True:
                self._take(message, reader, on_read)
                message = self.inbox.get_nowait()
        self.live.show(self.budget.spent)
        others_go_on = any(worker.down is None for worker in workers)
        for worker in workers if others_go_on else ():
            if worker.down is not None and worker not in self._told:
                self._tell(str(worker.down))
                self._told.append(worker)
        return True

    def _starts(self, workers: Sequence[ServiceWorker]) -> list[tuple[ServiceWorker, Key]]:
        starts: list[tuple[ServiceWorker, Key]] = []
        for worker in workers if self.stop is None else ():
            try:
                for key in worker.starts():  # what was paid for before the budget was spent starts
                    starts.append((worker, key))  # noqa: PERF401  a list made at once would be lost with the error
            except BudgetError as stop:
                self.stop = stop
        return starts

    def _commit(self, starts: Sequence[tuple[ServiceWorker, Key]]) -> None:
        arrived = self._arrived
        if not (starts or arrived.results or arrived.retries or arrived.rows):
            return
        paid: Counter[tuple[int, str, str]] = Counter(_price(worker, key.kind) for worker, key in starts)
        paid.update(_price(event.worker, event.kind) for event in arrived.retries)
        paid.subtract(_price(result.worker, result.key.kind) for result in arrived.results if not result.used)
        self.store.commit(
            [result.result for result in arrived.results if result.result is not None],
            [key for _, key in starts],
            arrived.rows,
            [result.key for result in arrived.results if result.stopped is not None],
            paid,
            [row for result in arrived.results if (row := result.worker.handles_of(result)) is not None],
            Counter(event.worker.number for event in arrived.retries if event.renews),
        )
        self._arrived = _Arrived()
        for retry in arrived.retries:
            retry.stored.set()

    def _take(self, message: CallResult | RetryEvent | Read, reader: Reader | None, on_read: ReadOne) -> None:
        if isinstance(message, RetryEvent):
            self._arrived.retries.append(message)
        elif isinstance(message, Read):
            self._arrived.rows.append(message.row)
            if reader is not None:
                reader.flying -= 1
            on_read(message.row)
        else:
            self._call_ended(message)

    def _call_ended(self, ended: CallResult) -> None:
        self._arrived.results.append(ended)
        ended.worker.call_ended(ended)
        if not ended.used:
            self.budget.give_back(_exact(ended.worker, ended.key.kind))
        stopped = None if isinstance(ended.stopped, ProviderError) else ended.stopped  # its service is down
        self.stop = self.stop or stopped or ended.error
        self.live.done += ended.result is not None


def _exact(worker: ServiceWorker, kind: str) -> Fraction:
    return worker.gate.rate_limiter.price(kind)


def _price(worker: ServiceWorker, kind: str) -> tuple[int, str, str]:
    return (worker.number, kind, str(_exact(worker, kind)))
