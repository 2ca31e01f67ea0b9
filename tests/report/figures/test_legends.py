"""Legends by colour and by shape."""

from frtaudit.report.figures import canvas, legends


def test_colours_and_shapes_are_legends_apart() -> None:
    """A colour key has its pen's hue and index, a shape key neither; names and drawings are all different."""
    colours = legends.colours("f", ["acme", "bolt"])
    shapes = legends.shapes("f", ["amber", "birch"])
    assert [key.index for key in (*colours, *shapes)] == [0, 1, None, None]
    assert [key.name for key in (*colours, *shapes)] == ["acme", "bolt", "amber", "birch"]
    assert len({key.svg for key in (*colours, *shapes)}) == 4
    for key, hue in zip(colours, canvas.HUES, strict=False):
        assert hue in key.svg
    assert not any(hue in key.svg for key in shapes for hue in canvas.HUES)
