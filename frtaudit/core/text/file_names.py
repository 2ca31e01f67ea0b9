"""File names made of names in the data, so that no name is a path and no two names share a file."""

import re
import unicodedata

from frtaudit.core.canonical import sha256

LONGEST = 64  # characters of a name that is used as it is
READABLE = 40  # characters kept of one that is not
DIGITS = 16
PART_DIGITS = 8  # of a part of a name, which has other parts beside it
RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
)  # devices on Windows, whatever follows the first dot
_SAFE = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9_-])?")
_MADE_PART = re.compile(rf".*_[0-9a-f]{{{PART_DIGITS}}}")
_MADE = re.compile(rf".*-[0-9a-f]{{{DIGITS}}}")


def file_name(name: str) -> str:
    """A file or folder name for a name of the data, without a suffix.

    A name of lower-case ASCII letters, digits, ``_``, ``-`` and ``.`` stays as it is. Any other becomes its readable
    part, ``-`` and the first digits of its SHA-256, so that two names never meet, also where case does not count.

    >>> file_name("vendor_2.1")
    'vendor_2.1'
    >>> file_name("../../.config/Trusted")
    'config_Trusted-1cb0d87389619aea'
    """
    if is_safe(name):
        return name
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    readable = re.sub(r"[^A-Za-z0-9-]+", "_", plain).strip("_-")[:READABLE].rstrip("_-")
    return f"{readable or 'name'}-{sha256(name.encode('utf-8', 'surrogatepass'))[:DIGITS]}"


def name_of(what: str, *parts: str) -> str:
    """The name of a figure or table: what it shows, then of which schema, class or system; empty parts are left out.

    A part that is no file name ends in digits of its SHA-256, and a ``-`` within any but the last is doubled: other
    parts make another name. :func:`file_name` leaves it as it is unless it is too long.

    >>> name_of("fnmr", "gender", "vendor-a"), name_of("fnmr", "age-group", "a"), name_of("det", "Ünal")
    ('fnmr-gender-vendor-a', 'fnmr-age--group-a', 'det-unal_d48b25c6')
    """
    given = [_part(part) for part in parts if part]
    return "-".join([what, *(part.replace("-", "--") for part in given[:-1]), *given[-1:]])


def number_name(value: float) -> str:
    """A number as part of the name of a figure.

    >>> number_name(0.003)
    '0-003'
    """
    return f"{value:g}".replace(".", "-")


def part_name(index: int, parts: int) -> str:
    """How a name ends that is of one of several parts of what would else have one; empty where there is one part.

    >>> part_name(0, 2), part_name(0, 1)
    ('part-1-of-2', '')
    """
    return f"part-{index + 1}-of-{parts}" if parts > 1 else ""


def _part(name: str) -> str:
    if is_safe(name) and not _MADE_PART.fullmatch(name):
        return name
    readable = file_name(name).rpartition("-")[0] or name
    return f"{readable.lower()}_{sha256(name.encode('utf-8', 'surrogatepass'))[:PART_DIGITS]}"


def is_safe(name: str) -> bool:
    """Whether a name can be a file's name as it is, on every file system, and looks like no name that was made.

    >>> is_safe("demo"), is_safe("Demo"), is_safe("nul"), is_safe("a/b")
    (True, False, False, False)
    """
    return (
        len(name) <= LONGEST
        and _SAFE.fullmatch(name) is not None
        and name.partition(".")[0] not in RESERVED
        and not _MADE.fullmatch(name)
    )
