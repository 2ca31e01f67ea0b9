import subprocess
import sys

from frtaudit.report.figure_choice import EVERY_FIGURE, FORMATS, WIDTHS


def test_the_default_is_every_figure_in_a_columns_width() -> None:
    """Nothing is chosen, nothing is limited."""
    assert EVERY_FIGURE.width == WIDTHS["column"]
    assert (EVERY_FIGURE.names, EVERY_FIGURE.systems, EVERY_FIGURE.x, EVERY_FIGURE.shared) == (
        (),
        (),
        None,
        False,
    )


def test_choosing_draws_nothing() -> None:
    """The command reads formats and widths without the library that draws."""
    code = "import sys, frtaudit.report.figure_choice; sys.exit('matplotlib.figure' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert FORMATS == ("svg", "pdf", "png")
