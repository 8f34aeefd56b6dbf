"""Words of relations that graphs often have: what they are called, and the verbs behind their names."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from graphbrick.language import forms
from graphbrick.language.stems import stem
from graphbrick.patterns.english import senses
from graphbrick.patterns.english.labels import english_table

_OF_MANY_USES = frozenset(
    "aim bind base come contain effect end follow game get give good group have head home inhabit inhabitant keep kind "
    "label live locate location make name nation native need occupy page part place posit position post reside "
    "residence resident role side sign site state style take target type unify unit use whole work".split()
)
"""Words that say something else in most questions, or, as those of places, may mean any of several relations."""


@lru_cache(maxsize=1)
def usual_words() -> frozenset[str]:
    """Return the words that usual relations go by: nouns such as «writer», and verbs such as «write».

    They are the single words of ``relations.toml``, and of the relations of the classes of ``classes.toml``.

    >>> {"writer", "write", "composer"} <= usual_words(), usual_words() & {"weather", "make"}
    (True, frozenset())
    """
    words = set[str]()
    for label, entry in english_table("relations").items():
        names = (label, *entry.get("tail", ()), *entry.get("head", ()), entry.get("verb", ""))
        words |= {label.split()[0], *(name for name in names if " " not in name)}
    for entry in english_table("classes").values():
        lists = (entry.get("sure", ()), entry.get("has", ())) if isinstance(entry, dict) else ()
        words |= {name for names in lists for name in names if " " not in name}
    words |= {verb for word in words if (verb := forms.verb_behind(word))}
    return frozenset(words - _OF_MANY_USES - {""})


@lru_cache(maxsize=1)
def words_in_names() -> frozenset[str]:
    """Return the words inside names of several words that usual relations have, such as «mater» of «alma mater»."""
    names = (name for label, entry in english_table("relations").items() for name in (label, *entry.get("tail", ())))
    return frozenset(word for name in names if " " in name for word in name.split())


@lru_cache(maxsize=8192)
def roots(word: str) -> frozenset[str]:
    """Return the stems of a word, of its dictionary forms, and of the verb that a noun is derived from.

    >>> roots("writers") & roots("wrote"), roots("actor") & roots("acted"), roots("writer") & roots("director")
    (frozenset({'writ'}), frozenset({'act'}), frozenset())
    """
    lemmas = {word, forms.singular(word), forms.verb_of(word)}
    behind = {forms.verb_behind(lemma) for lemma in lemmas if lemma}
    return frozenset(stem(one) for one in (*lemmas, *behind) if one)


def all_roots(words: Iterable[str]) -> frozenset[str]:
    """Return the roots of all words."""
    return frozenset(root for word in words for root in roots(word))


@lru_cache(maxsize=8192)
def synonyms(word: str) -> frozenset[str]:
    """Return words that may say what a word says: verbs, everyday nouns, and nouns for a wider or narrower kind."""
    noun, verb = forms.singular(word), forms.verb_of(word)
    return senses.same_verbs(verb or word) | senses.near_nouns(noun) | frozenset(senses.kinds_of(noun))
