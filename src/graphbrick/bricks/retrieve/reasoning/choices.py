"""Choices of a language model among relations and entities; unreadable replies are events."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.bricks.retrieve.reasoning.asking import PROMPTS
from graphbrick.core.trace import event
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.prompt_files import Prompt
from graphbrick.models.llm.replies.json_replies import json_list, json_object, whole_number
from graphbrick.models.llm.replies.replies import read_numbers
from graphbrick.models.llm.replies.scores import read_scores

_WHOLE = 100  # scores are shares of it


def choosing(llm: ChatModel, name: str, candidates: Sequence[str], most: int | None = None, **values: str) -> Prompt:
    """Return the request in which a model names at most ``most`` candidates by number."""
    n = len(candidates)
    schema = json_object(numbers=json_list(whole_number(1, max(n, 1)), most=min(most or n, n)))
    return PROMPTS.request(llm, name, candidates, schema=schema, **values)


def scoring(llm: ChatModel, name: str, candidates: Sequence[str], most: int, **values: str) -> Prompt:
    """Return the request of a prompt in which a model gives shares of 100 to at most ``most`` candidates."""
    n = len(candidates)
    entry = json_object(number=whole_number(1, max(n, 1)), score=whole_number(0, _WHOLE))
    schema = json_object(scores=json_list(entry, most=min(most, n)))
    return PROMPTS.request(llm, name, candidates, schema=schema, **values)


def chosen(reply: str, candidates: Sequence[str], most: int | None = None) -> list[int] | None:
    """Return the places, from 0, of the candidates in a reply, best first; None if unreadable."""
    numbers = read_numbers(reply, candidates)
    if numbers is not None and most is not None and len(numbers) > most:
        event(
            f"of {len(numbers)} candidates that the reply names only the first {most} count",
            "choices.too_many_names",
            n=len(numbers),
            most=most,
        )
    return None if numbers is None else [number - 1 for number in numbers[:most]]


def scored(reply: str, candidates: Sequence[str], most: int) -> dict[int, float] | None:
    """Return the scores above 0 in a reply, in (0, 1] by place from 0, best first; else None.

    Of more than ``most`` the best count, which is an event; ties go to the earlier candidate.
    """
    scores = read_scores(reply, len(candidates), most=_WHOLE, every=False, texts=candidates)
    if not scores:
        return None
    ranked = sorted(((place - 1, score / _WHOLE) for place, score in scores.items()), key=lambda e: (-e[1], e[0]))
    if len(ranked) > most:
        event(
            f"of {len(ranked)} candidates that the reply scores only the best {most} count",
            "choices.too_many_scores",
            n=len(ranked),
            most=most,
        )
    return {place: score for place, score in ranked[:most] if score > 0}
