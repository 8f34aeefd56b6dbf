from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from faults import fails
from onnx_models import write_cross_encoder, write_embedder

from graphbrick import LLM, Generate, Graph, PathAnswer, Run, parse, recipe
from graphbrick.core.errors import InputError, PipelineError, RecipeSyntaxError
from graphbrick.demo.graph import world_graph
from graphbrick.models.scorers.llm_scorer import LLMScorer
from graphbrick.models.vectors.store import VectorStore, store_of, using
from graphbrick.pipeline import Pipeline, Sequence, Stage, Union, execute
from graphbrick.recipes import Recipe, published
from graphbrick.testing import Request, ScriptedLLM

NAMES = [*map(str, range(1, 16)), "GRAG-M", *(f"P{i}" for i in range(21))]
QUERIES = ["E1", "E2"]  # tests/recipes/test_query_recipes.py
AGENTS = ["E3", "E4", "GRAPH-COT", "SEARCH-ON-GRAPH"]  # tests/recipes/test_agent_recipes.py
TEXT = [
    "GRAPHRAG-BASIC",
    "GRAPHRAG-LOCAL",
    "GRAPHRAG-GLOBAL",
    "GRAPHRAG-DRIFT",
    "LAZY",
    "LIGHTRAG-LOCAL",
    "LIGHTRAG-GLOBAL",
    "LIGHTRAG-HYBRID",
    "LIGHTRAG-NAIVE",
    "LIGHTRAG-MIX",
    "VANILLA",
    "MICHAEL",
    "MICHAEL-REPAIRED",
    "HIPPORAG2",
]  # tests/recipes/test_text_recipes.py
# tests/recipes/test_systems.py
SYSTEMS = ["ROG", "TOG", "GCR", "STRUCTGPT", "STRUCTGPT-ITERATIVE", "POG", "DOG", "KB-BINDER", "KELP", "GSR"]
# tests/recipes/test_variants.py
VARIANTS = [
    "TRIPLE", "DYNAMIC", "LLMS-R", "LLMS-ES", "EEMS-PF", "EEMS-S", "EEMS-R", "M-LLMS", "LLMS-E", "EEMS-S-OSAR",
    "ROG-PPR", "KELP-1HOP", "TOG-ST", "E1-TEXT", "E2-TEXT", "E4-TEXT",
]  # fmt: skip
PAPER = {"k": 1000, "PruneEdges": 64, "Rerank": 32}  # the sizes of the paper: max_ent, max_edge, top_k


def stages(pipeline: Pipeline) -> list[Stage]:
    """All stages of a pipeline, in order."""
    if isinstance(pipeline, Sequence):
        return [stage for part in pipeline.stages for stage in stages(part)]
    if isinstance(pipeline, Union):
        return [stage for part in pipeline.branches for stage in stages(part)]
    assert isinstance(pipeline, Stage)
    return [pipeline]


# The text


def test_there_are_all_37_and_the_agents() -> None:
    assert list(published()) == [*NAMES, *QUERIES, *AGENTS, *TEXT, *SYSTEMS, *VARIANTS]


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_a_recipe_is_its_pipeline(name: str) -> None:
    found = recipe(name)
    parts = dict.fromkeys(found.needs, "LLM('tuned')" if "tuned_llm" in found.parts else "MiniLM()")
    pipeline = found.pipeline(**parts)
    assert parse(repr(pipeline)) == pipeline
    assert found.uses_llm == ("LLM(" in repr(pipeline))
    assert isinstance(stages(pipeline)[-1], Generate if name == "GRAG-M" else PathAnswer)
    if not found.needs:
        assert parse(found.shown) == pipeline


@pytest.mark.parametrize("name", NAMES[:15])
def test_the_sizes_are_those_of_the_paper(name: str) -> None:
    by_name = {type(stage).__name__: stage for stage in stages(recipe(name).pipeline())}
    assert by_name["PPR"].k == 1000  # type: ignore[attr-defined]
    if "PruneEdges" in by_name:
        assert (by_name["PruneEdges"].n, by_name["PruneEdges"].by) == (64, "relation")  # type: ignore[attr-defined]
    if "BeamSearch" in by_name:
        beam = by_name["BeamSearch"]
        assert (beam.beam_width, beam.max_hops, beam.keep) == (8, 4, "all")  # type: ignore[attr-defined]
    else:
        kept = by_name.get("Rerank") or by_name["RandomSample"]
        assert (kept.n, by_name["ShortestPaths"].max_hops) == (32, 4)  # type: ignore[attr-defined]


# What the paper's table says of each instance: pruning by, retrieval, scored by.
TABLE = {
    "1": ("", "SPR", ""), "2": ("EEM", "OSAR", "EEM"), "3": ("EEM", "OSAR", "LLM"), "4": ("LLM", "OSAR", "EEM"),
    "5": ("LLM", "OSAR", "LLM"), "6": ("EEM", "ISAR", "EEM"), "7": ("EEM", "ISAR", "LLM"), "8": ("LLM", "ISAR", "EEM"),
    "9": ("LLM", "ISAR", "LLM"), "10": ("EEM", "SPR", ""), "11": ("LLM", "SPR", ""), "12": ("", "OSAR", "EEM"),
    "13": ("", "OSAR", "LLM"), "14": ("", "ISAR", "EEM"), "15": ("", "ISAR", "LLM"),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE)
