"""A synthetic source and a synthetic service of this machine: pictures drawn from a seed, scores from their pixels.

Registered by :func:`registered` for one test, so that no list of plug-ins shows them.
"""

import io
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from hydra.core.config_store import ConfigStore
from PIL import Image

from frtaudit.collection.clients.pictures import picture_of, pixels
from frtaudit.collection.clients.protocol import UNKEPT, Gate, Limits, Notes, SourceImage
from frtaudit.core import registry
from frtaudit.core.collecting import Answer, Box, CallError, Crop, DetectedFace, Detection, Picture, Refusal
from frtaudit.errors import ProviderError

SIDE = 24
SECRET = "not-to-be-written-anywhere"  # a credential: only in the environment


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """``queries`` people with ``images`` pictures each; ``strange``: one picture in so many cannot be read."""

    queries: int = 6
    images: int = 8
    seed: int = 1
    strange: int = 0
    changed: bool = False
    letters: str = "ab"
    paid_for: float = 0.0

    def finds(self, notes: Notes = UNKEPT) -> Iterator[SourceImage]:
        """Every picture."""
        for query in range(self.queries):
            if self.paid_for:
                notes.answer("search", f"{query}", lambda: "[]")
            for image in range(self.images):
                group = self.letters[query % 2]
                yield SourceImage(
                    query=query,
                    place=f"drawn {query} image {image}",
                    columns={"group": group},
                    address=(query, image),
                )

    def read(self, found: SourceImage) -> Picture:
        """One picture, drawn again."""
        query, image = found.address
        if self.strange and (query * self.images + image) % self.strange == self.strange - 1:
            return picture_of(b"\xff\xd8 torn")
        rng = np.random.default_rng([self.seed, query, image, int(self.changed)])
        own = np.random.default_rng([self.seed, query]).uniform(40, 215, (SIDE, SIDE, 3))
        drawn = np.clip(own + rng.normal(0, 12, own.shape), 0, 255).astype(np.uint8)
        stream = io.BytesIO()
        Image.fromarray(drawn).save(stream, format="PNG")
        return picture_of(stream.getvalue())

    def cautions(self) -> tuple[str, ...]:
        """One, where searching is paid for."""
        return ("drawn line 3: nearly the name of line 2",) if self.paid_for else ()

    def at_most(self) -> Sequence[int]:
        """The same for all."""
        return [self.images] * self.queries

    def calls(self) -> Mapping[str, int]:
        """One for each query, where searching is paid for."""
        return {"search": self.queries} if self.paid_for else {}

    @property
    def paid(self) -> Mapping[str, float]:
        """Nothing, but where a test says so."""
        return {"search": self.paid_for} if self.paid_for else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """Compares pixels. ``log``: a file of a line for each attempt; ``swap``: from that call on another model.

    ``faults``: one attempt in so many fails because of transport errors; ``noise``: of each score;
    ``lives``: seconds of a handle, 0 for services without handles; ``template``: whether it is not text, and of one
    session; ``renews``: one picture in so many is detected again in each comparison; ``skew``: what the second of two
    pictures is worth less; ``crowded``: one picture in so many is compared with nothing.
    """

    limits: Limits = field(default_factory=Limits)
    detects: bool = True
    log: str | None = None
    wait: float = 0.0
    faults: int = 0
    broken: int = 0
    breaks: str = ""
    swap: int = 0
    noise: float = 0.0
    lives: float = 0.0
    template: bool = False
    renews: int = 0
    skew: float = 0.0
    shift: float = 0.0
    blind: int = 0
    crowded: int = 0
    down_after: int = 0
    fails: str = ""
    secret: bool = False
    model: str = "one"

    @property
    def score_range(self) -> tuple[float, float]:
        """Of a correlation."""
        return (-1.0, 1.0)

    def recorded_settings(self) -> Mapping[str, str]:
        """The model."""
        return {"model": self.model}

    def open(self, gate: Gate) -> "TwinSession":
        """A session, if its key is there."""
        if self.secret and not os.environ.get("TWIN_KEY"):
            raise ProviderError("twin", "no credentials", "TWIN_KEY in the environment")
        return TwinSession(self, gate)


