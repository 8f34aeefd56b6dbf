"""Grammars that make a language model reply with one of many given texts, in the GBNF of llama.cpp."""

from __future__ import annotations

from collections.abc import Iterable

_ESCAPES = str.maketrans({'"': r"\"", "\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"})


def one_of(texts: Iterable[str]) -> str:
    """Return the grammar of replies that are one of the texts: a trie with a rule for each branching.

    A text may be the beginning of another one. Rules are few: at most one for every text. llama.cpp and vLLM read it.

    Raises:
        ValueError: There is no text, so no reply would be allowed.

    >>> print(one_of(["Nairobi -> r -> A", "Nairobi -> r -> B", "Nairobi"]))
    root ::= "Nairobi" r1
    r1 ::= "" | " -> r -> " r2
    r2 ::= "A" | "B"
    """
    ordered = sorted(set(texts))
    if not ordered:
        raise ValueError("a grammar needs at least one text")
    rules: list[str] = [""]
    pending = [(0, 0, len(ordered), 0)]  # rule, first and last text of its group, characters that they share
    while pending:
        rule, first, last, at = pending.pop()
        choices = list[str]()
        while first < last:
            if len(ordered[first]) == at:  # the shortest stands first
                choices.append('""')
                first += 1
                continue
            end = _same(ordered, first, last, at)
            shared = _shared(ordered[first], ordered[end - 1])
            text = _quoted(ordered[first][at:shared])
            if end - first > 1:
                rules.append("")
                pending.append((len(rules) - 1, first, end, shared))
                text += f" r{len(rules) - 1}"
            choices.append(text)
            first = end
        rules[rule] = " | ".join(choices)
    return "\n".join(f"{f'r{i}' if i else 'root'} ::= {rule}" for i, rule in enumerate(rules))


def _same(ordered: list[str], first: int, last: int, at: int) -> int:
    """Return the end of the texts that have the same character as the first one at a place."""
    low, high, char = first + 1, last, ordered[first][at]
    while low < high:
        middle = (low + high) // 2
        if ordered[middle][at] == char:
            low = middle + 1
        else:
            high = middle
    return low


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts share at their beginnings."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _quoted(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'
