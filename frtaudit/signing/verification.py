"""What a verification found: checks, each one line, and the verdict that follows from the worst of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from frtaudit.core.canonical import Json
from frtaudit.errors import printable


class CheckStatus(Enum):
    """What came out of one check, from the worst."""

    INVALID = "invalid"
    INDETERMINATE = "indeterminate"  # cannot be decided from what is there
    UNTRUSTED = "untrusted"  # a signature that holds, of a signer whom this machine does not trust
    UNCHECKED = "unchecked"  # not compared, or not covered: decides nothing but where strictness is asked for
    NOTE = "note"  # something to know that decides nothing
    OK = "ok"

    def check(self, subject: str, message: str) -> "Check":
        """A check with this outcome."""
        return Check(subject=subject, status=self, message=message)


class Depth(Enum):
    """How far a report is made again and compared.

    Attributes
    ----------
    PAGE
        The page.
    PAPER
        The page, and the layout of each PDF, as ``frtaudit verify --deep`` does.

    Examples
    --------
    >>> Depth("paper") is Depth.PAPER
    True
    """

    PAGE = "page"
    PAPER = "paper"


EXIT_CODES = {CheckStatus.INVALID: 2, CheckStatus.INDETERMINATE: 4, CheckStatus.UNTRUSTED: 3}
STOPPED = (EXIT_CODES[CheckStatus.INVALID], EXIT_CODES[CheckStatus.INDETERMINATE])
NAMED = 3  # of each kind of what was left open, in the last line
LAYOUT = "layout not compared: --deep lays it out again"
STATUS = {
    CheckStatus.INVALID: "invalid",
    CheckStatus.INDETERMINATE: "indeterminate",
    CheckStatus.UNTRUSTED: "valid, but its signer is not trusted here",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check: the file or party it is about, what came out, and a phrase that says it."""

    subject: str
    status: CheckStatus
    message: str

    def to_json(self) -> Json:
        """The same for machines."""
        return {
            "subject": printable(self.subject),
            "outcome": self.status.value,
            "message": printable(self.message),
        }

    def __str__(self) -> str:
        """One line.

        >>> print(Check(subject="result.json", status=CheckStatus.OK, message="is as recorded"))
        ok             result.json: is as recorded
        """
        return f"{self.status.value:<14} {printable(self.subject)}: {printable(self.message)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """All checks of one verification, in the order in which they were made.

    Attributes
    ----------
    path : str
        What was verified.
    checks : tuple of frtaudit.signing.verification.Check
        Each has ``subject``, ``status`` and ``message``.

    Examples
    --------
    >>> import frtaudit
    >>> verification = frtaudit.verify("nowhere")
    >>> verification.status, verification.exit_code, verification.checks[0].message
    ('indeterminate', 4, 'there is no such file or folder')
    """

    path: str
    checks: tuple[Check, ...]

    @property
    def worst(self) -> CheckStatus:
        """The outcome that decides; nothing checked at all is indeterminate."""
        status = {check.status for check in self.checks}
        if not status & {CheckStatus.OK, *EXIT_CODES}:
            return CheckStatus.INDETERMINATE
        return next(outcome for outcome in CheckStatus if outcome in status)

    @property
    def status(self) -> str:
        """The verdict in words, with what was left open: not compared, or not covered by any signature."""
        verdict = STATUS.get(self.worst, "valid and trusted")
        return verdict if self.exit_code in STOPPED else verdict + _left_open(self.checks, "; ")

    @property
    def exit_code(self) -> int:
        """0 valid and trusted, 2 invalid or a file missing, 3 valid but untrusted, 4 indeterminate."""
        return EXIT_CODES.get(self.worst, 0)

    @property
    def strict_exit_code(self) -> int:
        """The same, but 4 where something was not compared or is not covered."""
        return (
            EXIT_CODES[CheckStatus.INDETERMINATE] if self.worst is CheckStatus.UNCHECKED else self.exit_code
        )

    def verdict(self, *, strict: bool = False) -> tuple[str, int]:
        """The verdict in words, and the exit code.

        Parameters
        ----------
        strict : bool
            Whether what was not compared, or is not covered by a signature, makes the exit code 4.

        Returns
        -------
        (str, int)
            Words as in ``status``, and 0, 2, 3 or 4 as in ``exit_code``.
        """
        if strict and self.strict_exit_code != self.exit_code:
            return f"valid{_left_open(self.checks, ', but ')}", self.strict_exit_code
        return self.status, self.exit_code

    def to_json(self, *, strict: bool = False) -> Json:
        """The verification for a program.

        Parameters
        ----------
        strict : bool
            As in ``verdict``.

        Returns
        -------
        dict
            ``path``, ``status``, ``exit_code`` and ``checks``.
        """
        status, code = self.verdict(strict=strict)
        checks = [check.to_json() for check in self.checks]
        return {
            "path": printable(self.path),
            "status": printable(status),
            "exit_code": code,
            "checks": checks,
        }

    def text(self, *, strict: bool = False) -> str:
        """A line for each check, and the verdict.

        Parameters
        ----------
        strict : bool
            As in ``verdict``.

        Returns
        -------
        str
            As ``frtaudit verify`` prints it.
        """
        status, code = self.verdict(strict=strict)
        lines = [str(check) for check in self.checks]
        return "\n".join([*lines, f"{printable(self.path)}: {printable(status)} (exit {code})"])

    def __str__(self) -> str:
        """One line per check, and the verdict."""
        return self.text()


def _left_open(checks: Iterable[Check], before: str) -> str:
    """What the verdict adds where something was not compared or is not covered."""
    left = [check for check in checks if check.status is CheckStatus.UNCHECKED]
    layouts = _names(check.subject for check in left if check.message == LAYOUT)
    others = _names(check.subject for check in left if check.message != LAYOUT)
    parts = [f"not compared or not covered: {others}"] if others else []
    parts += [f"layout of {layouts} not compared without --deep"] if layouts else []
    return f"{before}{'; '.join(parts)}" if parts else ""


def _names(subjects: Iterable[str]) -> str:
    """The first few, each once, and how many more there are."""
    names = tuple(dict.fromkeys(subjects))
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


# Checks by what came out of them, of a subject and a message.
ok, note, unchecked = CheckStatus.OK.check, CheckStatus.NOTE.check, CheckStatus.UNCHECKED.check
invalid, untrusted = CheckStatus.INVALID.check, CheckStatus.UNTRUSTED.check
indeterminate = CheckStatus.INDETERMINATE.check
