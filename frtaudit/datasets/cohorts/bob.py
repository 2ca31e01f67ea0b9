"""Score files of bob.bio: four columns, five columns, or CSV; the cohort is who stands in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.core.canonical import sha256_file
from frtaudit.core.registry import register
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import PATH, Nan
from frtaudit.errors import DataError, column_names
from frtaudit.inputs.places import need_scores, paths_below
from frtaudit.inputs.pseudonyms import pseudonym_key, read_key
from frtaudit.inputs.score_lists.fields import SCORE, Layout
from frtaudit.inputs.tables import need_table, read_table

if TYPE_CHECKING:
    from frtaudit.core.cohort import CohortData
    from frtaudit.inputs.score_lists.gathering import Gathered

CLAIMED, REAL, MODEL, LABEL = "claimed_id", "real_id", "model_label", "test_label"
OTHERS = f"; or five, with {MODEL} after {CLAIMED}; or CSV with a header"
FOUR = Layout(columns=(CLAIMED, REAL, LABEL, SCORE), others=OTHERS)
FIVE = Layout(columns=(CLAIMED, MODEL, REAL, LABEL, SCORE))
REFERENCE, PROBE = "bio_ref_", "probe_"
SUBJECT = "subject_id"
SAMPLE = ("template_id", "reference_id", "key")  # what versions of bob call a sample
MODEL_OF = "model of "  # a model of four columns has no name but its subject's


@register("cohort", "bob")
@dataclass(frozen=True, slots=True, kw_only=True)
class BobScores:
    """``root``: a score file of bob.bio, or a folder with one for each system, named by the file's stem.

    Four columns (claimed_id, real_id, test_label, score), five (a model_label after claimed_id), or CSV with
    probe_subject_id, probe_template_id, bio_ref_subject_id, bio_ref_template_id, score, and columns probe_X with
    bio_ref_X that schemas name as X. Of four columns the reference is the model of the claimed subject; of the others
    a reference and a probe of one name are one sample.

    ``nan``: refuse a score that is NaN, or count it as failed; ``metadata``: a table with subject_id and columns for
    schemas, in the folder of the scores; ``files``: those below ``root`` that hold scores, by default all but it.
    """

    root: str = field(metadata=PATH)
    files: tuple[str, ...] = ()
    nan: Nan = Nan.REFUSE
    metadata: str | None = None
    pseudonym_key: str | None = field(default=None, metadata=PATH)

    def check_files(self) -> None:
        """Raise :class:`DataError` for a file that is not there, before anything is read."""
        paths = self._paths()
        for path in paths:
            need_scores(path, path.name)
        if self.metadata is not None:
            known = paths[0].parent / self.metadata
            need_table(known, known.name)
        if self.pseudonym_key is not None:
            read_key(self.pseudonym_key)

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> "CohortData":  # noqa: ARG002  sources share a signature
        """Read all files. Raises :class:`DataError` naming file and line, never a sample or subject."""
        self.check_files()
        from frtaudit.core.cohort import CohortData
        from frtaudit.inputs.roster import attributes_of, enrol
        from frtaudit.inputs.score_lists.gathering import people_of, table_of

        paths = self._paths()
        gathered = {path.stem: _gathered(path, self.nan) for path in paths}
        people = people_of(list(gathered.values()))
        inputs = {path.name: sha256_file(path) for path in paths}
        more: dict[str, dict[str, str]] = {}
        if self.metadata is not None:
            known = paths[0].parent / self.metadata
            more = _of_subjects(known)
            inputs[known.name] = sha256_file(known)
        roster = people.roster(more)
        cohort = enrol(roster, schemas)
        where = {name: index for index, name in enumerate(cohort.sample_ids)}
        tables, ledger = {}, list(cohort.ledger)
        for provider, scores in gathered.items():
            tables[provider], entries = table_of(scores, provider, cohort, where)
            ledger += entries
        return CohortData(
            cohort=replace(cohort, ledger=tuple(ledger)),
            tables=tables,
            inputs=inputs,
            attributes=attributes_of(roster, cohort),
            pseudonym_key=pseudonym_key(self.pseudonym_key, roster.sample_ids, roster.subjects),
            secret=self.pseudonym_key is not None,
        )

    def _paths(self) -> list[Path]:
        return paths_below(Path(self.root), self.files, [self.metadata] if self.metadata else [])


def _gathered(path: Path, nan: Nan) -> "Gathered":
    """One file, whichever of the three layouts its first line has."""
    from frtaudit.inputs.score_lists.fields import first_line, read_fields, split_spaces
    from frtaudit.inputs.score_lists.gathering import Gathered

    line = first_line(path, path.name)
    if path.suffix == ".csv" or ("," in line and len(line.split()) < len(FOUR.columns)):
        return _of_csv(path, nan)
    count = len(split_spaces(line, f"{path.name} line 1"))
    layout = FIVE if count == len(FIVE.columns) else FOUR
    read = read_fields(path, path.name, layout, layout.columns[:-1], nan)
    claimed, text = read.texts[CLAIMED], read.texts
    models = text.get(MODEL) or replace(claimed, names=MODEL_OF + claimed.names)
    return Gathered(read=read, sample=(models, text[LABEL]), subject=(claimed, text[REAL]), columns={})


def _of_csv(path: Path, nan: Nan) -> "Gathered":
    from frtaudit.inputs.score_lists.fields import header_of, read_fields
    from frtaudit.inputs.score_lists.gathering import Gathered

    columns = header_of(path, path.name)
    needed = [
        _need(columns, prefix, names, path) for names in (SAMPLE, (SUBJECT,)) for prefix in (REFERENCE, PROBE)
    ]
    _need(columns, "", (SCORE,), path)
    stems = {name.removeprefix(PROBE) for name in columns if name.startswith(PROBE)}
    taken = {name.removeprefix(prefix) for name in needed for prefix in (REFERENCE, PROBE)}
    more = sorted(stem for stem in stems - taken if REFERENCE + stem in columns)
    perhaps = [prefix + stem for stem in more for prefix in (REFERENCE, PROBE)]
    read = read_fields(path, path.name, Layout(columns=columns, header=True), needed, nan, perhaps)
    reference, probe, claimed, real = (read.texts[name] for name in needed)
    return Gathered(
        read=read,
        sample=(reference, probe),
        subject=(claimed, real),
        columns={stem: (read.texts[REFERENCE + stem], read.texts[PROBE + stem]) for stem in more},
    )


def _need(columns: tuple[str, ...], prefix: str, names: tuple[str, ...], path: Path) -> str:
    column = next((prefix + name for name in names if prefix + name in columns), None)
    if column is None:
        wanted = " or ".join(prefix + name for name in names)
        accepted = f"columns separated by commas; found {column_names(columns)}"
        raise DataError(f"{path.name} line 1", f"no column {wanted}", accepted)
    return column


def _of_subjects(path: Path) -> dict[str, dict[str, str]]:
    """Column to subject to text, from a table of subjects."""
    table = read_table(path, path.name)
    subjects = table.texts(table.need((SUBJECT,)))
    seen: set[str] = set()
    for row, subject in enumerate(subjects):
        if not subject or subject in seen:
            raise DataError(table.place(row), "a subject twice, or none", "one line for each subject")
        seen.add(subject)
    others = [name for name in table.columns if name != SUBJECT]
    return {name: dict(zip(subjects, table.texts(name), strict=True)) for name in others}
