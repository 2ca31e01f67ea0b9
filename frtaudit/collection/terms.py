"""What to read before images of people are sent to a service: its terms, who is admitted, laws of biometric data.

Excerpts in own words, with the address and how they were read (``templates/terms.toml``); no legal advice.
"""

import tomllib
from collections.abc import Iterable, Mapping

from frtaudit.core.machine.resources import shipped


def notes_of(types: Mapping[str, str]) -> tuple[str, ...]:
    """A line for each note on services, given by name and type, and on laws where images leave this machine.

    >>> notes_of({"here": "dlib"})
    ()
    """
    notes = tomllib.loads((shipped("templates") / "terms.toml").read_text(encoding="utf-8"))
    known = notes["services"]
    terms = {name: known[kind] for name, kind in sorted(types.items()) if kind in known}
    if not terms:
        return ()
    lines = [f"{name}: {line}" for name, of_service in terms.items() for line in _lines(of_service)]
    return ("terms and law, no legal advice:", *lines, *_lines(notes["laws"]))


def _lines(notes: Iterable[Mapping[str, str]]) -> list[str]:
    return [f"{note['text']} ({note['address']}; {note['read']})" for note in notes]
