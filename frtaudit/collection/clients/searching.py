"""Calls of a search service: one answer at a time, kept; what cannot be answered ends the search in one line."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field

from frtaudit.collection.clients.fetch import LONGEST_WAIT, Fetch
from frtaudit.collection.clients.gate import Pace
from frtaudit.collection.clients.http import AS_GIVEN, ODD, fits_header
from frtaudit.collection.clients.protocol import Notes
from frtaudit.core.collecting import CallError, Refusal
from frtaudit.core.machine import signals
from frtaudit.errors import ProviderError

KEPT = "the same command later: answers are kept"
_SAID = {
    "quota_of_the_day": "the search service says that the quota of the day is used up",
    "credentials_refused": "the search service refuses the key",
    "request_refused": "the search service refuses the request",
    "throttled": "the search service asks for fewer calls",
    "broken_answer": "the search service gives an answer that cannot be read",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Searcher:
    """Asks an endpoint that the spec names: it may be of this machine, and no redirect is followed from it."""

    rate: float
    attempts: int = 3
    sleep: Callable[[float], None] = signals.sleep
    fetch: Fetch = field(init=False)

    def __post_init__(self) -> None:
        pace = Pace(rate=self.rate)
        fetch = Fetch(attempts=1, redirects=0, allowed=lambda _: True, pace=pace, sleep=self.sleep)
        object.__setattr__(self, "fetch", fetch)

    def answer(self, notes: Notes, call: tuple[str, str], ask: Callable[[], str], place: str) -> str:
        """The answer to a ``call`` (kind and key), again after failures of transport; each attempt is paid.

        Raises :class:`ProviderError` with ``place`` where there is none.
        """
        for attempt in range(1, self.attempts + 1):
            try:
                return notes.answer(*call, ask)
            except CallError as error:
                code, wait = error.code, error.wait
                last = error.refusal is not Refusal.TRANSPORT or attempt == self.attempts
            if last:
                break
            self.sleep(min(2.0**attempt if wait is None else wait, LONGEST_WAIT))
        raise ProviderError(place, _SAID.get(code, f"the search service gives no answer ({code})"), KEPT)


def credential(variable: str) -> str:
    """From the environment. Raises :class:`ProviderError` naming the variable, never its value."""
    secret = os.environ.get(variable, "").strip()
    if not secret:
        problem = f"no credentials: {variable} is not set"
        raise ProviderError("source", problem, f"{variable} in the environment")
    if not fits_header(secret):
        raise ProviderError("source", f"{variable} holds {ODD}", AS_GIVEN)
    return secret
