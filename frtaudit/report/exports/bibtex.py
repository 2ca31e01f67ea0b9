"""The publications whose methods a run used, as BibTeX."""

import re
from dataclasses import dataclass
from pathlib import Path

from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.registry import register
from frtaudit.report.exports.run_folder import FinishedRun
from frtaudit.report.references import references_of

FILE = "references.bib"


@register("export", "bibtex")
@dataclass(frozen=True, slots=True, kw_only=True)
class Bibtex:
    """references.bib: the publications whose methods the run used, and this software."""

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Write ``references.bib``."""
        made_by = re.sub(r"[^\w.+-]", "", str(run.result.versions["frtaudit"]))
        software = (
            "@misc{frtaudit,\n  author = {{The frtaudit developers}},\n"
            f"  title = {{frtaudit: statistical audits of face verification}},\n  note = {{version {made_by}}}\n}}\n"
        )
        entries = [reference.bibtex() for reference in references_of(run.result)]
        OutputFolder(folder).write(FILE, "\n".join([*entries, software]).encode())
