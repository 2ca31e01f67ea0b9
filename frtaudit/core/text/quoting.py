"""Text in the quotes of an override: ``key='text'``."""

import re
from collections.abc import Sequence
from shlex import quote

_PLAIN = re.compile(
    r"(?!(?:null|true|false|nan|inf)$)(?:\.{0,2}/|[a-z_])[a-z0-9_./-]*", re.IGNORECASE | re.ASCII
)
_HELD = re.compile(r"[^'\"\\\x00-\x1f]+")  # by two pairs of quotes as it stands
_BEFORE_QUOTE = re.compile(r"(\\*)'")  # where Hydra's grammar reads a backslash as more than itself


def quoted(text: str) -> str:
    r"""Text in single quotes, such that Hydra's grammar gives back the same text, whatever it holds.

    A backslash counts as an escape before a quote only: it is doubled there and at the end, and nowhere else.

    >>> print(quoted("it's C:\\data\\"))
    'it\'s C:\data\\'
    """
    escaped = _BEFORE_QUOTE.sub(r"\1\1\\'", text)
    return f"'{escaped}" + "\\" * (len(text) - len(text.rstrip("\\"))) + "'"


def listed(texts: Sequence[str]) -> str:
    """Texts as a list of Hydra's grammar without single quotes; empty where one of them can be none.

    >>> listed(["x", "18-35"]), listed(['"'])
    ('[x, "18-35"]', '')
    """
    if not all(_HELD.fullmatch(text) and "${" not in text for text in texts):
        return ""
    return "[" + ", ".join(text if _PLAIN.fullmatch(text) else f'"{text}"' for text in texts) + "]"


def choices(key: str, values: Sequence[str]) -> str:
    """``key=value`` for each value, as a person types it in a shell for a command that takes values as they stand.

    >>> print(choices("id", ["photo", "image id"]))
    id=photo or id='image id'
    """
    return " or ".join(f"{key}={quote(value)}" for value in values)


def shell_word(key: str, text: str) -> str:
    """``key=text`` as a person types it in a shell, such that Hydra's grammar gives back the same text.

    >>> print(shell_word("root", "faces"), shell_word("root", "my faces (2)"))
    root=faces 'root="my faces (2)"'
    """
    if _PLAIN.fullmatch(text):
        return f"{key}={text}"
    return f"'{key}=\"{text}\"'" if _HELD.fullmatch(text) else quote(f"{key}={quoted(text)}")