def test_an_instance_is_what_the_table_of_the_paper_says(name: str) -> None:
    found = stages(recipe(name).pipeline())
    pruned = [stage for stage in found if type(stage).__name__ == "PruneEdges"]
    ranked = [stage for stage in found if type(stage).__name__ in ("Rerank", "BeamSearch")]

    def by(some: list[Any]) -> str:
        if not some:
            return ""
        return "LLM" if isinstance(some[-1].scorer, LLMScorer) else "EEM"

    names = {type(stage).__name__ for stage in found}
    retrieval = "ISAR" if "BeamSearch" in names else "OSAR" if "Rerank" in names else "SPR"
    assert (by(pruned), retrieval, by(ranked)) == TABLE[name]


def test_parts_are_set_by_brick_or_by_text() -> None:
    text = "PPR(k=1000) >> ShortestPaths() >> Rerank(BM25(), n=32) >> PathAnswer()"
    assert recipe(12).text(embedder="BM25()") == text
    assert recipe("p14").pipeline(tuned_llm=LLM("tuned")) == recipe("P14").pipeline(tuned_llm="LLM('tuned')")


@pytest.mark.parametrize(
    ("name", "parts", "code", "message"),
    [
        ("99", {}, "recipe.not_published", "there are 1 to 15, P0 to P20, GRAG-M, E1, E2, E3"),
        ("P5", {}, "recipe.needs_part", "tuned_embedder; set it to a model fine-tuned on the graph, such as Embedding"),
        (
            "KELP",
            {},
            "recipe.needs_part",
            "by graphbrick train towers, such as PathTowers('films.towers') (--set \"two_towers=PathTowers(",
        ),
        ("12", {"llm": "LLM()"}, "recipe.no_part", "'llm'; it has embedder, answer"),
        ("12", {"embedder": "LLM()"}, "parameter.not_allowed", "Rerank scorer must be a scorer"),
        ("12", {"answer": "PPR()"}, "join.wrong_level", "PPR needs a query"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, parts: dict[str, str], code: str, message: str) -> None:
    with fails(code, PipelineError) as caught:
        recipe(name).pipeline(**parts)
    assert message in str(caught.value)


def test_a_part_of_several_stages_stays_together() -> None:
    union = "ShortestPaths() | AllPaths(max_hops=1)"
    assert repr(recipe(12).pipeline(paths=union, embedder="BM25()")) == (
        f"PPR(k=1000) >> ({union}) >> Rerank(BM25(), n=32) >> PathAnswer()"
    )
    found = recipe("GRAG-M").pipeline(paths=parse(union), embedder="BM25()  # a remark")
    assert f"PPR(k=1000) >> ({union}) >> Rerank(BM25(), n=32) |" in repr(found)


def test_an_empty_part_is_refused() -> None:
    with fails("recipe.needs_part", PipelineError, part="embedder"):
        recipe(12).pipeline(embedder=" ")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ShortestPaths() >> Rerank($other)", "recipe.no_part_for_name"),
        ("RankEnds('a$ b')", "recipe.lone_dollar"),
    ],
)
def test_a_recipe_of_a_file_that_cannot_be_filled_is_an_error(text: str, code: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f'[parts]\nscorer = "BM25()"\n[recipes.mine]\npipeline = "{text}"\n', encoding="utf-8")
    with fails(code, PipelineError):
        recipe(str(file)).pipeline()


