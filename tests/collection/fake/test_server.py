"""The synthetic services, asked by the real clients of all five.

Tests also wire, world, faults, azure, facepp, luxand, rekognition and tencent, which the server stands on.
"""

import itertools
import json
import signal
import subprocess
import threading
import urllib.error
import urllib.request
from functools import cache

import numpy as np
import pytest
from made_up_services import CLEAN, FIVE, Counting, crop, service, with_credentials
from stoppable import command

from frtaudit.collection.clients.protocol import Limits
from frtaudit.collection.fake.faults import PASSING, Faults
from frtaudit.collection.fake.server import ENVIRONMENT, answered, instructions, running
from frtaudit.collection.fake.wire import Request
from frtaudit.collection.fake.world import Conduct, World
from frtaudit.core.collecting import CallError, Crop, Picture
from frtaudit.errors import DataError, ProviderError, SpecError

KEYS = list(itertools.product(range(2), range(2)))
MAX_FAULTY = Faults(
    throttled=0.12,
    error=0.12,
    error_in_answer=0.12,
    torn=0.12,
    slow=0.02,
    lost=0.12,
    retry_after=0,
    slowness=0.2,
)


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """The synthetic ones; no wait before a second attempt."""
    with_credentials(monkeypatch)


def counts(address: str) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    """What was asked."""
    with urllib.request.urlopen(f"{address}/counts") as answer:
        return dict(json.load(answer))


def scores(
    name: str, conduct: Conduct, gate: Counting | None = None
) -> tuple[list[float], dict[str, object]]:
    """All comparisons of four pictures, and the server's counts."""
    world = World(conduct=conduct)
    with running(world) as address:
        session = service(name, address).open(gate or Counting())
        faces = [crop(session, *key) for key in KEYS]
        made = [session.compare(one, other).score for one, other in itertools.combinations(faces, 2)]
        session.close()
    return made, world.counts()


@cache
def unbroken(name: str) -> list[float]:
    """The scores of a service that nothing befalls."""
    return scores(name, Conduct())[0]


@pytest.mark.parametrize("name", FIVE)
def test_every_service_is_spoken_as_the_real_client_speaks_it(name: str) -> None:
    """Boxes to a pixel, mated scores above the others, one answer for each call, and its price."""
    made, asked = scores(name, Conduct())
    mated = [made[0], made[-1]]
    assert min(mated) > max(made[1:-1])
    row = asked["services"][name]  # type: ignore[index]
    assert row == {
        "detect": {"attempts": 4, "answered": 4, "cost": 0.004},
        "compare": {"attempts": 6, "answered": 6, "cost": 0.006},
    }
    with running(World()) as address:
        session = service(name, address).open(Counting())
        (face,) = session.detect(CLEAN.picture(0, 0)).faces
        session.close()
    assert face.box is not None
    edges = [face.box.x, face.box.y, face.box.width, face.box.height]
    np.testing.assert_allclose(edges, [40, 30, 96, 96], atol=1.0)


@pytest.mark.parametrize("name", FIVE)
def test_faults_change_no_score_and_every_attempt_is_counted_on_both_sides(name: str) -> None:
    """Three attempts in five go wrong: the scores are those of an unbroken service, and the gate saw each attempt."""
    gate = Counting()
    made, asked = scores(name, Conduct(faults=MAX_FAULTY), gate)
    assert made == unbroken(name)
    assert sum(asked["faults"].values()) > 3  # type: ignore[attr-defined]
    row = asked["services"][name]  # type: ignore[index]
    assert {kind: row[kind]["attempts"] for kind in row} == dict(gate.passed)
    assert row["compare"]["attempts"] > 6


def test_faults_are_the_same_in_every_run() -> None:
    """Decided by what is asked and the number of the attempt: two runs count the same requests."""
    runs = [scores("tencent", Conduct(faults=MAX_FAULTY))[1] for _ in range(2)]
    assert runs[0] == runs[1]


def test_each_fault_comes_about_as_often_as_its_share() -> None:
    """Of 4,000 first attempts each kind within four standard errors; nothing after ``most`` attempts."""
    faults = Faults(**dict.fromkeys(PASSING, 0.1))  # type: ignore[arg-type]  # shares
    drawn = [faults.of(str(key), 0) for key in range(4000)]
    for name in PASSING:
        assert abs(drawn.count(name) / 4000 - 0.1) < 4 * (0.09 / 4000) ** 0.5
    assert {faults.of(str(key), 3) for key in range(100)} == {None}


