"""The list of people to search for: each once, with the columns that stand beside the name; errors tell lines only."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path

from frtaudit.errors import DataError, SpecError
from frtaudit.inputs.tables import Table, read_table

NAME, COUNTRY = "name", "country"
TEMPLATE = "{name} {country}"  # the default; of a list without countries the name alone
NEAR = 0.85  # of SequenceMatcher, over sorted words: one letter of a short name
_FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One line of the list.

    ``words``: what is searched for; ``name``: as it is compared, without case, accents and order; ``place``: file and
    line; ``columns``: all but the name.
    """

    words: str = field(repr=False)
    name: tuple[str, ...] = field(repr=False)
    place: str
    columns: Mapping[str, str]


def people_of(path: str, template: str, where: str = "source") -> list[Person]:
    r"""The people of a table with a column ``name``, in its order; ``template``: ``{name} {country}`` and the like.

    Raises :class:`DataError`, naming lines and never a name: an empty field of the template, the same person twice;
    :class:`SpecError` for a template of other fields.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "names.csv"
    >>> _ = path.write_text("name,country,group\nAda Lovelace,England,f\n")
    >>> [(one.place, one.columns) for one in people_of(str(path), "{name} {country}")]
    [('names.csv line 2', {'country': 'England', 'group': 'f'})]
    """
    table = read_table(Path(path), Path(path).name)
    table.need((NAME,))
    if template == TEMPLATE and COUNTRY not in table.columns:
        template = f"{{{NAME}}}"
    asked = _FIELD.findall(template)
    unknown = [field for field in asked if field not in table.columns]
    if unknown or NAME not in asked:
        text = f"no column {unknown[0]} in {table.name}" if unknown else "the name is not in it"
        raise SpecError(f"{where}.template", text, "{name} and other columns: " + ", ".join(table.columns))
    texts = {column: table.texts(column).tolist() for column in table.columns}
    people = [_person(table, row, texts, template, asked) for row in range(len(table.frame))]
    _check_each_once(people, table)
    return people


def _person(
    table: Table, row: int, texts: Mapping[str, Sequence[str]], template: str, asked: Sequence[str]
) -> Person:
    empty = [field for field in asked if not texts[field][row]]
    if empty:
        raise DataError(table.place(row), f"no {empty[0]}", "a value in each column of the template")
    return Person(
        words=_FIELD.sub(lambda match: texts[match[1]][row], template),
        name=_plain(texts[NAME][row]),
        place=table.place(row),
        columns={column: values[row] for column, values in texts.items() if column != NAME},
    )


def _plain(text: str) -> tuple[str, ...]:
    """Words without case, accents and marks, sorted."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(char for char in plain if not unicodedata.combining(char))
    return tuple(sorted(re.findall(r"\w+", bare)))


def _check_each_once(people: Sequence[Person], table: Table) -> None:
    seen: dict[tuple[str, ...], str] = {}
    for person in people:
        if not person.name:
            raise DataError(person.place, "a name without a letter", "a name")
        before = seen.setdefault(_plain(person.words), person.place)
        if before != person.place:
            line = before.removeprefix(f"{table.name} ")
            raise DataError(person.place, f"the person of {line} again", "each person once")


def near_people(people: Sequence[Person]) -> tuple[str, ...]:
    """A line for each two who may be one person written twice: all words of one are words of the other, or nearly.

    Knott et al., supplement A (identity consistency): their images would count as those of two people.
    """
    holders: dict[str, list[int]] = defaultdict(list)
    for index, person in enumerate(people):
        for word in set(person.name):
            holders[word].append(index)
    pairs = {pair for indices in holders.values() for pair in combinations(indices, 2)}
    return tuple(
        f"{people[second].place} is near {people[first].place}: one person written twice would count as two"
        for first, second in sorted(pairs)
        if _near(people[first].name, people[second].name)
    )


def _near(words: tuple[str, ...], other: tuple[str, ...]) -> bool:
    fewer, more = sorted((set(words), set(other)), key=len)
    if fewer <= more and (len(fewer) > 1 or len(more) == 1):
        return True
    match = SequenceMatcher(None, " ".join(words), " ".join(other), autojunk=False)
    return all(bound() >= NEAR for bound in (match.real_quick_ratio, match.quick_ratio, match.ratio))
