"""Terms of the report in the field's words."""

from collections.abc import Mapping

from frtaudit.report.section import section
from frtaudit.report.source import Source
from frtaudit.report.words import words


@section("glossary", "Glossary", after="coverage", annex=True)
def build(_: Source) -> tuple[Mapping[str, str], ...]:
    """Every term."""
    return words().glossary
