"""What the rows of a table are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from graphbrick.graphs.readers.fields import split_type
from graphbrick.graphs.readers.relational.plan import Names
from graphbrick.graphs.readers.relational.profile import Places
from graphbrick.graphs.readers.relational.tables import SourceTable
from graphbrick.graphs.readers.relational.words import Words, class_name, singular_of, words_of
from graphbrick.graphs.readers.roles import ALIASES, DESCRIPTION, TYPES, find_column, plain_name
from graphbrick.graphs.records.called import is_name_of
from graphbrick.language import forms

_FIRST = ("first", "given", "fore", "f", "christian")
_LAST = ("last", "family", "sur", "l", "second")
_LOGINS = ("username", "login", "nickname", "handle", "screen_name", "user")
_MOSTLY, _NEARLY = 0.5, 0.95  # shares of different values
_LONGEST = 80  # characters of a name
_ENOUGH = 20  # rows that show that a column after the key holds names
_NO_NAMES = frozenset(
    "note notes comment comments description remark remarks text body message content address street phone email mail "
    "url link password hash date time created updated status state type kind gender sex color colour unit".split()
)
"""Words of columns whose values differ, and name nothing."""
_NAMES = frozenset("city town subject headline question term word caption task model brand topic summary".split())
_NO_CLASSES = (_NO_NAMES - {"state"}) | frozenset(
    "name title label id key code number login username handle nickname full first last display short long row item "
    "value description caption headline subject summary".split()
)
"""Words of columns of names that do not say what the rows are."""
_PHRASE = 4  # words, from which a header is no noun
_LETTER = re.compile(r"[^\W\d_]")
_RANDOM = re.compile(r"[0-9a-fA-F-]{16,}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_SAME_PREFIX = 3  # columns that begin with the same word, as ShipName, ShipAddress and ShipCity


def names_in(table: SourceTable, words: Words, key: Places, taken: Sequence[int], options: Chosen) -> Names:
    """Return where the names of the rows of a table come from.

    The name is the column ``name``, ``label`` or ``prefLabel``; else one such as ``CompanyName``; else first and last
    name together; else the title; else the name of a login; else the first column, if it holds texts that differ.

    Args:
        table: The table.
        words: The words of its name.
        key: The columns of its key.
        taken: The columns that refer to other tables.
        options: The columns of names and types that the user names.
    """
    free = [place for place in range(len(table.columns)) if place not in taken]
    plain = ["" if place in taken else plain_name(column) for place, column in enumerate(table.columns)]
    types = options.type if options.type is not None else _types(table, plain)
    description = find_column(plain, DESCRIPTION)
    alias = find_column(plain, ALIASES)
    aliases = () if alias is None else (alias,)
    called = [plain.index(name) for name in ("name", "label", "preflabel") if name in plain]
    called = [place for place in called if place != types]
    title = [plain.index("title")] if "title" in plain else []
    if options.name is not None:
        return Names((options.name,), (), aliases, types, description)
    named = [place for place in free if is_name_of(split_type(table.columns[place])[0]) and place not in called]
    named = [place for place in named if _is_own_name(table, place, words) and _distinct(table, place) > _MOSTLY]
    own = [
        place for place in free if words_of(table.columns[place]) in {(*words, end) for end in ("description", "title")}
    ]
    named += [place for place in own if _has_letters(table, place) and _distinct(table, place) > _NEARLY]
    if called:
        return Names((*called, *title), (), aliases, types, description)
    if named:
        return Names((named[0],), (), aliases, types, description)
    parts = _parts(table, free)
    if parts:
        return Names((), parts, aliases, types, description)
    logins = [plain.index(login) for login in _LOGINS if login in plain]
    first = [] if title or logins else _first_column(table, free, key)
    return Names((*title, *logins[:1], *first), (), aliases, types, description)


def row_noun(column: str) -> str:
    """Return the noun in the header of a column of names, which says what the rows are; empty for none.

    >>> row_noun("country"), row_noun("State Name"), row_noun("title"), row_noun("full_name")
    ('Country', 'State', '', '')
    """
    words = words_of(column)
    if words[-1:] == ("name",):
        words = words[:-1]
    is_noun = bool(words) and forms.is_installed() and forms.is_noun(words[-1]) and words[-1] not in _NO_CLASSES
    return class_name(singular_of(words)) if is_noun and len(words) < _PHRASE else ""


class Chosen(NamedTuple):
    """The columns of names and types that the user names, by index.

    Attributes:
        name: The column of names.
        type: The column of types.
    """

    name: int | None = None
    type: int | None = None


def _types(table: SourceTable, plain: Sequence[str]) -> int | None:
    """Return the column of types: one that the header marks, or any if the table is only called «nodes»."""
    marked = [place for place, name in enumerate(plain) if name in (":label", ":type")]
    if marked:
        return marked[0]
    is_nodes = words_of(table.name)[-1:] in (("nodes",), ("vertices",), ("entities",), ("node",), ("entity",))
    return find_column(plain, TYPES) if is_nodes else None


def _is_own_name(table: SourceTable, place: int, words: Words) -> bool:
    """Return whether a column such as «ShipName» is about the row, and not one of several about something else."""
    first = words_of(table.columns[place])[0]
    alike = sum(words_of(column)[:1] == (first,) for column in table.columns)
    return first in words or alike < _SAME_PREFIX


def _distinct(table: SourceTable, place: int) -> float:
    texts = [row[place] for row in table.samples if row[place]]
    return len(set(texts)) / len(texts) if texts else 0.0


def _parts(table: SourceTable, free: Sequence[int]) -> Places:
    """Return the columns of first and last names; empty without both."""
    found = []
    for befores in (_FIRST, _LAST):
        names = {before + "name" for before in befores} | {before for before in befores if len(before) > 3}
        places = [place for place in free if "".join(words_of(table.columns[place])) in names]
        if not places:
            return ()
        found.append(places[0])
    return tuple(found)


def _first_column(table: SourceTable, free: Sequence[int], key: Places) -> list[int]:
    """Return the first column, if it holds texts of which nearly all differ, and is no key made of numbers."""
    place = next((place for place in free if place not in key or _has_letters(table, place)), None)
    if place is None or place > len(key) or _NO_NAMES & {*words_of(table.columns[place])}:
        return []
    texts = [row[place] for row in table.samples if row[place]]
    others = [other for other in free if other not in (place, *key) and _has_letters(table, other)]
    is_sure = place == 0 or place in key or words_of(table.columns[place])[-1] in _NAMES or not others
    if not is_sure and len(texts) < _ENOUGH:
        return []
    are_short = all(len(text) <= _LONGEST and not _DATE.match(text) and not _RANDOM.fullmatch(text) for text in texts)
    return [place] if _has_letters(table, place) and are_short and _distinct(table, place) > _NEARLY else []


def _has_letters(table: SourceTable, place: int) -> bool:
    texts = [row[place] for row in table.samples if row[place]]
    return sum(_LETTER.search(text) is not None for text in texts) > _MOSTLY * len(texts) > 0
