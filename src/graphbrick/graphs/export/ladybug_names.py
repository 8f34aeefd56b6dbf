"""Names of tables and properties in a ladybug database, such that queries need no quotes."""

from __future__ import annotations

import re
import unicodedata

_RESERVED = frozenset({"_id", "_label", "_src", "_dst"})
# Words that the grammar of ladybug 0.22 refuses as names without quotes, found by trying.
KEYWORDS = frozenset(
    "acyclic all and any asc ascending case cast column create dbtype default desc descending distinct else end ends "
    "exists false for glob group headers hint in index install join macro multi_join none not null on only optional or "
    "order primary profile shortest single starts table then trail true union unwind when where with wshortest "
    "xor".split()
)


def identifier(text: str, fallback: str) -> str:
    """Return a text as a name that a query can use without quotes.

    >>> identifier("place of birth", "T"), identifier("people.person/name", "T"), identifier("3D", "T")
    ('place_of_birth', 'people_person_name', '_3D')
    >>> identifier("ORDER", "T"), identifier("!", "T")
    ('ORDER_', 'T')
    """
    letters = "".join(letter if f"a{letter}".isidentifier() else "_" for letter in unicodedata.normalize("NFKC", text))
    name = re.sub("_+", "_", letters).strip("_") or fallback
    if name[0].isdecimal() or name.casefold() in _RESERVED:
        name = f"_{name}"
    return f"{name}_" if name.casefold() in KEYWORDS else name


def new_name(name: str, taken: set[str]) -> str:
    """Return the name, or the first of ``name_2``, ``name_3`` and so on that is not taken; it is taken then.

    Args:
        name: The name.
        taken: Names in use, in lower case; the new one is added.
    """
    number, candidate = 1, name
    while candidate.casefold() in taken:
        number += 1
        candidate = f"{name}_{number}"
    taken.add(candidate.casefold())
    return candidate
