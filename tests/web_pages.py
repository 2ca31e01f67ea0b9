"""A web on this machine: images, and a fetch that may reach it, whatever host it asks for."""

import io
from collections.abc import Sequence

import numpy as np
from PIL import Image

from frtaudit.collection.clients.fetch import Fetch
from frtaudit.collection.clients.pace import Pace

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
