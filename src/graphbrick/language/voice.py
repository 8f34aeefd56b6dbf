"""Which side of a verb an entity stands at in a phrase."""

from __future__ import annotations

import re

from graphbrick.language.stems import Stems, stems

_PREPOSITIONS = frozenset("of in by at with for to from on as is a an the".split())
_AFTER = "(?P<after>of|in|on|at|to|for|with|from|against|into|over|under)"
_DIRECTIONS = {"to": "to", "into": "to", "from": "from"}
_WAY = re.compile(r"\b(to|into|from)\b(?= e\d|$)")
# Where the entity stands beside a verb, and whether it is its subject then.
_VOICES = (
    (re.compile(r"\b(?:do|does|did|can) e\d+ (?P<verb>[a-z -]+)"), True),
    (re.compile(r"\b(?P<verb>[a-z-]+) by e\d+\b"), True),
    (re.compile(rf"\b(?:is|are|was|were) e\d+ (?:an? |the )?(?P<verb>[a-z-]+) {_AFTER}$"), True),
    (re.compile(r"\be\d+ (?P<verb>[a-z-]+) by\b"), False),
    (re.compile(rf"(?<!the )(?<!\ban )(?<!\ba )\b(?P<verb>[a-z-]+)(?: {_AFTER})? e\d+\b"), False),
    (re.compile(rf"\ban? (?P<verb>[a-z-]+) {_AFTER} e\d+\b"), False),
)


def names_subject(phrase: str, label: Stems) -> bool | None:
    """Return whether the entity of a phrase is the subject of a relation's verb; None if the phrase does not say so.

    >>> phrases = "which services depend on e0", "which services does e0 depend on", "what is the price of e0"
    >>> [names_subject(phrase, ("depend", "on")) for phrase in phrases]
    [False, True, None]
    """
    for pattern, is_subject in _VOICES:
        for match in pattern.finditer(phrase):
            words = match.groupdict()
            after = words.get("after")
            if set(stems(words["verb"])) & set(label) - _PREPOSITIONS and (not after or after in label):
                return is_subject
    return None


def begins_at(phrase: str, label: Stems) -> bool | None:
    """Return whether the entity of a phrase is the head of a relation; None if the phrase does not say so.

    The subject of a verb is its head, unless the label has «by», or the phrase has «from» where the label has «into».

    >>> phrases = "what does e0 evolve into", "what does e0 evolve from", "what evolves into e0", "what e0 has"
    >>> [begins_at(phrase, ("evolv", "into")) for phrase in phrases]
    [True, False, False, None]
    """
    is_subject = names_subject(phrase, label)
    if is_subject is None:
        return None
    own = {_DIRECTIONS[word] for word in label if word in _DIRECTIONS}
    said = {_DIRECTIONS[match[1]] for match in _WAY.finditer(phrase)}
    is_turned = len(own) == 1 == len(said) and own != said
    return (is_subject != ("by" in label)) != is_turned
