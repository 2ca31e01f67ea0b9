"""Thresholds that come from elsewhere: a file of one's own, another audit's result, the vendor."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

from frtaudit.core.canonical import sha256_file
from frtaudit.core.machine.files import read_regular
from frtaudit.core.plain.structure import closest
from frtaudit.core.spec import AuditSpec, ThresholdSource
from frtaudit.errors import DataError, excerpt

AtKey = Mapping[str, float | str]
TRAINING, OF_IMAGES = "training/", ("metadata", "faces", "images", "pairs", "failures")  # they give no score
_LAYOUT = '{"provider": {"name of the threshold": 0.41}}, or the result.json of another audit'


def thresholds_from_file(spec: AuditSpec, provider: str) -> list[tuple[float, AtKey]]:
    """Thresholds of ``provider`` from ``thresholds.file``, each with what names it in an estimate's ``at``.

    The file is JSON: provider to name to threshold; or an audit's result.json, whose ``threshold_at_fmr`` estimates
    for everybody, in the spec's primary weighting, are taken. No file: nothing. Raises :class:`DataError`.
    """
    if spec.thresholds.file is None:
        return []
    document = _read(Path(spec.thresholds.file))
    if "estimates" in document:
        return _of_result(document, spec, provider)
    thresholds = document.get(provider)
    if not isinstance(thresholds, dict):
        text = f"no thresholds of provider {provider!r}{'' if provider in document else closest(provider, document)}"
        raise DataError(Path(spec.thresholds.file).name, text, f"{_LAYOUT}; {{}} of a system that has none")
    origin = spec.thresholds.source.value
    return [
        (_number(spec, name, value), {"source": origin, "name": str(name)})
        for name, value in sorted(thresholds.items())
    ]


def refuse_own_result(spec: AuditSpec, cohort_digest: str, inputs: Mapping[str, str]) -> None:
    """Raise :class:`DataError` where ``thresholds.file`` is the result of an audit of this cohort or of these scores.

    Its thresholds are then from no other cohort, and FMR may meet the target by their choice. ``inputs``: digests of
    the cohort's files by name. Of a synthetic cohort, which has none, the seed counts too.
    """
    if spec.thresholds.file is None:
        return
    path = Path(spec.thresholds.file)
    document = _read(path)
    digests, of = mapping_in(document, "digests"), ""
    people = getattr(spec.cohort, "metadata", None)
    recorded = {name: str(digest) for name, digest in mapping_in(digests, "inputs").items()}
    common = scores_among(inputs, people) & scores_among(recorded, people)
    shared = sorted(name for name, digest in inputs.items() if digest in common)
    if shared:
        of = f"the same {', '.join(shared)}"
    elif sha256_file(path) in inputs.values() or (
        digests.get("cohort") == cohort_digest
        and mapping_in(document, "cohort").get("samples")
        and (inputs or mapping_in(document, "spec").get("seed") == spec.seed)
    ):
        of = "this cohort"
    if of and "estimates" in document:
        accepted = "the result.json of another cohort; thresholds.fmr sets thresholds on these data"
        raise DataError("thresholds.file", f"{path.name} is the result of an audit of {of}", accepted)


def scores_among(inputs: Mapping[str, str], people: str | None = None) -> set[str]:
    """Digests of the files that scores come from: not of training sets, nor tables of images or ``people``."""
    others = {*OF_IMAGES, Path(people or "").stem}
    return {
        digest
        for name, digest in inputs.items()
        if not name.startswith(TRAINING) and not name.endswith(".json") and Path(name).stem not in others
    }


def mapping_in(document: Mapping[str, object], key: str) -> Mapping[str, object]:
    """The mapping that stands under a key, else an empty one."""
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def _number(spec: AuditSpec, name: str, value: object) -> float:
    known = isinstance(value, (int, float)) and not isinstance(value, bool)
    try:
        number = float(value) if known else math.nan  # type: ignore[arg-type]  # known to be a number
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        problem = f"threshold {name!r} is {excerpt(value) if isinstance(value, str) else repr(value)[:20]}"
        raise DataError(Path(spec.thresholds.file or "").name, problem, "a finite number")
    return number


def _read(path: Path) -> dict[str, object]:
    try:
        document = json.loads(read_regular(path), object_pairs_hook=_once)
    except FileNotFoundError:
        raise DataError("thresholds.file", f"no file {str(path)!r}", _LAYOUT) from None
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(path.name, f"not readable as JSON ({error})", _LAYOUT) from None
    if not isinstance(document, dict):
        raise DataError(path.name, "not a mapping", _LAYOUT)
    return document


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A mapping whose names are text that can be written, and stand once each. Raises ValueError."""
    mapping = dict(pairs)
    "".join(mapping).encode()
    if len(mapping) < len(pairs):
        raise ValueError("a name appears twice in a mapping")
    return mapping


def _of_result(document: dict[str, object], spec: AuditSpec, provider: str) -> list[tuple[float, AtKey]]:
    estimates = document["estimates"] if isinstance(document["estimates"], list) else []
    taken: list[tuple[float, AtKey]] = []
    wanted = {
        "metric": "threshold_at_fmr",
        "provider": provider,
        "group": "all",
        "weighting": spec.weighting.value,
    }
    for estimate in estimates:
        if not isinstance(estimate, dict) or any(estimate.get(key) != value for key, value in wanted.items()):
            continue
        target = estimate["at"].get("fmr") if isinstance(estimate.get("at"), dict) else None
        if isinstance(target, float) and isinstance(estimate.get("value"), float):
            origin = ThresholdSource.OTHER_COHORT.value
            taken.append((estimate["value"], {"source": origin, "name": f"fmr={target:g}"}))
    if not taken:
        where = Path(spec.thresholds.file or "").name
        raise DataError(where, f"no thresholds of provider {provider!r}", _LAYOUT)
    return taken
