"""``frtaudit collect``: from a spec to a folder that an audit reads; ended at any moment, it goes on where it was."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from frtaudit.collection.alike import alike
from frtaudit.collection.canaries import drawn, turns_of
from frtaudit.collection.chosen import BEYOND, Chosen, chosen
from frtaudit.collection.clients.addresses import REASONS
from frtaudit.collection.clients.gate import Budget, BudgetError, RateLimiter, exactly, money
from frtaudit.collection.detected_faces import faces_of
from frtaudit.collection.export import IMAGES, RUNS, RUNS_BEFORE, check_files, export, write_runs
from frtaudit.collection.image_cache import ImageCache
from frtaudit.collection.live import LiveLine
from frtaudit.collection.notes import KeptNotes, forget
from frtaudit.collection.order import Order, recall
from frtaudit.collection.plan import canary_calls, plan_of_source, unpriced
from frtaudit.collection.reach import Reach, beyond
from frtaudit.collection.reader import Reader
from frtaudit.collection.rows import FINDING, PLACES, ImageRow, Key, State
from frtaudit.collection.same import same_collection, same_currency, same_images
from frtaudit.collection.scheduler import Scheduler
from frtaudit.collection.single import Pair, candidates, looked_for, open_pairs, told_by
from frtaudit.collection.spec import CollectionSpec, identity
from frtaudit.collection.store import Store
from frtaudit.collection.worker import ServiceWorker, for_all
from frtaudit.core.canonical import dumps
from frtaudit.core.collecting import Box, Refusal
from frtaudit.core.machine import signals
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.text.formatting import counted
from frtaudit.errors import DataError, FrtauditError, ProviderError
from frtaudit.inputs.places import COLLECTION, STORE

SHOWN = 5  # refused images that are told one by one
FROZEN, ALIKE, COMPLETE, LOOKED = "frozen", "alike", "complete", "looked"
TRANSPORT = str(Refusal.TRANSPORT)
_ENDING = {"image/jpeg": "jpg", "image/png": "png"}

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionStatus:
    """``complete``: every call has a result or a stated failure; ``stopped``: by what; ``summary``: lines for the user.

    ``readable``: an audit may read it: finished, or as far as the budget of a partial one reached.
    """

    complete: bool
    stopped: FrtauditError | None
    readable: bool
    summary: tuple[str, ...]


def collect(spec: CollectionSpec, tell: Say = lambda _: None, *, pay_again: bool = False) -> CollectionStatus:
    """Go on with a collection until it is finished, the budget is spent, or images could not be looked at.

    ``pay_again``: also where the folder holds what was collected, and its store is gone.
    Raises a :class:`~frtaudit.errors.FrtauditError` in one line: no credentials, a budget below the plan, a folder
    that cannot be written or that holds another collection, nothing to compare.
    """
    into = Path(spec.into)
    fresh, there = not (into / STORE).exists(), into.exists()
    if fresh and not pay_again:
        _refuse_to_pay_again(spec)
    run = CollectionRun(spec, tell)
    try:
        if run.store.untouched and not pay_again:
            _refuse_to_pay_again(spec)
        with signals.listening():
            return run.run()
    except FrtauditError:
        if fresh and run.store.untouched:
            run.store.remove(keep_folder=there)
        raise
    finally:
        run.close()


def _refuse_to_pay_again(spec: CollectionSpec) -> None:
    """Raise :class:`DataError` where calls were paid for in a folder whose store knows of none."""
    lists = (f"{name}.parquet" for name in spec.services)
    files = [name for name in (COLLECTION, RUNS, RUNS_BEFORE, *lists) if (Path(spec.into) / name).exists()]
    if files:
        text = (
            f"{STORE} is missing or empty, but {files[0]} exists: every call would be made and paid for again"
        )
        raise DataError("into", text, f"{STORE} put back, another folder, or --pay-again")


class UnseenError(DataError):
    """Images that could not be read or looked at because of transport errors; the next run asks for them again."""


class CollectionRun:
    """One run of a collection: look at every image, choose faces and pairs once and for all, compare."""

    def __init__(self, spec: CollectionSpec, tell: Say) -> None:
        self.spec, self._tell_user = spec, tell
        self.into = Path(spec.into)
        self.store = Store(self.into / STORE)
        self.live = LiveLine(spec.budget)
        limit = spec.budget.limit
        self.budget = Budget(limit=None if limit is None else Fraction(str(limit)))
        self.scheduler = Scheduler(self.store, self.budget, self.live, self.tell)
        self.cache = ImageCache(spec.source)
        self.workers: list[ServiceWorker] = []
        self.readers: list[Reader] = []
        self.unread: set[int] = set()

    def close(self) -> None:
        """Let threads, connections and the folder go."""
        for reader in self.readers:
            reader.close()
        for worker in self.workers:
            worker.close()
        self.store.close()
        self.live.clear()

    def tell(self, line: str) -> None:
        """A line of its own."""
        self.live.clear()
        self._tell_user(line)

    def run(self) -> CollectionStatus:
        """The whole of it."""
        same_collection(self.store, identity(self.spec))
        same_currency(self.store, self.spec.budget.currency)
        check_files(self.into, self.spec)
        lost = self.store.begin()
        if lost:
            names = sorted(self.spec.services)
            each = ", ".join(f"{names[number]} {kind} {n}" for (number, kind), n in sorted(lost.items()))
            when = f"had no result on the disk when the last run ended ({each})"
            self.tell(f"{counted(sum(lost.values()), 'call')} {when}: made again")
        self.budget.spent = self.store.spent()
        for_all(self._open, enumerate(sorted(self.spec.services)))
        if self.store.meta(FROZEN) is None:
            self._begin()
        if self.store.meta(COMPLETE) is None:
            for_all(ServiceWorker.check, self.workers)
            notes = KeptNotes(self.store, self.budget, self.spec.source.paid)
            try:
                self.cache.found = list(self.spec.source.finds(notes))
            except BudgetError as stop:
                return self._end(None, stop)
        same_images(self.store, self.cache.found)
        self.cache.digests = {row.image: row.digest for row in self.store.images() if row.digest}
        selection, stopped = None, None
        try:
            if self.store.meta(FROZEN) is None:
                self._look()
            selection = self._chosen()
            self._freeze(selection)
            self._compare(selection)
        except (BudgetError, ProviderError, UnseenError) as stop:
            stopped = stop
        return self._end(selection, stopped)

    def _open(self, numbered: tuple[int, str]) -> None:
        """A service; its number in the store is its place in the order of their names."""
        number, name = numbered
        service = self.spec.services[name]
        gate = RateLimiter(limits=service.limits, budget=self.budget)
        self.workers.append(ServiceWorker(number, name, service, gate, self.cache, self.scheduler.inbox))

    def _begin(self) -> None:
        """Say what to know; before a call is made refuse a budget below the plan, and what the plan itself refuses."""
        for caution in (*self.spec.source.cautions(), *unpriced(self.spec)):
            self.tell(caution)
        limit, price = self.budget.limit, plan_of_source(self.spec).price
        if limit is not None and price > limit and not self.spec.budget.partial:
            text = f"{exactly(limit)} {self.spec.budget.currency}, and the plan costs {exactly(price)}"
            accepted = "a higher limit, or budget.partial=true to collect as much as it allows"
            raise DataError("budget.limit", text, accepted)

    # ---------------------------------------------------------------------------- looking at images
    def _look(self) -> None:
        """Look at images of every query, or of those that a partial budget reaches for; find those that are alike."""
        self.reach = Reach(self.store, self.spec, self.budget, self.cache.found)
        if not self.reach.taken:
            self.reach.extend()
        self._look_at_queries()
        while self.reach.extend():
            self._look_at_queries()
        read = [(row.image, row.query) for row in self.store.images() if not row.refusal]
        gone = alike(self.spec.duplicates, read, self.cache.get, self._boxes())
        self.store.note(ALIKE, dumps({str(image): reason for image, reason in gone.items()}))

    def _look_at_queries(self) -> None:
        """Read every image and have every service look at it; what failed because of transport errors once more.

        Raises :class:`UnseenError` where it fails still, in the first run that comes so far; and in each one where
        no image could be read, or a service looked at none: that is a fault of its settings, or a service that is down.
        """
        left = self._look_once() and self._look_once()
        if len(self.unread) > SHOWN:
            self.tell(f"{len(self.unread)} images could not be read in all")
        read = [row for row in self.store.images() if not row.refusal]
        results = [self._looked(worker) for worker in self.workers]
        # no image was read, or a service has given no result for any
        silent = not read or not all(any(why != TRANSPORT for why, _ in result) for result in results)
        if left and (silent or self.store.meta(LOOKED) is None):
            self.store.note(LOOKED, "1")
            text = f"not read or processed because of transport errors: {self._why()}"
            then = "" if silent else ", then continues without those that still fail"
            raise UnseenError("collection", text, f"the same command: it tries again{then}")

    def _looked(self, worker: ServiceWorker) -> dict[tuple[str, str], int]:
        return looked_for(self.store, worker.number, self.spec.least, detects=worker.service.detects)

    def _failed(self, worker: ServiceWorker) -> Counter[str]:
        """Codes of the calls that look for faces and failed because of transport errors."""
        looked = self._looked(worker).items()
        return Counter({code: n for (refusal, code), n in looked if refusal == TRANSPORT})

    def _why(self) -> str:
        """What failed because of transport errors: of the source and each service, the codes and how often."""
        failed = Counter(("source", row.code) for row in self.store.images() if row.refusal == TRANSPORT)
        for worker in self.workers:
            failed.update({(f"services.{worker.name}", code): n for code, n in self._failed(worker).items()})
        return ", ".join(f"{where} {code} {n} times" for (where, code), n in sorted(failed.items()))

    def _look_once(self) -> int:
        """How often an image could not be read or looked at because of transport errors."""
        known = {row.image: row for row in self.store.images()}
        looking = [worker for worker in self.workers if worker.service.detects]
        done = {
            worker.name: {image for image, _ in self.store.detection_facts(worker.number)}
            for worker in looking
        }
        numbers = self.reach.images()
        unread = [image for image in numbers if image not in known or known[image].refusal == TRANSPORT]
        for worker in self.workers:
            worker.failed_before |= self.store.failed_to_look(worker.number)
        for worker in looking:
            there = [image for image, row in known.items() if not row.refusal]
            ready = [image for image in there if image not in done[worker.name]]
            worker.todo.extend(Key(worker.number, 0, image * PLACES, 0) for image in ready)
        self.live.begin("looking at images", sum(map(len, done.values())), len(looking) * len(numbers))

        def on_read(row: ImageRow) -> None:
            self._was_read(row)
            for worker in looking:
                if not row.refusal and row.image not in done[worker.name]:
                    worker.todo.append(Key(worker.number, 0, row.image * PLACES, 0))

        self.readers.append(Reader(unread, self.cache, self.scheduler.inbox))
        self.scheduler.run(looking, self.readers[-1], on_read)
        unread = [row.image for row in self.store.images() if row.refusal == TRANSPORT]
        self._find_singles()
        return len(unread) + sum(self._failed(worker).total() for worker in self.workers)

    def _find_singles(self) -> None:
        """Have services without a call that finds faces find them by comparing, round by round; each pair once."""
        workers = [worker for worker in self.workers if not worker.service.detects]
        queries = candidates(self.store.images(), self.spec.least)
        tried: dict[int, dict[Pair, None]] = {worker.number: {} for worker in workers}
        while True:
            for worker in workers:
                results = tried[worker.number] | told_by(self.store, worker.number)
                pairs = [pair for images in queries for pair in open_pairs(images, results)]
                tried[worker.number] |= dict.fromkeys(pairs)
                ends = ((number * PLACES, other * PLACES) for number, other in pairs)
                worker.todo.extend(Key(worker.number, FINDING, *pair) for pair in ends)
            if not any(worker.todo for worker in workers):
                return
            self.live.begin("finding faces by comparing", 0, sum(len(worker.todo) for worker in workers))
            self.scheduler.run(workers)

    def _boxes(self) -> dict[int, Box]:
        """The face of each image in which the first service that says where found one."""
        boxes: dict[int, Box] = {}
        for worker in self.workers:
            for image, _, _, facts in self.store.detections(worker.number):
                faces, _ = faces_of(facts)
                if len(faces) == 1 and faces[0].box is not None:
                    boxes.setdefault(image, faces[0].box)
        return boxes

    def _was_read(self, row: ImageRow) -> None:
        if row.refusal:
            if row.image not in self.unread and len(self.unread) < SHOWN:
                why = f": {REASONS[row.code]}" if row.code in REASONS else ""
                self.tell(f"{self.cache.found[row.image - 1].place}: {row.code}{why}")
            self.unread.add(row.image)
            return
        self.unread.discard(row.image)
        self.cache.digests[row.image] = row.digest
        if self.spec.keep_images:
            picture = self.cache.get(row.image)
            OutputFolder(self.into).replace(f"{IMAGES}/{row.digest}.{_ENDING[picture.media]}", picture.data)

    # ---------------------------------------------------------------------------- comparing
    def _chosen(self) -> Chosen:
        gone = json.loads(self.store.meta(ALIKE) or "{}")
        selection = chosen(self.store, self.spec, {int(image): reason for image, reason in gone.items()})
        missed = beyond(self.store)
        return replace(selection, left_out={**selection.left_out, BEYOND: missed}) if missed else selection

    def _freeze(self, selection: Chosen) -> None:
        """From here on faces and pairs stay; what found faces by comparing is not asked for again."""
        if self.store.meta(FROZEN) is not None:
            return
        for worker in self.workers:
            crops = set(selection.crops[worker.name].tolist())
            results = list(self.store.finding(worker.number))
            pairs = [(first, second) for first, second, state, *_ in results if state is not State.TRANSPORT]
            self.store.adopt(worker.number, [pair for pair in pairs if crops.issuperset(pair)])
        self.store.note(FROZEN, "1")

    def _compare(self, selection: Chosen) -> None:
        pairs = selection.pairs.shape[1]
        each = pairs + canary_calls(self.spec, pairs)
        done = sum(self.store.compared(worker.number) for worker in self.workers)
        self.live.begin("comparing", done, each * len(self.workers))
        canaries = drawn(selection, self.spec.canaries, self.spec.seed)
        orders = [Order(self.store, worker, selection, canaries, self.spec) for worker in self.workers]
        for order in orders:
            recall(order.worker, self.store)
            order.worker.calls = order.calls()
        if not self.spec.budget.partial:
            self.scheduler.run(self.workers)
            return
        self.budget.reserved = sum((order.canaries_price() for order in orders), Fraction(0))
        try:
            self.scheduler.run(self.workers)
        except BudgetError as stop:  # calls were made again: what was reserved completes the canaries
            self.budget.reserved, self.scheduler.stop = Fraction(0), None
            for order in orders:
                order.worker.drop()
                order.worker.calls = order.calls(pairs=False)
            self.scheduler.run(self.workers)
            raise stop from None

    def _end(self, selection: Chosen | None, stopped: FrtauditError | None) -> CollectionStatus:
        last = turns_of(self.spec.canaries, self.spec.canaries.rounds - 1)
        if stopped is None and not any(self.store.open(worker.number, last) for worker in self.workers):
            # Every call has a result that stays: no address and no handle is needed any more.
            forget(self.store)
            self.store.note(COMPLETE, "1")
        write_runs(self.into, self.store, self.spec)
        summary = [f"spent {money(self.store.spent())} {self.spec.budget.currency}"]
        partial = self.spec.budget.partial and isinstance(stopped, BudgetError)
        readable = selection is not None and (stopped is None or partial)
        if selection is not None and readable:
            notes = export(self.into, self.store, self.spec, selection, finished=stopped is None)
            summary = [*notes, *summary]
        complete, lines = stopped is None, tuple(summary)
        return CollectionStatus(complete=complete, stopped=stopped, readable=readable, summary=lines)
