"""An audit again from what its result says: the spec from ``result.json``, the paths from the caller or from a note."""

import dataclasses
import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from frtaudit.config.interpolation import value_at
from frtaudit.config.plugins import load_plugins
from frtaudit.config.validate import check_spec
from frtaudit.core.canonical import Json, sha256, to_bytes
from frtaudit.core.identity import from_plain, identifies
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.result import AuditResult
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import FrtauditError, SpecError
from frtaudit.pipeline.audit import audit
from frtaudit.signing.keys import config_folder
from frtaudit.signing.pdf.signature import read_signed_pdf
from frtaudit.signing.seal import SEAL

NOTE = "runs/{}.json"
ELSEWHERE = ("dask", "engine", "checkpoint")  # where scores were computed, and kept on the way


def rederive(content: Mapping[str, Json], run: Path, overrides: Sequence[str]) -> AuditResult:
    """Run the audit that ``content`` (of a result.json) describes.

    Paths and machine settings come from ``overrides`` (``cohort.root=PATH``), else from what :func:`note_paths` kept on
    this machine; a seal from the run.
    Raises :class:`~frtaudit.errors.FrtauditError`.
    """
    load_plugins()
    spec = content.get("spec")
    if not isinstance(spec, Mapping):
        raise SpecError("spec", "the result holds none", "a result.json of frtaudit")
    with held_seal(content, run) as sealed:
        again = from_plain(spec, noted_paths(sha256(to_bytes(content))) | sealed | given_paths(overrides))
        refuse_places(spec, again)
        check_spec(again)
        return audit(again).result


def refuse_places(recorded: Mapping[str, Json], spec: AuditSpec) -> None:
    """Raise :class:`SpecError` where the spec of a result says more than an identity: a path, an address, a report."""
    machine = [field.name for field in dataclasses.fields(spec) if not identifies(field)]
    for key in (*machine, *paths_of(spec)):
        with suppress(KeyError):
            text = f"found {value_at(recorded, key)!r:.60} in result.json"
            accepted = "a result.json as a run writes it: no paths, addresses or report settings"
            raise SpecError(key, text, accepted)


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
    """Dotted name to value of ``key=value`` words; whole numbers are numbers, and ``[a,b]`` is a list.

    >>> given_paths(["cohort.root=faces", "threads=2", "cohort.runs=[old/a,b]"])
    {'cohort.root': 'faces', 'threads': 2, 'cohort.runs': ['old/a', 'b']}
    """
    pairs = [word.partition("=") for word in overrides]
    for key, equals, value in pairs:
        if not (key and equals and value):
            raise SpecError("command line", f"cannot read {key + equals + value!r}", "key=value")
    return {
        key: int(value) if key in ("threads", "tail_budget") and value.isdigit() else _listed(key, value)
        for key, _, value in pairs
    }


def _listed(key: str, text: str) -> object:
    """A text, or the texts of a list that is written as for ``frtaudit run``."""
    if not (text.startswith("[") and text.endswith("]")):
        return text
    from frtaudit.config.hydra_errors import translating  # Hydra is loaded where there is a list
    from frtaudit.config.load import meant

    with translating():
        paths = meant(re.sub(r"\[(\d+)\]", r".\1", key), text)
    return [str(getattr(path, "text", path)) for path in paths] if isinstance(paths, list) else text


def note_paths(spec: AuditSpec, result: str) -> None:
    """Keep a run's paths and machine settings in the user's folder, by the digest of its ``result``: no evidence.

    Scheduler, device and checkpoint are left out: they may be gone, and nobody needs them to find the same numbers.
    Nothing is raised where the folder cannot be written: ``reproduce`` is then told the paths in words.
    """
    noted = {name: value for name, value in paths_of(spec).items() if value and name not in ELSEWHERE}
    with suppress(OSError, FrtauditError):
        if noted:
            home = config_folder()
            home.mkdir(parents=True, exist_ok=True)
            OutputFolder(home).replace(NOTE.format(result), json.dumps(noted, default=dict).encode())


def noted_paths(result: str) -> dict[str, object]:
    """The paths and machine settings of a run of this user, by the digest of its result; empty where none were kept."""
    try:
        noted = json.loads((config_folder() / NOTE.format(result)).read_bytes())
    except (OSError, RecursionError, ValueError, FrtauditError):
        return {}
    return noted if isinstance(noted, dict) else {}


def paths_of(spec: AuditSpec) -> dict[str, object]:
    """Dotted name to value of every field that is no part of the identity and has a value."""
    parts: dict[str, object] = {"": spec}
    parts |= {f"{name}.": getattr(spec, name) for name in ("cohort", "protocol", "thresholds", "folds")}
    for name, test_set in spec.test_sets.items():
        parts |= {f"test_sets.{name}.pairs.": test_set.pairs, f"test_sets.{name}.folds.": test_set.folds}
    parts |= {f"analyses.{name}.": analysis for name, analysis in spec.analyses.items()}
    parts |= {f"providers[{place}].": provider for place, provider in enumerate(spec.providers or ())}
    return {
        f"{prefix}{field.name}": value
        for prefix, part in parts.items()
        if dataclasses.is_dataclass(part)
        for field in dataclasses.fields(part)
        if "role" in field.metadata and (value := getattr(part, field.name)) is not None
    }
