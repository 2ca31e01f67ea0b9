"""HTML and PDF from a result: same result, settings, date and status give the same bytes."""

import base64
import ctypes.util
import hashlib
import importlib
import io
import logging
import math
import os
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any  # Any: WeasyPrint has no types
from urllib.parse import urlsplit
from urllib.request import url2pathname

from frtaudit.core import AuditResult
from frtaudit.core.canonical import mapping
from frtaudit.core.machine import signals
from frtaudit.core.machine.resources import shipped
from frtaudit.core.result import Previous
from frtaudit.core.spec import Report
from frtaudit.core.spec_values import Paper
from frtaudit.errors import DataError, FrtauditError
from frtaudit.report import pdf_ua
from frtaudit.report.context import Status, context
from frtaudit.report.direction import names_in, use_names
from frtaudit.report.figures.on_paper import simplified
from frtaudit.report.layout import check_templates, rendered
from frtaudit.report.references import FOLDED
from frtaudit.report.section import titles
from frtaudit.report.shape import Shape, shape_of
from frtaudit.report.words import use_vocabulary

APT = "apt-get install -y --no-install-recommends libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
VARIANT = "pdf/a-3a"
ANYWHERE = "<style>* { break-before: auto !important; break-after: auto !important; }</style>"
EPOCH = "SOURCE_DATE_EPOCH"
FONT_RULES, FONT_ROOT = "FONTCONFIG_FILE", "FONTCONFIG_SYSROOT"
RELATIONS = {".json": "Data", ".html": "Alternative"}
_DATE = re.compile(r'<meta name="dcterms.created" content="([^"]+)">')
SHEETS = {  # what is printed is 176 mm wide on either
    Paper.A4: "size: A4; margin: 17mm 17mm 16mm",
    Paper.LETTER: "size: letter; margin: 15mm 19.8mm 14.4mm",
}
_FOLD = re.compile(r'(<details class="fold"><summary>)(.*?)(</summary>)', re.DOTALL)
_FRONT = re.compile(r'(<header class="front"[^>]*>)')
_TITLE = re.compile(r"<h1>(.*?)</h1>", re.DOTALL)
_LETTERS = re.compile(r'(<ol class="letters".*?</ol>)', re.DOTALL)
_ID = re.compile(r' id="([^"]+)"')
_LINK = re.compile(r' href="#([^"]+)"')
_PAPER = re.compile(r'<html [^>]*data-paper="(\w+)"')
_SVG = re.compile(r"<svg\b[^>]*>.*?</svg>", re.DOTALL)
_SVG_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_SVG_WIDTH = re.compile(r' width="([\d.]+)pt"')
BESIDE = {"narrow": 245.0, "middle": 320.0}  # points: of drawings that have room for a caption beside them
_SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)
_DIGEST = re.compile(r"Result sha256 ([0-9a-f]{64})\.")


class Part(Enum):
    """What of a page a PDF lays out: the main report, or what is folded on screen."""

    MAIN = "main"
    ANNEX = "annex"


def html(
    result: AuditResult, settings: Report, date: str, status: str, previous: Previous | None = None
) -> str:
    """The report as one self-contained HTML file: no network, a strict Content-Security-Policy, one own script.

    ``date``: ISO date printed in the report; ``status``: ``signed``, ``demo`` or ``unsigned``; ``previous``: the last
    audit, where one was given.
    Raises :class:`DataError` for another status or a date that is none.
    """
    shape = shape_of(settings.templates, titles(), analyses_in(result))
    return laid_out(result, settings, date, status, previous, shape)


def laid_out(
    result: AuditResult, settings: Report, date: str, status: str, previous: Previous | None, shape: Shape
) -> str:
    """The same in a shape that is at hand; ``settings.templates`` is not looked at."""
    _moment(date)
    with use_vocabulary(shape.words), use_names(names_in(result, settings)):
        view = context(result, settings, date, _status(status), previous, shape)
        style = minified((shipped("templates") / "report.css").read_text("utf-8") + shape.style)
        script = (shipped("templates") / "report.js").read_text("utf-8")
        values = {field.name: getattr(view, field.name) for field in fields(view)}
        values |= {"lang": shape.lang, "logo": shape.logo, "shape": shape if shape.files else None}
        values |= {"style": style, "script": script, "policy": policy_of(style, script) + shape.policy}
        return rendered(shape, result, values)


def analyses_in(result: AuditResult) -> tuple[str, ...]:
    """Names of the analyses that a result's spec asked for."""
    return tuple(mapping(result.spec.get("analyses")))


def check_shape(settings: Report, analyses: Iterable[str] = ()) -> Shape:
    """The shape that ``report.templates`` and other wheels give. Raises :class:`SpecError` where it cannot be used."""
    shape = shape_of(settings.templates, titles(), analyses)
    check_templates(shape)
    return shape


