from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
import scipy
from faults import fails

from graphbrick import Evidence, Query, ShortestPaths, Subgraph
from graphbrick.bricks.rerank.random_sample import RandomSample
from graphbrick.core.errors import PipelineError
from graphbrick.testing import check_brick, tiny_graph

QUERY = Query("Which currency is used in Kenya?", seeds=(2,))


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return ShortestPaths(max_hops=3).retrieve(QUERY, Subgraph(tiny_graph()))


def drawn(evidence: Evidence, n: int, seed: int, text: str = QUERY.text) -> tuple[int, ...]:
    """The places of the paths that were kept."""
    kept = RandomSample(n=n, seed=seed).rerank(Query(text, seeds=(2,)), evidence).items
    return tuple(evidence.items.index(path) for path in kept)


def by_seed(evidence: Evidence) -> Counter[tuple[int, ...]]:
    return Counter(drawn(Evidence(evidence.items[:5]), 2, seed) for seed in range(3000))


def by_question(evidence: Evidence) -> Counter[tuple[int, ...]]:
    return Counter(drawn(Evidence(evidence.items[:5]), 2, 0, f"What is {i}?") for i in range(3000))


@pytest.mark.parametrize("count", [by_seed, by_question])
def test_every_part_is_drawn_equally_often(evidence: Evidence, count: Any) -> None:
    counts = count(evidence)
    pairs = list(combinations(range(5), 2))  # in the order they had
    assert set(counts) == set(pairs)
    assert scipy.stats.chisquare([counts[pair] for pair in pairs]).pvalue > 1e-3


def test_the_order_and_the_scores_are_kept(evidence: Evidence) -> None:
    scored = Evidence(tuple(path.with_score(float(i % 3)) for i, path in enumerate(evidence.items)))
    assert len(scored) == 12
    for seed in range(50):
        items = RandomSample(n=7, seed=seed).rerank(QUERY, scored).items
        places = [scored.items.index(path) for path in items]
        assert places == sorted(set(places))
        assert len(places) == 7
        assert [path.score for path in items] == [place % 3 for place in places]


def test_the_same_twice_and_another_by_another_seed_or_question(evidence: Evidence) -> None:
    assert drawn(evidence, 3, 5) == drawn(evidence, 3, 5)
    assert len({drawn(evidence, 3, seed) for seed in range(20)}) > 10
    assert len({drawn(evidence, 3, 0, f"question {i}") for i in range(20)}) > 10


@pytest.mark.whole
def test_the_same_in_another_process(evidence: Evidence) -> None:
    script = (
        "from graphbrick import *\nfrom graphbrick.bricks.rerank.random_sample import RandomSample\n"
        f"query = Query({QUERY.text!r}, seeds=(2,))\n"
        f"found = ShortestPaths(max_hops=3).retrieve(query, Subgraph(Graph.open({str(tiny_graph().path)!r})))\n"
        "print(*(path.text for path in RandomSample(n=4, seed=3).rerank(query, found).items), sep='\\n')"
    )
    environment = os.environ | {"PYTHONHASHSEED": "1"}  # here it is another one, drawn at random
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.splitlines() == [evidence.items[i].text for i in drawn(evidence, 4, 3)]


@pytest.mark.parametrize("n", [12, 13, 1000])
def test_no_more_than_n_are_all_kept(evidence: Evidence, n: int) -> None:
    assert RandomSample(n=n).rerank(QUERY, evidence).items == evidence.items
    assert RandomSample(n=n).rerank(QUERY, Evidence()) == Evidence()


@pytest.mark.parametrize("text", ["", "肯尼亚?", "\x00", "x" * 100_000])
def test_any_question(evidence: Evidence, text: str) -> None:
    assert len(set(drawn(evidence, 5, 0, text))) == 5


def test_a_question_with_a_lone_surrogate(evidence: Evidence) -> None:
    # As comes from a command line or a file that is no valid UTF-8; entity keys may hold them, too.
    assert len(set(drawn(evidence, 5, 0, "broken \ud800"))) == 5


@pytest.mark.parametrize(
    "arguments", [{"n": 0}, {"n": -1}, {"n": 1.5}, {"n": None}, {"seed": -1}, {"seed": "0"}, {"seed": True}]
)
def test_bad_parameters(arguments: dict[str, Any]) -> None:
    (name,) = arguments
    with fails("parameter.not_allowed", PipelineError, brick="RandomSample", name=name):
        RandomSample(**arguments)


def test_the_contract() -> None:
    check_brick(RandomSample(n=2), installed=False)
    check_brick(RandomSample(n=2, seed=9), installed=False)


def test_confidence_belongs_to_the_first_item(evidence: Evidence) -> None:
    sure = replace(evidence, confidence=0.7)
    for seed in range(10):
        sampled = RandomSample(n=2, seed=seed).rerank(QUERY, sure).carry(sure)
        assert sampled.confidence == (0.7 if sampled.items[0] == evidence.items[0] else None)
