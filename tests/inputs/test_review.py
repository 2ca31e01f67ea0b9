"""Review files come back as they went out, or are refused in one line."""

from pathlib import Path

import pytest

from frtaudit.errors import DataError
from frtaudit.inputs.review import as_csv, pair_id, read_review

KNOWN = (pair_id("a", "b"), pair_id("a", "c"))
WORDS = ("same", "different")


def review_file(tmp_path: Path, *lines: tuple[str, str]) -> str:
    """A review file."""
    (tmp_path / "review.csv").write_bytes(as_csv(("pair", "verdict"), lines))
    return str(tmp_path / "review.csv")


def test_verdicts_are_read_and_empty_ones_left_out(tmp_path: Path) -> None:
    """A pair without a verdict is not reviewed."""
    path = review_file(tmp_path, (KNOWN[0], "same"), (KNOWN[1], ""))
    found = read_review(path, KNOWN, WORDS)
    assert found == {KNOWN[0]: "same"}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ((("0" * 16, "same"),), "^review.csv line 2: names a pair that was not selected for review"),
        (((KNOWN[0], "same"), (KNOWN[0], "same")), "^review.csv line 3: a pair appears twice"),
        (
            ((KNOWN[0], "maybe"),),
            "^review.csv line 2: found the verdict 'maybe'; accepted: same, different, or nothing$",
        ),
    ],
)
def test_what_cannot_be_read_is_one_line(
    tmp_path: Path, lines: tuple[tuple[str, str], ...], said: str
) -> None:
    """Unknown ids, pairs that appear twice and other verdicts name their line."""
    with pytest.raises(DataError, match=said):
        read_review(review_file(tmp_path, *lines), KNOWN, WORDS)
