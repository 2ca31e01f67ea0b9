"""Photos of two persons from the source package of face_recognition 1.3.0, fetched when asked for, and copies of them.

They lie in a folder of the machine's temporary ones, never in the repository. A test of the path: no finding comes from
photos of which most are copies.
"""

import hashlib
import io
import subprocess
import sys
import tarfile
import tempfile
from functools import cache
from pathlib import Path

import pytest
from PIL import Image, ImageEnhance, ImageOps

PACKAGE = "face_recognition==1.3.0"
DIGEST = "5e5efdd1686aa566af0d3cc1313b131e4b197657a8ffd03669e6d3fad92705ec"
KEPT = Path(tempfile.gettempdir()) / "frtaudit-face-photos"
PERSONS = {
    "a": ("obama.jpg", "obama2.jpg", "obama3.jpg", "obama_partial_face.jpg", "obama_partial_face2.jpg"),
    "b": ("biden.jpg",),
}
MIN_FACES = 8  # faces of a query
COPIES = ("flip", "brighter", "darker", "turned left", "turned right", "cropped", "smaller")


def photos() -> dict[str, list[bytes]]:
    """The photos of each person as files hold them; the test is skipped where they cannot be had."""
    package = _package()
    if package is None:
        pytest.skip(f"the source package of {PACKAGE} cannot be fetched: no photos")
    with tarfile.open(fileobj=io.BytesIO(package)) as held:
        inside = {Path(member.name).name: member for member in held if "/test_images/" in member.name}
        files = {name: held.extractfile(inside[name]) for names in PERSONS.values() for name in names}
        return {person: [files[name].read() for name in names] for person, names in PERSONS.items()}


@cache
def _package() -> bytes | None:
    """The package's bytes, from an earlier fetch or by pip; None without a network or with other bytes."""
    path = KEPT / "face_recognition-1.3.0.tar.gz"
    if not path.is_file():
        wanted = ("--no-deps", "--no-binary", ":all:", "--retries", "0", "--timeout", "15", PACKAGE)
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "pip", "download", "-q", "--dest", folder, *wanted]
            try:
                subprocess.run(command, check=True, capture_output=True, timeout=90)
            except (OSError, subprocess.SubprocessError):
                return None
            found = next(Path(folder).iterdir())
            KEPT.mkdir(exist_ok=True)
            part = KEPT / f"{Path(folder).name}.part"
            part.write_bytes(found.read_bytes())
            part.replace(path)
    data = path.read_bytes()
    return data if hashlib.sha256(data).hexdigest() == DIGEST else None


def at_least(files: list[bytes], least: int = MIN_FACES) -> list[bytes]:
    """The photos, and copies of them in turn (see :func:`copy`), until there are ``least``."""
    made = [copied(files[n % len(files)], COPIES[n // len(files)]) for n in range(least - len(files))]
    return [*files, *made]


def copied(data: bytes, how: str) -> bytes:
    """A photo that was changed as one of ``COPIES`` says, as JPEG: the same bytes each time."""
    with Image.open(io.BytesIO(data)) as opened:
        image = ImageOps.exif_transpose(opened).convert("RGB")
    width, height = image.size
    edge = round(0.04 * width), round(0.04 * height)
    changed = {
        "flip": lambda: ImageOps.mirror(image),
        "brighter": lambda: ImageEnhance.Brightness(image).enhance(1.25),
        "darker": lambda: ImageEnhance.Brightness(image).enhance(0.8),
        "turned left": lambda: image.rotate(6, Image.Resampling.BILINEAR),
        "turned right": lambda: image.rotate(-6, Image.Resampling.BILINEAR),
        "cropped": lambda: image.crop((*edge, width - edge[0], height - edge[1])),
        "smaller": lambda: image.resize((round(0.7 * width), round(0.7 * height)), Image.Resampling.LANCZOS),
    }[how]()
    stream = io.BytesIO()
    changed.save(stream, format="JPEG", quality=92)
    return stream.getvalue()
