"""Calls of a search service."""

import pytest
from kept_notes import Kept

from frtaudit.collection.clients.searching import Searcher, credential
from frtaudit.core.collecting import CallError, Refusal
from frtaudit.errors import ProviderError

CALL = ("search", "key")


def failing(*codes: str) -> tuple[list[str], object]:
    left = list(codes)

    def ask() -> str:
        if left:
            code = left.pop(0)
            policy = code == "credentials_refused"
            raise CallError(
                Refusal.POLICY if policy else Refusal.TRANSPORT, code, 7 if code == "throttled" else None
            )
        return "answer"

    return left, ask


def test_failures_of_transport_are_asked_again_and_paid() -> None:
    """Each attempt; the wait that is asked for, else longer each time."""
    waits: list[float] = []
    _, ask = failing("timeout", "throttled")
    notes = Kept()
    assert Searcher(rate=1, sleep=waits.append).answer(notes, CALL, ask, "names.csv line 2") == "answer"  # type: ignore[arg-type]  # a function
    assert (waits, notes.paid["search"]) == ([2.0, 7], 3)


@pytest.mark.parametrize(
    ("codes", "said", "asked"),
    [
        (
            ["credentials_refused"],
            "names.csv line 2: the search service refuses the key; accepted: the same command later",
            1,
        ),
        (["timeout"] * 3, "names.csv line 2: the search service gives no answer (timeout)", 3),
        (["throttled"] * 3, "names.csv line 2: the search service asks for fewer calls", 3),
    ],
)
def test_what_is_not_answered_ends_in_one_line(codes: list[str], said: str, asked: int) -> None:
    """A refusal at once, a failure of transport after three attempts."""
    left, ask = failing(*codes)
    notes = Kept()
    with pytest.raises(ProviderError) as caught:
        Searcher(rate=1, sleep=lambda _: None).answer(notes, CALL, ask, "names.csv line 2")  # type: ignore[arg-type]  # a function
    assert str(caught.value).startswith(said)
    assert (left, notes.paid["search"]) == ([], asked)


def test_credentials_are_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the variable is named."""
    monkeypatch.setenv("A_KEY", " secret ")
    assert credential("A_KEY") == "secret"
    monkeypatch.setenv("A_KEY", "clé")
    with pytest.raises(ProviderError, match="source: A_KEY holds a blank") as caught:
        credential("A_KEY")
    assert "clé" not in str(caught.value)
    monkeypatch.setenv("A_KEY", " ")
    with pytest.raises(ProviderError, match="source: no credentials: A_KEY is not set"):
        credential("A_KEY")
