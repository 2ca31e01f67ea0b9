"""Whether page and PDF are those that the files beside them lead to: both are made again and compared.

Reading a page or a PDF cannot bind its signer: the truth may stand there and be hidden. Rendering it again can. Where
another version rendered it than the one that is here, other bytes mean nothing, and nothing is said against it.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from frtaudit.core.canonical import Json
from frtaudit.core.machine.faults import as_line, of_machine
from frtaudit.core.machine.run_files import RESULT
from frtaudit.core.result import AuditResult
from frtaudit.errors import DataError, FrtauditError, UnfinishedError, why
from frtaudit.evaluation.contradictions import FULL, unfounded
from frtaudit.report.files import (
    ANNEX,
    CHECKLISTS,
    CHECKLISTS_CSV,
    HTML,
    PDF,
    RENDERED_BY,
    SETTINGS,
    STATUS,
    TABLE,
    TABLE_PDF,
    TEMPLATES,
    attachments,
    has_sections,
    is_source,
    sources_in,
)
from frtaudit.signing.pdf.first_revision import first_difference, foreign
from frtaudit.signing.pdf.signature import SignedPdf
from frtaudit.signing.signer import is_demo
from frtaudit.signing.statement import INNER_NAME, Statement
from frtaudit.signing.verification import LAYOUT, Check, Depth, indeterminate, invalid, note, ok, unchecked

LISTS = (CHECKLISTS, CHECKLISTS_CSV)
UNRECORDED = "it was made before reports recorded what rendered them"
_Made = dict[bytes, tuple[bytes, ...]]
"""Layouts by the statement inside them, each made once."""
LONGEST = 600.0  # seconds that a report with templates of its own may take
WITHOUT_RECORD = "0.1.0"  # of frtaudit: the one version whose reports did not


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A PDF of a report: its name, its bytes, what it carries."""

    name: str
    data: bytes
    signed: SignedPdf


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a run, a sweep or a PDF alone holds, all of it intact.

    ``sources``: what a page is made from, by name; ``page``: its bytes (None: there is none), called ``page_name``;
    ``lists``: filled checklists by name (None: they stand elsewhere); ``papers``: its PDFs; ``listed``: names of all
    files that the statement of a folder lists (None: a PDF alone).
    """

    sources: Mapping[str, bytes]
    page: bytes | None
    page_name: str
    lists: Mapping[str, bytes] | None
    papers: tuple[Paper, ...]
    listed: Collection[str] | None = None


def is_rendered(name: str) -> bool:
    """Whether a file of a run is made again, or is what others are made from."""
    return is_source(name) or name in (HTML, PDF, ANNEX, *LISTS)


def in_folder(
    folder: Path, intact: Collection[str], listed: Collection[str], signed: Mapping[str, SignedPdf]
) -> Written:
    """What lies in a run's folder.

    ``intact``: those of the ``listed`` files that stand there as they were signed; ``signed``: PDFs that were opened,
    by name.
    """
    return Written(
        sources={name: (folder / name).read_bytes() for name in intact if is_source(name)},
        page=(folder / HTML).read_bytes() if HTML in intact else None,
        page_name=HTML,
        lists={name: (folder / name).read_bytes() for name in LISTS if name in intact},
        papers=tuple(
            Paper(name=name, data=(folder / name).read_bytes(), signed=signed[name])
            for name in (PDF, ANNEX)
            if name in intact and name in signed
        ),
        listed=listed,
    )


def in_pdf(path: Path, signed: SignedPdf) -> Written:
    """What a PDF carries of its run."""
    try:
        sources = sources_in(signed.attachments)
    except (ValueError, AttributeError, TypeError):  # templates that are none: the page will differ
        sources = {name: data for name, data in signed.attachments.items() if is_source(name)}
    return Written(
        sources=sources,
        page=signed.attachments.get(HTML),
        page_name=f"{path.name} / {HTML}",
        lists=None,
        papers=(Paper(name=path.name, data=path.read_bytes(), signed=signed),),
    )


def rendering_checks(written: Written, status: str, depth: Depth, *, trusted: bool) -> Iterator[Check]:
    """Checks that page, checklists and PDF are what the sources lead to.

    ``status``: what the signatures prove, as a page says it; ``trusted``: of whoever signed the sources. Templates of
    a stranger are not run.
    """
    if SETTINGS not in written.sources and written.page is None and not written.papers:
        yield from _findings(written, _audited_by_another(written))  # they follow from the estimates too
        return
    first = written.papers[0].name if written.page is None and written.papers else written.page_name
    try:
        content = json.loads(written.sources.get(SETTINGS, b"{}"))
    except ValueError:
        content = None
    if not isinstance(content, dict):
        yield invalid(SETTINGS, "is not a record of report settings")
        return
    recorded = content.get(RENDERED_BY)
    if not isinstance(recorded, dict) or not _says(recorded):
        is_older = not isinstance(recorded, dict) and _made_by(written) == WITHOUT_RECORD
        yield (
            unchecked(first, f"not compared: {UNRECORDED}")
            if is_older
            else invalid(SETTINGS, f"does not say what rendered {first}, as every report since 0.2.0 does")
        )
        return
    if content.get(STATUS) != status:
        yield invalid(SETTINGS, f"says that the report is {content.get(STATUS)!r}, but it is {status}")
        return
    if not trusted and any(name.startswith(TEMPLATES) for name in written.sources):
        yield unchecked(first, "not compared: its templates are of a signer who is not trusted here")
        return
    count = sum(name.startswith(TEMPLATES) for name in written.sources)
    if count:
        yield note(
            first, f"is laid out with {count} templates of its own: their words and styles are the signer's"
        )
    yield from _page(written, recorded, depth)


def _audited_by_another(written: Written) -> tuple[str, ...]:
    made_by, here = _made_by(written), version("frtaudit")
    return (
        () if made_by == here else (f"made by frtaudit {made_by or 'of an unknown version'}, this is {here}",)
    )


def _findings(written: Written, other: tuple[str, ...]) -> Iterator[Check]:
    """What a result's findings say is what its estimates lead to; ``other``: what other versions made.

    A publishable variant may have been rendered by a later version than its audit.
    """
    try:
        result = (
            AuditResult.from_json(json.loads(written.sources[RESULT])) if RESULT in written.sources else None
        )
        if result is not None and FULL in result.digests:
            other = other or _audited_by_another(written)
        wrong = None if result is None else unfounded(result)
    except Exception as error:  # noqa: BLE001  files of another version or of a forger may lead to any
        if of_machine(error):
            yield unchecked(RESULT, f"findings not compared: {as_line(error).where}: {as_line(error).found}")
            return
        wrong = f"its findings cannot be judged again ({why(error)})"
    if wrong is not None:
        yield _differs(RESULT, wrong, other, "findings")


def status_of(statement: Statement) -> str:
    """What a statement's signature proves, as a page says it."""
    return "demo" if is_demo(statement.certificate) else "signed"


