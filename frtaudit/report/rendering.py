"""Page and checklists as functions of files: what a run prints, and what ``frtaudit verify`` renders again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import cast

from frtaudit.core import AuditResult
from frtaudit.core.canonical import Json, to_bytes
from frtaudit.core.machine.run_files import RESULT
from frtaudit.core.plain.structure import build, plain, silent
from frtaudit.core.result import Previous
from frtaudit.core.spec import Report
from frtaudit.report import render, sweep
from frtaudit.report.checklists import filled, to_csv, to_json
from frtaudit.report.files import (
    CHECKLISTS,
    CHECKLISTS_CSV,
    PREVIOUS,
    RENDERED_BY,
    SETTINGS,
    STATUS,
    TABLE,
    Files,
    templates_in,
)
from frtaudit.report.section import titles
from frtaudit.report.shape import Shape, shape_in

MACHINE = frozenset(
    {"key", "tsa", "evidence", "previous", "templates"}
)  # places of one machine, not settings


def page_of(files: Files) -> bytes:
    """The page. Whatever is wrong with the files is raised as the kind of error that it first leads to."""
    content = json.loads(files[SETTINGS])
    settings, date, status = settings_of(content), str(content["date"]), str(content[STATUS])
    if TABLE in files:
        return sweep.page(json.loads(files[TABLE]), settings, date, status).encode()
    result = AuditResult.of_file(files[RESULT])
    previous = Previous.read(files[PREVIOUS]) if PREVIOUS in files else None
    shape = shape_in(templates_in(files), titles())
    return render.laid_out(result, settings, date, status, previous, shape).encode()


def checklists_of(files: Files) -> dict[str, bytes]:
    """The filled checklists that the settings name, as files; none where they name none."""
    content = json.loads(files[SETTINGS])
    settings = settings_of(content)
    if TABLE in files or not settings.checklists:
        return {}
    result = AuditResult.of_file(files[RESULT])
    lists = filled(result, replace(settings, date=str(content["date"])), settings.checklists)
    return {CHECKLISTS: to_json(lists), CHECKLISTS_CSV: to_csv(lists)}


def settings_of(content: Mapping[str, Json]) -> Report:
    """The settings that ``report.json`` holds; places of the machine that made it are left out."""
    known = {field.name for field in fields(Report)} - MACHINE
    settings = {name: value for name, value in content.items() if name in known}
    return cast("Report", build(Report, settings, "report"))


def settings_again(files: Files) -> bytes:
    """What ``report.json`` holds beside these files: its settings, and the digests of the last audit and of templates.

    Where it is another, somebody wrote it by hand.
    """
    content = json.loads(files[SETTINGS])
    previous = Previous.read(files[PREVIOUS]) if PREVIOUS in files else None
    shape = shape_in(templates_in(files), titles())
    sections = [name for name in content.get("sections", ()) if f"sections/{name}.html.j2" in shape.files]
    again = told_of(
        settings_of(content), str(content["date"]), str(content[STATUS]), previous, shape, sections
    )
    return to_bytes({**again, RENDERED_BY: content[RENDERED_BY]})


def told_of(
    settings: Report,
    date: str,
    status: str,
    previous: Previous | None = None,
    shape: Shape | None = None,
    sections: Sequence[str] = (),
) -> dict[str, Json]:
    """What ``report.json`` holds, but for what rendered it: no paths; the last audit and templates by their digests.

    ``sections``: names of those that other wheels brought. What was added later stands only where it is set.
    """
    content = plain(settings)
    unset = {field.name for field in fields(settings) if silent(field, getattr(settings, field.name))}
    items = content.items() if isinstance(content, Mapping) else ()
    return {
        **{name: value for name, value in items if name not in unset and name not in MACHINE},
        **dict.fromkeys(("key", "tsa", "evidence")),
        "date": date,
        STATUS: status,
        "previous": None if previous is None else previous.sha256,
        **({"templates": dict(shape.digests)} if shape and shape.files else {}),
        **({"sections": list(sections)} if sections else {}),
    }
