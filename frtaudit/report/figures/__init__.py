"""The figures: each function draws from values and returns inline SVG."""

from frtaudit.core.machine.children import no_settings_of_the_folder

with no_settings_of_the_folder():
    import matplotlib as mpl  # noqa: F401  before any module here does