def _says(recorded: Mapping[str, Json]) -> bool:
    """Whether all that rendered a report is named: of this version what it records, of others at least the version."""
    from frtaudit.report.versions import page_versions

    current = page_versions()
    names = current.keys() if recorded.get("frtaudit") == current["frtaudit"] else {"frtaudit", "source"}
    return names <= recorded.keys() and isinstance(recorded["frtaudit"], str)


def _made_by(written: Written) -> str | None:
    """The version of frtaudit that a result or a sweep's table names; None where they name none."""
    try:
        content = json.loads(written.sources.get(RESULT) or written.sources[TABLE])
        return str(content["frtaudit"] if "frtaudit" in content else content["versions"]["frtaudit"])
    except (ValueError, KeyError, TypeError):
        return None


def _page(written: Written, recorded: Mapping[str, Json], depth: Depth) -> Iterator[Check]:
    from frtaudit.report.rendering import checklists_of
    from frtaudit.report.versions import differing

    name, other = written.page_name, differing(recorded, None)
    yield from _findings(written, other)
    try:
        page, settings = _made_again(written.sources)
        lists = checklists_of(written.sources)
    except UnfinishedError as error:
        outcome = unchecked if other else indeterminate
        yield outcome(name, f"not compared: in a second process, for its templates: {error.found}")
        return
    except Exception as error:  # noqa: BLE001  files of another version or of a forger may lead to any
        if of_machine(error):
            yield unchecked(name, f"not compared: {as_line(error).where}: {as_line(error).found}")
            return
        yield _differs(name, f"cannot be made again ({why(error)})", other, "page")
        return
    if written.page is not None and written.page != page:
        place = first_difference(page, written.page)
        yield _differs(name, f"made again, it differs from byte {place} on", other, "page")
        return
    if written.page is not None:
        yield ok(name, "made again from the result and report.json: the same bytes")
    yield from _as_told(written, settings, page, other)
    yield from _lists(written, lists, other)
    layouts: _Made = {}
    for paper in written.papers:
        if paper.signed.signatures:
            yield from _paper(written, paper, page, recorded, depth, layouts)


def _made_again(sources: Mapping[str, bytes]) -> tuple[bytes, bytes]:
    """The page, and what ``report.json`` holds beside it.

    Templates of the signer's own run in a process of their own: they can ask for all time and all memory there is.
    """
    from frtaudit.report.fresh import made_again
    from frtaudit.report.rendering import page_of, settings_again

    if not has_sections(sources):
        return page_of(sources), settings_again(sources)
    with made_again(sources, None, longest=LONGEST) as again:
        rendered = again()
    return rendered.page, rendered.settings


