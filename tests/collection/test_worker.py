"""Tests also detected_faces, image_cache, live: what a call needs, and what a service saw."""

import os
import threading
import time
from fractions import Fraction
from queue import SimpleQueue

import drawn_faces
import pytest

from frtaudit.collection.clients.gate import Budget, BudgetError, RateLimiter
from frtaudit.collection.clients.protocol import Limits
from frtaudit.collection.detected_faces import faces_of, facts_in, same_face_now
from frtaudit.collection.image_cache import ImageCache
from frtaudit.collection.live import LiveLine
from frtaudit.collection.spec import BudgetSpec
from frtaudit.collection.worker import CountedGate, RetryEvent
from frtaudit.core.collecting import Box, CallError, DetectedFace, Detection


def test_the_first_attempt_was_paid_and_others_are_written() -> None:
    """The gate takes nothing for the first attempt of a call, and pays and reports each further one."""
    budget, told = Budget(limit=Fraction(2), spent=Fraction(1)), []
    gate = CountedGate(
        RateLimiter(limits=Limits(compare=1.0), budget=budget), lambda *attempt: told.append(attempt)
    )
    call = gate.enter("compare")
    gate.attempt("compare")
    assert (budget.spent, told, call.used, call.attempts) == (1, [], True, 1)
    gate.attempt("compare")
    assert (budget.spent, told, call.attempts) == (2, [("compare", "compare")], 2)
    with pytest.raises(BudgetError):
        gate.attempt("compare")
    assert call.attempts == 2


def test_an_attempt_of_another_kind_is_paid_for_itself() -> None:
    """What was paid beforehand is for the call's own kind; the budget is charged for another."""
    budget, told = Budget(limit=None), []
    gate = CountedGate(
        RateLimiter(limits=Limits(detect=0.5, compare=1.0), budget=budget),
        lambda *attempt: told.append(attempt),
    )
    call = gate.enter("compare")
    gate.attempt("detect")
    assert (budget.spent, told, call.used) == (Fraction(1, 2), [("detect", "compare")], False)


def test_a_further_attempt_waits_for_the_disk() -> None:
    """An Again is in the inbox before the attempt goes on."""
    inbox: SimpleQueue[RetryEvent] = SimpleQueue()
    message = RetryEvent(worker=None, kind="compare", call="compare")  # type: ignore[arg-type]  # nobody asks for its service
    waiting = threading.Thread(target=lambda: (inbox.put(message), message.stored.wait()))
    waiting.start()
    time.sleep(0.01)
    assert waiting.is_alive()
    inbox.get().stored.set()
    waiting.join(5)


def test_a_face_is_found_again_by_its_box() -> None:
    """The face whose box overlaps most is the same one, with its new handle; without one near, there is none."""
    first = DetectedFace(box=Box(x=0, y=0, width=10, height=10))
    now = (
        DetectedFace(box=Box(x=50, y=0, width=10, height=10), handle="b"),
        DetectedFace(box=Box(x=1, y=0, width=10, height=10), handle="a"),
    )
    assert same_face_now(first, 0, now).handle == "a"
    assert same_face_now(first, 0, now).box == first.box
    with pytest.raises(CallError, match="face_lost"):
        same_face_now(first, 0, now[:1])
    assert same_face_now(DetectedFace(box=None), 1, now).handle == "a"


def test_a_handle_never_reaches_the_store() -> None:
    """What is written of a face says that there was a handle, and not which."""
    facts = facts_in(
        Detection(faces=(DetectedFace(box=None, handle="secret-token", facts={"quality": 0.5}),))
    )
    assert "secret-token" not in facts
    faces, handled = faces_of(facts)
    assert (faces[0].facts, faces[0].handle, handled) == ({"quality": 0.5}, None, True)
    assert faces_of("") == ((), False)


@pytest.fixture
def source() -> drawn_faces.Drawn:
    """Sixteen pictures."""
    return drawn_faces.Drawn(queries=2)


def test_the_shelf_holds_as_many_bytes_as_it_may(source: drawn_faces.Drawn) -> None:
    """Pictures that were used last stay; others are read again, and one that changed is refused."""
    cache = ImageCache(source, most=6000)
    cache.found = list(source.finds())
    first = cache.get(1)
    assert cache.get(1) is first
    for image in range(2, 17):
        cache.get(image)
    assert sum(len(picture.data) for picture in cache._held.values()) <= 6000
    again = cache.get(1)
    assert again is not first
    assert again.digest == first.digest
    cache.digests[3] = "another"
    with pytest.raises(CallError, match="transport: image_changed"):
        cache.get(3)


def test_an_image_that_is_gone_is_no_failure_of_a_service() -> None:
    """What a source refuses at first is a result; of an image that was read before it is asked again later."""
    cache = ImageCache(drawn_faces.Drawn(queries=1, strange=4))
    cache.found = list(cache._source.finds())
    with pytest.raises(CallError, match="failure_to_acquire: unreadable_image"):
        cache.get(4)
    cache.digests[4] = "as it was"
    with pytest.raises(CallError, match="transport: image_gone"):
        cache.get(4)
    cache._source = None  # type: ignore[assignment]  # it is not asked for the same image again
    with pytest.raises(CallError, match="transport: image_gone"):
        cache.get(4)


def test_the_live_line_is_for_terminals(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written where nobody looks."""
    live = LiveLine(BudgetSpec())
    live.begin("comparing", 0, 10)
    live.show(Fraction(1))
    live.clear()
    assert capsys.readouterr() == ("", "")
    live.done = 5
    assert live.text(Fraction("1.5"), 300) == "comparing: 5 of 10 calls, 1.50 USD spent, about 5 min left"


@pytest.mark.parametrize(("columns", "shown"), [(0, 32), (20, 19), (200, 32)])
def test_the_live_line_fits_its_terminal(
    columns: int, shown: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line is cut where it would begin another; a terminal that does not know its width has 80 columns."""
    size = os.terminal_size((columns, 24))
    monkeypatch.setattr("frtaudit.collection.live.os.get_terminal_size", lambda _: size)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.fileno", lambda: 2)
    live = LiveLine(BudgetSpec())
    live.begin("x", 0, 10)
    live.show(Fraction(1))
    assert capsys.readouterr().err == "\r\x1b[K" + "x: 0 of 10 calls, 1.00 USD spent"[:shown]
