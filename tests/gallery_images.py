"""The pictures of docs/start/gallery.md and reading_a_report.md, from finished runs of the shipped demos: make gallery.

It needs chromium. A run is a folder of the given one, named as in ``PICTURES``.
"""

import base64
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from browser import Tab, tab
from PIL import Image

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
# Picture: the run, and what on its page is drawn.
PICTURES = {
    "finding": ("demo", ".finding"),
    "curves": ("demo", "#f-curves"),
    "groups": ("demo", "#f-groups-group"),
    "over_threshold": ("demo", "#f-over-threshold"),
    "folds": ("goldilocks_demo", "#f-folds"),
    "best_matches": ("goldilocks_demo", "#f-best-matches"),
    "classes": ("interclass_demo", "#f-curves-tone-0"),
    "excess": ("interclass_demo", "#f-excess-tone-0"),
    "releases": ("interclass_demo", "#f-by-release-0"),
    "quality": ("interclass_demo", "#f-quality-tone"),
    "bootstrap": ("similarity_uncertainty", "#f-bootstrap-0"),
    "whole_band": ("similarity_uncertainty", "#f-whole-0"),
    "fairness": ("similarity_uncertainty", "#f-fair-group-fnmr-0"),
    "vendors": ("vendors_demo", "#f-vendor-pairs"),
    "two_models": ("vendors_demo", "#f-two-models"),
    "sweep": ("sweep", "#f-sweep"),
}
BOX = """(() => {{
    const found = document.querySelector({0!r});
    for (let up = found; up; up = up.parentElement) if (up.tagName === 'DETAILS') up.open = true;
    const box = found.getBoundingClientRect();
    return [box.left + scrollX, box.top + scrollY, box.width, box.height];
}})()"""


def main(runs: Path) -> None:
    """Draw every picture anew, each below 200 kB."""
    with TemporaryDirectory() as profile, tab(Path(profile)) as page:
        page.resize(1060, 900)
        for name, (run, where) in PICTURES.items():
            found = next(
                runs / run / file for file in ("report.html", "sweep.html") if (runs / run / file).exists()
            )
            page.open(found.resolve())
            element(page, where, IMAGES / f"{name}.png")


def element(page: Tab, where: str, out: Path) -> None:
    """One element of the page, at one and a half times its size, in 256 colours, so that no two hues become one."""
    x, y, width, height = page.run(BOX.format(where))
    clip = {"x": x, "y": y, "width": width, "height": height, "scale": 1.5}
    found = page.send("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
    with Image.open(BytesIO(base64.b64decode(found["data"]))) as image:
        image.convert("RGB").quantize(256, Image.Quantize.FASTOCTREE).save(out, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
