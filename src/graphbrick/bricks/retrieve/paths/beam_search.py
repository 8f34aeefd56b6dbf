"""Beam search: paths extended step by step, guided by a scorer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.paths.beam import Candidates, Partial, expand
from graphbrick.core import Evidence, PathPattern, Query, Step, Subgraph, seeds_of, step_text
from graphbrick.core.errors import PipelineError
from graphbrick.core.graph import DIRECTIONS, follow
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event, fact
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.enough import is_enough
from graphbrick.models.scorers.scorer import Scorer, check_prefilter
from graphbrick.pipeline import RetrieveStage

Scores = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class BeamSearch(RetrieveStage):
    """Iterative semantic-aware retrieval (ISAR): the best ``beam_width`` paths of every length.

    At each step all triples at the ends of the paths of a seed are candidates, and the best of them extend the paths.
    The released code reads only the first 32 or 64 neighbours by index, unscored, and stops at a reply that it cannot
    parse; this brick does neither. A path never visits an entity twice, so a path at a dead end stops.

    Variants of the technical report:

    - scoring only the new triple: ``by="triple"``;
    - dynamic pruning: ``beam_width=None`` with ``cut``, so that the number of paths kept follows from their scores;
    - pre-filtering for a language model (EEMs-PF): ``prefilter`` with ``threshold=0``;
    - filling up the choice of the model (EEMs-S): ``prefilter`` without ``threshold``; candidates of equal score stay
      in the order of the pre-filter;
    - early stopping (LLMs-ES): ``stop``;
    - refining the paths found (LLMs-R): a ``Rerank`` after it.

    Args:
        scorer: Scores the candidates.
        beam_width: Paths kept per step and seed, at least 1. None for as many as ``cut`` and ``threshold`` leave, of
            which one must then be given.
        max_hops: Steps, from 1 to 100.
        by: "path" to score the text of the whole path, "triple" to score the new triple alone.
        keep: "all" for the paths of every step, as in Algorithm 1; "last" for those of the last step of each
            seed.
        cut: Dynamic pruning: "mean", or a percentile from 0 to 100. Keeps only candidates that score at least this
            statistic of the scores of their step and seed, and never more than ``beam_width``, if there is one. The
            report normalises the scores of a step first: that moves scores and statistic alike, and keeps the same
            candidates. None for no pruning.
        threshold: Only candidates that score above it stay; None for no threshold.
        prefilter: A fast scorer that selects candidates for a slow ``scorer``; None for no pre-filter.
        prefilter_n: Candidates per step and seed that the pre-filter keeps, at least 1.
        stop: A language model that is asked after each step whether the paths are enough; None to never stop early.
        direction: "both", "out" (along triples) or "in" (against them); the path text shows which way each was walked.
        cap: Most candidates per step, at least 1. If there are more, they are taken round-robin from every relation of
            every path, which is an event.

    Returns:
        Distinct paths with their scores. If scores of different steps are comparable (embeddings and cross-encoders),
        they are ordered by falling score. Otherwise the best paths of all steps come first, then the second best, and
        so on. Shorter paths win ties.

    Example:
        >>> from graphbrick import BM25
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> query = Query("Which currency is used around Nairobi?", seeds=(graph.entity("Nairobi"),))
        >>> for path in BeamSearch(BM25(), beam_width=1, max_hops=2).retrieve(query, Subgraph(graph)).items:
        ...     print(path.text)
        Nairobi <- capital <- Kenya
        Nairobi <- capital <- Kenya -> currency -> Kenyan shilling
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (path retrieval, ISAR); Sun et al., Think-on-Graph, ICLR 2024"

    scorer: Scorer = parameter(example="MiniLM()")
    beam_width: int | None = parameter(8, at_least=1, search=(4, 8, 16))
    max_hops: int = parameter(4, at_least=1, at_most=100, search=(1, 2, 3, 4))
    by: str = parameter("path", choices=("path", "triple"), search=("path", "triple"))
    keep: str = parameter("all", choices=("all", "last"), search=("all", "last"))
    cut: str | float | None = parameter(
        None, choices=("mean",), at_least=0, at_most=100, example="mean", search=(None, "mean", 75)
    )
    threshold: float | None = parameter(None, example=0)
    prefilter: Scorer | None = parameter(None, example="MiniLM()")
    prefilter_n: int = parameter(64, at_least=1, search=(16, 64))
    stop: ChatModel | None = parameter(None, example="LLM()")
    direction: str = parameter("both", choices=DIRECTIONS)
    cap: int = parameter(5_000, at_least=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_prefilter(self)
        if self.beam_width is None and self.cut is None and self.threshold is None:
            raise PipelineError(
                "BeamSearch beam_width is None, which keeps as many paths as cut and threshold leave, but there is "
                "neither; give cut='mean' or a percentile, or a threshold, or a beam_width such as 8",
                code="beam_search.no_limit",
            )

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the paths of the beams."""
        label = subgraph.graph.label
        seeds = seeds_of(query, subgraph).tolist()
        names = [label(seed if subgraph.nodes is None else int(subgraph.nodes[seed])) for seed in seeds]
        starts = [PathPattern(name, (), partial(str, name)) for name in names]
        beam = [Partial((seed,), walked=start) for seed, start in zip(seeds, starts, strict=True)]
        layers: list[list[Partial]] = []
        scored = 0
        for _ in range(self.max_hops):
            beam, looked_at = self._advance(query, subgraph, beam)
            scored += looked_at
            if not beam:
                break
            layers.append(beam)
            if self.stop is not None and len(layers) < self.max_hops:
                texts = [path.walked.text for layer in layers for path in layer]
                if is_enough(self.stop, query.text, texts):
                    event(
                        f"{self.stop.model} found the paths to be enough after {len(layers)} steps",
                        "beam_search.enough",
                        steps=len(layers),
                    )
                    break
        fact(candidates=scored, steps=len(layers))
        paths = [path for layer in layers for path in layer]  # shorter ones first; the sort below is stable
        if self.keep == "last":
            steps = {path.nodes[0]: len(path.triples) for path in paths}  # the last step of every seed
            paths = [path for path in paths if len(path.triples) == steps[path.nodes[0]]]
        paths.sort(key=lambda path: -path.score if self.scorer.comparable else path.rank)
        items = tuple(path.path(subgraph, repr(self)) for path in paths)
        return Evidence(items, scale=repr(self.scorer) if self.scorer.comparable else "")

    def _advance(self, query: Query, subgraph: Subgraph, beam: list[Partial]) -> tuple[list[Partial], int]:
        """Return the best extensions of a beam, best first per seed, and the number of candidates."""
        follow_out, follow_in = follow(self.direction)
        candidates, total = expand(beam, subgraph.csr, follow_out=follow_out, follow_in=follow_in, cap=self.cap)
        if len(candidates) < total:
            event(
                f"step {len(beam[0].triples) + 1}: of {total:,} candidates {self.cap:,} were taken, in turns from "
                "every relation of every path (cap)",
                "beam_search.cap",
                step=len(beam[0].triples) + 1,
                n=total,
                cap=self.cap,
            )
        if not len(candidates):
            return [], 0
        walked, scored = self._walked(subgraph, beam, candidates)
        seeds = np.array([path.nodes[0] for path in beam])[candidates.parent]
        rows = np.arange(len(candidates))
        if self.prefilter is not None:
            first = self._rated(self.prefilter, query, scored, rows, seeds)
            rows = np.concatenate([_top(rows[seeds == s], first, self.prefilter_n) for s in dict.fromkeys(seeds)])
        scores = self._rated(self.scorer, query, scored, rows, seeds)
        following = []
        for seed in dict.fromkeys(seeds.tolist()):
            for rank, i in enumerate(self._best(rows[seeds[rows] == seed], scores)):
                before = beam[candidates.parent[i]]
                following.append(
                    replace(
                        before,
                        nodes=(*before.nodes, int(candidates.node[i])),
                        triples=(*before.triples, int(candidates.triple[i])),
                        forward=(*before.forward, bool(candidates.forward[i])),
                        walked=walked[i],
                        score=float(scores[i]),
                        rank=rank,
                    )
                )
        return following, len(candidates)

    def _rated(self, scorer: Scorer, query: Query, walked: list[PathPattern], rows: Rows, seeds: Rows) -> Scores:
        """Return the scores of some rows, -inf for the others; in one call if the scorer is comparable.

        Otherwise there is one call per seed, so that the paths of a seed do not depend on the other seeds.
        """
        scores = np.full(len(walked), -np.inf)
        groups = [rows] if scorer.comparable else [rows[seeds[rows] == seed] for seed in dict.fromkeys(seeds.tolist())]
        for group in groups:
            scores[group] = scorer.rate_items(query.text, [walked[i] for i in group])
        return scores

    def _best(self, rows: Rows, scores: Scores) -> Rows:
        """Return the rows that are kept, best first; ties go to the earlier row."""
        values = scores[rows]
        stays = np.ones(len(rows), dtype=np.bool_)
        if self.cut is not None and len(rows):
            level = values.mean() if isinstance(self.cut, str) else np.percentile(values, self.cut)
            stays &= values >= min(level, values.max())  # the mean of equal numbers may be rounded up
        if self.threshold is not None:
            stays &= values > self.threshold
        return _top(rows[stays], scores, self.beam_width)

    def _walked(
        self, subgraph: Subgraph, beam: list[Partial], candidates: Candidates
    ) -> tuple[list[PathPattern], list[PathPattern]]:
        """Return the path of each candidate, and the text to score: the path or its last triple."""
        label, relation_label = subgraph.graph.label, subgraph.graph.relation_label
        last = [path.nodes[-1] for path in beam]
        ends = [label(u if subgraph.nodes is None else int(subgraph.nodes[u])) for u in last]
        nodes = candidates.node if subgraph.nodes is None else subgraph.nodes[candidates.node]
        relations = subgraph.csr.relation[candidates.triple]
        columns = (candidates.parent, relations, nodes, candidates.forward)
        paths, triples = [], []
        for parent, relation, node, way in zip(*(column.tolist() for column in columns), strict=True):
            before, station = beam[parent].walked, label(node)
            step = Step(relation_label(relation), way)
            write = partial(step_text, before.text, step.relation, station, forward=way)
            paths.append(PathPattern(before.start_label, (*before.steps, step), write))
            if self.by == "triple":
                head, tail = (ends[parent], station) if way else (station, ends[parent])
                write = partial("{} -> {} -> {}".format, head, step.relation, tail)
                triples.append(PathPattern(head, (Step(step.relation, True),), write))
        return paths, triples if self.by == "triple" else paths


def _top(rows: Rows, scores: Scores, n: int | None) -> Rows:
    """Return the ``n`` rows with the highest scores, all for None, best first; ties go to the earlier row."""
    return rows[np.argsort(-scores[rows], kind="stable")[:n]]
