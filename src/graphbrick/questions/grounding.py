"""Grounding: find the seeds and answers of questions in a graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from graphbrick.core import Query
from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError, LinkError
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.names import names_of
from graphbrick.language.folding import nfc
from graphbrick.questions.coverage import Coverage, coverage
from graphbrick.questions.nearest import nearest_hops
from graphbrick.questions.question import Question, grouped


@dataclass(frozen=True, slots=True)
class GroundedQuestion:
    """A question with its seeds and answers in a graph.

    Attributes:
        question: The question.
        seeds: Entity ids of the seeds in the graph, distinct, in order. If several entities share the label of a seed,
            the one with the highest degree is used, as in a pipeline.
        gold: For each answer of the question, its possible entities, highest degree first; empty if the answer is not
            in the graph. An answer given by key has one entity; an answer given by label has all entities with it.
        names: For each answer, all its names: those in the file (the answer itself if it is no key), then the labels
            and aliases of its entities.
        missing_seeds: Seeds that are not in the graph, as written in the file.
        unclear_seeds: Seeds whose label several entities share.
        distance: Hops from a seed to the nearest answer, along triples in any direction; None if no answer is within
            the limit, or if no seed or no answer is in the graph.
    """

    question: Question
    seeds: tuple[int, ...]
    gold: tuple[tuple[int, ...], ...]
    names: tuple[tuple[str, ...], ...]
    missing_seeds: tuple[str, ...] = ()
    unclear_seeds: tuple[str, ...] = ()
    distance: int | None = None

    @property
    def answers(self) -> tuple[int, ...]:
        """Distinct entities of all answers."""
        return tuple(dict.fromkeys(entity for entities in self.gold for entity in entities))

    @property
    def missing_answers(self) -> tuple[str, ...]:
        """Answers that are not in the graph, as written in the file."""
        pairs = zip(self.question.answers, self.gold, strict=True)
        return tuple(answer for answer, entities in pairs if not entities)

    @property
    def answerable(self) -> bool:
        """True if at least one answer is in the graph."""
        return any(self.gold)

    def query(self) -> Query:
        """Return the query for a pipeline, with the seeds found in the graph, if any are given.

        Raises:
            LinkError: The file gives seeds, but none of them is in the graph. Without seeds, the pipeline would link
                the question, and the result would measure something else.
        """
        if self.missing_seeds and not self.seeds:
            lost = ", ".join(map(repr, self.missing_seeds[:3]))
            raise LinkError(
                f"question {self.question.id}: the graph has none of its seeds ({lost})",
                code="question.no_seed",
                question=self.question.id,
            )
        return Query(self.question.text, self.seeds, self.question.id)


@dataclass(frozen=True)
class Grounded:
    """Questions in the order given, with their seeds and answers in a graph.

    Attributes:
        questions: The questions.
        max_hops: The greatest distance that was searched.
        graph_hash: The hash of the graph.
    """

    questions: tuple[GroundedQuestion, ...]
    max_hops: int
    graph_hash: str

    def __len__(self) -> int:
        return len(self.questions)

    def split(self, by: str) -> dict[str, Grounded]:
        """Split the questions by "hops" (as stated in the file), "dataset" or a fact.

        Groups are in natural order; see `Question.group`.

        Raises:
            InputError: There is no such fact.
        """
        of = {id(grounded.question): grounded for grounded in self.questions}
        groups = grouped((grounded.question for grounded in self.questions), by)
        return {
            name: Grounded(tuple(of[id(question)] for question in group), self.max_hops, self.graph_hash)
            for name, group in groups.items()
        }

    def report(self) -> Coverage:
        """Return the coverage counts; each count includes every question once."""
        return coverage(
            [
                (
                    (len(grounded.question.seeds), len(grounded.missing_seeds), len(grounded.unclear_seeds)),
                    (
                        len(grounded.gold),
                        len(grounded.missing_answers),
                        any(len(entities) > 1 for entities in grounded.gold),
                    ),
                    grounded.distance,
                )
                for grounded in self.questions
            ],
            self.max_hops,
        )


def ground(graph: Graph, questions: Iterable[Question], *, max_hops: int = 4, progress: Progress = silent) -> Grounded:
    """Find the seeds and answers of questions in a graph; every question is kept.

    A name is looked up as a key first, then as a label or alias. An exact match is preferred to one that differs in
    case or accents, then a label to an alias.

    Args:
        graph: The graph.
        questions: The questions.
        max_hops: The greatest distance from seed to answer that is searched, at least 1.
        progress: Called with the number of questions done.

    Raises:
        InputError: ``max_hops`` is below 1.

    Example:
        >>> from graphbrick.testing import tiny_graph
        >>> questions = [Question("1", "Which currency has Nairobi?", ("Nairobi",), ("Kenyan shilling", "Euro"))]
        >>> grounded = ground(tiny_graph(), questions)
        >>> grounded.questions[0].distance, grounded.questions[0].missing_answers
        (2, ('Euro',))
        >>> print(grounded.report())
        1 questions
        seeds      1 all found
        answers    1 some in the graph
        distance   1 of 2 hops
    """
    if not isinstance(max_hops, int) or isinstance(max_hops, bool) or max_hops < 1:
        raise InputError(
            f"ground max_hops must be a whole number of at least 1, got {max_hops!r}; try 4", code="ground.bad_max_hops"
        )
    names = _Names(graph)
    in_graph = []
    for done, question in enumerate(questions, 1):
        in_graph.append(_ground(graph, names, question, max_hops))
        progress("", done, None)
    return Grounded(tuple(in_graph), max_hops, graph.hash)


def _ground(graph: Graph, names: _Names, question: Question, max_hops: int) -> GroundedQuestion:
    seeds = [names.entities(seed) for seed in question.seeds]
    gold = tuple(names.entities(answer) for answer in question.answers)
    ends = (entities[:1] for entities in seeds), gold
    sources, targets = (
        np.array(sorted({entity for entities in groups for entity in entities}), dtype=np.int32) for groups in ends
    )
    named = question.answer_names or ((),) * len(gold)
    return GroundedQuestion(
        question,
        seeds=tuple(dict.fromkeys(entities[0] for entities in seeds if entities)),
        gold=gold,
        names=tuple(
            names.texts(entities, texts or names.own(answer)) or (answer,)
            for answer, entities, texts in zip(question.answers, gold, named, strict=True)
        ),
        missing_seeds=tuple(s for s, entities in zip(question.seeds, seeds, strict=True) if not entities),
        unclear_seeds=tuple(s for s, entities in zip(question.seeds, seeds, strict=True) if len(entities) > 1),
        distance=nearest_hops(graph.csr, sources, targets, max_hops),
    )


class _Names:
    """Cached lookup of the entities of a name."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._entities: dict[str, tuple[int, ...]] = {}
        self._texts: dict[int, tuple[str, ...]] = {}

    def entities(self, name: str) -> tuple[int, ...]:
        """Return the entity with this key, else all entities with this name, highest degree first."""
        matches = self._entities.get(name)
        if matches is None:
            matches = self._entities[name] = self._find(name)
        return matches

    def _find(self, name: str) -> tuple[int, ...]:
        graph = self._graph
        try:
            return (graph.entity(name),)
        except LinkError:
            surface = nfc(name.strip())
        ranks: dict[int, tuple[bool, bool]] = {}
        for number in names_of(graph.names, name):
            entity = graph.names.entity(number)
            rank = (graph.names.name(number) != surface, number != entity)  # same preference as `resolve_seeds`
            ranks[entity] = min(rank, ranks.get(entity, rank))
        best = min(ranks.values(), default=None)
        return tuple(sorted((e for e in ranks if ranks[e] == best), key=lambda e: (-graph.degree(e), e)))

    def own(self, answer: str) -> tuple[str, ...]:
        """Return an answer as a name, as the file spells it; none if it is a key."""
        entities = self.entities(answer)
        return () if entities and self._graph.key(entities[0]) == answer else (answer,)

    def texts(self, entities: tuple[int, ...], own: tuple[str, ...]) -> tuple[str, ...]:
        """Return the given texts, then the labels and aliases of the entities, without duplicates."""
        for entity in entities:
            if entity not in self._texts:
                texts = (self._graph.label(entity), *self._graph.aliases(entity))
                self._texts[entity] = tuple(text for text in texts if text)
        return tuple(dict.fromkeys((*own, *(text for entity in entities for text in self._texts[entity]))))
