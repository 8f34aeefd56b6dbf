"""Rules that complete a question from the turns before it.

Three things are completed: a word that stands for an entity («her husband», «that country»), a name alone that takes
the place of another («and of Kenya?»), and a question whose subject is missing («and the population?»). The rules know
English; a question in another language stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphbrick.bricks.link.words import COMPARES
from graphbrick.language.folding import nfc
from graphbrick.language.stems import root, stems
from graphbrick.serve.conversation.answer_text import says_nothing
from graphbrick.serve.conversation.names import Name, Speaks, names_in, type_words
from graphbrick.serve.conversation.turns import Turn
from graphbrick.serve.conversation.wording import (
    Reference,
    about,
    as_question,
    content_words,
    in_place,
    listed,
    references,
    split_start,
)

_MOST = 20  # entities that one word may stand for, and such words that are read
_SAME = re.compile(r"\bsame\b", re.IGNORECASE)
_SHORT = 4  # words of a question that may lack its subject though it does not begin with «and»
_PERSONS = frozenset(
    root(word)
    for word in (
        "person people human man woman actor actress director writer author singer politician scientist artist "
        "musician composer player athlete character king queen president philosopher"
    ).split()
)
_PLACES = frozenset(
    root(word)
    for word in (
        "place location country state nation territory region province county district city town village capital "
        "continent island river lake sea mountain airport station building area street venue settlement"
    ).split()
)


@dataclass(frozen=True)
class Focus:
    """Entities of a turn that later questions may refer to.

    Attributes:
        question: Its question, complete.
        names: The entities that the question names.
        answers: The entities that the reply names, without those of the question.
        meant: The entities that a kind of word, such as «he», stood for in the question.
    """

    question: str
    names: tuple[Name, ...] = ()
    answers: tuple[int, ...] = ()
    meant: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def entities(self, kind: str = "") -> list[int]:
        """Return all entities, the likeliest to be meant by a further question first.

        First come the entities that the same kind of word stood for before; then the answer if there is only one, as
        it was named last. «It» does not mean one of several answers.
        """
        named = [name.entity for name in self.names]
        listed = [*self.answers, *named] if len(self.answers) == 1 else [*named, *self.answers]
        return list(dict.fromkeys([*self.meant.get(kind, ()), *listed]))


@dataclass(frozen=True)
class Completed:
    """A question completed by a rule.

    Attributes:
        question: The complete question.
        entities: The entities that were put into it.
        reason: The change, in words.
        meant: The entities that each kind of word stands for.
    """

    question: str
    entities: tuple[int, ...]
    reason: str
    meant: Mapping[str, Sequence[int]] = field(default_factory=dict)


class FollowUps:
    """Rules that complete the questions of one conversation.

    Args:
        graph: The graph.
        turns: The turns before the question, oldest first.
        learned: The folder of learned patterns, whose words count too; None for none.
    """

    def __init__(self, graph: Any, turns: Sequence[Turn], learned: str | None = None) -> None:
        self._graph, self._turns, self._learned = graph, turns, learned
        self._focus: list[Focus] | None = None
        self._before = ""  # the question of the turn before the one that is completed

    def completed(self, text: str) -> Completed | None:
        """Return the question completed by earlier turns; None if it is complete."""
        text = nfc(" ".join(text.split()))
        names = names_in(self._graph, text)
        start, core = split_start(text)
        if any(name.start < len(start) for name in names):
            start, core = "", text  # «And Then There Were None»
        names = [name._replace(start=name.start - len(start), end=name.end - len(start)) for name in names]
        outside = _without(core, names)
        used = [one for one in references(outside) if not self._refers_within(one, names)]
        words = content_words(outside)
        if used and (words or names):
            return self._with_names(core, used[:_MOST])
        if names and not words:
            return self._with_other_name(core, names)
        years = re.findall(r"\b\d{3,4}\b", outside)
        if not names and start and years and words == years:
            return self._with_other_year(core, years[0])
        return None if names else self._with_subject(core, joined=bool(start))

    def _history(self) -> list[Focus]:
        """Return the entities of each turn, oldest first; turns that name nothing are left out."""
        if self._focus is None:
            self._focus = []
            for turn in self._turns:
                completed = self.completed(turn.question)  # from the turns before this one
                question = nfc(turn.question) if completed is None else completed.question
                names = names_in(self._graph, question)
                replied = [] if says_nothing(turn.reply) else names_in(self._graph, nfc(turn.reply))
                in_question = {name.entity for name in names}
                answers = dict.fromkeys(name.entity for name in replied if name.entity not in in_question)
                if names or answers:
                    meant = {} if completed is None else completed.meant
                    self._focus.append(Focus(question, tuple(names), tuple(answers)[:_MOST], meant))
                self._before = question
        return self._focus

    def _refers_within(self, one: Reference, names: Iterable[Name]) -> bool:
        """Return whether a reference is to a name before it in the same question: «Kenya and its capital»."""
        return any(name.end <= one.start and self._fits(one, name.entity) for name in names)

    def _fits(self, one: Reference, entity: int) -> bool:
        """Return whether the types of an entity, if it has any, let a word stand for it."""
        types = type_words(self._graph, entity)
        if one.kind == "that":  # «that» alone may begin a clause: «countries that border Kenya»
            return root(one.noun.lower()) in types or (not types and not one.text.lower().startswith("that"))
        if not types or one.kind not in ("he", "she", "it", "there"):
            return True
        if one.kind == "there":
            return bool(types & _PLACES)
        return bool(types & _PERSONS) == (one.kind in ("he", "she"))

    def _with_names(self, core: str, used: Sequence[Reference]) -> Completed | None:
        """Return the question with names in place of words that stand for them."""
        meant: dict[str, list[int]] = {}
        for one in used:
            if one.kind not in meant:
                taken = [entity for entities in meant.values() for entity in entities]
                meant[one.kind] = self._meant(one, core, taken)
        question = core
        for one in reversed(used):
            if meant[one.kind]:
                question = in_place(question, one, self._labels(meant[one.kind]))
        entities = [entity for several in meant.values() for entity in several]
        if not entities:
            return None
        words = {kind: next(one.text for one in used if one.kind == kind) for kind in meant if meant[kind]}
        said = "; ".join(f"{word!r} stands for {listed(self._labels(meant[kind]))}" for kind, word in words.items())
        return Completed(as_question(question), tuple(entities), said, meant)

    def _meant(self, one: Reference, core: str, taken: Sequence[int]) -> list[int]:
        """Return the entities that a word stands for, of the latest turn that has one that fits."""
        speaks = Speaks(self._graph, core, self._learned)
        for focus in reversed(self._history()):
            fitting = [entity for entity in focus.entities(one.kind) if entity not in taken and self._fits(one, entity)]
            several = [entity for entity in focus.answers if entity in fitting]
            if one.plural and len(several) > 1:
                return several
            if fitting:
                return [max(fitting, key=speaks.of)]  # the first of those that are equal
        return []

    def _with_other_name(self, core: str, names: Sequence[Name]) -> Completed | None:
        """Return the question before with another name, if this one is only a name."""
        said = core[names[0].start : names[-1].end]
        entities = tuple(name.entity for name in names)
        before, old = self._replaceable(entities[0])
        if before is None or old is None:
            if not self._before or not re.match(r"(?:in|of|for|from|with|by)\b", core, re.IGNORECASE):
                return None
            question = f"{self._before.rstrip('?.! ')} {core.rstrip('?.! ')}?"
            return Completed(question, entities, f"{said!r} was added to the question before")
        question = f"{before.question[: old.start]}{said}{before.question[old.end :]}"
        return Completed(question, entities, f"{said!r} takes the place of {before.question[old.start : old.end]!r}")

    def _replaceable(self, entity: int) -> tuple[Focus, Name] | tuple[None, None]:
        """Return the latest question that an entity suits, and the name in it whose place it takes.

        It suits a name of the same type, or a question that speaks of its relations; else it takes the last name.
        """
        types = type_words(self._graph, entity)
        history = [focus for focus in reversed(self._history()) if focus.names]
        for focus in history:
            alike = [name for name in focus.names if types & type_words(self._graph, name.entity)]
            if alike or Speaks(self._graph, focus.question, self._learned).of(entity):
                return focus, (alike or focus.names)[-1]
        return (history[0], history[0].names[-1]) if history else (None, None)

    def _with_other_year(self, core: str, year: str) -> Completed | None:
        """Return the question before with another year."""
        before = next(reversed(self._history()), None)
        if before is None:
            return None
        question, changed = re.subn(r"\b\d{3,4}\b", year, before.question, count=1)
        if not changed:
            question = f"{before.question.rstrip('?.! ')} {core.rstrip('?.! ')}?"
        entities = tuple(name.entity for name in before.names)
        return Completed(question, entities, f"the question before, now with {year}")

    def _with_subject(self, core: str, *, joined: bool) -> Completed | None:
        """Return a question without any name with the subject of the turn before.

        Args:
            core: The question.
            joined: Whether it began with «and» or the like.
        """
        history, words = self._history(), content_words(core)
        if not history or not words or not (joined or len(words) <= _SHORT) or _SAME.search(core):
            return None
        if not joined and self._is_about_a_class(core):
            return None
        speaks = Speaks(self._graph, core, self._learned)
        subject = max(history[-1].entities(), key=speaks.of)
        if not speaks.of(subject):
            return None
        question = about(core, self._labels([subject]))
        return Completed(question, (subject,), f"{self._labels([subject])[0]!r} is taken as what the question is about")

    def _is_about_a_class(self, core: str) -> bool:
        """Return whether a question counts or compares all of a class: «Which country has the most neighbours?»."""
        types = {word for label in getattr(self._graph, "type_labels", list)() for word in stems(label)}
        return bool(COMPARES.search(core.lower())) and not types.isdisjoint(stems(core))

    def _labels(self, entities: Iterable[int]) -> list[str]:
        return [self._graph.label(entity) for entity in entities]


def _without(text: str, names: Iterable[Name]) -> str:
    """Return a text with spaces in place of names, so that offsets stay."""
    for name in names:
        text = f"{text[: name.start]}{' ' * (name.end - name.start)}{text[name.end :]}"
    return text
