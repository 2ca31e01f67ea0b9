import numpy as np
from rapid_audits import result

from frtaudit.report.figures import label_matrices
from frtaudit.report.figures.curves import Series


def series(kind: str) -> Series:
    """The first curve of a kind."""
    curve = next(item for item in result().curves if item.analysis == kind)
    return Series(name="used", index=0, curve=curve)


def test_a_matrix_is_drawn_without_a_bitmap() -> None:
    """Vector cells, nothing to load; beside them z, eigenvectors and how many faces have each label."""
    z, vectors = series("confidence_matrix"), series("confidence_vectors")
    found = label_matrices.matrix("cells", "One query", z)
    assert "<image" not in found.svg
    assert "faces with each other" in found.alt
    words = label_matrices.eigenvectors("vectors", "One query", z, vectors).alt
    count = vectors.curve.y.count(1.0)
    assert "1 eigenvectors" in words
    assert f"{count} of the query's person" in words


def test_the_shades_of_a_matrix_cover_each_cell_once() -> None:
    """A path a shade; filled in again, its rectangles are the matrix in sixteenths."""
    rows = np.random.default_rng(4).beta(0.4, 0.4, (9, 9))
    painted = np.zeros_like(rows)
    for level, cells in label_matrices._shaded(rows):
        for corners in cells.vertices.reshape(-1, 5, 2):
            (left, top), (right, bottom) = corners.min(axis=0).astype(int), corners.max(axis=0).astype(int)
            painted[top:bottom, left:right] += level
    assert painted.tolist() == (np.round(16 * rows) / 16).tolist()
