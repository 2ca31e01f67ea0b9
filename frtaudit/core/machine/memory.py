"""How often Python looks for garbage in a process of this program."""

import gc

EVERY, OLDER = 50_000, 10


def collect_seldom() -> None:
    """Look for cycles after 50,000 new objects, not 700: an audit makes few, and each full walk takes 0.1 to 0.3 s.

    For processes of this program's own: a caller's are his.
    """
    gc.set_threshold(EVERY, OLDER, OLDER)
