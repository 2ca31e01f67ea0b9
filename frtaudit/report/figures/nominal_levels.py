"""Figures of the study of nominal levels, from the JSON that it writes (Conti and Clémençon, Figures 6 to 9)."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from frtaudit.core import Curve
from frtaudit.core.canonical import read_json
from frtaudit.core.freeze import require
from frtaudit.core.machine.files import read_regular
from frtaudit.core.machine.run_files import RESULT
from frtaudit.core.plain.records import from_json
from frtaudit.core.text.file_names import number_name
from frtaudit.core.text.formatting import exact, rate
from frtaudit.errors import DataError
from frtaudit.report.figure_choice import ACCEPTED
from frtaudit.report.figures import bands, canvas, coverage, legends, scales
from frtaudit.report.figures.bands import RATE, Banded, BandStyle, outside
from frtaudit.report.figures.curves import keys
from frtaudit.report.files import STUDY_FILE
from frtaudit.report.pieces import HUES, Figure, Panel, spans

NAMES = {"recentered": "recentred", "gaussian": "Gaussian"}  # as a report has them
STUDY: Literal["nominal_levels"] = "nominal_levels"
_MALFORMED = (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """Coverage of one design: ``coverage`` has a row for each nominal level, rising, and a column for each method.

    ``truth``: FNMR of the subjects at ``fmr``; a share is NaN where no cohort had an interval; ``without``: how
    many cohorts had none at the highest level, for each method, and count in no share (too few errors).
    """

    subjects: int
    samples: int
    dimension: int
    concentration: tuple[float, float]
    fmr: float
    cohorts: int
    B: int
    truth: float
    methods: tuple[str, ...]
    nominal: tuple[float, ...]
    coverage: tuple[tuple[float, ...], ...]
    without: tuple[int, ...]

    def __post_init__(self) -> None:
        require(len(self.coverage) == len(self.nominal) > 0, "a row of coverage per nominal level")
        require(all(len(row) == len(self.methods) for row in self.coverage), "a share per method")
        require(len(self.without) == len(self.methods), "a count of cohorts per method")

    @property
    def caption(self) -> str:
        """What was simulated, in a sentence."""
        low, high = self.concentration
        named = [
            f"{count} by {name}" for name, count in zip(self.methods, self.without, strict=True) if count
        ]
        without = f" Cohorts with too few errors for an interval are left out: {', '.join(named)}."
        dash = " A dash stands where no cohort had one." if self.cohorts in self.without else ""
        return (
            f"FNMR at FMR {exact(self.fmr)}, true value {rate(self.truth)}: {self.cohorts} cohorts of the same "
            f"{self.subjects} subjects with {self.samples} samples each, dimension {self.dimension}, concentration "
            f"{low:g} to {high:g}, B = {self.B}."
            f"{without + dash if named else ''}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortBands:
    """FNMR over FMR of one cohort: a curve with a pointwise band for each method, and the true FNMR at its FMRs."""

    subjects: int
    samples: int
    dimension: int
    concentration: tuple[float, float]
    B: int
    level: float
    curves: tuple[Curve, ...]
    truth: Curve

    def __post_init__(self) -> None:
        known = all(curve.method and curve.low and curve.x == self.truth.x for curve in self.curves)
        require(known and bool(self.truth.x), "curves with a method and a band, at the FMRs of the true one")


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """What ``nominal_levels.json`` holds: coverage of each design, and the bands of one cohort of the first."""

    study: Literal["nominal_levels"] = STUDY
    levels: tuple[Levels, ...]
    bands: CohortBands


def read_study(path: Path) -> Study | None:
    """Read the study from its file, or the folder that holds it; None for a run, which has a ``result.json``.

    Raises :class:`DataError` for a file that cannot be read.
    """
    file = path / STUDY_FILE if path.is_dir() else path
    if file.name == RESULT or (path.is_dir() and ((path / RESULT).exists() or not file.exists())):
        return None
    try:
        content = read_json(read_regular(file))
    except OSError as error:
        raise DataError(str(path), f"cannot be read ({error.strerror})", ACCEPTED) from None
    except ValueError:
        raise DataError(str(file), "is not JSON", ACCEPTED) from None
    if isinstance(content, dict) and "study" not in content and file.name != STUDY_FILE:
        return None
    try:
        require(content["study"] == STUDY, "names the study")
        study: Study = from_json(Study, content)
    except _MALFORMED:
        wanted = "what python -m frtaudit.testing.study.nominal_levels writes"
        raise DataError(str(file), "not the numbers of the study of coverage", wanted) from None
    return study


def figures(study: Study) -> list[Figure]:
    """Realised against nominal coverage of each design, then a band of each method."""
    drawn, of = [_levels(cohorts) for cohorts in study.levels], study.bands
    low, high = of.concentration
    caption = spans(
        f"One cohort of {of.subjects} subjects with {of.samples} samples each, dimension "
        f"{of.dimension}, concentration {low:g} to {high:g}, B = {of.B}; pointwise band at level "
        f"{exact(of.level)}. The true FNMR is that of the same subjects, from fresh samples."
    )
    panels = scales.alike(lambda: (_band(of, curve) for curve in of.curves))
    for curve, panel in zip(of.curves, panels, strict=True):
        method, style = _banded(curve)
        name = f"bands-{curve.method.value if curve.method else ''}"
        legend = (
            bands.line_key(name, canvas.pen(0), "empirical ROC"),
            bands.band_key(name, style),
            *legends.dashes(name, ["true ROC"], first=1),
        )
        title = f"The {method} band and the true ROC"
        drawn.append(Figure(name=name, title=title, caption=caption, panels=(panel,), keys=legend))
    return drawn


def _levels(found: Levels) -> Figure:
    """Coverage as curves over the nominal level, which is the diagonal."""
    name = f"levels-{number_name(found.fmr)}"
    methods = [NAMES.get(method, method) for method in found.methods]
    lines = dict(zip(methods, zip(*found.coverage, strict=True), strict=True))
    title = f"Coverage of FNMR at FMR {exact(found.fmr)}"
    return Figure(
        name=name,
        title=f"Realised against nominal coverage at FMR {exact(found.fmr)}",
        caption=spans(found.caption),
        panels=(coverage.realised(name, title, found.nominal, lines),),
        keys=keys(name, list(enumerate(methods))),
    )


def _banded(curve: Curve) -> tuple[str, BandStyle]:
    """What a method is called, and how its band is drawn."""
    method = curve.method.value if curve.method else ""
    name = NAMES.get(method, method)
    return name, BandStyle(label=f"{name} band", hue=HUES[0], fill=True)


def _band(found: CohortBands, curve: Curve) -> Panel:
    """The band of a method, the empirical curve and the true one."""
    method, style = _banded(curve)
    out, total = outside(found.truth, replace(curve, y=found.truth.y))
    alt = f"{method} band at level {exact(found.level)}: the true FNMR lies outside at {out} of {total} FMRs."
    name = f"bands-{curve.method.value if curve.method else ''}"
    title = f"The {method} band and the true ROC"
    return bands.compared(
        name, title, curve, [Banded(style=style, curve=curve)], RATE, alt, truth=found.truth
    )
