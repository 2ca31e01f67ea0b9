"""Whether certificates and revocation data belong to the signatures that they stand beside.

What belongs: a signer's certificate; whoever issued one that belongs, up to a root; whoever signed an OCSP response
about one that belongs. A list of revoked certificates belongs to its issuer, a response to what it is about.
Every signature on the way is checked, so that none of it can be made up or changed.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.x509 import ocsp
from cryptography.x509.oid import ExtendedKeyUsageOID

from frtaudit.signing.pdf.additions import Store
from frtaudit.signing.pdf.revisions import AlterationError


def chains(
    signers: Iterable[x509.Certificate], pool: Iterable[x509.Certificate]
) -> frozenset[x509.Certificate]:
    """``signers`` and all of ``pool`` that issued one of them, or one that did."""
    certificates, waiting = set(signers), set(pool)
    while True:
        step = {
            certificate
            for certificate in waiting - certificates
            if any(issued(other, certificate) for other in certificates)
        }
        if not step:
            return frozenset(certificates)
        certificates |= step


def path_of(certificate: x509.Certificate, pool: Iterable[x509.Certificate]) -> list[x509.Certificate]:
    """A certificate, who issued it, and so on through ``pool``: one each, up to one that issued itself.

    Anybody can make another certificate of a public key and its owner's name: only one of such twins is on the path.
    """
    path, waiting = [certificate], [other for other in pool if other != certificate]
    while not issued(path[-1], path[-1]):
        above = next((other for other in waiting if issued(path[-1], other)), None)
        if above is None:
            break
        path.append(above)
        waiting.remove(above)
    return path


def issued(certificate: x509.Certificate, issuer: x509.Certificate) -> bool:
    """Whether ``issuer`` signed ``certificate``."""
    try:
        certificate.verify_directly_issued_by(issuer)
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
    return True


def check_store(store: Store, signers: Sequence[x509.Certificate]) -> None:
    """Raise :class:`AlterationError` for a DSS with anything that does not belong to ``signers``."""
    try:
        certificates = [
            x509.load_der_x509_certificate(certificate) for certificate in store.certificates.values()
        ]
        lists = [x509.load_der_x509_crl(crl) for crl in store.crls.values()]
        responses = [ocsp.load_der_ocsp_response(content) for content in store.ocsps.values()]
        _check(certificates, lists, responses, signers)
    except (ValueError, TypeError) as error:
        raise AlterationError(
            str(error) if isinstance(error, AlterationError) else "holds revocation data that cannot be read"
        ) from None


def revoked(certificate: x509.Certificate, store: Store) -> datetime | None:
    """When a certificate, or one above it, was revoked, as a DSS that was checked says; None if it does not."""
    others = {x509.load_der_x509_certificate(content) for content in store.certificates.values()}
    chain = chains([certificate], others)
    moments = []
    for data in store.crls.values():
        crl = x509.load_der_x509_crl(data)
        issuers = [issuer for issuer in chain if _signed_list(crl, issuer)]
        entries = [
            crl.get_revoked_certificate_by_serial_number(link.serial_number)
            for link in chain
            if _issued_by_any(link, issuers)
        ]
        moments += [entry.revocation_date_utc for entry in entries if entry is not None]
    for data in store.ocsps.values():
        response = ocsp.load_der_ocsp_response(data)
        known = {link.serial_number for link in chain if may_respond(response, link, {*others, certificate})}
        times = [single.revocation_time_utc for single in response.responses if single.serial_number in known]
        moments += [time for time in times if time is not None]
    return min(moments, default=None)


def _check(
    certificates: Sequence[x509.Certificate],
    lists: Sequence[x509.CertificateRevocationList],
    responses: Sequence[ocsp.OCSPResponse],
    signers: Sequence[x509.Certificate],
) -> None:
    belonging = chains(signers, certificates)
    responders = {
        other
        for response in responses
        for other in certificates
        if responds(response, other) and _issued_by_any(other, belonging)
    }
    belonging = chains(belonging | responders, certificates)
    for certificate in certificates:
        if certificate not in belonging or not (
            certificate in signers or _issued_by_any(certificate, belonging)
        ):
            raise AlterationError(
                f"holds a certificate that belongs to no signature: {certificate.subject.rfc4514_string()!r}"
            )
    for crl in lists:
        if not is_list_of(crl, belonging):
            raise AlterationError(
                f"holds revocation data that belong to no signature: {crl.issuer.rfc4514_string()!r}"
            )
    for response in responses:
        if not is_about(response, belonging):
            raise AlterationError("holds revocation data that belong to no signature: an OCSP response")


def is_list_of(crl: x509.CertificateRevocationList, belonging: Iterable[x509.Certificate]) -> bool:
    """Whether one of ``belonging`` that issued another signed a list of revoked certificates."""
    return any(
        _signed_list(crl, issuer) and any(issued(certificate, issuer) for certificate in belonging)
        for issuer in belonging
    )


def _signed_list(crl: x509.CertificateRevocationList, issuer: x509.Certificate) -> bool:
    """Whether ``issuer``, and not another of that name, signed a list."""
    return issuer.subject == crl.issuer and crl.is_signature_valid(issuer.public_key())  # type: ignore[arg-type]  # other keys raise TypeError


def is_about(response: ocsp.OCSPResponse, belonging: Iterable[x509.Certificate]) -> bool:
    """Whether an OCSP response is about some of ``belonging``, by those who may say it, and about nothing else."""
    if response.response_status is not ocsp.OCSPResponseStatus.SUCCESSFUL:
        return False
    known = set(belonging)
    serials = {other.serial_number for other in known if may_respond(response, other, known)}
    about = all(ocsp_single_response.serial_number in serials for ocsp_single_response in response.responses)
    return about and all(certificate in known for certificate in response.certificates)


def may_respond(
    response: ocsp.OCSPResponse, certificate: x509.Certificate, pool: Iterable[x509.Certificate]
) -> bool:
    """Whether a response is by who issued ``certificate``, or by whom they issued for it (RFC 6960, 4.2.2.2).

    Another signer of the same PDF, or another's authority, says nothing of it.
    """
    known = set(pool)
    above = [other for other in known if issued(certificate, other)]
    return any(
        responds(response, other)
        and (other in above or (_is_responder(other) and _issued_by_any(other, above)))
        for other in known
    )


def _is_responder(certificate: x509.Certificate) -> bool:
    try:
        extension = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
    except (x509.ExtensionNotFound, ValueError):
        return False
    return ExtendedKeyUsageOID.OCSP_SIGNING in extension.value


def responds(response: ocsp.OCSPResponse, responder: x509.Certificate) -> bool:
    """Whether ``responder`` signed an OCSP response."""
    if response.response_status is not ocsp.OCSPResponseStatus.SUCCESSFUL:
        return False
    key, algorithm = responder.public_key(), response.signature_hash_algorithm
    try:
        if isinstance(key, rsa.RSAPublicKey) and algorithm is not None:
            key.verify(response.signature, response.tbs_response_bytes, padding.PKCS1v15(), algorithm)
        elif isinstance(key, ec.EllipticCurvePublicKey) and algorithm is not None:
            key.verify(response.signature, response.tbs_response_bytes, ec.ECDSA(algorithm))
        else:
            return False
    except InvalidSignature:
        return False
    return True


def _issued_by_any(certificate: x509.Certificate, others: Iterable[x509.Certificate]) -> bool:
    return any(issued(certificate, other) for other in others)
