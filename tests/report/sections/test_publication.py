"""What a publishable variant says of itself."""

import numpy as np
from published_people import drawn, result_of

from frtaudit.pipeline.publishable.disclosure import published
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections.operating_points import worst_group
from frtaudit.report.sections.publication import build, findings_left_out
from frtaudit.report.source import Source


def test_a_variant_says_its_rule_its_classes_and_its_link() -> None:
    """Rule with its minimum, what was left out, each withheld class, the digest of the full run's statement."""
    full = result_of(drawn(np.random.default_rng(1), 60))
    view = build(Source(published(full, "ab" * 32, 10)))
    assert view is not None
    assert "fewer than 10 subjects" in plain_text(view.rule)
    assert "curves" in plain_text(view.left_out)
    assert "ab" * 32 in plain_text(view.link)
    assert len(view.tables[0].blocks[0].rows) > 1


def test_a_full_report_has_no_such_section() -> None:
    """None where nothing is withheld by a rule."""
    assert build(Source(result_of(drawn(np.random.default_rng(1), 60)))) is None


def test_the_first_page_tells_what_a_variant_withholds() -> None:
    """Left-out verdicts are counted beside those that stand; the highest rate shown is not called that of all."""
    full = result_of(drawn(np.random.default_rng(1), 60))
    variant = Source(published(full, "ab" * 32, 10))
    said = findings_left_out(variant)
    assert len(full.findings) - len(variant.result.findings) > 1
    assert said[0].text == str(len(full.findings) - len(variant.result.findings))
    assert "withheld" in plain_text(worst_group(variant))
    assert findings_left_out(Source(full)) == ()
    assert "withheld" not in plain_text(worst_group(Source(full)))
