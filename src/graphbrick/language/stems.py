"""Stems and endings of English words by rule; `graphbrick.language.forms` has a dictionary.

Stems differ on purpose, and learned patterns and judges are stored with them:

- `stem` joins the forms of one word («directs», «directed»). Plans of operators use it: there a derived noun is another
  thing, as «leader» names people and «lead» a relation.
- `root` joins derived nouns too («directed», «director»), and forms of verbs that follow no rule. Linking uses it to
  tell the words of a graph's relations from names; with `stem` it finds fewer names in lower-case questions.
- `short_stem` only cuts endings off. Judges compare long texts by it.

`without_plural` gives a word that may be another name of an entity, `possible_singulars` everything to look up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

Stems = tuple[str, ...]

WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
"""A word, which may be hyphenated."""
WORD_OR_POSSESSIVE = re.compile(r"'s(?!\w)|\w+(?:-\w+)*")
"""A word of a question as learned patterns read it: «'s» is one of its own, and joins an owner with what is owned."""

_IRREGULAR = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "neighbor": "neighbour",
    "neighbors": "neighbour", "neighboring": "neighbour", "spoken": "speak", "spoke": "speak", "led": "lead",
    "written": "writ", "wrote": "writ", "made": "mak", "paid": "pay", "born": "bear", "held": "hold", "won": "win",
    "lies": "li", "lying": "li", "lay": "li", "built": "build", "sung": "sing", "worn": "wear", "known": "know",
    "taught": "teach", "bought": "buy", "sold": "sell", "flown": "fly", "ran": "run", "died": "di", "dies": "di",
    "used": "us",
    **{f"{word}s": word[:-1] for word in (
        "movie cookie calorie rookie zombie brownie genie selfie veggie goalie pixie foodie indie hoodie pie tie"
    ).split()},
}  # fmt: skip
# Verbs with their forms that follow no rule, as relations have them («SPOKEN_BY») and questions («speak»).
_FORMS_OF_VERBS = """
    beat beaten, become became, begin began begun, bind bound, bite bitten, blow blew blown, break broke broken,
    breed bred, bring brought, build built, buy bought, catch caught, choose chose chosen, come came, deal dealt,
    die died, dig dug, draw drew drawn, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed
    fed, fight fought, flee fled, fly flew flown, forget forgot forgotten, freeze froze frozen, give gave given,
    grow grew grown, hear heard, hide hid hidden, hold held, keep kept, know knew known, lay laid, lead led, lend
    lent, lie lied, lose lost, make made, meet met, pay paid, ride rode ridden, ring rang rung, run ran, see seen,
    seek sought, sell sold, send sent, shake shook shaken, shoot shot, show shown, sing sang sung, sink sank sunk,
    speak spoke spoken, spend spent, stand stood, steal stole stolen, strike struck, swear swore sworn, swim swam
    swum, take took taken, teach taught, tear tore torn, tell told, think thought, throw threw thrown, tie tied,
    understand understood, use used, wear wore worn, weave wove woven, win won, write wrote written
"""
_VERBS = {form: verb for verb, *forms in map(str.split, _FORMS_OF_VERBS.split(",")) for form in forms}
_ROOT_ENDINGS = (
    "ations", "ation", "ings", "ing", "ions", "ion", "ers", "ors", "ies", "ied", "ie", "ed", "es", "er", "or", "y",
    "s", "e",
)  # fmt: skip
_SHORTEST_ROOT = 3  # letters
_VOWELS = "aeiou"
_DOUBLED = re.compile(r"[^aeiou]{1,2}[aiou][bdgmnt]")  # adjectives that double their last letter: bigger, thinner
_SHORT_STEM_ENDINGS = ("ies", "es", "s", "ing", "ed", "ly")
_SHORTEST_STEM, _SHORTEST_PLURAL = 4, 4  # characters that are left of a word without its ending; letters
_NO_PLURALS = ("ss", "us", "is", "series", "species")
_CAMEL = re.compile(
    r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z]{2})(?=[A-Z][a-z]{2})"  # and in «areakm2», «weightkg»
    r"|(?<=[a-z]{3})(?=(?:km2|km3|sqkm|sqmi|kwh|mwh)$)|(?<=[a-z]{2}[a-jl-z])(?=m[23]$)"
    r"|(?<=area)(?=ha$)|(?<=weight|height|length|volume)(?=(?:kg|g|lb|lbs|cm|mm|m|km|ft|in|l)$)"
    r"|(?<=distance)(?=(?:km|m|mi)$)"
)


