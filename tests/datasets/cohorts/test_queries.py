from pathlib import Path

import numpy as np
import pytest
from searches import SCHEMAS, labelling, search, stored_search

from frtaudit.datasets.cohorts.queries import Queries
from frtaudit.errors import DataError, SpecError
from frtaudit.labelling.settings import Between


def test_files_give_what_was_written(tmp_path: Path) -> None:
    """The same faces, services and labels as in memory; scores to nine digits."""
    found = Queries(root=str(stored_search(tmp_path))).load(SCHEMAS, 1)
    again = found.labelling
    assert again is not None
    assert again.faces.names == labelling().faces.names
    assert again.labelled.label.tolist() == labelling().labelled.label.tolist()
    assert found.cohort.subject_of.tolist() == search().cohort.subject_of.tolist()
    assert set(found.inputs) == {"faces.csv", "acme.csv", "bolt.csv", "crest.csv"}
    assert np.allclose(found.tables["acme"][1].score, search().tables["acme"][1].score, equal_nan=True)


def test_a_folder_without_lists_is_refused(tmp_path: Path) -> None:
    """No folder, no faces, no scores: one line each."""
    with pytest.raises(DataError, match="no folder"):
        Queries(root=str(tmp_path / "no")).load({}, 1)
    with pytest.raises(DataError, match="no score list"):
        Queries(root=str(tmp_path)).load({}, 1)
    (tmp_path / "a.csv").write_text("probe,reference,score\n")
    with pytest.raises(DataError, match=r"faces.csv: no file"):
        Queries(root=str(tmp_path)).load({}, 1)


def test_a_list_by_another_ending_is_named_as_unread(tmp_path: Path) -> None:
    """A .txt beside the score lists is no service; where the lists are named, nothing is looked for."""
    root = stored_search(tmp_path)
    (root / "~$acme.csv").write_bytes(b"junk")
    (root / "dusk.txt").write_text("probe,reference,score\n")
    assert Queries(root=str(root)).load(SCHEMAS, 1).unread == ("dusk.txt",)
    assert Queries(root=str(root), files=("acme.csv", "bolt.csv")).load(SCHEMAS, 1).unread == ()


def test_pairs_between_queries_can_be_drawn_within_a_group(tmp_path: Path) -> None:
    """As many as within queries, of one group, the same for one seed; the exclusions count those left out."""
    root = str(stored_search(tmp_path))
    half = Queries(root=root, between=Between.MATCHED, group="group").load(SCHEMAS, 1)
    again = Queries(root=root, between=Between.MATCHED, group="group").load(SCHEMAS, 1)
    assert half.labelling is not None
    one = half.labelling.services[0]
    query = half.labelling.faces.query_of
    apart = query[one.first] != query[one.second]
    assert 0 < np.count_nonzero(apart) <= np.count_nonzero(~apart)
    assert again.labelling is not None
    assert again.labelling.services[0].first.tolist() == one.first.tolist()
    with pytest.raises(SpecError, match=r"cohort.group: no column 'tribe' in faces.csv; accepted: "):
        Queries(root=root, between=Between.ALL, group="tribe").load(SCHEMAS, 1)
    with pytest.raises(
        SpecError, match=r"cohort.group: 'group' with between=listed; accepted: between=matched"
    ):
        Queries(root=root, group="group")
