import csv
from dataclasses import replace

import numpy as np
from rapid_audits import whole
from searches import labelling, search

from frtaudit.core.canonical import pseudonym, sha256
from frtaudit.labelling.table import label_table

KEY = search().pseudonym_key


def rows() -> list[dict[str, str]]:
    """The table of the shared search."""
    return list(csv.DictReader(label_table(labelling(), KEY).decode().splitlines()))


def test_every_face_has_a_line_with_its_label_and_z() -> None:
    """Labels, z of each service and their median, the reason of its query; no name of a face or of a query."""
    of, found = labelling(), rows()
    assert [int(row["label"]) for row in found] == of.labelled.label.tolist()
    for place, name in enumerate(of.labelled.modes):
        z = [float(row[f"z_{name}"] or "nan") for row in found]
        assert np.allclose(z, of.labelled.z[:, place], atol=1e-6, equal_nan=True)
    median = [float(row["z"] or "nan") for row in found]
    assert np.allclose(median, np.median(of.labelled.z, axis=1), atol=1e-6, equal_nan=True)
    assert [row["left_out"] for row in found] == [of.labelled.reason[q] for q in of.faces.query_of]
    assert [row["face"] for row in found] == [pseudonym(KEY, name) for name in of.faces.names]
    text = label_table(of, KEY).decode()
    assert of.faces.names[0] not in text
    assert of.faces.queries[0] not in text


def test_an_audit_names_the_table_by_its_digest() -> None:
    """It stands below lists/, and its digest in the result."""
    data = whole().files["identity_labels/labels.csv"]
    assert whole().result.digests["outputs"]["identity_labels/labels.csv"] == sha256(data)
    faces = next(item.denominator for item in whole().result.estimates if item.metric == "label_faces")
    assert len(data.decode().splitlines()) == 1 + faces


def test_no_zero_has_a_sign() -> None:
    """Whether a z just beside 0 lies below it depends on the processor: the bytes do not."""
    of = labelling()
    small = replace(of, labelled=replace(of.labelled, z=np.full_like(of.labelled.z, -1e-9)))
    assert "-0" not in label_table(small, KEY).decode().split("\n", 1)[1]
