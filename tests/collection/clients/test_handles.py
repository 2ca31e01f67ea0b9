"""Face ids and tokens: kept while they last, made anew when they end."""

import threading

import pytest

from frtaudit.collection.clients.handles import Handles
from frtaudit.collection.clients.http import HANDLE_GONE
from frtaudit.core.collecting import Answer, Box, CallError, Crop, DetectedFace, Detection, Picture, Refusal

LEFT, RIGHT = Box(x=0, y=0, width=10, height=10), Box(x=50, y=0, width=20, height=20)


class Service:
    """Finds two faces in every picture; its handles are numbers that go up."""

    def __init__(self, lasts: float | None = None) -> None:
        self.now, self.lasts, self.calls, self.requests = 0.0, lasts, 0, []
        self.handles = Handles(find=self.find, clock=lambda: self.now)

    def find(self, picture: Picture) -> Detection:
        """A detection, counted."""
        self.calls += 1
        ends = None if self.lasts is None else self.now + self.lasts
        seen = [DetectedFace(box=box, handle=(self.calls, box.x), expires=ends) for box in (LEFT, RIGHT)]
        return Detection(faces=tuple(seen))

    def compare(self, first: DetectedFace, second: DetectedFace) -> Answer:
        """What was asked is kept."""
        self.requests.append((first.handle, second.handle))
        return Answer(score=1.0)


def crop(box: Box | None, name: bytes = b"a", handle: object = None, expires: float | None = None) -> Crop:
    """A face of a picture."""
    picture = Picture(data=name, width=100, height=100, media="image/png")
    return Crop(
        picture=picture, face=None if box is None else DetectedFace(box=box, handle=handle, expires=expires)
    )


def test_a_handle_that_lasts_is_used_and_nothing_is_called() -> None:
    """Faces from this run's own detection."""
    service = Service()
    service.handles.compared(crop(LEFT, handle="x"), crop(RIGHT, handle="y"), service.compare)
    assert (service.requests, service.calls) == ([("x", "y")], 0)


def test_a_face_of_an_earlier_run_is_found_again_by_its_box() -> None:
    """Without a handle: one detection a picture, the face that overlaps the box."""
    service = Service()
    for _ in range(3):
        service.handles.compared(crop(RIGHT), crop(LEFT, b"b"), service.compare)
    assert service.calls == 2
    assert service.requests == [((1, 50), (2, 0))] * 3


def test_a_handle_is_made_anew_when_it_has_expired() -> None:
    """Until its end it is used, however short its life is."""
    service = Service(lasts=100.0)
    pair = crop(LEFT), crop(RIGHT)
    service.handles.compared(*pair, service.compare)
    service.now = 99.5
    service.handles.compared(*pair, service.compare)
    assert service.calls == 1
    service.now = 100.0
    service.handles.compared(*pair, service.compare)
    assert service.calls == 2


def test_a_handle_that_the_service_let_go_is_made_anew_once() -> None:
    """The refused call is made again with new handles; a second refusal is handed on."""
    service = Service()

    def refuse(first: DetectedFace, second: DetectedFace) -> Answer:
        service.compare(first, second)
        if first.handle == "old":
            raise CallError(Refusal.TRANSPORT, HANDLE_GONE)
        return Answer(score=0.5)

    assert service.handles.compared(crop(LEFT, handle="old"), crop(RIGHT, b"b", "y"), refuse).score == 0.5
    assert service.requests[-1][0] == (1, 0)

    def always(*_: DetectedFace) -> Answer:
        raise CallError(Refusal.TRANSPORT, HANDLE_GONE)

    with pytest.raises(CallError, match=HANDLE_GONE):
        service.handles.compared(crop(LEFT), crop(RIGHT, b"b"), always)


def test_a_handle_that_is_given_again_lasts() -> None:
    """A service that lets go of a token, and gives the same one for the picture, is asked for it once."""
    service, refused = Service(), []

    def find(_: Picture) -> Detection:
        service.calls += 1
        return Detection(faces=(DetectedFace(box=LEFT, handle="token"),))

    def once(first: DetectedFace, second: DetectedFace) -> Answer:
        if not refused:
            refused.append(first.handle)
            raise CallError(Refusal.TRANSPORT, HANDLE_GONE)
        return service.compare(first, second)

    handles = Handles(find=find)
    for _ in range(5):
        handles.compared(crop(LEFT, handle="token"), crop(LEFT, b"b", "other"), once)
    assert service.calls == 2
    assert service.requests == [("token", "token")] * 5


def test_after_a_restart_each_picture_is_looked_at_once() -> None:
    """Of an old handle and a new one the old one ended: pairs of ten pictures cost ten detections."""
    service = Service()

    def forgetful(first: DetectedFace, second: DetectedFace) -> Answer:
        if "old" in (first.handle, second.handle):
            raise CallError(Refusal.TRANSPORT, HANDLE_GONE)
        return service.compare(first, second)

    for one in range(10):
        for other in range(one):
            pair = [crop(LEFT, bytes([number]), "old") for number in (one, other)]
            service.handles.compared(*pair, forgetful)
    assert service.calls == 10


def test_without_a_box_the_largest_face_is_compared() -> None:
    """A whole picture."""
    service = Service()
    service.handles.compared(crop(None), crop(None, b"b"), service.compare)
    assert service.requests == [((1, 50), (2, 50))]


def test_a_face_that_is_not_there_any_more_is_a_failure_to_acquire() -> None:
    """No box overlaps: never the score of another face."""
    away = Box(x=80, y=80, width=5, height=5)
    service = Service()
    with pytest.raises(CallError, match="failure_to_acquire: face_lost"):
        service.handles.compared(crop(away), crop(LEFT), service.compare)


def test_many_threads_find_the_faces_of_a_picture_once() -> None:
    """Sixteen comparisons of two pictures at once: two detections, and not thirty-two."""
    service = Service()
    threads = [
        threading.Thread(
            target=service.handles.compared, args=(crop(LEFT), crop(LEFT, b"b"), service.compare)
        )
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (service.calls, len(service.requests)) == (2, 16)
