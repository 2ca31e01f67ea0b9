"""Where the files that ship beside the code are: in the wheel inside the package, in a checkout at the top level."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]


def shipped(name: str) -> Path:
    """The folder ``name`` (``conf``, ``templates``) of the installed wheel, else of the checkout.

    >>> shipped("templates").name
    'templates'
    """
    for place in (_PACKAGE / name, _PACKAGE.parent / name):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"{name} is neither in the package nor in the checkout")
