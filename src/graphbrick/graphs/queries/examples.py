"""Pairs of questions and queries that a model is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from graphbrick.core.errors import InputError

_TEXT = re.compile(r"'[^'\\\n]+'|\"[^\"\\\n]+\"")


class Pair(NamedTuple):
    """A question and the query that answers it."""

    question: str
    query: str


def masked(question: str, names: Iterable[str]) -> str:
    """Return a question with its names as «X», so that questions of one kind resemble each other.

    >>> masked("Who directed Heat and Heat 2?", ["Heat", "Heat 2"])
    'Who directed X and X?'
    """
    for name in sorted(filter(None, names), key=len, reverse=True):
        question = question.replace(name, "X")
    return question


def names_in(pair: Pair) -> list[str]:
    """Return the texts of a query that occur in its question.

    >>> names_in(Pair("Who directed Heat?", "MATCH (p)-[:DIRECTED]->(:Film {title: 'Heat'}) RETURN p.name"))
    ['Heat']
    """
    return [text for quoted in _TEXT.findall(pair.query) if (text := quoted[1:-1]) in pair.question]


def read_pairs(file: Path) -> list[Pair]:
    """Read pairs from a file of JSON lines, each with "question" and "query"; other fields are left out.

    Raises:
        InputError: The file is missing, or a line is not such a pair.
    """
    try:
        # JSON may hold other line separators, such as U+2028, as they are.
        lines = file.expanduser().read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError, RuntimeError) as error:  # also a null character, or the home of an unknown user
        reason = f"cannot be read ({error}); examples are JSON lines of question and query"
        raise InputError(reason, file, code="examples.unreadable") from error
    pairs = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            pair = Pair(record["question"], record["query"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            reason = 'is not a pair such as {"question": "...", "query": "..."}'
            raise InputError(reason, file, number, line, code="examples.not_a_pair") from error
        if not all(isinstance(text, str) and text.strip() for text in pair):
            reason = "question and query must be texts that are not empty"
            raise InputError(reason, file, number, line, code="examples.not_text")
        pairs.append(pair)
    return pairs
