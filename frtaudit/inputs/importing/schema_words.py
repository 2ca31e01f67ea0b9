"""The words of a command that make schemas of a table's columns."""

from collections.abc import Collection, Mapping, Sequence
from shlex import quote

from frtaudit.core.quoting import listed
from frtaudit.inputs.importing.image_table import groups_among, numbers_among


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
    classes = {name: sorted({*columns[name]} - {""}) for name in groups_among(columns, subjects)}
    ready = [name for name, own in classes.items() if set(own) <= set(shipped.get(name, ()))]
    chosen = ready[0] if len(ready) == 1 else f"[{','.join(ready)}]"
    words = [quote(f"schema={chosen}")] if ready else []
    for name, own in classes.items():
        texts = listed(own)
        if name not in ready and name.isidentifier() and texts:
            words.append(quote(f"+schemas.{name}={{column: {name}, classes: {texts}}}"))
    numbers = numbers_among(columns, subjects)
    return words + [bins_word(name, *ends) for name, ends in numbers.items() if name.isidentifier()]


def bins_word(name: str, low: float, high: float) -> str:
    """Two groups of a column of numbers, an age: below the middle of their range, and from it on.

    >>> bins_word("age", 20, 60)
    "'+schemas.age={column: age, bins: {edges: [40]}}'"
    """
    return quote(f"+schemas.{name}={{column: {name}, bins: {{edges: [{(low + high) / 2:.0f}]}}}}")
