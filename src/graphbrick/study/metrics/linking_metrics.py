"""Measures of linking: entities of a link stage, compared with the seeds in a file of questions.

A *mention* is a piece of the question that names an entity; its *readings* are the entities that it may mean, best
first. A gold seed that is not in the graph is None: no linker can find it, but it counts. All measures lie in [0, 1],
and are 0 if nothing was linked. Without gold seeds they raise ValueError.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

from graphbrick.core import Query

LINKING_METRICS = ("linking_recall_at_1", "linking_recall_at_5", "linking_precision")
"""Names of the measures that `linking_scores` returns."""

Mentions = Sequence[Sequence[Hashable]]


def readings_of(query: Query) -> list[tuple[int, ...]]:
    """Return the readings of each mention; a seed without a mention is one with a single reading.

    >>> from graphbrick.core import Mention
    >>> readings_of(Query("Is Paris in Texas?", (3, 7), mentions=(Mention("Paris", 3, others=(4, 5)),)))
    [(3, 4, 5), (7,)]
    """
    mentions = [(mention.entity, *mention.others) for mention in query.mentions]
    known = {entity for readings in mentions for entity in readings}
    return mentions + [(seed,) for seed in query.seeds if seed not in known]


def linking_recall(mentions: Mentions, gold: Collection[Hashable], n: int) -> float:
    """Return the share of gold seeds that are among the first ``n`` readings of some mention.

    >>> linking_recall([["Paris, Texas", "Paris"], ["Texas"]], ["Paris", "Texas"], 1)
    0.5
    >>> linking_recall([["Paris, Texas", "Paris"], ["Texas"]], ["Paris", "Texas"], 5)
    1.0
    """
    if not gold:
        raise ValueError("a question without gold seeds cannot be scored; leave it out and say so")
    entities = {entity for readings in mentions for entity in readings[:n]} - {None}
    return sum(seed in entities for seed in gold) / len(gold)


def linking_precision(mentions: Mentions, gold: Collection[Hashable]) -> float:
    """Return the share of distinct first readings that are gold seeds; 0 if nothing was linked.

    >>> linking_precision([["Paris, Texas", "Paris"], ["Texas"]], ["Paris", "Texas"])
    0.5
    """
    if not gold:
        raise ValueError("a question without gold seeds cannot be scored; leave it out and say so")
    entities = {readings[0] for readings in mentions if readings}
    return len(entities & set(gold)) / len(entities) if entities else 0.0


def linking_scores(query: Query, gold: Collection[Hashable]) -> tuple[float, float, float]:
    """Return the measures of a linked query, in the order of `LINKING_METRICS`.

    Args:
        query: The query after linking.
        gold: The gold seeds, at least one; None for one that is not in the graph.

    >>> linking_scores(Query("Is Nairobi in Kenya?", (1,)), [1, 2])
    (0.5, 0.5, 1.0)
    """
    mentions = readings_of(query)
    return linking_recall(mentions, gold, 1), linking_recall(mentions, gold, 5), linking_precision(mentions, gold)
