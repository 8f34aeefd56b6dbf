"""Forms and kinds of English words: plurals, participles, agents («director»), people, places.

Inflection comes from lemminflect; kinds and derived nouns from an extract of WordNet 3.0 (``lexicon.tsv.xz``, which
``tools/english_lexicon.py`` makes). Words that no dictionary has, such as names, follow the rules of
`graphbrick.language.stems`.
"""

from __future__ import annotations

import lzma
from collections import defaultdict
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from graphbrick.language import dictionary

PERSON, PLACE, TIME, GROUP = "person", "place", "time", "group"
_AGENT_ENDINGS = ("er", "or", "ist", "ant", "ess")
_NOUNS_OF_PEOPLE = frozenset(("head", "chair"))  # of verbs; of other things first of all
_PREFIXES = ("down", "up", "co", "over", "under", "inter", "re", "dis", "out", "pre")
_ACT_ENDINGS = ("tion", "sion", "ment", "ship", "ence", "ance", "al", "th")


class _Lexicon(NamedTuple):
    """Contents of the extract of WordNet.

    Attributes:
        kinds: For a noun, whether it names a person, place, time or group.
        nouns: For a verb, the nouns derived from it.
        verbs: For a noun, the verbs it is derived from.
    """

    kinds: dict[str, str]
    nouns: dict[str, list[str]]
    verbs: dict[str, list[str]]


@lru_cache(maxsize=1)
def _lexicon() -> _Lexicon:
    kinds: dict[str, str] = {}
    nouns, verbs = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    packed = (files("graphbrick.language") / "lexicon.tsv.xz").read_bytes()
    for line in lzma.decompress(packed).decode("utf-8").splitlines():
        kind, noun, *verb = line.split("\t")
        if verb:
            nouns[verb[0]].append(noun)
            verbs[noun].append(verb[0])
        else:
            kinds[noun] = kind
    return _Lexicon(kinds, dict(nouns), dict(verbs))


def is_installed() -> bool:
    """Return whether there is a dictionary of forms; without it the functions for forms raise `ModelError`."""
    return dictionary.is_installed()


@lru_cache(maxsize=8192)
def _inflected(word: str, tag: str) -> str:
    return dictionary.inflected(word, tag)


@lru_cache(maxsize=8192)
def _lemmas(word: str) -> dict[str, str]:
    """Return the dictionary forms of a word by part of speech, for those in the dictionary."""
    return dictionary.lemmas(word)


def kind_of(noun: str) -> str:
    """Return whether a noun names a person, place, time or group; "" for everything else.

    Of a phrase the head word counts: «place of birth» is a place, «film director» a person. It may be a plural.

    >>> kind_of("film director"), kind_of("place of birth"), kind_of("year"), kind_of("genre"), kind_of("filmmakers")
    ('person', 'place', 'time', '', 'person')
    """
    head, kinds = head_of(noun), _lexicon().kinds
    if singular(head) in _MORE_PEOPLE:
        return PERSON
    return (
        TIME
        if head in ("date", "day", "time")
        else next((kinds[one] for one in (head, singular(head), head.removesuffix("s")) if one in kinds), "")
    )


_MORE_PEOPLE = frozenset(("contact", "rep"))
"""People that the extract of WordNet does not have as such."""
_ACTORS = frozenset(
    "airline bank hospital university brewery winery manufacturer publisher studio shop store restaurant hotel "
    "newspaper broadcaster factory charity ministry embassy".split()
)
"""Organizations that the extract of WordNet has as buildings, or not at all."""
_THINGS = frozenset(
    "flight set series class category collection batch fleet array combination cluster column block range playlist "
    "menu data dataset metadata record content genome galaxy forest grove gallery bundle lot list suite industry "
    "economy movement era style law bracket grade level formation ward".split()
)
"""Groups of things and thoughts, of which nobody says «who»."""


_MORE_PLACES = frozenset(
    "country nation continent building room hall floor airport station warehouse shelf site planet campus stop depot "
    "ward office terminal".split()
)
"""Places that the extract of WordNet has as buildings, or not at all."""
_WAYS = frozenset("route track".split())
"""Ways between places, which the extract of WordNet has as places."""


def is_place(noun: str) -> bool:
    """Return whether a noun phrase in lower case names a place.

    >>> is_place("home country"), is_place("airport"), is_place("flight"), is_place("bus route")
    (True, True, False, False)
    """
    last = noun.split()[-1]
    return last in _MORE_PLACES or (kind_of(noun) == PLACE and last not in _WAYS)


def may_be_who(name: str) -> bool:
    """Return whether «who» may ask for entities of a class: people, or groups of them.

    >>> [may_be_who(name) for name in ("Employee", "persons", "airline", "Album", "flight")]
    [True, True, True, False, False]
    """
    head = singular(head_of(name.casefold()))
    if head in _THINGS or head in _ACTORS:
        return head in _ACTORS
    return head == "person" or kind_of(name.casefold()) in (PERSON, GROUP)


def head_of(phrase: str) -> str:
    """Return the word that a noun phrase is about: the last one before «of»."""
    words = phrase.partition(" of ")[0].split()
    return words[-1] if words else phrase


def plural(phrase: str) -> str:
    """Return the plural of a noun phrase; one that is a plural stays.

    >>> plural("country"), plural("place of birth"), plural("person"), plural("ingredients"), plural("bus")
    ('countries', 'places of birth', 'people', 'ingredients', 'buses')
    """
    first, of, rest = phrase.partition(" of ")
    *before, head = first.split() or [first]
    one = _lemmas(head).get("NOUN", head)
    is_many = one != head and _inflected(one, "NNS") == head
    many = "people" if head == "person" else head if is_many else _inflected(head, "NNS")
    return " ".join([*before, many]) + of + rest


