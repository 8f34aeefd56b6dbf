"""Example questions that a graph can answer: written from its entities and values, and checked by asking them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from graphbrick.core import Answer
from graphbrick.core.compute import check_limits
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.properties.values import shown_value
from graphbrick.graphs.cards import Card, Group, card_of
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline
from graphbrick.learn.example_entities import entities_with_good_names, has_good_name, is_name
from graphbrick.learn.example_values import asks, filters, in_order, is_said, largest, measures
from graphbrick.learn.example_words import ExampleWords, class_noun
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.beginning import begin
from graphbrick.pipeline.budget import Budget, spending
from graphbrick.pipeline.interpreter import execute

KINDS = ("property", "relation", "chain", "count", "filter", "superlative", "card")
"""The kinds of examples, in the order in which they are shown."""
_SECONDS = 20.0  # for all questions that are tried
_READ, _TRIED = 12, 4  # drafts of one kind that are looked at, and that are asked
_SURE = 0.5  # confidence of an answer that is shown
_MANY = 50  # answers
_TEXT_KINDS = 3  # examples about documents


@dataclass(frozen=True)
class ExampleQuestion:
    """A question that a graph answers.

    Attributes:
        question: The question.
        kind: One of `KINDS`.
        answers: The first answers.
        n: The number of answers.
    """

    question: str
    kind: str
    answers: tuple[str, ...]
    n: int

    def to_dict(self) -> dict[str, Any]:
        """Return the question as plain JSON types."""
        return asdict(self) | {"answers": list(self.answers)}


@dataclass(frozen=True)
class _Draft:
    """A question that was not tried yet.

    Attributes:
        text: The question.
        about: The entity, or name, that it is about; each is used once if others are there.
        fits: Whether an answer to it is right.
    """

    text: str
    about: str
    fits: Callable[[Answer], bool]


def example_questions(
    graph: Any, pipeline: Pipeline | None = None, *, n: int = len(KINDS), seconds: float = _SECONDS, seed: int = 0
) -> list[ExampleQuestion]:
    """Return questions that a graph answers, at most one of each kind.

    A few entities are drawn, whatever the size of the graph. Each question is asked before it is returned, and is left
    out unless its answer is what the entities' cards say. Without time left, the kinds that follow are left out.

    Args:
        graph: A folder graph, or a graph in a database.
        pipeline: What answers them; by default the pipeline of the graph, without a language model.
        n: Most questions; the first kinds go first.
        seconds: Longest time for trying questions.
        seed: Of the random numbers that draw entities.
    """
    pipeline = default_pipeline(graph) if pipeline is None else pipeline
    cards = [card_of(graph, entity) for entity in entities_with_good_names(graph, random.Random(seed))]
    deadline = time.monotonic() + seconds
    chosen: list[ExampleQuestion] = []
    used: set[str] = set()
    for kind, drafts in _Drafts(graph, cards).by_kind():
        for draft in _varied(drafts, used):
            check_limits()
            left = deadline - time.monotonic()
            answer = _answer(graph, pipeline, draft.text, left) if left > 0 else None
            if answer is not None and draft.fits(answer):
                used.add(draft.about)
                chosen.append(ExampleQuestion(draft.text, kind, answer.texts[:3], len(answer.texts)))
                break
        if len(chosen) == n:
            break
    return chosen


def _varied(drafts: Iterable[_Draft], used: set[str]) -> list[_Draft]:
    """Return the drafts to try: those about something new first, each thing once."""
    distinct: dict[str, _Draft] = {}
    for draft in drafts:
        distinct.setdefault(draft.about, draft)
        if len(distinct) == _READ:
            break
    return sorted(distinct.values(), key=lambda draft: draft.about in used)[:_TRIED]


def _answer(graph: Any, pipeline: Pipeline, question: str, seconds: float) -> Answer | None:
    """Return the answer to a question; None if there is none, or it is unsure.

    Near readings of what has no answer are not worked out: nobody sees them.
    """
    try:
        with spending(Budget(seconds=seconds)):
            answer = execute(pipeline, begin(pipeline, graph, question)).answer
    except GraphbrickError:
        return None
    if answer is None or not answer.texts or len(answer.texts) > _MANY:
        return None
    return answer if answer.confidence is None or answer.confidence >= _SURE else None


class _Drafts:
    """Writes questions of each kind about the entities of some cards.

    Args:
        graph: The graph.
        cards: The cards.
    """

    def __init__(self, graph: Any, cards: Sequence[Card]) -> None:
        self._graph, self._cards, self._words = graph, cards, ExampleWords(graph)

    def by_kind(self) -> Iterator[tuple[str, Iterator[_Draft]]]:
        """Yield each kind with its questions."""
        if isinstance(self._graph, TextGraph):
            for _ in range(_TEXT_KINDS):
                yield "passage", self._about_documents()
            return
        writers = (
            self._property, self._relation, self._chain, self._count, self._filter, self._superlative, self._card,
        )  # fmt: skip
        for kind, write in zip(KINDS, writers, strict=True):
            whole = isinstance(self._graph, Graph) or kind not in ("filter", "superlative")
            if whole:
                yield kind, write()

    def _about_documents(self) -> Iterator[_Draft]:
        for card in self._cards:
            if card.passages and is_name(card.label):  # and not a word such as «euros» or «Use»
                yield _Draft(f"What is said about {card.label}?", card.label, lambda answer: True)

    def _property(self) -> Iterator[_Draft]:
        for card in self._cards:
            for name, value in in_order(card.properties):
                text = asks(name, value, card.label)
                if text and shown_value(value).lower() not in card.label.lower():
                    shown = ("yes" if value else "no") if isinstance(value, bool) else shown_value(value)
                    yield _Draft(text, card.label, _is({shown}))
                    break

    def _relation(self) -> Iterator[_Draft]:
        for card in self._cards:
            for group in _few(card):
                step = self._words.step(group, self._type_of_ends(group))
                text = step.question(card.label) if step else ""
                if text:
                    yield _Draft(text, card.label, _is(_labels(group)))
                    break

    def _chain(self) -> Iterator[_Draft]:
        for card in self._cards:
            draft = next(self._two_hops(card), None)
            if draft:
                yield draft

    def _two_hops(self, card: Card) -> Iterator[_Draft]:
        for group in _few(card):
            first = self._words.step(group, self._type_of_ends(group)) if group.count == 1 else None
            phrase = first.phrase(card.label) if first else ""
            if not phrase:
                continue
            middle = card_of(self._graph, self._graph.entity(group.best[0].key))
            for second in _few(middle):
                step = self._words.step(second, self._type_of_ends(second))
                text = step.question(phrase) if step else ""
                if text and second.key != group.key and card.label not in _labels(second):
                    yield _Draft(text, card.label, _is(_labels(second)))

    def _count(self) -> Iterator[_Draft]:
        for card in self._cards:
            for group in card.groups:
                step = self._words.step(group, self._type_of_ends(group)) if group.count > 1 else None
                text = step.count(card.label) if step and not group.is_value and not group.is_cut else ""
                if text:
                    yield _Draft(text, card.label, _is({f"{group.count:,}"}))
                    break

    def _filter(self) -> Iterator[_Draft]:
        drafts: dict[str, list[_Draft]] = {}
        labels: dict[str, set[str]] = {}
        for card in self._cards:
            labels.setdefault(self._own_noun(card), set()).add(card.label)
        for card in self._cards:
            noun = self._own_noun(card)
            for name, value in in_order(card.properties) if noun else ():
                text = filters(noun, name, value)
                if text:
                    fits = partial(_are_some, card.label, labels[noun])
                    drafts.setdefault(text, []).append(_Draft(text, name, fits))
        # A value of several entities makes the better question.
        often = sorted(drafts.values(), key=lambda same: (not is_said(same[0].about), -len(same)))
        yield from (same[0] for same in often)

    def _superlative(self) -> Iterator[_Draft]:
        """Yield superlatives of numbers, then of what relations lead to."""
        for card in self._cards:
            noun = self._own_noun(card)
            for name, value in measures(card.properties) if noun else ():
                yield _Draft(largest(noun, name, value), name, _is_few)
        for card in self._cards:
            for group in card.groups if not measures(card.properties) else ():
                step = self._words.step(group, self._type_of_ends(group)) if group.count > 1 else None
                text = step.most(self._own_noun(card)) if step and not group.is_value else ""
                if text:
                    yield _Draft(text, group.label, _is_few)

    def _card(self) -> Iterator[_Draft]:
        for card in sorted(self._cards, key=lambda card: (not card.description, -card.text.count("\n"))):
            yield _Draft(f"Tell me about {card.label}", card.label, lambda answer: True)

    def _type_of_ends(self, group: Group) -> str:
        return str(self._graph.first_type(self._graph.entity(group.best[0].key)))

    def _own_noun(self, card: Card) -> str:
        """Return what an entity is called by its type, or by its relations; empty if that is unknown."""
        if card.types:
            return class_noun(card.types[0])
        turned = (Group(one.key, one.label, not one.forward, 1, 1, ()) for one in card.groups)
        return next(filter(None, (self._words.noun(group, "") for group in turned)), "")


def _few(card: Card) -> Iterator[Group]:
    """Yield the relations whose ends a card names all, and names well."""
    for group in card.groups:
        labels = _labels(group)
        if not group.is_value and group.count == len(group.best) == len(labels) and all(map(has_good_name, labels)):
            yield group


def _labels(group: Group) -> set[str]:
    return {end.label for end in group.best}


def _is(texts: set[str]) -> Callable[[Answer], bool]:
    """Return the check that the answers are these texts."""
    return lambda answer: set(answer.texts) == texts


def _are_some(label: str, alike: set[str], answer: Answer) -> bool:
    """Return whether the answers are several entities of a class, one of them that with the label, and not all."""
    return label in answer.texts and len(answer.texts) > 1 and not alike <= set(answer.texts)


def _is_few(answer: Answer) -> bool:
    return len(answer.texts) <= 2
