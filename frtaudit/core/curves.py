"""Curves: what is drawn, with its band."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from frtaudit.canonical import Json, dumps, number_in, number_out
from frtaudit.core.estimates import Method, Target
from frtaudit.core.freeze import freeze, require

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class RateCurve:
    """FMR and FNMR over thresholds, kept as counts.

    ``thresholds`` (T,) float64 ascending; ``non_match_errors``, ``match_errors`` (T,) int64: mated scores <= t,
    non-mated scores > t; ``n_mated``, ``n_non_mated``: trials.
    """

    thresholds: Floats
    false_non_matches: npt.NDArray[np.int64]
    false_matches: npt.NDArray[np.int64]
    n_mated: int
    n_non_mated: int

    def __post_init__(self) -> None:
        freeze(self, "thresholds", "false_non_matches", "false_matches")
        require(bool(np.all(np.diff(self.thresholds) > 0)), "thresholds ascend")
        require(bool(np.all(np.diff(self.false_non_matches) >= 0)), "false non-matches rise")
        require(bool(np.all(np.diff(self.false_matches) <= 0)), "false matches fall")

    @property
    def fnmr(self) -> Floats:
        """False non-match rate at each threshold, shape (T,)."""
        return np.asarray(self.false_non_matches / max(self.n_mated, 1), dtype=np.float64)

    @property
    def fmr(self) -> Floats:
        """False match rate at each threshold, shape (T,)."""
        return np.asarray(self.false_matches / max(self.n_non_mated, 1), dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A curve of the result: y over x, with an optional pointwise or simultaneous band low..high.

    ``analysis`` names the kind of curve (``roc``, ``det``, ``tar``, ``tar_difference``, ``fmr``, ``fnmr``, ...).
    """

    provider: str
    analysis: str
    schema: str | None
    group: str
    weighting: str | None
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None
    method: Method | None = None
    target: Target | None = None

    def __post_init__(self) -> None:
        require(len(self.x) == len(self.y), "one y per x")
        require((self.low is None) == (self.high is None), "both bounds or none")
        require(self.low is None or len(self.low) == len(self.x), "one bound per x")

    def __eq__(self, other: object) -> bool:
        """Equal JSON: an undefined point equals another."""
        return isinstance(other, Curve) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        """Of the canonical JSON."""
        return hash(dumps(self.to_json()))

    def to_json(self) -> dict[str, Json]:
        """The mapping of the result contract."""
        return {
            "provider": self.provider,
            "analysis": self.analysis,
            "schema": self.schema,
            "group": self.group,
            "weighting": self.weighting,
            "x": _list(self.x),
            "y": _list(self.y),
            "low": _list(self.low),
            "high": _list(self.high),
            "method": self.method.value if self.method else None,
            "target": self.target.value if self.target else None,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, object]) -> "Curve":
        """Read what :meth:`to_json` wrote."""
        fields = dict(value)
        for name in ("x", "y", "low", "high"):
            if fields[name] is not None:
                fields[name] = tuple(number_in(item) for item in fields[name])  # type: ignore[attr-defined]  # schema-checked
        fields["method"] = Method(fields["method"]) if fields["method"] else None
        fields["target"] = Target(fields["target"]) if fields["target"] else None
        return cls(**fields)  # type: ignore[arg-type]  # checked against the JSON Schema on reading


def _list(values: tuple[float, ...] | None) -> Json:
    return None if values is None else [number_out(float(item)) for item in values]
