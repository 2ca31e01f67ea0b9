"""Legends by colour and by shape."""

from frtaudit.report import canvas, label_keys


def test_colours_and_shapes_are_legends_apart() -> None:
    """A colour key has its pen's hue and index, a shape key neither; names and drawings are all different."""
    colours = label_keys.colours("f", ["acme", "bolt"])
    shapes = label_keys.shapes("f", ["amber", "birch"])
    assert [key.index for key in (*colours, *shapes)] == [0, 1, None, None]
    assert [key.name for key in (*colours, *shapes)] == ["acme", "bolt", "amber", "birch"]
    assert len({key.svg for key in (*colours, *shapes)}) == 4
    for key, hue in zip(colours, canvas.HUES, strict=False):
        assert hue in key.svg
    assert not any(hue in key.svg for key in shapes for hue in canvas.HUES)
