import os
from pathlib import Path

import numpy as np
import pytest
from review_search import draw

from frtaudit.cli.annotate import pictures
from frtaudit.cli.annotate.pictures import Picture, Pictures


def test_only_pictures_that_the_list_names_are_read(tmp_path: Path) -> None:
    """A path below the folder and an absolute one; no name, no such face, no such file and a folder give nothing."""
    draw(tmp_path / "a.png", 0, np.random.default_rng(0))
    data = (tmp_path / "a.png").read_bytes()
    found = Pictures(root=tmp_path, names=("a.png", str(tmp_path / "a.png"), "", "gone.png", ".", "a\0b"))
    assert found.read(0) == found.read(1) == Picture(kind="image/png", data=data)
    assert [found.read(face) for face in (2, 3, 4, 5, 6, -1)] == [None] * 6


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\xff\xd8\xff\xe0" + b"x" * 50, "image/jpeg"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\x10\0\0\0WAVEfmt ", None),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", None),
        (b"root:x:0:0", None),
        (b"", None),
    ],
)
def test_what_is_no_picture_is_refused(tmp_path: Path, data: bytes, kind: str | None) -> None:
    """The first bytes decide, not the name: a file called .png that is none stays where it is."""
    (tmp_path / "a.png").write_bytes(data)
    found = Pictures(root=tmp_path, names=("a.png",)).read(0)
    assert found == (None if kind is None else Picture(kind=kind, data=data))


def test_a_large_picture_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the limit a picture is served, a byte above it is not."""
    monkeypatch.setattr(pictures, "MAX_BYTES", 40)
    head = b"\x89PNG\r\n\x1a\n"
    (tmp_path / "a").write_bytes(head.ljust(40, b"x"))
    (tmp_path / "b").write_bytes(head.ljust(41, b"x"))
    found = Pictures(root=tmp_path, names=("a", "b"))
    assert found.read(0) is not None
    assert found.read(1) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """What is not a regular file is not opened."""
    os.mkfifo(tmp_path / "a.png")
    assert Pictures(root=tmp_path, names=("a.png",)).read(0) is None
