"""Times of a time-stamping authority (RFC 3161): asked for over HTTP when something is signed, checked offline."""

import asyncio
import base64
import logging
import re
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, build_opener

from asn1crypto import cms, tsp
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID
from pyhanko.sign.timestamps import TimeStamper
from pyhanko.sign.timestamps.common_utils import set_tsp_headers
from pyhanko.sign.validation.generic_cms import validate_tst_signed_data
from pyhanko_certvalidator import ValidationContext

from frtaudit.core.canonical import sha256
from frtaudit.core.machine.waiting import in_thread, wait
from frtaudit.errors import DataError, VerificationError, why
from frtaudit.signing.signer import asn1_of, common_name, dated_outside

TIMEOUT = 30.0
LARGEST = 1 << 20
FAR = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """A time that holds: ``when``, who gave it, and why it is not trusted (None if it is)."""

    when: datetime
    certificate: x509.Certificate
    distrust: str | None


class Authority(TimeStamper):
    """A time-stamping authority at a URL; one request for each time, and ``timeout`` seconds for its answer."""

    def __init__(self, url: str, timeout: float = TIMEOUT) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # pyHanko left its constructor untyped
        self.url = url
        self.timeout = timeout

    async def async_timestamp(self, message_digest: bytes, md_algorithm: str) -> cms.ContentInfo:
        """A time for a digest. Raises DataError that names the authority, whatever went wrong."""
        try:
            token = await super().async_timestamp(message_digest, md_algorithm)
            given = token["content"]["encap_content_info"]["content"].parsed["message_imprint"]
            is_asked = given["hashed_message"].native == message_digest
        except Exception as error:  # noqa: BLE001  network, HTTP, ASN.1 and refusals share no narrower base
            raise self.refusal(error) from None
        if not is_asked:
            raise self.refusal(OSError("its time is for another digest"))
        return token

    def refusal(self, error: Exception) -> DataError:
        """That the authority gives no time, and why."""
        reason = getattr(error, "reason", None) or error
        text = str(reason) if isinstance(error, OSError) else f"its answer cannot be read: {why(error)}"
        return DataError(f"tsa {shown(self.url)}", f"gives no time ({text})", "an RFC 3161 authority")

    async def async_request_tsa_response(self, req: tsp.TimeStampReq) -> tsp.TimeStampResp:
        """The authority's answer to a request."""
        answer = in_thread(lambda: self._ask(req.dump()))  # a thread of asyncio would be waited for
        try:
            data, kind = await asyncio.wait_for(asyncio.wrap_future(answer), self.timeout)
        except TimeoutError:
            raise OSError(f"no answer within {self.timeout:g} s") from None
        try:
            return tsp.TimeStampResp.load(data)
        except ValueError:
            raise OSError(f"answered with {kind}, no time stamp") from None

    def _ask(self, body: bytes) -> tuple[bytes, str]:
        """What the authority sends, and its type."""
        headers = set_tsp_headers({})
        request = urllib.request.Request(self.url, data=body, headers=headers)  # noqa: S310  checked by authority()
        try:
            with build_opener(_NoRedirect).open(request, timeout=self.timeout) as answer:
                data: bytes = answer.read(LARGEST)
                return data, f"{answer.headers.get_content_type()} of {len(data)} bytes"
        except urllib.error.HTTPError as error:
            error.close()
            more = ", and redirects are not followed" if 300 <= error.code < 400 else ""
            raise OSError(f"HTTP {error.code} {error.reason}{more}") from None


class _NoRedirect(HTTPRedirectHandler):
    """What is asked of one address is not sent to another."""

    def redirect_request(self, *_: object) -> None:
        """Nothing: the answer stays what it is."""


def authority(url: str) -> Authority:
    """The authority at ``url``, which answered once: a run must not learn at its end that no time is given.

    Raises DataError for a URL that is none, and for an authority that does not answer with a time.
    """
    check_url(url)
    time_authority = Authority(url)
    _asked(time_authority, b"")
    try:
        wait(time_authority.async_dummy_response("sha256"))
    except (TypeError, AssertionError) as error:  # no certificates, or none of its signer
        raise time_authority.refusal(error) from None
    return time_authority


