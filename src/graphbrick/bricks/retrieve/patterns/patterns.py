"""Paths by relation patterns: patterns around the seeds are ranked, the best listed as paths."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.patterns.pattern_layers import (
    Flags,
    Ints,
    Layer,
    first_layer,
    next_layer,
    ways_to,
)
from graphbrick.bricks.retrieve.patterns.united import united
from graphbrick.core import Evidence, Path, PathPattern, Query, Reading, Step, Subgraph, seeds_of, step_text
from graphbrick.core.csr import Csr
from graphbrick.core.graph import DIRECTIONS, Graph
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.patterns.languages import Spoken, spoken_ends
from graphbrick.patterns.pattern_reader import PatternReader, symmetric_relations
from graphbrick.patterns.text import masked
from graphbrick.pipeline import RetrieveStage
from graphbrick.pipeline.budget import check_budget

Scores = npt.NDArray[np.float64]
READINGS = 64
"""The best patterns that the confidence in the first one is worked out from."""


@dataclass(slots=True)
class _Candidates:
    """The variants of the patterns of one length from one seed; `Layer.variants` gives their order.

    Attributes:
        layer: The patterns.
        pattern: int64, the pattern of each variant in the layer.
        back: Whether each is the variant that comes back to the seed.
        before: The candidates of the previous length; None for the empty pattern.
        prefix: The place among those of each without its last step.
        node: An entity (global id) at the end of each.
        steps: The steps of each.
        scores: float64, the score of each; set when they are scored.
        walks: Some of them as patterns for a scorer, by place.
    """

    layer: Layer
    pattern: Ints
    back: Flags
    before: _Candidates | None
    prefix: list[int]
    node: list[int]
    steps: list[tuple[Step, ...]]
    scores: Scores
    walks: dict[int, PathPattern]

    def __len__(self) -> int:
        return len(self.steps)

    def walk(self, graph: Graph, candidate: int) -> PathPattern:
        """Return a candidate as a pattern for a scorer."""
        walk = self.walks.get(candidate)
        if walk is None:
            assert self.before is not None, "the empty pattern has a walk from the beginning"
            prefix = self.before.walk(graph, self.prefix[candidate])
            steps, node = self.steps[candidate], self.node[candidate]
            write = partial(_carried_on, graph, prefix, steps[-1], node)
            walk = PathPattern(prefix.start_label, steps, write, partial(_types, graph, prefix, node))
            self.walks[candidate] = walk
        return walk

    def best(self, n: int) -> Ints:
        """Return the patterns of the layer with the best variants, ascending."""
        scores = np.full(len(self.layer), -np.inf)
        np.maximum.at(scores, self.pattern, self.scores)
        best = np.argsort(-scores, kind="stable")[:n]
        best.sort()
        return best


@dataclass(slots=True)
class _Grown:
    """The candidates from one seed (a local id), which the question calls by a label, by length from 0."""

    seed: int
    label: str
    lengths: list[_Candidates]


class _Ranked(NamedTuple):
    """A candidate in the order of all."""

    score: float
    hops: int
    seed: int  # index of the seed in the query
    candidate: int


@dataclass(frozen=True, repr=False)
class Patterns(RetrieveStage):
    """The paths of the relation patterns around the seeds that score best.

    A pattern is the relations of a path with their directions. Around an entity there are few patterns, however many
    paths they have; so all patterns are scored, hop by hop, and paths are listed for the best of them only.

    A pattern has up to two variants, each a candidate of its own. One never comes back to its seed: «films that share
    an actor with this film» does not mean the film itself. The other has the walks that do: X too is one of «the
    parents of X's child», and «the gender of the spouse of X's spouse» is that of X. Such a walk does not undo a step
    that left the seed, so that no film shares an actor with itself. Of equal scores the first variant wins.

    The scorer reads each candidate as a `PathPattern`, whose text is that of `Path.pattern_text`: types in the place of
    entities (the first type of one of the entities there). `PatternScorer` is made for it: it knows which steps come
    back. Any other scorer will do, but reads the two variants alike.

    A scorer that reads texts first reads them without the name of the seed, in the pattern and in the question, where X
    stands for it: ``<- capital <- country`` is one text for all cities, which an embedder reads once a graph. Only the
    best ``n`` patterns are then read with the name, and ordered by that.

    Args:
        scorer: What scores patterns, such as PatternScorer('films.patterns') or MiniLM().
        n: Paths kept, at least 1.
        each: Paths of one pattern, at least 1, so that one does not crowd out all others.
        max_hops: The longest pattern, from 1 to 100.
        beam_width: Patterns of one length that are carried on, a seed; the best by score. At least 1.
        direction: "both", "out" (along triples) or "in" (against them); the path text shows which way each was walked.
        names: Which patterns a scorer of texts reads with the name of the seed: "best", "none" or "all"; for "all", an
            embedder reads hundreds of new texts a question.
        cap: Triples that are looked at to carry one pattern on, at least 1. Reaching it is an event: of a pattern that
            ends at so many entities, only the first lead on.

    Returns:
        At most ``n`` paths with the scores of their patterns, best first; of patterns of equal score the shorter first,
        then by seed (order of the query), then those that never come back to it, then by relation ids. Of one pattern
        at most ``each`` paths, one an entity at its end: first its own seed, last other seeds; between them those that
        a triple joins to most of the other seeds, then those of few triples, which say more about the seed than hubs
        do, then by id.

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
    names: str = parameter("best", choices=("best", "none", "all"), search=("best", "none", "all"))
    cap: int = parameter(100_000, at_least=1)

    def retrieve(self, query: Query, subgraph: Subgraph, *, among: npt.NDArray[np.int64] | None = None) -> Evidence:
        """Return the paths of the best patterns.

        Args:
            query: The question.
            subgraph: The view of the graph.
            among: Entities of the graph; only patterns that lead to one of them count, all without it.
        """
        seeds, grown, ranked = self._search(query, subgraph)
        if among is not None:
            ranked = [entry for entry in ranked if np.isin(_ends(subgraph, grown, entry), among).any()]
        paths = self._paths(subgraph, seeds, grown, ranked, spoken_ends(subgraph, query.text))
        evidence = Evidence(tuple(paths), scale=repr(self.scorer) if self.scorer.comparable else "")
        if not isinstance(self.scorer, PatternReader):
            return evidence
        confidence = self.scorer.confidence(query.text, lambda: self._readings(subgraph, seeds, grown, ranked))
        return replace(evidence, confidence=confidence, symmetric=self.scorer.symmetric)

    def readings(self, query: Query, subgraph: Subgraph) -> list[Reading]:
        """Return up to 64 of the best patterns with their ends, best first.

        Patterns that only lead from one seed to another are left out. Those that differ only in the direction of
        symmetric relations have the ends of all of them.
        """
        return self._readings(subgraph, *self._search(query, subgraph))

    def _search(self, query: Query, subgraph: Subgraph) -> tuple[list[int], list[_Grown], list[_Ranked]]:
        """Return the seeds, the candidates from each, and all of them in their order."""
        seeds = seeds_of(query, subgraph).tolist()
        grown = [self._start(query, subgraph, seed) for seed in seeds]
        cut = 0
        for hop in range(1, self.max_hops + 1):
            check_budget()
            for from_seed in grown:
                cut += self._grow(subgraph, from_seed)
            self._score(query, subgraph.graph, grown, hop)
        if cut:
            event(
                f"{cut:,} patterns end at so many entities that only the first {self.cap:,} triples there were looked "
                "at (cap)",
                "patterns.cap",
                n=cut,
                cap=self.cap,
            )
        fact(patterns=sum(len(length) for from_seed in grown for length in from_seed.lengths[1:]))
        return seeds, grown, self._ranked(query, subgraph.graph, grown)

    def _start(self, query: Query, subgraph: Subgraph, seed: int) -> _Grown:
        """Return the empty pattern at a seed, under the name of the seed in the question."""
        entity = seed if subgraph.nodes is None else int(subgraph.nodes[seed])
        label = subgraph.graph.label(entity)
        layer, empty = first_layer(seed), PathPattern(query.name_of(entity, label), (), partial(str, label))
        first = _Candidates(layer, *layer.variants(), None, [0], [entity], [()], np.zeros(1), {0: empty})
        return _Grown(seed, empty.start_label, [first])

    def _grow(self, subgraph: Subgraph, grown: _Grown) -> int:
        """Add the candidates of the next length; return how many patterns were cut by the cap."""
        before, graph = grown.lengths[-1], subgraph.graph
        layer = next_layer(
            subgraph.csr, grown.seed, before.layer, before.best(self.beam_width), direction=self.direction, cap=self.cap
        )
        pattern, back = layer.variants()
        returning = back & layer.returns[pattern]
        example = layer.examples(pattern, back)
        example[returning] = grown.seed
        # By variant of a pattern of the previous length, 2 * pattern + back: its place among the candidates.
        place_before = np.zeros(2 * len(before.layer), dtype=np.int64)
        place_before[2 * before.pattern + before.back] = np.arange(len(before))
        prefixes = place_before[2 * layer.parent[pattern] + (back & layer.has_been_back[pattern])]
        numbers, which = np.unique(2 * layer.carried.step[pattern] + returning, return_inverse=True)
        steps = [
            Step(graph.relation_label(number >> 2), bool(number >> 1 & 1), bool(number & 1))
            for number in numbers.tolist()
        ]
        prefix, node = prefixes.tolist(), (example if subgraph.nodes is None else subgraph.nodes[example]).tolist()
        # Only the best become objects for a scorer: making hundreds of them takes longer than scoring them.
        extended = [(*before.steps[at], steps[number]) for at, number in zip(prefix, which.tolist(), strict=True)]
        grown.lengths.append(
            _Candidates(layer, pattern, back, before, prefix, node, extended, np.zeros(len(extended)), {})
        )
        return layer.carried.cut

    def _score(self, query: Query, graph: Graph, grown: list[_Grown], hop: int) -> None:
        """Score the candidates of one length: all in one call if scores of several calls compare."""
        for group in [grown] if self.scorer.comparable else [[from_seed] for from_seed in grown]:
            scores = self._rated(query, graph, [(from_seed, hop) for from_seed in group])
            at = 0
            for from_seed in group:
                candidates = from_seed.lengths[hop]
                candidates.scores = scores[at : at + len(candidates)]
                at += len(candidates)

    def _rated(self, query: Query, graph: Graph, places: list[tuple[_Grown, int]]) -> Scores:
        """Return the score of each candidate of some lengths from some seeds."""
        lengths = [(from_seed.label, from_seed.lengths[hop]) for from_seed, hop in places]
        starts = [label for label, length in lengths for _ in length.steps]
        if isinstance(self.scorer, PatternReader):
            steps = [steps for _, length in lengths for steps in length.steps]
            return self.scorer.rate_steps(query.text, starts, steps)
        walked = [length.walk(graph, candidate) for _, length in lengths for candidate in range(len(length))]
        if self.names == "all" or not self.scorer.reads_text_only:
            return self.scorer.rate_items(query.text, walked)
        question = query.text
        for name in dict.fromkeys(starts):
            question = masked(question, name)
        # The text begins with the label, which the question may spell otherwise.
        labels = [from_seed.lengths[0].walks[0].text for from_seed, hop in places for _ in from_seed.lengths[hop].steps]
        texts = [walk.text[len(label) :].lstrip() for walk, label in zip(walked, labels, strict=True)]
        return self.scorer.rate(question, texts)

    def _ranked(self, query: Query, graph: Graph, grown: list[_Grown]) -> list[_Ranked]:
        """Return the best candidates, best first: as many as can be needed, since every one has an end."""
        places = [(hops, s) for hops in range(1, self.max_hops + 1) for s in range(len(grown))]
        lengths = [grown[s].lengths[hops] for hops, s in places]
        if self.scorer.comparable:
            scores = np.concatenate([np.zeros(0), *(length.scores for length in lengths)])
        else:  # those of different lengths have not been scored side by side yet
            scores = self._rated(query, graph, [(grown[s], hops) for hops, s in places])
        firsts = [0, *accumulate(map(len, lengths))]
        ranked = []
        for i in np.argsort(-scores, kind="stable")[: max(self.n, READINGS)].tolist():
            place = bisect_right(firsts, i) - 1
            ranked.append(_Ranked(float(scores[i]), *places[place], i - firsts[place]))
        ranked.sort(key=partial(_place, grown))
        if self.names == "best" and self.scorer.reads_text_only:
            return self._read_with_names(query, graph, grown, ranked[: self.n])
        return ranked

    def _read_with_names(self, query: Query, graph: Graph, grown: list[_Grown], ranked: list[_Ranked]) -> list[_Ranked]:
        """Return candidates in the order of the scores of their whole text."""
        walked = [grown[entry.seed].lengths[entry.hops].walk(graph, entry.candidate) for entry in ranked]
        scores = self.scorer.rate_items(query.text, walked).tolist()
        read = [entry._replace(score=score) for entry, score in zip(ranked, scores, strict=True)]
        return sorted(read, key=partial(_place, grown))

    def _readings(
        self, subgraph: Subgraph, seeds: list[int], grown: list[_Grown], ranked: list[_Ranked]
    ) -> list[Reading]:
        """Return the best candidates with their ends; see `readings`."""
        readings = []
        for entry in ranked[:READINGS]:
            entities = _ends(subgraph, grown, entry)
            if len(seeds) > 1:
                others = np.array([seed for seed in seeds if seed != seeds[entry.seed]], dtype=np.int64)
                entities = entities[~np.isin(entities, others if subgraph.nodes is None else subgraph.nodes[others])]
            if len(entities):
                walk = grown[entry.seed].lengths[entry.hops].walk(subgraph.graph, entry.candidate)
                readings.append(Reading(walk, entry.score, entities))
        return united(readings, symmetric_relations(self.scorer))

    def _paths(
        self, subgraph: Subgraph, seeds: list[int], grown: list[_Grown], ranked: list[_Ranked], spoken: Spoken
    ) -> list[Path]:
        """Return at most ``n`` paths of the candidates, in their order."""
        near = _neighbours(subgraph, seeds)
        chosen: list[tuple[int, float]] = []  # (seed, score) of each path, and what `ways_to` needs
        wanted: list[list[tuple[int, int, bool, int]]] = [[] for _ in grown]
        for score, hops, s, candidate in ranked:
            candidates = grown[s].lengths[hops]
            pattern, back = int(candidates.pattern[candidate]), bool(candidates.back[candidate])
            ends = self._ordered(subgraph.csr, spoken(candidates.layer.ends(pattern, back=back)), seeds, near, s)
            for end in ends[: min(self.each, self.n - len(chosen))]:
                wanted[s].append((hops, pattern, back, end))
                chosen.append((s, score))
            if len(chosen) == self.n:
                break
        ways = [
            iter(ways_to(subgraph.csr, [length.layer for length in from_seed.lengths], of_seed) if of_seed else ())
            for from_seed, of_seed in zip(grown, wanted, strict=True)
        ]
        nodes, triples, graph, source = subgraph.nodes, subgraph.triples, subgraph.graph, repr(self)
        paths = []
        for s, score in chosen:
            met, taken, forward = next(ways[s])
            walked = met if nodes is None else nodes[met].tolist()
            along = taken if triples is None else triples[taken].tolist()
            paths.append(Path(graph, tuple(walked), tuple(along), tuple(forward), score, source))
        return paths

    def _ordered(
        self, csr: Csr, ends: npt.NDArray[np.int32], seeds: list[int], near: list[npt.NDArray[np.int32]], own: int
    ) -> list[int]:
        """Return the ends of a pattern in the order that the docstring of the class states."""
        if len(ends) == 1:
            return [int(ends[0])]
        triples = (csr.out_end[ends] - csr.out_begin[ends]).astype(np.int64) + (csr.in_end[ends] - csr.in_begin[ends])
        if len(seeds) == 1:  # stable: the ends are ascending
            triples[ends == seeds[own]] = -1
            return list(ends[triples.argsort(kind="stable")[: self.n]].tolist())
        keys: list[npt.NDArray[Any]] = [ends, triples, ends != seeds[own]]
        joined = np.zeros(len(ends), dtype=np.int64)
        for s, neighbours in enumerate(near):
            if s != own:
                joined += np.isin(ends, neighbours)
        keys[2:2] = [-joined, np.isin(ends, seeds)]
        return list(ends[np.lexsort(keys)[: self.n]].tolist())


