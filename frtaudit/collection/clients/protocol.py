"""What a service and a source of images offer to a collection; the plug-ins know these, and not the collection."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from frtaudit.core.collecting import Answer, Crop, Detection, Picture
from frtaudit.core.spec import MACHINE
from frtaudit.errors import SpecError


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How a service may be called, and what a call costs.

    ``rate``: calls a second, None for as fast as it goes; ``concurrency``: calls in flight; ``attempts``: of one call,
    the first included; ``timeout``: seconds for an attempt; ``detect``, ``compare``: price of an attempt, in the
    currency of the budget, as the contract says.
    """

    rate: float | None = field(default=None, metadata=MACHINE)
    concurrency: int = field(default=4, metadata=MACHINE)
    attempts: int = field(default=6, metadata=MACHINE)
    timeout: float = field(default=30.0, metadata=MACHINE)
    detect: float = 0.0
    compare: float = 0.0

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a number that no call can keep."""
        for name in ("concurrency", "attempts"):
            if getattr(self, name) < 1:
                raise SpecError(f".{name}", f"{getattr(self, name)}", "1 or more")
        if not all(0 < number < math.inf for number in (self.timeout, self.rate or 1.0)) or self.rate == 0:
            raise SpecError(".", "a rate or a timeout of 0 or less, or infinite", "numbers above 0")
        if not all(0 <= price < math.inf for price in (self.detect, self.compare)):
            raise SpecError(".", "a price below 0, or infinite", "prices of 0 or more")


class Gate(Protocol):
    """What stands before every attempt of a call: the rate, the budget and the count."""

    def attempt(self, kind: str) -> None:
        """Wait for one's turn and take the price of one attempt; ``kind``: ``detect`` or ``compare``.

        Raises :class:`~frtaudit.collection.clients.gate.BudgetError` where the next attempt would pass the budget: it
        must not
        be made.
        """


class Session(Protocol):
    """A service during calls, from several threads at once.

    Both methods raise :class:`~frtaudit.core.collecting.CallError`; they make each call again after a failure of
    transport, as often as ``limits`` says, and ask the gate before every attempt. What the gate raises goes through.
    :class:`~frtaudit.errors.ProviderError` says that the account as a whole is refused (credentials that ended, no
    approval, no money): no answer to a call, and every further call would be refused. A session may have a ``check()``
    as well, which raises it before any service is paid: a request that holds no image, made once and without the gate.
    """

    def detect(self, picture: Picture) -> Detection:
        """The faces in a picture, from left to right."""

    def compare(self, probe: Crop, reference: Crop) -> Answer:
        """The comparison score, higher is more alike."""

    def close(self) -> None:
        """Let connections go."""


class Service(Protocol):
    """A registered service: settings, and how to open it. Credentials come from the service's usual places."""

    @property
    def limits(self) -> Limits:
        """Rates, attempts, prices."""

    @property
    def detects(self) -> bool:
        """Whether a call of its own finds the faces of a picture; else it is asked by comparing (Algorithm 1).

        Such a service refuses a comparison (failure to acquire) where a picture shows nobody or several.
        """

    @property
    def score_range(self) -> tuple[float, float]:
        """Lowest and highest possible score."""

    def recorded_settings(self) -> Mapping[str, str]:
        """What is known before a call and decides the answer: models, parameters, digests of model files."""

    def open(self, gate: Gate) -> Session:
        """Raises :class:`~frtaudit.errors.ProviderError`: no credentials, no such package, no such model file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceImage:
    """An image that a source knows of, before it is read.

    ``query``: who was searched for, a number from 0 in the order of the list; ``place``: where a refusal says that it
    is, ``names.csv line 3 image 7``, never a name or an address; ``columns``: of the query, such as a group;
    ``address``: what the source finds the image by, in memory only.
    """

    query: int
    place: str
    columns: Mapping[str, str]
    address: str = field(repr=False)


class Notes(Protocol):
    """What the calls of a source were answered, kept by the collection: going on asks nothing twice."""

    def answer(self, kind: str, key: str, ask: Callable[[], str]) -> str:
        """The answer kept under ``key``, else that of ``ask``, which is paid for once and kept.

        ``kind``: as in :attr:`Source.paid`; ``key``: a digest of what is asked; what ``ask`` raises passes through,
        and may have been paid for. Raises :class:`~frtaudit.collection.clients.gate.BudgetError` where it must not be
        asked.
        """


class Unkept:
    """Notes of nothing: each call is made."""

    def answer(self, kind: str, key: str, ask: Callable[[], str]) -> str:  # noqa: ARG002  notes share a signature
        """What ``ask`` gives."""
        return ask()


UNKEPT = Unkept()


class Source(Protocol):
    """Where images come from (``source`` plug-ins)."""

    def finds(self, notes: Notes = UNKEPT) -> Iterator[SourceImage]:
        """Every image, query by query, in the same order at each call on the same answers.

        Raises :class:`~frtaudit.errors.DataError`, naming file and line, and
        :class:`~frtaudit.errors.ProviderError` where a search service will not answer.
        """

    def read(self, source_image: SourceImage) -> Picture:
        """One image into memory; several threads may ask.

        Raises :class:`~frtaudit.core.collecting.CallError` with a code of
        :data:`~frtaudit.collection.clients.addresses.REASONS`, or ``http_404`` and the like.
        """

    def cautions(self) -> tuple[str, ...]:
        """What a person should know before it starts, a line each: lines of people who may be one, images left out."""

    def at_most(self) -> Sequence[int]:
        """How many images each query can have, known without a call: for a plan."""

    def calls(self) -> Mapping[str, int]:
        """At most how many calls of each kind :meth:`finds` makes; empty where it makes none."""

    @property
    def paid(self) -> Mapping[str, float]:
        """Unit prices of its own calls by kind, such as ``{"search": 0.005}``; empty where it makes none."""