class TwinSession:
    """An open twin."""

    def __init__(self, twin: Twin, gate: Gate) -> None:
        self.twin, self.gate, self.calls, self.lock = twin, gate, 0, threading.Lock()
        self.most, self.flying = 0, 0
        self.log = None if twin.log is None else os.open(twin.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def _attempts(self, kind: str, what: str) -> int:
        """Attempts until one goes well; the number of the call."""
        for attempt in range(self.twin.limits.attempts):
            self.gate.attempt(kind)
            with self.lock:
                self.calls += 1
                number = self.calls
                self.flying += 1
                self.most = max(self.most, self.flying)
            if self.log is not None:
                os.write(self.log, f"{kind} {what}\n".encode())
            if self.twin.wait:
                time.sleep(self.twin.wait)
            with self.lock:
                self.flying -= 1
            if not (
                self.twin.faults
                and number % self.twin.faults == 0
                and attempt + 1 < self.twin.limits.attempts
            ):
                break
        if self._fails(kind, what, number):
            raise CallError(Refusal.TRANSPORT, "down")
        return number

    def _fails(self, kind: str, what: str, number: int) -> bool:
        """Whether a call fails because of transport errors, however often it is made."""
        twin = self.twin
        bad = twin.broken and kind.startswith(twin.breaks) and int(what[:4], 16) % twin.broken == 0
        late = twin.down_after and number > twin.down_after
        return bool(bad or late or (twin.fails and twin.fails in what))

    def detect(self, picture: Picture) -> Detection:
        """The whole picture is a face."""
        self._attempts("detect", picture.digest)
        if self.twin.blind and int(picture.digest[:4], 16) % self.twin.blind == 0:
            return Detection(faces=(), version="d1")
        shift = self.twin.shift
        box = Box(x=shift, y=shift, width=picture.width, height=picture.height)
        if not self.twin.lives:
            return Detection(faces=(DetectedFace(box=box),), version="d1", request="r")
        expires = time.monotonic() + self.twin.lives
        token = f"{picture.digest} {expires}"  # of this machine: it lasts when the process ends
        handle = (token, id(self)) if self.twin.template else token
        return Detection(faces=(DetectedFace(box=box, handle=handle, expires=expires),), version="d1")

    def compare(self, probe: Crop, reference: Crop) -> Answer:
        """The correlation of two pictures."""
        if self.twin.lives:
            for crop in (probe, reference):
                token, of = (
                    (crop.face.handle, id(self)) if isinstance(crop.face.handle, str) else crop.face.handle
                )
                if of != id(self) or float(token.split()[1]) < time.monotonic():
                    raise CallError(Refusal.FAILURE_TO_ACQUIRE, "handle_expired")
        if self.twin.renews and crowded(probe.picture, self.twin.renews):
            self._attempts("detect", probe.picture.digest)
        number = self._attempts("compare", f"{probe.picture.digest} {reference.picture.digest}")
        if self.twin.crowded and any(crowded(crop.picture, self.twin.crowded) for crop in (probe, reference)):
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "several_faces")
        one, other = (np.asarray(pixels(crop.picture), dtype=float).ravel() for crop in (probe, reference))
        score = float(np.corrcoef(one, other)[0, 1])
        if self.twin.skew and probe.picture.digest < reference.picture.digest:
            score -= self.twin.skew
        swapped = bool(self.twin.swap) and number > self.twin.swap
        if self.twin.noise:
            score += self.twin.noise * np.random.default_rng(number).normal()
        return Answer(
            score=round(score / 2 if swapped else score, 6),
            version="m2" if swapped else "m1",
            request=f"r{number}",
        )

    def close(self) -> None:
        """Close the log."""
        if self.log is not None:
            os.close(self.log)


def crowded(picture: Picture, one_in: int) -> bool:
    """Whether a picture is one of those that a service compares with nothing."""
    return int(picture.digest[:4], 16) % one_in == 0


def registered() -> None:
    """Make both known in this process."""
    registry._registered["source", "drawn"] = Drawn
    registry._registered["service", "twin"] = Twin


def forgotten() -> None:
    """Undo :func:`registered`, also where a spec was composed since: its options stay in Hydra's store."""
    for group, name in (("source", "drawn"), ("service", "twin")):
        registry._registered.pop((group, name), None)
        ConfigStore.instance().repo.get(group, {}).pop(f"{name}.yaml", None)


def attempts(log: Path) -> list[str]:
    """What reached the service, in order."""
    return log.read_text().splitlines() if log.exists() else []