@pytest.mark.parametrize("name", FIVE)
def test_a_request_that_is_answered_with_nothing_is_a_stated_failure(name: str) -> None:
    """Each time it is made: no face in a picture, no comparison of two."""
    with running(World()) as clean, running(World(conduct=Conduct(faults=Faults(empty=1.0)))) as address:
        session, empty = service(name, clean).open(Counting()), service(name, address).open(Counting())
        one, other = crop(session, 0, 0), crop(session, 0, 1)
        for _ in range(2):
            assert empty.detect(CLEAN.picture(0, 0)).faces == ()
            with pytest.raises(CallError, match="failure_to_acquire"):
                empty.compare(one, other)
        session.close()
        empty.close()


@pytest.mark.parametrize("name", FIVE)
def test_wrong_credentials_are_refused_as_the_real_service_does(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Other keys, another signature: nothing is served or billed."""
    for variable in ENVIRONMENT:
        if variable != "AWS_DEFAULT_REGION":
            monkeypatch.setenv(variable, "wrong")
    world = World()
    with running(world) as address:
        session = service(name, address).open(Counting())
        with pytest.raises(ProviderError, match="credentials refused"):
            session.detect(CLEAN.picture(0, 0))
        session.close()
    assert world.counts()["services"] == {}


@pytest.mark.parametrize("name", FIVE)
def test_another_model_answers_after_the_swap(name: str) -> None:
    """The first three comparisons are the old model's; the rest differ; Tencent alone says so."""
    before = unbroken(name)
    after = scores(name, Conduct(swap_after=3))[0]
    assert after[:3] == before[:3]
    assert all(one != other for one, other in zip(after[3:], before[3:], strict=True))
    whole = scores(name, Conduct(swap_share=1.0))[0]
    assert all(one != other for one, other in zip(whole, before, strict=True))


def test_a_swap_that_is_said_is_in_the_version() -> None:
    """Tencent's answers name their model."""
    versions = []
    for share in (0.0, 1.0):
        with running(World(conduct=Conduct(swap_share=share))) as address:
            session = service("tencent", address).open(Counting())
            versions.append(session.compare(crop(session, 0, 0), crop(session, 0, 1)).version)
            session.close()
    assert versions == ["3.0", "3.0.1"]


@pytest.mark.parametrize(("asymmetry", "same"), [(0.0, True), (0.05, False)])
def test_both_orders_of_a_pair(asymmetry: float, *, same: bool) -> None:
    """Equal, unless asymmetry is asked for."""
    with running(World(conduct=Conduct(asymmetry=asymmetry))) as address:
        session = service("azure", address).open(Counting())
        one, other = crop(session, 0, 0), crop(session, 0, 1)
        assert (session.compare(one, other).score == session.compare(other, one).score) is same
        session.close()


@pytest.mark.parametrize("name", ["azure", "facepp"])
def test_tokens_end_and_are_made_anew(name: str) -> None:
    """The service forgets at once; each comparison finds its faces again, once, and is then refused."""
    world = World()
    with running(world) as address:
        gate = Counting()
        session = service(name, address).open(gate)
        one, other = crop(session, 0, 0), crop(session, 0, 1)
        expected = session.compare(one, other).score
        world._tokens.clear()
        assert session.compare(one, other).score == expected
        session.close()
    assert gate.passed["detect"] == 4


def test_a_service_above_its_rate_throttles() -> None:
    """At one call a second the second call is told to wait, once the second's calls are used up."""
    world = World(conduct=Conduct(rate=1.0, faults=Faults(retry_after=7)), clock=lambda: 100.0)
    with running(world) as address:
        session = service("luxand", address, Limits(attempts=1)).open(Counting())
        session.detect(CLEAN.picture(0, 0))
        with pytest.raises(CallError, match="throttled") as caught:
            session.detect(CLEAN.picture(0, 1))
        session.close()
    assert caught.value.wait == 7.0
    assert world.counts()["faults"] == {"throttled": 1}


@pytest.mark.parametrize("name", FIVE)
def test_many_threads_are_served(name: str) -> None:
    """Eight threads on one session: every answer is the right one."""
    with running(World()) as address:
        session = service(name, address, Limits(concurrency=4)).open(Counting())
        faces = [crop(session, *key) for key in KEYS]
        pairs = list(itertools.combinations(faces, 2))
        expected = [session.compare(*pair).score for pair in pairs]
        found: list[list[float]] = []

        def ask() -> None:
            found.append([session.compare(*pair).score for pair in pairs])

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        session.close()
    assert found == [expected] * 8


@pytest.mark.parametrize("name", FIVE)
def test_what_is_no_image_is_refused_by_every_service(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """As each says it, and read as a failure to acquire by its client."""
    monkeypatch.setattr(
        "frtaudit.collection.clients.fitting._upright", lambda _: True
    )  # it would find the torn image itself
    whole = CLEAN.picture(0, 0)
    torn = Picture(data=whole.data[: len(whole.data) // 2], width=240, height=200, media="image/png")
    with running(World()) as address:
        session = service(name, address).open(Counting())
        with pytest.raises(CallError, match="failure_to_acquire: unreadable_image"):
            session.detect(torn)
        session.close()


def test_the_server_listens_to_this_machine_alone_and_says_how_it_is_found() -> None:
    """Loopback; the variables of every service, and an endpoint for each; other paths are not served."""
    with running(World()) as address:
        assert address.startswith("http://127.0.0.1:")
        port = int(address.rpartition(":")[2])
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{address}/elsewhere")
        asked = urllib.request.Request(f"{address}/counts", headers={"Host": "elsewhere.example"})
        with pytest.raises(urllib.error.HTTPError, match="421"):  # a page of the web that a name leads here
            urllib.request.urlopen(asked)
        with pytest.raises(DataError, match="in use"), running(World(), port):
            pass
    text = "\n".join(instructions(address))
    assert all(f"export {name}={value}" in text for name, value in ENVIRONMENT.items())
    assert all(f"services.{name}.endpoint={address}" in text for name in FIVE)
    assert answered(Request(method="GET", path="/counts"), World()).status == 200


@pytest.mark.parametrize(
    "wrong", [{"error": 1.5}, {"torn": -0.1}, {"error": 0.6, "lost": 0.6}, {"empty": 2.0}]
)
def test_shares_that_cannot_be_are_refused(wrong: dict[str, float]) -> None:
    """One line."""
    with pytest.raises(SpecError, match="serve-fake"):
        Faults(**wrong)  # type: ignore[arg-type]  # shares
    with pytest.raises(SpecError, match="serve-fake"):
        Conduct(latency=-1.0)


def test_a_picture_with_several_faces_is_compared_by_the_face_that_is_meant() -> None:
    """Of a crowd each service scores the face of the crop: equal to the score of that face alone, but for its cut."""
    crowd = type(CLEAN)(queries=1, images=1, crowd=1.0, wrong=0.0, near_duplicate=0.0, empty=0.0)
    with running(World()) as address:
        for name in FIVE:
            session = service(name, address).open(Counting())
            seen = session.detect(crowd.picture(0, 0)).faces
            assert len(seen) >= 2
            faces = [Crop(picture=crowd.picture(0, 0), face=face) for face in seen]
            same, other = session.compare(faces[0], faces[0]).score, session.compare(faces[0], faces[1]).score
            top = service(name, address).score_range[1]
            assert same > 0.7 * top
            assert other < same
            session.close()


def test_the_command_serves_until_it_is_stopped() -> None:
    """It says where it is, behaves as its flags say, and ends with Ctrl-C."""
    words = command("serve-fake", "--error", "1", "--seed", "3")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[3].rstrip(",")
        session = service("azure", address, Limits(attempts=2)).open(Counting())
        with pytest.raises(CallError, match="transport: http_500"):
            session.detect(CLEAN.picture(0, 0))
        session.close()
        assert counts(address)["services"]["azure"]["detect"] == {"attempts": 2, "answered": 0, "cost": 0.0}
        process.send_signal(signal.SIGINT)
        _, json_response = process.communicate(timeout=30)
    assert (process.returncode, json_response) == (130, "frtaudit: stopped\n")


@pytest.mark.parametrize("name", FIVE)
def test_a_wrong_key_is_found_unpaid(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a call: the right keys pass, another one is refused, and no attempt is counted."""
    gate = Counting()
    with running(World(conduct=CLEAN)) as address:
        session = service(name, address).open(gate)
        session.check()  # type: ignore[attr-defined]  # all five have it
        session.close()
        for variable in (variable for variable in ENVIRONMENT if _secret(name) in variable):
            monkeypatch.setenv(variable, "of-somebody-else")
        session = service(name, address).open(gate)
        with pytest.raises(ProviderError, match="refused"):
            session.check()  # type: ignore[attr-defined]
        session.close()
    assert not gate.passed


def _secret(name: str) -> str:
    return {"rekognition": "AWS", "tencent": "TENCENT"}.get(name, name.upper())
