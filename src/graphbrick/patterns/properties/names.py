"""Words of the names of properties, also of names written in one word: `hiredate`, `billingcountry`."""

from __future__ import annotations

from collections.abc import Set

from graphbrick.language.stems import WORD
from graphbrick.patterns.text import in_words

_SHORTEST, _SHORTEST_PART = 6, 3  # letters of a name that is split, and of its parts
# Words that names in one word begin and end with; words of the graph are added.
PARTS = frozenset(
    """account address amount area arrival area author base billing birth body budget building built city class close
    closing code color colour company contact content cost count country county created creation credit currency
    customer date day death debut delivery department departure description discount distance district due duration
    email employee end ending entry event expiry fax file final first floor full game gender given grade gross group
    head height hire hired home hour house income invoice item job join joined language last launch leaving length level
    line list location mail main manager max maximum middle min minimum mobile model modified month name net number
    office opening order owner page paid parent part pay payment people per person phone place point points population
    post postal price product production project publication published purchase quantity rank rate rating reason region
    release released reorder report required retail return room runtime salary sale sales score season section seller
    service ship shipped shipping short size source staff start started starting state station status stock street
    subject supplier support target tax team telephone time title total town track type unit units update updated url
    user value vendor version village volume wage website weight width work year zip zone""".split()
)


def name_words(name: str, known: Set[str]) -> tuple[str, ...]:
    """Return the words of a name in lower case; a name in one word is split where all parts are known words.

    Args:
        name: The name.
        known: Further words that names of the graph are made of, in lower case.

    >>> name_words("hiredate", set()), name_words("BillingCountry", set()), name_words("capacity", set())
    (('hire', 'date'), ('billing', 'country'), ('capacity',))
    >>> name_words("wardname", {"ward"}), name_words("wardname", set())
    (('ward', 'name'), ('wardname',))
    """
    whole = tuple(WORD.findall(in_words(name).lower()))
    if len(whole) != 1 or not name.isalpha() or len(name) < _SHORTEST:
        return whole
    text = name.lower()
    parts = _parts(text, known - {text})
    return parts if len(parts) > 1 else whole


def _parts(text: str, known: Set[str]) -> tuple[str, ...]:
    """Return the known words that a text is made of, the longest first word first; none if it is not made of them."""
    if text in known or text in PARTS:
        return (text,)
    for size in range(len(text) - _SHORTEST_PART, _SHORTEST_PART - 1, -1):
        if text[:size] in known or text[:size] in PARTS:
            rest = _parts(text[size:], known)
            if rest:
                return (text[:size], *rest)
    return ()
