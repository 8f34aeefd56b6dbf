"""Answers to questions that no rule reads, by their parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graphbrick.bricks.retrieve.operators.grammar.tokens import Tokens
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.paths.results import evidence_of
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan
from graphbrick.bricks.retrieve.operators.records.one_triple import in_one_triple
from graphbrick.bricks.retrieve.operators.schema.class_graph import class_graph_of
from graphbrick.bricks.retrieve.operators.schema.reading import AMBIGUOUS
from graphbrick.bricks.retrieve.operators.sets import NO_ANTECEDENT
from graphbrick.bricks.retrieve.operators.triples.now import asks_who_left
from graphbrick.core import Evidence
from graphbrick.core.trace import DETAIL, Event, event
from graphbrick.language.stems import stems
from graphbrick.patterns.properties.name_parts import SHOWN, entities_with, which_is_meant
from graphbrick.patterns.properties.sources import has_columns

LEFT_OUT = "operators.parts_left_out"
PART_OF_NAMES = "operators.part_of_names"
CONFIDENCE = 0.4
"""The confidence of a reading that leaves the order of the words aside."""


def left_out(events: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a question that was not answered without which its parts are a question."""
    told = (one for one in events if isinstance(one, Event) and one.code == LEFT_OUT)
    return next((tuple(one.values["words"]) for one in told), ())  # type: ignore[arg-type]


def surer_by_parts(evidence: Evidence, parser: Parser, cap: int, brick: str) -> Evidence:
    """Return what a path answers, or the answer by parts where that is surer; see `by_parts`."""
    is_unsure = evidence.confidence is not None and evidence.confidence < CONFIDENCE
    return (by_parts(parser, cap, brick) if is_unsure else None) or evidence


def by_parts(parser: Parser, cap: int, brick: str, error: CannotPlanError | None = None) -> Evidence | None:
    """Return the answer to a question by its parts; None if one of its words has no place among them.

    Args:
        parser: Knows the graph and the question.
        cap: Most answers listed.
        brick: The stage that answers.
        error: Why no rule reads the question; None if a path was found that may not say all of it.
    """
    graph = parser.place.graph
    is_open = error is not None and error.code in (AMBIGUOUS, NO_ANTECEDENT)
    if is_open or not has_columns(graph) or not class_graph_of(graph):
        return None
    if asks_who_left(graph, parser.question.text):
        return None  # «left» would say nothing
    from graphbrick.bricks.retrieve.operators.unordered.reading import unordered  # most questions need none

    found = next(iter(unordered(parser, parser.question.text)), None)
    if found is None or found.left_out:
        if found is not None and found.may_be_near:
            words = ", ".join(found.left_out)
            text = f"without {words} it would be: {found.plan.text(parser.place)}"
            event(text, LEFT_OUT, DETAIL, words=found.left_out)
        return None
    plan = in_one_triple(parser.place, found.plan)
    try:
        evidence = evidence_of(plan, parser.place, cap, brick, sure=False)
    except CannotPlanError:  # its values are unknown
        return None
    if isinstance(plan, SetPlan) and not len(plan.run(parser.place)):
        return None  # that nothing fits is no answer of a reading that is not sure
    text = f"read by its parts, whatever the order of its words: {plan.text(parser.place)}"
    assumed = parser.resolver.assumptions_of(found.plan)
    event("; ".join((text, *map(parser.with_names, assumed))), "operators.by_parts", assumed=assumed)
    return replace(evidence, confidence=CONFIDENCE)


def asking_for_name(parser: Parser, error: CannotPlanError) -> CannotPlanError:
    """Return an error; if it does not know a part of several names, one that asks which of them is meant."""
    unread = {*error.values.get("words", ()), *error.values.get("nouns", ())}  # type: ignore[misc]
    terms = Tokens(parser, parser.question.text).parts_of_names if unread else []
    part = next((str(term.value) for term in terms if unread.intersection(stems(str(term.value)))), None)
    if part is None:
        return error
    graph, entities = parser.place.graph, entities_with(parser.place.graph, part)
    text, names = which_is_meant(graph, part, entities), tuple(map(graph.label, entities[:SHOWN]))
    return CannotPlanError(text, code=PART_OF_NAMES, words=tuple(unread), part=part, names=names)
