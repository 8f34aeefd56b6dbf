"""Words of the names of properties, also of names written in one word: `hiredate`, `billingcountry`."""

from __future__ import annotations

from collections.abc import Sequence, Set

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

# Words that names of columns are cut short to; what may stand for several words is none of them.
_IN_FULL = dict(
    pair.strip().split(maxsplit=1)
    for pair in """dt date|lvl level|hr hours|hrs hours|mins minutes|secs seconds|yr year|yrs years|mth month|wk week
    |wks weeks|dept department|emp employee|mgr manager|cust customer|supp supplier|vend vendor|prod product
    |org organisation|addr address|fname first name|lname last name|qty quantity|amt amount|cnt count|num number
    |nbr number|val value|tot total|pop population|desc description|descr description|loc location|lang language
    |ctry country|rgn region|purch purchase|alloc allocated|sched scheduled|entl entitlement|ext extension|ctr center
    |acct account|inv invoice|pymt payment|txn transaction|bal balance|ccy currency|sal salary|disc discount
    |mfr manufacturer|mfg manufacturing|grp group|ver version|wt weight|ht height|dur duration|dist distance
    |alt altitude|cert certificate|appt appointment|diag diagnosis|svc service|env environment|dest destination
    |pax passengers|flt flight|temp temperature|ref reference|msg message|subj subject|insp inspection
    |maint maintenance|assoc associated|approx approximate|enrol enrolment|exp expiry|qual qualification|stu student
    |tchr teacher|bldg building|rm room|sem semester|pts points|std standard|prog programme|wkday weekday
    |mob mobile|intl international|dom domestic""".split("|")
)
_PAIRS = {"arr": "arrival", "dep": "departure"}  # only where a graph has both


def in_full(words: Sequence[str], known: Set[str]) -> tuple[str, ...]:
    """Return the words of a name with whole words for those that are cut short.

    Args:
        words: The words, in lower case.
        known: The words of all names of the graph.

    >>> in_full(("birth", "dt"), set()), in_full(("emp", "no"), set()), in_full(("dep", "time"), {"dep", "arr"})
    (('birth', 'date'), ('employee', 'number'), ('departure', 'time'))
    """
    pairs = _PAIRS if known >= _PAIRS.keys() else {}
    found = [one for word in words for one in (_IN_FULL.get(word) or pairs.get(word) or word).split()]
    return (*found[:-1], "number") if len(found) > 1 and found[-1] == "no" else tuple(found)


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
