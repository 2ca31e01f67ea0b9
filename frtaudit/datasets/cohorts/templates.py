"""A folder of templates: metadata, one ``.npz`` per provider, perhaps an official pair list and failures."""

import os
from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from frtaudit.core.canonical import sha256_file
from frtaudit.core.machine.files import check_regular
from frtaudit.core.plain.structure import closest
from frtaudit.core.registry import register
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import PATH
from frtaudit.errors import DataError, column_names
from frtaudit.inputs.places import entries, need_file, visible
from frtaudit.inputs.pseudonyms import pseudonym_key, read_key
from frtaudit.inputs.tables import need_table, unread_tables
from frtaudit.inputs.template_record import TemplateRecord, read_record

if TYPE_CHECKING:  # tables and arrays are loaded where they are read: a spec is read without
    from frtaudit.core.cohort import Cohort, CohortData
    from frtaudit.inputs.roster import Roster
    from frtaudit.inputs.tables import Table
    from frtaudit.inputs.template_files import TemplateFile

SAMPLE = ("image_id", "sample_id")
SUBJECT = ("subject_id", "subject")
MODEL = ("model", "provider")
REASON = ("reason", "code", "failure")
METADATA = "metadata.csv"
_OWN = dict.fromkeys(("metadata", "pairs", "failures", "pseudonym_key"))  # file names of the cohort alone


@register("cohort", "templates")
@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateFolder:
    """``root/metadata.csv`` (or ``.tsv``, ``.parquet``, ...), ``root/templates/<provider>.npz``, perhaps pairs.

    ``metadata``, ``pairs``, ``failures``: files below ``root`` or in the working folder; by default metadata.csv
    (or .tsv, .parquet, ...), pairs.txt, failures.csv below ``root`` where they are. ``sample_column``,
    ``subject_column``: by default image_id or sample_id, and subject_id. ``pseudonym_key``: a file whose bytes key the
    pseudonyms; by default the people of the metadata do.

    A sample without a row in a provider's file failed there: its code is the reason in the failures file (columns
    image_id, model, reason), else ``no_template``. What ``frtaudit embed`` says of templates in <provider>.json is
    reported. Without the folder ``templates`` the cohort has no templates: for providers that score by themselves.

    ``flipped``: an array of the template files, beside ``embedding``, with the template of each mirrored image; a
    sample's template is then the sum of both, as read. ``training``: name to the folder of a training set, laid out
    as this one, its templates made by the same providers.
    """

    root: str = field(metadata=PATH)
    metadata: str | None = None
    sample_column: str | None = None
    subject_column: str | None = None
    pairs: str | None = None
    failures: str | None = None
    pseudonym_key: str | None = field(default=None, metadata=PATH)
    flipped: str | None = None
    training: Mapping[str, str] = field(default_factory=dict, metadata=PATH)

    @property
    def systems(self) -> list[str]:
        """Providers with templates, in the order of their names."""
        return [path.stem for path in _npz(Path(self.root))]

    def check_files(self) -> None:
        """Raise :class:`DataError` for a file that is not there, before anything is read."""
        root = _folder(Path(self.root))
        metadata = self._metadata(root)
        need_table(metadata, _name(root, metadata))
        for where, name in (("pairs", self.pairs), ("failures", self.failures)):
            _optional(root, where, name, None)
        if self.pseudonym_key is not None:
            read_key(self.pseudonym_key)
        for name, path in self.training.items():
            _folder(Path(path), f"cohort.training.{name}")

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> "CohortData":  # noqa: ARG002  sources share a signature
        """Read metadata, failures and the names of templates; templates are read when a provider is scored.

        Raises :class:`DataError` for what is missing or unusable, naming file and line but no sample or subject.
        """
        self.check_files()
        from frtaudit.core.cohort import CohortData
        from frtaudit.inputs.roster import attributes_of, enrol
        from frtaudit.inputs.tables import read_table, table_called
        from frtaudit.inputs.template_files import LEFT, Failures

        root = Path(self.root)
        metadata = self._metadata(root)
        roster = _roster(read_table(metadata, _name(root, metadata)), self.sample_column, self.subject_column)
        cohort = enrol(roster, schemas)
        pairs = _optional(root, "pairs", self.pairs, root / "pairs.txt")
        failures = _optional(root, "failures", self.failures, table_called(root, "failures"))
        index = dict.fromkeys(roster.sample_ids, LEFT) | {name: i for i, name in enumerate(cohort.sample_ids)}
        reasons = _reasons(read_table(failures, failures.name, empty=True), index) if failures else {}
        files = _template_files(root, index, cohort, reasons, self.flipped)
        paths = _named(root, [metadata, pairs, failures, *(file.path for file in files.values())])
        inputs = {name: sha256_file(path) for name, path in paths.items()}
        records = _records(files, inputs)
        beside = {name: files[name].path.with_suffix(".json") for name in records}
        inputs |= {f"templates/{name}.json": sha256_file(path) for name, path in beside.items()}
        training = {name: self._trained(name, path) for name, path in self.training.items()}
        for name, training_set in training.items():
            inputs |= {f"training/{name}/{file}": value for file, value in training_set.inputs.items()}
        return CohortData(
            cohort=cohort,
            templates={name: file.templates for name, file in files.items()},
            failures=Failures(tuple(files), lambda provider: files[provider].failed()),
            pairs=pairs,
            inputs=inputs,
            paths=paths,
            unread=_unread(root, files),
            pseudonym_key=pseudonym_key(self.pseudonym_key, roster.sample_ids, roster.subjects),
            secret=self.pseudonym_key is not None,
            attributes=attributes_of(roster, cohort),
            training=training,
            notes=tuple(_notes(failures, reasons, files, records)),
            made={name: record.facts for name, record in records.items()},
        )

    def _trained(self, name: str, path: str) -> "CohortData":
        """A training set; what is wrong with it is said of it."""
        where = f"cohort.training.{name}"
        _folder(Path(path), where)
        try:
            return replace(self, root=path, training={}, **_OWN).load({}, 0)
        except DataError as error:
            accepted = error.accepted
            if "cohort." in accepted:
                accepted = "files and columns as those of cohort.root"
            raise DataError(where, f"{error.where}: {error.found}", accepted) from None

    def _metadata(self, root: Path) -> Path:
        from frtaudit.inputs.tables import SUFFIXES, table_called

        if self.metadata is not None:
            return need_file("cohort.metadata", self.metadata, root)
        path = table_called(root, "metadata")
        if path is not None:
            return path
        known = f"{METADATA} ({', '.join(SUFFIXES[1:])}), or cohort.metadata=FILE{entries(root, METADATA)}"
        accepted = known if (root / "templates").is_dir() else f"{known}{_or_import(root)}"
        raise DataError(METADATA, f"no such file below {str(root)!r}", accepted)


