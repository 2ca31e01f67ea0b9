"""From a folder in any layout to one that an audit reads."""

from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

from frtaudit.core.machine import signals
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.text.quoting import shell_word
from frtaudit.errors import SpecError
from frtaudit.inputs.importing.agreement import agreed
from frtaudit.inputs.importing.attach import with_systems
from frtaudit.inputs.importing.contents import contents_of
from frtaudit.inputs.importing.image_table import image_table, named_table, with_table
from frtaudit.inputs.importing.output import write
from frtaudit.inputs.importing.recognition import recognise
from frtaudit.inputs.importing.starter import audit_name
from frtaudit.inputs.importing.summary import lines_of
from frtaudit.inputs.importing.values import Evidence, KnownSet, Options


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """What was read from ``folder``, and the output folder; ``evidence``: why this layout was recognised."""

    folder: str
    into: str
    known: KnownSet
    evidence: Evidence

    def write(self, draft: Path) -> None:
        """All files, into an empty folder that will be moved to where they go."""
        write(self.known, OutputFolder(draft), self.into)

    def lines(self) -> list[str]:
        """What was recognised, what it supports, which terms go with it."""
        return lines_of(self.known, self.evidence)

    def next_command(self) -> str:
        """What to type next."""
        folder, into = quote(self.folder), quote(self.into)
        check = f"frtaudit check --config-dir {into} audit={audit_name(self.known)}"
        if self.known.scores or (self.known.templates and self.known.samples.subjects is not None):
            return check
        if self.known.samples.subjects is None:
            again = f"frtaudit import {folder} into=FOLDER templates=SYSTEM.npz"
            return f"embed the images (arrays embedding and image_id), then: {again}"
        paths = self.known.samples.columns.get("path", ())
        if len(paths) > 0 and all(paths):  # an image for each sample is what ``frtaudit embed`` asks for
            words = " ".join([shell_word("root", self.folder), "preset=dlib", shell_word("into", self.into)])
            embed = f"frtaudit embed {into}/metadata.csv {words}"
            return f"{embed}  (other models: frtaudit list preset), then: {check}"
        return f"put {into}/templates/SYSTEM.npz there (arrays embedding and image_id), then: {check}"


def read_import(folder: str, into: str, named: str, options: Options) -> Import:
    """Recognise and read; nothing is written. Raises :class:`FrtauditError`, naming the option that resolves it."""
    if not into:
        raise SpecError("into", "no value", "into=FOLDER, a new or empty folder")
    contents = contents_of(Path(folder), Path(into))
    reader, evidence = recognise(contents, named)
    if options.file in contents.files:
        alone = replace(contents, files={options.file: contents.files[options.file]})
        evidence = reader.recognise(alone) or evidence
    signals.check()
    known = reader.read(contents, options)
    table = named_table(contents, options)
    if table is not None:
        known = replace(
            known, samples=with_table(known.samples, image_table(table, known.samples.ids, options))
        )
    known = agreed(known, options.mated)
    return Import(folder=folder, into=into, known=with_systems(known, contents, options), evidence=evidence)


def write_images(known: KnownSet, folder: Path) -> None:
    """The images that a file holds, each into its own file below ``folder``, which is empty."""
    if known.held is None:
        raise SpecError("images", f"{known.title} holds no encoded images", "without images=")
    out = OutputFolder(folder)
    for name, data in known.held():
        signals.check()
        out.write(name, data)
