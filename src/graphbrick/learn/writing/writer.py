"""Questions written from relation patterns, each word tagged with the hop it speaks of."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graphbrick.language import forms
from graphbrick.patterns.english.labels import english_table
from graphbrick.patterns.text import PLACEHOLDER, Steps, readable, without_marks
from graphbrick.patterns.words.phrasebook import NAMELESS, Phrasebook
from graphbrick.patterns.words_file import HEAD, TAIL, RelationWords

_CLASS_BESIDE_SEED = 0.35  # of questions; «the film X»
_ONE_STYLE = (
    0.4  # of questions are nouns alone: «X's spouse's child», «the child of the spouse of X», «a child of X's spouse»
)
_STYLES = ("the {n} of @", "the {n} of @", "{n} of @")
_LOOPS = 0.5  # of the patterns a step there and back are written as such («share an actor with»)
_ASKS = 0.6  # of last steps are written as questions of their own
_QUESTION_MARK = 0.2
_PLURAL = 0.3  # of nouns, in questions of one style
_ROLE = 0.3  # of answers are named by their role («which director») rather than their class («which person»)
_SAID = 0.3  # of last steps are written as a question of the phrasebook, where it has one
_FIRST_NOUN = 0.5  # how often a relation is called by its first noun
_WHERE = frozenset("at from in into near on to under within".split())
"""Prepositions of what may be a place."""
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Written:
    """A question about the placeholder, word by word.

    Attributes:
        words: The words; the entity is ``X``.
        hops: For each word the hop that it speaks of, from 0; -1 for what speaks of the seed itself, None for the seed.
    """

    words: tuple[str, ...]
    hops: tuple[int | None, ...]

    def text(self, seed: str = PLACEHOLDER) -> str:
        """Return the question about an entity."""
        return " ".join(seed if word == PLACEHOLDER else word for word in self.words).replace(" 's", "'s")


Tagged = list[tuple[str, int | None]]


class Writer:
    """A writer of questions for relation patterns, with the words of a phrasebook.

    Args:
        book: The words of relations and names of classes.
    """

    def __init__(self, book: Phrasebook) -> None:
        self._book = book
        self._steps: dict[tuple[str, bool], _Step] = {}

    def _step(self, label: str, forward: bool) -> _Step:
        """Return a step, which is made once."""
        step = self._steps.get((label, forward))
        if step is None:
            step = self._steps[label, forward] = _Step(self._book, label, forward)
        return step

    def write(self, pattern: Steps, rng: random.Random, fact: tuple[tuple[str, bool], str] | None = None) -> Written:
        """Write a question whose answers are the ends of a pattern from the placeholder.

        Args:
            pattern: The pattern.
            rng: What is chosen by chance.
            fact: A step from an answer and the name of what it leads to, which the question says as well.
        """
        pattern = without_marks(pattern)
        tagged, at, asks = self._seed(pattern[0], rng), 0, False
        style, possessives = "", 0
        if rng.random() < _ONE_STYLE:
            style, possessives = rng.choice(_STYLES), rng.choice((0, len(pattern), rng.randint(0, len(pattern))))
        while at < len(pattern):
            step = self._step(*pattern[at])
            there_and_back = at + 1 < len(pattern) and pattern[at + 1] == (step.label, not step.forward)
            if there_and_back and not style and rng.random() < _LOOPS:
                at += 2
                frame = step.loop(rng, may_ask=at == len(pattern))
            else:
                at += 1
                if style and step.nouns:
                    text = "@ 's {n}" if at <= possessives else style
                    plural = rng.random() < _PLURAL
                    frame = _Frame(text.replace("{n}", "{ns}") if plural else text, "asked_noun")
                else:
                    frame = step.frame(rng, may_ask=at == len(pattern))
            tagged, asks = step.fill(frame, tagged, at - 1, rng), frame.asks
        if not asks:
            last = self._step(*pattern[-1])
            frame = _Frame(rng.choice(english_table("frames")["whole"]["questions"]), "asked_noun")
            tagged = last.fill(frame, tagged, len(pattern) - 1, rng)
        if fact is not None:
            tagged += self._said_also(*fact, rng)
        if rng.random() < _QUESTION_MARK:
            tagged.append(("?", None))
        return Written(tuple(word for word, _ in tagged), tuple(hop for _, hop in tagged))

    def _said_also(self, step: tuple[str, bool], name: str, rng: random.Random) -> Tagged:
        """Return words that say a fact about the answer; they speak of no hop."""
        of_step = self._step(*step)
        kind = "fact_noun" if of_step.nouns else "fact_given_noun" if of_step.given_nouns else "fact"
        frame = rng.choice(english_table("frames")["also"][kind])
        noun = _pick(of_step.nouns or of_step.given_nouns or [""], rng)
        return _filled(frame, {"n": noun}, [(word, -1) for word in name.split()], -1)

    def _seed(self, first: tuple[str, bool], rng: random.Random) -> Tagged:
        """Return the placeholder, sometimes with the name of its class beside it."""
        label, forward = first
        names = self._step(label, forward).names[forward]
        tagged: Tagged = [(PLACEHOLDER, None)]
        if not names or rng.random() >= _CLASS_BESIDE_SEED:
            return tagged
        frame = rng.choice(english_table("frames")["seed"]["phrases"])
        return _filled(frame, {"t": rng.choice(names)}, tagged, -1)


class _Frame(NamedTuple):
    """One frame of frames.toml.

    Attributes:
        text: Its words and slots.
        kind: The table it is from, which says what its noun is to what; "said" for a question of the phrasebook.
        asks: Whether it is a question.
    """

    text: str
    kind: str
    asks: bool = False

    @property
    def is_loop(self) -> bool:
        """True if it stands for a step and its way back."""
        return self.kind in ("same_tail", "same_head")


class _Step:
    """One step of a pattern and the frames it can be written in."""

    def __init__(self, book: Phrasebook, label: str, forward: bool) -> None:
        self.label, self.forward = label, forward
        self.words = book.relations.get(label) or RelationWords()
        fallback = [] if not self.words.is_empty else [readable(label).lower()]
        of_relation = (self.words.tail or fallback) if forward else self.words.head
        self.nouns = list(dict.fromkeys([*of_relation, *book.only_names(label, forward=forward)]))
        self.given_nouns = self.words.head if forward else (self.words.tail or fallback)
        self.names = {head: book.names(label, head=head) for head in (False, True)}
        self._are_people = {head: book.is_person(label, head=head) for head in (False, True)}
        self._kinds = {forms.kind_of(noun) for noun in self.nouns}

    def frame(self, rng: random.Random, *, may_ask: bool) -> _Frame:
        """Return a frame for this step."""
        questions = self.words.tail_questions if self.forward else self.words.head_questions
        if may_ask and questions and rng.random() < _SAID:
            return _Frame(rng.choice(questions), "said", asks=True)
        kinds = []
        if self.nouns:
            kinds.append("asked_noun")
        if self.given_nouns:
            kinds.append("given_noun")
        if self.words.verb:
            if not self.words.subject:
                kinds.append("given_is" if self.forward else "asked_is")
            else:
                kinds.append("given_acts" if self.forward == (self.words.subject == HEAD) else "asked_acts")
        elif self.words.preposition:
            kinds.append("beside")
        kind = rng.choice(kinds)
        asks = may_ask and rng.random() < _ASKS
        group = english_table("frames")[kind]
        frames = list(group["questions" if asks else "phrases"])
        if self.words.verb and not self.words.preposition:
            frames += group.get("passive_questions" if asks else "passive_phrases", [])
        elif self.words.subject == TAIL:
            frames += group.get("located_phrases", []) if not asks else []
        return _Frame(rng.choice(frames), kind, asks)

    def loop(self, rng: random.Random, *, may_ask: bool) -> _Frame:
        """Return a frame for this step and its way back."""
        kind = "same_tail" if self.forward else "same_head"
        group = english_table("frames")[kind]
        asks = may_ask and rng.random() < 0.5
        frames = list(group["questions" if asks else "phrases"])
        voice = {TAIL: "agent", HEAD: "acts"}.get(self.words.subject, "done")
        if self.words.verb:
            frames += group.get(f"{voice}_questions" if asks else f"{voice}_phrases", [])
        return _Frame(rng.choice(frames), kind, asks)

    def fill(self, frame: _Frame, inner: Tagged, hop: int, rng: random.Random) -> Tagged:
        """Return the words of a frame with the phrase so far in its place, tagged with a hop."""
        asked_is_head = self.forward if frame.is_loop else not self.forward
        noun = _pick(self._noun_choices(frame), rng)
        names = self.names[asked_is_head] or list(NAMELESS)
        if not asked_is_head and not frame.is_loop and self.nouns and rng.random() < _ROLE:
            names = [self.nouns[0]]  # «which director» for people who are only ever directors
        shared = self.names[not self.forward] or list(NAMELESS)
        name, common, verb = _pick(names, rng), _pick(shared, rng), self.words.verb or "have"
        person = self._are_people[asked_is_head] or forms.kind_of(noun) == forms.PERSON
        wh = "who" if person else "what"
        kind = forms.kind_of(name) or forms.kind_of(noun)
        where = "where" if self._may_be_place({forms.kind_of(name), *self._kinds}) else wh
        values = {
            "n": noun, "t": name, "h": common, "v": verb, "p": self.words.preposition, "who": wh,
            "when": {forms.TIME: "when", forms.PLACE: "where"}.get(kind, rng.choice((where, wh))),
        }  # fmt: skip
        return _filled(frame.text, values, inner, hop)

    def _may_be_place(self, kinds: set[str]) -> bool:
        """Return whether «where» may ask for entities of some kinds: works in a team, not as a baker."""
        if forms.PLACE in kinds or not self.words.subject:
            return True
        if forms.GROUP in kinds:
            return self.words.preposition in (*_WHERE, "for")
        return forms.PERSON not in kinds and self.words.preposition in _WHERE

    def _noun_choices(self, frame: _Frame) -> Sequence[str]:
        """Return the choices for the noun of a frame: never empty."""
        if frame.is_loop:
            return self.words.tail or [self.words.verb or readable(self.label).lower()]
        nouns = self.given_nouns if frame.kind == "given_noun" else self.nouns
        return nouns or self.given_nouns or [readable(self.label).lower()]


def _pick(choices: Sequence[str], rng: random.Random) -> str:
    """Return the first choice half of the time, else any."""
    return choices[0] if rng.random() < _FIRST_NOUN else rng.choice(choices)


def _filled(frame: str, values: Mapping[str, str], inner: Tagged, hop: int) -> Tagged:
    """Return the words of a frame with the hop they speak of; words in [] speak of the hop before."""
    tagged: Tagged = []
    before = False
    for piece in frame.split():
        before |= piece.startswith("[")
        closes, piece = "]" in piece, piece.replace("[", "").replace("]", "")
        if piece == "@":
            tagged += inner
        else:
            speaks_of = hop - 1 if before else hop
            tagged += [(word, speaks_of) for word in _SLOT.sub(lambda slot: _form(slot[1], values), piece).split()]
        before &= not closes
    return tagged


def _form(slot: str, values: Mapping[str, str]) -> str:
    """Return the form of a word that a slot asks for."""
    if slot in ("ns", "ts", "hs"):
        return forms.plural(values[slot[0]])
    if len(slot) == 2 and slot[0] == "v":
        inflect = {"z": forms.third_person, "d": forms.past, "n": forms.participle, "g": forms.gerund}[slot[1]]
        return inflect(values["v"])
    return values[slot]
