"""What Hydra and OmegaConf say, told as one line that names the place, what was found, what is accepted."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from hydra.errors import HydraException, OverrideParseException
from omegaconf.errors import InterpolationKeyError, OmegaConfBaseException

from frtaudit.config.choices import options
from frtaudit.config.guard import LANDS
from frtaudit.core.plain.structure import closest
from frtaudit.errors import FrtauditError, SpecError

# Hydra raises plain ValueErrors for some misuse of its own flags, and TypeErrors for a key in a list.
HYDRA_ERRORS = (HydraException, OmegaConfBaseException, TypeError, ValueError)

OWN_SCHEMA = "or one of your own: '+schemas.NAME={column: COLUMN}'"
_AVAILABLE = re.compile(r"Available options(?: in '[^']*')?:\n((?:\t[^\n]*\n?)+)")
_OPTION = re.compile(r"Could not (?:find|load) '([^']+)'")
_MUST = re.compile(r"You must specify '([^']+)'")
_TOO_LATE = re.compile(r"In '(audit/[^']+)': Could not override '(bootstrap|report)'")
_SEVERAL = re.compile(r"Ambiguous value for argument '([^']+)'")
_COULD_NOT = re.compile(r"Could not (?:override|delete|append to) (?:from )?(?:config\.? )?'?([^'\s.]+)'?")
_MERGED = re.compile(r"Cannot merge \w+ with \w+\s+full_key: ?(\S*)\s+object_type=(\w+)")
_TWICE = re.compile(
    r"Multiple values for (?P<a>\w+)|(?P<b>\w+) appears more than once in the final defaults list"
)
_NUMBER = "Config group override must be a string or a list"
_PRESET = re.compile(r"In '([^']+)'")
_INDEX = re.compile(r"\[(\d+)\]")
_INDEXED = re.compile(r"~?[\w.]+\[\d+\][\w.\[\]]*(?:=|$)")
_DELETED = re.compile(r"Could not delete from config\. '([^']+)' does not exist")
_IN_LIST = re.compile(
    r"list index out of range|Index '.*' \(\w+\) is not an int|list indices must be|literal for int\(\)"
)


def translated(error: Exception) -> FrtauditError:
    """The error that the user reads."""
    if isinstance(error, FrtauditError):
        return error
    if isinstance(error, OverrideParseException):
        return unreadable(str(error.override).lstrip("+"))
    if isinstance(error, InterpolationKeyError):
        return SpecError(error.full_key or "spec", _first(error.msg or str(error)), "a ${key} of the spec")
    return (
        _selection(str(error)) or _named(str(error)) or _shape(f"{error}\n{error.__cause__}") or _rest(error)
    )


@contextmanager
def translating() -> Iterator[None]:
    """An error of Hydra as the one that the user reads."""
    try:
        yield
    except HYDRA_ERRORS as error:
        raise translated(error) from error


def unreadable(word: str) -> SpecError:
    """The error for a word that Hydra's grammar has no reading of."""
    if _INDEXED.match(word):
        key, equals, value = word.partition("=")
        dotted = _INDEX.sub(r".\1", key) + equals + value
        whole = "a list given whole: requirements=[...]"
        return SpecError("command line", f"cannot read {word!r}", whole if word[0] == "~" else dotted)
    quoted = """key=value; other text in two pairs of quotes: 'key="Büro 18-35, (a)"', 'key=[a, "Büro"]'"""
    return SpecError("command line", f"cannot read {word!r}", quoted)


def _selection(text: str) -> SpecError | None:
    """What was said about presets that cannot be selected, if it was that."""
    if option := _OPTION.search(text):
        path = option[1]
        group, _, name = path.rpartition("/")
        known = [word.strip() for word in _available(text).split(",") if word.strip()]
        if not known and group in LANDS:
            known = list(options(group))
        extra = [OWN_SCHEMA] if group == "schema" else []
        return SpecError(
            group or "spec", f"no option is named {name!r}{closest(name, known)}", ", ".join([*known, *extra])
        )
    if must := _MUST.search(text):
        return SpecError(must[1], "nothing is selected", f"{must[1]}={_available(text) or 'a preset'}")
    if several := _SEVERAL.search(text):
        problem = f"several values in {several[1].lstrip('+')!r}"
        accepted = """one value, 'key="a, b"'; a list, [a,b]; or frtaudit run -m"""
        return SpecError("command line", problem, accepted)
    if late := _TOO_LATE.search(text):
        accepted = f"its fields, {late[2]}: ...; typed, {late[2]}=NAME"
        return SpecError(late[1], f"selects a {late[2]} preset", accepted)
    return None


def _named(text: str) -> SpecError | None:
    """What was said about a group that is selected twice, or by what is no name, if it was that."""
    if twice := _TWICE.search(text):
        group = twice["a"] or twice["b"]
        accepted = (
            f"- override /{group}: NAME among a file's defaults; {group}=NAME on the command line, without +"
        )
        return SpecError(group, "is selected twice", accepted)
    if _NUMBER in text:
        problem = "a preset's name that reads as a number or a truth value"
        return SpecError("command line", problem, """the name in two pairs of quotes: 'GROUP="1e3"'""")
    return None


def _shape(text: str) -> SpecError | None:
    """What was said about a list where keys and values stand, or the reverse, if it was that."""
    merged, preset = _MERGED.search(text), _PRESET.match(text)
    if merged and merged[1]:
        kinds = ("found a mapping", "a list") if merged[2] == "list" else ("found a list", "keys and values")
        return SpecError(merged[1], *kinds)
    if merged:
        problem = "a list where what it builds on has keys and values, or the reverse"
        place = preset[1] if preset else "spec"
        return SpecError(place, problem, "fields as frtaudit schema spec shows them")
    if _IN_LIST.search(text):
        known = (
            "a number that the list has: requirements.0.limit=0.2; a list is given whole: requirements=[...]"
        )
        return SpecError("spec", "a key or a number that a list does not have", known)
    return None


def _rest(error: Exception) -> SpecError:
    if "integer string conversion" in str(error):
        return SpecError("spec", "a whole number of more than 4300 digits", "at most 15 digits")
    if absent := _DELETED.search(str(error)):
        problem = f"cannot be deleted with '~{absent[1]}': no preset sets it"
        return SpecError(absent[1], problem, f"a value, {absent[1]}=VALUE; or no '~{absent[1]}'")
    key = _COULD_NOT.search(str(error))
    cause = f": {_first(str(error.__cause__))}" if error.__cause__ is not None else ""
    return SpecError(key[1] if key else "spec", f"{_first(str(error))}{cause}")


def _available(text: str) -> str:
    match = _AVAILABLE.search(text)
    return ", ".join(match[1].split()) if match else ""


def _first(text: str) -> str:
    return text.strip().split("\n")[0]
