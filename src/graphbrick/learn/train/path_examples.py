"""Training data for text models: paths from seeds to answers, and paths that lead elsewhere.

The paths are those that a pipeline would rank: simple paths among the entities that personalized PageRank finds around
the seeds; for an answer that is a seed, also the walks that come back to it, as `Patterns` has them. Their texts are
made by `graphbrick.core.Path`, as at query time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.extract.ppr import PPR
from graphbrick.core import Path, Query, Subgraph, seeds_of
from graphbrick.core.compute import Progress, silent
from graphbrick.graphs.graph import Graph
from graphbrick.kernels.paths.path_tree import PathTree, shortest_path_tree, simple_path_tree
from graphbrick.learn.train.frame import Counts
from graphbrick.patterns.text import masked
from graphbrick.questions.grounding import GroundedQuestion

CAP = 200_000  # paths around the seeds of one question
Ints = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PathExample:
    """One question with paths that lead to its answers and paths that do not.

    Attributes:
        grounded: The question with its seeds and answers in the graph.
        wording: Its text with the names of the seeds masked.
        positives: Paths to answers, at least one: of every pattern in turns, patterns of fewer hops first.
        negatives: Paths that end elsewhere and have the pattern of no positive, of all lengths in turns.
    """

    grounded: GroundedQuestion
    wording: str
    positives: tuple[Path, ...]
    negatives: tuple[Path, ...]

    @property
    def text(self) -> str:
        """The question."""
        return self.grounded.question.text


@dataclass(slots=True)
class PathExamples(Counts):
    """The examples of a file of questions.

    Attributes:
        all: One for each question with a path to an answer, in the order of the questions.
    """

    all: list[PathExample] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PathRules:
    """The choice of the paths around the seeds of a question.

    Attributes:
        max_hops: The longest path, at least 1; triples are followed in both directions.
        negative_hops: The longest negative; ``max_hops`` where None.
        k: Entities around the seeds, at least 1.
        positives: Most paths to answers per question, at least 1.
        negatives: Most other paths per question, at least 0.
        least: Share of the best pattern's F1 that a right pattern has at least, in [0, 1]; with 0 every path that ends
            at an answer is right.
        seed: Of what is drawn where there is more; one question's draw does not depend on the other questions.
    """

    max_hops: int = 3
    negative_hops: int | None = None
    k: int = 1000
    positives: int = 16
    negatives: int = 64
    least: float = 0.5
    seed: int = 0


def collect(
    graph: Graph,
    questions: Sequence[GroundedQuestion],
    rules: PathRules = PathRules(),
    *,
    progress: Progress = silent,
) -> PathExamples:
    """Return paths around the seeds of questions that lead to their answers, and others that do not.

    A path is right when it ends at an answer and its pattern (relations and directions) is to the point: the entities
    that this pattern leads to from the same seed are the answers nearly as well, by F1, as those of the best pattern;
    seeds count only if they are answers. If an answer is a seed, there are also paths that come back to it in the end,
    without undoing their first step: X is one of «the parents of X's child».

    With 200,000 paths or more around the seeds of a question, only the shortest to each entity are looked at.

    What ends at an answer, or has the pattern of a positive, is never a negative: that it ends elsewhere may only say
    that the answers of the file are not complete. The released code of the paper takes one positive of at most 4 hops
    and negatives of at most 2: ``PathRules(4, negative_hops=2, positives=1, least=0)``.

    Args:
        graph: The graph.
        questions: Questions with their seeds and answers in the graph.
        rules: Which paths are taken.
        progress: Called with the number of questions done.
    """
    examples, ppr = PathExamples(questions=len(questions)), PPR(k=rules.k)
    for place, question in enumerate(questions):
        gold = examples.gold(question)
        if gold:
            subgraph = ppr.extract(graph, Query(question.question.text, question.seeds))
            around = _Around(subgraph, question.seeds, gold, rules.max_hops)
            examples.cut += around.is_cut
            right, wrong = around.draw(rules, np.random.default_rng([rules.seed, place]))
            if right:
                examples.all.append(PathExample(question, wording(graph, question), right, wrong))
            examples.unreached += not right
        progress("", place + 1, len(questions))
    return examples


def by_text(paths: Sequence[Path], by: str) -> dict[str, Path]:
    """Return the first path of each text, in the order given; ``by`` is "path" or "pattern"."""
    first_paths: dict[str, Path] = {}
    for path in paths:
        first_paths.setdefault(path.text if by == "path" else path.pattern_text, path)
    return first_paths


def wording(graph: Graph, question: GroundedQuestion) -> str:
    """Return the text of a question with the names of its seeds masked, the longest name first."""
    text = question.question.text
    for name in sorted({graph.label(seed) for seed in question.seeds}, key=lambda name: (-len(name), name)):
        text = masked(text, name)
    return text


class _Around:
    """The paths around the seeds of one question, each an entry of arrays.

    Attributes:
        is_cut: Whether only the shortest paths to each entity were looked at.
    """

    def __init__(self, subgraph: Subgraph, seeds: Sequence[int], gold: Sequence[int], max_hops: int) -> None:
        self._subgraph = subgraph
        starts = seeds_of(Query("", tuple(seeds)), subgraph)
        tree, self.is_cut = _tree(subgraph, starts, max_hops)
        walked = _walked(tree, subgraph, len(starts))
        inside = np.zeros(subgraph.n_nodes, dtype=np.int8)
        inside[starts] = -1
        inside[subgraph.local(gold)] = 1
        for number in np.flatnonzero(inside[starts] == 1).tolist():
            tree, walked = _closed(tree, walked, subgraph, number, max_hops)
        self._tree = tree
        self._hops, self._pattern, self._start, _ = walked
        self._at = inside[self._tree.node]  # 1 at an answer, -1 at a seed
        self._gold = len(gold)

    def draw(self, rules: PathRules, rng: np.random.Generator) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
        """Return paths to answers, and other paths."""
        right = (self._at == 1) & (self._hops > 0) & self._to_the_point(rules.least)
        patterns = np.unique(self._pattern[right])
        most = rules.negative_hops or rules.max_hops
        wrong = (self._hops > 0) & (self._hops <= most) & (self._at != 1) & ~np.isin(self._pattern, patterns)
        chosen, others = np.flatnonzero(right), np.flatnonzero(wrong)
        # In turns from every pattern, so that one with many ends does not fill the place of all others.
        turn, drawn = _turns(self._pattern[chosen], rng.random(len(chosen))), rng.random(len(chosen))
        chosen = chosen[np.lexsort((drawn, self._hops[chosen], turn))[: rules.positives]]
        turn, drawn = _turns(self._pattern[others], rng.random(len(others))), rng.random(len(others))
        # And in turns from every length, as there are ever more patterns of more hops.
        turn = _turns(self._hops[others], turn + drawn)
        others = others[np.lexsort((self._hops[others], turn))[: rules.negatives]]
        return tuple(map(self._path, chosen.tolist())), tuple(map(self._path, others.tolist()))

    def _to_the_point(self, least: float) -> Truths:
        """Return for each path whether its pattern leads to the answers nearly as well as the best pattern."""
        _, group = np.unique(self._pattern * (1 + self._start.max()) + self._start, return_inverse=True)
        nodes = self._subgraph.n_nodes
        ends, first = np.unique(group * np.int64(nodes) + self._tree.node, return_index=True)
        of = ends // nodes
        right = np.bincount(of, self._at[first] == 1)
        answered = np.bincount(of, self._at[first] >= 0)
        f1 = 2 * right / (answered + self._gold)
        f1[group[self._hops == 0]] = 0  # a seed is no path
        fine: Truths = (f1 >= least * f1.max(initial=0))[group]
        return fine

    def _path(self, place: int) -> Path:
        tree, subgraph = self._tree, self._subgraph
        nodes, triples, ways = [int(tree.node[place])], list[int](), list[bool]()
        while tree.parent[place] >= 0:
            triples.append(int(tree.triple[place]))
            ways.append(bool(tree.forward[place]))
            place = int(tree.parent[place])
            nodes.append(int(tree.node[place]))
        if subgraph.nodes is not None and subgraph.triples is not None:
            nodes = subgraph.nodes[nodes].tolist()
            triples = subgraph.triples[triples].tolist()
        return Path(subgraph.graph, tuple(nodes[::-1]), tuple(triples[::-1]), tuple(ways[::-1]))


def _tree(subgraph: Subgraph, starts: npt.NDArray[np.int32], max_hops: int) -> tuple[PathTree, bool]:
    """Return all simple paths, or all shortest ones if there are too many, and whether there are."""
    csr = subgraph.csr
    tree = simple_path_tree(csr.rows, starts, True, True, max_hops, CAP)
    if not tree.capped:
        return tree, False
    return shortest_path_tree(csr.rows, starts, True, True, max_hops, CAP), True


class _Walked(NamedTuple):
    """Attributes of paths, int64 [paths] each.

    Attributes:
        hops: Number of triples.
        pattern: A number for the pattern; 0 for a seed.
        start: Index of the seed.
        first: The first step, as in `_steps`; -1 for a seed.
    """

    hops: Ints
    pattern: Ints
    start: Ints
    first: Ints


def _steps(subgraph: Subgraph, triple: npt.NDArray[np.int32], forward: npt.NDArray[np.bool_]) -> Ints:
    """Return steps as numbers: twice the relation, and one more if it is followed forwards."""
    steps: Ints = 2 * subgraph.csr.relation[triple].astype(np.int64) + forward
    return steps


def _walked(tree: PathTree, subgraph: Subgraph, n_seeds: int) -> _Walked:
    """Return the attributes of paths."""
    n = len(tree.node)
    hops, pattern, start, first = np.zeros((4, n), dtype=np.int64)
    start[:n_seeds], first[:n_seeds] = np.arange(n_seeds), -1
    step = _steps(subgraph, tree.triple, tree.forward)  # for a seed it is not read
    kinds = 2 * np.int64(subgraph.graph.n_relations)
    begin, end, patterns = 0, n_seeds, 1
    while end < n:
        # The paths of a length are carried on in their order, so those of the next lie behind them.
        after = int(np.searchsorted(tree.parent, end))
        layer, parent = slice(end, after), tree.parent[end:after]
        distinct, number = np.unique(pattern[parent] * kinds + step[layer], return_inverse=True)
        hops[layer], start[layer], pattern[layer] = hops[begin] + 1, start[parent], number + patterns
        first[layer] = np.where(first[parent] < 0, step[layer], first[parent])
        patterns += len(distinct)
        begin, end = end, after
    return _Walked(hops, pattern, start, first)


def _closed(
    tree: PathTree, walked: _Walked, subgraph: Subgraph, number: int, max_hops: int
) -> tuple[PathTree, _Walked]:
    """Append the paths that come back to a seed by their last step, which does not undo the first one."""
    csr, seed = subgraph.csr, int(tree.node[number])
    leaving, entering = csr.row(seed, True), csr.row(seed, False)
    # A triple that leaves the seed is followed backwards to come back, and one that enters it forwards.
    near = np.concatenate([csr.tail[leaving], csr.in_head[entering]])
    last = np.concatenate([np.arange(leaving.start, leaving.stop, dtype=np.int32), csr.in_triple[entering]])
    forward = np.arange(len(near)) >= leaving.stop - leaving.start
    step = _steps(subgraph, last, forward)
    paths = np.flatnonzero((walked.start == number) & (walked.hops < max_hops))
    paths = paths[tree.node[paths].argsort(kind="stable")]
    begin, end = (np.searchsorted(tree.node[paths], near, side=side) for side in ("left", "right"))
    way = np.repeat(np.arange(len(near)), end - begin)
    parent = paths[np.arange(len(way)) - np.repeat(np.cumsum(end - begin) - end, end - begin)]
    allowed = walked.first[parent] != step[way] ^ 1
    way, parent = way[allowed], parent[allowed]

    # A walk that comes back has the same pattern as paths of the same steps that do not.
    kinds = 2 * np.int64(subgraph.graph.n_relations)
    known = np.flatnonzero(tree.parent >= 0)
    keys = walked.pattern[tree.parent[known]] * kinds + _steps(subgraph, tree.triple[known], tree.forward[known])
    fresh = walked.pattern[parent] * kinds + step[way]
    distinct, index = np.unique(np.concatenate([keys, fresh]), return_inverse=True)
    pattern = walked.pattern.max() + 1 + np.arange(len(distinct))
    pattern[index[: len(known)]] = walked.pattern[known]
    first = np.where(walked.first[parent] < 0, step[way], walked.first[parent])
    added = (walked.hops[parent] + 1, pattern[index[len(known) :]], walked.start[parent], first)
    return (
        PathTree(
            np.concatenate([tree.parent, parent.astype(np.int32)]),
            np.concatenate([tree.node, np.full(len(parent), seed, dtype=np.int32)]),
            np.concatenate([tree.triple, last[way]]),
            np.concatenate([tree.forward, forward[way]]),
            tree.capped,
        ),
        _Walked(*map(np.concatenate, zip(walked, added, strict=True))),
    )


def _turns(group: Ints, order: npt.NDArray[np.float64]) -> Ints:
    """Return the position of each entry within its group, by ``order``."""
    by = np.lexsort((order, group))
    ordered = group[by]
    first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else np.zeros(0, dtype=np.int64)
    sizes = np.diff(np.r_[first, len(ordered)])
    turns: Ints = np.empty(len(group), dtype=np.int64)
    turns[by] = np.arange(len(group)) - np.repeat(first, sizes)
    return turns
