"""Calls to one host are spaced."""

import threading

from frtaudit.collection.clients.pace import Pace


def test_threads_share_the_pace_of_a_host() -> None:
    """Twenty calls of four threads at 10 a second: the waits are 0.1 s apart, none twice."""
    waits: list[float] = []
    pace = Pace(rate=10, clock=lambda: 0.0, sleep=waits.append)
    threads = [threading.Thread(target=lambda: [pace.turn("a") for _ in range(5)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [round(wait, 6) for wait in sorted(waits)] == [round(0.1 * n, 6) for n in range(1, 20)]


def test_no_rate_is_no_wait() -> None:
    """None: as fast as it goes."""
    waits: list[float] = []
    pace = Pace(rate=None, sleep=waits.append)
    pace.turn("a")
    pace.turn("a")
    assert waits == []
