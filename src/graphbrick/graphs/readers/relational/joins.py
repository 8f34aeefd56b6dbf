"""Tables that only join two others, whose rows are triples."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.graphs.readers.relational.plan import Names, Reference
from graphbrick.graphs.readers.relational.profile import Places, Profile
from graphbrick.graphs.readers.relational.words import Words

_FILLED = 0.95  # of the rows of a table that joins two others have both
_LINES = frozenset("detail item line entry link map mapping assignment membership allocation xref rel relation".split())
"""Words of tables whose rows are parts of another, or join two."""


def joins(words: Sequence[Words], own: Words, profile: Profile, key: Places, references: Sequence[Reference]) -> bool:
    """Return whether each row of a table joins a row of one table with one of another.

    It has two references that nearly all rows have, and no key but these; or a number as key, and either no other
    column or a name made of those of other tables, such as `order_details` and `employee_territories`. Nothing refers
    to it, and it has no name.

    Args:
        words: The words of the names of all tables.
        own: The words of its name.
        profile: What its rows show.
        key: The columns of its key.
        references: What it refers to.
    """
    if len(references) != 2:
        return False
    columns = {place for reference in references for place in reference.columns}
    if min(profile.filled[place] for place in columns) < _FILLED * profile.rows:
        return False
    is_made_of_them = set(key) <= columns or columns <= set(key)
    has_only_these = not [
        count for place, count in enumerate(profile.filled) if count and place not in {*key, *columns}
    ]
    is_joint = has_only_these or _is_joint(own, [words[one.target] for one in references])
    return is_made_of_them or (len(key) == 1 and is_joint)


def _is_joint(own: Words, targets: Sequence[Words]) -> bool:
    """Return whether a table is called as two others, or as one and as its lines, or as lines alone.

    >>> _is_joint(("order", "detail"), [("order",), ("product",)]), _is_joint(("loan",), [("book",), ("student",)])
    (True, False)
    """
    first, second = targets
    if own in (first + second, second + first) or own[-1] not in _LINES:
        return own in (first + second, second + first)
    return not own[:-1] or own[:-1] in targets


def has_names(names: Names) -> bool:
    """Return whether the rows of a table have names, or types of their own."""
    return bool(names.columns or names.parts) or names.types is not None
