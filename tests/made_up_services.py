"""The five services, set to the synthetic ones of this machine; a gate that counts."""

import threading
import time
from collections import Counter

import pytest

from frtaudit.collection.clients.protocol import Limits, Service, Session
from frtaudit.collection.fake.server import ENVIRONMENT
from frtaudit.collection.services.azure import Azure
from frtaudit.collection.services.facepp import FacePlusPlus
from frtaudit.collection.services.luxand import Luxand
from frtaudit.collection.services.rekognition import Rekognition
from frtaudit.collection.services.tencent import Tencent
from frtaudit.collection.sources.made_up import MadeUp
from frtaudit.core.collecting import Crop

FIVE = ("azure", "facepp", "luxand", "rekognition", "tencent")
CLEAN = MadeUp(queries=3, images=3, wrong=0.0, crowd=0.0, near_duplicate=0.0, empty=0.0)


class Counting:
    """A gate that lets all through and counts by kind."""

    def __init__(self) -> None:
        self.passed: Counter[str] = Counter()
        self._lock = threading.Lock()

    def attempt(self, kind: str) -> None:
        """One more."""
        with self._lock:
            self.passed[kind] += 1


def service(name: str, address: str, limits: Limits | None = None) -> Service:
    """One of the five at an address."""
    limits = limits or Limits()
    made = {
        "azure": Azure(endpoint=address, limits=limits),
        "facepp": FacePlusPlus(endpoint=address, limits=limits),
        "luxand": Luxand(endpoint=address, limits=limits),
        "rekognition": Rekognition(endpoint=address, limits=limits),
        "tencent": Tencent(endpoint=address, limits=limits),
    }
    return made[name]


class QuickClock:
    """Time goes on by what would be waited."""

    def __init__(self) -> None:
        self.waited = 0.0

    def sleep(self, amount: float) -> None:
        """Wait for nothing."""
        self.waited += amount

    def current_time(self) -> float:
        """Now."""
        return time.time() + self.waited


def with_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """The synthetic credentials, and no others; no wait before a second attempt."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AZURE_FACE_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "none")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "none")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setattr("frtaudit.collection.clients.http.FIRST_WAIT", 0.001)
    quick = {"throttling_base_scale": 0.001, "non_throttling_base_scale": 0.001}
    monkeypatch.setattr("botocore.retries.standard.ExponentialBackoff._DEFAULT_BACKOFF_CONFIG", quick)
    monkeypatch.setattr("botocore.retries.adaptive.bucket.Clock", QuickClock)


def crop(session: Session, query: int, image: int) -> Crop:
    """A synthetic picture and its first face as a session sees it."""
    picture = CLEAN.picture(query, image)
    return Crop(picture=picture, face=session.detect(picture).faces[0])
