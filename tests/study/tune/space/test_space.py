"""Search spaces: options, models and declared parameters."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from faults import fails

from graphbrick import Graph, parse
from graphbrick.core.errors import InputError, PipelineError
from graphbrick.models.indexes import vector_index
from graphbrick.study.tune.space.default_space import default_space, known_pipelines
from graphbrick.study.tune.space.space import Space, read_space, restricted
from graphbrick.testing import tiny_graph

SMALL = Space(
    {
        "extract": ("", "PPR(k=100, restart=0.2)"),
        "retrieve": ("ShortestPaths(keep='all')", "BeamSearch($scorer, by='path') | AllPaths(max_hops=2)"),
        "generate": ("PathAnswer()",),
    },
    {"scorer": ("BM25(k1=1.2, b=0.75)", "NGram()")},
)


def every(space: Space) -> set[str]:
    """Return all pipelines of a small space, by drawing often."""
    rng = random.Random(0)
    return {space.draw(lambda _, texts: rng.choice(list(texts))) for _ in range(700)}


def test_the_size_is_the_number_of_pipelines() -> None:
    space = restricted(SMALL, ["retrieve=ShortestPaths(keep='all')", "retrieve=AllPaths()"], [])
    assert len(every(space)) == space.size


def test_one_model_stands_in_all_places_of_an_option() -> None:
    models = {"scorer": ("BM25(k1=1.2, b=0.75)", "NGram(size=3)")}
    space = Space({"prune": ("PruneTriples($scorer) | PruneTriples($scorer)",)}, models)
    texts = every(space)
    assert {text.count("BM25") for text in texts} == {text.count("NGram") for text in texts} == {0, 2}
    assert len(texts) == space.size == 2 * 3 * 3


def test_unions_are_drawn_as_often_as_one_option() -> None:
    unions = tuple(f"PPR(k={k}) | KHop()" for k in (50, 60, 70, 80))
    space = Space({"extract": ("", "PageRank()", *unions)}, {})
    rng = random.Random(0)
    drawn = [space.draw(lambda _, texts: rng.choice(list(texts))) for _ in range(600)]
    assert 150 < sum("|" in text for text in drawn) < 250
    assert all(any(union[:8] in text for text in drawn) for union in unions)
    assert len({space.draw(choose) for choose in space.one_by_one()}) == 3
    assert len({space.draw(choose) for choose in space.one_by_one(every=True)}) == 6
    with pytest.raises(PipelineError, match="kk"):
        replace(space, stages={"extract": (*unions, "PPR(kk=1) | KHop()")}).check()


@pytest.mark.whole
def test_given_parameters_stay_and_others_are_drawn_from_declared_values() -> None:
    texts = every(SMALL)
    assert all("PPR(k=100, restart=0.2, seeds=" in text for text in texts if "PPR" in text)
    assert {text.count(" >> ") for text in texts} == {1, 2}  # without and with PPR
    assert any("(BeamSearch(" in text and "| AllPaths(max_hops=2))" in text for text in texts)
    assert all(parse(text) for text in texts)


@pytest.mark.whole
def test_values_that_a_brick_refuses_are_never_drawn() -> None:
    # prefilter_n may differ from its default only where there is a prefilter.
    space = Space({"retrieve": ("BeamSearch(BM25(k1=1.2, b=0.75))",), "generate": ("PathAnswer()",)}, {})
    assert all(parse(text) for text in every(space))
    filtered = restricted(space, ["retrieve=BeamSearch(BM25(k1=1.2, b=0.75), prefilter=NGram(size=3))"], [])
    assert filtered.size == 2 * space.size


@pytest.mark.parametrize(
    ("stages", "models", "code", "values"),
    [
        ({"retrieve": ("Rerank($missing)",)}, {}, "space.no_model", {"model": "missing"}),
        ({"fetch": ("PPR()",)}, {}, "space.unknown_stage", {"stage": "fetch"}),
        ({"retrieve": ()}, {}, "space.stage_without_options", {"stage": "retrieve"}),
        ({"retrieve": ("",)}, {}, "space.no_stage", {}),
    ],
)
def test_a_space_that_cannot_be_searched_says_why(
    stages: dict[str, tuple[str, ...]], models: dict[str, tuple[str, ...]], code: str, values: dict[str, object]
) -> None:
    with fails(code, **values):
        Space(stages, models).check()


def test_an_option_that_is_no_recipe_text_is_an_error() -> None:
    with fails("space.not_a_pipeline", reason="space.not_a_recipe"):
        Space({"retrieve": ("ShortestPaths(",)}, {}).check()
    with fails("space.not_a_pipeline", reason="catalog.no_brick"):
        Space({"retrieve": ("ShortestPath()",)}, {}).check()


def test_every_model_is_read_before_the_search() -> None:
    with fails("space.not_a_pipeline", reason="recipe.no_brick"):
        Space({"retrieve": ("BeamSearch($scorer)",)}, {"scorer": ("NGram()", "BM26()")}).check()


def test_a_file_replaces_stages_and_models(tmp_path: Path) -> None:
    file = tmp_path / "space.toml"
    file.write_text('[stages]\nextract = ["PPR(k=300)"]\nprune = ["", "PruneEdges($scorer)"]\n', encoding="utf-8")
    space = read_space(file, SMALL)
    assert list(space.stages) == ["extract", "prune", "retrieve", "generate"]
    assert space.stages["extract"] == ("PPR(k=300)",)
    assert space.models == SMALL.models


@pytest.mark.parametrize(
    "text", ["extract = 1", "[stages]\nfetch = ['PPR()']", "[stages]\nextract = []", "[other]", "[[["]
)
def test_a_file_of_another_form_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    file = tmp_path / "space.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"space\.toml"):
        read_space(file, SMALL)


def test_bricks_can_be_left_out() -> None:
    left = restricted(SMALL, [], ["BeamSearch", "NGram"])
    assert left.stages["retrieve"] == ("ShortestPaths(keep='all')",)
    assert left.models["scorer"] == ("BM25(k1=1.2, b=0.75)",)
    whole = default_space(tiny_graph())
    assert any(option.startswith("VectorNeighbors(") for option in whole.stages["extract"])
    encoded = restricted(whole, [], ["MiniLM"])  # which VectorNeighbors has by default
    assert encoded.models == {"scorer": ("BM25()",)}
    assert not any("VectorNeighbors" in option for option in encoded.stages["extract"])
    assert "BeamSearch($scorer)" in encoded.stages["retrieve"]
    encoded.check()
    with fails("space.nothing_left", stage="retrieve"):
        restricted(restricted(SMALL, ["retrieve=BeamSearch($scorer)"], []), [], ["BM25", "NGram"])
    with fails("space.nothing_left", stage="generate"):
        restricted(SMALL, [], ["PathAnswer"])
    with fails("space.bad_only"):
        restricted(SMALL, ["PPR()"], [])


@pytest.mark.whole
def test_the_default_space_holds_what_runs_on_the_graph() -> None:
    graph: Graph = tiny_graph()
    space = default_space(graph)
    space.check()
    assert {"PPR()", "KHop()", "RandomWalk()"} <= set(space.stages["extract"])
    assert not any("llm" in option for options in space.stages.values() for option in options)
    assert not any("Passage" in option for option in space.stages["retrieve"])
    unions = [option for options in space.stages.values() for option in options if "|" in option]
    assert {"KHop() | PPR()", "ShortestPaths() | BeamSearch($scorer)"} <= set(unions)
    rng = random.Random(0)
    drawn = [space.draw(lambda _, texts: rng.choice(list(texts))) for _ in range(200)]
    assert 20 < sum("|" in text for text in drawn) < 80
    assert len(list(space.one_by_one())) < 30
    with_model = default_space(graph, llm="LLM('some')", link=True)
    assert "Generate($llm)" in with_model.stages["generate"]
    assert with_model.stages["link"][-1] == "LinkLabels()"


def test_an_index_that_takes_long_to_make_is_advice_and_no_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "_IN_PASSING", 8)  # of 8 entities and more triples
    graph = tiny_graph()
    space = default_space(graph)
    assert [one for one in space.stages["extract"] if one.startswith("VectorNeighbors(") and "|" not in one] == [
        "VectorNeighbors(unit='entity')"
    ]
    learn, _, triples = space.advice  # the second one is about reports
    assert learn.startswith(f"graphbrick learn {graph.path} ")
    assert triples.startswith(f"graphbrick prepare vectors {graph.path} --model 'MiniLM()' --triples ")
    assert restricted(space, [], []).advice == space.advice


def test_known_pipelines_begin_with_the_default_and_call_no_model_that_is_not_there() -> None:
    known = known_pipelines(tiny_graph(), default=parse("ShortestPaths() >> PathAnswer()"))
    assert next(iter(known)) == "default"
    assert {"recipe 1", "recipe 12, few texts", "recipe 14, few texts"} <= known.keys()
    assert "Rerank(FewTexts(MiniLM()), n=32)" in known["recipe 12, few texts"]
    assert not any("LLM" in text for text in known.values())
