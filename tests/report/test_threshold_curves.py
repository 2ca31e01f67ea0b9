"""What the page's script reads is what the result holds."""

import json
from dataclasses import replace

from report_fixture import result

from frtaudit.report import threshold_curves
from frtaudit.report.source import Source


def test_counts_at_a_threshold_are_the_curves() -> None:
    """Errors over trials of a system and group give the rates of the result's curves, at the thresholds kept."""
    base = result()
    found = json.loads(threshold_curves.embedded(Source(base)))
    assert found["error_counts"]
    for entry in found["error_counts"]:
        curves = [base.curves[int(at.rsplit("/", 1)[1])] for at in entry["at"]]
        for curve, errors, trials in zip(
            curves, (entry["fm"], entry["fnm"]), (entry["n"], entry["m"]), strict=True
        ):
            known = dict(zip((float(f"{x:.6g}") for x in curve.x), curve.y, strict=True))
            for threshold, error in zip(entry["t"], errors, strict=True):
                rate = error / trials if trials else error
                assert abs(rate - known[threshold]) <= 1e-5 * max(known[threshold], 1e-9)


def test_a_name_cannot_leave_the_data() -> None:
    """A system called after a closing tag stays text."""
    base = result()
    evil = "</script><script>alert(1)</script>"
    curves = tuple(replace(item, provider=evil) for item in base.curves)
    text = threshold_curves.embedded(Source(replace(base, curves=curves)))
    assert "<" not in text
    assert evil in json.loads(text)["error_counts"][0]["system"]


def test_what_is_embedded_is_bounded() -> None:
    """However many curves there are, at most some hundred thousand numbers are embedded."""
    base = result()
    long = tuple(
        replace(
            item, provider=f"s{n}", x=tuple(range(5000)), y=(0.5,) * 5000, low=None, high=None, replicates=()
        )
        for n in range(60)
        for item in base.curves
        if item.analysis in ("fmr", "fnmr", "det")
    )
    assert len(threshold_curves.embedded(Source(replace(base, curves=long)))) < 1_500_000
