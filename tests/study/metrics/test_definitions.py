"""Subgraph F1 and path F1 of an evaluation, against counts over plain triples."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import networkx as nx
import pytest

from graphbrick import evaluate
from graphbrick.questions.question import Question
from graphbrick.testing import TINY, tiny_graph

NAMES = sorted({name for head, _, tail in TINY for name in (head, tail)})
PIPELINE = "KHop(max_hops=1) >> AllPaths(max_hops=2) >> PathAnswer()"


def f1_of(found: list[set[str]], gold: set[str]) -> float:
    """Return the harmonic mean of the share of items that are right and the share of answers that are found."""
    right = sum(bool(one & gold) for one in found)
    reached = len(gold & set().union(*found))
    return 2 * (right / len(found)) * (reached / len(gold)) / (right / len(found) + reached / len(gold)) if right else 0


def paths(seed: str, nodes: set[str]) -> list[set[str]]:
    """Return the entities, without the seed, of every simple path of one or two triples among some entities."""
    steps = [(head, tail) for head, _, tail in TINY if {head, tail} <= nodes]
    steps += [(tail, head) for head, tail in steps]
    first = [b for a, b in steps if a == seed and b != seed]
    return [{b} for b in first] + [{b, d} for b in first for c, d in steps if c == b and d not in (seed, b)]


@pytest.mark.whole
def test_f1_of_subgraphs_and_paths_counted_over_triples(tmp_path: Path) -> None:
    graph = nx.Graph([(head, tail) for head, _, tail in TINY])
    cases = [(seed, gold) for seed in NAMES for gold in combinations(NAMES, 2)]
    questions = [Question(f"{n}", f"{n}?", (seed,), gold) for n, (seed, gold) in enumerate(cases)]
    with evaluate(tiny_graph(), questions, {"all": PIPELINE}, out=tmp_path / "runs.sqlite") as study:
        (run,) = study.runs()
        results = study.results(run.id)
    assert len(results) == len(cases) > 200
    for (seed, gold), result in zip(cases, results, strict=True):
        nodes = set(nx.ego_graph(graph, seed, radius=1))
        expected = {
            "subgraph_f1": f1_of([{name} for name in nodes], set(gold)),
            "path_f1": f1_of(paths(seed, nodes), set(gold)),
        }
        assert {name: result.metrics[name] for name in expected} == pytest.approx(expected), (seed, gold)
