"""Two dates as an analysis: a spec with an earlier folder, what it estimates, what it refuses."""

from pathlib import Path

import numpy as np
import pytest
from two_collections import ASKED, EARLIER, LATERS, NOISE, Date, folder, result

from frtaudit.analyses import two_dates
from frtaudit.config.load import load_spec
from frtaudit.core import AuditResult, Estimate
from frtaudit.errors import DataError, SpecError
from frtaudit.labelling import dated
from frtaudit.pipeline.audit import audit
from frtaudit.stats.systems.multiplicity import holm


def of(found: AuditResult, metric: str, **at: object) -> list[Estimate]:
    """Estimates of a metric whose ``at`` holds this."""
    return [
        item
        for item in found.estimates
        if item.analysis == "two_dates"
        and item.metric == metric
        and all(item.at.get(key) == value for key, value in at.items())
    ]


def test_changes_are_later_minus_earlier() -> None:
    """Each change is the difference of the two rates beside it; the interval lies around it."""
    found = result("images")
    for item in of(found, "fnmr_change", threshold_of="own"):
        same = {key: item.at[key] for key in ("fmr", "labels")}
        before, after = (
            next(x for x in of(found, "fnmr_at_date", date=date, **same) if x.provider == item.provider)
            for date in ("earlier", "later")
        )
        assert np.isclose(item.value, after.value - before.value)
        (interval,) = item.intervals
        assert interval.low is None or interval.low <= item.value <= interval.high


def test_the_declared_tests_are_adjusted_by_holm() -> None:
    """Over services and targets under the labels that decide; a small p in the family is the planted change."""
    declared = of(result("images"), "fnmr_change", threshold_of="own", labels="joint")
    assert len(declared) == 3 * 2
    raw = [item.test.p for item in declared]
    assert [item.test.p_adjusted for item in declared] == list(holm(raw))
    assert {item.test.family for item in declared} == {6}
    shown = {item.provider for item in declared if item.test.differs}
    assert shown == {"crest"}
    assert all(item.test.detectable is None or 0 < item.test.detectable < 1 for item in declared)


def test_a_collection_against_itself_is_identical() -> None:
    """The same folder twice: no p, no interval, every score the same."""
    found = result("same")
    for item in of(found, "fnmr_change"):
        assert item.value == 0
        assert item.intervals == ()
        assert item.test.p is None
        assert str(item.note).startswith("identical by construction")
    assert {(item.numerator, item.value) for item in of(found, "scores_unchanged", pairs="all")} == {
        (3960, 1.0)
    }
    assert {item.value for item in of(found, "score_change_largest")} == {0.0}


def test_scores_that_moved_are_counted() -> None:
    """Of other noise no score is the same; what has less of it scores its mated pairs higher, and that is tested."""
    found = result("images")
    assert {item.numerator for item in of(found, "scores_unchanged", pairs="all")} == {0}
    (crest,) = [item for item in of(found, "score_change_mean", pairs="mated") if item.provider == "crest"]
    assert crest.value > 5
    assert crest.test.p == 1 / 200
    assert crest.intervals[0].low > 0


def test_of_few_queries_nothing_is_tested(tmp_path: Path) -> None:
    """At the earlier threshold and of the mean change as at the own: before, a true null was rejected in up to 32 %."""
    places = [
        folder(tmp_path / name, Date(queries=8, scoring=scoring))
        for name, scoring in (("one", 1), ("two", 2))
    ]
    report = audit(load_spec([*ASKED, f"cohort.earlier={places[0]}", f"cohort.root={places[1]}"]))
    changed = [*of(report.result, "fnmr_change"), *of(report.result, "score_change_mean")]
    assert {item.at.get("threshold_of") for item in changed} == {"own", "earlier", None}
    reasons = {item.test.note.partition(":")[0] for item in changed if item.value is not None}
    assert reasons == {"discordant", "queries with such pairs"}
    assert all(item.test.p is None for item in changed if item.value is not None)


