"""Which attempts go wrong: decided by what is asked and which attempt it is, so that every run goes wrong alike."""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.canonical import seed_of
from frtaudit.errors import SpecError

PASSING = ("throttled", "error", "error_in_answer", "torn", "slow", "lost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """Shares of attempts: ``throttled`` (429 and the like, with Retry-After ``retry_after``), ``error`` (500), ...

    ``error_in_answer`` (200 that holds an error), ``torn`` (half of the JSON), ``slow`` (``slowness`` seconds late),
    ``lost`` (done and billed, and the connection closed without a word: the same call comes twice). After ``most``
    attempts of one request nothing of these befalls it. ``empty``: a share of requests, at each attempt: the service
    saw nothing to compare.
    """

    throttled: float = 0.0
    error: float = 0.0
    error_in_answer: float = 0.0
    torn: float = 0.0
    slow: float = 0.0
    lost: float = 0.0
    empty: float = 0.0
    most: int = 3
    slowness: float = 5.0
    retry_after: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for shares that cannot be."""
        shares = [getattr(self, name) for name in (*PASSING, "empty")]
        if min(shares) < 0 or sum(shares[:-1]) > 1 or self.empty > 1:
            raise SpecError("serve-fake", "shares of faults", "0 or more each, 1 or less together")

    def of(self, key: str, attempt: int) -> str | None:
        """The fault that befalls the ``attempt``-th attempt (from 0) of a request.

        >>> Faults(error=1.0, most=2).of("a", 1), Faults(error=1.0, most=2).of("a", 2)
        ('error', None)
        """
        if attempt >= self.most:
            return None
        draw, start = self._draw("attempt", key, str(attempt)), 0.0
        for name in PASSING:
            start += getattr(self, name)
            if draw < start:
                return name
        return None

    def empties(self, key: str) -> bool:
        """Whether a request is answered with nothing, however often it is made."""
        return self._draw("empty", key) < self.empty

    def _draw(self, *names: str) -> float:
        return float(np.random.default_rng(seed_of(self.seed, *names)).random())
