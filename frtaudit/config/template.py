"""The files that ``frtaudit init`` writes: a commented spec of one's own and the header of the metadata."""

import os
from contextlib import suppress
from pathlib import Path
from shlex import quote
from string import Template

from frtaudit.core.machine import signals
from frtaudit.core.machine.faults import as_line
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.machine.resources import shipped
from frtaudit.errors import SpecError, printable

METADATA = "image_id,subject_id,gender\n"


def write_starter(folder: str | Path) -> str:
    """Write ``audit/my_audit.yaml`` and ``metadata.csv`` into a folder; returns what to do next.

    Raises :class:`SpecError`, before anything is written, if one of them already exists, and a
    :class:`~frtaudit.errors.FrtauditError` where one cannot be written: then neither is, nor a folder for it.
    """
    place = Path(folder)
    if str(place) != printable(str(place)):
        raise SpecError("folder", f"found {str(place)!r}", "a name of printable text, which a spec can hold")
    starter = Template((shipped("templates") / "my_audit.yaml").read_text(encoding="utf-8"))
    root = "'" + str(place).replace("'", "''") + "'"
    files = {"audit/my_audit.yaml": starter.substitute(folder=place, root=root), "metadata.csv": METADATA}
    for name in files:
        if os.path.lexists(place / name):
            raise SpecError(name, "already exists", "a folder without it")
    missing = [path for path in (place / "audit", place, *place.parents) if not path.exists()]
    written: list[Path] = []
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            signals.check()
            written.append(OutputFolder(place).write(name, text.encode()))
    except BaseException as error:
        for path in written:
            path.unlink(missing_ok=True)
        for path in missing:
            with suppress(OSError):  # one that was not made, or holds what another wrote
                path.rmdir()
        if isinstance(error, OSError):
            raise as_line(error, str(place / error.filename if error.filename in files else place)) from None
        raise
    following = f"next: frtaudit check --config-dir {quote(str(place))} audit=my_audit"
    return "\n".join([*(f"wrote {place / name}" for name in files), following])
