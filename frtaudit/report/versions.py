"""What the bytes of a page and of its PDF depend on beside the files: programs, the processor, fonts of the machine."""

import ctypes
import importlib
import platform
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info

from frtaudit.core.canonical import sha256, sha256_file, to_bytes
from frtaudit.core.machine.resources import shipped
from frtaudit.report import render

PAGE = ("jinja2", "markupsafe", "matplotlib", "numpy")
PAPER = (
    "cssselect2",
    "fonttools",
    "pillow",
    "pydyf",
    "pyhanko",
    "pyphen",
    "tinycss2",
    "tinyhtml5",
    "weasyprint",
)
LIBRARIES = ("pango", "harfbuzz", "fontconfig", "zlib")
FONTS = "fonts"
HARFBUZZ = ("libharfbuzz.so.0", "libharfbuzz.0.dylib", "libharfbuzz-0.dll")
FONTCONFIG = ("libfontconfig.so.1", "libfontconfig.1.dylib", "libfontconfig-1.dll")
EMOJI = ((0x231A, 0x23F3), (0x25FD, 0x25FE), (0x2B1B, 0x2B55), (0xFE0F, 0xFE0F), (0x1F000, 0x10FFFF))


@cache
def page_versions() -> Mapping[str, str]:
    """What the bytes of a page depend on, by name.

    ``source``: digest of all code and templates of frtaudit; ``libc``, ``machine`` and ``processor``: whose arithmetic
    it is.
    """
    return {
        "frtaudit": version("frtaudit"),
        "source": _source(),
        "python": platform.python_version(),
        **{name: version(name) for name in PAGE},
        "libc": " ".join(platform.libc_ver()).strip() or platform.platform(),
        "machine": platform.machine(),
        "processor": _processor(),
    }


def paper_versions(page: bytes) -> dict[str, str]:
    """What the bytes of a page's PDF depend on beside what the page does.

    ``fonts``: digest of the machine's own fonts, where the page has letters that the shipped fonts lack, or styles
    that may ask for another font.
    """
    foreign = {FONTS: _fonts()} if _is_foreign(page.decode()) else {}
    return {**_libraries(), **foreign}


def recorded_names(page: bytes, *, with_paper: bool) -> frozenset[str]:
    """What this version records of a report, by name; ``with_paper``: of one that has a PDF."""
    fonts = (FONTS,) if with_paper and _is_foreign(page.decode()) else ()
    return frozenset((*page_versions(), *((*PAPER, *LIBRARIES) if with_paper else ()), *fonts))


def differing(recorded: Mapping[str, object], page: bytes | None) -> tuple[str, ...]:
    """How what rendered a report differs from what is here, in phrases; empty where it is the same.

    ``page``: None for the page alone.
    """
    here = dict(page_versions()) | ({} if page is None else paper_versions(page))
    other = {
        name: (recorded.get(name), current) for name, current in here.items() if recorded.get(name) != current
    }
    if "frtaudit" in other:
        other.pop("source", None)
    return tuple(dict.fromkeys(_phrase(name, *pair) for name, pair in other.items()))


def _phrase(name: str, theirs: object, ours: str) -> str:
    if name == "source":
        return f"rendered by another build of frtaudit {version('frtaudit')}"
    if name in ("machine", "processor"):
        return "rendered on another kind of processor"
    if name == FONTS:
        return "rendered with fonts of another machine"
    known = theirs if isinstance(theirs, str) and len(theirs) <= 40 else "an unknown version"
    by = "by" if name == "frtaudit" else "with"
    return f"rendered {by} {name} {known}, this is {ours}"


def _processor() -> str:
    """What of the processor can move a last bit: the kernels of NumPy's BLAS and NumPy's vector instructions."""
    loaded = [library for library in threadpool_info() if library["user_api"] == "blas"]
    numpy_libraries = [library for library in loaded if "numpy" in library["filepath"]] or loaded
    kernels = {str(library.get("architecture", library["internal_api"])) for library in numpy_libraries}
    vectors = np.show_config(mode="dicts")["SIMD Extensions"]
    return " ".join([*sorted(kernels), *vectors.get("baseline", []), *vectors.get("found", [])])


@cache
def _source() -> str:
    package = Path(__file__).resolve().parent.parent
    files = {f"frtaudit/{path.relative_to(package).as_posix()}": path for path in package.rglob("*.py")}
    templates = shipped("templates")
    named = {
        f"templates/{path.relative_to(templates).as_posix()}": path
        for path in templates.rglob("*")
        if path.is_file()
    }
    return sha256(to_bytes({name: sha256_file(path) for name, path in sorted({**files, **named}.items())}))


@cache
def _libraries() -> Mapping[str, str]:
    render.weasyprint()
    pango = int(importlib.import_module("weasyprint.text.ffi").pango.pango_version())
    versions = (
        f"{pango // 10000}.{pango // 100 % 100}.{pango % 100}",
        _of_library(HARFBUZZ, lambda library: _text_of(library.hb_version_string)),
        _of_library(FONTCONFIG, lambda library: str(library.FcGetVersion())),
        zlib.ZLIB_RUNTIME_VERSION,
    )
    return {**{name: version(name) for name in PAPER}, **dict(zip(LIBRARIES, versions, strict=True))}


def _of_library(names: tuple[str, ...], read: Callable[[ctypes.CDLL], str]) -> str:
    for name in names:
        try:
            return read(ctypes.CDLL(name))
        except (OSError, AttributeError):
            continue
    return "unknown"


def _text_of(function: "ctypes._NamedFuncPointer") -> str:
    function.restype = ctypes.c_char_p
    return str(function().decode())


def _is_foreign(page: str) -> bool:
    """Whether a font of the machine may be asked for: a letter that no shipped font has, or styles of one's own."""
    letters = {ord(letter) for letter in set(page) if letter.isprintable()}
    emoji = any(low <= letter <= high for letter in letters for low, high in EMOJI)
    if emoji or not letters <= _shipped_letters():
        return True
    start = page.find("<style>")
    sheet = page[start + len("<style>") : page.find("</style>", start)]
    shipped_style = render.minified((shipped("templates") / "report.css").read_text("utf-8"))
    return "font" in sheet.removeprefix(shipped_style)


@cache
def _shipped_letters() -> frozenset[int]:
    """Letters that every text of a report finds in a shipped font: in the one that stands in, or in all others."""
    from matplotlib.ft2font import FT2Font

    paths = sorted((shipped("templates") / "fonts").glob("*.?tf"))
    maps = [frozenset(FT2Font(str(path)).get_charmap()) for path in (render.fallback_font(), *paths)]
    return maps[0] | frozenset.intersection(*maps[1:])


def letters_without_font(page: str) -> str:
    """The letters of a page that no shipped font and none of this machine has: its PDF shows boxes for them."""
    from matplotlib.font_manager import findSystemFonts
    from matplotlib.ft2font import FT2Font

    letters = {ord(letter) for letter in set(page) if letter.isprintable()} - _shipped_letters()
    for path in findSystemFonts() if letters else ():
        with suppress(OSError, RuntimeError):  # a font that cannot be read
            letters -= set(FT2Font(path).get_charmap())
    return "".join(map(chr, sorted(letters)))


@cache
def _fonts() -> str:
    """Digest of the names and sizes of the machine's fonts."""
    from matplotlib.font_manager import findSystemFonts

    fonts = sorted({(Path(path).name, Path(path).stat().st_size) for path in findSystemFonts()})
    return sha256(to_bytes([[name, size] for name, size in fonts]))
