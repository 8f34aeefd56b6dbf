"""Relation patterns in words: «services that depend on cart-db»."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from graphbrick.core.errors import ModelError
from graphbrick.core.session import current_session
from graphbrick.language import forms
from graphbrick.language.stems import spaced, stem
from graphbrick.patterns.text import readable
from graphbrick.patterns.words_file import HEAD, TAIL, WORDS, EntityClass, RelationWords, read_words

_NAMELESS = "thing"
_PREPOSITIONS = frozenset("at by for from in of on to with".split())


@dataclass(frozen=True)
class InWords:
    """The words that patterns of a graph are written with.

    Attributes:
        relations: The words of each relation by its label; empty for a graph that was not learned.
        classes: The classes of entities.
        symmetric: Labels of the relations whose two directions mean the same.
    """

    relations: Mapping[str, RelationWords]
    classes: Sequence[EntityClass] = ()
    symmetric: Set[str] = frozenset()

    @classmethod
    def of(cls, learned: str | None, symmetric: Set[str] = frozenset()) -> InWords:
        """Return the words in the folder of learned patterns; none without a folder, or if it has no file of words.

        Raises:
            InputError: The file of words is damaged.
        """
        file = None if learned is None else Path(learned).expanduser() / WORDS
        if file is None or not file.is_file():
            return cls({}, (), symmetric)
        stamp = file.stat().st_mtime_ns
        relations, classes = current_session().get(("words", file, stamp), lambda: read_words(file), at_most=8)
        return cls(relations, classes, symmetric)

    def phrase(self, start: str, steps: Sequence[tuple[str, bool]], ends: Sequence[str] = (), *, many: bool) -> str:
        """Return the noun phrase for the entities at the end of a pattern.

        Args:
            start: The name of its start.
            steps: The labels of its relations, each with whether it is followed from head to tail.
            ends: The type of the entities at the end of each step; empty texts where there is none.
            many: Whether several entities are at its end.

        >>> led = RelationWords(tail=["leader"], verb="lead", subject="tail")
        >>> works = RelationWords(head=["employee"], verb="work", subject="head", preposition="at")
        >>> words = InWords({"led by": led, "works at": works}, [EntityClass(["person"], ["works at"], ["led by"])])
        >>> words.phrase("Shop", [("works at", False)], many=True)
        'people who work at Shop'
        >>> words.phrase("Ada", [("works at", True), ("led by", True)], ["team", "person"], many=False)
        'leader of teams that Ada works at'
        >>> InWords({}).phrase("Ada", [("CbG", False)], many=False)
        'thing that leads to Ada by «CbG»'
        """
        phrase = _Phrase(start, many=False)
        for at, (label, forward) in enumerate(steps):
            is_forward = forward or label in self.symmetric
            noun = self._noun(label, is_forward, ends[at] if at < len(ends) else "")
            step = _Step(label, is_forward, self._words(label), noun, many if at == len(steps) - 1 else True)
            phrase = _Phrase(step.of(phrase), step.many)
        return phrase.text

    def _words(self, label: str) -> RelationWords:
        words = self.relations.get(label)
        words = _read(label) if words is None or words.is_empty else words
        if label in self.symmetric and words.verb and words.subject == HEAD:
            return RelationWords(verb=words.verb, subject=TAIL, preposition=words.preposition)
        return words

    def _noun(self, label: str, forward: bool, of_type: str) -> str:
        """Return what the entities at the end of a step are called."""
        names = (name for one in self.classes if label in (one.tails if forward else one.heads) for name in one.names)
        return next(names, spaced(of_type).lower() or _NAMELESS)


class _Phrase(NamedTuple):
    """A noun phrase, and whether it is in the plural."""

    text: str
    many: bool


@dataclass(frozen=True)
class _Step:
    """One step of a pattern.

    Attributes:
        label: The label of its relation.
        forward: Whether it is followed from head to tail.
        words: The words of the relation.
        noun: What the entities at its end are called.
        many: Whether there are several.
    """

    label: str
    forward: bool
    words: RelationWords
    noun: str
    many: bool

    def of(self, inner: _Phrase) -> str:
        """Return the phrase for the ends of the step from an inner phrase."""
        words = self.words
        own, other = (words.tail, words.head) if self.forward else (words.head, words.tail)
        in_label = set(map(stem, _words_of(self.label)))
        named = next((name for name in own if in_label.intersection(map(stem, name.split()))), "")
        verb, subject = words.verb, words.subject
        participle = "" if verb else _participle_of(named or next(iter(other), ""))
        if participle:  # «affected» of a relation `AFFECTED`
            verb, subject, named = participle, HEAD, ""
        if verb and (named in ("", verb)):
            passive = own[0] if subject == TAIL and self.forward and own else ""
            return f"{self._named(passive)} of {inner.text}" if passive else self._with_verb(verb, subject, inner)
        if own:
            return f"{self._named(named or own[0])} of {inner.text}"
        nouns, preposition = self._named(self.noun), words.preposition
        if other:
            role = _plural(other[0]) if inner.many else f"{'an' if other[0][:1] in 'aeiou' else 'a'} {other[0]}"
            return f"{nouns} that {inner.text} {_be(inner.many)} {role} of"
        if preposition:
            return f"{nouns} {preposition} {inner.text}"
        leads, by = "lead" if (inner.many if self.forward else self.many) else "leads", f"«{readable(self.label)}»"
        return f"{nouns} that " + (
            f"{inner.text} {leads} to by {by}" if self.forward else f"{leads} to {inner.text} by {by}"
        )

    def _with_verb(self, verb: str, subject: str, inner: _Phrase) -> str:
        """Return «teams based in X», «people who resolved X» or «incidents that X resolved»."""
        nouns, preposition = self._named(self.noun), self.words.preposition and f" {self.words.preposition}"
        if not subject:
            state = f"{_form(forms.participle, verb)}{preposition}"
            is_in = f"that {inner.text} {_be(inner.many)} {state}"
            return f"{nouns} {is_in}" if self.forward else f"{nouns} {state} {inner.text}"
        if self.noun == verb:  # «causes of X»
            return f"{nouns} of {inner.text}"
        acts = (subject == HEAD) != self.forward
        spoken = f"{_in_tense(verb, self.label, many=self.many if acts else inner.many)}{preposition}"
        who = "who" if forms.kind_of(self.noun) == forms.PERSON or self.noun == "person" else "that"
        return f"{nouns} {who} {spoken} {inner.text}" if acts else f"{nouns} that {inner.text} {spoken}"

    def _named(self, noun: str) -> str:
        return _plural(noun) if self.many else noun


def _read(label: str) -> RelationWords:
    """Return words for the label of a relation that was not learned; none for a code, or without the dictionary.

    >>> _read("depends_on").verb, _read("partOf").head, _read("has capital").tail, _read("CbG").is_empty
    ('depend', ['part'], ['capital'], True)
    """
    words = _words_of(label)
    words = words[1:] if len(words) > 1 and words[0] in ("has", "have") else words
    preposition = words[-1] if len(words) > 1 and words[-1] in _PREPOSITIONS else ""
    body = words[:-1] if preposition else words
    try:
        verb = forms.third_person_of(body[0]) if len(body) == 1 else ""
        if verb:
            return RelationWords(verb=verb, subject=HEAD, preposition=preposition)
        if preposition == "of":
            return RelationWords(head=[" ".join(body)])
        verb = forms.participle_of(body[0]) if len(body) == 1 and preposition else ""
        if verb:  # drove for, directed by, located in
            subject = HEAD if forms.participle(verb) != body[0] else TAIL * (preposition == "by")
            return RelationWords(verb=verb, subject=subject, preposition="" if subject == TAIL else preposition)
        is_name = any(map(forms.is_noun, body)) and all(map(forms.may_be_noun, body)) and not preposition
    except ModelError:
        return RelationWords()
    return RelationWords(tail=[" ".join(body)]) if is_name else RelationWords()


def _words_of(label: str) -> list[str]:
    return spaced(readable(label)).lower().split()


def _in_tense(verb: str, label: str, *, many: bool) -> str:
    """Return a verb in the tense of the label: resolved, but depend on."""
    spoken, past = _words_of(label), _form(forms.past, verb)
    if past in spoken and past != verb and "by" not in spoken:
        return past
    return verb if many else _form(forms.third_person, verb)


def _be(many: bool) -> str:
    return "are" if many else "is"


def _plural(noun: str) -> str:
    return _form(forms.plural, noun)


def _form(inflect: Callable[[str], str], word: str) -> str:
    """Return a form of a word; the word itself where the dictionary is not installed."""
    try:
        return inflect(word)
    except ModelError:
        return word


def _participle_of(word: str) -> str:
    """Return the verb that a word is a form of, such as «affect»; empty for another word, or without the dictionary."""
    try:
        return forms.participle_of(word) if word else ""
    except ModelError:
        return ""
