"""The files that a page is made from, where they stand: in the folder of a run or of a sweep, or inside a PDF.

They are ``result.json`` or ``sweep.json``, ``report.json`` (settings, date, signing status, what rendered the report),
``previous.json`` and ``templates/``; a statement covers them. Inside a PDF the templates are one attachment,
``templates.json``.
"""

import base64
import json
from collections.abc import Mapping
from pathlib import Path

from frtaudit.core.canonical import to_bytes
from frtaudit.core.machine.files import read_regular
from frtaudit.core.machine.run_files import RESULT
from frtaudit.errors import DataError, why

HTML, PDF, ANNEX = "report.html", "report.pdf", "annex.pdf"
TABLE, TABLE_HTML, TABLE_PDF = "sweep.json", "sweep.html", "sweep.pdf"
STUDY_FILE = "nominal_levels.json"
SETTINGS, PREVIOUS, SEAL, SPEC = "report.json", "previous.json", "seal.json", "spec.json"
CHECKLISTS, CHECKLISTS_CSV = "checklists.json", "checklists.csv"
TEMPLATES, TEMPLATES_FILE = "templates/", "templates.json"
DRAFT = ".draft"  # of a run: what it writes before it is whole
STATUS, RENDERED_BY = "status", "rendered_by"

Files = Mapping[str, bytes]


def is_sweep(folder: Path) -> bool:
    """Whether a folder is a sweep's: its table, or its signed statement over one, stands there."""
    return (folder / TABLE).is_file() or (folder / TABLE_PDF).is_file()


def findings_key(table: Mapping[str, object]) -> str:
    """Where the findings stand in what ``sweep.json`` holds: ``rulings`` in one of before."""
    return "rulings" if "rulings" in table else "findings"


def refuse_sweep(path: Path) -> None:
    """Raise :class:`DataError` for the folder of a sweep, where that of a run is meant."""
    if is_sweep(path):
        raise DataError(path.name or str(path), "is the folder of a sweep", "the folder of one of its jobs")


def jobs_in(sweep: Path) -> list[Path] | None:
    """The folders of the jobs that a sweep finished, in the order of its table; None for a folder that is no sweep's.

    Raises :class:`DataError` for a table that cannot be read, names a folder elsewhere, or no finished job.
    """
    if not (sweep / TABLE).is_file():
        return None
    place, accepted = f"{sweep.name}/{TABLE}", "a complete sweep"
    try:
        jobs = json.loads(read_regular(sweep / TABLE))["jobs"]
        names = [str(job["folder"]) for job in jobs if job["state"] == "done"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(place, f"cannot be read ({why(error)})", accepted) from None
    if not names or any(name != Path(name).name or name in ("", "..") for name in names):
        raise DataError(place, "names no finished job, or a folder elsewhere", accepted)
    return [sweep / name for name in names]


def is_source(name: str) -> bool:
    """Whether a page, or what its PDF carries, is made from a file of this name.

    >>> is_source("templates/style.css"), is_source("report.html")
    (True, False)
    """
    return name in (RESULT, TABLE, SETTINGS, PREVIOUS, SEAL) or name.startswith(TEMPLATES)


def page_name(files: Files) -> str:
    """What the page of these files is called."""
    return TABLE_HTML if TABLE in files else HTML


def templates_in(files: Files) -> dict[str, bytes]:
    """The report's own templates, by their names below ``templates/``."""
    names = sorted(name for name in files if name.startswith(TEMPLATES))
    return {name.removeprefix(TEMPLATES): files[name] for name in names}


def has_sections(files: Files) -> bool:
    """Whether templates of sections stand among the files: they can loop for ever, where styles and words cannot."""
    return any(name.startswith(f"{TEMPLATES}sections/") for name in files)


def attachments(files: Files, page: bytes) -> dict[str, bytes]:
    """What the PDF of a page carries, but for the statement inside it: the files, the spec and the page."""
    templates = {name: base64.b64encode(data).decode() for name, data in templates_in(files).items()}
    return {
        **{name: data for name, data in files.items() if not name.startswith(TEMPLATES)},
        **({} if TABLE in files else {SPEC: to_bytes(json.loads(files[RESULT])["spec"])}),
        **({TEMPLATES_FILE: to_bytes(templates)} if templates else {}),
        page_name(files): page,
    }


def sources_in(attached: Files) -> dict[str, bytes]:
    """The files that a page is made from, out of a PDF's attachments. Raises ValueError for broken templates."""
    contents = {name: data for name, data in attached.items() if is_source(name)}
    for name, text in json.loads(attached.get(TEMPLATES_FILE, b"{}")).items():
        contents[TEMPLATES + name] = base64.b64decode(text, validate=True)
    return contents
