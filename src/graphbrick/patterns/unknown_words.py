"""Words that a graph does not know, read as words that it knows: typing errors and words of the same meaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from graphbrick.core.deferred import cached_property
from graphbrick.language import forms
from graphbrick.language.folding import fold
from graphbrick.language.stems import is_plural, stem, stems, without_plural
from graphbrick.language.stop_words import FUNCTION_WORDS
from graphbrick.patterns.english import senses
from graphbrick.patterns.english.places import places_of
from graphbrick.patterns.english.usual import words_in_names
from graphbrick.patterns.lexicon import Lexicon

_SHORTEST, _LONG = 4, 8  # letters of a word with a typing error; from the second on, two errors
_NOT = ("un", "in", "im", "ir", "non", "dis", "mis")  # «unshipped» is not «shipped» with a typing error
_BEFORE_CLASS = r"(?:^|\b(?:many|the|which|what|all|fewest|most|any|no|every|each|of) )"
_BEFORE_NOUN = r"(?:^|\b(?:the|an?|which|what|whose|many|all|most|fewest|no|any|of|'s) )"
_VERB = (  # what stands before and after a verb: «who work in», «people who report to X work from»
    r"\b(?:who|that|(?<=\w )which|they|ever|(?:does|do|did|has|have) \S+(?: \S+)?"
    r"|(?!(?:is|was|has|does|this|its|his)\b)\w+s) {word} (?:in|at|for|from|with|on|under|there|together)\b"
)
_MOVES = frozenset(("go", "come"))  # verbs that nearly every verb may mean: what goes is operated, worn or sold
_KIND = 1  # distance of a class, such as starship, whose name ends with a noun, such as ship
_FEWEST_ERRORS, _MOST_ERRORS = 1, 2
_BEGINNING, _LEFT_OUT = 3, 3  # letters of a shortened word, and those that it leaves out at least
_SHORTENED = frozenset("arch gen pop temp rep spec prof loc pos".split())  # words that have a meaning of their own too


@dataclass(frozen=True)
class Reading:
    """A word that is read as another one.

    Attributes:
        word: The word of the question.
        read_as: The word of the graph.
        is_spelling: Whether it is a typing error, or short for the other; else the words have one meaning.
    """

    word: str
    read_as: str
    is_spelling: bool

    def __str__(self) -> str:
        return f"{self.word!r} is read as {self.read_as!r}"


@dataclass(frozen=True)
class WordReader:
    """A reader of the words that a graph does not know.

    Words that the graph or the questions know are never changed.

    Args:
        lexicon: The words of the graph.
        known: Stems and words that have another meaning in questions.
        values: Returns words of values of properties, which may be misspelt too; called for unknown words only.
        whole: Returns whole values of properties, in lower case; called for adjectives of places only.
        asking: Words that questions are built with, which may be misspelt too.
        properties: Names of the properties of entities, as lower-case words.
        around: The stems of the words of the relations of what the question names; of several verbs of one meaning one
            of these is read.
    """

    lexicon: Lexicon
    known: Collection[str] = ()
    values: Callable[[], Iterable[str]] = field(default=tuple)
    whole: Callable[[], Collection[str]] = field(default=tuple)
    asking: Collection[str] = ()
    properties: Collection[str] = ()
    around: Collection[str] = ()

    def misspelt(self, words: Iterable[str]) -> list[Reading]:
        """Return the words that are typing errors of one known word; «mater» of «alma mater» is none."""
        unknown = [word for word in self._unknown(words) if word not in words_in_names()]
        found = [reading for word in unknown if (reading := self._by_spelling(word))]
        return [one for one in found if not any(one.word == f"{no}{one.read_as}" for no in _NOT)]

    def near(self, words: Iterable[str], text: str) -> list[Reading]:
        """Return the words that mean what one word of the graph means.

        Args:
            words: The words.
            text: Where they stand; a noun follows «the», «which» and the like.
        """
        words = list(words)
        doers = {forms.verb_behind(forms.singular(word)) for word in words} if forms.is_installed() else set()
        readings = (
            self._by_meaning(
                word,
                is_noun=bool(re.search(rf"{_BEFORE_NOUN}{word}\b", text, re.IGNORECASE)),
                is_verb=bool(re.search(_VERB.format(word=word), text, re.IGNORECASE)),
                doers=doers,
            )
            for word in self._unknown(words)
            if not self._is_part_of_class(word, text) or self._is_near_state(word)
        )
        return [one for one in readings if one]

    def _is_near_state(self, word: str) -> bool:
        """Return whether a word means what a property or a value says: «compulsory courses», of `mandatory`."""
        near = senses.near_nouns(word)
        return not (near.isdisjoint(self.properties) and near.isdisjoint(self.whole()))

    def _is_part_of_class(self, word: str, text: str) -> bool:
        """Return whether a word stands between «how many», «the» and the like and a class: «train stations»."""
        match = re.search(rf"{_BEFORE_CLASS}{word} (?P<noun>[a-z]+)\b", text, re.IGNORECASE)
        return match is not None and stems(match["noun"]) in self.lexicon.by_class

    def _unknown(self, words: Iterable[str]) -> list[str]:
        return [
            word
            for word in dict.fromkeys(words)
            if word.isalpha() and stem(word) not in self.lexicon.words and not {word, stem(word)} & self._known
        ]

    @cached_property
    def _known(self) -> frozenset[str]:
        names = (word for name in self.properties for word in name.split())
        return frozenset((*self.known, *FUNCTION_WORDS, *map(stem, names)))

    @cached_property
    def _classes(self) -> list[str]:
        """The names of the classes in lower case and the singular."""
        return [" ".join(map(without_plural, name.lower().split())) for name in self.lexicon.classes]

    @cached_property
    def _nouns(self) -> dict[str, str]:
        """The nouns of classes, relations and properties, by their stems, so that forms of one noun are one."""
        nouns = (*self._classes, *(noun for one in self.lexicon.relations for noun in one.nouns), *self.properties)
        return {noun: " ".join(stems(noun)) for noun in nouns}

    @cached_property
    def _verbs(self) -> list[tuple[str, frozenset[str]]]:
        """The verbs of relations and properties, each with the stems of all words of it: «compose» for `composer`."""
        of_relations = [(one.verb, frozenset(one.words)) for one in self.lexicon.relations if one.verb]
        names = [(name, forms.verb_behind(name) or forms.verb_of(name)) for name in self.properties]
        return of_relations + [(verb, frozenset(stems(name))) for name, verb in names if verb]

    def _by_meaning(self, word: str, *, is_noun: bool, is_verb: bool, doers: Collection[str]) -> Reading | None:
        """Return the only noun, or verb, of the graph that means what a word means; no noun for what is a verb."""
        if not forms.is_installed() or not (forms.is_word(word) or senses.near_nouns(word)):
            return None
        noun, verb = forms.singular(word) or word, forms.verb_of(word)
        if verb in _MOVES:
            return None
        if is_verb and not verb:
            return None
        kinds = senses.kinds_of(noun)
        near = {name: distance for name in self._nouns if (distance := _distance(noun, name, kinds)) is not None}
        near |= {
            name: _KIND for name in self._classes if name.endswith(noun) and name != noun and len(noun) >= _SHORTEST
        }
        least = min(near.values(), default=0)
        nouns = {self._nouns[name]: name for name, distance in near.items() if distance == least}
        of_classes = {key: name for key, name in nouns.items() if name in self._classes}
        nouns = {} if is_verb else of_classes if len(of_classes) == 1 else nouns
        same = senses.same_verbs(verb) if verb else frozenset()
        spoken = [(other, words) for other, words in self._verbs if other in same]
        verbs = {other for other, _ in spoken}
        if len(verbs) > 1:
            of_doers = {other for other, _ in spoken if other in doers}  # «operators run»
            verbs = of_doers or {other for other, words in spoken if words & set(self.around)}
        if len(nouns) == 1 and (is_noun or not verbs):
            (name,) = nouns.values()
            return Reading(word, forms.plural(name) if word != noun or is_plural(word) else name, False)
        if len(verbs) == 1 and not (nouns and is_noun):
            (other,) = verbs
            return Reading(word, forms.like(word, verb, other), False)
        one = frozenset[str]() if is_verb else senses.near_nouns(noun)  # of several the question may mean another
        if not nouns and not verbs and len(one) == 1 and one <= set(self.whole()):  # «doctors» of the role «physician»
            (value,) = one
            return Reading(word, forms.plural(value) if is_plural(word) else value, False)
        return None

    def _by_spelling(self, word: str) -> Reading | None:
        """Return the only known word that a word is short for, or misspells, if English does not have the word.

        One typing error is read, two in a long word.
        """
        places = places_of(word)
        if places and word not in self.whole():
            place = next(filter(self.whole().__contains__, places), "")
            if place:
                return Reading(word, place, True)  # «Swedish» of the value «Sweden»
        if word in self._spoken:
            return None  # such as the value «Japan» beside «Japanese»
        movement = re.sub(r"ists?$", "ism", word)
        if movement != word and movement in self._spoken:
            return Reading(word, movement, True)  # «cubists» of the value «Cubism»
        if word in _SHORTENED or not (forms.is_installed() and forms.is_word(word)):
            whole = {stem(other): other for other in self._candidates if _is_beginning(word, other)}
            if len(whole) == 1:
                return Reading(word, next(iter(whole.values())), True)
        if len(word) < _SHORTEST or (forms.is_installed() and forms.is_word(word)):
            return None
        if word in self._candidates:
            return None  # the name of a property
        most = _MOST_ERRORS if len(word) >= _LONG else _FEWEST_ERRORS
        for errors in range(_FEWEST_ERRORS, most + 1):
            near = [other for other in self._candidates if _is_within(word, other, errors)]
            if near:
                near = [other for other in near if _slips(word, other)] or near  # «wich» is which rather than with
                alike = {stem(other) for other in near}
                is_other = len(alike) == 1 and stem(word) not in alike
                return Reading(word, _most_alike(word, near), True) if is_other else None
        return None

    @cached_property
    def _candidates(self) -> list[str]:
        """The words of the graph and of questions, of which a word may be a typing error."""
        words = {word for word in self.asking if word.isalpha() and len(word) >= _SHORTEST}
        verbs = {forms.verb_of(word) for word in words} if forms.is_installed() else set()
        done = {forms.participle(verb) for verb in verbs if verb}  # «released» of `release_date`
        return sorted(self._spoken.union(words, (word for word in done if len(word) >= _SHORTEST)))

    @cached_property
    def _spoken(self) -> frozenset[str]:
        """The words of the graph as people write them, with plurals."""
        nouns = {noun for one in self.lexicon.relations for noun in one.nouns} | set(self.lexicon.classes)
        if forms.is_installed():
            nouns |= {forms.plural(noun) for noun in nouns}
        texts = (*nouns, *self.values(), *(word for one in self.lexicon.relations for word in one.spoken))
        words = {word for text in texts for word in fold(text).split()}
        words -= set(FUNCTION_WORDS)  # «info» is not a typing error of «into»
        return frozenset(word for word in words if word.isalpha() and len(word) >= _SHORTEST)


def with_readings(text: str, readings: Iterable[Reading]) -> str:
    """Return a text with the words that are read in place of others.

    >>> with_readings("Who came secnd in Rome?", [Reading("secnd", "second", True)])
    'Who came second in Rome?'
    """
    for reading in readings:
        text = re.sub(rf"(?<!\w){re.escape(reading.word)}(?!\w)", reading.read_as, text, flags=re.IGNORECASE)
    return text


def _distance(noun: str, name: str, kinds: Mapping[str, int]) -> int | None:
    """Return how far two nouns are in meaning: 0 for the same, 2 for a kind of a kind; None for more."""
    if name in senses.near_nouns(noun):
        return 0
    return kinds.get(name, senses.kinds_of(name).get(noun))


def _most_alike(word: str, near: list[str]) -> str:
    """Return the form that ends as a word does."""
    return min(near, key=lambda other: (word.endswith("s") != other.endswith("s"), abs(len(word) - len(other)), other))


def _slips(word: str, other: str) -> bool:
    """Return whether letters are left out, doubled or swapped, and none is another one; the first is the same.

    >>> _slips("wich", "which"), _slips("wich", "with"), _slips("mnay", "many")
    (True, False, True)
    """
    if sorted(word) == sorted(other):
        return True
    short, long = sorted((word, other), key=len)
    letters = iter(long)
    return len(short) < len(long) and short[0] == long[0] and all(letter in letters for letter in short)


def _is_beginning(word: str, other: str) -> bool:
    """Return whether a word may be short for another one.

    >>> _is_beginning("gen", "generation"), _is_beginning("gener", "general"), _is_beginning("ge", "generation")
    (True, False, False)
    """
    return _BEGINNING <= len(word) <= len(other) - _LEFT_OUT and other.startswith(word)


def _is_within(word: str, other: str, most: int) -> bool:
    """Return whether at most so many letters are added, left out, changed or swapped between two words.

    >>> _is_within("secnd", "second", 1), _is_within("mangaed", "managed", 1), _is_within("servces", "services", 0)
    (True, True, False)
    """
    if abs(len(word) - len(other)) > most:
        return False
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        earlier, before, row = before, row, [i]
        for j, of_other in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != of_other))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == of_other:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return False
    return row[-1] <= most