def singular(phrase: str) -> str:
    """Return the singular of a noun phrase.

    >>> singular("starred actors"), singular("children"), singular("series")
    ('starred actor', 'child', 'series')
    """
    first, of, rest = phrase.partition(" of ")
    *before, head = first.split() or [first]
    one = "person" if head == "people" else _lemmas(head).get("NOUN", head)
    return " ".join([*before, one]) + of + rest


def past(verb: str) -> str:
    """Return the past tense of a verb."""
    return _inflected(verb, "VBD")


def participle(verb: str) -> str:
    """Return the past participle of a verb.

    >>> past("write"), participle("write"), gerund("write"), third_person("write")
    ('wrote', 'written', 'writing', 'writes')
    """
    return _inflected(verb, "VBN")


def gerund(verb: str) -> str:
    """Return the -ing form of a verb."""
    return _inflected(verb, "VBG")


def third_person(verb: str) -> str:
    """Return the form that goes with he, she and it."""
    return _inflected(verb, "VBZ")


def participle_of(word: str) -> str:
    """Return the verb that a word is the past participle or past tense of; "" where it is none.

    >>> participle_of("directed"), participle_of("written"), participle_of("red")
    ('direct', 'write', '')
    """
    verb = _lemmas(word).get("VERB", "")
    if not verb or verb == word or word not in (participle(verb), past(verb)):
        return "bear" if word == "born" else ""
    return verb


def verb_of(word: str) -> str:
    """Return the verb that a word is a form of; "" where it is none.

    >>> verb_of("bought"), verb_of("hosting"), verb_of("person")
    ('buy', 'host', '')
    """
    return _lemmas(word).get("VERB", "")


def like(word: str, verb: str, other: str) -> str:
    """Return another verb in the form that a word is of a verb.

    >>> like("bought", "buy", "purchase"), like("hosts", "host", "hold"), like("run", "run", "manage")
    ('purchased', 'holds', 'manage')
    """
    inflections = (third_person, past, participle, gerund)
    return next((make(other) for make in inflections if make(verb) == word and word != verb), other)


def gerund_of(word: str) -> str:
    """Return the verb that a word is the -ing form of; "" where it is none.

    >>> gerund_of("winning"), gerund_of("losing"), gerund_of("building"), gerund_of("evening")
    ('win', 'lose', 'build', '')
    """
    verb = _lemmas(word).get("VERB", "") if word.endswith("ing") else ""
    return verb if verb and verb != word and gerund(verb) == word and kind_of(word) != TIME else ""


def third_person_of(word: str) -> str:
    """Return the verb that a word is the third-person form of; "" where it is none.

    >>> third_person_of("works"), third_person_of("borders"), third_person_of("genres")
    ('work', 'border', '')
    >>> third_person_of("downregulates")
    'downregulate'
    """
    lemmas = _lemmas(word)
    for prefix in _PREFIXES if not lemmas else ():  # a dictionary has «regulates», and not «downregulates»
        rest = word.removeprefix(prefix)
        if rest != word and (verb := third_person_of(rest)):
            return prefix + verb
    verb = lemmas.get("VERB", "")
    return verb if verb and verb != word and third_person(verb) == word else ""


def is_word(word: str) -> bool:
    """Return whether the dictionary has a word."""
    return bool(_lemmas(word))


def is_noun(word: str) -> bool:
    """Return whether the dictionary has a word as a noun."""
    return "NOUN" in _lemmas(word)


def is_only_noun(word: str) -> bool:
    """Return whether the dictionary has a word as a noun and as nothing else.

    >>> is_only_noun("expectancy"), is_only_noun("wage"), is_only_noun("xyzzy")
    (True, False, False)
    """
    return set(_lemmas(word)) == {"NOUN"}


def is_adjective(word: str) -> bool:
    """Return whether the dictionary has a word as an adjective."""
    return "ADJ" in _lemmas(word)


def may_be_noun(word: str) -> bool:
    """Return whether the dictionary has a word as a noun, or does not have it at all.

    >>> may_be_noun("director"), may_be_noun("directed"), may_be_noun("downregulator")
    (True, False, True)
    """
    return is_noun(word) or not _lemmas(word)


def agents(verb: str) -> list[str]:
    """Return the nouns for people who do what a verb says.

    >>> agents("direct"), agents("write"), agents("lead"), agents("mentor")
    (['director'], ['writer'], ['leader'], ['mentor'])
    """
    if kind_of(verb) == PERSON or verb in _NOUNS_OF_PEOPLE:
        return [verb]
    derived = [noun for noun in _lexicon().nouns.get(verb, []) if noun != verb]
    return sorted(
        (noun for noun in derived if noun.endswith(_AGENT_ENDINGS)),
        key=lambda noun: (kind_of(noun) != PERSON, len(noun)),
    )[:1]


def acts(verb: str) -> list[str]:
    """Return the nouns for the action of a verb, such as «location» for «locate»."""
    derived = _lexicon().nouns.get(verb, [])
    return [noun for noun in derived if noun.endswith(_ACT_ENDINGS) and noun != verb][:1]


def derived_nouns() -> list[str]:
    """Return nouns of the lexicon derived from verbs, such as «composer», alphabetically."""
    return sorted(_lexicon().verbs)


def verb_behind(noun: str) -> str:
    """Return the verb that a noun is derived from; "" where there is none.

    >>> verb_behind("birth"), verb_behind("release"), verb_behind("country")
    ('bear', 'release', '')
    """
    if noun == "birth":
        return "bear"
    verbs = _lexicon().verbs.get(noun, [])
    return min(verbs, key=lambda verb: (verb[:3] != noun[:3], len(verb))) if verbs else ""
