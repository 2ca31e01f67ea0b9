"""The signature TC3-HMAC-SHA256 of Tencent Cloud: over method, path, content type, host and body."""

import hashlib
import hmac
from datetime import UTC, datetime

ALGORITHM = "TC3-HMAC-SHA256"
SIGNED = "content-type;host"


def authorization(
    *, secret_id: str, secret_key: str, service: str, host: str, content_type: str, body: bytes, moment: int
) -> str:
    """The header ``Authorization`` of a POST to ``/``; ``moment``: seconds since 1970, as in ``X-TC-Timestamp``.

    >>> header = authorization(secret_id="A", secret_key="B", service="iai", host="h", content_type="c", body=b"",
    ...     moment=0)
    >>> header.split(", ")[:2]
    ['TC3-HMAC-SHA256 Credential=A/1970-01-01/iai/tc3_request', 'SignedHeaders=content-type;host']
    """
    day = datetime.fromtimestamp(moment, UTC).date().isoformat()
    scope = f"{day}/{service}/tc3_request"
    hashed = hashlib.sha256(body).hexdigest()
    request = f"POST\n/\n\ncontent-type:{content_type}\nhost:{host}\n\n{SIGNED}\n{hashed}"
    text = f"{ALGORITHM}\n{moment}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
    key = f"TC3{secret_key}".encode()
    for word in (day, service, "tc3_request"):
        key = hmac.digest(key, word.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    return f"{ALGORITHM} Credential={secret_id}/{scope}, SignedHeaders={SIGNED}, Signature={signature}"
