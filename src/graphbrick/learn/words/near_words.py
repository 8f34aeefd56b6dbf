"""Words that people may use in place of the nouns of a graph, found by meaning."""

from __future__ import annotations

from collections.abc import Iterable

from graphbrick.language import forms
from graphbrick.language.stop_words import FUNCTION_WORDS, WHO_WHEN_WHERE
from graphbrick.patterns.alignment.near_words import NearWords
from graphbrick.patterns.english import senses
from graphbrick.patterns.text import words_of
from graphbrick.patterns.words.phrasebook import Phrasebook

_LONGEST = 4  # words of a phrase


def near_words(book: Phrasebook, questions: Iterable[str]) -> NearWords:
    """Return words that mean a noun of a relation, or a kind of it, and that no question has.

    What a word is a kind of says what it speaks of: a creed is a belief, an alma mater a school. Questions are not
    written with such words, because most of them are rare; they are read as the noun they are nearest to.

    Args:
        book: The nouns of the relations.
        questions: The questions that are learned from, masked; their words need no other.
    """
    entries = book.relations.values()
    own = {noun for entry in entries for noun in (*entry.tail, *entry.head)}
    known = {*FUNCTION_WORDS, *WHO_WHEN_WHERE, *own, *(name for entry in book.classes for name in entry.names)}
    for question in questions:
        spoken = [word.lower() for word in words_of(question)]
        known.update(" ".join(spoken[at : at + n]) for n in range(1, _LONGEST + 1) for at in range(len(spoken) - n + 1))
    nouns: dict[str, tuple[int, int, str]] = {}
    for entry in entries:
        for names in (entry.tail, entry.head):
            for place, noun in enumerate(names):
                for word, distance in senses.kinds_of(noun).items():
                    far = (distance, place, noun)
                    nouns[word] = min(nouns.get(word, far), far)
    by_word: dict[str, str] = {}
    for word, (_, _, noun) in sorted(nouns.items()):
        # «driving school» is understood by its last word
        if {word, forms.plural(word)}.isdisjoint(known) and word.split()[-1] not in known:
            by_word[word] = noun
            by_word.setdefault(forms.plural(word), forms.plural(noun))
    return NearWords(by_word)
