"""Common beginnings of several pipelines, which are run once a question."""

from __future__ import annotations

from itertools import permutations

import pytest

from graphbrick import BM25, AllPaths, Apply, Evidence, KHop, PathAnswer, Query, Rerank, ShortestPaths, parse
from graphbrick.core import Subgraph
from graphbrick.core.errors import GraphbrickError
from graphbrick.pipeline.composition import Pipeline
from graphbrick.pipeline.interpreter import Course, execute, follow
from graphbrick.pipeline.memory import Beginnings, QuestionMemory, copy_of
from graphbrick.pipeline.run import Run
from graphbrick.testing import tiny_graph

ALIKE = [  # the texts differ only in parentheses
    "(KHop(max_hops=1) | KHop(max_hops=3)) >> PruneEdges(BM25(), n=1)",
    "KHop(max_hops=1) | KHop(max_hops=3) >> PruneEdges(BM25(), n=1)",
    "KHop(max_hops=1) | KHop(max_hops=3)",
]


def contents(subgraph: Subgraph | None) -> tuple[list[int], list[int]]:
    """The entities and triples of a subgraph."""
    assert subgraph is not None
    assert subgraph.nodes is not None
    assert subgraph.triples is not None
    return subgraph.nodes.tolist(), subgraph.triples.tolist()


@pytest.mark.parametrize("linked", [False, True])
def test_unions_with_and_without_parentheses_do_not_share_results(linked: bool) -> None:
    graph = tiny_graph()
    query = Query("Which currency is used in Kenya?", (graph.entity("Kenya"),) if linked else ())
    alone = {text: parse(text).run(graph, query).subgraph for text in ALIKE}
    for texts in permutations(ALIKE):
        pipelines = [parse(text) for text in texts]
        memory = QuestionMemory(Beginnings(pipelines, linked=linked))
        for text, pipeline in zip(texts, pipelines, strict=True):
            subgraph = execute(pipeline, Run(graph, query, linked=linked), memory).subgraph
            assert contents(subgraph) == contents(alone[text])


COUNTRY = "Which currency is used in Kenya?"


def courses(pipelines: list[Pipeline], memory: QuestionMemory) -> list[Course]:
    graph = tiny_graph()
    query = Query(COUNTRY, (graph.entity("Kenya"),))
    return [follow(pipeline, Run(graph, query, linked=True), memory) for pipeline in pipelines]


def counted(calls: list[str], name: str, *, fails: bool = False) -> Pipeline:
    """A retrieve stage that notes its calls."""

    def retrieve(query: Query, subgraph: Subgraph) -> Evidence:
        calls.append(name)
        if fails:
            raise GraphbrickError("it failed", code="test.failed")
        return ShortestPaths().retrieve(query, subgraph)

    return Apply(retrieve=retrieve, name=name)


def test_a_beginning_is_needed_once_for_each_way_on_and_each_end() -> None:
    texts = ["KHop() >> ShortestPaths() >> PathAnswer()", "KHop() >> ShortestPaths()", "KHop() >> AllPaths()", "KHop()"]
    beginnings = Beginnings([parse(text) for text in [*texts, "KHop()"]], linked=True)
    keys = beginnings.keys[parse(texts[0])]
    assert [beginnings.needs[key] for key in keys] == [4, 2, 1]
    assert keys[-1].startswith(f"{keys[0]} >> ")
    assert len(beginnings.orders) == 5
    assert len(Beginnings([parse("KHop()")], linked=False).orders[0]) == 2  # with the default linker


def test_pipelines_with_a_common_beginning_are_neighbours_in_every_turn() -> None:
    texts = [
        "KHop() >> ShortestPaths() >> PathAnswer()",
        "AllPaths()",
        "KHop() >> AllPaths()",
        "KHop()",
        "KHop() >> ShortestPaths()",
    ]
    beginnings = Beginnings([parse(text) for text in texts], linked=True)
    assert [beginnings.order(turn) for turn in range(4)] == [
        [0, 4, 2, 3, 1],
        [1, 2, 0, 4, 3],
        [0, 4, 2, 3, 1],
        [1, 2, 0, 4, 3],
    ]
    assert Beginnings([], linked=True).order(1) == []


def test_a_common_beginning_is_done_once_and_told_in_every_trace() -> None:
    calls: list[str] = []
    first = KHop(max_hops=1) >> counted(calls, "first")
    pipelines = [first >> PathAnswer(), first >> Rerank(BM25()) >> PathAnswer(), first >> PathAnswer(cap=1), first]
    memory = QuestionMemory(Beginnings(pipelines, linked=True))
    done = courses(pipelines, memory)
    assert calls == ["first"]
    alone = [courses([pipeline], QuestionMemory(Beginnings([pipeline], linked=True)))[0] for pipeline in pipelines]
    for shared, other in zip(done, alone, strict=True):
        assert shared.kinds == other.kinds
        assert shared.run.answer == other.run.answer
        assert shared.run.evidence == other.run.evidence
        assert [stage.stage for stage in shared.run.trace.stages] == [stage.stage for stage in other.run.trace.stages]
    assert len({id(course.run.trace) for course in done}) == len(done)
    assert all(memory.recall(pipeline) is None for pipeline in pipelines)  # nothing is held for nobody


def test_the_longest_beginning_that_is_held_is_continued() -> None:
    calls: list[str] = []
    first, second = counted(calls, "first"), Rerank(BM25())
    pipelines = [first >> second >> PathAnswer(), first >> PathAnswer(), first >> second >> PathAnswer(cap=1)]
    memory = QuestionMemory(Beginnings(pipelines, linked=True))
    courses(pipelines[:1], memory)
    for pipeline, kinds in ((pipelines[1], ("retrieve",)), (pipelines[2], ("retrieve", "rerank"))):
        course = memory.recall(pipeline)
        assert course is not None
        assert course.kinds == kinds
        assert len(course.runs) == len(kinds) + 1
        assert memory.recall(pipeline) is None  # the last that needed it has it


def test_a_beginning_that_fails_fails_for_all() -> None:
    calls: list[str] = []
    first = KHop() >> counted(calls, "first", fails=True)
    pipelines = [first >> PathAnswer(), first >> Rerank(BM25()) >> PathAnswer(), first]
    done = courses(pipelines, QuestionMemory(Beginnings(pipelines, linked=True)))
    assert calls == ["first"]
    assert [(course.failed, course.kinds) for course in done] == [("retrieve", ("extract",))] * 3
    assert all(course.error is done[0].error for course in done)
    assert not any(course.stopped for course in done)


def test_copies_of_paths_share_their_beginnings_and_nothing_else() -> None:
    graph = tiny_graph()
    whole = AllPaths(max_hops=2).run(graph, Query(COUNTRY, (graph.entity("Kenya"),)))
    course = Course((whole, whole), ("retrieve",))
    copied = copy_of(course)
    assert (copied.runs[0], copied.kinds) == (whole, ("retrieve",))
    assert copied.run.evidence == whole.evidence
    assert copied.run.trace == whole.trace
    assert copied.run.trace is not whole.trace
    assert whole.evidence is not None
    assert copied.run.evidence is not None
    before, after = whole.evidence.paths, copied.run.evidence.paths
    assert not {id(path) for path in before} & {id(path) for path in after}
    prefixes = {id(path): place for place, path in enumerate(before)}
    for path, copy in zip(before, after, strict=True):
        assert (path.prefix is None) == (copy.prefix is None)
        if path.prefix is not None and id(path.prefix) in prefixes:
            assert copy.prefix is after[prefixes[id(path.prefix)]]
    assert whole.evidence.texts() == copied.run.evidence.texts()
