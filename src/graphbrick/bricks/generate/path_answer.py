"""Answers without a language model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.generate.withhold import withheld
from graphbrick.core import Answer, Evidence, Path, Query, Row, Subgraph
from graphbrick.core.graph import Capability, capabilities_of
from graphbrick.core.items import ANSWER, Property
from graphbrick.core.parameters import parameter
from graphbrick.core.properties.values import shown_value
from graphbrick.core.trace import DETAIL, REFUSAL, event
from graphbrick.graphs.patterns import follow, one_way
from graphbrick.pipeline import GenerateStage
from graphbrick.pipeline.budget import check_budget

if TYPE_CHECKING:
    from graphbrick.graphs.cards import Card


_TEXTS = ("langString", "dirLangString")  # the types of texts with a language
_COUNTED = 10  # paths that support each of several numbers, which may share all paths


@dataclass(frozen=True, repr=False)
class PathAnswer(GenerateStage):
    """The entities at the ends of the best path's relation pattern, as a set; no language model.

    The best path is the first of the evidence that does not lead from one seed to another; if there is no such path,
    the first. Its pattern — relations and directions — is followed from every seed whose paths in the evidence have it,
    so that «which films did she act in» gives all films although the ranking kept only some.

    If there are rows of a query and no paths, the answers are the values in the first column, each once.

    If several seeds are readings of one mention, such as two films of one name, the answer is about the one that the
    best path starts from.

    A relation that is symmetric to the scorer of patterns, such as «borders», is followed both ways, because the graph
    may hold one of two triples only.

    Seeds are left out of the answers, unless the best path ends at one. If it comes back to the seed it started from,
    walks that come back are followed as well: «who are the parents of X's child» gives X and the other parent.

    Args:
        cap: Most answers, at least 1; reaching it is an event that gives the total number of entities.
        ends: "pattern" for all ends of the pattern; "listed" for those whose paths are in the evidence, where a stage
            such as `RankEnds` has left others out.
        within: "subgraph" to follow the pattern in the subgraph that the evidence was retrieved from, so that the
            answers show what extraction and pruning lost; "graph" for the whole graph.
        min_confidence: Withhold answers of lower confidence, from 0 to 1; 0 gives every answer. Learned patterns
            estimate a confidence (``graphbrick learn``), and `Operators` has one for its plans; without one, all
            answers are given, which is an event.

    Returns:
        Distinct answers: those whose paths are in the evidence first, in its order, then the others in order of
        discovery; one supporting path each. Empty if the evidence holds neither path nor row.

    Example:
        >>> from graphbrick import BM25, Rerank, ShortestPaths
        >>> from graphbrick.testing import tiny_graph
        >>> pipeline = ShortestPaths() >> Rerank(BM25()) >> PathAnswer()
        >>> pipeline(tiny_graph(), "What is the capital of Kenya?").texts
        ('Nairobi',)
    """

    needs = frozenset({Capability.LABELS})  # and, to follow the pattern, the adjacency that paths come from

    cap: int = parameter(1_000, at_least=1)
    ends: str = parameter("pattern", choices=("pattern", "listed"))
    within: str = parameter("subgraph", choices=("subgraph", "graph"))
    min_confidence: float = parameter(0.0, at_least=0, at_most=1)

    def generate(self, query: Query, evidence: Evidence) -> Answer:
        """Return the ends of the best pattern, or the answers that an operator computed."""
        if evidence.has_answers:
            return withheld_plan(evidence, self.min_confidence) or computed(evidence)
        paths = evidence.paths
        if not paths and any(isinstance(item, Row) for item in evidence.items):
            return self._first_column(evidence)
        if not paths:
            event(
                f"no answer: {'no item of the evidence is a path' if evidence.items else 'the evidence is empty'}",
                "path_answer.no_path",
                DETAIL,
                items=len(evidence.items),
            )
            return Answer()
        best = next((path for path in paths if not _between_seeds(query, path)), paths[0])
        refusal = withheld(best, evidence.confidence, self.min_confidence)
        if refusal is not None:
            return refusal
        if not any(path.score for path in paths) and len({path.pattern for path in paths}) > 1:
            event(
                "the paths are not ranked, so that the answer follows the pattern of the first of them",
                "path_answer.unranked",
                DETAIL,
            )
        rejected = query.alternatives(best.start)
        if rejected:
            _report(query, best, rejected)
            paths = tuple(path for path in paths if path.start not in rejected)
            evidence = replace(evidence, items=paths)
        left_out = set(query.seeds) - rejected
        if best.end == best.start:
            left_out.discard(best.start)
        elif best.end in left_out:
            event(
                "every path leads from one entity of the question to another; the answer is one of them",
                "path_answer.between_seeds",
                DETAIL,
            )
            left_out.clear()
        proofs, n_ends = self._proofs(best, evidence, left_out, query.text)
        if n_ends > len(proofs):
            event(
                f"{n_ends:,} entities are the answer; the first {self.cap:,} are given (cap)",
                "path_answer.cap",
                n=n_ends,
                cap=self.cap,
            )
        return Answer(
            texts=tuple(best.graph.label(end) for end in proofs),
            entities=tuple(proofs),
            evidence=replace(evidence, items=tuple(proofs.values())),
            support=tuple((i,) for i in range(len(proofs))),
            confidence=evidence.confidence,
        )

    def _first_column(self, evidence: Evidence) -> Answer:
        """Return the values in the first column of the rows, each supported by the rows that have it."""
        support: dict[str, list[int]] = {}
        entities: dict[str, int | None] = {}
        for i, row in enumerate(evidence.items):
            if isinstance(row, Row) and row.values and row.values[0]:
                text = row.values[0]
                support.setdefault(text, []).append(i)
                named = [entity for entity in row.entities if row.graph and row.graph.label(entity) == text]
                entities.setdefault(text, named[0] if named else None)
        texts = list(support)[: self.cap]
        if len(support) > self.cap:
            event(
                f"the rows have {len(support):,} answers; the first {self.cap:,} are given (cap)",
                "path_answer.rows_cap",
                n=len(support),
                cap=self.cap,
            )
        supporting = tuple(tuple(support[text]) for text in texts)
        return Answer(tuple(texts), tuple(entities[text] for text in texts), evidence, supporting)

    def _proofs(self, best: Path, evidence: Evidence, left_out: set[int], text: str) -> tuple[dict[int, Path], int]:
        """Return a path for each answer, at most ``cap``, and the number of answers there are."""
        symmetric = {
            relation for relation, _ in best.pattern if best.graph.relation_label(relation) in evidence.symmetric
        }
        pattern = one_way(best.pattern, symmetric)
        alike = [
            path
            for path in evidence.paths
            if one_way(path.pattern, symmetric) == pattern
            and (best.comes_back or not path.comes_back)
            and path.end not in left_out
        ]
        proofs: dict[int, Path] = {}
        for path in alike:
            proofs.setdefault(path.end, path)
        subgraph = (evidence.subgraph if self.within == "subgraph" else None) or Subgraph(best.graph)
        counts = None
        if best.graph.first_type(best.end) in _TEXTS:  # few graphs have texts in several languages
            from graphbrick.patterns.languages import counts_in

            counts = counts_in(subgraph, text)
        source = repr(self)
        walk = partial(follow, subgraph, back=best.comes_back, symmetric=symmetric, check=check_budget, counts=counts)
        ends: list[npt.NDArray[np.integer]] = [np.array(list(proofs), dtype=np.int64)]
        starts = dict.fromkeys(path.start for path in alike) if self.ends == "pattern" else {}
        if starts and Capability.ADJACENCY not in capabilities_of(best.graph):
            event(
                "only the ends of the listed paths are answers: this graph does not tell all neighbours of an entity",
                "path_answer.listed_ends_only",
            )
            starts = {}
        for start in starts:
            followed = walk(start, best.pattern)
            if followed is None:
                continue
            ends.append(followed.ends[~np.isin(followed.ends, list(left_out))])
            for index, end in enumerate(followed.ends.tolist()):
                if len(proofs) >= self.cap:
                    break
                if end not in left_out and end not in proofs:
                    proofs[end] = followed.path(index, source)
        return dict(list(proofs.items())[: self.cap]), _n_distinct(np.concatenate(ends))


def _between_seeds(query: Query, path: Path) -> bool:
    """Return whether a path leads from one seed to another; readings of one mention are one seed."""
    return path.end != path.start and path.end in query.seeds and path.end not in query.alternatives(path.start)


def _report(query: Query, best: Path, rejected: frozenset[int]) -> None:
    """Record which reading of a mention the answer is about."""
    texts = [mention.text for mention in query.mentions if best.start in (mention.entity, *mention.others)]
    others = "; ".join(best.graph.describe(seed) for seed in query.seeds if seed in rejected)
    event(
        f"the answer is about {best.graph.describe(best.start)}; {texts[0]!r} may also mean {others}",
        "path_answer.reading",
        mention=texts[0],
    )


def computed(evidence: Evidence) -> Answer:
    """Return the answers in rows, each supported by properties, by its row, and by the paths that lead to it.

    Where none does, the paths that begin at it do; so do all paths of one number, and the first ones of several.
    The card of an entity is its answer and its support. Of documents, the passages that a row cites support it.
    """
    rows: list[tuple[int, Row]] = []
    cards = {cast("Card", item).id: (i, item.text) for i, item in enumerate(evidence.items) if item.kind == "card"}
    texts: list[str] = []
    by_end: dict[int, list[int]] = {}
    by_start: dict[int, list[int]] = {}
    properties: dict[int | str, list[int]] = {}  # by entity and by value
    passages = {item.citations: i for i, item in enumerate(evidence.items) if item.kind == "passage"}
    for i, item in enumerate(evidence.items):
        if isinstance(item, Row) and item.columns == ANSWER:
            rows.append((i, item))
        elif isinstance(item, Path):
            by_end.setdefault(item.end, []).append(i)
            by_start.setdefault(item.start, []).append(i)
        elif isinstance(item, Property):
            values = item.value if isinstance(item.value, tuple) else (item.value,)
            keys: tuple[int | str, ...] = (*item.entities, *map(shown_value, values))
            for key in keys:
                properties.setdefault(key, []).append(i)
    support, most = list[tuple[int, ...]](), None if len(rows) == 1 else _COUNTED
    for place, row in rows:
        own: int | str = row.entities[0] if row.entities else row.values[0]
        if isinstance(own, int) and own in cards:
            texts.append(cards[own][1])
            support.append((cards[own][0],))
            continue
        texts.append(row.values[0])
        if cited := [passages[(place,)] for place in row.citations if (place,) in passages]:
            support.append(tuple(cited))
            continue
        value = own.partition(": ")[2] if isinstance(own, str) else own  # «price: 18», one of several
        if isinstance(value, str) and value not in properties and value.rpartition(" ")[0] in properties:
            own = value = value.rpartition(" ")[0]  # a number with its unit
        if isinstance(own, int):
            paths = by_end.get(own) or by_start.get(own, [])
        else:
            paths = [] if value in properties else [i for ends in by_start.values() for i in ends][:most]
        every = [] if row.entities else [i for shown in properties.values() for i in shown]  # for yes or no
        support.append((*dict.fromkeys(properties.get(value or own, [] if value else every)), place, *paths))
    return Answer(
        texts=tuple(texts),
        entities=tuple(row.entities[0] if row.entities and _is_of(evidence, row) else None for _, row in rows),
        evidence=evidence,
        support=tuple(support),
        confidence=evidence.confidence,
    )


def _is_of(evidence: Evidence, row: Row) -> bool:
    """Return whether a row names entities of the graph that was asked, not those of the records beside it."""
    return evidence.subgraph is None or row.graph is evidence.subgraph.graph


def withheld_plan(evidence: Evidence, min_confidence: float) -> Answer | None:
    """Return an empty answer (an event) for a computed one of low confidence; else None."""
    if evidence.confidence is None or evidence.confidence >= min_confidence:
        return None
    plan = next(item.values[1] for item in evidence.items if isinstance(item, Row) and item.columns == ANSWER)
    event(
        f"not sure enough of an answer: the likeliest reading, {plan}, has confidence {evidence.confidence:.2f}; "
        f"{min_confidence:.2f} is needed",
        "path_answer.withheld",
        REFUSAL,
        confidence=evidence.confidence,
    )
    return Answer(confidence=evidence.confidence, withheld=plan)


def _n_distinct(ids: npt.NDArray[np.integer]) -> int:
    """Return the number of distinct ids; `numpy.unique` takes ten times as long."""
    ordered = np.sort(ids)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + bool(len(ordered))
