import numpy as np
import pytest
from searches import SCHEMAS, labelling, search

from frtaudit.core.spec_values import LabelSource, Limits
from frtaudit.errors import DataError, SpecError
from frtaudit.labelling.enrolment import labelled_cohort
from frtaudit.labelling.settings import How, Several


def test_a_query_s_person_is_a_subject() -> None:
    """Faces of label 1 are the samples, their query the subject; everything else is counted."""
    found, cohort = labelling(), search().cohort
    assert cohort.n_samples == np.count_nonzero(found.labelled.label == 1)
    assert set(cohort.subject_ids) <= set(found.faces.queries)
    counts = {entry.code: entry.count for entry in cohort.ledger}
    assert counts["face_of_somebody_else"] == np.count_nonzero(found.labelled.label == 0)
    without = [count for code, count in counts.items() if code.startswith("face_without_label_")]
    assert sum(without) == np.count_nonzero(found.labelled.label == -1)
    assert len(without) == 2
    assert counts["query_left_out_several"] == found.labelled.reason.count("several")


def test_comparisons_are_of_faces_with_labels() -> None:
    """Mated within a query's person, non-mated between queries, one score each."""
    comparisons, table = search().tables["crest"]
    subject = search().cohort.subject_of
    assert (comparisons.mated == (subject[comparisons.probe] == subject[comparisons.reference])).all()
    assert table.score.size == comparisons.probe.size
    assert comparisons.mated.any()
    assert not comparisons.mated.all()


def test_two_people_of_one_query_are_not_compared() -> None:
    """What parts them is the score that would be judged."""
    cohort_data = search(several=Several.USE)
    names = [name for name in cohort_data.cohort.subject_ids if "/" in name]
    assert names
    comparisons, _ = cohort_data.tables["acme"]
    query = np.array([name.split("/")[0] for name in cohort_data.cohort.subject_ids])
    a, b = (cohort_data.cohort.subject_of[side] for side in (comparisons.probe, comparisons.reference))
    assert not ((a != b) & (query[a] == query[b])).any()
    assert "identities_of_one_query" in {entry.code for entry in cohort_data.cohort.ledger}


def test_annotated_labels_make_the_cohort_where_asked() -> None:
    """Every face that was said to be of its query, and no other; combined takes the answer where there is one."""
    for source in (LabelSource.ANNOTATED, LabelSource.COMBINED):
        cohort_data = search(source)
        assert cohort_data.cohort.n_samples == np.count_nonzero(labelling().faces.annotated == 1)


def test_labels_that_are_not_there_are_refused() -> None:
    """No annotation to use, or no query that can be told: one line each."""
    found = labelling()
    columns = {"group": np.full(len(found.faces.names), "amber", dtype=object)}
    from dataclasses import replace

    blank = replace(found.faces, annotated=np.full(len(found.faces.names), -2, dtype=np.int8))
    with pytest.raises(SpecError, match="cohort.labels: annotated without an annotation"):
        labelled_cohort(blank, found.services, columns, How(source=LabelSource.ANNOTATED), SCHEMAS)
    with pytest.raises(DataError, match=f"faces: 0 of {len(found.faces.queries)} queries show a person"):
        labelled_cohort(found.faces, found.services, columns, How(limits=Limits(min_faces=999)), SCHEMAS)


def test_answers_and_several_people_of_a_query_are_not_mixed() -> None:
    """An answer says that a face shows the query's person, not which of two people that is: one line refuses both."""
    with pytest.raises(
        SpecError, match="cohort.labels.several: use with answers, .* accepted: several=drop, or"
    ):
        search(LabelSource.COMBINED, Several.USE)
