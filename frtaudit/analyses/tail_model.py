"""FMR beyond the data: a generalised Pareto tail on the exact tail of non-mated scores (peaks over threshold)."""

from dataclasses import dataclass

import numpy as np

from frtaudit.analyses.shared.model_estimates import DECADES, NAME, ModelEstimates, least_of, too_far
from frtaudit.core import CohortData
from frtaudit.core.canonical import seed_of
from frtaudit.core.registry import register
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import DataError, SpecError
from frtaudit.evaluation.system import AnalysisOutput, SystemData, subject_copies
from frtaudit.stats.rates.resolution import smallest_target
from frtaudit.stats.tails.peaks import TailModel, tail_model

MIN_EXCEEDANCES, MAX_EXCEEDANCES = 50, 10_000  # each is weighted in every resample


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class TailModelAnalysis:
    """FMR at declared thresholds beyond the data, and thresholds of FMR targets there, by a model of the tail.

    ``exceedances``: numbers of non-mated scores that candidate thresholds leave above them. The threshold chosen is
    that with the most of which the fit, and each fit above it, is not rejected at ``fit_level`` by Anderson and
    Darling's test with ``draws`` bootstrap samples; the estimate is the average over it and those above it. ``fmr``:
    targets, by default one and two decades below what the data resolve; none lower is accepted. ``decides``: whether
    a requirement on fmr_model is judged by it. Every comparison is weighted equally.
    """

    exceedances: tuple[int, ...] = (1000, 500, 250, 125)
    fit_level: float = 0.1
    draws: int = 199
    fmr: tuple[float, ...] = ()
    decides: bool = False

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for what no model can be fitted or judged with."""
        wrong = [n for n in self.exceedances if not MIN_EXCEEDANCES <= n <= MAX_EXCEEDANCES]
        if wrong or not self.exceedances:
            asked = f"numbers from {MIN_EXCEEDANCES} to {MAX_EXCEEDANCES:,}"
            raise SpecError(f"analyses.{NAME}.exceedances", f"found {wrong or 'none'}", asked)
        if not 0 < self.fit_level < 1:
            raise SpecError(f"analyses.{NAME}.fit_level", f"found {self.fit_level:g}", "between 0 and 1")
        if self.draws + 1 < 1 / self.fit_level:
            least = f"{np.ceil(1 / self.fit_level - 1):g} or more at fit_level {self.fit_level:g}"
            raise SpecError(f"analyses.{NAME}.draws", f"found {self.draws}", least)
        beyond = [target for target in self.fmr if not 0 < target < 1]
        if beyond:
            raise SpecError(f"analyses.{NAME}.fmr", f"found {beyond[0]:g}", "rates between 0 and 1")

    def survey(self, spec: AuditSpec, cohort_data: CohortData) -> object:
        """Raise :class:`DataError` for transactions, and :class:`SpecError` for a target that no system can reach.

        The method is one of comparisons (ISO/IEC 5152, its scope).
        """
        from frtaudit.pipeline.components import comparisons_of
        from frtaudit.pipeline.evaluate import planned_non_mated

        if cohort_data.transactions:
            text = "these data hold transactions, and no model extrapolates their FAR"
            raise DataError(f"analyses.{NAME}", text, f"a cohort of comparisons, or ~analyses.{NAME}")
        planned = planned_non_mated(cohort_data.cohort, comparisons_of(spec, cohort_data))
        low = next((target for target in self.fmr if too_far(target, least_of(planned))), None)
        if low is not None and planned:
            text = f"FMR {low:g} lies more than {DECADES} decades below what these data resolve"
            accepted = f"at least {float(smallest_target(planned)) / 10**DECADES:.3g}"
            raise SpecError(f"analyses.{NAME}.fmr", text, accepted)
        return None

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """The model's thresholds, fits, rates and targets, with what a figure shows of its stability."""
        read = ModelEstimates.of(system, self._fitted(system), self.fmr, alpha, decides=self.decides)
        return AnalysisOutput(
            estimates=(*read.fits(), *read.rates(), *read.targets()), curves=tuple(read.curves())
        )

    def _fitted(self, system: SystemData) -> TailModel:
        spec = system.spec
        copies = subject_copies(spec, system.groups, system.tail.n_samples.size)
        rng = np.random.default_rng(seed_of(spec.seed, NAME, system.provider))
        return tail_model(
            system.tail, self.exceedances, copies, level=self.fit_level, draws=self.draws, rng=rng
        )
