"""Columns that may identify rows, or refer to another table, by their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphbrick.graphs.readers.relational.tables import SourceTable
from graphbrick.graphs.readers.relational.words import (
    Words,
    is_of_people,
    singular_of,
    squashed,
    stem_of,
    words_of,
)
from graphbrick.graphs.readers.roles import KEY, NAME, TYPES, plain_name

EXACT, BY_KEY, BY_ROLE, BY_LAST_WORD = 4, 3, 2, 1
"""How well a column is named like another table: as it, as its key, with a role before it, as its last word."""

_OWN = {*KEY, "pk", "uuid", "guid", "_id", "oid"}
_CODES = frozenset(
    "code number no nr sku symbol ticker isbn iata icao iso slug ref reference abbreviation abbr".split()
)
_COUNTS = frozenset(
    "num n number count total avg average max min sum sort display rank first last days previous next net gross unit "
    "is has total cumulative".split()
)
_SEQUENCE = frozenset(("order", "position", "rank", "level", "number", "index"))
"""Words of columns that put rows in order, and refer to nothing without «id»."""
_SELF = frozenset(
    "parent root original predecessor successor previous prev next replaces replacement duplicate_of depends_on "
    "parent_of child_of belongs_to part_of prereq prerequisite requires".split()
)
_PEOPLE = frozenset(
    "manager reports_to report_to supervisor boss superior mentor lead leader head chief assignee assigned_to owner "
    "managed_by supervised_by created_by updated_by approved_by sales_rep rep".split()
)
_KIN = frozenset("mother father spouse partner husband wife sire dam sibling referred_by recommended_by".split())
_KIN = _KIN | frozenset("recruited_by invited_by friend".split())


@dataclass(frozen=True)
class Candidate:
    """A column that is named like another table.

    Attributes:
        column: The index of the column.
        target: The index of the other table.
        strength: How well it is named like it.
        others: The index of the column of the other table that is meant; None for its key.
    """

    column: int
    target: int
    strength: int
    others: int | None = None


def is_number(column: str) -> bool:
    """Return whether a column of keys only numbers the rows, as ``id`` does."""
    return plain_name(column) in _OWN


def own_keys(
    table: SourceTable, words: Words, all_words: Sequence[Words], tables: Sequence[SourceTable] = ()
) -> list[int]:
    """Return the columns that may be the key of a table by their names, best first.

    Args:
        table: The table.
        words: The words of its name.
        all_words: The words of the names of all tables.
        tables: All tables; one that has a column of the same name as the first one may refer to it.
    """
    ranks: list[tuple[int, int]] = []
    others = {squashed(other) for other in all_words if other != words}
    for place, column in enumerate(table.columns):
        plain, (stem, ids) = plain_name(column), stem_of(column)
        called = squashed(singular_of(stem))
        is_own = bool(ids) and called in (squashed(words), words[-1])
        if plain in _OWN:
            ranks.append((0, place))
        elif is_own and called == squashed(words):
            ranks.append((1, place))
        elif is_own and called not in others:
            ranks.append((2, place))
        elif place == 0 and ids and ids[-1] == "id" and called not in others and stem:
            ranks.append((3, place))
        elif plain in _CODES:
            ranks.append((4, place))
        elif place == 0 and any(other is not table and _is_shared(table, other) for other in tables):
            ranks.append((5, place))
    return [place for _, place in sorted(ranks)]


def _is_shared(table: SourceTable, other: SourceTable) -> bool:
    """Return whether another table has the first column too, which holds codes: «tailnum» of planes and flights."""
    name = table.columns[0].casefold()
    texts = [row[0] for row in table.samples if row[0]]
    are_codes = any(any(letter.isalpha() for letter in text) for text in texts)
    is_there = name in [column.casefold() for column in other.columns]
    return is_there and are_codes and plain_name(name) not in (*NAME, *TYPES)


def candidates(
    tables: Sequence[SourceTable], words: Sequence[Words], keys: Sequence[Sequence[int]], place: int
) -> list[Candidate]:
    """Return the columns of a table that are named like a table.

    Args:
        tables: All tables.
        words: The words of their names.
        keys: The columns that may be their keys, by the name.
        place: The index of the table.
    """
    found = []
    for column, name in enumerate(tables[place].columns):
        for target in range(len(tables)):
            found += _between(tables, words, keys, place, column, name, target)
    return found


def _between(
    tables: Sequence[SourceTable],
    words: Sequence[Words],
    keys: Sequence[Sequence[int]],
    place: int,
    column: int,
    name: str,
    target: int,
) -> list[Candidate]:
    stem, ids = stem_of(name)
    is_self = place == target
    if not stem or plain_name(name) in _OWN or (is_self and column in keys[place][:1]):
        return []
    other = tables[target]
    titles = [plain_name(title) for title in other.columns]
    strength = _named_like(stem, ids, words[target])
    if is_self:
        strength = BY_ROLE if _is_role_in(stem, ids, words[target], other) or strength == BY_ROLE else 0
    elif not strength and _is_staff_role(stem, words, target, place):
        strength = BY_ROLE
    found = []
    if strength:
        found.append(Candidate(column, target, strength))
        if strength >= BY_ROLE and not is_self:
            alternates = [titles.index(id_) for id_ in ids if id_ in titles]
            if not ids:
                alternates += [titles.index(title) for title in ("name", "title", "code", "iso") if title in titles]
            found += [Candidate(column, target, strength, alternate) for alternate in alternates]
    elif not is_self:
        found += _by_column(name, words[target], other, target, column, keys[target])
    return found


def _by_column(
    name: str, words: Words, other: SourceTable, target: int, column: int, keys: Sequence[int]
) -> list[Candidate]:
    """Return the columns of a table that a column names: its key by the same name, or «product_sku» of products."""
    plain, own = plain_name(name), [plain_name(title) for title in other.columns]
    stem, ids = stem_of(name)
    found = [
        Candidate(column, target, BY_KEY, place)
        for place in keys
        if own[place] == plain
        and ((len(words_of(name)) > 1 and ids and stem) or (place == 0 and plain not in _OWN | _CODES))
    ]
    name_words = words_of(name)
    for place, title in enumerate(other.columns):
        tail = words_of(title)
        before = name_words[: len(name_words) - len(tail)]
        is_code = plain_name(title) in _CODES or place in keys
        if is_code and tail and name_words[-len(tail) :] == tail and before and _ends_with(singular_of(before), words):
            found.append(Candidate(column, target, EXACT if singular_of(before) == words else BY_ROLE, place))
    return found


def _named_like(stem: Words, ids: Words, words: Words) -> int:
    """Return how well the stem of a column is named like a table; 0 if it is not."""
    single = singular_of(stem) if ids else stem
    if not ids and single[-1] in _SEQUENCE:
        return 0
    if squashed(single) == squashed(words):
        return EXACT
    if _ends_with(single, words) and (ids or stem[0] not in _COUNTS):
        return BY_ROLE
    return BY_LAST_WORD if ids and len(words) > 1 and single == words[-1:] else 0


def _ends_with(stem: Words, words: Words) -> bool:
    return len(stem) >= len(words) and stem[-len(words) :] == words


def _is_role_in(stem: Words, ids: Words, words: Words, table: SourceTable) -> bool:
    """Return whether a column names a role among the rows of its own table: «manager_id» of employees."""
    role = "_".join(stem)
    if role in _SELF:
        return bool(ids) or role not in ("previous", "next", "original", "root")
    return role in _PEOPLE | _KIN and (is_of_people(words) or _has_names_of_people(table) or role in _KIN)


def _has_names_of_people(table: SourceTable) -> bool:
    titles = {squashed(words_of(title)) for title in table.columns}
    return bool({"firstname", "givenname", "forename"} & titles)


def _is_staff_role(stem: Words, words: Sequence[Words], target: int, place: int) -> bool:
    """Return whether a column names a role of staff, and a table is the only one of staff."""
    staff = [number for number, other in enumerate(words) if is_of_people(other)]
    return "_".join(stem) in _PEOPLE and staff == [target] and place not in staff