def pdf(page: str, attachments: Mapping[str, bytes] | None = None, part: Part = Part.MAIN) -> bytes:
    """A part of a page that :func:`html` made, as PDF/A-3a and PDF/UA-1 with ``attachments`` (file name to bytes).

    Raises :class:`FrtauditError` with the packages to install where WeasyPrint's system libraries are missing.
    """
    writer = weasyprint()
    moment, digest = _moment(_found(_DATE, page)), _found(_DIGEST, page)
    base = (shipped("templates") / "report.html.j2").as_uri()
    with _frozen(moment):
        files = _shipped_only(writer)
        asked = {
            "attachments": [
                _attached(writer, *attachment, moment) for attachment in sorted((attachments or {}).items())
            ],
            "pdf_identifier": digest[:32].encode(),
            "pdf_variant": VARIANT,
        }
        paper = _on_paper(page, part)
        try:
            written = _laid_out(writer.HTML(string=paper, base_url=base, url_fetcher=files), asked)
        except AssertionError:  # WeasyPrint finds no place to break a page: it may break anywhere then
            loose = paper.replace("</head>", f"{ANYWHERE}</head>", 1)
            written = _laid_out(writer.HTML(string=loose, base_url=base, url_fetcher=files), asked)
    if not isinstance(written, bytes):
        raise FrtauditError("report.pdf", "the PDF could not be written")
    return written


def _shipped_only(writer: ModuleType) -> object:
    """What fetches for a page: what stands in it and the shipped files, no other file of the machine."""
    folder, fallback = shipped("templates").resolve(), fallback_font().resolve()

    class Fetcher(writer.URLFetcher):  # type: ignore[name-defined, misc]  # WeasyPrint has no types
        def fetch(self, url: str, headers: object = None) -> object:
            address = urlsplit(url)
            path = Path(url2pathname(address.path)).resolve()
            is_ours = address.scheme.lower() == "data" or path == fallback or path.is_relative_to(folder)
            self._fail_on_errors = is_ours
            if not is_ours:
                raise ValueError(f"{url} is no shipped file")  # WeasyPrint leaves it out
            return super().fetch(url, headers)

    return Fetcher(allowed_protocols={"file", "data"}, allow_redirects=False, fail_on_errors=True)


def _laid_out(page: Any, asked: Mapping[str, object]) -> object:  # noqa: ANN401  WeasyPrint has no types
    """What ``write_pdf`` returns. A signal that was noted is acted on before a page is laid out or painted."""
    with _steps_checked(), _fonts() as fonts:
        document = page.render(font_config=fonts, **asked)
        pdf_ua.claim(document)
        for sheet in document.pages:
            sheet.paint = partial(_painted, sheet.paint)
        return document.write_pdf(finisher=_compressed, **asked)


def _compressed(_: object, pdf: Any) -> None:  # noqa: ANN401  pydyf has no types
    """Compress each stream here: pydyf would do so twice, to write it and for the file's identifier."""
    for stream in (part for part in pdf.objects if getattr(part, "compress", False)):
        stream.compress = False
        data = stream.data.partition(b"\nstream\n")[2].removesuffix(b"\nendstream")
        stream.extra["Filter"] = "/FlateDecode"
        stream.stream = [zlib.compress(data)]


@contextmanager
def _fonts() -> Iterator[object]:
    """WeasyPrint's fonts, whose folder of copies goes with the block: a document refers to itself and may stay."""
    fonts = importlib.import_module("weasyprint.text.fonts").FontConfiguration()
    try:
        yield fonts
    finally:
        fonts.__del__()


def _painted(paint: Callable[..., object], *args: object, **options: object) -> object:
    signals.check()
    return paint(*args, **options)


@contextmanager
def _steps_checked() -> Iterator[None]:
    """WeasyPrint reports each page that it lays out to a logger: the place between two steps of a long layout."""
    logger = logging.getLogger("weasyprint.progress")
    before = logger.level, logger.disabled

    def check_signals(_: logging.LogRecord) -> bool:
        signals.check()
        return False  # nobody reads it

    logger.addFilter(check_signals)
    logger.setLevel(logging.INFO)
    logger.disabled = False
    try:
        yield
    finally:
        logger.removeFilter(check_signals)
        logger.setLevel(before[0])
        logger.disabled = before[1]


def _attached(writer: ModuleType, name: str, data: bytes, moment: datetime) -> object:
    """An attachment whose dates are the report's."""
    relation = RELATIONS.get(Path(name).suffix, "Supplement")
    return writer.Attachment(
        file_obj=io.BytesIO(data),
        name=name,
        description=name,
        created=moment,
        modified=moment,
        relationship=relation,
    )


def _status(status: str) -> Status:
    try:
        return Status(status)
    except ValueError:
        known = ", ".join(Statu.value for Statu in Status)
        raise DataError("report status", f"found {status!r}", known) from None


def _moment(date: str) -> datetime:
    try:
        return datetime.fromisoformat(date).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=UTC)
    except ValueError:
        raise DataError("report.date", f"found {date!r}", "a date such as 2026-01-31") from None


