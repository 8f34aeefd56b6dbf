"""Pairs of questions and queries that a model is shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from graphbrick.core.errors import InputError


class Pair(NamedTuple):
    """A question and the query that answers it."""

    question: str
    query: str


def read_pairs(file: Path) -> list[Pair]:
    """Read pairs from a file of JSON lines, each with "question" and "query"; other fields are left out.

    Raises:
        InputError: The file is missing, or a line is no such pair.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error}); examples are JSON lines of question and query", file) from error
    pairs = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            pair = Pair(record["question"], record["query"])
        except (ValueError, KeyError, TypeError) as error:
            raise InputError('is no pair such as {"question": "...", "query": "..."}', file, number, line) from error
        if not all(isinstance(text, str) and text.strip() for text in pair):
            raise InputError("question and query must be texts that are not empty", file, number, line)
        pairs.append(pair)
    return pairs
