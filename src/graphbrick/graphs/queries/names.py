"""Names of a schema that match names written in another way in a query."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable

from graphbrick.language.folding import letters_of

_NAMES = ("label", "name", "title")  # properties that hold names, best first


def same_name(name: str, known: Collection[str]) -> str | None:
    """Return the one known name that differs only in case, spaces and marks; None if there is none or several.

    >>> same_name("has_Capital", ["hasCapital", "capital"])
    'hasCapital'
    """
    if name in known:
        return name
    bare = letters_of(name)
    equal = [other for other in known if letters_of(other) == bare]
    return equal[0] if len(equal) == 1 and bare else None


def other_name_property(name: str, known: Collection[str]) -> str | None:
    """Return the property for names that a class has, for another such property that it does not have.

    >>> other_name_property("name", ["year", "title"]), other_name_property("id", ["year", "title"])
    ('title', None)
    """
    if letters_of(name) not in _NAMES:
        return None
    byletters_of = {letters_of(other): other for other in known}
    return next((byletters_of[words] for words in _NAMES if words in byletters_of), None)


def unknown_name(kind: str, name: str, known: Iterable[str], n: int = 5) -> str:
    """Return a sentence about an unknown name, with the known names that resemble it most, or the first ``n``.

    >>> unknown_name("relation", "DIRECTED_BY", ["DIRECTS", "ACTED_IN"])
    "there is no relation 'DIRECTED_BY'; did you mean 'DIRECTS'?"
    """
    names = list(dict.fromkeys(known))
    by_bare = {letters_of(other): other for other in reversed(names)}
    close = [by_bare[match] for match in difflib.get_close_matches(letters_of(name), list(by_bare), n=3, cutoff=0.5)]
    if close:
        return f"there is no {kind} {name!r}; did you mean {' or '.join(map(repr, close))}?"
    listed = ", ".join(map(repr, names[:n])) + (", ..." if len(names) > n else "")
    return f"there is no {kind} {name!r}; there are {listed}" if names else f"there is no {kind} {name!r}, nor another"
