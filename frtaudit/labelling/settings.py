"""What a spec says of labels: which faces and pairs are used, and how faces get their labels (read without NumPy)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from frtaudit.core.spec_values import LabelSource, Limits, Rule
from frtaudit.errors import SpecError

if TYPE_CHECKING:
    from frtaudit.core.labelling import Service


class Detected(StrEnum):
    """Which faces are used: of images in which every service finds exactly one, as published, or all that all find."""

    SINGLE = "single"
    ALL = "all"


class Between(StrEnum):
    """Pairs of faces of different queries: those listed; of one group, as many as within queries, drawn; or all."""

    LISTED = "listed"
    MATCHED = "matched"
    ALL = "all"


class Several(StrEnum):
    """A query in which several identities prevail is left out, as published, or each of them is used."""

    DROP = "drop"
    USE = "use"


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How faces get their labels.

    ``source``: whose labels make the cohort; the rest is of the estimate (FORMULAS 5): ``several``: what becomes of
    queries with several identities; ``modes``: service to the modes of its scores, by default those of a mixture;
    ``services``: that label, by default all.
    """

    source: LabelSource = LabelSource.ESTIMATED
    rule: Rule = Rule.PUBLIC
    limits: Limits = field(default_factory=Limits)
    several: Several = Several.DROP
    modes: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    services: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for modes that do not ascend, and for limits that leave nothing to tell."""
        for name, (low, high) in self.modes.items():
            if not low < high:
                where, accepted = f"cohort.labels.modes.{name}", "two numbers, non-mated first: low < high"
                raise SpecError(where, f"{low:g}, {high:g}", accepted)
        for limit, least in (("min_faces", 2), ("min_positives", 1)):
            if getattr(self.limits, limit) < least:
                text = f"{getattr(self.limits, limit)}"
                raise SpecError(f"cohort.labels.limits.{limit}", text, f"{least} or more")

    def labelling_services(self, services: "Sequence[Service]") -> "list[Service]":
        """The services that label. Raises :class:`SpecError` for one that said nothing."""
        known = [service.name for service in services]
        unknown = next((name for name in (*self.services, *self.modes) if name not in known), None)
        if unknown is not None:
            raise SpecError("cohort.labels", f"no scores of {unknown!r}", ", ".join(known))
        return [service for service in services if not self.services or service.name in self.services]

    def among(self, services: "Sequence[Service]") -> "How":
        """The same without what it says of services that are not there; as it is where none that label would be left.

        >>> found = How(services=("acme", "bolt"), modes={"bolt": (0.0, 1.0)}).among([])
        >>> found.services, found.modes
        (('acme', 'bolt'), {})
        """
        known = {service.name for service in services}
        left = tuple(name for name in self.services if name in known)
        modes = {name: pair for name, pair in self.modes.items() if name in known}
        return replace(self, modes=modes, services=left or self.services)