def _lists(written: Written, again: Mapping[str, bytes], other: tuple[str, ...]) -> Iterator[Check]:
    """The checklists that stand beside a result are those that it leads to."""
    if written.lists is None:
        return
    for name in sorted({*again, *written.lists}):
        if again.get(name) != written.lists.get(name):
            yield _differs(name, "does not follow from the result", other, "list")


def _as_told(written: Written, again: bytes, page: bytes, other: tuple[str, ...]) -> Iterator[Check]:
    """``report.json`` holds what is written ``again``; page and PDFs that it asks for stand there, no others."""
    from frtaudit.report.render import Part
    from frtaudit.report.rendering import settings_of
    from frtaudit.report.versions import page_versions, recorded_names
    from frtaudit.signing.report_files import parts_of

    if again != written.sources[SETTINGS]:
        yield _differs(SETTINGS, "contains a setting that no report has", other, "settings")
    content = json.loads(written.sources[SETTINGS])
    settings, recorded = settings_of(content), content[RENDERED_BY]
    is_this = recorded.get("source") == page_versions()["source"]
    if is_this and set(recorded) != recorded_names(page, with_paper=settings.pdf):
        yield invalid(SETTINGS, "names other programs than those that render such a report")
    if written.listed is None:
        return
    paper = TABLE_PDF if TABLE in written.sources else PDF
    annexed = settings.pdf and Part.ANNEX in parts_of(settings, page)
    wanted = {written.page_name: settings.html, paper: settings.pdf, ANNEX: annexed}
    for name, asked in wanted.items():
        if asked != (name in written.listed):
            missing, more = f"is missing, although {SETTINGS} requests it", f"is not requested by {SETTINGS}"
            yield _differs(name, missing if asked else more, other, "settings")


def _paper(
    written: Written, paper: Paper, page: bytes, recorded: Mapping[str, Json], depth: Depth, layouts: _Made
) -> Iterator[Check]:
    """The PDF carries what it should and, where it is asked for, is laid out as it was."""
    from frtaudit.report.versions import differing, page_versions

    name, carried = paper.name, dict(paper.signed.attachments)
    inner = {INNER_NAME: carried.pop(INNER_NAME)} if INNER_NAME in carried else {}
    wanted = attachments(written.sources, page)
    wrong = sorted(
        attachment for attachment in {*wanted, *carried} if wanted.get(attachment) != carried.get(attachment)
    )
    if wrong:
        other = differing(recorded, None) if recorded.get("source") != page_versions()["source"] else ()
        yield _differs(name, f"contains another {wrong[0]} than the report has", other, "attachments")
        return
    if depth is Depth.PAGE:
        yield unchecked(name, LAYOUT)
        return
    try:
        key = inner.get(INNER_NAME, b"")
        if key not in layouts:
            layouts[key] = _laid_out(written.sources, {**wanted, **inner}, page)
        yield _compared(paper, layouts[key], differing(recorded, page))
    except DataError as error:
        yield _differs(name, error.found, differing(recorded, page), "layout")
    except FrtauditError as error:
        yield unchecked(name, f"layout not compared: {error.where} {error.found}")


def _laid_out(sources: Mapping[str, bytes], attached: Mapping[str, bytes], page: bytes) -> tuple[bytes, ...]:
    """The main report and, where the settings ask for it, its annex."""
    from frtaudit.report.fresh import made_again
    from frtaudit.report.rendering import settings_of
    from frtaudit.signing.report_files import parts_of

    parts = parts_of(settings_of(json.loads(sources[SETTINGS])), page)
    longest = LONGEST if has_sections(sources) else None
    with made_again(sources, attached, parts, longest) as again:
        rendered = again()
    return tuple(data for data in (rendered.pdf, rendered.annex) if data is not None)


def _compared(paper: Paper, layouts: tuple[bytes, ...], other: tuple[str, ...]) -> Check:
    """A PDF holds where it is one of the layouts and the signature; one of the name of the annex only its own."""
    allowed = layouts[1:] if paper.name == ANNEX else layouts[:1] if paper.name == PDF else layouts
    wrong = "the settings ask for no annex"
    for layout in allowed:
        problem = foreign(layout, paper.data, paper.signed.signatures[0])
        if problem is None:
            text = f"laid out again in another process: the same {len(layout)} bytes, then the signature"
            return ok(paper.name, text)
        wrong = problem
    return _differs(paper.name, wrong, other, "layout")


def _differs(name: str, message: str, other: tuple[str, ...], what: str) -> Check:
    """Invalid, unless another version rendered it."""
    return unchecked(name, f"{'; '.join(other)}: {what} not compared") if other else invalid(name, message)
