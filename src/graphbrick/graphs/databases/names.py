"""Names of entities in databases: which parts of a text may be names, and which entities fit best."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from graphbrick.graphs.databases.nodes import Node
from graphbrick.graphs.records.called import is_name_of
from graphbrick.language.folding import name_form, nfc, tokens

KEYS = ("key", "id")
"""Properties that hold keys, best first."""
TITLE = "title"
"""The name of a work; of a person, it is none."""
LABELS = ("label", "name", TITLE)
"""Properties that hold names, best first."""
_PERSONS = ("fullname", "displayname")
_FIRST = ("firstname", "givenname", "forename")
_LAST = ("lastname", "familyname", "surname")
_OTHERS = ("preflabel", "username", "login", "nickname", "headline", "subject", "caption", "question", "term")
_CODES = ("code", "symbol", "iata", "isbn")
_WORDS = 40  # of a question
_LONGEST = 8  # words of a name
_SIGNS = 4  # before or after the words of a name
_SHORTEST_PART = 3  # letters of a text that is looked for inside names
_WHOLE = re.compile("-?[0-9]{1,19}")


def own_names(properties: Collection[str]) -> tuple[str, ...]:
    """Return the properties that nodes of a class are called by: one of `LABELS` or like it, or first and last name.

    A person with a name has a title too, such as Engineer, which is none.

    >>> own_names(["phone", "companyName"]), own_names(["lastName", "firstName"]), own_names(["code", "elevation"])
    (('companyName',), ('firstName', 'lastName'), ('code',))
    >>> own_names(["title", "full_name"]), own_names(["id", "code"]), own_names(["fileName", "age"])
    (('full_name',), (), ())
    """
    plain = {_plain(name): name for name in sorted(properties, reverse=True)}
    usual = [name for name in LABELS if name in properties and name != TITLE]
    person = [plain[name] for name in _PERSONS if name in plain]
    parts = [next((plain[name] for name in names if name in plain), "") for names in (_FIRST, _LAST)]
    works = [TITLE] if TITLE in properties else []
    like = [name for name in properties if is_name_of(name) and _plain(name) not in _OTHERS]
    if usual or person:
        return ((usual or person)[0],)
    if all(parts) and (works or not like):
        return tuple(parts)
    if works or like:
        return ((works or like)[0],)
    others = _OTHERS if set(KEYS) & set(properties) else _OTHERS + _CODES
    return tuple(plain[name] for name in others if name in plain)[:1]


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def spans(text: str) -> list[str]:
    """Return the parts of a text that may be names, in lower case, longest first.

    >>> spans("In St. Lucia?")[:4]
    ['in st. lucia?', 'in st. lucia', 'st. lucia?', 'st. lucia']
    """
    text = nfc(text)
    words = tokens(text)[:_WORDS]
    parts: dict[str, None] = {}
    for first, start in enumerate(words):
        starts = _places_before(text, start.start)
        for last in words[first : first + _LONGEST]:
            for end in _places_after(text, last.end):
                parts.update(dict.fromkeys(text[begin:end].lower() for begin in starts))
    return sorted(parts, key=lambda span: (-len(span), span))


def _places_after(text: str, end: int) -> list[int]:
    """Return the places where a name may end whose last word ends here: after each sign that follows the word.

    >>> _places_after("Heat (1986)?", 10)
    [10, 11, 12]
    """
    places = [end]
    for place in range(end, min(end + _SIGNS, len(text))):
        if text[place].isspace() or text[place].isalnum():
            break
        places.append(place + 1)
    return places


def _places_before(text: str, start: int) -> list[int]:
    """Return the places where a name may begin whose first word begins here: before each sign in front of the word.

    >>> _places_before("Is (500) Days good", 4)
    [4, 3]
    """
    places = [start]
    for place in range(start - 1, max(start - 1 - _SIGNS, -1), -1):
        if text[place].isspace() or text[place].isalnum():
            break
        places.append(place)
    return places


def part_of_names(text: str) -> str:
    """Return a text in lower case if it can be a part of a name (not a question, not long); else an empty text."""
    stripped = " ".join(text.split())
    if stripped.endswith("?"):
        return ""
    fits = len(stripped) >= _SHORTEST_PART and len(tokens(nfc(stripped))) <= _LONGEST
    return stripped.lower() if fits else ""


def best(text: str, nodes: Iterable[Node], n: int) -> list[Node]:
    """Return the ``n`` entities whose names fit a text best: longest name that occurs in it, then shortest name."""
    form = f" {name_form(text)} "
    distinct = {node.key: node for node in nodes}

    def order(node: Node) -> tuple[int, int, str]:
        forms = [name_form(name) for name in (node.label, *node.aliases)]
        inside = max((len(one) for one in forms if one and f" {one} " in form), default=0)
        return -inside, len(node.label), node.key

    return sorted(distinct.values(), key=order)[:n]


def relation_words(name: str) -> str:
    """Return the name of a relation in words.

    >>> relation_words("ACTED_IN"), relation_words("largest city"), relation_words("bornIn")
    ('acted in', 'largest city', 'born in')
    """
    if name.isupper() or "_" in name:
        words = name.replace("_", " ")
        return words.lower() if name.isupper() else words
    return "".join(f" {c.lower()}" if i and c.isupper() and name[i - 1].islower() else c for i, c in enumerate(name))


def whole_number(key: str) -> int | None:
    """Return a key as a whole number; None if it is not one, or has more than the 64 bits of databases.

    >>> whole_number("-5"), whole_number("--5"), whole_number("9" * 19)
    (-5, None, None)
    """
    number = int(key) if _WHOLE.fullmatch(key) else None
    return number if number is not None and -(2**63) <= number < 2**63 else None
