"""Evidence: the items that retrieval finds, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from graphbrick.core.compute import check_limits
from graphbrick.core.deferred import Shown
from graphbrick.core.items import ANSWER, Item, Row, Scorable
from graphbrick.core.path import Path, step_text

if TYPE_CHECKING:
    from graphbrick.core.subgraph import Subgraph


@dataclass(frozen=True, slots=True, repr=False)
class Evidence(Shown):
    """The items found by retrieval, best first, with facts about all of them.

    A rerank stage returns the items; the interpreter carries the rest (`carry`).

    Attributes:
        items: Items of any kinds, each with its text, score and the stage it came from.
        subgraph: The subgraph it was retrieved from, which the retrieve stage notes; None if that is not known.
        scale: The scorer that gave the scores, as recipe text, if scores of its different calls compare; empty if only
            the order has a meaning. Scores of two evidences with the same scale compare.
        confidence: The probability that the first item leads to a right answer, from 0 to 1; None if the stages that
            ranked the items do not estimate it.
        symmetric: Labels of the relations whose two directions mean the same to the scorer of patterns.
    """

    items: tuple[Item, ...] = ()
    subgraph: Subgraph | None = field(default=None, compare=False, repr=False)
    scale: str = field(default="", compare=False, repr=False)
    confidence: float | None = field(default=None, compare=False, repr=False)
    symmetric: frozenset[str] = field(default=frozenset(), compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __getitem__(self, place: int) -> Item:
        return self.items[place]

    def texts(self) -> list[str]:
        """The text of every item."""
        return texts_of(self.items)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The items that are paths."""
        return tuple(item for item in self.items if isinstance(item, Path))

    @property
    def has_answers(self) -> bool:
        """True if some items are computed answers, such as a count, rather than support for one."""
        return any(isinstance(item, Row) and item.columns == ANSWER for item in self.items)

    def to_pandas(self) -> Any:
        """Return a table of pandas: kind, text, score, source, labels of entities and documents of each item.

        Raises:
            GraphbrickError: pandas is not installed.
        """
        from graphbrick.core.showing.frames import items_frame

        return items_frame(self.items)

    def counts(self) -> dict[str, int]:
        """The number of items of each kind, such as ``{"paths": 3, "reports": 1}``; paths are always counted."""
        counts = {"paths": 0}
        for item in self.items:
            name = f"{item.kind[:-1]}ies" if item.kind.endswith("y") else f"{item.kind}s"
            counts[name] = counts.get(name, 0) + 1
        return counts

    def union(self, *others: Evidence) -> Evidence:
        """Return the distinct items of all evidences, best first.

        If all have the same scale, the items are ordered by falling score; equal scores keep the order of the
        evidences. Otherwise they are taken in turns: the first item of each evidence, then the second of each, and so
        on. An item that is in several takes its best place. Empty evidences do not count. The confidence is that of
        the evidence that the first item comes from.
        """
        evidences = [evidence for evidence in (self, *others) if evidence.items]
        subgraph = _union_of_subgraphs([evidence.subgraph for evidence in (self, *others)])
        if not evidences:
            return Evidence((), subgraph)
        scale = evidences[0].scale if len({evidence.scale for evidence in evidences}) == 1 else ""
        if scale:
            ordered = [item for evidence in evidences for item in evidence.items]
            ordered.sort(key=lambda item: -item.score)  # stable
        else:
            turns = zip_longest(*(evidence.items for evidence in evidences))
            ordered = [item for turn in turns for item in turn if item is not None]
        best = next((evidence.confidence for evidence in evidences if evidence.items[0] is ordered[0]), None)
        symmetric = frozenset[str]().union(*(evidence.symmetric for evidence in evidences))
        return Evidence(distinct(ordered), subgraph, scale, best, symmetric)

    def carry(self, before: Evidence) -> Evidence:
        """Return this evidence with the facts of ``before``, the evidence that a stage made it from.

        The interpreter calls this, so that no stage has to repeat what it does not change. The subgraph and the
        symmetric relations hold for all items of a retrieval. The confidence is that of the first item: it holds as
        long as this item stays first, unless the stage gives a confidence of its own. The scale holds as long as the
        items keep their scores and are ordered by them.
        """
        confidence, scale = self.confidence, self.scale
        if confidence is None and self.items and before.items and self.items[0].identity == before.items[0].identity:
            confidence = before.confidence
        if not scale and before.scale and self._keeps_scores_of(before):
            scale = before.scale
        return replace(
            self,
            subgraph=before.subgraph,
            scale=scale,
            confidence=confidence,
            symmetric=self.symmetric | before.symmetric,
        )

    def _keeps_scores_of(self, before: Evidence) -> bool:
        """Return whether all items are those of ``before``, with their scores, in falling order."""
        known = {id(item) for item in before.items}
        scores = [item.score for item in self.items]
        return all(id(item) in known for item in self.items) and scores == sorted(scores, reverse=True)


def distinct(items: Iterable[Item]) -> tuple[Item, ...]:
    """Return the items without duplicates of the same identity; the first one is kept."""
    first: dict[object, Item] = {}
    for item in items:
        first.setdefault(item.identity, item)
    return tuple(first.values())


def texts_of(items: Sequence[Scorable]) -> list[str]:
    """Return the text of every item; a prefix shared by many paths is rendered only once."""
    texts_by_id: dict[int, str] = {}
    steps: dict[tuple[int, bool], str] = {}
    texts = []
    for number, item in enumerate(items):
        if number % 1024 == 0:
            check_limits()
        before = texts_by_id.get(id(item.prefix)) if isinstance(item, Path) else None
        if before is None or not isinstance(item, Path):
            text = item.text
        else:
            key = item.triples[-1], item.forward[-1]
            step = steps.get(key)
            if step is None:
                relation, station = item.graph.relation_of(key[0]), item.graph.label(item.nodes[-1])
                step = step_text(".", item.graph.relation_label(relation), station, forward=key[1])[1:]
                steps[key] = step
            text = before + step if before else step[1:]
        texts_by_id[id(item)] = text
        texts.append(text)
    return texts


def _union_of_subgraphs(subgraphs: Sequence[Subgraph | None]) -> Subgraph | None:
    """Return the union; None if one of the subgraphs is not known."""
    union = subgraphs[0]
    for other in subgraphs[1:]:
        union = None if union is None or other is None else union.union(other)
    return union
