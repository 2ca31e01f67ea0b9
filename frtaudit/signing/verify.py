"""Everything that can be checked offline about a run's folder, a sweep's folder, a report's PDF or a seal alone."""

import os
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.core.machine import signals
from frtaudit.core.machine.arguments import listed, path_of
from frtaudit.core.machine.faults import as_line, of_machine
from frtaudit.core.machine.files import Links, irregular
from frtaudit.core.machine.run_files import STATEMENT
from frtaudit.errors import DataError
from frtaudit.signing.trust import Trust, load_trust
from frtaudit.signing.verification import Check, Depth, Verification, indeterminate, invalid, note

if TYPE_CHECKING:
    from frtaudit.signing.sweeps import Tabled


def verify(
    path: str | Path,
    trust: str | Path | Iterable[str | Path] = (),
    depth: Depth = Depth.PAGE,
    tabled: "Tabled | None" = None,
) -> Verification:
    """Check a run folder or a sweep's folder whole, or a PDF or a seal alone; nothing is fetched.

    Parameters
    ----------
    path : str or Path
        A run folder, the folder of a sweep, a report's PDF, or a seal.
    trust : str, Path or iterable of these
        PEM files of signers, beside those that this machine trusts.
    depth : Depth
        ``Depth.PAPER``: the PDF is laid out again too, as the page is.
    tabled : callable, optional
        Makes the table of a sweep again from its jobs; ``frtaudit verify`` gives it.

    Returns
    -------
    Verification
        Each check with its outcome; whatever is wrong with ``path`` is in it.

    Raises
    ------
    DataError
        A trust file cannot be used, or an argument is none of its kind.

    References
    ----------
    ETSI EN 319 142-1, PAdES digital signatures. in-toto Attestation Framework, Statement v1, in a DSSE envelope.

    Examples
    --------
    >>> verify("nowhere").exit_code
    4
    """
    if not isinstance(depth, Depth):
        raise DataError("depth", f"found {depth!r}", "Depth.PAGE or Depth.PAPER")
    place = path_of("path", path)
    files = [trust] if isinstance(trust, str | Path) else listed("trust", trust)
    trusted = load_trust(path_of("trust", file) for file in files)
    facts: dict[Check, None] = {}  # each is said once
    try:
        for check in _checks(place, trusted, depth, tabled):
            signals.check()  # one that was noted ends the checks between two
            facts[check] = None
    except OSError as error:
        if of_machine(error):
            raise
        facts[indeterminate(str(path), as_line(error).found)] = None
    left_out = (note(file, f"{reason}: nobody is trusted by it") for file, reason in trusted.left_out)
    return Verification(path=str(path), checks=(*facts, *left_out))


def _checks(place: Path, trust: Trust, depth: Depth, tabled: "Tabled | None") -> Iterable[Check]:
    if place.is_dir() or place.is_file():
        return _of_place(place, trust, depth, tabled)
    kind = irregular(place, Links.FOLLOW)
    absent = indeterminate(str(place), "there is no such file or folder")
    return [absent if kind is None else invalid(str(place), f"{kind}: not opened")]


def _of_place(place: Path, trust: Trust, depth: Depth, tabled: "Tabled | None") -> Iterator[Check]:
    from frtaudit.report.files import PDF, is_sweep
    from frtaudit.signing.coverage import is_no_report, not_alone, not_regular, unsigned

    signed = is_sweep(place) or any(os.path.lexists(place / name) for name in (STATEMENT, PDF))
    if place.is_dir() and not signed:
        return chain(not_regular(place), [unsigned(place)])
    if place.is_file() and is_no_report(place):
        return iter([not_alone(place)])
    from frtaudit.signing.report_pdf import pdf_checks  # what reads PDFs takes a second to load
    from frtaudit.signing.run_folder import run_checks, strangers
    from frtaudit.signing.sweeps import sweep_checks

    if place.is_file():
        return pdf_checks(place, trust, depth)
    if is_sweep(place):
        return sweep_checks(place, trust, partial(run_checks, trust=trust, depth=depth), depth, tabled)
    return chain(run_checks(place, trust, depth), strangers(place))
