"""Entities of one name that a question tells apart: «the Lou Gray who was born in 1969», «the older Lou Gray»."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan
from graphbrick.bricks.retrieve.operators.question import Question
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import is_plural, stems

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.parse import Parser

_MOST = 50  # entities of one name
_MOST_NAMED = 4  # names of a question of which others are tried
_COMPARED = Expression(r"\be(?P<one>\d+)\b(?:,? (?:or|vs\.?|versus)|[^,]* than)(?: [a-z]+){0,2} e(?P<other>\d+)\b")
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
        said = (
            _of_class(parser, question, number, listed)
            or _ranked(parser, question, number, listed)
            or _described(parser, question, number, listed)
        )
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
    return _of_one_class(parser, question)


def other_readings(graph: Graph, question: Question) -> Iterator[Question]:
    """Yield a question with another entity of the same name in the place of one of its entities."""
    for number, entity in enumerate(question.entities[:_MOST_NAMED]):
        for other in _namesakes(graph, entity):
            if not set(graph.types(other)) <= set(graph.types(entity)):
                entities = (*question.entities[:number], other, *question.entities[number + 1 :])
                yield replace(question, entities=entities)


def _namesakes(graph: Graph, entity: int) -> list[int]:
    """Return the other entities of the name of an entity; none if there are many."""
    named = graph.named(graph.label(entity))
    return [other for other in named if other != entity] if len(named) <= _MOST else []


def _of_one_class(parser: Parser, question: Question) -> Question:
    """Return a question in which two things that are compared are of one class, where their names allow it.

    In «does München have more stations than Hamburg» both are cities, or both are offices.
    """
    graph, match = parser.place.graph, _COMPARED.search(question.text)
    pair = tuple(sorted({int(match["one"]), int(match["other"])})) if match else ()
    if len(pair) != 2 or pair[1] >= len(question.entities):
        return question
    one, other = (question.entities[number] for number in pair)
    if set(graph.types(one)) & set(graph.types(other)):
        return question
    readings = [(one, two) for two in _namesakes(graph, other)] + [(two, other) for two in _namesakes(graph, one)]
    readings += [(first, second) for first in _namesakes(graph, one) for second in _namesakes(graph, other)]
    fits = [both for both in readings if set(graph.types(both[0])) & set(graph.types(both[1]))]
    fits.sort(key=lambda both: not any(map(forms.is_place, map(str.lower, graph.types(both[0])))))
    if not fits:
        return question
    entities = list(question.entities)
    for number, chosen in zip(pair, fits[0], strict=True):
        if chosen != entities[number]:
            name, kind = graph.label(chosen), ", ".join(graph.types(chosen))
            event(f"{name!r} is taken for the {kind}, as what it is compared with", "operators.of_one_class", name=name)
        entities[number] = chosen
    return replace(question, entities=tuple(entities))


def _of_class(parser: Parser, question: Question, number: int, listed: p.Listed) -> tuple[str, str, int] | None:
    """Read «the state of e0», where one of the name is a state and others are not: the words say no more than that."""
    match = re.search(
        rf"\bthe (?P<noun>[a-z]+(?: (?!of |called |named )[a-z]+)?) (?P<of>of |called |named )?e{number}\b",
        question.text,
    )
    if match and (is_plural(match["noun"]) or (match["of"] == "of " and not forms.is_place(match["noun"]))):
        return None  # «the book of e0» is by a person
    name = parser.resolver.lexicon.class_named(stems(match["noun"])) if match else ""
    members = parser.place.classes.get(name) if name else None
    if match is None or members is None:
        return None
    fits = np.intersect1d(listed.run(parser.place), members)
    text = f"{question.text[: match.start()]}e{number}{question.text[match.end() :]}"
    return (match["noun"], text, int(fits[0])) if len(fits) == 1 else None


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