def check_url(url: str) -> None:
    """Raise :class:`DataError` for a URL of another kind, or with a user: no password is sent."""
    if not _is_address(url):
        raise DataError("tsa", f"found {shown(url)!r}", "a URL that starts with http:// or https://")
    if "@" in urlsplit(url).netloc:
        raise DataError("tsa", f"{shown(url)!r} has a user or a password before it", "a URL without them")


def _is_address(url: str) -> bool:
    try:
        place = urlsplit(url)
        is_whole = bool(place.hostname) and place.port != 0
    except ValueError:
        return False
    return (
        is_whole
        and place.scheme in ("http", "https")
        and url.isprintable()
        and url.isascii()
        and " " not in url
    )


def shown(url: str) -> str:
    """A URL as an error prints it: without user, password and query, which may be secret.

    >>> shown("http://me:secret@a.org/tsa?apikey=secret"), shown("https://a.org/tsa")
    ('http://a.org/tsa', 'https://a.org/tsa')
    """
    begin = re.match(r"(?:[A-Za-z]+://)?", url)
    scheme = begin[0] if begin else ""
    return scheme + re.split(r"[?#]", url[len(scheme) :].rpartition("@")[2])[0]


def stamp(data: bytes, url: str) -> str:
    """A time-stamp token over the SHA-256 of ``data``, in base64. Raises DataError as :func:`authority` does."""
    return base64.b64encode(_asked(authority(url), data).dump()).decode()


def read_stamp(token: str, data: bytes, roots: Sequence[x509.Certificate], where: str) -> Stamp:
    """Check a token over ``data``. Raises VerificationError naming ``where`` if it does not hold."""
    quiet()
    try:
        info = cms.ContentInfo.load(base64.b64decode(token, validate=True), strict=True)
        signed = info["content"]
        when = signed["encap_content_info"]["content"].parsed["gen_time"].native
        context = ValidationContext(trust_roots=[asn1_of(root) for root in roots], moment=when)
        expected = bytes.fromhex(sha256(data))
        status = wait(validate_tst_signed_data(signed, context, lambda _: expected))
        holds = bool(status["intact"]) and bool(status["valid"])
        certificate = x509.load_der_x509_certificate(status["signing_cert"].dump())
    except Exception as error:  # noqa: BLE001  forged bytes may raise anything; all of it means invalid
        raise VerificationError(where, f"its timestamp cannot be read ({why(error)})") from None
    if not holds:
        raise VerificationError(where, "its timestamp is for other content")
    trusted = status.get("validation_path") is not None and status.get("trust_problem_indic") is None
    distrust = None if trusted else "no path to a trusted certificate"
    return Stamp(when=when, certificate=certificate, distrust=distrust)


def warnings_of(given: Stamp, now: datetime) -> list[str]:
    """What speaks against a time that holds: a clock far from ``now``, a certificate that does not cover it."""
    name, lines = common_name(given.certificate), []
    if abs(given.when - now) > FAR:
        times = f"{given.when:%Y-%m-%d %H:%M} UTC, this machine's clock says {now:%Y-%m-%d %H:%M}"
        lines.append(f"{name!r} says {times}")
    if dated_outside(given.certificate, given.when):
        lines.append(f"the certificate of {name!r} was not valid then: this time may not be trusted")
    if not _is_for_times(given.certificate):
        lines.append(f"the certificate of {name!r} is not for time stamps: this time may not be trusted")
    return lines


def _is_for_times(certificate: x509.Certificate) -> bool:
    try:
        purposes = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    except (x509.ExtensionNotFound, ValueError):
        return False
    return ExtendedKeyUsageOID.TIME_STAMPING in purposes


def _asked(time_authority: Authority, data: bytes) -> cms.ContentInfo:
    return wait(time_authority.async_timestamp(bytes.fromhex(sha256(data)), "sha256"))


def quiet() -> None:
    """Keep the libraries' log lines about forged files off the terminal; the checks say what is wrong."""
    for name in ("pyhanko", "pyhanko_certvalidator"):
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
