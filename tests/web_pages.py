"""A web on this machine: images, and a fetch that may reach it, whatever host it asks for."""

import datetime as dt
import io
import ssl
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from PIL import Image

from frtaudit.collection.clients.fetch import Fetch
from frtaudit.collection.clients.gate import Pace

HERE = "127.0.0.1"


def photo(seed: int = 0, size: int = 48, kind: str = "JPEG") -> bytes:
    """Smooth synthetic light and shade, another for each seed."""
    rng = np.random.default_rng(seed)
    coarse = Image.fromarray(rng.integers(0, 256, (6, 6, 3), dtype=np.uint8))
    stream = io.BytesIO()
    coarse.resize((size, size), Image.Resampling.BICUBIC).save(stream, kind)
    return stream.getvalue()


def local(**more: object) -> Fetch:
    """May reach this machine, and every name leads to it; waits for nothing."""

    def resolve(host: str, port: int) -> Sequence[str]:
        del host, port
        return [HERE]

    settings = {
        "allowed": lambda _: True,
        "resolve": resolve,
        "sleep": lambda _: None,
        "pace": Pace(rate=None),
    }
    return Fetch(**{**settings, **more})  # type: ignore[arg-type]  # whatever a test sets


def certificate(folder: Path, host: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """What a server of ``host`` shows, and what trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, *form))
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    shown = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    shown.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return shown, ssl.create_default_context(cafile=str(folder / "cert.pem"))