def _place(grown: list[_Grown], entry: _Ranked) -> tuple[float, int, int, int, int]:
    """Return the sort key of candidates: best first, then shorter, then those that follow their triples.

    Both directions of a symmetric relation have the same score, and a path is read more easily along its triples.
    """
    steps = grown[entry.seed].lengths[entry.hops].steps[entry.candidate]
    backward = sum(not step.forward for step in steps)
    return -entry.score, entry.hops, entry.seed, backward, entry.candidate


def _ends(subgraph: Subgraph, grown: list[_Grown], entry: _Ranked) -> npt.NDArray[np.int32]:
    """Return the entities of the graph at the end of a candidate."""
    length = grown[entry.seed].lengths[entry.hops]
    ends = length.layer.ends(int(length.pattern[entry.candidate]), back=bool(length.back[entry.candidate]))
    return ends if subgraph.nodes is None else subgraph.nodes[ends]


def _carried_on(graph: Graph, prefix: PathPattern, step: Step, node: int) -> str:
    """Return the text of a pattern with one step more, which leads to an entity such as ``node``."""
    return step_text(prefix.text, step.relation, graph.first_type(node), forward=step.forward)


def _types(graph: Graph, prefix: PathPattern, node: int) -> tuple[str, ...]:
    """Return the types along a pattern with one step more, which leads to an entity such as ``node``."""
    return (*prefix.types, graph.first_type(node))


def _neighbours(subgraph: Subgraph, seeds: list[int]) -> list[npt.NDArray[np.int32]]:
    """Return the entities that a triple joins to each seed; empty sets for a single seed."""
    if len(seeds) < 2:
        return []
    csr = subgraph.csr
    return [np.concatenate([csr.tail[csr.row(seed, True)], csr.in_head[csr.row(seed, False)]]) for seed in seeds]
