"""The paper of a report: its sheet, who signs it by hand, and how far the signature of its PDF reaches."""

from dataclasses import dataclass
from enum import Enum


class Paper(Enum):
    """The sheet that the PDF is laid out for."""

    A4 = "a4"
    LETTER = "letter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signatory:
    """Who signs the paper: a name and, where it is declared, a role."""

    name: str
    role: str | None = None


class PadesLevel(Enum):
    """How far the PDF's signature reaches: by itself, with a time, with revocation data, with a time over all of it."""

    B_B = "B-B"
    B_T = "B-T"
    B_LT = "B-LT"
    B_LTA = "B-LTA"