def test_other_images_share_the_queries() -> None:
    """Each date its own labels, no score compared with another; notes say what was compared."""
    found = result("names", "analyses.two_dates.versions={bolt: ['2', '3']}")
    assert {item.at["labels"] for item in of(found, "fnmr_at_date")} == {"own"}
    assert of(found, "scores_unchanged") == []
    notes = [text for text in found.notes if text.startswith("two_dates")]
    assert notes == [
        "two_dates: the same names, other images: 360 and 360 faces of 30 queries; each date has its own labels",
        "two_dates: bolt: version 2, then 3",
    ]
    assert {name for name in found.digests["inputs"] if name.startswith("earlier/")} == {
        f"earlier/{name}.csv" for name in ("faces", *NOISE)
    }


def test_curves_have_bands_at_both_dates() -> None:
    """A curve for each service and date, FNMR over FMR that falls, within its band."""
    curves = [item for item in result("images").curves if item.analysis == "two_dates"]
    assert {(item.provider, item.group) for item in curves} == {
        (name, date) for name in NOISE for date in ("earlier", "later")
    }
    for item in curves:
        assert list(item.y) == sorted(item.y, reverse=True)
        assert all(low <= y <= high for low, y, high in zip(item.low, item.y, item.high, strict=True))


def test_a_service_of_one_date_is_said(tmp_path: Path) -> None:
    """It is audited as ever; the note says that it stands at one date only."""
    one, two = folder(tmp_path / "one", EARLIER), folder(tmp_path / "two", LATERS["same"])
    (one / "crest.csv").unlink()
    spec = load_spec(
        [
            *ASKED,
            f"cohort.root={two}",
            f"cohort.earlier={one}",
            "cohort.labels.services=[acme, bolt]",
            "cohort.labels.modes={}",
        ]
    )
    found = audit(spec).result
    assert "two_dates: crest stands at one date only" in found.notes
    assert {item.provider for item in of(found, "fnmr_change")} == {"acme", "bolt"}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ("cohort.earlier=null",),
            r"analyses.two_dates: one collection; accepted: cohort=queries with cohort.earlier",
        ),
        (("cohort.earlier=nowhere",), r"cohort.earlier: no folder 'nowhere'"),
        (("analyses.two_dates.dates=['a', 'a']",), r"both are 'a'"),
        (
            ("analyses.two_dates.versions={delta: ['1', '2']}",),
            r"'delta' is not at both dates; accepted: acme, bolt",
        ),
        (("bootstrap.B=99",), r"bootstrap.B: found 99; accepted: 119 or more for 6 tests"),
    ],
)
def test_what_cannot_be_compared_is_refused(words: tuple[str, ...], line: str) -> None:
    """One line: where, what was found, what would be accepted."""
    with pytest.raises((SpecError, DataError), match=line):
        result("same", *words)


def test_a_broken_earlier_folder_is_named(tmp_path: Path) -> None:
    """Its lines are told from those of the later one."""
    one, two = folder(tmp_path / "one", EARLIER), folder(tmp_path / "two", EARLIER)
    (one / "bolt.csv").write_text("probe,reference,score\na00000,nobody,1\n")
    with pytest.raises(DataError, match=r"^earlier: bolt.csv line 2: a face that the list of faces lacks"):
        audit(load_spec([*ASKED, f"cohort.root={two}", f"cohort.earlier={one}"]))


def test_the_metrics_that_are_read_from_the_source_are_those_that_are_made() -> None:
    """A spec is checked before the module is imported: its metrics stand there as texts."""
    made_here = (
        dated.AT_DATE,
        dated.CHANGE,
        dated.SAME_SCORES,
        dated.SCORE_CHANGE,
        dated.LARGEST,
        two_dates.FACES,
    )
    assert two_dates.TwoDates.metrics == made_here