@lru_cache(maxsize=16_384)
def spaced(label: str) -> str:
    """Return a label with a space before each capital inside a word, and before a unit at the end of a measure.

    >>> spaced("hasCapital"), spaced("Time zone"), spaced("areakm2"), spaced("hasDBLounge"), spaced("numDVDs")
    ('has Capital', 'Time zone', 'area km2', 'has DB Lounge', 'num DVDs')
    """
    return _CAMEL.sub(" ", label)


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return the common part of the inflected forms of an English word, but not of derived nouns.

    >>> [stem(word) for word in ("countries", "country", "borders", "bordering", "uses", "used", "languages", "bus")]
    ['country', 'country', 'border', 'border', 'us', 'us', 'languag', 'bus']
    """
    word = word.lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    word = without_plural(word)
    for ending in ("ing", "ed"):
        if len(word) > len(ending) + 2 and word.endswith(ending) and re.search("[aeiouy]", word[: -len(ending)]):
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] not in "lse":
                word = word[:-1]
            return word.removesuffix("e")
    return word.removesuffix("e") if len(word) > 2 else word


@lru_cache(maxsize=16_384)
def stems(text: str) -> Stems:
    """Return the stems of the words of a text.

    >>> stems("Time zones")
    ('tim', 'zon')
    """
    return tuple(stem(word) for word in WORD.findall(text))


@lru_cache(maxsize=65_536)
def root(word: str) -> str:
    """Return the part that a folded English word shares with its other forms and with derived nouns.

    >>> root("directed") == root("director") == root("directs") == root("directing") == "direct"
    True
    >>> root("starred") == root("stars") == "star", root("countries") == root("country"), root("films")
    (True, True, 'film')
    >>> root("plays") == root("play"), root("spoken") == root("speak"), root("selling") == root("sell")
    (True, True, True)
    """
    word = _VERBS.get(word, word)
    if len(word) == 2 + _SHORTEST_ROOT and word.endswith("ies"):
        return f"{word[:-3]}y"  # «flies»
    for ending in _ROOT_ENDINGS:
        short = word.removesuffix(ending)
        is_ending = short != word and len(short) >= _SHORTEST_ROOT
        if is_ending and not (ending == "y" and short[-1] in _VOWELS) and not (ending == "s" and short[-1] in "sui"):
            word = short
            break
    is_doubled = len(word) > _SHORTEST_ROOT and word[-1] == word[-2] and word[-1] not in _VOWELS
    return word[:-1] if is_doubled else word


@lru_cache(maxsize=65_536)
def short_stem(word: str) -> str:
    """Return a word without a common English ending, so that «deletes» and «deleting» are one word.

    >>> short_stem("deletes"), short_stem("deleting"), short_stem("is")
    ('delet', 'delet', 'is')
    """
    for ending in _SHORT_STEM_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            word = word[: -len(ending)]
            break
    return word[:-1] if word.endswith("e") and len(word) > _SHORTEST_STEM else word


def is_plural(word: str) -> bool:
    """Return whether a word ends like a plural: in one s, and not as «bus», «basis» or «series», which may be one.

    >>> [word for word in ("lakes", "glass", "bus", "basis", "gas", "series") if is_plural(word)]
    ['lakes']
    """
    return len(word) >= _SHORTEST_PLURAL and word.endswith("s") and not word.endswith(_NO_PLURALS)


def without_plural(words: str) -> str:
    """Return words with the last one in the singular; the same if it is not a plural.

    >>> without_plural("great lakes"), without_plural("cities"), without_plural("glass")
    ('great lake', 'city', 'glass')
    """
    if not is_plural(words):
        return words
    if words.endswith("ies") and len(words) > _SHORTEST_PLURAL:
        return f"{words[:-3]}y"
    return words[:-2] if words.endswith(("ches", "shes", "xes", "sses")) else words[:-1]


def possible_singulars(word: str) -> Iterator[str]:
    """Yield every word that a word may be the plural or the possessive of; names follow no rule.

    >>> [one for word in ("kenyas", "joneses", "germanies") for one in possible_singulars(word)]
    ['kenya', 'jonese', 'jones', 'germanie', 'germany', 'germani']
    """
    if len(word) < _SHORTEST_PLURAL or not word.endswith("s") or word.endswith("ss"):
        return
    endings = [("s", "")] + [("ies", "y")] * word.endswith("ies") + [("es", "")] * word.endswith("es")
    for ending, replacement in endings:
        yield word.removesuffix(ending) + replacement


def before_ending(adjective: str) -> str:
    """Return an English adjective as it is spelt before «er» and «est».

    >>> [before_ending(word) for word in ("happy", "large", "big", "tall", "late", "wide", "thin")]
    ['happi', 'larg', 'bigg', 'tall', 'lat', 'wid', 'thinn']
    """
    base = adjective[:-1] + "i" if adjective.endswith("y") else adjective.removesuffix("e")
    return base + base[-1] if _DOUBLED.fullmatch(adjective) else base
