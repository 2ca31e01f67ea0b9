"""Tests of frtaudit.report.rendering. Tests also files, which it reads from, fresh, which repeats it, and versions."""

import json
import os
import signal
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_fixture import DATE, SETTINGS
from small_limits import file_size_limit
from small_run import make_result

from frtaudit.core.canonical import to_bytes
from frtaudit.core.machine import signals
from frtaudit.core.result import Previous
from frtaudit.core.spec import Report
from frtaudit.errors import DataError, FrtauditError
from frtaudit.report import fresh, render, versions
from frtaudit.report.files import attachments, sources_in
from frtaudit.report.rendering import checklists_of, page_of, settings_again, settings_of, told_of
from frtaudit.report.shape import shape_in

RESULT = make_result()
STYLE = {"style.css": b"h2 { letter-spacing: 0; }"}


def files(settings: Report = SETTINGS, **more: bytes) -> dict[str, bytes]:
    """What a page is made from."""
    told = {**told_of(settings, DATE, "demo"), "rendered_by": {}}
    return {"result.json": RESULT.to_bytes(), "report.json": to_bytes(told), **more}


def test_the_page_is_that_of_the_values() -> None:
    """From the files comes the page that result, settings, date and status lead to."""
    assert page_of(files()).decode() == render.html(RESULT, SETTINGS, DATE, "demo")


def test_the_last_audit_and_templates_take_part() -> None:
    """previous.json and templates/ change the page; a template that is none is refused as in a run."""
    plain = page_of(files())
    assert page_of(files(**{"previous.json": make_result(0.35).to_bytes()})) != plain
    assert b"letter-spacing: 0; }</style>" in page_of(files(**{"templates/style.css": STYLE["style.css"]}))
    with pytest.raises(FrtauditError, match="is not a file of a layout"):
        page_of(files(**{"templates/../result.json": b"x"}))


def test_settings_come_back_without_places_of_a_machine() -> None:
    """What report.json says is read again; keys, addresses and paths are not in it."""
    settings = replace(
        SETTINGS, key="mine.pem", tsa="https://clock.example", templates="office", previous="old.json"
    )
    last = Previous.read(make_result(0.35).to_bytes())
    told = told_of(settings, DATE, "signed", last, shape_in(STYLE, {}), ["other"])
    said = json.dumps(told)
    assert not any(word in said for word in ("mine.pem", "clock.example", "office", "old.json"))
    assert told["previous"] == last.sha256
    assert told["templates"] == shape_in(STYLE, {}).digests
    assert told["sections"] == ["other"]
    assert settings_of(told) == replace(SETTINGS, date=DATE)


def test_checklists_are_filled_from_the_same_files() -> None:
    """Two files where the settings name lists, none where they do not."""
    assert set(checklists_of(files(replace(SETTINGS, checklists=("model_card",))))) == {
        "checklists.json",
        "checklists.csv",
    }
    assert checklists_of(files(replace(SETTINGS, checklists=()))) == {}


def test_what_a_pdf_carries_leads_to_the_same_page() -> None:
    """Templates are one attachment; out of the attachments come the files that the page was made from."""
    given = files(**{"templates/style.css": STYLE["style.css"], "seal.json": b"{}"})
    carried = attachments(given, b"page")
    assert set(carried) == {
        "result.json",
        "report.json",
        "seal.json",
        "spec.json",
        "report.html",
        "templates.json",
    }
    assert sources_in(carried) == given
    assert set(attachments({"sweep.json": b"{}", "report.json": b"{}"}, b"page")) == {
        "sweep.json",
        "report.json",
        "sweep.html",
    }


def test_a_fresh_process_makes_the_same_page() -> None:
    """Another process, with another order of hashing, comes to the same bytes."""
    with fresh.made_again(files(), None) as again:
        assert again() == fresh.Rendered(page=page_of(files()), settings=settings_again(files()), pdf=None)


