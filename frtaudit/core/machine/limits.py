"""How large a value of a spec may be: beyond it nobody gets an answer, so it is refused before anything is read.

Declared here once, by the name of a field, whatever it is a field of; kept by :mod:`frtaudit.core.plain.structure`.
"""

import math
import re
from collections.abc import Mapping

from frtaudit.errors import SpecError

TEXT = 20_000  # characters of a text
ITEMS = 100_000  # of a list
WHOLE = 10**15  # any other whole number
REAL = 1e15  # a number with a fraction, either sign; infinity, where a field means it, is written .inf

_NO_TEXT = re.compile("[\\ud800-\\udfff]")

LARGEST: Mapping[str, int] = {
    "--images": 1_000_000,
    "--queries": 1_000_000,
    "B": 1_000_000,
    "attempts": 1_000,
    "cohorts": 1_000_000,
    "concurrency": 1_000,
    "curve_points": 100_000,
    "deals": 1_000_000,
    "digits": 15,
    "dimension": 100_000,
    "identities": 100_000_000,
    "images": 3_000_000,
    "k": 10_000,
    "num": 100_000,
    "pairs": 1_000_000,
    "per_decade": 1_000,
    "points": 100_000,
    "queries": 10_000_000,
    "repeats": 1_000,
    "replicates": 1_000_000,
    "rounds": 1_000,
    "samples": 1_000_000,
    "samples_per_subject": 10_000,
    "strata": 10_000,
    "subjects": 100_000_000,
    "threads": 1_024,
    "truths": 1_000_000,
    "upsample": 8,
}


def check_whole(where: str, value: int) -> None:
    """Raise :class:`SpecError` for a whole number that is too large for the field that ``where`` ends with.

    >>> check_whole("bootstrap.B", 99_999_999_999)
    Traceback (most recent call last):
    frtaudit.errors.SpecError: bootstrap.B: found 99999999999; accepted: at most 1000000
    """
    largest = LARGEST.get(where.rpartition(".")[2].partition("[")[0], WHOLE)
    if abs(value) > largest:
        shown = str(value) if abs(value) <= 10**30 else "a number of more than 30 digits"
        raise SpecError(where, f"found {shown}", f"at most {largest}")


def check_real(where: str, value: float) -> None:
    """Raise :class:`SpecError` for a finite number so large that products of it overflow, and for what is not a number.

    >>> check_real("cohort.concentration", 1e308)
    Traceback (most recent call last):
    frtaudit.errors.SpecError: cohort.concentration: found 1e+308; accepted: at most 1e+15
    """
    if math.isnan(value):
        raise SpecError(where, "found nan", "a number")
    if REAL < abs(value) < math.inf:
        raise SpecError(where, f"found {value:g}", f"at most {REAL:g}")


def check_images(where: str, subjects: int, each: int) -> None:
    """Raise :class:`SpecError` for more images than a cohort that is drawn may have.

    >>> check_images("cohort.subjects", 10**7, 3)
    Traceback (most recent call last):
    frtaudit.errors.SpecError: cohort.subjects: 10000000 with up to 3 images each; accepted: at most 3000000 images
    """
    if subjects * each > LARGEST["images"]:
        raise SpecError(
            where, f"{subjects} with up to {each} images each", f"at most {LARGEST['images']} images"
        )


def check_text(where: str, text: str) -> None:
    """Raise :class:`SpecError` for a text that is too long, or that no file can hold: half of a surrogate pair.

    >>> check_text("question", "a" + chr(0xD800))
    Traceback (most recent call last):
    frtaudit.errors.SpecError: question: the character U+D800; accepted: text
    """
    check_length(where, len(text), TEXT, "characters")
    strange = _NO_TEXT.search(text)
    if strange:
        raise SpecError(where, f"the character U+{ord(strange[0]):04X}", "text")


def check_length(where: str, length: int, most: int, unit: str) -> None:
    """Raise :class:`SpecError` for more than ``most`` of ``unit``.

    >>> check_length("question", 10_000_000, TEXT, "characters")
    Traceback (most recent call last):
    frtaudit.errors.SpecError: question: found 10000000 characters; accepted: at most 20000
    """
    if length > most:
        raise SpecError(where, f"found {length} {unit}", f"at most {most}")