def _folder(root: Path, where: str = "cohort.root") -> Path:
    if not root.is_dir():
        problem = f"{str(root)!r} is a file" if root.is_file() else f"no folder {str(root)!r}"
        raise DataError(where, problem, "a folder with metadata.csv and templates/")
    return root


def _or_import(root: Path) -> str:
    return f"; embeddings of any other layout: frtaudit import {quote(str(root))} into=OUT"


def _optional(root: Path, where: str, name: str | None, path: Path | None) -> Path | None:
    if name is not None:
        return need_file(f"cohort.{where}", name, root)
    if path is None or not os.path.lexists(path):
        return None
    check_regular(path, path.name)
    return path


def _roster(table: "Table", sample: str | None, subject: str | None) -> "Roster":
    from frtaudit.inputs.roster import Roster

    sample_column = _column(table, "sample_column", sample, SAMPLE)
    subject_column = _column(table, "subject_column", subject, SUBJECT)
    others = [name for name in table.columns if name not in {sample_column, subject_column}]
    samples = table.texts(sample_column).tolist()
    return Roster(
        sample_ids=samples,
        subjects=table.texts(subject_column).tolist(),
        columns={name: table.texts(name) for name in others},
        places=[table.place(row) for row in range(len(samples))],
    )


def _column(table: "Table", where: str, name: str | None, usual: Sequence[str]) -> str:
    column = table.find((name,) if name else usual)
    if column is None:
        text = f"{table.name} has no column {name or ' or '.join(usual)}"
        accepted = f"cohort.{where}=COLUMN, one of {column_names(table.columns)}"
        raise DataError(f"cohort.{where}", text, accepted)
    return column


