"""Requests to a language model for the plan of a question, with the words of the graph."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.info import relation_counts
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.context_budget import fitting
from graphbrick.models.llm.messages import Request
from graphbrick.models.llm.replies.json_replies import json_list, json_object
from graphbrick.models.llm.replies.replies import lines_of, numbered, one_line
from graphbrick.patterns.properties.sources import sources_of
from graphbrick.patterns.text import readable

MOST_STEPS = 6
_MOST_SETS = 6
_LISTED = 200  # relations, and classes, that the model is shown


class Operator(NamedTuple):
    """The inputs of an operator: fewest and most sets, fewest and most numbers, whether an attribute."""

    sets: tuple[int, int]
    numbers: tuple[int, int] = (0, 0)
    attribute: bool = False


OPERATORS = {
    "count": Operator((1, 1)),
    "most": Operator((1, 1), (0, 1), attribute=True),
    "least": Operator((1, 1), (0, 1), attribute=True),
    "more_than": Operator((1, 2), (0, 1), attribute=True),
    "less_than": Operator((1, 2), (0, 1), attribute=True),
    "at_least": Operator((1, 1), (1, 1), attribute=True),
    "at_most": Operator((1, 1), (1, 1), attribute=True),
    "between": Operator((1, 1), (2, 2), attribute=True),
    "both": Operator((2, _MOST_SETS)),
    "either": Operator((2, _MOST_SETS)),
    "without": Operator((2, 2)),
    "sum": Operator((1, 1), attribute=True),
    "mean": Operator((1, 1), attribute=True),
    "yes_no": Operator((1, 2)),
}

_STEP = json_object(
    operator={"type": "string", "enum": [*OPERATORS, "cannot"]},
    sets=json_list({"type": "string"}, most=_MOST_SETS),
    attribute={"type": "string"},
    numbers=json_list({"type": "number"}, most=2),
)
_SCHEMA = json_object(steps=json_list(_STEP, most=MOST_STEPS))
_INSTRUCTION = """You write the plan of a question about a knowledge graph; you do not answer it. A plan has steps. \
Each has an operator, sets, an attribute ("" for none) and numbers ([] for none).
A set is a plain question for things, in the words of the graph and with one entity at most: "which countries border \
e0", "which countries are there". Or it is an entity, "e0", or the result of an earlier step, "#1". e0, e1, ... stand \
for the entities of the question; every one of them must be in the plan.
An attribute is one of the numbers or dates of the graph, or what is to be counted of each thing, such as "neighbours".
Operators:
count: how many things are in a set
most, least: the things of a set whose attribute is largest or smallest; a number n if n things are wanted
more_than, less_than, at_least, at_most, between: the things of a set whose attribute compares so with the numbers; \
more_than and less_than take a second set of one thing in the place of the number
both: what is in all sets; either: what is in any; without: what is in the first set and not in the second
sum, mean: of the attribute over a set
yes_no: whether there is anything in a set; of two sets, whether all of the first is in the second
cannot: the graph does not have what the question needs
Plan the question itself. Say it in the words of the graph that mean the same; where nothing there means the same, the \
operator is cannot.
Reply with JSON. For "How many states around e0 have more than a million people?":
{"steps": [{"operator": "more_than", "sets": ["which countries border e0"], "attribute": "population", "numbers": \
[1000000]}, {"operator": "count", "sets": ["#1"], "attribute": "", "numbers": []}]}"""
_PROMPT = "Graph:\n{graph}\n\nEntities: {entities}\nQuestion: {question}\nPlan:"


def request(llm: ChatModel, parser: Parser, question: str) -> Request:
    """Return the request for the plan of a question, without the names that exceed the context.

    Args:
        llm: The model.
        parser: Has the graph and the entities of the question.
        question: The question with placeholders for its entities.
    """
    lines = _words_of(parser)
    fit = fitting(llm, _messages(parser, question, []), lines)
    if fit < len(lines):
        event(
            f"{llm.model} was shown only the first {fit} of {len(lines)} names of the graph: its context is full",
            "model_plan.names_cut",
            n=fit,
            total=len(lines),
        )
    return Request(_messages(parser, question, lines[:fit]), _SCHEMA)


def _words_of(parser: Parser) -> list[str]:
    """Return lines of the graph's numbers, dates, classes and other relations, the largest first."""
    graph = parser.place.graph
    key = ("relations by triples", graph.place, graph.hash)
    order = current_session().get(key, lambda: np.argsort(-relation_counts(graph), kind="stable").tolist(), at_most=8)
    sources, classes = sources_of(graph), parser.resolver.lexicon.classes
    values = {source.relation: source for source in sources if source.relation >= 0}
    columns = [source for source in sources if source.relation < 0 and source.literal is not None]
    names = [(number, readable(graph.relation_label(number))) for number in order]
    numeric = [*(values[n] for n, _ in names if n in values), *columns]
    lines = [f"{'date' if one.is_date else 'number'}: {readable(one.name)} ({one.literal})" for one in numeric]
    lines += [f"class: {name}" for name in sorted(classes, key=lambda name: -len(classes[name]))[:_LISTED]]
    lines += [f"relation: {name}" for n, name in names if n not in values][:_LISTED]
    left_out = max(len(classes) - _LISTED, 0) + max(len(names) - len(values) - _LISTED, 0)
    if left_out:
        event(
            f"{left_out:,} classes and relations of few entities are not shown to the model",
            "model_plan.names_left_out",
            n=left_out,
        )
    return lines_of(dict.fromkeys(lines))


def _messages(parser: Parser, question: str, lines: list[str]) -> list[dict[str, str]]:
    graph = parser.place.graph
    entities = [f"e{i} = {one_line(graph.describe(entity))[:200]}" for i, entity in enumerate(parser.entities)]
    prompt = _PROMPT.format(graph=numbered(lines), entities="; ".join(entities) or "none", question=one_line(question))
    return [{"role": "system", "content": _INSTRUCTION}, {"role": "user", "content": prompt}]
