"""A report made again in a process of its own, where every set and dictionary is hashed in another order.

``python -m frtaudit.report.fresh`` reads the files as JSON from its standard input, and writes page and PDF to its
standard output. Nothing is written to disk under a name that stands in the files.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO

from frtaudit.core.machine import signals
from frtaudit.core.machine.children import DRAWING
from frtaudit.core.machine.faults import as_line, of_machine
from frtaudit.core.machine.memory import collect_seldom
from frtaudit.errors import DataError, UnfinishedError, why
from frtaudit.report import render
from frtaudit.report.files import Files, page_name
from frtaudit.report.render import Part
from frtaudit.report.rendering import page_of, settings_again

NO_REPORT, FAULT = 9, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """The bytes of a page, of ``report.json``, and of the PDF and the PDF of its annex where they were asked for."""

    page: bytes
    settings: bytes
    pdf: bytes | None
    annex: bytes | None = None


@contextmanager
def made_again(
    files: Files,
    attached: Files | None,
    parts: Collection[Part] = (Part.MAIN,),
    longest: float | None = None,
) -> Iterator[Callable[[], Rendered]]:
    """Begin to make page and PDF in a fresh process; what is yielded waits for them.

    ``attached``: what the PDF carries (the page among it is made again too); None: no PDF; ``parts``: which PDFs;
    ``longest``: seconds to wait; None: however long it takes.
    The process goes with the block, and its temporary files. Raises :class:`UnfinishedError` where it cannot be
    started, is ended or takes too long, :class:`DataError` where the files lead to no report; waiting ends at a signal,
    as :func:`frtaudit.core.machine.signals.check` says it.
    """
    job = {
        "files": _text(files),
        "attached": None if attached is None else _text(attached),
        "parts": [part.value for part in parts],
    }
    command = [sys.executable, "-P", "-m", "frtaudit.report.fresh"]
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        tempfile.TemporaryFile() as asked,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as file,
    ):
        asked.write(json.dumps(job).encode())
        asked.seek(0)
        environment = os.environ | {"PYTHONHASHSEED": "random", DRAWING: os.devnull, "TMPDIR": folder}
        try:
            process = subprocess.Popen(command, stdin=asked, stdout=output, stderr=file, env=environment)  # noqa: S603  this program itself
        except OSError as error:
            raise UnfinishedError("report", f"no second process can be started ({error.strerror})") from None
        try:
            yield lambda: _awaited(process, output, file, longest)
        finally:
            process.kill()
            process.wait()


def main() -> None:
    """Make what standard input asks for; the exit code is ``NO_REPORT`` where the files lead to no report.

    It is ``FAULT`` where the machine lacks something: then the last line of standard error says what, as JSON.
    """
    collect_seldom()
    end_with_parent()
    try:
        output = json.dumps(_text(_made())).encode()
        with os.fdopen(sys.stdout.fileno(), "wb", closefd=False) as stream:  # whole, also under python -u
            stream.write(output)
    except Exception as error:  # noqa: BLE001  whatever ends it, the other process says it in one line
        if of_machine(error):
            line = as_line(error, "report")
            sys.stderr.write("\n" + json.dumps([line.where, line.found, line.accepted]))
            sys.exit(FAULT)
        sys.stderr.write(why(error))
        sys.exit(NO_REPORT)


def end_with_parent() -> None:
    """End this process when the one that started it is gone, killed: nobody waits for what it makes."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(FAULT)

    threading.Thread(target=watch, daemon=True).start()


def _made() -> dict[str, bytes]:
    job = json.load(sys.stdin.buffer)
    files = _data(job["files"])
    page = page_of(files)
    documents = {"page": page, "settings": settings_again(files)}
    if job["attached"] is not None:
        attached = _data(job["attached"]) | {page_name(files): page}
        for part in job["parts"]:
            documents[part] = render.pdf(page.decode(), attached, Part(part))
    return documents


def _awaited(
    process: "subprocess.Popen[bytes]", output: IO[bytes], messages: IO[bytes], longest: float | None
) -> Rendered:
    code, began = None, time.monotonic()
    while code is None:  # in slices; a signal that came meanwhile (to both, from a terminal) ends the wait
        if longest is not None and time.monotonic() - began > longest:
            raise UnfinishedError("report", f"it takes more than {longest:g} seconds")
        with suppress(subprocess.TimeoutExpired):
            code = process.wait(signals.SLICE)
        signals.check()
    output.seek(0)
    messages.seek(0)
    lines = messages.read().decode(errors="replace").strip().splitlines()
    if code == FAULT and lines:
        raise UnfinishedError(*json.loads(lines[-1]))
    if code != 0:
        kind = DataError if code == NO_REPORT else UnfinishedError
        why = lines[-1][:200] if lines else f"it ended with {code}"
        raise kind("report", f"could not be made again in a second process ({why})")
    data = _data(json.load(output))
    return Rendered(
        page=data["page"],
        settings=data["settings"],
        pdf=data.get(Part.MAIN.value),
        annex=data.get(Part.ANNEX.value),
    )


def _text(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: base64.b64encode(data).decode() for name, data in files.items()}


def _data(texts: Mapping[str, str]) -> dict[str, bytes]:
    return {name: base64.b64decode(text) for name, text in texts.items()}


if __name__ == "__main__":
    main()