def policy_of(style: str, script: str = "") -> str:
    """Nothing may load; the one style sheet and the one script, if there is one, are named by their digests."""
    runs = f"script-src {_named(script)}; " if script else ""
    return f"default-src 'none'; style-src {_named(style)}; {runs}base-uri 'none'; form-action 'none'"


def _named(text: str) -> str:
    """A source of a policy: the digest of its text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def minified(style: str) -> str:
    """A style sheet without comments and needless space."""
    text = re.sub(r"/\*.*?(?:\*/|\Z)", "", style, flags=re.DOTALL)
    return re.sub(r"\s+", " ", text).strip()


def weasyprint() -> ModuleType:
    """The library that lays out PDFs. Raises :class:`FrtauditError` where what it needs of the system is missing."""
    try:
        with _by_soname():
            return importlib.import_module("weasyprint")
    except OSError as error:
        text = f"WeasyPrint's system libraries are missing ({error})"
        raise FrtauditError("report.pdf", text, APT) from None


@contextmanager
def _by_soname() -> Iterator[None]:
    """On Linux the loader finds libraries by sonames, which WeasyPrint tries too: nothing else is asked for others.

    For each other name ctypes would start ldconfig, the compiler and the linker.
    """
    before = ctypes.util.find_library
    if sys.platform == "linux":
        ctypes.util.find_library = lambda name: None  # noqa: ARG005  as ctypes has it
    try:
        yield
    finally:
        ctypes.util.find_library = before


def has_annex(page: str) -> bool:
    """Whether anything of a page is left out of its main report."""
    begin = page.find("<!--annex-->")
    return begin >= 0 and page.find("<!--/annex-->", begin) >= 0


def _on_paper(page: str, part: Part) -> str:
    """A part of the page with the paper's style sheet after its own; links that lead out of it are plain text."""
    paper = Paper(_found(_PAPER, page))
    page = _SCRIPT.sub("", page)
    page = FOLDED.sub("", page) if part is Part.MAIN else _annex(page)
    known = set(_ID.findall(page))
    page = _LINK.sub(lambda match: match[0] if match[1] in known else "", page)
    page = _SVG.sub(_as_image, page)
    # DejaVu, which matplotlib ships, stands in for letters that Inter lacks.
    style = (shipped("templates") / "print.css").read_text("utf-8")
    style = style.replace("FALLBACK_FONT", fallback_font().as_uri()).replace("PAPER_SIZE", SHEETS[paper])
    return page.replace("</style>", f"{style}</style>", 1)


def _as_image(drawing: re.Match[str]) -> str:
    """A drawing as an image of its own, which WeasyPrint lays out in less time than elements of the page.

    A glyph, which is no XML by itself, stays.
    """
    if "xmlns=" not in drawing[0].partition(">")[0]:
        return drawing[0]
    title = _found(_SVG_TITLE, drawing[0]).replace('"', "&quot;")
    data = base64.b64encode(simplified(drawing[0]).encode()).decode()
    width = _SVG_WIDTH.search(drawing[0].partition(">")[0])
    points = float(width[1]) if width is not None else math.inf
    look = next((f' class="{name}"' for name, most in BESIDE.items() if points <= most), "")
    return f'<img alt="{title}"{look} src="data:image/svg+xml;base64,{data}">'


def _annex(page: str) -> str:
    """What is folded on the page, in its order, below the page's banner and title."""
    head, _, body = page.partition('<main class="page">')
    front, title, contents = (_found(pattern, body) for pattern in (_FRONT, _TITLE, _LETTERS))
    parts = "\n".join(_FOLD.sub(r"\1<h2>\2</h2>\3", match[1]) for match in FOLDED.finditer(body))
    return (
        f'{head}<main class="page is-annex">{front}<h1>{title}: annex</h1></header>\n'
        f'<nav class="contents">{contents}</nav>\n{parts}</main></body></html>'
    )


def fallback_font() -> Path:
    """The font of letters that the shipped ones lack."""
    import matplotlib as mpl

    return Path(mpl.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"


@contextmanager
def _frozen(moment: datetime) -> Iterator[None]:
    """SOURCE_DATE_EPOCH set from the report's date, fonts found without a user's rules for them; both restored."""
    variables = {EPOCH: str(int(moment.timestamp())), FONT_RULES: str(shipped("templates") / "fonts.conf")}
    before = {name: os.environ.get(name) for name in (*variables, FONT_ROOT)}
    os.environ.pop(FONT_ROOT, None)
    os.environ.update(variables)
    try:
        with warnings.catch_warnings():
            # WeasyPrint leaves its own colour profile to the garbage collector to close
            warnings.filterwarnings("ignore", message=r"unclosed file.*\.icc", category=ResourceWarning)
            yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def _found(pattern: re.Pattern[str], page: str) -> str:
    match = pattern.search(page)
    if match is None:
        raise DataError("report.html", "not a page of frtaudit", "what report.render.html returns")
    return match[1]
