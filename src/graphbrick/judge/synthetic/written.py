"""Questions about facts of a graph, written without a language model, to train judges."""

from __future__ import annotations

import random

from graphbrick.core.path import Path
from graphbrick.graphs.graph import Graph
from graphbrick.judge.synthetic.facts import fact_passage
from graphbrick.judge.synthetic.passages import CHAIN, FACT, FAN_OUT, Passage
from graphbrick.judge.synthetic.questions import Pair
from graphbrick.learn.writing.sampling import samples
from graphbrick.learn.writing.writer import Writer
from graphbrick.learn.writing.written_questions import phrasebook_of
from graphbrick.patterns.text import Steps, without_marks

_MOST = 8  # answers of a question, so that all are in its passage


def written_about(
    graph: Graph, n: int, *, max_hops: int = 2, others: int = 3, seed: int = 0
) -> tuple[list[Passage], list[Pair]]:
    """Return passages of facts, and questions about some of them, of the kind that `learn` learns from.

    A passage has the paths from an entity along one relation pattern to all its ends, and the answers are these ends.
    Patterns with more than 8 ends are left out. Beside each passage with a question there are some without one, about
    the same entity and other patterns: those are what a judge has to tell from it.

    Args:
        graph: The graph.
        n: Number of questions at most.
        max_hops: The longest pattern.
        others: Most passages about the same entity for each question.
        seed: Seed of what is drawn.
    """
    writer, rng = Writer(phrasebook_of(graph)), random.Random(seed)
    made: dict[str, Passage] = {}
    pairs: dict[str, Pair] = {}
    place: dict[str, int] = {}
    for sample in samples(graph, 3 * n, max_hops=max_hops, n_seeds=max(20, n), seed=seed):
        if len(pairs) == n:
            break
        passage = passage_along(graph, sample.seed, sample.pattern) if len(sample.ends) <= _MOST else None
        if passage is None or passage.text in pairs:
            continue
        made.setdefault(passage.text, passage)
        place.setdefault(passage.text, len(place))
        question = writer.write(sample.pattern, rng).text(graph.label(sample.seed))
        answers = ", ".join(graph.label(int(end)) for end in sample.ends)
        pairs[passage.text] = Pair(question, answers, place[passage.text])
        for pattern in rng.sample(sample.others, min(others, len(sample.others))):
            other = passage_along(graph, sample.seed, pattern)
            if other is not None:
                made.setdefault(other.text, other)
                place.setdefault(other.text, len(place))
    return list(made.values()), list(pairs.values())


def passage_along(graph: Graph, start: int, pattern: Steps) -> Passage | None:
    """Return the paths from an entity along a pattern as a passage; None if there are none, or many."""
    paths = _paths(graph, start, pattern)
    if not paths or len(paths) > 2 * _MOST:
        return None
    return fact_passage(graph, CHAIN if len(pattern) > 1 else FAN_OUT if len(paths) > 1 else FACT, paths)


def _paths(graph: Graph, start: int, pattern: Steps) -> list[Path]:
    """Return the paths from an entity along a pattern, none of which meets an entity twice."""
    csr = graph.csr
    paths = [Path(graph, (start,), (), ())]
    for wanted, forward in without_marks(pattern):
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
