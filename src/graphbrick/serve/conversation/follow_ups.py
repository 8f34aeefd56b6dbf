"""Rules that complete a question from the turns before it.

Completed are words that stand for an entity or a list («her husband», «how many of them»), what takes the place of
something in the question before («and of Kenya?», «and in 2024?», «and the smallest?»), a question whose subject is
missing («and the population?»), and one about the last list («how many?»). The rules know English; a question in
another language stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphbrick.bricks.link.words import COMPARES
from graphbrick.language.folding import nfc
from graphbrick.language.stems import stem, stems
from graphbrick.serve.conversation.answer_text import says_nothing
from graphbrick.serve.conversation.earlier_questions import Ask
from graphbrick.serve.conversation.focus import Completed, Focus, fits
from graphbrick.serve.conversation.lists import Lists, replaced
from graphbrick.serve.conversation.names import Name, Speaks, names_in, type_words
from graphbrick.serve.conversation.own_references import explains_itself, means_people
from graphbrick.serve.conversation.places import is_empty_list, place_in
from graphbrick.serve.conversation.replacing import (
    is_same_kind,
    is_superlative,
    said_alone,
    with_other_phrase,
    with_other_superlative,
    with_other_time,
    with_other_value,
)
from graphbrick.serve.conversation.rewording import as_full_sentence, wants_list, wants_number
from graphbrick.serve.conversation.turns import Turn
from graphbrick.serve.conversation.wording import (
    Reference,
    about,
    as_question,
    content_words,
    in_place,
    is_asked_in_full,
    is_of_all,
    listed,
    references,
    split_start,
    starts_with_verb,
)

_MOST = 20  # references that are read, and entities that a reply alone can tell
_ONES = re.compile(r"(?<=^which) ones\b(?! (?:of|in|at|on|from)\b)|(?<=^what) ones\b(?! of\b)", re.IGNORECASE)
_SAME = re.compile(r"\bsame\b", re.IGNORECASE)
_ONLY_ORDINAL = re.compile(r"the \w+", re.IGNORECASE)  # «the first» may also be the earliest
_ONLY_NAME = re.compile(
    r"(?:and\W+)?(?:(?:what|how) about\W+|(?:the )?same (?:question )?(?:for|with)\W+)?"
    r"(?:(?:of|in|for|from|with|by|at|on|to|about|the)\b\W*)*\W*",
    re.IGNORECASE,
)
_LACKS_MORE = re.compile(r"(?:which|when|where|why|in|at|on|for|from|by|with|to|of|since|not|only)\b", re.IGNORECASE)
_VALUE = re.compile(r"[\d\s.,:/%+-]*|yes\.?|no\.?", re.IGNORECASE)
_SHORT = 4  # words of a question that may lack its subject though it does not begin with «and»


class FollowUps:
    """Rules that complete the questions of one conversation.

    Args:
        graph: The graph.
        turns: The turns before the question, oldest first.
        learned: The folder of learned patterns, whose words count too; None for none.
        ask: Answers an earlier question again, so that all its answers are known; None to read them from replies.
    """

    def __init__(self, graph: Any, turns: Sequence[Turn], learned: str | None = None, ask: Ask | None = None) -> None:
        self._graph, self._turns, self._learned = graph, turns, learned
        self._lists = None if ask is None else Lists(graph, ask)
        self._focus: list[Focus] | None = None
        self._before = ""  # the question of the turn before the one that is completed

    def completed(self, text: str) -> Completed | None:
        """Return the question completed by earlier turns; None if it is complete."""
        text = _ONES.sub(" of them", nfc(" ".join(text.split())))
        if wants_number(text) or wants_list(text):
            return self._of_last_list(is_number=wants_number(text))
        placed = self._with_place(text)
        if placed is not None:
            return placed
        names = names_in(self._graph, text)
        start, core = split_start(text)
        if any(name.start < len(start) for name in names):
            start, core = "", text  # «And Then There Were None»
        names = [name._replace(start=name.start - len(start), end=name.end - len(start)) for name in names]
        found = self._since_when(core) or self._with_replaced(core, names, joined=bool(start))
        if found is not None:
            return found
        full = as_full_sentence(core)
        if full != core and not references(core) and not self.is_after_list():
            full = core
        core, names = (core, names) if full == core else (full, names_in(self._graph, full))
        outside = _without(core, names)
        used = [one for one in references(outside) if not self._refers_within(one, core, names)]
        words = content_words(outside)
        if used and (words or names or is_asked_in_full(outside)):
            return self._with_names(core, used[:_MOST])
        if names and not words:
            is_complete = is_asked_in_full(outside) or (len(names) > 1 and starts_with_verb(core))
            return None if is_complete else self._with_other_name(core, names, start)
        return None if names else self._with_subject(core, joined=bool(start))

    def _history(self) -> list[Focus]:
        """Return the entities of each turn, oldest first."""
        if self._focus is None:
            self._focus, lists = [], self._lists
            for turn in self._turns:
                self._lists = None if turn.taken else lists  # what it was completed as is known
                completed = self.completed(turn.question)  # from the turns before this one
                self._lists = lists
                question = nfc(turn.taken or (turn.question if completed is None else completed.question))
                names = names_in(self._graph, question)
                replied = [] if says_nothing(turn.reply) else names_in(self._graph, nfc(turn.reply))
                answers = _answers(names, replied, turn.reply)
                meant = {} if completed is None else completed.meant
                self._focus.append(Focus(question, tuple(names), answers[:_MOST], meant, turn.reply))
                self._before = question
        return self._focus

    def _named(self) -> list[Focus]:
        """Return the turns that name entities, the latest first."""
        return [focus for focus in reversed(self._history()) if focus.names or focus.answers]

    def is_after_list(self) -> bool:
        """Return whether the last answers are several entities, or their number."""
        last = self._answered()
        return last is not None and self._lists is not None and self._lists.may_have(last)

    def _answered(self) -> Focus | None:
        """Return the last turn that has an answer."""
        return next((focus for focus in reversed(self._history()) if not says_nothing(focus.reply)), None)

    def _of_last_list(self, *, is_number: bool) -> Completed | None:
        """Return the question for the number of the last answers, or for their list."""
        last = self._answered()
        found = None if last is None or self._lists is None else self._lists.last(last, is_number=is_number)
        return found and replace(found, is_certain=found.is_certain and last is self._history()[-1])

    def _since_when(self, core: str) -> Completed | None:
        """Return the last question with «and since when», if that is all that is asked."""
        history = self._history()
        return self._lists.since_when(core, history[-1]) if self._lists is not None and history else None

    def _with_place(self, text: str) -> Completed | None:
        """Return the question with answers of the last list by their place: «tell me about the second one»."""
        place, lists = place_in(text), self._lists
        if place is None or lists is None:
            return None
        having = [focus for focus in reversed(self._history()) if lists.may_have(focus)]
        meant, focus = next(((one, focus) for focus in having if (one := place.of(lists.entities(focus)))), ((), None))
        if not meant:
            return None
        names = listed(self._labels(list(meant)))
        before, after = text[: place.start], text[place.end :]
        if is_empty_list(f"{before}{after}"):  # «show me the first three»
            before, after = "Tell me about ", ""
        question = as_question(f"{before}{names}{after}")
        is_shown = focus is not None and (not focus.answers or place.of(focus.answers) == tuple(meant))
        is_certain = is_shown and focus is self._history()[-1] and not _ONLY_ORDINAL.fullmatch(place.text)
        return Completed(question, meant, f"{place.text!r} stands for {names}", is_certain=is_certain)

    def _refers_within(self, one: Reference, core: str, names: Sequence[Name]) -> bool:
        """Return whether a reference is to something in the same question: «Kenya and its capital»."""
        if any(name.end <= one.start and fits(self._graph, one, name.entity) for name in names):
            return True
        classes = {word for label in getattr(self._graph, "type_labels", list)() for word in stems(label)}
        if explains_itself(one, core, names, classes):
            return True
        if not means_people(one, names):
            return False
        last = next(reversed(self._history()), None)
        return last is None or len(last.answers) < 2

    def _with_replaced(self, core: str, names: Sequence[Name], *, joined: bool) -> Completed | None:
        """Return the question before with another time, value, superlative or class."""
        history = self._history()
        said = said_alone(core)
        if not history or not said or is_asked_in_full(core):
            return None
        former = history[-1].question
        time = with_other_time(core, former)
        if time is not None:
            return replaced(time, is_certain=is_same_kind(core, time, former) and not with_other_time(core, time.rest))
        if not self._is_alike(names, history[-1]):
            phrase = with_other_phrase(core, former)
            if phrase is not None:
                return replaced(phrase)
            for focus in reversed(history):
                value = with_other_value(self._graph, core, focus.question)
                if value is not None:
                    is_only = focus is history[-1] and not with_other_value(self._graph, core, value.rest)
                    return replaced(value, is_certain=is_only and is_same_kind(core, value, former))
        if not joined:
            return None
        superlative = with_other_superlative(core, former)
        if superlative is not None:
            is_only = not with_other_superlative(core, superlative.rest)
            return replaced(superlative, is_certain=is_only and is_same_kind(core, superlative, former))
        if names or self._lists is None or not (core.lower().startswith("the ") or said.lower() in self._lists.classes):
            return None
        last = self._answered()
        found = None if last is None else self._lists.with_other_things(said, last.question)
        return found and replace(found, is_certain=found.is_certain and last is history[-1])

    def _is_alike(self, names: Sequence[Name], focus: Focus) -> bool:
        """Return whether a name is of a type of which the question before names an entity."""
        types = [type_words(self._graph, name.entity) for name in names]
        return any(kinds & type_words(self._graph, one.entity) for kinds in types for one in focus.names)

    def _with_names(self, core: str, used: Sequence[Reference]) -> Completed | None:
        """Return the question with names in place of words that stand for them."""
        meant: dict[str, list[int]] = {}
        several = [one for one in used if one.plural]
        if several and self._lists is not None:
            for focus in reversed(self._history()):
                found = self._lists.meant(focus, several[0]) if self._lists.may_have(focus) else None
                if found is not None:
                    asked = self._lists.completed(core, several, focus, *found)
                    return asked and replace(asked, is_certain=focus is self._history()[-1])
        for one in used:
            if one.kind not in meant:
                taken = [entity for entities in meant.values() for entity in entities]
                meant[one.kind] = self._meant(one, core, taken)
        else_ = self._with_others(core, used, meant)
        if else_ is not None:
            return else_
        question = core
        for one in reversed(used):
            if meant[one.kind]:
                question = in_place(question, one, self._labels(meant[one.kind]))
        entities = [entity for several in meant.values() for entity in several]
        if not entities:
            return None
        words = {kind: next(one.text for one in used if one.kind == kind) for kind in meant if meant[kind]}
        said = "; ".join(f"{word!r} stands for {listed(self._labels(meant[kind]))}" for kind, word in words.items())
        is_certain = all(self._is_clear(one, meant[one.kind]) for one in used)
        return Completed(as_question(question), tuple(entities), said, meant, is_certain)

    def _is_clear(self, one: Reference, meant: Sequence[int]) -> bool:
        """Return whether a word can only stand for an entity, of all that the last turn speaks of.

        The reply must be the names of entities, a number, a date, or yes or no: a word may also stand for another text.
        """
        last = self._history()[-1]
        is_told = last.answers or _VALUE.fullmatch(last.reply.strip())
        if len(meant) != 1 or not is_told or says_nothing(last.reply):
            return False
        if one.plural and last.answers != tuple(meant):
            return False  # «them» may be what was counted
        if one.kind == "that" and last.answers == tuple(meant):
            return True  # «that team»: the answer is one
        spoken = {*last.answers, *(name.entity for name in last.names)}
        return {entity for entity in spoken if fits(self._graph, one, entity)} == set(meant)

    def _with_others(
        self, core: str, used: Sequence[Reference], meant: Mapping[str, Sequence[int]]
    ) -> Completed | None:
        """Return «who else is in that team?» with what its one reference means; None for another question."""
        entities = [entity for several in meant.values() for entity in several]
        if self._lists is None or len(entities) != 1:
            return None
        for focus in self._named():
            if entities[0] in (*focus.answers, *(name.entity for name in focus.names)):
                found = self._lists.with_others(core, used, focus, entities[0])
                return found and replace(found, is_certain=focus is self._history()[-1])
        return None

    def _meant(self, one: Reference, core: str, taken: Sequence[int]) -> list[int]:
        """Return the entities that a word stands for, of the latest turn that has one that fits."""
        speaks = Speaks(self._graph, core, self._learned)
        if one.plural:
            for focus in self._named():
                several = [entity for entity in focus.answers if entity not in taken and fits(self._graph, one, entity)]
                if len(several) > 1:
                    return several
            if re.search(r"\bof $", core[: one.start], re.IGNORECASE):
                return []  # «how many of them» are not of one
        for focus in self._named():
            without = {*taken, *focus.several}
            every = [entity for entity in focus.entities(one.kind) if entity not in without]
            fitting = [entity for entity in every if fits(self._graph, one, entity)] or _asked_for(one, focus)
            # One word does not mean one of several answers, unless nothing else fits.
            fitting = [one for one in fitting if len(focus.answers) == 1 or one not in focus.answers] or fitting
            if fitting and [fitting[0]] == list(focus.answers) and speaks.of(fitting[0]):
                return fitting[:1]
            if fitting:
                return [max(fitting, key=speaks.of)]  # the first of those that are equal
        return []

    def _with_other_name(self, core: str, names: Sequence[Name], start: str) -> Completed | None:
        """Return the question before with another name, if this one, without its start, is only a name."""
        said = core[names[0].start : names[-1].end]
        entities = tuple(name.entity for name in names)
        before, old = self._replaceable(entities[0])
        if before is None or old is None:
            if not self._before or not re.match(r"(?:in|of|for|from|with|by)\b", core, re.IGNORECASE):
                return None
            question = f"{self._before.rstrip('?.! ')} {core.rstrip('?.! ')}?"
            return Completed(question, entities, f"{said!r} was added to the question before")
        question = f"{before.question[: old.start]}{said}{before.question[old.end :]}"
        reason = f"{said!r} takes the place of {before.question[old.start : old.end]!r}"
        alike = [one for one in before.names if self._is_alike(names, Focus("", (one,)))]
        is_alone = _ONLY_NAME.fullmatch(f"{start}{_without(core, names)}") is not None
        is_certain = before is self._history()[-1] and alike == [old] and len(names) == 1 and is_alone
        return Completed(question, entities, reason, is_certain=is_certain)

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

    def _with_subject(self, core: str, *, joined: bool) -> Completed | None:
        """Return a question without any name with the subject of the turn before.

        Args:
            core: The question.
            joined: Whether it began with «and» or the like.
        """
        history, words = self._named(), content_words(core)
        if not history or not words or not (joined or len(words) <= _SHORT) or _SAME.search(core):
            return None
        if not joined and (self._is_about_a_class(core) or is_of_all(core) or self._is_answered(core, words)):
            return None
        speaks = Speaks(self._graph, core, self._learned)
        entities = history[0].entities()
        is_last = history[0] is self._history()[-1] and len(history[0].answers) < 2
        is_certain = is_last and not _LACKS_MORE.match(core) and len([one for one in entities if speaks.of(one)]) == 1
        if len(history[0].answers) > 1:  # one of several answers is the subject only if it alone can be
            named = [entity for entity in entities if entity not in history[0].answers]
            entities = [*named, *(entity for entity in history[0].answers if speaks.of(entity))]
        subject = max(entities, key=speaks.of, default=None) if not is_superlative(said_alone(core)) else None
        if subject is None:
            return None
        label = self._graph.label(subject)
        question = about(core, [label])
        if not speaks.of(subject):
            if not joined or self._lists is None:
                return None
            tried = (question, f"{said_alone(core)} of {label}")
            question = next((one for one in tried if self._lists.names(one, subject)), "")
            if not question:
                return None
        reason = f"{label!r} is taken as what the question is about"
        return Completed(question, (subject,), reason, is_certain=is_certain and bool(speaks.of(subject)))

    def _is_about_a_class(self, core: str) -> bool:
        """Return whether a question says what it asks of a class: «Which country has the most neighbours?»."""
        types = {word for label in getattr(self._graph, "type_labels", list)() for word in stems(label)}
        if types.isdisjoint(stems(core)):
            return False
        return bool(COMPARES.search(core.lower())) or len(content_words(core)) > 1

    def _is_answered(self, core: str, words: Sequence[str]) -> bool:
        """Return whether a question of some length has one answer without any subject."""
        return self._lists is not None and len(words) > 1 and self._lists.has_one_answer(core)

    def _labels(self, entities: Iterable[int]) -> list[str]:
        return [self._graph.label(entity) for entity in entities]


def _answers(asked: Sequence[Name], replied: Sequence[Name], reply: str) -> tuple[int, ...]:
    """Return the entities that a reply has as its answers.

    A name of the question is none of them beside others («Kenya: Nairobi»), unless the reply describes it.
    """
    in_question = {name.entity for name in asked}
    if replied and replied[0].start == 0 and replied[0].entity in in_question and "\n- " in reply:
        return (replied[0].entity,)
    others = dict.fromkeys(name.entity for name in replied if name.entity not in in_question)
    return tuple(others or dict.fromkeys(name.entity for name in replied))  # «which of them»: one of those


def _asked_for(one: Reference, focus: Focus) -> list[int]:
    """Return the one answer to a question that asks for the noun of «that team», whatever its class is called."""
    is_asked = one.noun and len(focus.answers) == 1 and stem(one.noun) in stems(focus.question)
    return list(focus.answers) if is_asked else []


def _without(text: str, names: Iterable[Name]) -> str:
    """Return a text with spaces in place of names, so that offsets stay."""
    for name in names:
        text = f"{text[: name.start]}{' ' * (name.end - name.start)}{text[name.end :]}"
    return text
