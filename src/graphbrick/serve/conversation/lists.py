"""Questions about all answers of an earlier question: «how many of them are remote?», «who are they?», «who else?»."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from graphbrick.core.deferred import cached_property
from graphbrick.core.query import LONGEST_QUESTION
from graphbrick.language import forms
from graphbrick.language.stems import WORD, spaced, stem
from graphbrick.serve.conversation.earlier_questions import Ask, Result
from graphbrick.serve.conversation.focus import Completed, Focus, fits
from graphbrick.serve.conversation.replacing import Replaced, class_names, is_superlative, with_other_class
from graphbrick.serve.conversation.rewording import as_counts, as_list, most_of, noun_phrases
from graphbrick.serve.conversation.wording import Reference, as_question, in_place, listed

_MOST_NAMES = 5_000  # entities whose names are put into a question; of more, only a phrase may stand for them
_SAMPLE = 20  # entities whose types are looked at
_PHRASES = 3  # ways to say what a list has that are tried
_NUMBER = re.compile(r"[\d,.]+\b")
_CHOOSES = re.compile(r"(?:which|who|what|list)(?: ones)?(?: of)? (?:them|these|those)\b", re.IGNORECASE)
_ELSE = re.compile(r"\b(?P<who>who|what|which \w+) else\b", re.IGNORECASE)
_WHEN = re.compile(r"(?:(?:since|from|until|till) )?when|(?:since|for) how long", re.IGNORECASE)
_THEIR = re.compile(  # «their budgets», «what are their budgets»
    r"(?:(?:what|which) (?:is|are|was|were) |(?:list|show|give)(?: me| us)? )?their (?P<said>[a-z][a-z' _-]*)",
    re.IGNORECASE,
)
_SECOND = re.compile(
    r", and (?:what are their [^,]+|(?:(?:since|from|until|till) )?when|(?:since|for) how long)\W*$", re.I
)
_DOES = re.compile(
    r"(?:which|what|whose) [\w ]+? (?:do|does|did) .+? (?P<verb>[a-z]+)(?P<rest> [a-z]+)?\W*", re.IGNORECASE
)


class Lists:
    """Writer of questions about the answers of earlier ones, each of which is tried before it is taken.

    Args:
        graph: The graph.
        ask: Answers a question.
    """

    def __init__(self, graph: Any, ask: Ask) -> None:
        self._graph, self._ask = graph, ask

    @cached_property
    def classes(self) -> frozenset[str]:
        """The names of classes in lower case, also as plurals."""
        return class_names(self._graph)

    @cached_property
    def _nouns(self) -> frozenset[str]:
        """The stems of the last words of names of classes."""
        words = (WORD.findall(name) for name in self.classes)
        return frozenset(stem(one[-1]) for one in words if one)

    def last(self, focus: Focus, *, is_number: bool) -> Completed | None:
        """Return the question for the number of the answers of a turn, or for their list; None if it has neither."""
        focus = replace(focus, question=_first(focus.question))
        result = self._ask(focus.question)
        if result is None:
            return None
        if result.is_count:
            question = focus.question if is_number else self._list_of_count(focus.question, result)
            reason = "what the question before counted is meant"
            return Completed(question, (), reason, is_certain=True) if question else None
        if not is_number:
            is_certain = len(result.texts) > 1  # of «which team owns the most services», the services may be meant
            return Completed(focus.question, (), "the answers to the question before are meant", is_certain=is_certain)
        most = most_of(focus.question)
        if most:  # «which employee has the most orders»: how many orders that one has
            question = f"How many {most} does {result.texts[0]} have?"
            is_told = len(result.entities) == 1 and self._ask(question) is not None
            reason = "the number of the answer is meant"
            return Completed(question, result.entities, reason, is_certain=True) if is_told else None
        for question in as_counts(focus.question, self._nouns, self._people(result))[: _PHRASES + 1]:
            count = self._ask(question)
            if count is not None and count.texts == (str(len(result.texts)),):
                is_certain = len(result.texts) > 1  # of one answer, a number that it has may be meant
                return Completed(question, (), "the answers to the question before are counted", is_certain=is_certain)
        return None

    def _people(self, result: Result) -> list[str]:
        """Return nouns for the people that a question has as its answers."""
        labels = dict.fromkeys(label for one in result.entities[:_SAMPLE] for label in self._graph.types(one))
        plurals = [forms.plural(spaced(label).lower()) for label in labels] if forms.is_installed() else []
        return [*plurals[:1], "people"] if len(plurals) == 1 else ["people"]

    def _list_of_count(self, question: str, count: Result) -> str:
        """Return a question for what another one counts; empty if it cannot be said."""
        text = as_list(question)
        result = self._ask(text) if text else None
        if result is None:
            return text if count.texts == ("0",) else ""  # then its answer is that there are none
        return text if result.counted == count.counted or str(len(result.texts)) in count.texts else ""

    def since_when(self, core: str, focus: Focus) -> Completed | None:
        """Return «who works on Atlas, and since when» for «since when?» after «who works on Atlas»; else None."""
        said = core.rstrip("?.! ").lower()
        question = f"{focus.question.rstrip('?.! ')}, and {said}?"
        if not _WHEN.fullmatch(said) or self._ask(question) is None:
            return None
        return Completed(question, (), "the question before goes on", is_certain=True)

    def may_have(self, focus: Focus) -> bool:
        """Return whether a reply may be a list of several entities, or their number."""
        return len(focus.answers) > 1 or _NUMBER.match(focus.reply) is not None

    def entities(self, focus: Focus) -> tuple[int, ...]:
        """Return the answers to the question of a turn in their order, or what it counts."""
        former = self._ask(focus.question)
        if former is not None and former.is_count:
            text = self._list_of_count(focus.question, former)
            former = self._ask(text) if text else None
        return () if former is None else former.entities

    def meant(self, focus: Focus, one: Reference) -> tuple[Result, tuple[int, ...]] | None:
        """Return the result of a turn's question and the entities of it that a word may mean; None for none."""
        asked = _first(focus.question)
        former = self._ask(asked)
        if former is None:
            return None
        if former.is_count:
            text = self._list_of_count(asked, former)
            result = self._ask(text) if text else None
            return former, () if result is None else result.entities
        entities = former.entities
        if len(entities) < 2 or not all(fits(self._graph, one, entity) for entity in entities[:_SAMPLE]):
            return None
        return former, entities

    def completed(
        self, core: str, used: Sequence[Reference], focus: Focus, former: Result, entities: tuple[int, ...]
    ) -> Completed | None:
        """Return a question with all answers of an earlier one in place of «them»; None if it cannot be said.

        A phrase that says which they are is best, such as «the customers in Berlin», if the answer then speaks of all
        of them; otherwise their names stand in the question.

        Args:
            core: The question.
            used: The words in it that stand for the answers.
            focus: The turn of the earlier question.
            former: Its result.
            entities: Its answers, or what it counts.
        """
        text, kind, asked = used[0].text, used[0].kind, _first(focus.question)
        theirs = _THEIR.fullmatch(core.rstrip("?.! "))
        question = f"{asked.rstrip('?.! ')}, and what are their {theirs['said']}?" if theirs else ""
        each = self._ask(question) if theirs else None
        labels = [self._graph.label(entity) for entity in entities]
        if each is not None and each.texts and all(one.split(": ")[0] in labels for one in each.texts):
            return Completed(question, (), f"{text!r} stands for each answer before", {kind: list(entities)})
        for phrase in noun_phrases(asked, self._nouns)[:_PHRASES]:
            question = as_question(in_places(core, used, [phrase]))
            if self._is_of(question, phrase, former, entities):
                return Completed(question, (), f"{text!r} stands for {phrase}", {kind: list(entities)})
        if not 1 < len(entities) <= _MOST_NAMES:
            return None
        question = as_question(in_places(core, used, labels))
        result = self._ask(question) if len(question) <= LONGEST_QUESTION else None
        if result is not None and (result.is_count or " | " in result.plan) and " | ".join(labels) not in result.plan:
            return None  # it was read as something about only some of them
        if result is not None and _CHOOSES.match(core) and not set(entities).issuperset(result.entities):
            return None
        return Completed(question, entities, f"{text!r} stands for {listed(labels)}", {kind: list(entities)})

    def _is_of(self, question: str, phrase: str, former: Result, entities: tuple[int, ...]) -> bool:
        """Return whether the answer to a question with a phrase speaks of all answers of an earlier question."""
        result = self._ask(question)
        if result is None:
            return False
        if result.is_about(former):
            return True
        alone = self._ask(phrase.removeprefix("the "))
        if alone is None or not entities or set(alone.entities) != set(entities):
            return False
        is_part = not result.plan and bool(result.entities) and set(entities).issuperset(result.entities)
        return is_part or result.is_about(alone)

    def with_other_things(self, said: str, former: str) -> Completed | None:
        """Return an earlier question for other things, or for some of the same: «and the goalkeepers?».

        Args:
            said: The noun.
            former: The earlier question.
        """
        before = self._ask(former)
        if before is None:
            return None
        if said.lower() in self.classes:
            other = with_other_class(said, former, self.classes)
            return replaced(other) if other is not None and self._ask(other.question) is not None else None
        for phrase in noun_phrases(former, self._nouns)[:_PHRASES]:
            question = f"Which of {phrase} {'is the' if is_superlative(said) else 'are'} {said}?"
            result = self._ask(question)
            if result is not None and result.is_about(before):
                return Completed(
                    question, (), f"of {phrase} only the {said} are meant", is_certain=is_superlative(said)
                )
        return None

    def has_one_answer(self, question: str) -> bool:
        """Return whether a question has exactly one answer as it stands."""
        result = self._ask(question)
        return result is not None and len(result.texts) == 1

    def names(self, question: str, entity: int) -> bool:
        """Return whether a question has an answer that was found from an entity."""
        result = self._ask(question)
        return result is not None and self._graph.label(entity) in result.plan

    def with_others(self, core: str, used: Sequence[Reference], focus: Focus, entity: int) -> Completed | None:
        """Return «who else is in that team?» with the entity and without the one that was spoken of.

        Args:
            core: The question.
            used: The words in it that stand for the entity.
            focus: The turn that speaks of both.
            entity: What the words stand for.
        """
        match, label = _ELSE.search(core), self._graph.label(entity)
        others = [name.entity for name in focus.names if name.entity != entity]
        if match is None or not others:
            return None
        asked = in_places(core, used, [label])
        questions = [_ELSE.sub(lambda found: str(found["who"]), asked)]
        does = _DOES.fullmatch(focus.question)
        if does is not None and forms.is_installed():  # «which team does X play for»: who plays for it
            questions.append(f"{match['who']} {forms.third_person(does['verb'].lower())}{does['rest'] or ''} {label}")
        for question in questions:
            result = self._ask(as_question(question))
            if result is not None and others[0] in result.entities:
                known = self._graph.label(others[0])
                text = as_question(f"{question.rstrip('?.! ')} except {known}")
                return Completed(text, (entity,), f"{used[0].text!r} stands for {label}, and {known} is known")
        return None


def _first(question: str) -> str:
    """Return the first of two questions in one, whose answers the second is about.

    >>> _first("Which projects are paused, and what are their budgets?"), _first("Who owns Atlas, and since when?")
    ('Which projects are paused', 'Who owns Atlas')
    """
    return _SECOND.sub("", question)


def replaced(one: Replaced, *, is_certain: bool = False) -> Completed:
    """Return the question in which something takes the place of something else."""
    return Completed(one.question, (), f"{one.said!r} takes the place of {one.before!r}", is_certain=is_certain)


def in_places(text: str, used: Sequence[Reference], names: Sequence[str]) -> str:
    """Return a text with names in place of several references."""
    for one in reversed(used):
        text = in_place(text, one, names)
    return text
