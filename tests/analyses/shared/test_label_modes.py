import numpy as np
import pytest
from rapid_audits import made, result
from scipy import stats
from small_audits import put

from frtaudit.analyses.shared import label_modes
from frtaudit.core.labelling import ModeFit
from frtaudit.labelling.modes import balanced, mode_fit


def test_every_service_has_its_fit_in_the_result() -> None:
    """Modes are those of the labels; means, widths and shares give the log-likelihood that stands there."""
    found = put(made(), "acme").cohort_data.labelling
    assert found is not None
    for service in found.services:
        value = {
            (item.metric, item.at.get("part")): item.value
            for item in result().estimates
            if item.provider == service.name and item.metric.startswith("label_mode")
        }
        modes = (value["label_mode", "non_mated"], value["label_mode", "mated"])
        assert modes == found.labelled.modes[service.name]
        density = sum(
            (value["label_mode_share", part] or 0.0)
            * stats.norm.pdf(
                balanced(found.faces, service),
                value["label_mode_mean", part],
                value["label_mode_width", part],
            )
            for part in label_modes.PARTS
        )
        assert value["label_mode_log_likelihood", None] == pytest.approx(np.log(density).mean(), abs=1e-9)
        assert value["label_mode_starts", None] == 9


def test_the_curves_are_the_histogram_and_the_mixture() -> None:
    """Shares of the scores sum to 1, those of the parts too; what lies beyond the cut stands in the outer bins."""
    rng = np.random.default_rng(2)
    scores = np.sort(np.maximum(np.r_[rng.normal(50, 5, 4000), rng.normal(80, 4, 1000)], 50.0))
    curves = {str(item.rate): item for item in label_modes.curves("s", scores, mode_fit(scores).mixture)}
    assert set(curves) == {"scores", "non_mated", "mated"}
    assert sum(curves["scores"].y) == pytest.approx(1)
    assert sum(curves["non_mated"].y) + sum(curves["mated"].y) == pytest.approx(1)
    assert curves["non_mated"].y[0] == pytest.approx(curves["scores"].y[0], abs=0.02)
    assert curves["scores"].y[0] > 0.4
    assert not list(label_modes.curves("s", np.zeros(0), None))


@pytest.mark.parametrize(
    ("fit", "note"),
    [
        (ModeFit(modes=(0.0, 1.0), given=True), label_modes.GIVEN),
        (ModeFit(modes=(0.0, 1.0)), label_modes.AT_ENDS),
        (ModeFit(problem="none"), "none"),
    ],
)
def test_modes_without_a_mixture_say_whence_they_are(fit: ModeFit, note: str) -> None:
    """Given in the spec, at the ends of the scale, or absent."""
    found = list(label_modes.estimates("s", "identity_labels", fit))
    assert [item.note for item in found] == [note, note]
    assert [item.value for item in found] == list(fit.modes or (None, None))
