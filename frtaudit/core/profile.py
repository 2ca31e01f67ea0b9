"""Limits that somebody else wrote: the source, what it asks, and where that was read."""

from dataclasses import dataclass, field
from enum import Enum

from frtaudit.core.plain.records import ADDED


class Confidence(Enum):
    """Where a fact of a profile was read."""

    DOCUMENT = "document"
    SECONDARY = "secondary_source"
    ARITHMETIC = "arithmetic"
    UNCONFIRMED = "unconfirmed"


class Counts(Enum):
    """What error rates of a profile are counted on."""

    COMPARISONS = "comparisons"
    TRANSACTIONS = "transactions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What a source asks; ``confidence``: where that was read.

    ``cannot``: why comparison scores do not show it, ``would``: what would show it; empty where findings do.
    ``unless``: the analysis that shows it where an audit has it.
    """

    asks: str
    confidence: Confidence
    cannot: str = ""
    would: str = ""
    unless: str = field(default="", metadata=ADDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileSpec:
    """A set of requirements that somebody else wrote: the source, and what it asks. Limits are its requirements.

    ``source``: the document; ``confidence``: of the limits that decide; ``checked``: the day they were read; ``rule``:
    the source's statistical rule, None where it sets none; ``groups``: whom it names; ``sizes``: its minimum sizes;
    ``status``: what else to know of it.
    """

    source: str
    date: str
    title: str = ""
    version: str = ""
    section: str = ""
    address: str = ""
    confidence: Confidence = Confidence.DOCUMENT
    checked: str = ""
    status: str = ""
    counts: Counts = Counts.COMPARISONS
    rule: str | None = None
    sizes: str | None = None
    groups: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
