"""What is said about names that are not there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LISTED = 20


def known(what: str, name: str, names: Iterable[str]) -> str:
    """ "there is no key 'siz'; 'size' is near; there are ..." """
    all_of_them = list(names)
    near = difflib.get_close_matches(name, all_of_them, 2)
    close = f"{' and '.join(map(repr, near))} {'are' if len(near) > 1 else 'is'} near; " if near else ""
    listed = ", ".join(all_of_them[:_LISTED]) + (", ..." if len(all_of_them) > _LISTED else "")
    return f"there is no {what} {name!r}; {close}there are {listed or 'none'}"
