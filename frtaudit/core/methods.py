"""How intervals are made and for whom they hold: each method declared once, with what the report says of it."""

from enum import Enum
from typing import Self

MIN_ERRORS = 10  # in a group, for a bootstrap, a comparison of groups
# An interval or a test is refused where more of the replicates are undefined (FORMULAS 1).
MAX_UNDEFINED = 0.02
MIN_ERROR_SUBJECTS = 10  # subjects with errors
GROUPS_NEED = f"a comparison of groups needs {MIN_ERRORS} errors of {MIN_ERROR_SUBJECTS} subjects in each"
ENOUGH = "times its subjects would give enough"
UNADJUSTED = "unadjusted p: "  # before the reason, in the note of a test


class Sided(Enum):
    """Whether each bound errs with alpha (a claim in one direction), or both together."""

    ONE = "one_sided"
    TWO = "two_sided"


class Target(Enum):
    """For whom an interval holds.

    Attributes
    ----------
    POPULATION
        The population that the test subjects were sampled from.
    FIXED_IDENTITIES
        The same subjects, with new images.
    COMPARISONS_IID
        Comparisons treated as independent, which they are not.
    SIMULATION
        Simulated cohorts of a named model.
    MODEL
        The population, where a model of the tail holds.

    Examples
    --------
    >>> Target.POPULATION in Method.WILSON.serves
    True
    """

    POPULATION = "population"
    FIXED_IDENTITIES = "fixed_identities"
    COMPARISONS_IID = "comparisons_iid"
    SIMULATION = "simulation"
    MODEL = "model"


_FIXED, _POPULATION, _IID = (Target.FIXED_IDENTITIES,), (Target.POPULATION,), (Target.COMPARISONS_IID,)


