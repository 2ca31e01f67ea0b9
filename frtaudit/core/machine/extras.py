"""Packages that a core install does without: one line that says which and how to get it."""

from importlib.util import find_spec

from frtaudit.errors import ProviderError


def need(extra: str, *packages: str, where: str = "source") -> None:
    """Raise :class:`ProviderError` where one of ``packages`` cannot be imported.

    >>> need("collect", "no_such_package")
    Traceback (most recent call last):
    frtaudit.errors.ProviderError: source: no_such_package is not installed; accepted: pip install 'frtaudit[collect]'
    """
    for package in packages:
        if find_spec(package) is None:
            raise ProviderError(where, f"{package} is not installed", f"pip install 'frtaudit[{extra}]'")
