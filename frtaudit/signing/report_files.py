"""The files of a report, made, made again in a fresh process, and only then signed."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from frtaudit.core.canonical import Json, to_bytes
from frtaudit.core.spec import Report
from frtaudit.errors import FrtauditError
from frtaudit.report import render
from frtaudit.report.files import (
    ANNEX,
    PDF,
    RENDERED_BY,
    SETTINGS,
    TABLE,
    TABLE_PDF,
    Files,
    attachments,
    page_name,
)
from frtaudit.report.fresh import Rendered, made_again
from frtaudit.report.render import Part
from frtaudit.report.rendering import checklists_of, page_of
from frtaudit.report.versions import page_versions, paper_versions
from frtaudit.signing.pdf.first_revision import first_difference, foreign
from frtaudit.signing.pdf.signature import read_signed_pdf, sign_pdf
from frtaudit.signing.signer import Signer
from frtaudit.signing.signing import Signing
from frtaudit.signing.statement import INNER_NAME

Inner = Callable[[Files, Signer, datetime], bytes]
"""Makes the statement inside a PDF: (what it covers, signer, time of signing)."""


def report_files(
    sources: Files,
    content: Mapping[str, Json],
    settings: Report,
    signing: Signing,
    inner: Inner | None = None,
) -> dict[str, bytes]:
    """The files to write: the sources, ``report.json``, and page, checklists and PDF as the settings ask for them.

    ``sources``: what the page is made from beside ``content``, what ``report.json`` will hold; ``inner``: makes the
    statement inside the PDF. Raises :class:`FrtauditError` where a second process makes other bytes: nothing is
    signed then.
    """
    drafted = {**sources, SETTINGS: to_bytes({**content, RENDERED_BY: dict(page_versions())})}
    page = page_of(drafted)
    by = {**page_versions(), **(paper_versions(page) if settings.pdf else {})}
    files = {**sources, SETTINGS: to_bytes({**content, RENDERED_BY: by})}
    when = datetime.now(UTC)
    attached = dict(attachments(files, page)) if settings.pdf else None
    if attached is not None and signing.signer is not None and inner is not None:
        attached[INNER_NAME] = inner({**attached}, signing.signer, when)
    parts = parts_of(settings, page)
    with made_again(files, attached, parts) as again:
        text = page.decode()
        layouts = {} if attached is None else {part: render.pdf(text, attached, part) for part in parts}
        layout, annex = layouts.get(Part.MAIN), layouts.get(Part.ANNEX)
        rendered = Rendered(page=page, settings=files[SETTINGS], pdf=layout, annex=annex)
        _compare(rendered, again(), page_name(files))
    outputs = {**files, **checklists_of(files)}
    if settings.html:
        outputs[page_name(files)] = page
    if layout is not None:
        outputs[TABLE_PDF if TABLE in files else PDF] = _signed(layout, signing, when)
    if annex is not None:
        outputs[ANNEX] = _signed(annex, signing, when)
    return outputs


def parts_of(settings: Report, page: bytes) -> tuple[Part, ...]:
    """Which PDFs a page is laid out as: the main report, and its annex where the settings ask for one."""
    return (Part.MAIN, Part.ANNEX) if settings.annex and render.has_annex(page.decode()) else (Part.MAIN,)


def _compare(rendered: Rendered, other: Rendered, name: str) -> None:
    compared = (
        (name, rendered.page, other.page),
        (SETTINGS, rendered.settings, other.settings),
        (PDF, rendered.pdf, other.pdf),
        (ANNEX, rendered.annex, other.annex),
    )
    for what, first, second in compared:
        if first != second:
            place = first_difference(first or b"", second or b"")
            text = f"a second process made a different file (from byte {place} on), so nothing was written or signed"
            raise FrtauditError(what, text, "a repeatable report; please report this error with report.json")


def _signed(layout: bytes, signing: Signing, when: datetime) -> bytes:
    """The layout with a signature of whoever signs, and nothing else; itself where nobody does."""
    if signing.signer is None:
        return layout
    pdf = sign_pdf(layout, signing.signer, when, signing.pades)
    wrong = foreign(layout, pdf, read_signed_pdf(pdf, (), PDF).signatures[0])
    if wrong is not None:
        raise FrtauditError("report.pdf", f"signed, it {wrong}", "a signature that adds nothing else")
    return pdf
