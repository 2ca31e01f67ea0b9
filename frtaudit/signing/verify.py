"""Everything that can be checked offline about a run's folder, a sweep's folder, a report's PDF or a seal alone."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path

from frtaudit.core.machine import signals
from frtaudit.core.machine.files import Links, irregular
from frtaudit.signing.report_pdf import pdf_checks
from frtaudit.signing.run_folder import run_checks, strangers
from frtaudit.signing.sweeps import Tabled, is_sweep, sweep_checks
from frtaudit.signing.trust import load_trust
from frtaudit.signing.verification import Check, Depth, Verification, indeterminate, invalid


def verify(
    path: str | Path,
    trust: Iterable[str | Path] = (),
    depth: Depth = Depth.PAGE,
    tabled: Tabled | None = None,
) -> Verification:
    """Check a run folder or a sweep's folder whole, or a PDF or a seal alone; nothing is fetched.

    Parameters
    ----------
    path : str or Path
        A run folder, the folder of a sweep, a report's PDF, or a seal.
    trust : iterable of str or Path
        PEM files of signers, beside those that this machine trusts.
    depth : Depth
        Whether the PDF is laid out again, as the page is.
    tabled : callable, optional
        Makes the table of a sweep again from its jobs; ``frtaudit verify`` gives it.

    Returns
    -------
    Verification
        Each check with its outcome; whatever is wrong with ``path`` is in it.

    Raises
    ------
    DataError
        A trust file cannot be used.

    Examples
    --------
    >>> verify("nowhere").exit_code
    4
    """
    place, trusted = Path(path), load_trust(Path(file) for file in trust)
    if place.is_dir() and is_sweep(place):
        checks = sweep_checks(place, trusted, partial(run_checks, trust=trusted, depth=depth), depth, tabled)
    elif place.is_dir():
        checks = chain(run_checks(place, trusted, depth), strangers(place))
    elif place.is_file():
        checks = pdf_checks(place, trusted, depth)
    else:
        kind = irregular(place, Links.FOLLOW)
        absent = indeterminate(str(path), "there is no such file or folder")
        checks = iter([absent if kind is None else invalid(str(path), f"{kind}: not opened")])
    return Verification(path=str(path), checks=tuple(dict.fromkeys(_heard(checks))))  # a fact is said once


def _heard(checks: Iterable[Check]) -> Iterator[Check]:
    """The checks; a signal that was noted ends them between two."""
    for check in checks:
        signals.check()
        yield check
