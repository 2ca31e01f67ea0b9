"""What plug-ins offer an audit: who is tested, which comparisons are made, their scores, what is estimated."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from frtaudit.core.cohort import CohortData
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.scores import Groups, ScoreTable
from frtaudit.core.spec import AuditSpec, FailureScore, SchemaSpec
from frtaudit.evaluation.system import AnalysisOutput, SystemData
from frtaudit.stats.similarity.allpairs import ScoredTail, TailRequest


class CohortSource(Protocol):
    """Who is tested (``cohort`` plug-ins)."""

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> CohortData:
        """Samples, subjects, classes, and what providers need.

        Parameters
        ----------
        schemas : mapping of str to SchemaSpec
            How subjects are classified; ``enrol`` applies them.
        seed : int
            The spec's.

        Returns
        -------
        CohortData
            ``inputs`` lists every file that was read.

        Raises
        ------
        DataError
            An input cannot be used; the error names the place.
        """


class Pairing(Protocol):
    """Which comparisons are made (``protocol`` plug-ins)."""

    def comparisons(self, cohort_data: CohortData) -> Comparisons:
        """The comparisons of a cohort.

        Parameters
        ----------
        cohort_data : CohortData
            What the cohort source gave; ``cohort_data.seed`` for protocols that draw.

        Returns
        -------
        Comparisons
            Listed comparisons, or all pairs, implied.

        Raises
        ------
        DataError
            A list of pairs cannot be used.
        """


class Provider(Protocol):
    """A system under test (``provider`` plug-ins)."""

    @property
    def name(self) -> str:
        """What the result calls it."""

    @property
    def score_range(self) -> tuple[float, float]:
        """Lowest and highest possible score, both finite; scored failures have the lowest."""

    @property
    def recommended(self) -> Mapping[str, float]:
        """The vendor's thresholds by name."""

    @property
    def thresholds_version(self) -> str | None:
        """Version of those thresholds."""

    def failed(self, cohort_data: CohortData, seed: int) -> Mapping[int, str]:
        """The samples of which the system made no template.

        Parameters
        ----------
        cohort_data : CohortData
            What the cohort source gave.
        seed : int
            The spec's.

        Returns
        -------
        mapping of int to str
            Cohort sample index to failure code, in snake_case.
        """

    def score_table(
        self,
        cohort_data: CohortData,
        comparisons: Comparisons,
        seed: int,
        failures: FailureScore = FailureScore.APART,
    ) -> ScoreTable:
        """The scores of listed comparisons; ``frtaudit.plugin.table_of`` makes the table from a function of pairs.

        Parameters
        ----------
        cohort_data : CohortData
            What the cohort source gave.
        comparisons : Comparisons
            Listed comparisons.
        seed : int
            The spec's.
        failures : FailureScore
            Whether failed comparisons are kept apart, or get the lowest score of ``score_range``.

        Returns
        -------
        ScoreTable
            A score or a failure for each comparison, in their order.

        Raises
        ------
        ProviderError
            The system cannot answer at all. A failed comparison is a failure in the table.
        """

    def score_tail(
        self,
        cohort_data: CohortData,
        comparisons: Comparisons,
        groups: Groups,
        request: TailRequest,
        seed: int,
        failures: FailureScore = FailureScore.APART,
    ) -> ScoredTail:
        """The scores of all pairs; ``frtaudit.plugin.tail_of`` makes the tail from a function of blocks.

        Parameters
        ----------
        cohort_data : CohortData
            What the cohort source gave.
        comparisons : Comparisons
            All pairs, implied, with their cells.
        groups : Groups
            The classes of all schemas.
        request : TailRequest
            What must be exact.
        seed : int
            The spec's.
        failures : FailureScore
            Whether failed samples are kept apart, or score the lowest of ``score_range`` with every other.

        Returns
        -------
        ScoredTail
            The scores, and what scores the pairs again.

        Raises
        ------
        ProviderError
            The system cannot answer at all, or only for listed comparisons.
        """


@runtime_checkable
class CohortAnalysis(Protocol):
    """An analysis that also reads the cohort once, before any system is evaluated."""

    def survey(self, spec: AuditSpec, cohort_data: CohortData) -> object:
        """What is computed once for all systems.

        Parameters
        ----------
        spec : AuditSpec
            The audit.
        cohort_data : CohortData
            What the cohort source gave.

        Returns
        -------
        object
            ``estimates`` reads it in ``system.surveys`` under the name of the analysis.
        """


class Analysis(Protocol):
    """What is estimated of a system (``analysis`` plug-ins).

    A class attribute ``metrics``, name to one line, names the metrics that requirements may limit.
    """

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """Estimates and curves of one system.

        Parameters
        ----------
        system : SystemData
            Scores, rates, replicates and groups of the system.
        alpha : float
            1 - level of intervals, in (0, 1).

        Returns
        -------
        AnalysisOutput
            Every estimate with its counts, every interval with its method and target.
        """


class Comparison(Protocol):
    """An analysis that also compares systems, after the last one was evaluated."""

    def across(self, states: Mapping[str, object], spec: AuditSpec, alpha: float) -> AnalysisOutput:
        """Estimates over several systems.

        Parameters
        ----------
        states : mapping of str to object
            Provider to its ``AnalysisOutput.per_system_state``.
        spec : AuditSpec
            The audit.
        alpha : float
            1 - level of intervals, in (0, 1).

        Returns
        -------
        AnalysisOutput
            Estimates whose ``provider`` names the systems that are compared.
        """
