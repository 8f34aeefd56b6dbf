"""Paths by their relation patterns: patterns around the seeds are ranked, and paths listed for the best only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core import Evidence, Path, Query, Subgraph, seeds_of, step_text
from graphbrick.core.csr import Csr
from graphbrick.core.directions import DIRECTIONS
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.pipeline import RetrieveStage
from graphbrick.retrieve.pattern_layers import Ints, Layer, first_layer, next_layer, way_to
from graphbrick.scorers.scorer import Scorer

Scores = npt.NDArray[np.float64]


@dataclass(slots=True)
class _Grown:
    """What has grown from one seed: layers by length from 0, and the texts and scores of the patterns of each."""

    seed: int
    layers: list[Layer]
    texts: list[list[str]]
    scores: list[Scores]


@dataclass(frozen=True, repr=False)
class Patterns(RetrieveStage):
    """The paths of the relation patterns around the seeds that score best.

    A pattern is the relations of a path with their directions. Around an entity there are few patterns, however many
    paths they have; so all patterns are scored, hop by hop, and paths are listed for the best of them only. A pattern
    never comes back to its seed: «films that share an actor with this film» does not mean the film itself.

    The scorer reads each pattern as `Path.pattern_text`, with types in the place of entities (the first type of one of
    the entities there): `PatternScorer` is made for it, and any other scorer will do.

    Args:
        scorer: What scores patterns, such as PatternScorer('films.patterns') or MiniLM().
        n: Paths kept, at least 1.
        each: Paths of one pattern, at least 1, so that one does not crowd out all others.
        max_hops: The longest pattern, from 1 to 100.
        beam_width: Patterns of one length that are carried on, a seed; the best by score. At least 1.
        direction: "both", "out" (along triples) or "in" (against them); the path text shows which way each was walked.
        cap: Triples that are looked at to carry one pattern on, at least 1. Reaching it is an event: of a pattern that
            ends at so many entities, only the first lead on.

    Returns:
        At most ``n`` paths with the scores of their patterns, best first; of patterns of equal score the shorter first,
        then by seed (order of the query), then by relation ids. Of one pattern at most ``each`` paths, one an entity at
        its end: those that are no seed first, then those that a triple joins to most of the other seeds, then those of
        few triples, which say more about the seed than hubs do, then by id.

    Example:
        >>> from graphbrick import BM25
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> query = Query("Which currency has the country with the capital Nairobi?", (graph.entity("Nairobi"),))
        >>> for path in Patterns(BM25(), n=2, max_hops=2).retrieve(query, Subgraph(graph)).items:
        ...     print(path.text)
        Nairobi <- capital <- Kenya -> currency -> Kenyan shilling
        Nairobi <- capital <- Kenya
    """

    paper = "Luo et al., Reasoning on Graphs, ICLR 2024 (relation paths), with a scorer in the place of the planner"

    scorer: Scorer = parameter(example="MiniLM()")
    n: int = parameter(32, at_least=1, search=(8, 32, 128))
    each: int = parameter(8, at_least=1, search=(1, 8, 32))
    max_hops: int = parameter(3, at_least=1, at_most=100, search=(1, 2, 3))
    beam_width: int = parameter(64, at_least=1, search=(16, 64, 256))
    direction: str = parameter("both", choices=DIRECTIONS)
    cap: int = parameter(100_000, at_least=1)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """The paths of the best patterns."""
        seeds = seeds_of(query, subgraph).tolist()
        grown = [self._at(subgraph, seed) for seed in seeds]
        cut = 0
        for hop in range(1, self.max_hops + 1):
            for some in grown:
                cut += self._grow(subgraph, some, hop)
            self._score(query, grown, hop)
        if cut:
            event(
                f"{cut:,} patterns end at so many entities that only the first {self.cap:,} triples there were looked "
                "at (cap)"
            )
        fact(patterns=sum(len(layer) for some in grown for layer in some.layers[1:]))
        return Evidence(tuple(self._paths(subgraph, seeds, grown, self._ranked(query, grown))))

    def _at(self, subgraph: Subgraph, seed: int) -> _Grown:
        entity = seed if subgraph.nodes is None else int(subgraph.nodes[seed])
        return _Grown(seed, [first_layer(seed)], [[subgraph.graph.label(entity)]], [np.zeros(1)])

    def _grow(self, subgraph: Subgraph, grown: _Grown, hop: int) -> int:
        """Add the layer of the next length; how many patterns were cut by the cap."""
        before, scores, graph = grown.layers[-1], grown.scores[-1], subgraph.graph
        chosen: Ints = np.sort(np.argsort(-scores, kind="stable")[: self.beam_width])
        layer = next_layer(subgraph.csr, grown.seed, before, chosen, direction=self.direction, cap=self.cap)
        grown.layers.append(layer)
        carried = layer.carried
        local = carried.end[carried.begin[:-1]]
        examples = (local if subgraph.nodes is None else subgraph.nodes[local]).tolist()
        texts, fresh = grown.texts[-1], []
        for parent, step, node in zip(layer.parent.tolist(), carried.step.tolist(), examples, strict=True):
            relation, forward = divmod(step, 2)
            station = graph.first_type(node)
            fresh.append(step_text(texts[parent], graph.relation_label(relation), station, forward=bool(forward)))
        grown.texts.append(fresh)
        return carried.cut

    def _score(self, query: Query, grown: list[_Grown], hop: int) -> None:
        """Score the patterns of one length: all in one call where scores of several calls compare."""
        groups = [grown] if self.scorer.comparable else [[some] for some in grown]
        for group in groups:
            scores = self.scorer.rate(query.text, [text for some in group for text in some.texts[hop]])
            at = 0
            for some in group:
                some.scores.append(scores[at : at + len(some.texts[hop])])
                at += len(some.texts[hop])

    def _ranked(self, query: Query, grown: list[_Grown]) -> list[tuple[float, int, int, int]]:
        """(score, hops, place of the seed, pattern) of all patterns, best first."""
        places = [
            (hop, s, pattern)
            for hop in range(1, self.max_hops + 1)
            for s, some in enumerate(grown)
            for pattern in range(len(some.texts[hop]))
        ]
        if self.scorer.comparable:
            scores = [float(grown[s].scores[hop][pattern]) for hop, s, pattern in places]
        else:  # those of different lengths have not been scored side by side yet
            scores = self.scorer.rate(query.text, [grown[s].texts[hop][pattern] for hop, s, pattern in places]).tolist()
        ranked = [(score, *place) for score, place in zip(scores, places, strict=True)]
        ranked.sort(key=lambda entry: -entry[0])  # stable: equal ones stay in the order of their places
        return ranked

    def _paths(
        self, subgraph: Subgraph, seeds: list[int], grown: list[_Grown], ranked: list[tuple[float, int, int, int]]
    ) -> list[Path]:
        """At most ``n`` paths of the patterns, in their order."""
        nodes, triples, source = subgraph.nodes, subgraph.triples, repr(self)
        near = _neighbours(subgraph, seeds)
        paths: list[Path] = []
        for score, hop, s, pattern in ranked:
            some = grown[s]
            ends = self._ordered(subgraph.csr, some.layers[hop].ends(pattern), seeds, near, s)
            for end in ends[: min(self.each, self.n - len(paths))]:
                way = way_to(subgraph.csr, some.layers[: hop + 1], pattern, end)
                walked = way[0] if nodes is None else nodes[way[0]].tolist()
                along = way[1] if triples is None else triples[way[1]].tolist()
                paths.append(Path(subgraph.graph, tuple(walked), tuple(along), tuple(way[2]), score, source))
            if len(paths) == self.n:
                break
        return paths

    def _ordered(
        self, csr: Csr, ends: npt.NDArray[np.int32], seeds: list[int], near: list[npt.NDArray[np.int32]], own: int
    ) -> list[int]:
        """The ends of a pattern: no seeds first, then those next to most other seeds, of few triples, and by id."""
        joined = np.zeros(len(ends), dtype=np.int64)
        for s, neighbours in enumerate(near):
            if s != own:
                joined += np.isin(ends, neighbours)
        triples = (csr.out_end[ends] - csr.out_begin[ends]).astype(np.int64) + (csr.in_end[ends] - csr.in_begin[ends])
        is_seed = np.isin(ends, seeds) if len(seeds) > 1 else np.zeros(len(ends), dtype=np.bool_)
        return list(map(int, ends[np.lexsort((ends, triples, -joined, is_seed))[: self.n]]))


def _neighbours(subgraph: Subgraph, seeds: list[int]) -> list[npt.NDArray[np.int32]]:
    """The entities that a triple joins to each seed; not looked up for a single one."""
    if len(seeds) < 2:
        return []
    csr = subgraph.csr
    return [np.concatenate([csr.tail[csr.row(seed, True)], csr.in_head[csr.row(seed, False)]]) for seed in seeds]
