"""What ``import frtaudit`` offers: audits from a program, with what the command line takes and nothing written."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path
from typing import Any  # Any: an argument, as a caller may give it

import numpy as np
import numpy.typing as npt

from frtaudit.config.composition import CONFIG, composed
from frtaudit.config.guard import RUN_FOLDER
from frtaudit.config.load import load_spec, typed
from frtaudit.config.places import check_files
from frtaudit.config.validate import check_reach, check_spec
from frtaudit.core.canonical import mapping
from frtaudit.core.findings import exit_code
from frtaudit.core.identity import check_types
from frtaudit.core.machine.arguments import at_path, listed, path_of, text_of
from frtaudit.core.methods import Target
from frtaudit.core.spec import AuditSpec, IntervalSpec
from frtaudit.core.text.names import is_title
from frtaudit.errors import DataError, SpecError
from frtaudit.evaluation.system import DEFAULT_INTERVALS
from frtaudit.inputs.score_lists.arrays import ScoreArrays, Sides, classes_of, score_arrays
from frtaudit.inputs.score_lists.frames import Frame, arrays_of_frame
from frtaudit.pipeline import audit as auditing
from frtaudit.pipeline.audit_report import Report
from frtaudit.pipeline.compare import comparison_of
from frtaudit.pipeline.rederive import note_paths
from frtaudit.pipeline.run import RunSummary
from frtaudit.pipeline.run import run as write_run
from frtaudit.report.exports.run_folder import read_run

__all__ = ["audit", "compare", "evaluate", "load_report", "run"]

MAX_TARGETS = 1000
Spec = AuditSpec | Sequence[str]
_ANALYSES = "analyses=[error_rates,differentials,failures]"
_NAMELESS = ("audit=nameless", "cohort=pyeer", "cohort.mated=memory", "cohort.non_mated=memory")
_NAMED = ("audit=scores", "cohort.root=memory", _ANALYSES)


def audit(spec: Spec) -> Report:
    """Run an audit in memory; nothing is written.

    Parameters
    ----------
    spec : AuditSpec or sequence of str
        A typed spec, or overrides as on the command line.

    Returns
    -------
    Report
        The result, the same that ``run`` writes as ``result.json``.

    Raises
    ------
    SpecError
        The spec cannot be run as it is written.
    DataError
        An input cannot be used.

    References
    ----------
    Those of ``evaluate``, and of the analyses in the spec: ``Method`` names the publication of each interval.

    Examples
    --------
    >>> import frtaudit
    >>> report = frtaudit.audit(["audit=demo", "cohort.subjects=24", "bootstrap.B=199", "analyses=[error_rates]",
    ...                          "requirements=[]"])
    >>> report.result.spec["name"]
    'demo'
    """
    return _in_memory(_typed(spec))


def evaluate(
    scores: npt.ArrayLike | Frame,
    mated: npt.ArrayLike | str | None = None,
    *,
    subjects: Sides | None = None,
    samples: Sides | None = None,
    groups: Mapping[str, Sides] | Sequence[str] | str | None = None,
    score: str | None = None,
    probe: str | None = None,
    reference: str | None = None,
    fmr: Iterable[float] | float = (0.001,),
    system: str = "system",
    overrides: Sequence[str] = (),
) -> Report:
    """Error rates of one system from its comparison scores, with intervals; nothing is written.

    The estimates are those of an audit of a score list (``audit=scores``) that holds the same comparisons. Without
    ``subjects`` nothing is known of how comparisons depend on each other: the intervals are then those of independent
    comparisons (target ``comparisons_iid``), which are too narrow for people.

    Parameters
    ----------
    scores : array_like of float, shape (P,), or DataFrame
        A score for each comparison; higher is more alike. NaN: the comparison failed, and is counted as that. Of a
        DataFrame each row is a comparison, and the other arguments name its columns.
    mated : array_like of bool, shape (P,), or str
        Whether both samples are of one subject: 1 for mated, as ``y_true`` of scikit-learn, which takes it first; or
        the words of a score list, such as ``"true"`` and ``"false"``.
    subjects : pair of array_like, each of shape (P,), or of str, optional
        The subjects of the probes, and of the references.
    samples : pair of array_like, each of shape (P,), optional
        The samples that were compared. Without them each comparison is taken as one of samples of its own, and no
        interval is given for fixed identities, which resamples samples.
    groups : mapping of str to pair of array_like, each of shape (P,), str or sequence of str, optional
        For each schema the classes of the probes' subjects, and of the references'. An empty text, None or NaN: not
        known. Of a DataFrame: ``["sex"]`` reads ``probe_sex`` and ``reference_sex``, or else ``sex`` for both sides;
        ``{"sex": ("sex_1", "sex_2")}`` names the columns. Numbers become groups by bins, in ``overrides``:
        ``["+schemas.age={column: age, bins: {edges: [18, 40]}}"]``.
    score, probe, reference : str, optional
        Of a DataFrame: the columns of scores and of samples. Columns that are not named are looked for under the
        names of a score list: ``score``, ``mated`` or ``label``, ``probe``, ``probe_subject``, ``failure``, ...
    fmr : float or iterable of float
        The FMR targets at which thresholds are set, on these scores.
    system : str
        How the result calls the system.
    overrides : sequence of str
        More of the spec, as on the command line: ``["bootstrap.B=1999", "seed=1"]``.

    Returns
    -------
    Report
        FMR, FNMR, thresholds, failures and, with ``groups``, differences between groups.

    Raises
    ------
    DataError
        An array has another length or holds what it cannot; ``mated`` disagrees with ``subjects``; or an error of
        ``thresholds.fmr``: a target is too low for the scores. ``fmr=0.001``, the default, takes 5,000 non-mated ones:
        5 expected false matches.
    SpecError
        An override cannot be used.

    References
    ----------
    ISO/IEC 19795-1:2021, Biometric performance testing and reporting, part 1. Conti, J.-R. and Clémençon, S., Assessing
    Uncertainty in Similarity Scoring, 2024, section 3.2, and Fogliato, R., Patil, P. and Perona, P., Confidence
    Intervals for Error Rates in 1:1 Matching Tasks, 2024, for the intervals. docs/methods/statistics.md has the rules.

    Examples
    --------
    >>> import frtaudit
    >>> scores, mated = [0.9] * 19 + [0.1] + [0.2, 0.7] * 10, [True] * 20 + [False] * 20
    >>> frame = frtaudit.evaluate(scores, mated, fmr=[0.5]).frame()
    >>> found = frame[frame["metric"] == "fnmr_at_fmr"]
    >>> found["numerator"].tolist(), found["denominator"].tolist()
    ([1], [20])
    >>> import pandas as pd
    >>> table = pd.DataFrame({"similarity": scores, "same_person": mated})
    >>> frtaudit.evaluate(table, mated="same_person", fmr=[0.5]).frame().equals(frame)
    True
    """
    overrides = listed("overrides", overrides)
    classes = _named_groups(groups)
    _check_system(system)
    if isinstance(scores, Frame):  # its other arguments are names
        if samples is not None:
            raise DataError(
                "samples", "an argument of arrays, with a table", "probe=COLUMN, reference=COLUMN"
            )
        arrays = arrays_of_frame(
            scores,
            score=score,
            mated=mated,
            samples=(probe, reference),
            subjects=subjects,
            groups=classes,
            system=str(system),
        )
    elif mated is None or isinstance(mated, str):
        raise DataError("mated", f"found {mated!r} with an array of scores", "an array of 1 and 0")
    elif groups is not None and not isinstance(classes, Mapping):
        raise DataError("groups", "names of columns with an array of scores", "{NAME: (probe, reference)}")
    else:
        _refuse_columns(score=score, probe=probe, reference=reference)
        sides = classes if isinstance(classes, Mapping) else {}
        arrays = score_arrays(
            scores, mated, subjects=subjects, samples=samples, groups=sides, system=str(system)
        )
    targets = f"thresholds.fmr={_targets(fmr)}"
    composition = composed(CONFIG, [*(_NAMED if arrays.named else _NAMELESS), targets, *overrides])
    schemas = _schemas(arrays, classes, mapping(composition.resolved.get("schemas")))
    spec = typed(replace(composition, resolved={**composition.resolved, "schemas": schemas})).whole()
    return _in_memory(_without_samples(spec, arrays), arrays)


def run(spec: Spec, folder: str | Path) -> RunSummary:
    """Run an audit and write its signed run folder, as ``frtaudit run`` does.

    Parameters
    ----------
    spec : AuditSpec or sequence of str
        A typed spec, or overrides as on the command line.
    folder : str or Path
        A new folder, or one without a result. All files of the run appear in it, or none.

    Returns
    -------
    RunSummary
        The exit code (3: a requirement failed), the findings by verdict, the digest of the result, the report's path.

    Raises
    ------
    SpecError
        The spec cannot be run as it is written, or the folder holds a result.
    DataError
        An input cannot be used.

    References
    ----------
    ETSI EN 319 142-1, PAdES digital signatures. in-toto Attestation Framework, Statement v1, in a DSSE envelope.

    Examples
    --------
    >>> import frtaudit, tempfile
    >>> small = ["audit=demo", "cohort.subjects=24", "bootstrap.B=199", "analyses=[error_rates]",
    ...          "requirements=[]", "report.html=false", "report.pdf=false", "report.sign=false"]
    >>> frtaudit.run(small, tempfile.mkdtemp()).exit_code
    0
    """
    typed, place = _typed(spec), path_of("folder", folder)
    with at_path(place, RUN_FOLDER, "folder"):
        summary = write_run(typed, place, exit_code)
    note_paths(typed, summary.result_sha256)
    return summary


def compare(runs: Sequence[str | Path] | Mapping[str, str | Path], overrides: Sequence[str] = ()) -> Report:
    """Compare the systems of finished runs on the comparisons that they share; nothing is scored, nothing is written.

    ``frtaudit compare RUN RUN`` writes the same result with its report, signed.

    Parameters
    ----------
    runs : sequence of path, or mapping of str to path
        The run folders, perhaps with a name for each.
    overrides : sequence of str
        More of the spec, as on the command line.

    Returns
    -------
    Report
        Differences between systems, with intervals, and the rank of each system.

    Raises
    ------
    SpecError
        There is no run, an override cannot be used, or one text stands in place of a list.
    DataError
        A folder is no finished run, or the runs share too little.
    VerificationError
        A run is not as it was signed.

    References
    ----------
    Fogliato, R., Patil, P. and Perona, P., Confidence Intervals for Error Rates in 1:1 Matching Tasks, 2024: subjects
    resampled for both systems alike. Mogstad, M., Romano, J. P., Shaikh, A. M. and Wilhelm, D., Inference for Ranks,
    2024. Schuirmann, D. J., A Comparison of the Two One-Sided Tests Procedure and the Power Approach, 1987.

    Examples
    --------
    >>> import frtaudit
    >>> frtaudit.compare([])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    frtaudit.errors.SpecError: compare: no run; accepted: folders of finished runs: ...
    """
    overrides = listed("overrides", overrides)
    given = runs.items() if isinstance(runs, Mapping) else [("", path) for path in listed("runs", runs)]
    named = [(text_of("runs", name), path_of("runs", path)) for name, path in given]
    for name, path in named:
        with at_path(path):
            is_folder = path.is_dir()
        before, equals, after = str(path).partition("=")
        if not name and equals and not is_folder:  # as on the command line
            raise SpecError("compare", f"found {str(path)!r}", f"a mapping: {{{before!r}: {after!r}, ...}}")
    return audit(comparison_of(named, overrides))


def load_report(folder: str | Path) -> Report:
    """Read the result of a finished run; ``verify`` says whether its files are as they were signed.

    Parameters
    ----------
    folder : str or Path
        A run folder, or its ``result.json``.

    Returns
    -------
    Report
        The result as it was written.

    Raises
    ------
    DataError
        There is no result that can be read.

    Examples
    --------
    >>> import frtaudit
    >>> frtaudit.load_report("nowhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    frtaudit.errors.DataError: nowhere: no result (...); accepted: a run's folder, or its result.json
    """
    place = path_of("folder", folder)
    with at_path(place):
        return Report(read_run(place).result, places=[place if place.is_dir() else place.parent])


def _in_memory(spec: AuditSpec, source: ScoreArrays | None = None) -> Report:
    audited = auditing.audit(spec, source=source)
    return Report(audited.result, audited=audited, settings=spec)


def _typed(spec: Spec) -> AuditSpec:
    """The spec of an audit, once the files that its analyses name are there: they are read last."""
    if isinstance(spec, AuditSpec):
        check_types(spec)
    typed_spec = spec if isinstance(spec, AuditSpec) else load_spec(listed("spec", spec))
    check_spec(typed_spec)
    check_reach(typed_spec)
    check_files(typed_spec.analyses.values())
    return typed_spec


def _named_groups(groups: Any) -> Mapping[str, Sides] | Sequence[str]:  # noqa: ANN401  as a caller may give it
    """The groups with plain texts as names, columns by name perhaps."""
    if isinstance(groups, Mapping):
        return {str(name): sides for name, sides in groups.items()}
    given = [groups] if isinstance(groups, str) else () if groups is None else listed("groups", groups)
    return [str(name) for name in given]


def _refuse_columns(**named: object) -> None:
    """Refuse names of columns where there is no table."""
    for argument, name in named.items():
        if name is not None:
            raise DataError(
                argument, f"found {name!r:.60} with an array of scores", "a table as scores, or None"
            )


def _schemas(arrays: ScoreArrays, groups: Iterable[str], given: Mapping[str, object]) -> dict[str, object]:
    """The schema of each group, key by key as the overrides have it; bins and crossings are theirs alone."""
    schemas: dict[str, object] = dict(given)
    for name in groups:
        fields = given.get(name, {})
        if not isinstance(fields, Mapping) or any(fields.get(key) for key in ("bins", "cross")):
            continue
        implied: dict[str, object] = {"column": name}
        if not fields.get("classes") and fields.get("column", name) == name:
            unknown = fields.get("unknown") or ()
            texts = unknown if isinstance(unknown, list | tuple) else ()
            implied["classes"] = classes_of(arrays, name, [text for text in texts if isinstance(text, str)])
        schemas[name] = implied | {key: value for key, value in fields.items() if key not in implied or value}
    return schemas


def _check_system(system: object) -> None:
    if not isinstance(system, str) or not is_title(system):
        accepted = "text with a visible character and no control character"
        raise SpecError("system", f"found {system!r}", accepted)


def _targets(fmr: Any) -> list[float]:  # noqa: ANN401  as a caller may give it
    """FMR targets as numbers: what they may be is checked with the spec."""
    refused = SpecError("fmr", f"found {fmr!r:.60}", "a number above 0 and below 1, or several")
    if isinstance(fmr, str | bytes | Mapping):
        raise refused
    several = isinstance(fmr, Iterable) and (not isinstance(fmr, np.ndarray) or fmr.ndim > 0)
    given = list(fmr) if several else [fmr]
    if len(given) > MAX_TARGETS:
        raise SpecError("fmr", f"found {len(given)} targets", f"at most {MAX_TARGETS}")
    if any(isinstance(target, str | bytes | complex) for target in given):
        raise refused
    try:
        targets = [float(target) for target in given]
    except (TypeError, ValueError, OverflowError):
        raise refused from None
    return sorted(targets) if isinstance(fmr, AbstractSet) else targets


def _without_samples(spec: AuditSpec, arrays: ScoreArrays) -> AuditSpec:
    """Without intervals that resample samples, where no sample is named."""
    if arrays.named_samples or not arrays.named:
        return spec
    if any(interval.target is Target.FIXED_IDENTITIES for interval in spec.intervals):
        raise SpecError("intervals", "target fixed_identities without samples", "samples=(probe, reference)")
    intervals: tuple[IntervalSpec, ...] = tuple(
        interval for interval in DEFAULT_INTERVALS if interval.target is not Target.FIXED_IDENTITIES
    )
    return spec if spec.intervals else replace(spec, intervals=intervals)
