"""SciPy, imported when a part of it is first asked for: a command that computes nothing does not load it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import scipy
else:

    class _Scipy:
        """Stands for the package."""

        def __getattr__(self, name: str) -> object:
            import scipy

            return getattr(scipy, name)

    scipy = _Scipy()

__all__ = ["scipy"]
