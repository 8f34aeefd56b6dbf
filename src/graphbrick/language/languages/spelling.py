"""Words in their spellings and forms: British and American English, and endings of words in Cyrillic letters."""

from __future__ import annotations

from functools import lru_cache

from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import root

_SPELLINGS = tuple(
    (Expression(pattern), replacement)
    for pattern, replacement in (
        (
            r"(arm|col|fav|hon|hum|lab|rum|vap|val|vig|rig|cand|clam|demean|endeav|ferv|flav|harb|parl|sav|splend|tum|od"
            r"|behavi|savi|neighb)our",
            r"\1or",
        ),
        (r"(licen|defen|offen|preten)c(?=e|ing)", r"\1s"),
        (r"(?<=[a-z]{2}i)s(?=(?:e[sdr]?|ers|ing|ations?|able)$)|(?<=[a-z]ly)s(?=(?:e[sdr]?|ing)$)", "z"),
        (r"(cent|theat)re(?=[sd]?$)", r"\1er"),
        (r"(met|lit|fib|calib)re(?=s?$)", r"\1er"),
        (r"(catal|monol|anal|prol|epil|dial)ogue(?=s?$)", r"\1og"),
        (r"^programme(?=s?$)", "program"),
        (r"^grey", "gray"),
        (r"(judg|ledg)ement", r"\1ment"),
    )
)
_AMERICAN = Expression(r"or|[iy]z|ens|er|og|gram|^gray|gment")  # where British words are spelt otherwise
_CYRILLIC = Expression("[\u0400-\u052f]")
_SHORTEST_CYRILLIC = 4  # letters
# Endings as `fold` leaves them, the longest first.
_REFLEXIVE = ("ся", "сь")
_INFLECTIONS = (
    "иями", "ями", "ами", "иях", "ого", "его", "ому", "ему", "ыми", "ими", "ешь", "ишь", "ете", "ите", "ях", "ах", "ов",
    "ев", "еи", "ои", "ыи", "ии", "ую", "юю", "ая", "яя", "ое", "ее", "ые", "ие", "ия", "ию", "ом", "ем", "ам", "ям",
    "ть", "ет", "ут", "ют", "ит", "ат", "ят", "ых", "их", "ым", "им", "ою", "ею",
    "а", "е", "и", "о", "у", "ы", "ь", "ю", "я", "і", "ї",
)  # fmt: skip
_DERIVED = (
    "ировани", "ировал", "ирован", "ирова", "иру", "овани", "ован", "ова", "ывани", "ывае", "ыва", "ивани", "ивае",
    "ива", "ени", "ани", "ае", "яе", "уе", "ен", "ан", "а", "и", "я",
)  # fmt: skip


def american(word: str) -> str:
    """Return a folded word in one spelling for British and American English, for comparison only.

    >>> [american(word) for word in ("colours", "licence", "organisation", "analysed", "centres", "catalogue", "grey")]
    ['colors', 'license', 'organization', 'analyzed', 'centers', 'catalog', 'gray']
    """
    for pattern, replacement in _SPELLINGS:
        word = pattern.sub(replacement, word)
    return word


@lru_cache(maxsize=65_536)
def spelling_root(word: str) -> str:
    """Return the root of a word of a document or question: `root` in one spelling, and for words in Cyrillic letters.

    >>> spelling_root("licences") == spelling_root("licensed"), spelling_root("travelled") == spelling_root("traveling")
    (True, True)
    >>> spelling_root("filtered") == spelling_root("filters"), spelling_root("coloured") == spelling_root("color")
    (True, True)
    >>> spelling_root("папку") == spelling_root("папками"), spelling_root("копирование") == spelling_root("копировать")
    (True, True)
    """
    if is_cyrillic(word):
        return _cyrillic_root(word)
    before, word = word, root(american(word))
    while word != before:  # «filtered», «filter»
        before, word = word, root(word)
    return word


def is_cyrillic(word: str) -> bool:
    """Return whether a word has Cyrillic letters."""
    return _CYRILLIC.search(word) is not None


def has_forms(word: str) -> bool:
    """Return whether a folded word may be spelt or end otherwise, so that a search by words looks for these too."""
    return is_cyrillic(word) or american(word) != word or _AMERICAN.search(word) is not None


def form_key(word: str) -> str:
    """Return what is the same in the forms that a search by words takes for one word.

    >>> form_key("colour") == form_key("color"), form_key("color") == form_key("colors")
    (True, False)
    """
    return _cyrillic_root(word) if is_cyrillic(word) else american(word)


def _cyrillic_root(word: str) -> str:
    """Return a folded word of a Slavic language without its endings."""
    for endings in (_REFLEXIVE, _INFLECTIONS, _DERIVED):
        for ending in endings:
            if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_CYRILLIC:
                word = word[: -len(ending)]
                break
    return word
