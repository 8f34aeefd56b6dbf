"""Measures of ranked evidence: how early and how completely its items meet the answers.

An item is given as the collection of entities that it meets (`graphbrick.core.Item.entities`). A path meets all
entities after its start, which is given with the question. In a plain ranking of entities, each item has one entity. A
gold answer is one entity or a collection of alternatives, as in `graphbrick.study.metrics.sets`. A gold answer that is
not in the graph is never met, but still counts.

All measures lie in [0, 1]. Evidence without items scores 0. Ranks beyond the last item count as items that meet
nothing, so that short evidence has no advantage. Every measure raises ValueError if there are no gold answers, or if
``n`` is below 1.

If every item is one entity and no entity repeats, these are the standard measures of information retrieval, with the
gold answers as the relevant documents: Recall@n, Success@n, P@n, RR@n and nDCG@n of ``ir_measures`` and TREC.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from math import log2
from typing import TypeAlias

from graphbrick.study.metrics.sets import Gold, gold_sets, places

Items: TypeAlias = Sequence[Collection[Hashable]]


def recall_at(items: Items, gold: Gold, n: int | None = None) -> float:
    """Return the share of gold answers that the first ``n`` items meet, or any item.

    >>> recall_at([["Kampala"], ["Nairobi"]], ["Nairobi", "Kigali"], n=2)
    0.5
    """
    fresh, wanted = _fresh(items, gold, n)
    return sum(fresh) / wanted


def hit_at(items: Items, gold: Gold, n: int) -> float:
    """Return 1 if any of the first ``n`` items meets an answer, else 0.

    >>> hit_at([["Kampala"], ["Nairobi"]], ["Nairobi"], n=1)
    0.0
    """
    fresh, _ = _fresh(items, gold, n)
    return float(any(fresh))


def precision_at(items: Items, gold: Gold, n: int | None = None) -> float:
    """Return the share of the first ``n`` items that meet an answer, or of all items.

    The denominator is ``n`` even if there are fewer items.

    >>> precision_at([["Nairobi"]], ["Nairobi"], n=4)
    0.25
    """
    relevant = places(gold_sets(gold)).keys()
    return sum(not relevant.isdisjoint(item) for item in _first(items, n)) / (n or max(len(items), 1))


def reciprocal_rank(items: Items, gold: Gold, n: int | None = None) -> float:
    """Return ``1 / rank`` of the first item that meets an answer; 0 if none does.

    The mean over questions is the MRR.

    Args:
        items: The ranked evidence.
        gold: The gold answers.
        n: Number of items to search; None for all.

    >>> reciprocal_rank([["Kampala"], ["Nairobi"]], ["Nairobi"])
    0.5
    """
    fresh, _ = _fresh(items, gold, n)
    return next((1 / rank for rank, new in enumerate(fresh, 1) if new), 0.0)


def ndcg_at(items: Items, gold: Gold, n: int) -> float:
    """Return the normalised discounted cumulative gain of the first ``n`` items.

    ``DCG = sum of gain(i) / log2(i + 1)`` over the ranks i = 1..n, divided by the DCG of an ideal ranking, whose first
    ``min(n, gold)`` items gain 1. An item gains 1 if it meets an answer that no earlier item met. Many paths to one
    answer therefore count once (as in alpha-nDCG with alpha 1, Clarke et al., SIGIR 2008), and the result never exceeds
    1.

    >>> ndcg_at([["Nairobi"], ["Kenya", "Nairobi"], ["Kigali"]], ["Nairobi", "Kigali"], n=2)
    0.6131471927654584
    """
    fresh, wanted = _fresh(items, gold, n)
    gained = sum(1 / log2(rank + 1) for rank, new in enumerate(fresh, 1) if new)
    return gained / sum(1 / log2(rank + 1) for rank in range(1, min(n, wanted) + 1))


def _first(items: Items, n: int | None) -> Items:
    """Check the arguments and return the first ``n`` items; None for all."""
    if n is not None and n < 1:
        raise ValueError(f"the number of items looked at must be at least 1, got {n}; try 32")
    for item in items[:n]:
        if isinstance(item, str):
            raise TypeError(f"an item must be a collection of entities, got the text {item!r:.80}; try ({item!r:.80},)")
    return items[:n]


def _fresh(items: Items, gold: Gold, n: int | None) -> tuple[list[int], int]:
    """Return the number of new answers met by each of the top items, and the number of answers."""
    wanted = gold_sets(gold)
    meant, reached = places(wanted), set[int]()
    fresh = []
    for item in _first(items, n):
        new = {place for entity in item if entity in meant for place in meant[entity]} - reached
        reached |= new
        fresh.append(len(new))
    return fresh, len(wanted)
