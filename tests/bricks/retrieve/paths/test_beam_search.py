from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from beam import ASKED, Listed, Measures, Ranks, ends, retrieve, starting
from faults import fails, told

from graphbrick import BM25, LLM, Query, Subgraph
from graphbrick.bricks.retrieve.paths.beam_search import BeamSearch
from graphbrick.core.errors import PipelineError
from graphbrick.core.trace import StageTrace
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.kernels.paths.induced import induced_triples
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.testing import ScriptedLLM, check_brick, tiny_graph


@pytest.fixture(scope="module")
def star(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """From s to n0 .. n9 and on to m0 .. m9; a second, small component from u to v."""
    triples = [("s", "r", f"n{i}") for i in range(10)] + [(f"n{i}", "r", f"m{i}") for i in range(10)]
    return build([*triples, ("u", "r", "v")], tmp_path_factory.mktemp("star") / "star.graph")


WORDS = " ".join(f"n{i}" for i in range(10)) + " " + " ".join(f"m{i}" for i in range(10))  # scores 0 to 9 and 10 to 19


def test_the_best_of_every_step_come_first(star: Graph) -> None:
    items, _ = retrieve(BeamSearch(Listed(WORDS), beam_width=3, max_hops=2), starting(star, "s"), Subgraph(star))
    assert ends(items) == ["n9", "m9", "n8", "m8", "n7", "m7"]
    assert [path.score for path in items] == [9, 19, 8, 18, 7, 17]


def test_keep_last(star: Graph) -> None:
    brick = BeamSearch(Listed(WORDS), beam_width=3, max_hops=2, keep="last")
    assert ends(retrieve(brick, starting(star, "s"), Subgraph(star))[0]) == ["m9", "m8", "m7"]
    # Where the search cannot go on, the last step made is the one before.
    brick = BeamSearch(Listed(WORDS), beam_width=3, max_hops=4, keep="last", direction="out")
    items, entry = retrieve(brick, starting(star, "s"), Subgraph(star))
    assert ends(items) == ["m9", "m8", "m7"]
    assert entry.facts["steps"] == 2


def test_keep_last_keeps_the_last_step_of_every_seed(star: Graph) -> None:
    # u has one neighbour and cannot go on from it; that s goes further must not cost u its only path.
    brick = BeamSearch(Listed(f"v {WORDS}"), beam_width=1, max_hops=2, keep="last")
    alone = [path for name in "su" for path in retrieve(brick, starting(star, name), Subgraph(star))[0]]
    together, _ = retrieve(brick, starting(star, "s", "u"), Subgraph(star))
    assert ends(alone) == ["m9", "v"]
    assert sorted(ends(together)) == ["m9", "v"]


@pytest.mark.parametrize(
    ("cut", "first"),
    [
        ("mean", ["n9", "n8", "n7", "n6", "n5"]),
        (0, [f"n{i}" for i in reversed(range(10))]),
        (50, ["n9", "n8", "n7", "n6", "n5"]),
        (75, ["n9", "n8", "n7"]),
        (90, ["n9"]),
        (100, ["n9"]),
    ],
)
def test_a_cut_keeps_what_is_above_the_level_of_the_step(star: Graph, cut: str | float, first: list[str]) -> None:
    brick = BeamSearch(Listed(WORDS), beam_width=50, max_hops=1, cut=cut)
    assert ends(retrieve(brick, starting(star, "s"), Subgraph(star))[0]) == first


@pytest.mark.parametrize("cut", ["mean", 0, 50, 99.9, 100])
@pytest.mark.parametrize("value", [0.1, 1 / 3, -0.7, 1e-300])
def test_a_cut_of_equal_scores_keeps_all(star: Graph, cut: str | float, value: float) -> None:
    @dataclass(frozen=True, repr=False)
    class Level(Scorer):
        """The same for all."""

        def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
            return np.full(len(texts), value)

    brick = BeamSearch(Level(), beam_width=50, max_hops=1, cut=cut)
    assert ends(retrieve(brick, starting(star, "s"), Subgraph(star))[0]) == [f"n{i}" for i in range(10)]


def test_beam_width_limits_what_a_cut_leaves(star: Graph) -> None:
    brick = BeamSearch(Listed(WORDS), beam_width=2, max_hops=1, cut=0)
    assert ends(retrieve(brick, starting(star, "s"), Subgraph(star))[0]) == ["n9", "n8"]


def test_a_threshold_ends_the_search_where_nothing_is_above_it(star: Graph) -> None:
    brick = BeamSearch(Listed(WORDS), beam_width=50, max_hops=2, threshold=7)
    assert sorted(ends(retrieve(brick, starting(star, "s"), Subgraph(star))[0])) == ["m8", "m9", "n8", "n9"]
    items, entry = retrieve(BeamSearch(Listed(WORDS), threshold=9), starting(star, "s"), Subgraph(star))
    assert (items, entry.facts) == ((), {"candidates": 10, "steps": 0})


def test_the_slow_scorer_is_asked_only_what_the_fast_one_leaves(star: Graph) -> None:
    ASKED.clear()
    fast, slow = Listed("n3 n1 n2"), Ranks(1)
    brick = BeamSearch(slow, beam_width=2, max_hops=1, prefilter=fast, prefilter_n=3)
    items, _ = retrieve(brick, starting(star, "s"), Subgraph(star))
    by_fast, by_slow = ASKED
    assert len(by_fast) == 10
    assert by_slow == [f"s -> r -> {name}" for name in ("n2", "n1", "n3")]
    # All are equal for the slow one: they stay in the order of the fast one.
    assert ends(items) == ["n2", "n1"]


def test_the_prefilter_leaves_so_many_for_each_seed(star: Graph) -> None:
    ASKED.clear()
    brick = BeamSearch(Ranks(), max_hops=1, prefilter=Listed(WORDS), prefilter_n=2)
    retrieve(brick, starting(star, "u", "s"), Subgraph(star))
    assert ASKED[2:] == [["u -> r -> v"], ["s -> r -> n9", "s -> r -> n8"]]  # after one call a seed to the pre-filter


def test_what_the_prefilter_left_out_is_not_brought_back_by_a_threshold(star: Graph) -> None:
    brick = BeamSearch(Ranks(1), beam_width=50, max_hops=1, prefilter=Listed("n4 n5"), prefilter_n=2, threshold=-1e300)
    assert ends(retrieve(brick, starting(star, "s"), Subgraph(star))[0]) == ["n5", "n4"]


def test_each_seed_has_a_beam_of_its_own(star: Graph) -> None:
    brick = BeamSearch(Listed(f"v {WORDS}"), beam_width=1, max_hops=1)
    assert ends(retrieve(brick, starting(star, "s", "u"), Subgraph(star))[0]) == ["n9", "v"]
    assert ends(retrieve(brick, starting(star, "u", "s", "u"), Subgraph(star))[0]) == ["v", "n9"]


@pytest.mark.parametrize(
    ("direction", "texts"),
    [
        ("out", ["Kenya -> borders -> Uganda", "Kenya -> capital -> Nairobi", "Kenya -> currency -> Kenyan shilling"]),
        ("in", ["Kenya <- borders <- Uganda"]),
    ],
)
def test_directions(direction: str, texts: list[str]) -> None:
    graph = tiny_graph()
    items, _ = retrieve(
        BeamSearch(Ranks(1), max_hops=1, direction=direction), starting(graph, "Kenya"), Subgraph(graph)
    )
    assert sorted(path.text for path in items) == texts


def test_a_beam_that_cannot_leave_its_paths_ends() -> None:
    graph = tiny_graph()
    query = starting(graph, "Kenya")
    nodes = np.array(sorted([*query.seeds, graph.entity("Uganda")]), dtype=np.int32)
    part = Subgraph(graph, nodes, induced_triples(graph.csr.rows, nodes))
    items, entry = retrieve(BeamSearch(Ranks(), max_hops=50), query, part)
    assert sorted(path.text for path in items) == ["Kenya -> borders -> Uganda", "Kenya <- borders <- Uganda"]
    assert (entry.facts, entry.events) == ({"candidates": 2, "steps": 1}, [])


def test_without_seeds_there_is_nothing_to_ask() -> None:
    graph = tiny_graph()
    empty = np.zeros(0, dtype=np.int32)
    ASKED.clear()
    for query, subgraph in [
        (Query("?"), Subgraph(graph)),
        (starting(graph, "Kenya"), Subgraph(graph, empty, empty)),
        (starting(graph, "Kenya"), Subgraph(graph, np.array([graph.entity("Kenya")], dtype=np.int32), empty)),
    ]:
        items, entry = retrieve(BeamSearch(Ranks()), query, subgraph)
        assert (items, entry.facts) == ((), {"candidates": 0, "steps": 0})
    assert ASKED == []


# A hub

N_HUB = 100_000


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """A hub with 100,000 neighbours of one relation in each direction and a few of ten others."""
    crowd = [("hub", "follows", f"a{i}") for i in range(N_HUB // 2)]
    crowd += [(f"b{i}", "follows", "hub") for i in range(N_HUB // 2)]
    rare = [("hub", f"rare {i}", f"c{i}") for i in range(10)]
    return build(crowd + rare, tmp_path_factory.mktemp("hub") / "hub.graph")


@pytest.mark.whole
@pytest.mark.parametrize("cap", [12, 100, 5_000])
def test_a_hub_costs_no_more_than_the_cap(hub: Graph, cap: int) -> None:
    ASKED.clear()
    brick = BeamSearch(Ranks(1000), beam_width=4, max_hops=1, cap=cap)
    items, entry = retrieve(brick, starting(hub, "hub"), Subgraph(hub))
    (asked,) = ASKED
    assert len(asked) == cap
    assert {f"hub -> rare {i} -> c{i}" for i in range(10)} <= set(asked)
    out, into = (sum(text.startswith(start) for text in asked) for start in ("hub -> follows", "hub <- follows"))
    assert out + into == cap - 10
    assert abs(out - into) <= 1
    assert told(entry.events) == [("beam_search.cap", {"step": 1, "n": 100_010, "cap": cap})]
    assert entry.facts == {"candidates": cap, "steps": 1}
    assert len(items) == 4


@pytest.mark.parametrize("names", [("hub", "c3"), ("c3", "hub")])
def test_a_hub_does_not_starve_the_other_seed(hub: Graph, names: tuple[str, str]) -> None:
    ASKED.clear()
    retrieve(BeamSearch(Ranks(), max_hops=1, cap=13), starting(hub, *names), Subgraph(hub))
    assert "c3 <- rare 3 <- hub" in [text for asked in ASKED for text in asked]


def test_a_hub_does_not_starve_the_other_seed_where_its_relations_alone_reach_the_cap(hub: Graph) -> None:
    ASKED.clear()
    retrieve(BeamSearch(Ranks(), max_hops=1, cap=5), starting(hub, "hub", "c3"), Subgraph(hub))
    assert "c3 <- rare 3 <- hub" in [text for asked in ASKED for text in asked]


@pytest.mark.whole
def test_of_many_equal_candidates_the_first_stay(hub: Graph) -> None:
    for brick in (
        BeamSearch(Ranks(1), beam_width=70, max_hops=1),
        BeamSearch(Ranks(1), beam_width=70, max_hops=1, cut="mean"),
        BeamSearch(Ranks(1), beam_width=70, max_hops=1, prefilter=Ranks(1), prefilter_n=90),
        BeamSearch(Ranks(3), beam_width=3_000, max_hops=1),
    ):
        ASKED.clear()
        items, _ = retrieve(brick, starting(hub, "hub"), Subgraph(hub))
        assert isinstance(brick.scorer, Ranks)
        best = sorted(ASKED[0], key=lambda text: -brick.scorer.one(text))
        assert [path.text for path in items] == best[: brick.beam_width]


def test_no_event_where_the_cap_is_just_enough(star: Graph) -> None:
    _, entry = retrieve(BeamSearch(Ranks(), max_hops=1, cap=10), starting(star, "s"), Subgraph(star))
    assert entry.events == []
    _, entry = retrieve(BeamSearch(Ranks(), max_hops=1, cap=9), starting(star, "s"), Subgraph(star))
    assert len(entry.events) == 1


# Stopping early


def stopping(star: Graph, replies: list[str], max_hops: int = 3) -> tuple[list[str], StageTrace, list[str]]:
    """Ends of the paths found, the trace, and the prompts."""
    with ScriptedLLM(replies) as server:
        stop = LLM("judge", base_url=server.base_url, retries=0)
        brick = BeamSearch(Listed(WORDS), beam_width=1, max_hops=max_hops, stop=stop)
        items, entry = retrieve(brick, starting(star, "m0"), Subgraph(star))
        prompts = [request.body["messages"][-1]["content"] for request in server.requests]
    return ends(items), entry, prompts


def test_the_search_stops_when_the_model_says_yes(star: Graph) -> None:
    found, entry, prompts = stopping(star, ["NO", "Yes."])
    assert found == ["n0", "s"]
    assert len(prompts) == 2
    assert told(entry.events) == [("beam_search.enough", {"steps": 2})]
    assert entry.calls == 2
    assert "1. m0 <- r <- n0\n" in prompts[0]
    assert "2. m0 <- r <- n0 <- r <- s\n" in prompts[1]
    assert "Question: ?" in prompts[1]


def test_the_model_is_not_asked_after_the_last_step(star: Graph) -> None:
    found, entry, prompts = stopping(star, ["NO"])
    assert found == ["n0", "s", "n9"]
    assert (len(prompts), entry.events) == (2, [])
    assert stopping(star, ["YES"], max_hops=1)[2] == []


@pytest.mark.parametrize("nonsense", ["Perhaps", "I would say yes", "yesterday", "???", "nope"])
def test_a_reply_that_is_neither_is_an_event_and_the_search_goes_on(star: Graph, nonsense: str) -> None:
    found, entry, prompts = stopping(star, [nonsense])
    assert found == ["n0", "s", "n9"]
    assert len(prompts) == 2
    said = f"judge was asked whether the paths are enough and replied {nonsense!r}; the search went on"
    assert entry.events == [said, said]


@pytest.mark.parametrize(
    ("reply", "n_prompts"),
    [("**YES**", 1), ("<think>no, no</think>yes", 1), ("<think>yes</think>\n\nNO", 2), ("no.", 2)],
)
def test_replies_as_models_write_them(star: Graph, reply: str, n_prompts: int) -> None:
    _, entry, prompts = stopping(star, [reply])
    assert len(prompts) == n_prompts
    assert len(entry.events) == (n_prompts == 1)


def test_an_empty_reply_does_not_end_the_beam(star: Graph) -> None:
    found, entry, _ = stopping(star, ["", "yes"])
    assert found == ["n0", "s"]
    assert len(entry.events) == 3  # empty, unread, enough


# The constructor


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"beam_width": 0}, "beam_width must be a whole number of at least 1"),
        ({"beam_width": 2.0}, "beam_width must be a whole number"),
        ({"max_hops": 0}, "max_hops must be a whole number of at least 1"),
        ({"max_hops": 101}, "max_hops must be a whole number of at least 1 and at most 100"),
        ({"by": "node"}, "by must be one of 'path', 'triple'"),
        ({"keep": "first"}, "keep must be one of 'all', 'last'"),
        ({"cut": "median"}, "cut must be 'mean', a number of at least 0 and at most 100, or None, got"),
        ({"cut": -1}, "cut must be 'mean', a number of at least 0"),
        ({"cut": 100.5}, "cut must be 'mean', a number of at least 0 and at most 100"),
        ({"cut": True}, "cut must be 'mean', a number"),
        ({"cut": float("nan")}, "cut must be 'mean', a number"),
        ({"threshold": float("inf")}, "threshold must be a number"),
        ({"threshold": "0"}, "threshold must be a number"),
        ({"prefilter": "BM25"}, "prefilter must be a scorer"),
        ({"prefilter_n": 9}, "prefilter_n says how many candidates prefilter leaves; give prefilter too"),
        ({"prefilter": BM25(), "prefilter_n": 0}, "prefilter_n must be a whole number of at least 1"),
        ({"stop": BM25()}, "stop must be a chat model"),
        ({"direction": "up"}, "direction must be one of 'both', 'out', 'in'"),
        ({"cap": 0}, "cap must be a whole number of at least 1"),
    ],
)
def test_bad_parameters(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(PipelineError) as caught:
        BeamSearch(BM25(), **arguments)
    assert str(caught.value).startswith(f"BeamSearch {message}")


def test_a_scorer_is_needed() -> None:
    with fails(
        "parameter.not_allowed", PipelineError, brick="BeamSearch", name="scorer", value="8", example="MiniLM()"
    ):
        BeamSearch(8)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "brick",
    [
        BeamSearch(BM25()),
        BeamSearch(BM25(), beam_width=1, max_hops=2, by="triple", keep="last", cut="mean", direction="out"),
        BeamSearch(BM25(), cut=75, threshold=0.5, prefilter=BM25(b=0.5), prefilter_n=2, cap=3),
        BeamSearch(Measures(), direction="in"),
    ],
)
def test_the_contract(brick: BeamSearch) -> None:
    check_brick(brick, installed=False)
