"""Everything that a spec can name: importing these packages registers it."""

from importlib import import_module

from frtaudit.core.registry import load_entry_points

PACKAGES = (
    "analyses",
    "collection.services",
    "collection.sources",
    "datasets.cohorts",
    "datasets.protocols",
    "datasets.providers",
    "report.exports",
)


def load_plugins() -> None:
    """Register the plug-ins of the house and of other wheels; doing it again changes nothing."""
    for package in PACKAGES:
        import_module(f"frtaudit.{package}")
    load_entry_points()
