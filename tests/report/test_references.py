"""References of a report: only what was used, every name that they give is one of the toolkit's."""

from dataclasses import replace

from small_audits import whole
from vendor_audits import result as of_vendors

from frtaudit.config.plugins import load_plugins
from frtaudit.core.methods import Method
from frtaudit.core.metrics import METRICS
from frtaudit.core.registry import names
from frtaudit.report.references import Citations, citations, known, references_of


def test_every_use_is_known() -> None:
    """Methods, metrics and analyses that a reference describes exist under that name."""
    load_plugins()
    exist = {
        "methods": {method.value for method in Method},
        "metrics": set(METRICS),
        "analyses": set(names("analysis")),
        "adjusted": set(names("analysis")),
        "findings": {"holm"},
    }
    for item in known():
        assert item.used_by, item.key
        for kind, used in item.used_by.items():
            assert set(used) <= exist[kind], (item.key, kind)


def test_only_what_was_used_is_listed() -> None:
    """An audit of known subjects lists Wilson and the similarity ROC's authors, not the rapid test's."""
    keys = [item.key for item in references_of(whole().result)]
    assert {"wilson1927", "conti2024", "pena2022"} <= set(keys)
    assert "knott2025" not in keys
    authors = [item.fields["author"] for item in references_of(whole().result)]
    assert authors == sorted(authors, key=str.casefold)
    assert any(author[0].islower() for author in authors)


def test_a_comparison_names_its_intervals_and_its_tests_of_equivalence() -> None:
    """Simultaneous intervals and two one-sided tests have their publications, without a margin only the former."""
    known_keys = {"hothorn2008", "schuirmann1987"}
    result = of_vendors()
    assert known_keys <= {reference.key for reference in references_of(result)}
    without = tuple(item for item in result.estimates if item.metric != "vendor_equivalence")
    keys = {reference.key for reference in references_of(replace(result, estimates=without))}
    assert keys & known_keys == {"hothorn2008"}
    assert citations("max_t") == "Hothorn et al. 2008"


def test_a_reference_is_a_line_and_an_entry() -> None:
    """A reference in print has authors, year, title and place; in BibTeX its special characters are escaped."""
    (item,) = [item for item in known() if item.key == "conti2024"]
    assert item.text() == (
        "Conti, Jean-Rémy; Clémençon, Stéphan (2024). Assessing Uncertainty in Similarity Scoring: Performance & "
        "Fairness in Face Recognition. International Conference on Learning Representations, arXiv:2211.07245."
    )
    assert item.bibtex().startswith("@inproceedings{conti2024,\n  author = {Conti, Jean-Rémy and ")
    assert r"Performance \& Fairness" in item.bibtex()
    assert citations("recentered") == "Conti and Clémençon 2024"
    assert citations("dyadic") == ""


def test_a_section_names_what_no_section_before_it_named() -> None:
    """Interval, metric and curve each bring their own; what is folded is named apart, and listed as of the annex."""
    result = whole().result
    place, wilson = next(
        (f"/estimates/{n}/intervals/{k}/low", f"/estimates/{n}/value")
        for n, estimate in enumerate(result.estimates)
        for k, interval in enumerate(estimate.intervals)
        if interval.method is Method.WILSON and estimate.analysis == "error_rates"
    )
    curve = next(n for n, curve in enumerate(result.curves) if curve.method is Method.RECENTERED)
    index = next(n for n, estimate in enumerate(result.estimates) if estimate.metric == "gini")
    page = Citations(result)
    assert page.new(f'<b data-p="{wilson}">1</b>') == ""
    folded = f'<!--annex--><b data-p="/estimates/{index}/value">1</b><!--/annex-->'
    both = f'<b data-p="{place}">1</b>{folded}'
    assert page.new(both) == "Clopper and Pearson 1934; Fogliato et al. 2024; Wilson 1927"
    assert page.new(both, folded=True) == "Conti and Clémençon 2024"
    listed = {line.split(",")[0] for line in page.listed()}
    assert {"Wilson", "Holm"} <= listed
    assert "Conti" not in listed
    assert page.new(f'<g data-c="/curves/{curve}"></g>{both}') == "Conti and Clémençon 2024"
    rest = {line.split(",")[0] for line in page.listed(annex=True)}
    assert "Conti" in rest
    assert not rest & listed
    assert page.listed(annex=True) == []
