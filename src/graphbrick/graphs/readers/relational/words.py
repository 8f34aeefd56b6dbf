"""Names of tables and columns as words: classes, relations, and what a column is called after."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from graphbrick.graphs.readers.fields import split_type
from graphbrick.language import forms
from graphbrick.language.stems import without_plural

Words = tuple[str, ...]

IDS = frozenset(
    "id ids key code ref fk pk no nr num number uuid guid sk oid iid idx sku isbn iata icao iso slug".split()
)
"""Words after the name of a table in a column that refers to it."""

_CAMEL = re.compile(r"(?<=[^\W_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z]{3})(?=\d{4}$)")
_PREFIXES = frozenset("tbl tab tb t dim fact fct stg src raw table".split())
_SUFFIXES = frozenset("tbl table csv export raw".split())
_GLUED = re.compile(r"(.{3,})(?:id|code|key|ref|no|nr)")
_STAFF = frozenset("employee staff person user worker personnel colleague member teammate".split())


def words_of(name: str) -> Words:
    """Return the words of a name in lower case.

    >>> words_of("OrderID"), words_of("home_team_id"), words_of("tblCustomers"), words_of("price:float")
    (('order', 'id'), ('home', 'team', 'id'), ('tbl', 'customers'), ('price',))
    """
    spaced = _CAMEL.sub(" ", split_type(name)[0].strip())
    return tuple(word.casefold() for word in re.split(r"[\W_]+", spaced) if word)


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """Return the singular of a noun; by rule where there is no dictionary or it does not have the noun.

    >>> [singular(word) for word in ("categories", "status", "playlists", "series")]
    ['category', 'status', 'playlist', 'series']
    """
    if word == "media":
        return word
    if forms.is_installed() and forms.is_word(word):
        return forms.singular(word)
    return without_plural(word)


def singular_of(words: Words) -> Words:
    """Return words with the last one in the singular."""
    return (*words[:-1], singular(words[-1])) if words else ()


def squashed(words: Words) -> str:
    """Return words as one."""
    return "".join(words)


def table_words(names: Sequence[str]) -> list[Words]:
    """Return the words of the names of tables in the singular, without what only says that they are tables.

    A first word that three or more tables all share is left out.

    >>> table_words(["tblCustomers", "order_details", "cars_2021"])
    [('customer',), ('order', 'detail'), ('car',)]
    >>> table_words(["shop_order", "shop_customer", "shop_orderitem"])
    [('order',), ('customer',), ('order', 'item')]
    """
    all_words = [_bare(words_of(name)) or words_of(name) or (name.casefold() or "table",) for name in names]
    shared = len(all_words) > 2 and len({words[0] for words in all_words}) == 1
    if shared and all(len(words) > 1 for words in all_words):
        all_words = [words[1:] for words in all_words]
    single = [singular_of(words) for words in all_words]
    return [_parted(words, {other[0] for other in single if len(other) == 1}) for words in single]


def _parted(words: Words, tables: set[str]) -> Words:
    """Return a word such as «orderdetail» in two, if the first is a table and the second is in the dictionary."""
    if len(words) != 1 or not forms.is_installed():
        return words
    word = words[0]
    for table in tables:
        rest = word.removeprefix(table)
        if table and rest not in (word, "") and len(rest) > 2 and forms.is_noun(rest):
            return table, singular(rest)
    return words


def _bare(words: Words) -> Words:
    while len(words) > 1 and words[0] in _PREFIXES:
        words = words[1:]
    while len(words) > 1 and (words[-1] in _SUFFIXES or words[-1].isdecimal()):
        words = words[:-1]
    return words


def class_name(words: Words) -> str:
    """Return the name of a class.

    >>> class_name(("order", "detail"))
    'OrderDetail'
    """
    return "".join(word[:1].upper() + word[1:] for word in words)


def stem_of(column: str) -> tuple[Words, Words]:
    """Return the words of a column without those that only say that it is a key, and those.

    >>> stem_of("home_team_id"), stem_of("reports_to"), stem_of("customerid"), stem_of("id")
    ((('home', 'team'), ('id',)), (('reports', 'to'), ()), (('customer',), ('id',)), ((), ('id',)))
    """
    words = words_of(column)
    end = len(words)
    while end and words[end - 1] in IDS:
        end -= 1
    if 0 < end < len(words):
        return words[:end], words[end:]
    if len(words) > 1 and words[0] in ("fk", "id", "ref"):
        return words[1:], words[:1]
    glued = _GLUED.fullmatch(words[-1]) if words and end else None
    if glued and not (forms.is_installed() and forms.is_word(words[-1])):
        return (*words[:-1], glued[1]), (words[-1][len(glued[1]) :],)
    return words[:end], words[end:]


def relation_name(column: str) -> str:
    """Return the name of the relation that a column of keys is.

    >>> [relation_name(column) for column in ("customer_id", "ReportsTo", "HomeTeamID", "code")]
    ['customer', 'reports to', 'home team', 'code']
    """
    return " ".join(stem_of(column)[0] or words_of(column)) or column.strip()


def is_of_people(words: Words) -> bool:
    """Return whether the rows of a table are people who work somewhere, or people in general."""
    return bool(words) and words[-1] in _STAFF
