"""What a service and a source of images offer to a collection; the plug-ins know these, and not the collection."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from frtaudit.core.collecting import Answer, Crop, Detection, Picture
from frtaudit.core.spec_values import MACHINE
from frtaudit.errors import SpecError


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How a service may be called, and what a call costs.

    Parameters
    ----------
    rate : float, optional
        Calls a second; None for no limit.
    concurrency : int
        Calls in flight.
    attempts : int
        Attempts of one call, the first included.
    timeout : float
        Seconds for one attempt.
    detect, compare : float
        Price of an attempt of each kind, in the currency of the budget.

    Raises
    ------
    SpecError
        A number that no call can keep, such as a timeout of 0.

    Examples
    --------
    >>> Limits(rate=5.0, compare=0.001).attempts
    6
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
    """What stands before every attempt of a call: rate, budget and count.

    The collection gives it to ``Service.open``.
    """

    def attempt(self, kind: str) -> None:
        """Wait for a turn and take the price of one attempt.

        Parameters
        ----------
        kind : {"detect", "compare"}
            Which price it has.

        Raises
        ------
        frtaudit.collection.clients.gate.BudgetError
            The attempt would pass the budget: it must not be made, and the error must pass through.
        frtaudit.collection.clients.gate.EndedError
            A signal ended the collection; the same holds.
        """


class Session(Protocol):
    """A service during calls, which come from several threads at once.

    Both calls ask the gate before every attempt, let pass what the gate raises, and repeat a call after a failure of
    transport, at most ``limits.attempts`` times. A session may also have a method ``check()``, called before any
    service is paid: it makes one request without an image and without the gate, and raises ``ProviderError`` where the
    account is refused.

    References
    ----------
    Knott, M., Serna, I., Mann, E. and Perona, P., A Rapid Test for Accuracy and Bias of Face Recognition Technology,
    2025, Algorithm 1: how services that only compare are asked for faces.
    """

    def detect(self, picture: Picture) -> Detection:
        """The faces in a picture.

        Parameters
        ----------
        picture : Picture
            A whole, checked image.

        Returns
        -------
        Detection
            Faces from left to right; empty where there is none.

        Raises
        ------
        CallError
            No answer.
        ProviderError
            The account as a whole is refused, so that every further call would be.
        """

    def compare(self, probe: Crop, reference: Crop) -> Answer:
        """The comparison score of two faces.

        Parameters
        ----------
        probe, reference : Crop
            The two faces, as ``detect`` of this session gave them.

        Returns
        -------
        Answer
            The score; higher is more alike.

        Raises
        ------
        CallError
            No answer.
        ProviderError
            The account as a whole is refused, so that every further call would be.
        """

    def close(self) -> None:
        """Close connections; no call follows."""


class Service(Protocol):
    """A registered service (``service`` plug-ins): settings, and how to open it.

    Credentials come from the places where the service's own tools look for them, never from the spec.
    """

    @property
    def limits(self) -> Limits:
        """Rates, attempts, prices."""

    @property
    def detects(self) -> bool:
        """Whether a call of its own detects the faces of a picture.

        Else faces are detected by comparing, and the service refuses a comparison (failure to acquire) where a picture
        shows nobody or several people.
        """

    @property
    def score_range(self) -> tuple[float, float]:
        """Lowest and highest possible score."""

    def recorded_settings(self) -> Mapping[str, str]:
        """What is known before a call and decides the answer.

        Returns
        -------
        mapping of str to str
            Models, parameters, digests of model files.
        """

    def open(self, gate: Gate) -> Session:
        """Open the service for calls.

        Parameters
        ----------
        gate : Gate
            What each attempt asks first.

        Returns
        -------
        Session
            For calls from several threads.

        Raises
        ------
        ProviderError
            There are no credentials, or a package or model file is missing.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceImage:
    """An image that a source knows of, before it is read.

    Parameters
    ----------
    query : int
        Who was searched for, a number from 0 in the order of the list.
    place : str
        Where errors say that it is: ``names.csv line 3 image 7``, never a name or an address.
    columns : mapping of str to str
        Columns of the query, such as a group.
    address : str
        What the source reads the image by; it stays in memory.

    Examples
    --------
    >>> SourceImage(query=0, place="names.csv line 2 image 1", columns={"sex": "f"}, address="1.jpg").columns["sex"]
    'f'
    """

    query: int
    place: str
    columns: Mapping[str, str]
    address: str = field(repr=False)


class Notes(Protocol):
    """Answers to the calls of a source, kept by the collection: a collection that resumes asks nothing twice."""

    def answer(self, kind: str, key: str, ask: Callable[[], str]) -> str:
        """The answer kept under ``key``, else that of ``ask``, which is then kept.

        Parameters
        ----------
        kind : str
            As in ``Source.paid``.
        key : str
            A digest of what is asked.
        ask : callable
            Makes the call, which is paid for once, and returns its answer.

        Returns
        -------
        str
            The answer.

        Raises
        ------
        frtaudit.collection.clients.gate.BudgetError
            The call would pass the budget. What ``ask`` raises passes through, and may have been paid for.
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

        Parameters
        ----------
        notes : Notes, optional
            Keeps the answers of paid calls.

        Returns
        -------
        iterator of SourceImage
            Read one by one with ``read``.

        Raises
        ------
        DataError
            A list cannot be used; the error names file and line.
        ProviderError
            A search service does not answer.
        """

    def read(self, source_image: SourceImage) -> Picture:
        """Read one image into memory; several threads may ask.

        Parameters
        ----------
        source_image : SourceImage
            One that ``finds`` gave.

        Returns
        -------
        Picture
            The checked image.

        Raises
        ------
        CallError
            It cannot be had; the code is short and in snake_case, such as ``http_404``.
        """

    def cautions(self) -> tuple[str, ...]:
        """What a person should know before the collection starts.

        Returns
        -------
        tuple of str
            A line each: lines of the list that may be one person, images left out.
        """

    def at_most(self) -> Sequence[int]:
        """How many images each query can have, known without a call.

        Returns
        -------
        sequence of int
            One number for each query, in the order of the list.
        """

    def calls(self) -> Mapping[str, int]:
        """How many calls of each kind ``finds`` makes at most.

        Returns
        -------
        mapping of str to int
            Kinds as in ``paid``; empty where it makes no call.
        """

    @property
    def paid(self) -> Mapping[str, float]:
        """Unit prices of its own calls by kind, such as ``{"search": 0.005}``; empty where it makes none."""


class Unpaid:
    """What a source says of paid calls that makes none."""

    __slots__ = ()
    paid: ClassVar[Mapping[str, float]] = {}

    def calls(self) -> Mapping[str, int]:
        """None."""
        return {}
