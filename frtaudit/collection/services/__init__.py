"""Services under test: real requests and answers, one file each.

One plug-in per file; importing the package registers them.
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