def test_parts_may_stand_in_braces(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    text = "ShortestPaths() >> Rerank(${scorer}, n=8)"
    file.write_text(f'[parts]\nscorer = "BM25()"\n[recipes.mine]\npipeline = "{text}"\n', encoding="utf-8")
    assert repr(recipe(str(file)).pipeline()) == "ShortestPaths() >> Rerank(BM25(), n=8)"


def test_a_recipe_file_whose_name_cannot_be_is_an_error() -> None:
    with fails("recipe.not_readable", InputError):
        recipe("a\0.toml")


def test_a_part_that_cannot_be_read_is_refused_by_itself() -> None:
    with pytest.raises(RecipeSyntaxError, match=r"there is no brick 'MinLM'; did you mean MiniLM\? \(at column 1\)"):
        recipe(12).pipeline(embedder="MinLM()")


# End to end


def says(request: Request) -> str:
    """A model that finds every second candidate useful, plans a path, and writes a report."""
    asked = request.prompt
    if "Candidates:" in asked:
        return ", ".join(re.findall(r"^([0-9]+)\. ", asked.split("Candidates:")[1], re.MULTILINE)[::2])
    if "Relations:" in asked:
        return "1\n1 > 2"
    return "A report\nof two lines." if "Triples:" in asked else "NOTHING"


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Small models, so that all recipes run in seconds; those of the recipes themselves run in ``make test-models``."""
    folder = tmp_path_factory.mktemp("models")
    table = {word: tuple(float(i == j) for j in range(8)) for i, word in enumerate(
        ("starred_actors", "directed_by", "release_year", "capital", "borders", "currency", "->", "<-"))}  # fmt: skip
    embedder = f"EmbeddingModel({str(write_embedder(folder / 'embedder', table).parent)!r}, '-> ', '-> ')"
    ones = {word: (float(i),) for i, word in enumerate(table)}
    reranker = f"CrossEncoder({str(write_cross_encoder(folder / 'reranker', ones).parent)!r})"
    with ScriptedLLM(says) as server:
        llm = f"LLM(base_url={server.base_url!r})"
        yield {
            "embedder": embedder,
            "reranker": reranker,
            "llm": llm,
            "tuned_embedder": embedder,
            "tuned_llm": llm,
            "answer": "PathAnswer()",
            "paths": "ShortestPaths()",
            "extract": "PPR(k=100)",
            "reports": f"PPR(k=100) >> CommunityReports({llm}, {embedder})",
        }


@pytest.fixture(scope="module")
def world(world_cache: Path) -> tuple[Graph, str, list[str]]:
    return world_graph(), "Which currency is used in the country whose capital is Nairobi?", ["Nairobi"]


@pytest.mark.whole
@pytest.mark.parametrize("name", NAMES)
def test_every_recipe_runs_end_to_end(name: str, parts: dict[str, str], world: tuple[Graph, str, list[str]]) -> None:
    graph, question, seeds = world
    found = recipe(name)
    pipeline = found.pipeline(**{part: parts[part] for part in found.parts})
    run = pipeline.run(graph, question, seeds=seeds)
    check_run(run, found)
    kept = [stage.n for stage in stages(pipeline) if stage.kind == "rerank"]  # type: ignore[attr-defined]
    assert run.evidence is not None
    if kept and name != "GRAG-M":
        assert len(run.evidence) <= kept[-1]
    assert [(item.identity, item.score) for item in run.evidence.paths] == [
        (item.identity, item.score)
        for item in pipeline.run(graph, question, seeds=seeds).evidence.paths  # type: ignore[union-attr]
    ]


def check_run(run: Run, found: Recipe) -> None:
    """What holds for a run of any recipe."""
    assert run.subgraph is not None
    assert run.evidence is not None
    assert run.answer is not None
    assert set(run.query.seeds) <= set(run.subgraph.nodes.tolist())  # type: ignore[union-attr]
    assert run.evidence.paths, found.name
    inside = set(run.subgraph.triples.tolist())  # type: ignore[union-attr]
    for path in run.evidence.paths:
        assert path.start in run.query.seeds
        assert found.name == "GRAG-M" or inside.issuperset(path.triples)
        assert 1 <= path.hops <= 4
    assert ("reports" in run.evidence.counts()) == (found.name == "GRAG-M")
    asked = sum(stage.tokens_out for stage in run.trace.stages)
    assert bool(asked) == found.uses_llm, "only a language model writes tokens"
    assert not [event for event in run.trace.events if "could not be read" in event or "names" in event]


@pytest.mark.whole
def test_reports_reach_the_model_and_the_answer(world: tuple[Graph, str, list[str]], parts: dict[str, str]) -> None:
    graph, question, seeds = world
    with ScriptedLLM(lambda request: "Kenyan shilling" if "Reports" in request.prompt else says(request)) as server:
        given = {**parts, "llm": f"LLM(base_url={server.base_url!r})"}
        found = recipe("GRAG-M")
        run = found.pipeline(**{part: given[part] for part in found.parts}).run(graph, question, seeds=seeds)
        assert re.search(r"^\d+\. A report of two lines\.$", server.requests[-1].prompt, re.MULTILINE)
    assert run.answer is not None
    assert run.answer.texts == ("Kenyan shilling",)


@pytest.mark.whole
@pytest.mark.parametrize("name", ["2", "12", "14"])
def test_kept_vectors_give_the_same_paths_as_new_ones(name: str, world: tuple[Graph, str, list[str]]) -> None:
    graph, question, seeds = world
    text = recipe(name).text().replace("PPR(k=1000)", "PPR(k=20)")  # a model embeds a few hundred texts a second
    pipeline = parse(text)
    store = store_of(graph)
    first, kept = (pipeline.run(graph, question, seeds=seeds) for _ in range(2))
    assert sum(stage.cache_hits for stage in kept.trace.stages) > 50
    assert all(stage.calls <= 4 for stage in kept.trace.stages)  # the question, at each step
    store.flush()
    reread = VectorStore(store.folder)
    with using(reread):
        from_disk = execute(pipeline, Run(graph, first.query, linked=True))
    with using(None):
        anew = execute(pipeline, Run(graph, first.query, linked=True))
    assert sum(stage.cache_hits for stage in anew.trace.stages) == 0
    for run in (kept, from_disk, anew):
        assert run.evidence is not None
        assert first.evidence is not None
        assert [(item.identity, item.score) for item in run.evidence.paths] == [
            (item.identity, item.score) for item in first.evidence.paths
        ]
