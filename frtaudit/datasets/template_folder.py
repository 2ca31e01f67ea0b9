"""A folder of templates, read: its metadata, failures, and where the templates of each provider are."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence, Sized
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from frtaudit.core.canonical import sha256_file
from frtaudit.core.cohort import Cohort, CohortData
from frtaudit.core.machine.files import check_regular
from frtaudit.core.plain.structure import closest
from frtaudit.core.spec import SchemaSpec
from frtaudit.errors import DataError, column_names
from frtaudit.inputs.places import entries, need_file
from frtaudit.inputs.pseudonyms import pseudonym_key
from frtaudit.inputs.roster import Roster, attributes_of, enrol
from frtaudit.inputs.tables import SUFFIXES, Table, read_table, table_called
from frtaudit.inputs.template_files import LEFT, NO_TEMPLATE, Failures, TemplateFile, doubled
from frtaudit.inputs.template_record import TemplateRecord, read_record

if TYPE_CHECKING:
    from frtaudit.datasets.cohorts.templates import TemplateFolder

SAMPLE = ("image_id", "sample_id")
SUBJECT = ("subject_id", "subject")
MODEL = ("model", "provider")
REASON = ("reason", "code", "failure")
METADATA = "metadata.csv"


def read(cohort_source: "TemplateFolder", root: Path, schemas: Mapping[str, SchemaSpec]) -> CohortData:
    """The cohort without its training sets. Raises :class:`DataError`."""
    metadata = _metadata(cohort_source, root)
    table = read_table(metadata, _name(root, metadata))
    roster = _roster(table, cohort_source.sample_column, cohort_source.subject_column)
    cohort = enrol(roster, schemas)
    pairs = _optional(root, "pairs", cohort_source.pairs, root / "pairs.txt")
    failures = _optional(root, "failures", cohort_source.failures, table_called(root, "failures"))
    index = dict.fromkeys(roster.sample_ids, LEFT) | {name: i for i, name in enumerate(cohort.sample_ids)}
    reasons = _reasons(read_table(failures, failures.name), index) if failures else {}
    files = _template_files(root, index, cohort, reasons, cohort_source.flipped)
    paths = _named(root, [metadata, pairs, failures, *(file.path for file in files.values())])
    inputs = {name: sha256_file(path) for name, path in paths.items()}
    records = _records(files, inputs)
    beside = {name: files[name].path.with_suffix(".json") for name in records}
    inputs |= {f"templates/{name}.json": sha256_file(path) for name, path in beside.items()}
    return CohortData(
        cohort=cohort,
        templates={name: file.templates for name, file in files.items()},
        failures=Failures(tuple(files), lambda provider: files[provider].failed()),
        pairs=pairs,
        inputs=inputs,
        paths=paths,
        pseudonym_key=pseudonym_key(cohort_source.pseudonym_key, roster.sample_ids, roster.subjects),
        attributes=attributes_of(roster, cohort),
        notes=(
            *(_unused(failures.name, reasons, files) if failures else ()),
            *(note for file in files.values() for note in doubled(file.path, file.name)),
            *(f"templates of {name}: {note}" for name, record in records.items() for note in record.notes),
        ),
        made={name: record.facts for name, record in records.items()},
    )


def _metadata(cohort_source: "TemplateFolder", root: Path) -> Path:
    if cohort_source.metadata is not None:
        return need_file("cohort.metadata", cohort_source.metadata, root)
    path = table_called(root, "metadata")
    if path is not None:
        return path
    known = f"{METADATA} ({', '.join(SUFFIXES[1:])}), or cohort.metadata=FILE{entries(root, METADATA)}"
    accepted = known if (root / "templates").is_dir() else f"{known}{_or_import(root)}"
    raise DataError(METADATA, f"no such file below {str(root)!r}", accepted)


def _or_import(root: Path) -> str:
    return f"; embeddings of any other layout: frtaudit import {quote(str(root))} into=OUT"


def _optional(root: Path, where: str, name: str | None, path: Path | None) -> Path | None:
    if name is not None:
        return need_file(f"cohort.{where}", name, root)
    if path is None or not os.path.lexists(path):
        return None
    check_regular(path, path.name)
    return path


def _roster(table: Table, sample: str | None, subject: str | None) -> Roster:
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


def _column(table: Table, where: str, name: str | None, usual: Sequence[str]) -> str:
    column = table.find((name,) if name else usual)
    if column is None:
        text = f"{table.name} has no column {name or ' or '.join(usual)}"
        accepted = f"cohort.{where}=COLUMN, one of {column_names(table.columns)}"
        raise DataError(f"cohort.{where}", text, accepted)
    return column


def _reasons(table: Table, index: Mapping[str, int]) -> dict[str, dict[str, str]]:
    """Provider to {sample id: reason}."""
    samples, models = table.texts(table.need(SAMPLE)), table.texts(table.need(MODEL))
    reasons = table.texts(table.need(REASON))
    by_provider: dict[str, dict[str, str]] = {}
    for row, (sample, model, reason) in enumerate(zip(samples, models, reasons, strict=True)):
        if sample not in index:
            raise DataError(table.place(row), "an image id without metadata", "ids of the metadata")
        by_provider.setdefault(model, {})[sample] = reason or NO_TEMPLATE
    return by_provider


def _unused(file: str, reasons: Mapping[str, Sized], models: Collection[str]) -> Iterator[str]:
    """Notes of the declared failures of models that have no templates."""
    for model in sorted(reasons.keys() - set(models)):
        yield (
            f"{file}: model {model!r} has no templates{closest(model, models)}; "
            f"its failures ({len(reasons[model])}) are not counted"
        )


def _template_files(
    root: Path,
    index: Mapping[str, int],
    cohort: Cohort,
    reasons: Mapping[str, Mapping[str, str]],
    flipped: str | None,
) -> dict[str, TemplateFile]:
    folder = root / "templates"
    paths = sorted(folder.glob("*.npz"))
    if not paths and os.path.lexists(folder):
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


def _records(files: Mapping[str, TemplateFile], inputs: Mapping[str, str]) -> dict[str, TemplateRecord]:
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
