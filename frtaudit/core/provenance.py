"""Where a system and a test set come from, and what their licences allow: as declared in the spec."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from frtaudit.core.spec_values import PATH

_NON_COMMERCIAL = re.compile(r"non[- ]?commercial|\bNC\b|research(?: use| purposes)? only", re.IGNORECASE)


class Use(Enum):
    """What a licence allows: ``commercial`` use too, ``non_commercial`` use only, or what is ``not_declared``."""

    COMMERCIAL = "commercial"
    NON_COMMERCIAL = "non_commercial"
    NOT_DECLARED = "not_declared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A model, its weights, or data: ``digest`` is a SHA-256; ``licence`` its name, or its terms in a few words."""

    name: str
    version: str | None = None
    licence: str | None = None
    use: Use = Use.NOT_DECLARED
    creator: str | None = None
    source: str | None = None
    digest: str | None = None

    @property
    def non_commercial(self) -> bool:
        """Whether it is for non-commercial use only: as declared, else as the licence's name says.

        >>> Origin(name="faces", licence="CC BY-NC 4.0").non_commercial
        True
        """
        if self.use is not Use.NOT_DECLARED:
            return self.use is Use.NON_COMMERCIAL
        return _NON_COMMERCIAL.search(self.licence or "") is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOrigin:
    """What a system is made of."""

    model: Origin | None = None
    weights: Origin | None = None
    training_data: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Of each system by its name, and of the test data; ``croissant``: a file whose description of these is taken."""

    systems: Mapping[str, SystemOrigin] = field(default_factory=dict)
    test_data: Origin | None = None
    croissant: str | None = field(default=None, metadata=PATH)

    def origins(self) -> Iterator[tuple[str, str, Origin]]:
        """Each origin with its dotted place in the spec and whose it is: a system's name, or the empty text."""
        for name, system in self.systems.items():
            for part in ("model", "weights", "training_data"):
                origin = getattr(system, part)
                if origin is not None:
                    yield f"systems/{name}/{part}", name, origin
        if self.test_data is not None:
            yield "test_data", "", self.test_data
