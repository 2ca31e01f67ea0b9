"""How a report will be signed, settled before anything is computed: what is out of reach stops the work at once."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509

from frtaudit.config.named_files import check_key
from frtaudit.core.spec import Report
from frtaudit.signing.foreign_key import takes_password
from frtaudit.signing.key_folder import certificate_in, is_locked
from frtaudit.signing.keys import load_signer
from frtaudit.signing.pdf.pades import BASIC, Pades, check_named, pades_of
from frtaudit.signing.signer import Signer, check_names, check_years


@dataclass(frozen=True, slots=True, kw_only=True)
class Signing:
    """Who signs (nobody: a draft), and how far the PDF's signature reaches."""

    signer: Signer | None
    pades: Pades = BASIC

    @property
    def status(self) -> str:
        """What the page says of it: ``unsigned``, ``demo`` or ``signed``.

        >>> Signing(signer=None).status
        'unsigned'
        """
        if self.signer is None:
            return "unsigned"
        return "demo" if self.signer.is_demo else "signed"


def signing_of(settings: Report) -> Signing:
    """What the settings ask for, tried out. Raises DataError for a key that cannot sign it, a level out of reach.

    >>> signing_of(Report(sign=False)).signer is None
    True
    """
    if not settings.sign:
        return Signing(signer=None)
    signer = _signer(settings)
    if not settings.pdf:
        return Signing(signer=signer)
    return Signing(signer=signer, pades=pades_of(settings.pades, settings.tsa, settings.evidence, signer))


def check_signing(settings: Report) -> None:
    """Raise :class:`DataError` for what :func:`signing_of` refuses; no password is asked for, and no authority."""
    if settings.sign and settings.key:
        key = Path(settings.key)
        check_key(key)
        if key.is_dir() and is_locked(key):
            _check(settings, certificate_in(key))
        elif key.is_dir() or not takes_password(key):
            _signer(settings)
    if settings.sign and settings.pdf:
        check_named(settings.pades, settings.tsa, settings.evidence)


def _signer(settings: Report) -> Signer:
    """Who signs, by a key that can sign now what the settings ask for."""
    signer = load_signer(settings.key)
    _check(settings, signer.certificate, *signer.chain)
    return signer


def _check(settings: Report, certificate: x509.Certificate, *chain: x509.Certificate) -> None:
    check_years(certificate, datetime.now(UTC))
    if settings.pdf:
        check_names(certificate, *chain)
