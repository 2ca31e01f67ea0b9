"""What tests of sections share: they read words and tables; figures are laid out and not drawn."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def words_alone(request: pytest.FixtureRequest) -> Iterator[None]:
    """No ink in a module, unless it says ``DRAWN = True``."""
    if getattr(request.module, "DRAWN", False):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("frtaudit.report.figures.canvas._written", lambda *_: "<svg><title></title></svg>")
        yield
