"""Legends by colour and by shape."""

import pytest

from frtaudit.report.figures import canvas, legends


def test_colours_and_shapes_are_legends_apart() -> None:
    """A colour key has its pen's hue and index, a shape key neither; names and drawings are all different."""
    colours = legends.colours("f", [(0, "acme"), (1, "bolt")])
    shapes = legends.shapes("f", ["amber", "birch"])
    assert [key.index for key in (*colours, *shapes)] == [0, 1, None, None]
    assert [key.name for key in (*colours, *shapes)] == ["acme", "bolt", "amber", "birch"]
    assert len({key.svg for key in (*colours, *shapes)}) == 4
    for key, hue in zip(colours, canvas.HUES, strict=False):
        assert hue in key.svg
    assert not any(hue in key.svg for key in shapes for hue in canvas.HUES)


def test_what_a_legend_samples_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same pen in another legend has its own ids and title, and is not drawn again."""
    first = canvas.swatch(5, "roc", "acme")
    monkeypatch.setattr(canvas, "Drawing", pytest.fail)
    second = canvas.swatch(5, "det", "bolt")
    assert second == first.replace("roc-", "det-").replace("acme", "bolt")
    assert "det-" in second
