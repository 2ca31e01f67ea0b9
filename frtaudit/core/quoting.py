"""Text in the quotes of an override: ``key='text'``."""

import re

_BEFORE_QUOTE = re.compile(r"(\\*)'")  # where Hydra's grammar reads a backslash as more than itself


def quoted(text: str) -> str:
    r"""Text in single quotes, such that Hydra's grammar gives back the same text, whatever it holds.

    A backslash counts as an escape before a quote only: it is doubled there and at the end, and nowhere else.

    >>> print(quoted("it's C:\\data\\"))
    'it\'s C:\data\\'
    """
    escaped = _BEFORE_QUOTE.sub(r"\1\1\\'", text)
    return f"'{escaped}" + "\\" * (len(text) - len(text.rstrip("\\"))) + "'"
