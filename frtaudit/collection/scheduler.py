"""The loop of a sitting: what arrived and what starts next stand on the disk before anything starts."""

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

    landed: list[CallResult] = field(default_factory=list)
    again: list[RetryEvent] = field(default_factory=list)
    rows: list[ImageRow] = field(default_factory=list)


class Scheduler:
    """Keeps lanes busy. Each turn is one durable commit: as many calls can be lost as are in flight, and no more.

    A spent budget, an error or Ctrl-C stops what would start next; what is in flight is waited for and stored.
    ``say``: a line for the user, at once.
    """

    def __init__(self, store: Store, purse: Budget, live: LiveLine, say: Callable[[str], None]) -> None:
        self.store, self.purse, self.live, self._say = store, purse, live, say
        self.inbox: Inbox = SimpleQueue()
        self.stop: BaseException | None = None
        self._arrived = _Arrived()
        self._told: list[ServiceWorker] = []

    def run(
        self, lanes: Sequence[ServiceWorker], reader: Reader | None = None, on_read: ReadOne = lambda _: None
    ) -> None:
        """Until nothing is left to start and nothing is in flight. Raises what stopped it, after that.

        A service that is down ends its own calls; the others go on.
        """
        while self._turn(lanes, reader, on_read):
            if signals.noted():  # what is in flight is waited for
                self.stop = self.stop or KeyboardInterrupt()
        signals.check()
        ended = self.stop or next((lane.down for lane in lanes if lane.down is not None), None)
        if ended is not None:
            raise ended

    def _turn(self, lanes: Sequence[ServiceWorker], reader: Reader | None, on_read: ReadOne) -> bool:
        starts = self._starts(lanes)
        self._commit(starts)
        for lane, key in starts:
            lane.launch(key)
        if reader is not None and self.stop is None:
            reader.launch(max((len(lane.todo) for lane in lanes if lane.down is None), default=0))
        if not any(lane.flying for lane in lanes) and not (reader and reader.flying):
            return False
        self._drain(reader, on_read)
        self._tell(lanes)
        return True

    def _tell(self, lanes: Sequence[ServiceWorker]) -> None:
        """A service that is down is told of at once, where others go on."""
        for lane in lanes:
            if lane.down is not None and lane not in self._told and any(one.down is None for one in lanes):
                self._say(str(lane.down))
                self._told.append(lane)

    def _starts(self, lanes: Sequence[ServiceWorker]) -> list[tuple[ServiceWorker, Key]]:
        starts: list[tuple[ServiceWorker, Key]] = []
        for lane in lanes if self.stop is None else ():
            try:
                for key in lane.starts():  # what was paid for before the purse was empty starts
                    starts.append((lane, key))  # noqa: PERF401  a list made at once would be lost with the error
            except BudgetError as stop:
                self.stop = stop
        return starts

    def _commit(self, starts: Sequence[tuple[ServiceWorker, Key]]) -> None:
        arrived = self._arrived
        if not (starts or arrived.landed or arrived.again or arrived.rows):
            return
        paid: Counter[tuple[int, str, str]] = Counter(_price(lane, key.kind) for lane, key in starts)
        paid.update(_price(one.lane, one.kind) for one in arrived.again)
        paid.subtract(_price(one.lane, one.key.kind) for one in arrived.landed if not one.used)
        self.store.commit(
            [one.result for one in arrived.landed if one.result is not None],
            [key for _, key in starts],
            arrived.rows,
            [one.key for one in arrived.landed if one.stopped is not None],
            paid,
            [row for one in arrived.landed if (row := one.lane.handles_of(one)) is not None],
        )
        self._arrived = _Arrived()
        for one in arrived.again:
            one.written.set()

    def _drain(self, reader: Reader | None, on_read: ReadOne) -> None:
        """Take everything that arrived; wait for the first of it."""
        with suppress(Empty):
            message = self.inbox.get(timeout=0.5)
            while True:
                self._take(message, reader, on_read)
                message = self.inbox.get_nowait()
        self.live.show(self.purse.spent)

    def _take(self, message: CallResult | RetryEvent | Read, reader: Reader | None, on_read: ReadOne) -> None:
        if isinstance(message, RetryEvent):
            self._arrived.again.append(message)
        elif isinstance(message, Read):
            self._arrived.rows.append(message.row)
            if reader is not None:
                reader.flying -= 1
            on_read(message.row)
        else:
            self._landed(message)

    def _landed(self, one: CallResult) -> None:
        self._arrived.landed.append(one)
        one.lane.landed(one)
        if not one.used:
            self.purse.give_back(_exact(one.lane, one.key.kind))
        stopped = None if isinstance(one.stopped, ProviderError) else one.stopped  # its lane is down
        self.stop = self.stop or stopped or one.error
        self.live.done += one.result is not None


def _exact(lane: ServiceWorker, kind: str) -> Fraction:
    return lane.gate.turnstile.price(kind)


def _price(lane: ServiceWorker, kind: str) -> tuple[int, str, str]:
    return (lane.number, kind, str(_exact(lane, kind)))
