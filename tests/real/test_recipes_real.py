"""Every published recipe end to end, with real models. ``pytest -s`` shows the answers and what each run took.

The instances of LEGO-GraphRAG and their variants, which extract a subgraph and choose paths in it, are asked a question
about a small corner of MetaQA, and the instances also one about the world graph, where prompts are long. Agents,
queries and published systems are asked about MetaQA, recipes for text about a novella. KELP and GSR have to be trained
first: `tests/recipes/test_systems.py` does both.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from graphbrick import LLM, CrossEncoder, Generate, Graph, LocalLLM, MiniLM, Pipeline, parse
from graphbrick.bricks.retrieve.documents.community_reports import CommunityReports
from graphbrick.bricks.retrieve.paths.beam_search import BeamSearch
from graphbrick.bricks.retrieve.patterns.planned_paths import PlannedPaths
from graphbrick.core import Subgraph
from graphbrick.core.trace import StageTrace
from graphbrick.graphs.corpus import TextGraph
from graphbrick.pipeline import RerankStage, Sequence, Union
from graphbrick.pipeline.run import Run
from graphbrick.recipes import Recipe, published
from graphbrick.text.exchange.graphrag.importing import import_graphrag

pytestmark = pytest.mark.models

# Instances end in a part that answers from paths. Two need a model of embeddings, or one that was trained.
PATHS = [name for name, one in published().items() if {"answer", "paths", "extract"} & set(one.parts)]
INSTANCES = [name for name in PATHS if name.isdigit() or name.removeprefix("P").isdigit() or name == "GRAG-M"]
VARIANTS = [name for name in PATHS if name not in INSTANCES and "llm_embedder" not in published()[name].parts]
TEXT = [name for name, one in published().items() if one.group == "graphs from text"]
OTHERS = [name for name in published() if name not in {*PATHS, *TEXT, "KELP", "GSR", "LLMS-E"}]
# Where the language model writes the answer too; elsewhere paths answer, as recipes have it.
GENERATED = ("12", "13", "GRAG-M")


@dataclass(frozen=True)
class Asked:
    """A question about a graph, with the labels of its answers."""

    graph: Graph
    question: str
    answers: frozenset[str]


@pytest.fixture(scope="session")
def films(metaqa: Graph) -> Asked:
    """A two-hop question of the dev set, whose seed reaches seven entities in all."""
    directors = frozenset({"Andrew Theopolis", "John Alan Schwartz", "Susumu Saegusa"})
    return Asked(metaqa, "who directed the movies acted by James B. Schwartz", directors)


@pytest.fixture(scope="session")
def countries(world: Graph) -> Asked:
    """A question whose seed lies, as most do, in the one large component."""
    question = "Which currency is used in the country whose capital is Nairobi?"
    return Asked(world, question, frozenset({"Kenyan shilling"}))


@pytest.fixture(scope="session")
def novella(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> TextGraph:
    """Passages, entities and reports on a story, as Microsoft GraphRAG made them."""
    source = data_dir / "graphrag_dulce"
    if not source.is_dir():
        pytest.skip("no graphrag_dulce in the data folder")
    return import_graphrag(source, tmp_path_factory.mktemp("dulce") / "dulce.graph").graph


def parts_of(recipe: Recipe, llm: LLM, reranker: CrossEncoder) -> dict[str, str]:
    """The parts of a recipe: models that were not tuned stand for those that were."""
    models = {"embedder": MiniLM(), "tuned_embedder": MiniLM(), "reranker": reranker, "llm": llm, "tuned_llm": llm}
    models |= {"writer": llm, "sampling_llm": llm, "grammar_llm": LocalLLM("qwen2.5-coder-0.5b", max_tokens=256)}
    parts = {name: repr(model) for name, model in models.items()}
    parts["reports"] = f"PPR(k=1000) >> CommunityReports({llm!r}, MiniLM())"  # nothing is prepared beside the graphs
    return {name: text for name, text in parts.items() if name in recipe.parts}


def text_for_films(recipe: Recipe, llm: LLM, reranker: CrossEncoder) -> str:
    """The text of a recipe for the question about films."""
    parts = parts_of(recipe, llm, reranker)
    is_written = recipe.name in GENERATED and "answer" in recipe.parts
    return recipe.text(**parts | ({"answer": repr(Generate(llm))} if is_written else {}))


@cache
def run_text(text: str, graph: Graph, question: str) -> Run:
    """The run of a pipeline: with these parts, several recipes have the same text."""
    return parse(text).run(graph, question)


def most_items(pipeline: Pipeline, seeds: int) -> int:
    """How many paths and reports a recipe may give at most."""
    if isinstance(pipeline, Union):
        return sum(most_items(branch, seeds) for branch in pipeline.branches)
    for stage in reversed(pipeline.stages if isinstance(pipeline, Sequence) else (pipeline,)):
        if isinstance(stage, Union):
            return most_items(stage, seeds)
        if isinstance(stage, RerankStage | CommunityReports):
            return int(stage.n)
        if isinstance(stage, BeamSearch):
            return (stage.beam_width or stage.cap) * stage.max_hops * seeds  # without a width, a threshold prunes
        if isinstance(stage, PlannedPaths):
            return stage.cap
    raise AssertionError(f"nothing in {pipeline!r} says how many paths there may be")


def check(run: Run, pipeline: Pipeline) -> None:
    """What holds for every recipe, whatever the models say."""
    assert run.evidence is not None
    assert run.answer is not None
    assert run.query.seeds
    subgraph = Subgraph(run.graph) if run.subgraph is None else run.subgraph  # some recipes walk the whole graph
    assert subgraph.n_nodes > 0
    assert len(subgraph.local(run.query.seeds)) == len(run.query.seeds)
    assert len(run.evidence) <= most_items(pipeline, len(run.query.seeds))
    for path in run.evidence.paths:
        assert path.start in run.query.seeds
        assert within(path.nodes, path.triples, subgraph), path
    for report in [item for item in run.evidence.items if item.kind == "report"]:
        assert within(report.entities, (), subgraph)
    answers = list(zip(run.answer.texts, run.answer.entities, strict=True))
    assert len(set(answers)) == len(answers)  # two entities may have one label
    for entry in run.trace.stages:
        if "LLM(" in entry.stage and entry.kind != "union":
            check_calls(entry)
    assert not [event for event in run.trace.events if "did not report the tokens" in event]


def within(nodes: tuple[int, ...], triples: tuple[int, ...], subgraph: Subgraph) -> bool:
    """Whether nodes and triples are those of a subgraph."""
    if subgraph.nodes is None or subgraph.triples is None:
        return max(nodes, default=0) < subgraph.graph.n_entities
    return set(nodes) <= set(subgraph.nodes.tolist()) and set(triples) <= set(subgraph.triples.tolist())


def check_calls(entry: StageTrace) -> None:
    """A stage over a language model called it, unless there was nothing to ask about."""
    given = {name: count for name, count in entry.counts_in.items() if name != "nodes"}
    # An earlier stage may have kept triples of which none is at a seed.
    if not any(given.values()) or entry.facts.get("candidates") == 0:
        assert entry.tokens_out == 0
        return
    assert entry.calls > 0, entry
    assert entry.tokens_in > 0, entry
    assert entry.tokens_out > 0, entry  # only a language model writes


def show(name: str, run: Run) -> None:
    """What a run took, what it answered, and what happened."""
    assert run.evidence is not None
    assert run.answer is not None
    stages = [stage for _, stage in run.trace.walk()]
    tokens_in = sum(stage.tokens_in for stage in stages if stage.tokens_out)
    tokens_out = sum(stage.tokens_out for stage in stages)
    lines = [
        f"{name}: {run.trace.seconds:.1f} s, LLM tokens {tokens_in} in {tokens_out} out, {len(run.evidence)} items, "
        f"answers {run.answer.texts[:5]}",
        *(f"    {stage.kind}: {event}" for stage in stages for event in stage.events),
    ]
    sys.stdout.write("\n" + "\n".join(lines) + "\n")


@pytest.mark.parametrize("name", [*INSTANCES, *VARIANTS])
def test_a_corner_of_metaqa(name: str, films: Asked, llm: LLM, reranker: CrossEncoder) -> None:
    recipe = published()[name]
    text = text_for_films(recipe, llm, reranker)
    run = run_text(text, films.graph, films.question)
    show(f"MetaQA, recipe {name}", run)
    check(run, parse(text))
    if not recipe.uses_llm:
        assert run.evidence  # nothing but a language model can choose no path at all


@pytest.mark.parametrize("name", INSTANCES)
def test_the_world(name: str, countries: Asked, llm: LLM, reranker: CrossEncoder) -> None:
    recipe = published()[name]
    text = recipe.text(**parts_of(recipe, llm, reranker))
    run = run_text(text, countries.graph, countries.question)
    show(f"world, recipe {name}", run)
    check(run, parse(text))
    if not recipe.uses_llm:
        assert run.evidence


@pytest.mark.parametrize("name", OTHERS)
def test_agents_queries_and_systems(name: str, films: Asked, llm: LLM, reranker: CrossEncoder) -> None:
    recipe = published()[name]
    run = run_text(recipe.text(**parts_of(recipe, llm, reranker)), films.graph, films.question)
    show(f"MetaQA, recipe {name}", run)
    check_others(run)
    for path in run.evidence.paths if run.evidence else ():
        assert set(path.triples) <= set(range(films.graph.n_triples))


@pytest.mark.shared
@pytest.mark.parametrize("name", TEXT)
def test_a_novella(name: str, novella: TextGraph, llm: LLM, reranker: CrossEncoder) -> None:
    recipe = published()[name]
    text = recipe.text(**parts_of(recipe, llm, reranker))
    run = run_text(text, novella, "What does the squad do at the base?")
    show(f"novella, recipe {name}", run)
    check_others(run)
    assert run.evidence is not None
    assert {item.kind for item in run.evidence.items} <= {"passage", "entity", "triple", "report", "point"}


def check_others(run: Run) -> None:
    """What holds where a model decides what is looked at."""
    assert run.answer is not None
    spent = run.trace.ledger  # of all steps: an agent's calls are those of its steps
    assert spent["calls"] > 0
    assert spent["tokens_out"] > 0
    if run.evidence is not None and run.answer.support:
        assert all(0 <= at < len(run.answer.evidence.items) for places in run.answer.support for at in places)
    assert not [event for event in run.trace.events if "did not report the tokens" in event]


def ends(run: Run) -> set[str]:
    """The labels of the ends of all paths of the evidence."""
    assert run.evidence is not None
    return {path.graph.label(path.end) for path in run.evidence.paths}


@pytest.mark.parametrize("name", ["12", "13"])
def test_a_right_answer_is_among_the_evidence(
    name: str, films: Asked, countries: Asked, llm: LLM, reranker: CrossEncoder
) -> None:
    recipe = published()[name]
    assert ends(run_text(text_for_films(recipe, llm, reranker), films.graph, films.question)) & films.answers
    text = recipe.text(**parts_of(recipe, llm, reranker))
    assert ends(run_text(text, countries.graph, countries.question)) & countries.answers
