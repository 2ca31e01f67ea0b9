"""What these tests share: reports of runs are made once and without figures (tests/conftest.py)."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def once(reports_made_once: object) -> None:
    """No second process, but where a test asks for it."""


@pytest.fixture(scope="module", autouse=True)
def undrawn(words_alone: None) -> None:
    """No figures, but where a test asks for them."""
