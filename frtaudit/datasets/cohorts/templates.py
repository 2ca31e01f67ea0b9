"""A folder of templates: metadata, one ``.npz`` per provider, perhaps an official pair list and failures."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.core.registry import register
from frtaudit.core.spec import PATH, SchemaSpec
from frtaudit.errors import DataError

if TYPE_CHECKING:
    from frtaudit.core.cohort import CohortData

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

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> "CohortData":  # noqa: ARG002  sources share a signature
        """Read metadata, failures and the names of templates; templates are read when a provider is scored.

        Raises :class:`DataError` for what is missing or unusable, naming file and line but no sample or subject.
        """
        root = _folder(Path(self.root))
        from frtaudit.datasets.template_folder import (
            read,  # once there is a folder: it loads what reads tables
        )

        cohort_data = read(self, root, schemas)
        training = {name: self._trained(name, path) for name, path in self.training.items()}
        inputs = {
            f"training/{name}/{file}": value
            for name, training_set in training.items()
            for file, value in training_set.inputs.items()
        }
        return replace(cohort_data, training=training, inputs={**cohort_data.inputs, **inputs})

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


def _folder(root: Path, where: str = "cohort.root") -> Path:
    if not root.is_dir():
        problem = f"{str(root)!r} is a file" if root.is_file() else f"no folder {str(root)!r}"
        raise DataError(where, problem, "a folder with metadata.csv and templates/")
    return root
