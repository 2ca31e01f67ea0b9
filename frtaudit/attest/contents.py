"""What the signed files say, beside who signed them: the result follows its schema, page and PDF print its numbers."""

import json
from collections.abc import Iterator

from frtaudit.attest.printed import Page, Printed, in_pdf, on_page
from frtaudit.attest.verification import Check, invalid, note, ok
from frtaudit.canonical import Json
from frtaudit.result_schema import result_schema


def against_schema(value: Json) -> str | None:
    """Where and why a result departs from its JSON Schema; None if it follows it.

    Its spec is held against its digest, not against a schema: a plug-in may be unknown where the report is read.
    """
    from jsonschema import Draft202012Validator

    schema = result_schema({"type": "object"})
    found = next(Draft202012Validator(schema).iter_errors(value), None)
    if found is None:
        return None
    return f"/{'/'.join(str(step) for step in found.absolute_path)} {found.message[:80]}"


def printed_numbers(result: bytes, page: bytes, pdf: bytes | None, names: tuple[str, str]) -> Iterator[Check]:
    """Checks that page and PDF (called ``names``) print the numbers of the result. Files that break a parser fail."""
    try:
        content, read = json.loads(result), Page(page.decode())
        if not read.traced:
            yield note(names[0], "prints no value with its place in the result: nothing to compare")
            return
        yield _check(names[0], on_page(read, content), "printed values are those of the result")
        if pdf is not None:
            yield _check(names[1], in_pdf(pdf, read), "lines with numbers stand in the PDF as on the page")
    except Exception as error:  # noqa: BLE001  forged files may raise anything; all of it means invalid
        yield invalid(names[0], f"page or PDF cannot be read ({type(error).__name__})")


def _check(name: str, found: Printed, words: str) -> Check:
    return invalid(name, found.said()) if found.wrong else ok(name, f"{found.compared} {words}")
