"""Read the grammars of `graphbrick.models.llm.replies.grammars` back: all texts that they allow."""

from __future__ import annotations

import json
import re

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|r\d+')


def texts_of(grammar: str) -> list[str]:
    """Return the texts that a grammar allows, in its order."""
    rules = dict(line.split(" ::= ", 1) for line in grammar.split("\n"))

    def expand(rule: str) -> list[str]:
        found = []
        for choice in _choices(rules[rule]):
            texts = [""]
            for piece in choice:
                parts = [json.loads(piece)] if piece.startswith('"') else expand(piece)
                texts = [text + part for text in texts for part in parts]
            found += texts
        return found

    return expand("root")


def _choices(rule: str) -> list[list[str]]:
    """Return the pieces of each alternative; a bar may stand inside quotes."""
    choices: list[list[str]] = [[]]
    last = 0
    for match in _PIECE.finditer(rule):
        if "|" in rule[last : match.start()]:
            choices.append([])
        choices[-1].append(match.group())
        last = match.end()
    return choices
