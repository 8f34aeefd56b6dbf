"""Which side of a verb an entity stands at in a phrase."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import Stems, stems

_PREPOSITIONS = frozenset("of in by at with for to from on as is a an the".split())
_AFTER = "(?P<after>of|in|on|at|to|for|with|from|against|into|over|under)"
_DIRECTIONS = {"to": "to", "into": "to", "from": "from"}
_WAY = Expression(r"\b(to|into|from)\b(?= e\d|$)")
# Where the entity stands beside a verb, and whether it is its subject then.
_VOICES = (
    (Expression(r"\b(?:do|does|did|can) e\d+ (?P<verb>[a-z -]+)"), True),
    (Expression(r"\b(?P<verb>[a-z-]+) by e\d+\b"), True),
    (Expression(rf"\b(?:is|are|was|were) e\d+ (?:an? |the )?(?P<verb>[a-z-]+) {_AFTER}$"), True),
    (Expression(r"\be\d+ (?P<verb>[a-z-]+) by\b"), False),
    (Expression(rf"(?<!the )(?<!\ban )(?<!\ba )\b(?P<verb>[a-z-]+)(?: {_AFTER})? e\d+\b"), False),
    (Expression(rf"\ban? (?P<verb>[a-z-]+) {_AFTER} e\d+\b"), False),
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


def says_way(phrase: str) -> bool:
    """Return whether a phrase says which way something goes: «evolve into», «come from».

    >>> says_way("what does e0 evolve into"), says_way("who moved to e0"), says_way("from what is e0 made")
    (True, True, False)
    """
    return _WAY.search(phrase) is not None


def is_another_way(phrase: str, label: Stems, labels: Iterable[Stems]) -> bool:
    """Return whether a phrase speaks of another relation with the verb of a label: «evolve into» is not «evolves with».

    Args:
        phrase: The phrase, with `e0` for the entity.
        label: The stems of the label.
        labels: Those of all relations.

    >>> labels = [("evolv", "from"), ("evolv", "with")]
    >>> [is_another_way("what does e0 evolve into", label, labels) for label in labels]
    [False, True]
    """
    if not says_way(phrase) or not _PREPOSITIONS.intersection(label) or any(word in _DIRECTIONS for word in label):
        return False
    verb = set(label).intersection(stems(phrase)) - _PREPOSITIONS
    return any(verb.intersection(other) and any(word in _DIRECTIONS for word in other) for other in labels)


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


def follows(words: Sequence[str], first: Set[str], second: Set[str]) -> bool:
    """Return whether one of some words stands directly after the last of others.

    >>> follows(("model", "family"), {"model"}, {"family"}), follows(("family", "of", "model"), {"family"}, {"model"})
    (True, False)
    """
    last = max((at for at, word in enumerate(words) if word in first), default=len(words))
    return last + 1 < len(words) and words[last + 1] in second
