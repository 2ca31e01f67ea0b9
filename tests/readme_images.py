"""The README's two screenshots from a finished run: make images RUN=FOLDER. It needs chromium and poppler."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from browser import tab
from PIL import Image

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"


def main(run: Path) -> None:
    """The first page of report.pdf, and report.html with its threshold slider, each below 200 kB."""
    with TemporaryDirectory() as folder:
        paper, page = Path(folder) / "paper", Path(folder) / "page.png"
        command = [
            "pdftoppm",
            "-r",
            "90",
            "-f",
            "1",
            "-l",
            "1",
            "-png",
            "-singlefile",
            run / "report.pdf",
            paper,
        ]
        subprocess.run([str(word) for word in command], check=True)
        with tab(Path(folder) / "profile") as opened:
            opened.resize(1180, 900)
            opened.open((run / "report.html").resolve())
            opened.run("document.getElementById('explore').scrollIntoView()")
            opened.picture(page)
        for name, found in (("first_page", paper.with_suffix(".png")), ("threshold", page)):
            with Image.open(found) as image:
                image.convert("RGB").quantize(256, Image.Quantize.FASTOCTREE).save(
                    IMAGES / f"{name}.png", optimize=True
                )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
