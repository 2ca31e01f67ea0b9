"""Names that a spec gives to schemas, test sets and itself."""

import re
import unicodedata

LONGEST = 200  # characters
_OWN = re.compile(r"_\w+_")  # keys with a meaning to who composes a spec
ASCII = (
    "letters a to z or A to Z, digits, _ - and ., a letter or digit first"  # of names that become file names
)


def is_name(text: str) -> bool:
    """Whether a spec can call a schema or a test set so: words of any script, which are printed and never a path.

    >>> is_name("Age group"), is_name("a|b"), is_name("_target_"), is_name("a ")
    (True, False, False, False)
    """
    strange = any(unicodedata.category(mark) == "Cc" or mark in "&|" for mark in text)
    return not strange and 0 < len(text) <= LONGEST and text == text.strip() and not _OWN.fullmatch(text)


def is_title(text: str) -> bool:
    """Whether a reader sees a name in ``text``: a visible character, and none that controls or is half of a pair.

    >>> is_title("FMR, women | men"), is_title(" "), is_title(chr(0x200B)), is_title("a" + chr(10))
    (True, False, False, False)
    """
    kinds = [unicodedata.category(mark) for mark in text]
    return not {"Cc", "Cs"} & {*kinds} and any(kind[0] not in "CZ" for kind in kinds)