def _reasons(table: "Table", index: Mapping[str, int]) -> dict[str, dict[str, str]]:
    """Provider to {sample id: reason}."""
    from frtaudit.inputs.template_files import NO_TEMPLATE

    samples, models = table.texts(table.need(SAMPLE)), table.texts(table.need(MODEL))
    reasons = table.texts(table.need(REASON))
    by_provider: dict[str, dict[str, str]] = {}
    for row, (sample, model, reason) in enumerate(zip(samples, models, reasons, strict=True)):
        if sample not in index:
            raise DataError(table.place(row), "an image id without metadata", "ids of the metadata")
        by_provider.setdefault(model, {})[sample] = reason or NO_TEMPLATE
    return by_provider


def _notes(
    failures: Path | None,
    reasons: Mapping[str, Sized],
    files: "Mapping[str, TemplateFile]",
    records: Mapping[str, TemplateRecord],
) -> Iterator[str]:
    """What a reader should know of the files."""
    from frtaudit.inputs.template_files import doubled

    if failures is not None:
        for model in sorted(reasons.keys() - set(files)):
            yield (
                f"{failures.name}: model {model!r} has no templates{closest(model, files)}; "
                f"its failures ({len(reasons[model])}) are not counted"
            )
    for file in files.values():
        yield from doubled(file.path, file.name)
        if failures is not None and (count := file.listed_and_there()):
            listed = "1 image has" if count == 1 else f"{count} images have"
            yield f"{failures.name}: {listed} a row in {file.name} too: counted as acquired"
    for name, record in records.items():
        yield from (f"templates of {name}: {note}" for note in record.notes)


def _npz(root: Path) -> list[Path]:
    folder = root / "templates"
    return [path for path in visible(folder) if path.suffix == ".npz"] if folder.is_dir() else []


def _unread(root: Path, files: "Mapping[str, TemplateFile]") -> tuple[str, ...]:
    """Files beside the templates that may be templates too, but end otherwise."""
    names = unread_tables(root / "templates") if files else ()
    read = {file.path.name for file in files.values()} | {f"{name}.json" for name in files}
    return tuple(f"templates/{name}" for name in names if name not in read)


def _template_files(
    root: Path,
    index: Mapping[str, int],
    cohort: "Cohort",
    reasons: Mapping[str, Mapping[str, str]],
    flipped: str | None,
) -> "dict[str, TemplateFile]":
    from frtaudit.inputs.template_files import TemplateFile

    paths = _npz(root)
    if not paths and os.path.lexists(root / "templates"):
        other = next((path.name for path in root.glob("templates/*") if path.suffix.lower() == ".npz"), None)
        if other is not None:
            raise DataError(f"templates/{other}", "an ending in capitals", f"{Path(other).stem}.npz")
        accepted = f"templates/<provider>.npz below cohort.root{_or_import(root)}"
        raise DataError("templates", "no .npz file", accepted)
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            raise DataError(f"templates/{path.name}", "is a folder", "an .npz file")
        check_regular(path, f"templates/{path.name}")
    return {
        path.stem: TemplateFile(
            path=path,
            name=f"templates/{path.name}",
            index=index,
            n_samples=cohort.n_samples,
            reasons=reasons.get(path.stem, {}),
            flipped=flipped,
        )
        for path in paths
    }


def _records(files: "Mapping[str, TemplateFile]", inputs: Mapping[str, str]) -> dict[str, TemplateRecord]:
    """What made the templates, of those that ``frtaudit embed`` did."""
    records = {
        name: read_record(file.path.with_suffix(".json"), f"templates/{name}.json", inputs[file.name])
        for name, file in files.items()
    }
    return {name: record for name, record in records.items() if record is not None}


def _name(root: Path, path: Path) -> str:
    """What a file is called: by its place below the root, or by its own name."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def _named(root: Path, paths: list[Path | None]) -> dict[str, Path]:
    """The files by the names under which their digests are recorded. Raises :class:`DataError` for two of one name."""
    named: dict[str, Path] = {}
    for path in paths:
        if path is not None and named.setdefault(_name(root, path), path) != path:
            problem = "two of its files have this name"
            raise DataError(f"cohort: {path.name}", problem, "a separate name for each")
    return named
