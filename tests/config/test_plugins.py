"""Tests of frtaudit.config.plugins."""

from frtaudit.config.plugins import load_plugins
from frtaudit.core.registry import names


def test_everything_of_the_house_is_registered() -> None:
    """After loading, each group holds what the issue names; loading again changes nothing."""
    load_plugins()
    before = {group: names(group) for group in ("analysis", "cohort", "protocol", "provider")}
    load_plugins()
    assert before == {group: names(group) for group in before}
    assert {"templates", "scores", "synthetic"} <= set(before["cohort"])
    assert {"all_pairs", "round_robin", "listed"} <= set(before["protocol"])
    assert {"cosine", "precomputed", "simulated"} <= set(before["provider"])
    assert {"error_rates", "similarity_roc", "differentials", "failures", "interclass", "accuracy"} <= set(
        before["analysis"]
    )
