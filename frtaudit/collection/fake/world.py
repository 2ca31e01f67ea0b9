"""What the synthetic services know: their models, the faces that they have seen, and what was asked of them."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from frtaudit.collection.clients.made_up import boxes_in, likeness, logistic, template
from frtaudit.collection.fake.faults import Faults
from frtaudit.core.arrays import Floats
from frtaudit.core.canonical import seed_of
from frtaudit.core.collecting import Box, Picture
from frtaudit.errors import SpecError


@dataclass(frozen=True, slots=True, kw_only=True)
class Matcher:
    """A service's scale: ``span`` / (1 + exp(-slope (likeness - middle))), rounded to ``digits``."""

    noise: float
    middle: float
    slope: float
    span: float
    digits: int


MATCHERS: Mapping[str, Matcher] = {
    "azure": Matcher(noise=0.03, middle=0.45, slope=9.0, span=1.0, digits=5),
    "facepp": Matcher(noise=0.10, middle=0.35, slope=7.0, span=100.0, digits=3),
    "luxand": Matcher(noise=0.14, middle=0.35, slope=6.0, span=1.0, digits=6),
    "rekognition": Matcher(noise=0.02, middle=0.50, slope=10.0, span=100.0, digits=4),
    "tencent": Matcher(noise=0.05, middle=0.40, slope=8.0, span=100.0, digits=2),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Conduct:
    """How the services behave.

    ``latency``: seconds, from half to one and a half times it; ``rate``: calls a second of a service above which it
    throttles; ``swap_after``: answered comparisons of a service after which another model answers; ``swap_share``: of
    comparisons that the other model answers from the start; ``asymmetry``: of both orders of a pair; ``lifetime``:
    seconds that a token lasts where the service is not told; ``detect``, ``compare``: price of an answer.
    """

    faults: Faults = field(default_factory=Faults)
    latency: float = 0.0
    rate: float | None = None
    swap_after: int | None = None
    swap_share: float = 0.0
    swap_shift: float = 0.1
    asymmetry: float = 0.0
    lifetime: float = 86_400.0
    detect: float = 0.001
    compare: float = 0.001
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for what no service does."""
        least = min(self.latency, self.asymmetry, self.swap_share)
        if least < 0 or (self.rate is not None and self.rate <= 0):
            raise SpecError("serve-fake", "a delay, share or rate below 0", "0 or more; a rate above 0")


@dataclass(slots=True, kw_only=True)
class World:
    """State of all services; safe from many threads."""

    conduct: Conduct = field(default_factory=Conduct)
    clock: Callable[[], float] = time.monotonic
    _tokens: dict[str, tuple[Floats, float]] = field(default_factory=dict, repr=False)
    _attempts: Counter[str] = field(default_factory=Counter, repr=False)
    _answered: Counter[str] = field(default_factory=Counter, repr=False)
    _totals: Counter[str] = field(default_factory=Counter, repr=False)
    _faults: Counter[str] = field(default_factory=Counter, repr=False)
    _next: dict[str, float] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def attempt(self, service: str, kind: str, key: str) -> int:
        """Count an attempt; how many of the same request came before it."""
        with self._lock:
            name = f"{service}:{kind}:{key}"
            self._attempts[name] += 1
            return self._attempts[name] - 1

    def answered(self, service: str, kind: str, key: str) -> None:
        """Count an answer, which is billed."""
        with self._lock:
            self._answered[f"{service}:{kind}:{key}"] += 1
            self._totals[f"{service}:{kind}"] += 1

    def befell(self, fault: str) -> None:
        """Count a fault."""
        with self._lock:
            self._faults[fault] += 1

    def too_fast(self, service: str) -> bool:
        """Whether a call comes above the rate: a bucket of one second's calls."""
        rate = self.conduct.rate
        if rate is None:
            return False
        with self._lock:
            now = self.clock()
            turn = max(self._next.get(service, 0.0), now - 1.0) + 1.0 / rate
            if turn > now:
                return True
            self._next[service] = turn
            return False

    def faces(self, picture: Picture) -> list[tuple[Box, Floats]]:
        """Bright regions and their templates, from left to right."""
        return [(box, template(picture, box)) for box in boxes_in(picture)]

    def token(self, service: str, values: Floats, lifetime: float | None = None) -> str:
        """What a service calls a face by: the same for the same pixels, good for ``lifetime`` seconds from now."""
        name = f"{seed_of(0, service, values.tobytes().hex()):016x}{seed_of(1, service, values.tobytes().hex()):016x}"
        with self._lock:
            self._tokens[name] = (values, self.clock() + (lifetime or self.conduct.lifetime))
        return name

    def face_of(self, token: str) -> Floats | None:
        """The template of a token; None for one that is unknown or has ended."""
        with self._lock:
            values, ends = self._tokens.get(token, (np.zeros(0), -np.inf))
        return values if ends > self.clock() else None

    def score(self, service: str, template: Floats, other: Floats, key: str) -> float:
        """On the service's scale."""
        matcher, swapped = MATCHERS[service], self.swapped(service, key)
        model = f"{service} {'two' if swapped else 'one'}"
        value = likeness(template, other, model, matcher.noise, self.conduct.asymmetry)
        middle = matcher.middle - (self.conduct.swap_shift if swapped else 0.0)
        return round(matcher.span * logistic(value, middle, matcher.slope), matcher.digits)

    def swapped(self, service: str, key: str) -> bool:
        """Whether the other model answers."""
        conduct = self.conduct
        with self._lock:
            late = conduct.swap_after is not None and self._totals[f"{service}:compare"] >= conduct.swap_after
        if late:
            return True
        draw = np.random.default_rng(seed_of(conduct.seed, "swap", service, key)).random()
        return bool(draw < conduct.swap_share)

    def counts(self) -> dict[str, object]:
        """What was asked, by service and kind, by fault, and by request."""
        prices = {name: Fraction(str(getattr(self.conduct, name))) for name in ("detect", "compare")}
        with self._lock:
            attempts, answered, faults = self._attempts.copy(), self._answered.copy(), dict(self._faults)
        services: dict[str, dict[str, dict[str, float]]] = {}
        requests: dict[str, dict[str, int]] = {}
        for name in sorted(attempts):
            requests[name] = {"attempts": attempts[name], "answered": answered[name]}
            service, kind, _ = name.split(":")
            kinds = services.setdefault(service, {})
            row = kinds.setdefault(kind, {"attempts": 0, "answered": 0, "cost": 0.0})
            row["attempts"] += attempts[name]
            row["answered"] += answered[name]
            row["cost"] = float(prices[kind] * int(row["answered"]))
        return {"services": services, "faults": faults, "requests": requests}


def area(face: tuple[Box, Floats]) -> float:
    """Of a face's box, by which the largest is chosen."""
    return face[0].width * face[0].height
