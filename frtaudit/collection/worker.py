"""The calls of one service: a few in flight at once, in their order, each with what the service needs to answer it."""

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from queue import SimpleQueue
from typing import TypeAlias, TypeVar

from frtaudit.collection.clients.gate import BudgetError, RateLimiter
from frtaudit.collection.clients.protocol import Service, Session
from frtaudit.collection.detected_faces import faces_in, facts_in, handles_in, same_face_now, with_handles
from frtaudit.collection.image_cache import ImageCache
from frtaudit.collection.rows import (
    COMPARE,
    DETECT,
    PLACES,
    HandleRow,
    ImageRow,
    Key,
    Result,
    State,
    facts_of,
    plain_id,
    plain_version,
)
from frtaudit.collection.spec import named
from frtaudit.core.collecting import Answer, CallError, Crop, DetectedFace, Detection, Refusal
from frtaudit.errors import FrtauditError, ProviderError

T = TypeVar("T")
DOWN = 20  # calls in a row that fail because of transport errors, with all attempts: the service is down
PARKED = 2  # comparisons that wait for a handle, for each call in flight


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """A call that ended: with a ``result``; without one where it was ``stopped`` or by an ``error``.

    ``stopped``: the budget is spent, or a service answers nobody any more: nothing was asked that has an answer.
    """

    worker: "ServiceWorker"
    key: Key
    used: bool
    result: Result | None = None
    stopped: FrtauditError | None = None
    error: Exception | None = None
    detection: Detection | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryEvent:
    """A further attempt, which waits until it stands on the disk; ``call``: the kind of call that makes it."""

    worker: "ServiceWorker"
    kind: str
    call: str
    stored: threading.Event = field(default_factory=threading.Event)

    @property
    def renews(self) -> bool:
        """Whether it looks for faces within a comparison, because a handle has expired."""
        return (self.call, self.kind) == (COMPARE, DETECT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """An image that was read, or why it was not."""

    row: ImageRow


Inbox: TypeAlias = "SimpleQueue[CallResult | RetryEvent | Read]"


@dataclass(slots=True)
class _Call:
    """What the thread of a call knows of its attempts; ``used``: whether it made the one that was paid beforehand."""

    kind: str
    attempts: int = 0
    used: bool = False


class CountedGate:
    """The gate of a service: the first attempt of a call was paid with its intent, each other one is written first."""

    def __init__(self, rate_limiter: RateLimiter, on_retry: Callable[[str, str], None]) -> None:
        self.rate_limiter, self._on_retry, self._local = rate_limiter, on_retry, threading.local()

    def enter(self, kind: str) -> _Call:
        """A call begins in this thread."""
        call = self._local.call = _Call(kind)
        return call

    def attempt(self, kind: str) -> None:
        """See :class:`frtaudit.collection.clients.protocol.Gate`."""
        call: _Call | None = getattr(self._local, "call", None)
        if call is not None and call.kind == kind and not call.used:
            self.rate_limiter.paid_attempt(kind)
            call.used = True
        else:
            self.rate_limiter.attempt(kind)
            self._on_retry(kind, kind if call is None else call.kind)
        if call is not None:
            call.attempts += 1


class ServiceWorker:
    """One service at work. Used in one thread, but for what the threads of its calls do."""

    def __init__(
        self,
        number: int,
        name: str,
        service: Service,
        rate_limiter: RateLimiter,
        cache: ImageCache,
        inbox: Inbox,
    ) -> None:
        self.number, self.name, self.service, self.inbox = number, name, service, inbox
        self.gate = CountedGate(rate_limiter, self._report_retry)
        with named(self.name):
            self.session: Session = service.open(self.gate)
        self.flying = 0
        self.down: ProviderError | None = None  # why it is asked for nothing more in this run
        self.failed_before: set[Key] = set()  # calls that failed in an earlier pass or run
        self.tired = False  # such calls fail again, and the others of them are left for another run
        self._in_a_row = {False: 0, True: 0}  # failures since a result that stays, of new calls and others
        self._answered = 0  # in this run
        self._refused: Counter[str] = Counter()  # in this run, by code; and since the last answer
        self._refused_in_a_row: Counter[str] = Counter()
        self.closed = threading.Event()
        self.todo: deque[Key] = deque()
        self.calls: Iterator[Key] = iter(())
        self.detected: dict[int, DetectedFace] = {}  # by crop: what the service saw first
        self.handled: set[int] = set()  # images that it gave a handle of
        self.turns = 0
        # by image: handles, and until when they hold
        self._fresh: dict[int, tuple[tuple[DetectedFace, ...], float]] = {}
        self._lost: dict[int, CallError] = {}
        self._renewing: set[int] = set()
        self._parked: list[Key] = []
        self._cache = cache
        self._pool = ThreadPoolExecutor(service.limits.concurrency, thread_name_prefix=name)

    def close(self) -> None:
        """Let threads and connections go."""
        self.closed.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self.session.close()

    def check(self) -> None:
        """Raises :class:`ProviderError` where the service refuses the account; not all can tell before a call."""
        with named(self.name):
            getattr(self.session, "check", lambda: None)()

    # ---------------------------------------------------------------------------- what comes next
    def starts(self) -> Iterator[Key]:
        """Calls for the free places, as far as they are known; each is paid for here. Raises :class:`BudgetError`."""
        free = 0 if self.down else self.service.limits.concurrency - self.flying
        for _ in range(free):
            key = self._next()
            if key is None:
                return
            try:
                price = self.gate.rate_limiter.price(key.kind)
                self.gate.rate_limiter.budget.take(price, canary=key.kind == COMPARE and key.turn > 0)
            except BudgetError:
                self.todo.appendleft(key)
                raise
            yield key

    def drop(self) -> None:
        """Forget the calls that wait."""
        self.todo.clear()
        self._parked.clear()

    def _next(self) -> Key | None:
        while self.todo:
            key = self.todo.popleft()
            if not (self.tired and key in self.failed_before):
                return key
        for place, key in enumerate(self._parked):
            if self._holds(key):
                return self._parked.pop(place)
        while not self.todo and len(self._parked) < PARKED * self.service.limits.concurrency:
            following = next(self.calls, None)
            if following is None or self._holds(following):
                return following
            self._parked.append(following)
        return self.todo.popleft() if self.todo else None  # an image to be looked at again

    def _holds(self, key: Key) -> bool:
        """Whether the service knows both faces of a comparison; where it does not, it is to look at them again.

        It does not where a handle expired, or another run had it.
        """
        now = time.monotonic()
        images = ({key.first // PLACES, key.second // PLACES} & self.handled) - self._lost.keys()
        missing = {image for image in images if image not in self._fresh or self._fresh[image][1] <= now}
        for image in sorted(missing - self._renewing):
            self._renewing.add(image)
            self.turns += 1
            self.todo.append(Key(self.number, self.turns, image * PLACES, 0))
        return not missing

    # ---------------------------------------------------------------------------- a call
    def launch(self, key: Key) -> None:
        """Make a call in a thread of its own; its end arrives in the inbox."""
        self.flying += 1
        self._pool.submit(self._work, key)

    def _work(self, key: Key) -> None:
        call = self.gate.enter(key.kind)
        result, detection = Result(key=key, state=State.ANSWERED), None
        try:
            with named(self.name):
                if key.kind == COMPARE:
                    answer = self._compared(key)
                    version, request, facts = answer.version, answer.request, facts_of(answer.facts)
                    result = result._replace(score=answer.score)
                else:
                    detection = self.session.detect(self._cache.get(key.first // PLACES))
                    version, request, facts = detection.version, detection.request, facts_in(detection)
            result = result._replace(version=plain_version(version), request=plain_id(request), facts=facts)
        except CallError as refused:
            state = State.TRANSPORT if refused.refusal is Refusal.TRANSPORT else State.REFUSED
            result = Result(key=key, state=state, refusal=refused.refusal, code=refused.code)
        except FrtauditError as stopped:
            self.inbox.put(CallResult(worker=self, key=key, used=call.used, stopped=stopped))
            return
        except Exception as error:  # noqa: BLE001  whatever a plug-in raised: what is in flight is stored first
            self.inbox.put(CallResult(worker=self, key=key, used=call.used, error=error))
            return
        result = result._replace(attempts=call.attempts)
        self.inbox.put(CallResult(worker=self, key=key, used=call.used, result=result, detection=detection))

    def _compared(self, key: Key) -> Answer:
        """The answer. A score that the service cannot give, by its range, is an error in the answer and no score."""
        answer = self.session.compare(self._crop(key.first), self._crop(key.second))
        low, high = self.service.score_range
        if not low <= answer.score <= high:
            raise CallError(Refusal.TRANSPORT, "error_in_answer")
        return answer

    def _crop(self, crop: int) -> Crop:
        image, place = divmod(crop, PLACES)
        if image in self._lost:
            lost = self._lost[image]
            raise CallError(lost.refusal, lost.code, lost.wait)
        seen = self.detected.get(crop)
        if image in self.handled and seen is not None:
            seen = same_face_now(seen, place, self._fresh[image][0])
        return Crop(picture=self._cache.get(image), face=seen)

    def _report_retry(self, kind: str, call: str) -> None:
        """Have a further attempt written before it is made."""
        message = RetryEvent(worker=self, kind=kind, call=call)
        self.inbox.put(message)
        while not message.stored.wait(0.5):
            if self.closed.is_set():
                raise RuntimeError("the collection has ended")

    # ---------------------------------------------------------------------------- an end
    def call_ended(self, ended: CallResult) -> None:
        """A call ended: keep the handles of a detection, or that there will be none."""
        self.flying -= 1
        key, image = ended.key, ended.key.first // PLACES
        if ended.result is not None and ended.result.attempts:  # else the image was not there to be shown
            self._count(ended.result)
        if isinstance(ended.stopped, ProviderError):
            self.down = self.down or ended.stopped
        if key.kind == COMPARE:
            return
        self._renewing.discard(image)
        if ended.detection is not None:
            self.keep(image, ended.detection)
        elif ended.result is not None and key.turn:
            self._lost[image] = CallError(ended.result.refusal or Refusal.TRANSPORT, ended.result.code)

    def _count(self, result: Result) -> None:
        """Failures of transport in a row. New calls show an outage; those that failed before may have reasons to.

        Were both the same, calls that always fail would end every run.
        """
        again = result.key in self.failed_before
        self.failed_before.discard(result.key)
        if result.state is not State.TRANSPORT:
            self._in_a_row = {False: 0, True: 0}
            self._count_refusals(result)
            return
        self._in_a_row[again] += 1
        self.tired = self.tired or self._in_a_row[True] >= DOWN
        if self._in_a_row[False] >= DOWN and self.down is None:
            text = f"the last {DOWN} calls failed ({result.code}); no more calls are made now"
            self.down = ProviderError(f"services.{self.name}", text, "the same command when it answers")

    def _count_refusals(self, result: Result) -> None:
        """Refusals by policy in a row, where as many calls were answered before, end this run: they stay as results.

        Not those of a code that also came between answers: then the service refuses these calls and not all.
        """
        if result.refusal is not Refusal.POLICY:
            self._answered += 1
            self._refused_in_a_row.clear()
            return
        for counts in (self._refused, self._refused_in_a_row):
            counts[result.code] += 1
        row = self._refused_in_a_row[result.code]
        sudden = min(self._answered, row) >= DOWN > self._refused[result.code] - row
        if sudden and self.down is None:
            text = f"the last {DOWN} calls were refused ({result.code}); no more calls are made now"
            self.down = ProviderError(f"services.{self.name}", text, "the same command when it answers")

    def handles_of(self, ended: CallResult) -> HandleRow | None:
        """What to write of the handles of a detection."""
        handles = "" if ended.detection is None else handles_in(ended.detection)
        if ended.detection is None or not handles:
            return None
        ends = [face.expires for face in ended.detection.faces if face.expires is not None]
        end = min(ends) - time.monotonic() + time.time() if ends else None
        return HandleRow(self.number, ended.key.first // PLACES, ended.key.turn, end, handles)

    def recall(self, image: int, ends: float | None, handles: str, facts: str) -> None:
        """Keep what an earlier run wrote of the handles of an image; those of this one are known."""
        if image not in self._fresh:
            expires = None if ends is None else ends - time.time() + time.monotonic()
            self.keep(image, with_handles(facts, handles, expires))

    def keep(self, image: int, detection: Detection) -> None:
        """Handles in memory, until they end; a margin of a time-out, or half of a short life, is kept for the call."""
        faces = faces_in(detection)
        for place, face in enumerate(faces):
            self.detected.setdefault(image * PLACES + place, replace(face, handle=None, expires=None))
        ends = [face.expires for face in faces if face.expires is not None]
        now = time.monotonic()
        if any(face.handle is not None for face in faces):
            self.handled.add(image)
            timeout = self.service.limits.timeout
            until = min((end - min(timeout, (end - now) / 2) for end in ends), default=float("inf"))
            self._fresh[image] = (faces, until)
        elif image in self.handled:
            self._fresh[image] = (faces, float("inf"))


def for_all(do: Callable[[T], None], services: Iterable[T]) -> None:
    """Do it for each service. Raises :class:`ProviderError` for all at once that lack something, after the last."""
    errors: list[ProviderError] = []
    for service in services:
        try:
            do(service)
        except ProviderError as error:
            errors.append(error)
    if not errors:
        return
    *others, last = errors
    text = "".join(f"{error.where}: {error.found} (accepted: {error.accepted}); " for error in others)
    raise ProviderError(f"{text}{last.where}", last.found, last.accepted)
