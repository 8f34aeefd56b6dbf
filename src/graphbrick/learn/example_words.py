"""How example questions ask for the ends of a relation: short English, in the words that the graph was learned with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from graphbrick.core.errors import ModelError
from graphbrick.graphs.cards import Group
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.stems import spaced
from graphbrick.learn.learned import learned_place
from graphbrick.patterns.english.labels import PREPOSITIONS, read_label
from graphbrick.patterns.text import readable
from graphbrick.patterns.words_file import HEAD, TAIL, WORDS, EntityClass, RelationWords, read_words

_PART = "part"
_ACRONYM = 3  # letters
_MASS = frozenset("equipment software hardware weather furniture information news data".split())
_UNCOUNTED = _MASS | {"staff", "pokemon"}
_PREPOSITIONS = PREPOSITIONS | frozenset("via against after before between during upon without across around".split())


def plain(name: str) -> str:
    """Return the name of a property or class as words in lower case.

    >>> plain("launch_year"), plain("CompilationAlbum")
    ('launch year', 'compilation album')
    """
    return spaced(readable(name)).lower()


def class_noun(name: str) -> str:
    """Return what one thing of a class is called: «planet» for things of the class Planets.

    >>> class_noun("Planets"), class_noun("Species"), class_noun("CompilationAlbum"), class_noun("OS")
    ('planet', 'species', 'compilation album', 'os')
    >>> class_noun("PLANETS")
    'planet'
    """
    noun = plain(name)
    last = noun.split()[-1:]
    if last and len(last[0]) <= _ACRONYM and spaced(readable(name)).split()[-1] == last[0].upper():
        return noun  # an OS is no several of an O
    try:
        one = forms.singular(noun)
        if one == noun and noun.endswith("s") and not noun.endswith("ss") and not forms.is_word(noun.split()[-1]):
            one = noun[:-1]
        return one if forms.plural(one) == noun else noun
    except ModelError:
        return noun


def plural(noun: str) -> str:
    """Return the plural of a noun; of one that is not counted, such as «staff», the noun.

    >>> plural("club"), plural("staff")
    ('clubs', 'staff')
    """
    if noun.split()[-1:] and noun.split()[-1] in _UNCOUNTED:
        return noun
    try:
        return forms.plural(noun)
    except ModelError:
        return f"{noun}s"


def is_mass(noun: str) -> bool:
    """Return whether there are no several of what a noun says, such as weather."""
    return bool(_MASS & {*noun.split()[-1:]})


class ExampleWords:
    """The words of one graph: those of its folder of learned patterns, else those of its labels.

    Args:
        graph: The graph.
    """

    def __init__(self, graph: Any) -> None:
        file = learned_place(graph) / WORDS if isinstance(graph, Graph) else None
        relations: dict[str, RelationWords] = {}
        self._classes: list[EntityClass] = []
        if file is not None and file.is_file():
            relations, self._classes = read_words(file)
        self._relations = relations

    def step(self, group: Group, of_type: str) -> Step | None:
        """Return the wording of a relation; None if its label has no words, or no word forms are installed.

        Args:
            group: The relation, as a card has it.
            of_type: Type of its ends; empty if unknown.
        """
        try:
            words = _with_preposition(self._relations.get(group.label) or _of_label(group.label))
            return None if words.is_empty else Step(group, words, self.noun(group, of_type))
        except ModelError:
            return None

    def noun(self, group: Group, of_type: str) -> str:
        """Return what the ends of a relation are called; empty if that is unknown."""
        if of_type:
            return class_noun(of_type)
        classes = (one for one in self._classes if group.label in (one.tails if group.forward else one.heads))
        return next((one.names[0] for one in classes if one.names), "")


class Step:
    """One relation from an entity, as a question, a noun phrase, or a count.

    Args:
        group: The relation.
        words: Its words.
        noun: What its ends are called; empty if that is unknown.
    """

    def __init__(self, group: Group, words: RelationWords, noun: str) -> None:
        self._is_one, self._words, self._noun = group.count == 1, words, noun
        self._is_part = _PART in (words.head if group.forward else words.tail) and bool(noun)  # the entity is
        self._has_parts = _PART in (words.tail if group.forward else words.head) and bool(noun)
        self._role = _role(words, words.tail if group.forward else words.head, noun, plain(group.label).split())
        self._person = forms.kind_of(noun or self._role) == forms.PERSON
        self._subject_acts = words.verb and words.subject == (HEAD if group.forward else TAIL)  # the entity acts
        self._ends_act = words.verb and words.subject == (TAIL if group.forward else HEAD)
        self._is_past = words.subject == TAIL or bool(forms.participle_of(plain(group.label).split()[0]))
        self._forward = group.forward

    def question(self, who: str) -> str:
        """Return the question for the ends; empty if there is no wording."""
        words, nouns = self._words, self._nouns()
        if self._is_part:
            return f"Which {nouns} is {who} part of?"
        if self._has_parts:
            return f"Which {nouns} {'is' if self._is_one else 'are'} part of {who}?"
        if self._role:
            be, role = ("is", self._role) if self._is_one else ("are", plural(self._role))
            return f"{'Who' if self._person else 'What'} {be} the {role} of {who}?"
        if self._subject_acts:
            asked = f"Which {nouns}" if nouns else "What"
            return f"{asked} {'did' if self._is_past else 'does'} {who} {self._verb()}?"
        if self._ends_act:
            if self._person or self._is_past:
                asked = "Who" if self._person else f"Which {nouns}" if nouns else "What"
                return f"{asked} {self._verb(past=self._is_past, third=True)} {who}?"
            return f"Which {nouns} {self._verb(third=self._is_one)} {who}?" if nouns else ""
        if not words.preposition or not words.verb or not nouns:
            return ""
        done = forms.participle(words.verb)
        if self._forward:
            return f"{words.preposition.capitalize()} which {nouns} is {who} {done}?"
        return f"Which {nouns} {'is' if self._is_one else 'are'} {done} {words.preposition} {who}?"

    def phrase(self, who: str) -> str:
        """Return a noun phrase for the one end; empty if there is no wording."""
        if self._is_part:
            return f"the {self._noun} that {who} is part of"
        if self._role:
            return f"the {self._role} of {who}"
        if not self._noun:
            return ""
        if self._subject_acts:
            return f"the {self._noun} that {who} {self._verb(past=self._is_past, third=True)}"
        return f"the {self._noun} that {self._verb(past=self._is_past, third=True)} {who}" if self._ends_act else ""

    def count(self, who: str) -> str:
        """Return the question for the number of ends; empty if there is no wording."""
        words, nouns = self._words, plural(self._noun) if self._noun and not is_mass(self._noun) else ""
        if is_mass(self._noun) or is_mass(self._role):
            return ""
        if self._has_parts:
            return f"How many {nouns} are part of {who}?"
        if self._role:
            return f"How many {plural(self._role)} does {who} have?"
        if not nouns:
            return ""
        if self._subject_acts:
            return f"How many {nouns} {'did' if self._is_past else 'does'} {who} {self._verb()}?"
        if self._ends_act:
            return f"How many {nouns} {self._verb(past=self._is_past)} {who}?"
        if words.verb and words.preposition and not self._forward:
            return f"How many {nouns} are {forms.participle(words.verb)} {words.preposition} {who}?"
        return ""

    def most(self, noun: str) -> str:
        """Return the question which entity of a class has the most ends; empty if there is no wording."""
        counted = self._noun if self._has_parts else self._role
        return f"Which {noun} has the most {plural(counted)}?" if counted and noun else ""

    def _nouns(self) -> str:
        return self._noun if self._is_one or not self._noun else plural(self._noun)

    def _verb(self, *, past: bool = False, third: bool = False) -> str:
        verb = self._words.verb
        form = forms.past(verb) if past else forms.third_person(verb) if third else verb
        return f"{form} {self._words.preposition}".strip()


def _role(words: RelationWords, roles: Sequence[str], noun: str, label: Sequence[str]) -> str:
    """Return what the ends of a relation are to the entity, by their own noun if it is one; empty for no good word.

    «treatment» is none for doctors who treat somebody, «starring» and «on loan to» are no nouns, and «who handled» says
    more than «handler», which only the verb of the label has made.
    """
    if noun in roles and not noun.endswith("ing"):
        return noun
    made = {words.verb, *forms.agents(words.verb), *forms.acts(words.verb)} - {*label} if noun and words.verb else set()
    role = next(filter(_is_role, roles), "")
    is_other = bool(noun) and bool(words.verb) and forms.kind_of(noun) == forms.PERSON != forms.kind_of(role)
    return "" if is_other or role in made else role


def _is_role(role: str) -> bool:
    """Return whether words are a noun for what something is to another.

    >>> [one for one in ("tactic", "on loan to", "rolls up to", "most captained", "starring") if _is_role(one)]
    ['tactic']
    """
    first, last = role.split()[0], forms.singular(role.split()[-1])
    if last in _PREPOSITIONS or first in _PREPOSITIONS or first in ("can", "may", "is", "has") or last == "have":
        return False
    is_verb = first != last and bool(forms.third_person_of(first))
    return not is_verb and not role.endswith("ing") and (forms.may_be_noun(last) or not forms.participle_of(last))


def _with_preposition(words: RelationWords) -> RelationWords:
    """Return words in which a preposition that was read as a noun follows the verb: «shipped via»."""
    if words.verb and len(words.tail) == 1 and words.tail[0] in _PREPOSITIONS:
        return replace(words, tail=[], preposition=words.tail[0])
    return words


@lru_cache(maxsize=4096)
def _of_label(label: str) -> RelationWords:
    return read_label(label)
