"""Questions about facts of a graph that are written without a language model, for data that judges are trained on."""

from __future__ import annotations

import random

from graphbrick.core.path import Path
from graphbrick.evaluate.judge.synthetic.facts import fact_passage
from graphbrick.evaluate.judge.synthetic.passages import CHAIN, FACT, FAN_OUT, Passage
from graphbrick.evaluate.judge.synthetic.questions import Pair
from graphbrick.graphs.graph import Graph
from graphbrick.learn.phrasebook import Phrasebook
from graphbrick.learn.sampling import samples
from graphbrick.learn.writer import Writer
from graphbrick.patterns.text import PLACEHOLDER, Steps

_MOST = 8  # answers of a question, so that all are in its passage


def written_about(graph: Graph, n: int, *, max_hops: int = 2, seed: int = 0) -> tuple[list[Passage], list[Pair]]:
    """Return passages of facts with a written question about each, which are of the kind that `learn` learns from.

    A passage has the paths from an entity along one relation pattern to all its ends, and the answers are these ends.
    Patterns with more than 8 ends are left out.

    Args:
        graph: The graph.
        n: Number of questions at most.
        max_hops: The longest pattern.
        seed: Seed of what is drawn.
    """
    writer, rng = Writer(Phrasebook.of(graph)), random.Random(seed)
    made: dict[str, Passage] = {}
    pairs = []
    for sample in samples(graph, 3 * n, max_hops=max_hops, n_seeds=max(20, n), seed=seed):
        paths = _paths(graph, sample.seed, sample.pattern) if len(sample.ends) <= _MOST else []
        if not paths or len(paths) > 2 * _MOST:
            continue
        kind = CHAIN if len(sample.pattern) > 1 else FAN_OUT if len(paths) > 1 else FACT
        passage = fact_passage(graph, kind, paths)
        if passage.text in made:
            continue
        made[passage.text] = passage
        question = writer.write(sample.pattern, rng).text(graph.label(sample.seed))
        answers = ", ".join(graph.label(int(end)) for end in sample.ends)
        pairs.append(Pair(question, answers, len(made) - 1))
        if len(pairs) == n:
            break
    return list(made.values()), pairs


def _paths(graph: Graph, start: int, pattern: Steps) -> list[Path]:
    """Return the paths from an entity along a pattern, none of which meets an entity twice."""
    csr = graph.csr
    paths = [Path(graph, (start,), (), ())]
    for label, forward in pattern:
        wanted = label.removesuffix(f" {PLACEHOLDER}")
        longer = []
        for path in paths:
            row = csr.row(path.end, forward)
            triples = range(row.start, row.stop) if forward else csr.in_triple[row].tolist()
            for triple in triples:
                head, relation, tail = graph.triple(triple)
                node = tail if forward else head
                if graph.relation_label(relation) == wanted and node not in path.nodes:
                    longer.append(Path(graph, (*path.nodes, node), (*path.triples, triple), (*path.forward, forward)))
        paths = longer
        if len(paths) > 50 * _MOST:
            return []
    return paths
