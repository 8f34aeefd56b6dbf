"""Seeds, answers and distances in graphs small enough to check by hand, and distances set against a plain search."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from faults import fails
from hypothesis import given
from hypothesis import strategies as st

from graphbrick import Graph, build
from graphbrick.bricks.link.labels import resolve_seeds
from graphbrick.core import Query
from graphbrick.core.csr import from_sorted
from graphbrick.core.errors import InputError, LinkError
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.kernels.paths.distances import hop_distances_python
from graphbrick.questions.grounding import ground
from graphbrick.questions.nearest import nearest_hops
from graphbrick.questions.question import Question
from graphbrick.study.metrics.answers import text_scores
from graphbrick.testing import tiny_graph


@given(
    triples=st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11), st.integers(0, 1)), max_size=20),
    sources=st.sets(st.integers(0, 12), max_size=3),
    targets=st.sets(st.integers(0, 12), max_size=3),
    max_hops=st.integers(1, 6),
)
def test_distances_equal_those_of_a_search_over_the_whole_graph(triples, sources, targets, max_hops):
    columns = np.array(sorted(triples), dtype=np.int32).reshape(-1, 3).T
    csr = from_sorted(13, *(np.ascontiguousarray(column) for column in columns))
    ends = [np.array(sorted(some), dtype=np.int32) for some in (sources, targets)]
    away = hop_distances_python(csr, sorted(sources))
    within = [away[target] for target in targets if 0 <= away[target] <= max_hops]
    assert nearest_hops(csr, *ends, max_hops) == min(within, default=None)


def test_the_triples_of_a_hub_are_not_looked_at_where_there_is_another_way(monkeypatch: pytest.MonkeyPatch) -> None:
    import graphbrick.kernels.paths.k_hop as kernels

    seen: list[float] = []
    real = kernels.k_hop

    def spied(*arguments):
        grown = real(*arguments)
        seen.append(len(grown[0]))
        return grown

    monkeypatch.setattr(kernels, "k_hop", spied)
    # 0 - 1 - 2 - 3 - 4, and 1 is a hub with a thousand others.
    pairs = sorted([(0, 1), (1, 2), (2, 3), (3, 4), *((1, leaf) for leaf in range(5, 1005))])
    head, tail = (np.array(column, dtype=np.int32) for column in zip(*pairs, strict=True))
    csr = from_sorted(1005, head, tail, np.zeros(len(head), dtype=np.int32))
    for start, end, hops in [(0, 4, 4), (4, 0, 4), (1, 4, 3), (4, 1, 3)]:
        assert nearest_hops(csr, np.array([start], dtype=np.int32), np.array([end], dtype=np.int32), 4) == hops
    assert max(seen) < 10


@pytest.fixture(scope="module")
def georgia(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    records = [
        EntityRecord("m.country", "Georgia", aliases=("Sakartvelo",)),
        EntityRecord("m.state", "Georgia", aliases=("Peach State", "GEORGIA")),
        EntityRecord("m.song", "georgia"),
        EntityRecord("m.film", "Sweet Georgia", aliases=("Georgia",)),
        EntityRecord("m.atlanta", "Atlanta"),
        ("m.state", "capital", "m.atlanta"),
        ("m.state", "borders", "m.florida"),
        ("m.country", "capital", "m.tbilisi"),
        ("m.tbilisi", "twin", "m.atlanta"),
        ("m.island", "in", "m.ocean"),
    ]
    return build(records, tmp_path_factory.mktemp("georgia") / "georgia.graph")


def test_a_key_before_a_label_and_all_entities_of_a_label(georgia: Graph) -> None:
    country, state, song = (georgia.entity(key) for key in ("m.country", "m.state", "m.song"))
    asked = Question("1", "?", ("Georgia", "m.country", "nowhere"), ("Georgia", "m.state", "GEORGIA", "georgia", "Oz"))
    (found,) = ground(georgia, [asked]).questions
    assert found.seeds == (state, country)  # the state has more triples
    assert found.gold == ((state, country), (state,), (state,), (song,), ())
    assert found.answers == (state, country, song)
    assert (found.missing_seeds, found.unclear_seeds, found.missing_answers) == (("nowhere",), ("Georgia",), ("Oz",))
    assert found.answerable
    assert found.distance == 0
    assert found.query() == Query("?", (state, country), "1")


def test_the_distance_is_that_of_the_seed_that_is_taken(georgia: Graph) -> None:
    (found,) = ground(georgia, [Question("1", "?", ("Georgia",), ("m.tbilisi",))]).questions
    assert found.distance == 2  # from the state; the country is next to it


def test_of_one_label_the_best_connected_comes_first(tmp_path: Path) -> None:
    names = [EntityRecord(key, label) for key, label in (("1", "A"), ("2", "A"), ("3", "B"), ("4", "B"), ("5", "C"))]
    graph = build(
        [*names, *((key, "rst"[i], "5") for key in "1234" for i in range(1 + (key in "23")))], tmp_path / "t.graph"
    )
    (found,) = ground(graph, [Question("1", "?", ("A", "B"))]).questions
    assert [graph.key(seed) for seed in found.seeds] == ["2", "3"]


@pytest.mark.parametrize("name", ["Georgia", "georgia", "GEORGIA", "gEORGIA", "Sakartvelo", "sweet georgia", "m.film"])
def test_a_seed_is_the_entity_that_a_pipeline_takes(georgia: Graph, name: str) -> None:
    (found,) = ground(georgia, [Question("1", "?", (name,))]).questions
    assert found.seeds == resolve_seeds(georgia, Query("?"), [name]).seeds


@given(st.text("GeorgiaSwt .", min_size=1, max_size=8))
def test_what_a_pipeline_does_not_find_is_missing(georgia: Graph, name: str) -> None:
    (found,) = ground(georgia, [Question("1", "?", (name,))]).questions
    try:
        assert found.seeds == resolve_seeds(georgia, Query("?"), [name]).seeds
    except LinkError:
        assert found.missing_seeds == (name,)


def test_the_texts_of_an_answer(georgia: Graph) -> None:
    asked = Question("1", "?", (), ("m.state", "m.ocean", "Oz"), (("Georgia (US)", "Georgia"), (), ()))
    (found,) = ground(georgia, [asked]).questions
    assert found.names == (("Georgia (US)", "Georgia", "Peach State", "GEORGIA"), ("m.ocean",), ("Oz",))


def test_nothing_is_left_out(georgia: Graph) -> None:
    asked = [
        Question("there", "?", ("m.state",), ("Atlanta", "m.florida"), hops=1, dataset="a"),
        Question("two hops", "?", ("m.tbilisi",), ("m.state", "Oz"), hops=2, dataset="a"),
        Question("not connected", "?", ("m.state",), ("m.ocean",), hops=2, dataset="a"),
        Question("no seed", "?", (), ("m.ocean",), dataset="b"),
        Question("lost seed", "?", ("Oz",), ("m.ocean",), dataset="b"),
        Question("one seed", "?", ("Oz", "Atlanta"), ("Atlanta",), dataset="b"),
        Question("lost answer", "?", ("m.state",), ("Oz",), dataset="b"),
        Question("secret", "?", ("m.state",), dataset="b"),
        Question("unclear", "?", ("m.atlanta",), ("Georgia",), dataset="b"),
    ]
    seen: list[float] = []
    grounded = ground(georgia, asked, max_hops=2, progress=lambda step, done, total: seen.append(done))
    assert [found.question for found in grounded.questions] == asked
    assert [found.distance for found in grounded.questions] == [1, 2, None, None, None, 0, None, None, 1]
    assert seen == [*range(1, 10)]
    assert grounded.questions[3].query() == Query("?", (), "no seed")  # which the linker finds
    with fails("question.no_seed", LinkError, question="lost seed"):
        grounded.questions[4].query()
    report = grounded.report()
    assert report.to_dict() == {
        "questions": 9,
        "answerable": 7,
        "seeds": {"all": 6, "some": 1, "none": 1, "not given": 1},
        "answers": {"all": 6, "some": 1, "none": 1, "without gold": 1},
        "distance": {"0": 1, "1": 2, "2": 1, "further": 1, "no seed": 2, "no answer": 2},
        "unclear_seeds": 0,
        "unclear_answers": 1,
        "max_hops": 2,
    }
    assert str(report).splitlines() == [
        "9 questions",
        "seeds      6 all found, 1 some found, 1 none found, 1 not given",
        "answers    6 all in the graph, 1 some in the graph, 1 none, 1 without gold",
        "distance   1 of 0 hops, 2 of 1 hop, 1 of 2 hops, 1 further than 2 hops, 2 no seed, 2 no answer",
        "unclear    0 by a seed, 1 by an answer whose label several entities have",
    ]
    assert {name: len(part) for name, part in grounded.split("hops").items()} == {"1": 1, "2": 2, "": 6}
    assert grounded.split("dataset")["a"].report().distance["further"] == 1
    with fails("questions.no_group", InputError, group="level"):
        grounded.split("level")


def test_no_questions_at_all() -> None:
    report = ground(tiny_graph(), []).report()
    assert (report.questions, report.answerable) == (0, 0)
    assert str(report) == "0 questions"


@pytest.mark.parametrize("hops", [0, -1, 2.0, True, "2"])
def test_a_distance_that_is_none(hops) -> None:
    with fails("ground.bad_max_hops", InputError):
        ground(tiny_graph(), [], max_hops=hops)


def test_in_a_graph_that_was_changed(tmp_path: Path) -> None:
    build([("a", "r", "b"), ("b", "r", "c"), ("x", "r", "y")], tmp_path / "g.graph")
    asked = [
        Question("1", "?", ("a",), ("c",)),
        Question("2", "?", ("a",), ("new",)),
        Question("3", "?", ("x",), ("y",)),
    ]
    before = ground(Graph.open(tmp_path / "g.graph"), asked)
    after = ground(change(tmp_path / "g.graph", add=[("a", "s", "new")], delete=[("x", "r", "y")]).graph, asked)
    assert [found.distance for found in before.questions] == [2, None, 1]
    assert [found.distance for found in after.questions] == [2, 1, None]
    assert before.graph_hash != after.graph_hash


def test_an_answer_as_the_file_spells_it_is_one_of_its_names(tmp_path: Path) -> None:
    graph = build([("Brasil", "city", "Sao Paulo")], tmp_path / "g.graph")
    asked = [
        Question("1", "?", ("Brasil",), ("São Paulo",)),
        Question("2", "?", ("Brasil",), ("Sao Paulo",)),
        Question("3", "?", ("Brasil",), ("São Paulo",), answer_names=(("the largest city",),)),
    ]
    names = [found.names for found in ground(graph, asked).questions]
    assert names == [(("São Paulo", "Sao Paulo"),), (("Sao Paulo",),), (("the largest city", "Sao Paulo"),)]
    assert text_scores(["São Paulo"], names[0]).hits_at_1 == 1
