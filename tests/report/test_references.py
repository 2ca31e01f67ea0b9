"""References of a report: only what was used, every name that they give is one of the toolkit's."""

from small_audits import whole

from frtaudit.config.plugins import load_plugins
from frtaudit.core.methods import Method
from frtaudit.core.metrics import METRICS
from frtaudit.core.registry import names
from frtaudit.report.references import citations, known, references_of


def test_every_use_is_known() -> None:
    """Methods, metrics and analyses that a reference describes exist under that name."""
    load_plugins()
    exist = {
        "methods": {method.value for method in Method},
        "metrics": set(METRICS),
        "analyses": set(names("analysis")),
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
    assert citations("max_t") == ""
