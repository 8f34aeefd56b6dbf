"""Entities of one name that a question tells apart: «the Lou Gray who was born in 1969», «the older Lou Gray»."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan
from graphbrick.bricks.retrieve.operators.question import Question
from graphbrick.core.trace import event

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.parse import Parser

_MOST = 50  # entities of one name
_MOST_WORDS = 16  # words that tell them apart


def told_apart(parser: Parser) -> Question:
    """Return a question in which names of several entities stand for the one that it describes beside the name."""
    question = parser.question
    for number in range(len(question.entities)):
        graph, entity = parser.place.graph, question.entities[number]
        namesakes = graph.named(graph.label(entity))
        if not 1 < len(namesakes) <= _MOST:
            continue
        listed = p.Listed(tuple(sorted(namesakes)))
        said = _ranked(parser, question, number, listed) or _described(parser, question, number, listed)
        if said is None:
            continue
        words, text, chosen = said
        entities = (*question.entities[:number], chosen, *question.entities[number + 1 :])
        event(
            f"{graph.label(entity)!r} is told apart by «{words}»",
            "operators.told_apart",
            name=graph.label(entity),
            by=words,
        )
        question = replace(question, text=text, entities=entities)
    return question


def _ranked(parser: Parser, question: Question, number: int, listed: p.Listed) -> tuple[str, str, int] | None:
    """Read «the older e0»."""
    match = re.search(rf"\b(?:the )?(?P<word>[a-z]+) e{number}\b", question.text)
    english = parser.english
    comparison = (english.comparatives.get(match["word"]) or english.superlatives.get(match["word"])) if match else None
    if match is None or comparison is None or not comparison.names:
        return None
    try:
        measure = parser.resolver.measure("", comparison.names, listed, match["word"])
        chosen = p.Best(listed, measure, comparison.largest).only(parser.place)
    except CannotPlanError:
        return None
    return match["word"], f"{question.text[: match.start()]}e{number}{question.text[match.end() :]}", chosen


def _described(parser: Parser, question: Question, number: int, listed: p.Listed) -> tuple[str, str, int] | None:
    """Read «the e0 who was born in 1969», with the fewest words that only one of the entities fits."""
    match = next(
        (
            match
            for pattern in parser.english.patterns["tells_apart"]
            for match in pattern.finditer(question.text)
            if match["who"] == f"e{number}"
        ),
        None,
    )
    noun = parser.resolver.lexicon.classes_of(listed.run(parser.place)) if match else ""
    if match is None or not noun:
        return None
    words = match["rest"].split()
    for end in range(2, min(len(words), _MOST_WORDS) + 1):
        said = " ".join(words[:end])
        try:
            fits = _fitting(parser, f"which {noun} {said}", listed)
        except CannotPlanError:
            continue
        if len(fits) == 1:
            rest = " ".join(words[end:])
            return said, f"{question.text[: match.end('who')]} {rest}".strip(), fits[0]
    return None


def _fitting(parser: Parser, phrase: str, listed: p.Listed) -> list[int]:
    plan: SetPlan = parser.set(phrase)
    entities = listed.run(parser.place)
    fits: list[int] = entities[np.isin(entities, plan.run(parser.place))].tolist()
    return fits