class Method(Enum):
    """How an interval was made.

    Attributes
    ----------
    serves : tuple of Target
        The targets that it may be asked for, the usual one first.
    label : str
        What the report calls it.
    means : str
        What the report says of it.
    NAIVE, RECENTERED, GAUSSIAN
        Samples of each subject are resampled.
    VERTEX, DOUBLE_OR_NOTHING, TWO_LEVEL, VERTEX_GAUSSIAN, MAX_T, TAIL_MODEL
        Subjects are resampled.
    WILSON, WILSON_PLUGIN
        Wilson's interval on an effective number of comparisons.
    WILSON_IID, T_BOOTSTRAP
        Comparisons are treated as independent.
    T, DEALT, DYADIC
        Student's t, of accuracy on folds.
    MONTE_CARLO, LABELS
        Wilson's interval of simulated cohorts, and of rates over possible true labels.

    References
    ----------
    Conti, J.-R. and Clémençon, S., Assessing Uncertainty in Similarity Scoring, 2024, section 3.2 (``naive``,
    ``recentered``, ``gaussian``). Fogliato, R., Patil, P. and Perona, P., Confidence Intervals for Error Rates in 1:1
    Matching Tasks, 2024 (``vertex``, ``double_or_nothing``, ``wilson_plugin``). Wilson, 1927, and Clopper and Pearson,
    1934 (``wilson``). Peña-Alcántara, A. A., A Subject Based Methodology for Measuring Interclass Bias, 2022
    (``t_bootstrap``).

    Examples
    --------
    >>> Method("recentered").label
    'bootstrap of images, recentred'
    """

    _value_: str
    serves: tuple[Target, ...]
    label: str
    means: str

    def __new__(cls, value: str, serves: tuple[Target, ...] = (), label: str = "", means: str = "") -> Self:
        """A method; its value is its name in specs and results."""
        method = object.__new__(cls)
        method._value_, method.serves, method.label, method.means = value, serves, label, means
        return method

    NAIVE = (
        "naive",
        _FIXED,
        "bootstrap of images, not recentred",
        (
            "Resamples each subject's images and reads the percentiles. Copies of one image match themselves, "
            "which shifts it down; it is shown as a baseline only."
        ),
    )
    RECENTERED = (
        "recentered",
        _FIXED,
        "bootstrap of images, recentred",
        "Resamples each subject's images and moves the percentiles by the known shift of that resampling.",
    )
    GAUSSIAN = (
        "gaussian",
        _FIXED,
        "bootstrap of images, Gaussian",
        "Resamples each subject's images; mean and spread of the replicates, read as a normal distribution.",
    )
    VERTEX = (
        "vertex",
        _POPULATION,
        "bootstrap of subjects",
        (
            "Resamples whole subjects with all their comparisons; copies of one subject are never compared with each"
            " other as different subjects."
        ),
    )
    DOUBLE_OR_NOTHING = (
        "double_or_nothing",
        _POPULATION,
        "double-or-nothing bootstrap of subjects",
        "Counts each subject twice or not at all, at random.",
    )
    TWO_LEVEL = (
        "two_level",
        _POPULATION,
        "bootstrap of subjects, then of their images",
        "Resamples subjects, then their images. It counts the noise within subjects twice: a diagnostic.",
    )
    WILSON = (
        "wilson",
        _POPULATION,
        "Wilson, effective sample size",
        (
            "The wider of Wilson's and Clopper and Pearson's bounds on the effective number of comparisons, which"
            " is smaller than their count because comparisons share subjects. The upper bound of FMR also allows "
            "for one more pair of indistinguishable subjects and one more subject with as many false matches "
            "as any here. Of a threshold: all thresholds whose interval of FMR contains the target."
        ),
    )
    WILSON_PLUGIN = (
        "wilson_plugin",
        _POPULATION,
        "Wilson, published plug-in",
        "Wilson's interval with the effective size as published.",
    )
    WILSON_IID = (
        "wilson_iid",
        _IID,
        "Wilson, comparisons as independent",
        (
            "Wilson's interval that treats comparisons as independent. They are not, so it is too narrow, and is never "
            "used for a verdict."
        ),
    )
    T_BOOTSTRAP = (
        "t_bootstrap",
        _IID,
        "bootstrap of scores, t",
        "Resamples scores treated as independent; Student's t on the spread (Peña-Alcántara 2022). It is not a test.",
    )
    T = (
        "t",
        _IID + _POPULATION,
        "Student's t over folds",
        "Mean of the folds with Student's t on their spread; folds are not independent, so it is descriptive only.",
    )
    DEALT = (
        "dealt",
        _POPULATION,
        "Student's t, random folds or shared subjects",
        (
            "Student's t on the larger of two variances: over random assignments of the same pairs to folds, and over "
            "pairs that share a subject with the folds' thresholds held fixed. On simulated subjects it "
            "contained the expected difference in 95 to 98 of 100 cases; the second alone in 87 to 92."
        ),
    )
    DYADIC = (
        "dyadic",
        _POPULATION,
        "Student's t, pairs that share a subject",
        "Student's t on the variance over pairs that share a subject, with the folds' thresholds held fixed.",
    )
    MAX_T = (
        "max_t",
        _POPULATION,
        "simultaneous, largest t over groups",
        "Resamples subjects and bounds all groups at once, adjusted for multiple testing.",
    )
    VERTEX_GAUSSIAN = (
        "vertex_gaussian",
        _POPULATION,
        "bootstrap of subjects, t on the squared distance",
        (
            "Resamples whole subjects; bounds of the squared distance, corrected for its upward shift, by Student's t: "
            "below with its variance, above with a variance that grows with it, as in Wilson's interval; never below 0."
        ),
    )
    MONTE_CARLO = (
        "monte_carlo",
        (Target.SIMULATION,),
        "Wilson, simulated cohorts",
        (
            "Wilson's interval of a share of simulated cohorts, which are independent of each other: how well the"
            " simulation was run, not how well a system was tested."
        ),
    )
    LABELS = (
        "labels",
        _POPULATION,
        "Wilson, simulated true labels",
        (
            "Wilson's interval around the mean rate over possible truths, on an effective number of comparisons "
            "from draws in which the queries and the identities are drawn again. It holds for the true labels of all"
            " faces of the people searched for, as far as the services' scores can distinguish people."
        ),
    )

    TAIL_MODEL = (
        "tail_model",
        (Target.MODEL,),
        "generalised Pareto tail, subjects resampled",
        (
            "Percentiles of a generalised Pareto tail fitted anew to each resample of subjects. It assumes that the "
            "tail continues as in the data: look-alikes that are not in the cohort violate this assumption."
        ),
    )


DECIDING = (
    Method.WILSON,
    Method.MAX_T,
    Method.VERTEX_GAUSSIAN,
    Method.VERTEX,
    Method.DOUBLE_OR_NOTHING,
    Method.T,
    Method.TAIL_MODEL,
)  # FORMULAS 8.2: the default first; neither two_level, a diagnostic, nor the published plug-in ever decides
OF_THEIR_OWN = frozenset(
    {
        Method.T_BOOTSTRAP,
        Method.T,
        Method.MAX_T,
        Method.VERTEX_GAUSSIAN,
        Method.MONTE_CARLO,
        Method.LABELS,
        Method.TAIL_MODEL,
    }
)  # made by the analyses that need them, without being asked; no interval of a rate
