"""What the first nodes of a graph say, read without the package that wrote it."""

from pathlib import Path

import pytest
from small_models import embedding_model

from frtaudit.collection.embed.graph import operations, scaling_of


@pytest.mark.parametrize(
    ("scaling", "found"),
    [
        ((), ()),
        (("Sub", "Mul"), ("Sub", "Mul")),
        (("Sub", "Div"), ("Sub", "Div")),
        (("Mul",), ()),
        (("Sub",), ()),
    ],
)
def test_a_graph_that_shifts_and_scales_its_input_is_seen(
    tmp_path: Path, scaling: tuple[str, ...], found: tuple[str, ...]
) -> None:
    """Both a shift and a scale before the first learnt node; one of them alone is no scaling of pixels."""
    data = embedding_model(tmp_path / "small.onnx", 4, scaling).read_bytes()
    assert scaling_of(data) == found
    assert list(operations(data)) == [*scaling, "Reshape", "MatMul"]


def test_what_is_no_graph_or_half_of_one_says_nothing_and_ends(tmp_path: Path) -> None:
    """Every beginning of a file, and bytes of none: no error, nothing invented beyond the nodes that are whole."""
    data = embedding_model(tmp_path / "small.onnx", 2, ("Sub", "Mul")).read_bytes()
    for length in range(0, len(data), 3):
        assert set(operations(data[:length])) <= {"Sub", "Mul", "Reshape", "MatMul"}
    for junk in (b"\xff" * 100, b"\x80" * 50, b"\x3a\xff\xff\xff\xff\x7f", b"not a model", bytes(range(256))):
        assert scaling_of(junk) == ()
