"""An audit again from what its result says: the spec from ``result.json``, the paths from the run or the caller."""

import dataclasses
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import yaml

from frtaudit.config.guard import check_text, read_text
from frtaudit.config.interpolation import value_at
from frtaudit.config.plugins import load_plugins
from frtaudit.config.validate import check_spec
from frtaudit.core.canonical import Json
from frtaudit.core.identity import from_plain, identifies, to_full
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.result import AuditResult
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import FrtauditError, SpecError
from frtaudit.pipeline.audit import audit
from frtaudit.signing.pdf.signature import read_signed_pdf
from frtaudit.signing.seal import SEAL

TRACES = ".hydra"
TRACE = Path(TRACES) / "config.yaml"


def rederive(content: Mapping[str, Json], run: Path, overrides: Sequence[str]) -> AuditResult:
    """Run the audit that ``content`` (of a result.json) describes.

    Paths and machine settings come from ``overrides`` (``cohort.root=PATH``), else from what the run folder noted; a
    seal from the run.
    Raises :class:`~frtaudit.errors.FrtauditError`.
    """
    load_plugins()
    spec = content.get("spec")
    if not isinstance(spec, Mapping):
        raise SpecError("spec", "the result holds none", "a result.json of frtaudit")
    with held_seal(content, run) as held:
        again = from_plain(spec, noted_paths(run) | held | given_paths(overrides))
        refuse_places(spec, again)
        check_spec(again)
        return audit(again).result


def refuse_places(said: Mapping[str, Json], spec: AuditSpec) -> None:
    """Raise :class:`SpecError` where the spec of a result says more than an identity: a path, an address, a report."""
    machine = [field.name for field in dataclasses.fields(spec) if not identifies(field)]
    for key in (*machine, *paths_of(spec)):
        with suppress(KeyError):
            found = f"{value_at(said, key)!r:.60} is said by result.json"
            raise SpecError(key, found, f"{key}=... on the command line")


@contextmanager
def held_seal(content: Mapping[str, Json], run: Path) -> Iterator[dict[str, object]]:
    """The seal that a result was run under, from the run folder or the PDF, as a file of the name that it had."""
    sealed, digests = content.get("seal"), content.get("digests")
    data = _seal_in(run) if isinstance(sealed, Mapping) else None
    if data is None or not isinstance(sealed, Mapping):
        yield {}
        return
    inputs = digests.get("inputs") if isinstance(digests, Mapping) else None
    named = inputs.items() if isinstance(inputs, Mapping) else ()
    names = [Path(name).name for name, value in named if value == sealed.get("sha256")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / next((name for name in names if name != ".."), SEAL)
        path.write_bytes(data)
        yield {"seal": str(path)}


def _seal_in(run: Path) -> bytes | None:
    if run.is_file():
        return read_signed_pdf(run.read_bytes(), (), run.name).attachments.get(SEAL)
    return (run / SEAL).read_bytes() if (run / SEAL).is_file() else None


def given_paths(overrides: Sequence[str]) -> dict[str, object]:
    """Dotted name to value of ``key=value`` words; whole numbers are numbers.

    >>> given_paths(["cohort.root=faces", "threads=2"])
    {'cohort.root': 'faces', 'threads': 2}
    """
    pairs = [word.partition("=") for word in overrides]
    for key, equals, value in pairs:
        if not (key and equals and value):
            raise SpecError("command line", f"cannot read {key + equals + value!r}", "key=value")
    return {
        key: int(value) if key in ("threads", "tail_budget") and value.isdigit() else value
        for key, _, value in pairs
    }


def noted_paths(run: Path) -> dict[str, object]:
    """The paths and machine settings that a run folder noted; none for a PDF, or where the note cannot be read.

    A noted scheduler is left out: it may be gone, and nobody needs it to find the same numbers.
    """
    try:
        load_plugins()
        text = read_text(run / TRACE, str(TRACE))
        check_text(text, str(TRACE))
        noted = yaml.safe_load(text)
        return {name: value for name, value in paths_of(from_plain(noted)).items() if name != "dask"}
    except (yaml.YAMLError, TypeError, AttributeError, FrtauditError):
        return {}


def write_traces(spec: AuditSpec, overrides: Sequence[str], run: Path) -> None:
    """What was asked, paths and machine settings included: ``reproduce`` finds the inputs by it; not in the result."""
    out = OutputFolder(run)
    for name, noted in (("config.yaml", to_full(spec)), ("overrides.yaml", list(overrides))):
        text = yaml.safe_dump(json.loads(json.dumps(noted)), sort_keys=False, allow_unicode=True)
        out.replace(f"{TRACES}/{name}", text.encode())


def paths_of(spec: AuditSpec) -> dict[str, object]:
    """Dotted name to value of every field that is no part of the identity and has a value."""
    found = dict(_paths("", spec))
    for name in ("cohort", "protocol"):
        found |= _paths(f"{name}.", getattr(spec, name))
    for name in ("thresholds", "folds"):
        found |= _paths(f"{name}.", getattr(spec, name))
    for name, item in spec.test_sets.items():
        found |= _paths(f"test_sets.{name}.pairs.", item.pairs) | _paths(
            f"test_sets.{name}.folds.", item.folds
        )
    for name, analysis in spec.analyses.items():
        found |= _paths(f"analyses.{name}.", analysis)
    return found


def _paths(prefix: str, value: object) -> dict[str, object]:
    if not dataclasses.is_dataclass(value):
        return {}
    fields = [field for field in dataclasses.fields(value) if "role" in field.metadata]
    found = {f"{prefix}{field.name}": getattr(value, field.name) for field in fields}
    return {name: item for name, item in found.items() if item is not None}
