"""Words of numbers and operating points."""

from frtaudit.report import phrases
from frtaudit.report.pieces import plain_text


def test_a_threshold_of_the_same_data_names_its_target() -> None:
    """``threshold 0.31, set at pooled FMR 1 % on these data``; one from a file keeps its source and its name."""
    at = {"threshold": 0.31, "source": "same_data", "name": "fmr=0.01"}
    assert plain_text(phrases.at_words(at, "/e")) == "threshold 0.31, set at pooled FMR 1 % on these data"
    other = at | {"source": "file", "name": "gate"}
    assert plain_text(phrases.at_words(other, "/e")) == "threshold 0.31, from a file, named gate"
