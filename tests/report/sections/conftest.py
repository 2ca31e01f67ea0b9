"""What tests of sections share: they read words and tables; figures are laid out and not drawn."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def undrawn(words_alone: None) -> None:
    """No figures, but where a test asks for them."""