def test_a_fresh_process_says_why_it_could_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Files that lead to no page are distinguished from a process that cannot be."""
    broken = {**files(), "report.json": b"{}"}
    with (
        fresh.made_again(broken, None) as again,
        pytest.raises(
            DataError, match="could not be made again in a second process .a part of it is missing"
        ),
    ):
        again()
    monkeypatch.setattr(fresh.sys, "executable", str(tmp_path / "absent"))
    with (
        pytest.raises(FrtauditError, match="no second process can be started"),
        fresh.made_again(broken, None),
    ):
        pass


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_fault_of_the_machine_in_a_fresh_process_is_told_as_such(
    monkeypatch: pytest.MonkeyPatch, unbuffered: str
) -> None:
    """A page that does not fit is no page cut short, also under python -u: one line, and no fault of the files."""
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    with (
        file_size_limit(2 * sum(map(len, files().values()))),
        fresh.made_again(files(), None) as again,
        pytest.raises(
            FrtauditError, match="^report: the file-size limit is reached; accepted: a higher"
        ) as told,
    ):
        again()
    assert not isinstance(told.value, DataError)


def test_a_signal_ends_the_wait_and_the_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A signal while the second process works is acted on at once, and that process is gone."""
    started: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen[bytes]):
        """A process that is known here."""

        def __init__(self, *words: Any, **more: Any) -> None:
            super().__init__(*words, **more)
            started.append(self)

    endless = tmp_path / "endless"
    endless.write_text("#!/bin/sh\nexec sleep 60\n")
    endless.chmod(0o700)
    monkeypatch.setattr(fresh.sys, "executable", str(endless))
    monkeypatch.setattr(fresh.subprocess, "Popen", Noted)
    began = time.monotonic()
    later = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGTERM))
    with signals.listening():
        later.start()
        with pytest.raises(signals.Stopped) as stopped, fresh.made_again({}, None) as again:
            again()
    assert stopped.value.exit_code == 143
    assert time.monotonic() - began < 10
    assert [process.returncode for process in started] == [-signal.SIGKILL]


def test_a_signal_to_both_processes_is_no_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A terminal sends Ctrl-C to the second process too: that it ended is not what is said."""
    broken = tmp_path / "broken"
    broken.write_text(f"#!/bin/sh\nkill -INT {os.getpid()}\nexit 1\n")
    broken.chmod(0o700)
    monkeypatch.setattr(fresh.sys, "executable", str(broken))
    with signals.listening(), pytest.raises(signals.Stopped) as stopped, fresh.made_again({}, None) as again:
        again()
    assert stopped.value.exit_code == 130


def test_letters_that_the_shipped_fonts_lack_make_fonts_matter() -> None:
    """The machine's fonts are recorded for other scripts, emoji and styles that name a font, and for nothing else."""
    page = page_of(files())
    assert "fonts" not in versions.paper_versions(page)
    for more in ("人", "🙂", "\ufe0f"):
        assert "fonts" in versions.paper_versions(page.replace(b"</body>", f"{more}</body>".encode()))
    own = page_of(files(**{"templates/style.css": b"h2 { font-family: Arial; }"}))
    assert len(versions.paper_versions(own)["fonts"]) == 64


def test_versions_that_differ_are_named() -> None:
    """One phrase for each; another version of frtaudit stands for its code; the PDF needs more programs."""
    here = dict(versions.page_versions())
    assert versions.differing(here, None) == ()
    assert versions.differing({**here, "numpy": "1"}, None) == (
        f"rendered with numpy 1, this is {here['numpy']}",
    )
    other = versions.differing({**here, "frtaudit": "0.0.1", "source": "0"}, None)
    assert other == (f"rendered by frtaudit 0.0.1, this is {here['frtaudit']}",)
    assert versions.differing({**here, "source": "0"}, None)[0].startswith(
        "rendered by another build of frtaudit "
    )
    for name in ("processor", "machine"):
        assert versions.differing({**here, name: "Z80"}, None) == ("rendered on another kind of processor",)
    assert any("weasyprint" in phrase for phrase in versions.differing(here, page_of(files())))
