"""Of what a service was asked and failed on, whoever has a label; and that no order of lines moves a number."""

import csv
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import searches
from rapid_audits import made
from searches import SCHEMAS, SEARCH, SERVICES
from web_search import write

from frtaudit.analyses.error_rates import ErrorRates
from frtaudit.analyses.failures import Failures
from frtaudit.analyses.identity_labels import IdentityLabels
from frtaudit.core import AuditResult, CohortData
from frtaudit.core.cohort import Classification
from frtaudit.core.labelling import Labelling
from frtaudit.core.spec import Bins, Bootstrap, SchemaSpec
from frtaudit.datasets.cohorts.queries import Queries
from frtaudit.labelling.settings import Between
from frtaudit.labelling.tried import by_code, query_classes, tried
from frtaudit.pipeline.audit import audit

GROUPS = (("group", "amber"), ("group", "birch"))
FAILS = {**SERVICES, "crest": replace(SERVICES["crest"], failure_rate=0.3)}


@cache
def search() -> CohortData:
    """Ten names, all pairs, of which one service fails on three faces in ten."""
    found = replace(SEARCH, queries=10, faces=(16, 20), twins=0.1, between=Between.ALL, services=FAILS)
    return found.load(SCHEMAS, 3)


def labelling() -> Labelling:
    """The identities there."""
    found = search().labelling
    assert found is not None
    return found


def folder(root: Path, *, swapped: bool) -> Path:
    """The search as files; or with half of the lines' two faces swapped, and the lines in another order."""
    of = labelling()
    half = len(of.faces.queries) // 2
    classes = ["amber"] * half + ["birch"] * (len(of.faces.queries) - half)
    write(root, of.faces, of.services, classes, annotated=True)
    rng = np.random.default_rng(7)
    for path in sorted(root.glob("*.csv")) if swapped else ():
        header, *rows = csv.reader(path.read_text().splitlines())
        if path.name != "faces.csv":
            one, two = header.index("probe"), header.index("reference")
            for row in rows:
                if rng.random() < 0.5:
                    row[one], row[two] = row[two], row[one]
        rng.shuffle(rows)
        with path.open("w", newline="") as stream:
            csv.writer(stream).writerows([header, *rows])
    return root


def audited(root: Path) -> AuditResult:
    """Rates, labels and failures of a folder."""
    analyses = {
        "error_rates": ErrorRates(curve_points=3),
        "identity_labels": IdentityLabels(subsets=False),
        "failures": Failures(),
    }
    return audit(made(cohort=Queries(root=str(root)), analyses=analyses, bootstrap=Bootstrap(B=39))).result


def test_no_order_of_lines_or_of_faces_in_them_moves_an_estimate(tmp_path: Path) -> None:
    """All pairs, two classes, a service that fails: estimates, curves, ledger and notes are the same."""
    one, two = (audited(folder(tmp_path / name, swapped=name == "b")) for name in ("a", "b"))
    assert any(item.group == "birch" and item.metric == "eer_by_labels" for item in one.estimates)
    assert any(item.group == "birch" and item.metric == "fta" and item.value for item in one.estimates)
    assert one.estimates == two.estimates
    assert one.curves == two.curves
    assert one.failures == two.failures
    assert one.notes == two.notes


def test_a_service_s_failures_count_also_for_faces_left_out() -> None:
    """Three faces in ten: half of its comparisons failed, counted one by one; a group's are of both its queries."""
    of = labelling()
    failed, asked = tried(of, "crest", GROUPS)
    service = next(one for one in of.services if one.name == "crest")
    use = (of.sample_of >= 0) | of.left_out
    count = np.zeros((3, 2), dtype=np.int64)
    for first, second, code in zip(service.first, service.second, service.failure, strict=True):
        if not (use[first] and use[second]):
            continue
        own = [of.classes["group"][of.faces.query_of[face]] for face in (first, second)]
        for group_index, name in enumerate([None, "amber", "birch"]):
            if name is None or own == [name, name]:
                count[group_index] += [code >= 0, 1]
    assert failed.sum(axis=1).tolist() == count[:, 0].tolist()
    assert asked.sum(axis=1).tolist() == count[:, 1].tolist()
    assert 0.4 < count[0, 0] / count[0, 1] < 0.8
    told = {group_index: number for _, group_index, number in by_code(of, "crest", GROUPS)}
    assert told == {group_index: number for group_index, number in enumerate(count[:, 0].tolist()) if number}


def test_a_query_without_a_person_has_the_class_of_its_text() -> None:
    """Left out or not, what its faces say decides, as people of that text have one class; other texts: unknown."""
    of = searches.labelling()
    assert of.labelled.reason.count("") < 22
    half = len(of.faces.queries) // 2
    assert of.classes["group"] == ("amber",) * half + ("birch",) * half
    cohort_data = searches.search()
    texts = np.array([of.classes["group"][q] for q in of.faces.query_of], dtype=object)
    lost = of.labelled.reason.index("several")
    texts[of.faces.query_of == lost] = "teal"
    again = query_classes(of.faces, {"group": texts}, SCHEMAS, cohort_data.cohort, of.sample_of)
    assert [q for q, name in enumerate(again["group"]) if name == "unknown"] == [lost]


def test_a_query_without_a_person_has_the_class_of_its_bin() -> None:
    """An age that no person of the cohort has, between the edges of people that it does have."""
    of = searches.labelling()
    schemas = {"age": SchemaSpec(column="age", bins=Bins(edges=(40.0,)))}
    lost = of.labelled.reason.index("several")
    ages = np.array([f"{20 + q}" if q != lost else "39.5" for q in of.faces.query_of], dtype=object)
    known = of.sample_of >= 0
    person = np.unique(of.faces.query_of[known])
    subjects = searches.search().cohort
    code = np.zeros(subjects.n_subjects, dtype=np.int16)
    code[subjects.subject_of[of.sample_of[known]]] = of.faces.query_of[known] >= 20
    age = Classification(name="age", classes=("<40", ">=40"), labels=("<40", ">=40"), codes=code)
    cohort = replace(subjects, classifications={"age": age})
    found = query_classes(of.faces, {"age": ages}, schemas, cohort, of.sample_of)["age"]
    assert lost not in person
    assert [name == ">=40" for name in found] == [q >= 20 and q != lost for q in range(len(found))]
