"""The errors that a user sees: one line each, naming the place, what was found, what would be accepted."""

import json
import re
import unicodedata
from collections.abc import Collection, Mapping
from itertools import islice

LONGEST = 1000  # characters of what was found
SHOWN = 20  # of a value in a file, whole
COLUMNS = 40  # names of them in an error
_COLUMN = re.compile(r"[^\W\d][\w .()-]{0,23}")
_IN_QUOTES = re.compile(r"[ ()]")  # of such a name, in a shell
_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_IN_TEXT = frozenset("\t\n\r\u200c\u200d")


class FrtauditError(Exception):
    """Base of every error that frtaudit raises on purpose. Its message is one line: ``where: problem; accepted: ...``.

    Parameters
    ----------
    where : str
        The place: a key of the spec, or a file and line.
    problem : str
        What was found there.
    accepted : str, optional
        What would be accepted.

    Examples
    --------
    >>> print(FrtauditError("faces.csv line 3", "no subject id", "an id in every row"))
    faces.csv line 3: no subject id; accepted: an id in every row
    """

    exit_code = 1

    def __init__(self, where: str, problem: str, accepted: str = "") -> None:
        self.where = where
        self.found = problem
        self.accepted = accepted
        super().__init__(where, problem, accepted)

    def __str__(self) -> str:
        """One line: ``where: found; accepted: ...``."""
        line = f"{self.where}: {_short(self.found)}"
        if self.accepted:
            line += f"; accepted: {self.accepted}"
        return printable(" ".join(line.split()))


def _short(text: str) -> str:
    """What was found may be as long as an input is: of much, its beginning and its end."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 100]} ... {text[-90:]}"


def excerpt(text: str) -> str:
    """What stands in a file, for an error: whole where it is short, else its beginning and its length.

    A spec may name any file that its user can read: an error tells what kind of thing was found, not what it holds.

    >>> print(excerpt("4x"), excerpt("AWS_SECRET_ACCESS_KEY=abc"))
    '4x' 'AWS_SECR'... (25 characters)
    """
    return repr(text) if len(text) <= SHOWN else f"{text[:8]!r}... ({len(text)} characters)"


def column_names(columns: Collection[str]) -> str:
    """Names that a file's first line gives its columns, for an error: what is no name is cut short, as are many names.

    Each is quoted where a shell needs it: it is typed as it is printed.

    >>> print(column_names(["image_id", "age", "image id", "root:$6$kkkqqq"]))
    image_id, age, 'image id', 'root:$6$'... (14 characters)
    """
    more = len(columns) - COLUMNS
    names = [
        (f"'{name}'" if _IN_QUOTES.search(name) else name)
        if _COLUMN.fullmatch(name)
        else f"{name[:8]!r}... ({len(name)} characters)"
        for name in islice(columns, COLUMNS)
    ]
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


class SpecError(FrtauditError):
    """The spec cannot be run as it is written (usage: exit code 2).

    Parameters are those of :class:`FrtauditError`.

    Examples
    --------
    >>> SpecError("bootstrap.B", "found 0", "1 or more").exit_code
    2
    """

    exit_code = 2


class DataError(FrtauditError):
    """An input file or its content cannot be used (exit code 1).

    Parameters are those of :class:`FrtauditError`.

    Examples
    --------
    >>> print(DataError("scores.csv", "is empty", "a header and a row for each comparison"))
    scores.csv: is empty; accepted: a header and a row for each comparison
    """


class ProviderError(FrtauditError):
    """A provider cannot answer at all (a failed comparison is data, not this).

    Parameters are those of :class:`FrtauditError`.

    Examples
    --------
    >>> print(ProviderError("acme", "the account is refused", "another key"))
    acme: the account is refused; accepted: another key
    """


class UnfinishedError(FrtauditError):
    """A process came to no end of its own: the machine lacked something, or it took too long (exit code 1)."""


class ClusterError(FrtauditError):
    """The machines that were to share the work cannot (exit code 1)."""


class VerificationError(FrtauditError):
    """A signature, digest or statement does not hold.

    Parameters are those of :class:`FrtauditError`.

    Examples
    --------
    >>> VerificationError("runs/1", "report.json is changed").exit_code
    2
    """

    exit_code = 2


_REASONS: Mapping[type[BaseException], str] = {
    json.JSONDecodeError: "it is no JSON",
    UnicodeDecodeError: "it is not UTF-8",
    MemoryError: "no memory is left",
    RecursionError: "it is nested too deeply",
    ArithmeticError: "a number of it is out of range",
    LookupError: "a part of it is missing",
    ValueError: "a value in it is not allowed there",
    TypeError: "a part of it is of another kind",
    AttributeError: "a part of it is of another kind",
}


def why(error: BaseException) -> str:
    """Why something could not be read, in words: one of ours says it itself, of others it follows from their kind.

    >>> why(KeyError("spec")), why(DataError("a.csv", "is empty"))
    ('a part of it is missing', 'a.csv is empty')
    """
    if isinstance(error, FrtauditError):
        return f"{error.where} {_short(error.found)}"
    return next((words for kind, words in _REASONS.items() if isinstance(error, kind)), "it is damaged")


def printable(text: str) -> str:
    r"""``text`` as one line that a terminal shows and does not obey.

    Control characters, line separators, direction marks, unassigned characters and bytes that were no UTF-8 become
    their escapes, as ``repr`` writes them.

    >>> print(printable("a.csv\nok \x1b[2J\u202e"))
    a.csv\nok \x1b[2J\u202e
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        mark.encode("unicode_escape").decode("ascii") if unicodedata.category(mark) in _HIDDEN else mark
        for mark in text
    )


def legible(text: str) -> str:
    r"""``text`` as a page shows it: what hides or turns round other text is an escape, as in :func:`printable`.

    White space stays, and so do the marks of no width that join and part the letters of a script.

    >>> print(legible("A\u202e 5 %\nB"))
    A\u202e 5 %
    B
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(mark if mark in _IN_TEXT else printable(mark) for mark in text)
