"""The words of a command that make schemas of a table's columns."""

import re
from collections.abc import Collection, Mapping, Sequence
from shlex import quote

from frtaudit.core.text.quoting import listed
from frtaudit.inputs.importing.image_table import Numbers, groups_among, numbers_among


def schema_words(
    columns: Mapping[str, Sequence[str]], subjects: Sequence[str], shipped: Mapping[str, Collection[str]]
) -> list[str]:
    """Overrides, as typed in a shell, for the columns with classes of people or many numbers.

    ``shipped``: the classes of each shipped schema, which has the name of its column. A column whose name or classes
    a spec could only hold with further quotes is left out.

    >>> people = ["a", "b", "c"]
    >>> schema_words({"gender": ["f", "m", "f"], "site": ["x", "y", "z"]}, people, {"gender": ["f", "m"]})
    ['schema=gender', "'+schemas.site={column: site, classes: [x, y, z]}'"]
    """
    place = {name: number for number, name in enumerate(columns, 1)}
    classes = {name: sorted({*columns[name]} - {""}) for name in groups_among(columns, subjects)}
    ready = [name for name, labels in classes.items() if set(labels) <= set(shipped.get(name, ()))]
    chosen = ready[0] if len(ready) == 1 else f"[{','.join(ready)}]"
    words = [quote(f"schema={chosen}")] if ready else []
    words += [
        _word(name, place[name], "classes", listed(labels))
        for name, labels in classes.items()
        if name not in ready
    ]
    words += [
        bins_word(name, place[name], numbers) for name, numbers in numbers_among(columns, subjects).items()
    ]
    return [word for word in words if word]


def bins_word(name: str, place: int, numbers: Numbers) -> str:
    r"""Two groups of a column of numbers, an age: below the middle of their range, and from it on; as above.

    ``place``: of the column among the others, from 1. A person whose numbers lie on both sides is of the group of most
    of the images.

    >>> bins_word("age", 1, Numbers(low=20, high=60, one=True))
    "'+schemas.age={column: age, bins: {edges: [40]}}'"
    >>> bins_word("age in years", 2, Numbers(low=20, high=60, one=False))
    '\'+schemas.age_in_years={column: "age in years", bins: {edges: [40]}, conflicts: majority}\''
    """
    conflicts = "" if numbers.one else ", conflicts: majority"
    return _word(name, place, "bins", f"{{edges: [{(numbers.low + numbers.high) / 2:.0f}]}}{conflicts}")


def _word(name: str, place: int, kind: str, text: str) -> str:
    """A schema of a column, called as the column is; empty where a spec cannot hold the column or what is ``text``.

    A name that cannot be a key of the command line, which is ASCII, is ``schema_N`` by the place of the column.
    """
    key, column = re.sub(r"\W+", "_", name).strip("_"), listed([name])[1:-1]
    if not (name.strip() and column and text):
        return ""
    key = key if key.isidentifier() and key.isascii() else f"schema_{place}"
    return quote(f"+schemas.{key}={{column: {column}, {kind}: {text}}}")
