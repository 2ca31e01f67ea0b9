"""An estimated number with its counts, its intervals, and for whom each interval holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from frtaudit.canonical import Json, dumps, number_in, number_out
from frtaudit.core.freeze import require


class Target(Enum):
    """For whom an interval holds."""

    POPULATION = "population"
    FIXED_IDENTITIES = "fixed_identities"
    COMPARISONS_IID = "comparisons_iid"
    SIMULATION = "simulation"


class Method(Enum):
    """How an interval was made."""

    NAIVE = "naive"
    RECENTERED = "recentered"
    GAUSSIAN = "gaussian"
    VERTEX = "vertex"
    DOUBLE_OR_NOTHING = "double_or_nothing"
    TWO_LEVEL = "two_level"
    WILSON = "wilson"
    WILSON_PLUGIN = "wilson_plugin"
    WILSON_IID = "wilson_iid"
    T_BOOTSTRAP = "t_bootstrap"
    T = "t"
    MAX_T = "max_t"
    VERTEX_GAUSSIAN = "vertex_gaussian"
    MONTE_CARLO = "monte_carlo"


SERVES: Mapping[Method, tuple[Target, ...]] = MappingProxyType(
    {
        Method.NAIVE: (Target.FIXED_IDENTITIES,),
        Method.RECENTERED: (Target.FIXED_IDENTITIES,),
        Method.GAUSSIAN: (Target.FIXED_IDENTITIES,),
        Method.VERTEX: (Target.POPULATION,),
        Method.DOUBLE_OR_NOTHING: (Target.POPULATION,),
        Method.TWO_LEVEL: (Target.POPULATION,),
        Method.WILSON: (Target.POPULATION,),
        Method.WILSON_PLUGIN: (Target.POPULATION,),
        Method.WILSON_IID: (Target.COMPARISONS_IID,),
        Method.T_BOOTSTRAP: (Target.COMPARISONS_IID,),
        Method.T: (Target.COMPARISONS_IID, Target.POPULATION),
        Method.MAX_T: (Target.POPULATION,),
        Method.VERTEX_GAUSSIAN: (Target.POPULATION,),
        Method.MONTE_CARLO: (Target.SIMULATION,),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An interval, unclipped; low and high are both None where a note says why."""

    low: float | None
    high: float | None
    level: float
    method: Method
    target: Target
    n_resamples: int | None = None
    n_eff: float | None = None
    mc_error: float | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        require((self.low is None) == (self.high is None), "both bounds or none")
        if self.low is None or self.high is None:
            require(bool(self.note), "an interval without bounds says why")
        else:
            require(self.low <= self.high, "low <= high")
        require(0 < self.level < 1, "level in (0, 1)")

    def to_json(self) -> dict[str, Json]:
        """The mapping of the result contract."""
        return {
            "low": _out(self.low),
            "high": _out(self.high),
            "level": self.level,
            "method": self.method.value,
            "target": self.target.value,
            "n_resamples": self.n_resamples,
            "n_eff": _out(self.n_eff),
            "mc_error": _out(self.mc_error),
            "note": self.note,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, object]) -> "Interval":
        """Read what :meth:`to_json` wrote."""
        fields = dict(value)
        fields["method"] = Method(fields["method"])
        fields["target"] = Target(fields["target"])
        for name in ("low", "high", "n_eff", "mc_error"):
            fields[name] = _in(fields[name])
        return cls(**fields)  # type: ignore[arg-type]  # checked against the JSON Schema on reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """One number: which system, which metric, for which group, at which threshold or target.

    ``value`` None means refused or not estimable: ``note`` says why. ``numerator`` and ``denominator`` are
    pooled counts (None for thresholds, indices, d_l2).
    """

    provider: str
    analysis: str
    metric: str
    schema: str | None
    group: str
    weighting: str | None
    at: Mapping[str, float | str]
    value: float | None
    numerator: int | None
    denominator: int | None
    unit: str
    intervals: tuple[Interval, ...] = ()
    note: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", MappingProxyType(dict(self.at)))
        require((self.numerator is None) == (self.denominator is None), "both counts or none")
        if self.numerator is not None and self.denominator is not None:
            require(0 <= self.numerator <= self.denominator, "errors within trials")
        require(self.value is not None or bool(self.note), "no value without a note")

    def __eq__(self, other: object) -> bool:
        """Equal JSON: an undefined value equals another."""
        return isinstance(other, Estimate) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        """Of the canonical JSON."""
        return hash(dumps(self.to_json()))

    def to_json(self) -> dict[str, Json]:
        """The mapping of the result contract."""
        return {
            "provider": self.provider,
            "analysis": self.analysis,
            "metric": self.metric,
            "schema": self.schema,
            "group": self.group,
            "weighting": self.weighting,
            "at": {key: _at(item) for key, item in self.at.items()},
            "value": _out(self.value),
            "numerator": self.numerator,
            "denominator": self.denominator,
            "unit": self.unit,
            "intervals": [interval.to_json() for interval in self.intervals],
            "note": self.note,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, object]) -> "Estimate":
        """Read what :meth:`to_json` wrote."""
        fields = dict(value)
        fields["value"] = _in(fields["value"])
        fields["intervals"] = tuple(
            Interval.from_json(interval)
            for interval in value["intervals"]  # type: ignore[attr-defined]  # schema-checked
        )
        return cls(**fields)  # type: ignore[arg-type]  # checked against the JSON Schema on reading


def _out(value: float | None) -> Json:
    return None if value is None else number_out(float(value))


def _in(value: object) -> float | None:
    return None if value is None else number_in(value)  # type: ignore[arg-type]  # schema-checked


def _at(value: float | str) -> Json:
    return value if isinstance(value, str) else number_out(float(value))
