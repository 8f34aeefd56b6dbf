"""The part of a graph that an agent may see, with names resolved to entities."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from graphbrick.bricks.agents.agent_tool import AdviceError, Walked, did_you_mean
from graphbrick.core import Subgraph
from graphbrick.core.deferred import cached_property
from graphbrick.core.errors import LinkError
from graphbrick.core.graph import follow
from graphbrick.core.properties.stated import shown_properties
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import name_form
from graphbrick.models.indexes.entity_search import entity_search
from graphbrick.models.llm.replies.replies import one_line

LIMIT = 1000
"""Most triples that are read of one entity."""
_SEARCHED = 20
_SAMPLED, _WAYS = 5, 20  # nodes whose relations are told together, and relations told of them
_NAMED_BY_KEY = Expression(r"^.*\[([^\[\]]+)\](?:\s*\(.*\))?$", re.DOTALL)
_LONGEST_NAME = 120  # characters
_PROPERTIES, _PARALLELS = 8, 5  # properties of a triple, and parallel triples, that are told


class GraphView:
    """A graph with labels and neighbours, or a subgraph of a graph with adjacency.

    Args:
        subgraph: The part of the graph that may be seen.
    """

    def __init__(self, subgraph: Subgraph) -> None:
        self.graph: Any = subgraph.graph
        self.subgraph = subgraph
        self._relations: dict[int, None] = {}
        self._inside = _InsideTriples(subgraph)

    # Names

    def name(self, entity: int) -> str:
        """Return the name of an entity for a model: its label, with its key if that differs."""
        label, key = one_line(self.graph.label(entity)), one_line(self.graph.key(entity))
        return key if label in (key, "") else f"{label[:_LONGEST_NAME]} [{key}]"

    def holds(self, entity: int) -> bool:
        """Return whether an entity is in the subgraph."""
        return self.subgraph.is_whole or bool(self.subgraph.local([entity]))

    def search(self, text: str, n: int) -> list[int]:
        """Return at most ``n`` entities of the subgraph whose names resemble a text, best first."""
        if self.subgraph.is_whole:
            return [int(entity) for entity in self.graph.search(text, n)]
        return [int(entity) for entity in self.graph.search(text, 20 * n) if self.holds(entity)][:n]

    def find(self, text: str, n: int) -> list[int]:
        """Return at most ``n`` entities of the subgraph that a text may mean, best first.

        A folder graph with an index of embeddings (``graphbrick prepare vectors``) gives the entities that have this
        name, then those nearest by embedding and by name in turn. Other graphs give what `search` gives: a database
        uses its full-text index where it has one. An event names the index.
        """
        by_name = self.search(text, n)
        index = entity_search(self.graph) if isinstance(self.graph, Graph) else None
        if index is None:
            return by_name
        event(
            f"searched by name, and by embedding in the index of {index.embedder!r}",
            "agent.searched_by_embedding",
            once=True,
            embedder=repr(index.embedder),
        )
        near = index.nearest(text, n if self.subgraph.is_whole else 20 * n)
        form = name_form(text)
        named = [e for e in by_name if form in map(name_form, (self.graph.label(e), *self.graph.aliases(e)))]
        turns = [entity for pair in zip_longest(near, by_name) for entity in pair if entity is not None]
        return [entity for entity in dict.fromkeys((*named, *turns)) if self.holds(entity)][:n]

    def entity(self, text: str) -> int:
        """Return the entity that a text names: its key, its name as `name` writes it, its label or an alias.

        Raises:
            AdviceError: There is none, or several have this label and none of them was seen.
        """
        text = text.strip()
        if not text:
            raise AdviceError(
                "the name of a node is missing; give its name or key as the results write it", code="view.no_name"
            )
        by_key = _NAMED_BY_KEY.match(text)
        for key in (text, by_key[1] if by_key else ""):
            entity = self._by_key(key)
            if entity is not None:
                return entity
        candidates = self.search(text, _SEARCHED)
        form = name_form(text)
        labelled = [e for e in candidates if name_form(self.graph.label(e)) == form]
        named = labelled or [e for e in candidates if form in map(name_form, self.graph.aliases(e))]
        if named and (len(named) == 1 or any(map(self.was_seen, named))):
            return next((entity for entity in named if self.was_seen(entity)), named[0])
        if named:
            names = ", ".join(map(self.described, named[:5]))
            raise AdviceError(
                f"{len(named)} nodes are called {text!r}: {names}; give the key in brackets",
                code="view.several_nodes",
                name=text,
                n=len(named),
            )
        near = f"did you mean {' or '.join(map(self.name, candidates[:3]))}?" if candidates else "try search"
        raise AdviceError(f"no node is called {text[:80]!r}; {near}", code="view.no_node", name=text)

    def was_seen(self, entity: int) -> bool:
        """Return whether a result has held an entity; of several with one label, such a one is meant."""
        return False

    def described(self, entity: int) -> str:
        """Return the name of an entity with its first type."""
        first = self.graph.first_type(entity)
        return f"{self.name(entity)} ({first})" if first else self.name(entity)

    def introduced(self, entity: int) -> str:
        """Return the name of an entity with its first type and its relations."""
        ways = self.ways([entity])
        return f"{self.described(entity)}: {ways}" if ways else self.described(entity)

    def ways(self, entities: Sequence[int]) -> str:
        """Return the relations of entities, such as "-> capital, <- borders", those of most triples first.

        They are read of the first 1,000 triples of each of the first 5 entities, and at most 20 are named.
        """
        walked = (step for steps, _ in self.around(entities[:_SAMPLED]) for step in steps)
        counts = Counter(f"{'->' if s.forward else '<-'} {self.graph.relation_label(s.relation)}" for s in walked)
        return ", ".join(way for way, _ in counts.most_common(_WAYS))

    def properties_of(self, step: Walked) -> str:
        """Return the properties of a triple of a folder graph in brackets, those of parallel triples one after another.

        Empty if it has none.
        """
        if not isinstance(self.graph, Graph):
            return ""
        texts = (
            ", ".join(f"{name} = {value}" for name, value in shown_properties(own, _PROPERTIES, _LONGEST_NAME))
            for own in self.graph.properties_between(*step.triple)[:_PARALLELS]
        )
        told = "; ".join(filter(None, texts))
        return f" ({told})" if told else ""

    def _by_key(self, key: str) -> int | None:
        try:
            entity = int(self.graph.entity(key))
        except LinkError:
            return None
        return entity if self.holds(entity) else None

    def relation(self, text: str, present: Collection[int]) -> list[int]:
        """Return the relations that a text names by label or key.

        Args:
            text: The name.
            present: The relations of the entities in question, for advice.

        Raises:
            AdviceError: There is none.
        """
        form = name_form(text.strip().strip("<->").strip())
        known = dict.fromkeys((*present, *self._relations))
        matches = [relation for relation in known if form in self._relation_forms(relation)]
        if not matches and hasattr(self.graph, "n_relations"):
            matches = [relation for relation in range(self.graph.n_relations) if form in self._relation_forms(relation)]
        if not matches:  # «binds» for «binds gene», if there is no other with these words
            words = set(form.split())
            having = [r for r in present if words and words <= set(name_form(self.graph.relation_label(r)).split())]
            matches = having if len({self.graph.relation_label(relation) for relation in having}) == 1 else []
        if matches:
            return matches
        labels = list(dict.fromkeys(self.graph.relation_label(relation) for relation in present))
        listed = f"; there are {', '.join(labels[:20])}" if labels else "; there are no relations here"
        raise AdviceError(
            f"no relation is called {text[:80]!r} here{did_you_mean(text, labels).rstrip('?')}{listed}",
            code="view.no_relation",
            name=text,
        )

    def _relation_forms(self, relation: int) -> tuple[str, str]:
        return name_form(self.graph.relation_label(relation)), name_form(self.graph.relation_key(relation))

    # Neighbours

    def around(
        self,
        entities: Sequence[int],
        direction: str = "both",
        relations: Collection[int] | None = None,
        limit: int = LIMIT,
    ) -> list[tuple[list[Walked], bool]]:
        """Return the triples around each entity, followed from it, and whether some exceed a limit.

        Triples that leave the entity come first. A loop is followed forwards only, unless only backwards is asked for.
        """
        if self.subgraph.is_whole:
            lists = self.graph.neighbours(list(entities), direction=direction, relations=relations, limit=limit)
            rows = [(neighbours.triples.tolist(), bool(neighbours.is_cut)) for neighbours in lists]
        else:
            rows = [self._inside.around(entity, direction, relations, limit) for entity in entities]
        results = []
        for entity, (triples, is_cut) in zip(entities, rows, strict=True):
            walked = [_followed(entity, head, relation, tail, direction) for head, relation, tail in triples]
            self._relations.update(dict.fromkeys(step.relation for step in walked))
            results.append((walked, is_cut))
        return results

    def triple_id(self, head: int, relation: int, tail: int) -> int:
        """Return the id of a triple that the graph has, where the graph has adjacency."""
        if not self.subgraph.is_whole:
            return self._inside.ids[head, relation, tail]
        ids, csr = self.graph.triples_from(head), self.graph.csr
        places = np.arange(ids.start, ids.stop)
        right = places[(csr.tail[places] == tail) & (csr.relation[places] == relation)]
        return int(right[0])


class _InsideTriples:
    """The triples of a subgraph that is not the whole graph, read when they are first needed.

    Args:
        subgraph: The subgraph, of a graph with adjacency.
    """

    def __init__(self, subgraph: Subgraph) -> None:
        self._subgraph = subgraph

    @cached_property
    def ids(self) -> dict[tuple[int, int, int], int]:
        """The ids of the triples."""
        triples = self._subgraph.triples
        if triples is None:
            return {}
        csr = self._subgraph.graph.csr
        rows = zip(csr.heads(triples).tolist(), csr.relation[triples].tolist(), csr.tail[triples].tolist(), strict=True)
        return dict(zip(rows, triples.tolist(), strict=True))

    @cached_property
    def _adjacency(self) -> dict[int, tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]]]:
        """The triples by head and by tail."""
        adjacency: dict[int, tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]]] = {}
        for row in self.ids:
            adjacency.setdefault(row[0], ([], []))[0].append(row)
            adjacency.setdefault(row[2], ([], []))[1].append(row)
        return adjacency

    def around(
        self, entity: int, direction: str, relations: Collection[int] | None, limit: int
    ) -> tuple[list[tuple[int, int, int]], bool]:
        """Return the triples of an entity, at most so many, and whether there are more."""
        out, into = follow(direction)
        outgoing, incoming = self._adjacency.get(entity, ([], []))
        both = dict.fromkeys((*(outgoing if out else ()), *(incoming if into else ())))
        rows = [row for row in both if relations is None or row[1] in relations]
        return rows[:limit], len(rows) > limit


def _followed(entity: int, head: int, relation: int, tail: int, direction: str) -> Walked:
    forward = head == entity and not (direction == "in" and tail == entity)
    return Walked(entity, relation, tail if forward else head, forward)
