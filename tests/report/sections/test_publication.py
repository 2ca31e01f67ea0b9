"""What a publishable variant says of itself."""

import numpy as np
from published_people import drawn, result_of

from frtaudit.publication import published
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections.publication import build
from frtaudit.report.source import Source


def test_a_variant_says_its_rule_its_classes_and_its_link() -> None:
    """Rule with its minimum, what was left out, each withheld class, the digest of the full run's statement."""
    full = result_of(drawn(np.random.default_rng(1), 60))
    view = build(Source(published(full, "ab" * 32, 10)))
    assert view is not None
    assert "fewer than 10 people" in plain_text(view.rule)
    assert "curves" in plain_text(view.left_out)
    assert "ab" * 32 in plain_text(view.link)
    assert len(view.tables[0].blocks[0].rows) > 1


def test_a_full_report_has_no_such_section() -> None:
    """None where nothing is withheld by a rule."""
    assert build(Source(result_of(drawn(np.random.default_rng(1), 60)))) is None
