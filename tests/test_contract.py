"""Every brick of the package keeps the contract."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Any

import pytest
from grammar_texts import texts_of
from onnx_models import write_cross_encoder, write_embedder
from use_files import write_use

from graphbrick import (
    BM25,
    LLM,
    PPR,
    AllPaths,
    BeamSearch,
    EmbeddingModel,
    EnoughPaths,
    Expand,
    Generate,
    KHop,
    LinkLabels,
    NGram,
    Operators,
    PageRank,
    Passages,
    PatternHops,
    Patterns,
    PruneEdges,
    PruneNodes,
    PruneTriples,
    RandomSample,
    RandomWalk,
    Rerank,
    ShortestPaths,
)
from graphbrick.graphs.communities import find_communities, keep_communities
from graphbrick.learn.train.patterns.patterns import train_patterns
from graphbrick.learn.train.patterns.relation_writer import train_writer
from graphbrick.learn.train.patterns.towers import train_towers
from graphbrick.models.embedders import use
from graphbrick.models.embedders.distilling import distil
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.catalog import all_bricks
from graphbrick.questions.question import Question
from graphbrick.testing import Request, ScriptedLLM, check_brick, tiny_graph
from graphbrick.testing.cases import contract_graph
from graphbrick.text.reporting.prepare import prepare_reports


def says(request: Request) -> str:
    """A model that chooses the candidates with a currency, whatever their order, and answers everything else alike."""
    if "grammar" in request.body:
        return texts_of(request.body["grammar"])[0]
    if request.prompt.endswith("Names in the text:"):
        return '{"names": ["Nairobi", "the country"]}'
    listed = re.findall(r"^([0-9]+)\. (.*currency.*)$", request.prompt, re.MULTILINE)
    if "Candidates:" in request.prompt and listed:
        return ", ".join(number for number, text in sorted(listed, key=lambda entry: entry[1]))
    return "1. Kenyan shilling\n2. Atlantean crown\n- kenyan shilling"


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedLLM]:
    with ScriptedLLM(says) as running:
        yield running


@pytest.fixture(scope="module")
def parts(server: ScriptedLLM, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What bricks are made of here, by parameter."""
    folder = tmp_path_factory.mktemp("models")
    table = {"kenya": (1.0, 0.0), "currency": (0.0, 1.0)}
    # With prefixes that the model knows, so that no vector is zero.
    embedder = {
        "model": str(write_embedder(folder / "embedder", table).parent),
        "query_prefix": "kenya ",
        "text_prefix": "currency ",
    }
    asked = [Question("1", "Which currency is used in Kenya?", ("Kenya",), ("Kenyan shilling",))]
    train_patterns(tiny_graph(), asked, folder / "made.patterns", embedder=EmbeddingModel(**embedder), rounds=1)
    train_towers(tiny_graph(), asked, folder / "made.towers", embedder=EmbeddingModel(**embedder), epochs=1)
    train_writer(tiny_graph(), asked, folder / "made.writer", embedder=EmbeddingModel(**embedder), epochs=1)
    distil(EmbeddingModel(**embedder), folder / "made.static")
    return {
        "scorer": BM25(),
        "other": NGram(),
        "llm": LLM(base_url=server.base_url),
        "patterns": Patterns(BM25()),
        "classifier": PatternHops(BM25()),
        "one": ShortestPaths(max_hops=1),
        "more": BeamSearch(BM25()),
        "stage": Expand() >> ShortestPaths(),
        "until": EnoughPaths(n=2),
        "EmbeddingModel": embedder,
        "FewTexts": {"scorer": EmbeddingModel(**embedder)},
        "StaticEmbedder": {"model": str(folder / "made.static")},
        "PatternScorer": {"model": str(folder / "made.patterns")},
        "PathTowers": {"model": str(folder / "made.towers")},
        "WrittenRelations": {"model": str(folder / "made.writer")},
        "WordAlignment": {"embedder": EmbeddingModel(**embedder)},
        "CrossEncoder": {"model": str(write_cross_encoder(folder / "reranker", table).parent)},
        "LLMEmbedder": {"base_url": server.base_url},
        "LocalSearch": {"embedder": EmbeddingModel(**embedder)},
        "KeywordSearch": {"embedder": EmbeddingModel(**embedder), "llm": LLM(base_url=server.base_url)},
        "Facts": {"embedder": EmbeddingModel(**embedder)},
        "Points": {"by": BM25()},
        "Drift": {"llm": LLM(base_url=server.base_url), "embedder": EmbeddingModel(**embedder)},
        "RelevanceSearch": {"embedder": EmbeddingModel(**embedder), "test": BM25()},
        "PassageRank": {"embedder": EmbeddingModel(**embedder)},
        "Overview": {"search": Passages()},
        "Records": {"operators": Operators(Patterns(BM25())), "search": Passages()},
        "FromFile": {"file": str(folder / "openie.jsonl")},
        "LearnedSizer": {"path": str(folder / "sizes.json")},
    }


@pytest.fixture(scope="module", autouse=True)
def reports() -> None:
    """Reports beside the graph of the contract, for the stages that read them."""
    graph = contract_graph()
    keep_communities(graph, find_communities(graph), {})
    prepare_reports(graph)


@pytest.mark.parametrize("name", list(all_bricks()))
def test_every_brick_keeps_the_contract(
    name: str, parts: dict[str, Any], tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "USE":  # its weights are fetched, so small ones stand in for them
        write_use(tmp_path)
        monkeypatch.setattr(use, "resolve", lambda name: tmp_path)
    brick = all_bricks()[name]
    needed = [parameter.name for parameter in brick.parameters() if parameter.default is None]
    check_brick(brick(**parts.get(name, {part: parts[part] for part in needed if part in parts})))


@pytest.mark.parametrize(
    "brick",
    [
        PPR(k=2, restart=0.5, direction="out"),
        PPR(k=3, direction="in"),
        ShortestPaths(max_hops=1, direction="in"),
        ShortestPaths(cap=2),
        Rerank(BM25(k1=0.0, b=0.0), n=1),
        Rerank(BM25(), by="pattern"),
        BM25(k1=0.0),
        LinkLabels(min_score=0.01),
        PPR(k=1, seeds="each"),
        PageRank(k=2, max_hops=1, seeds="each"),
        KHop(max_hops=1, cap=2, seeds="each"),
        RandomWalk(walks=3, length=2, restart=0.5, direction="out"),
        PruneNodes(BM25(), n=1, connected=True),
        PruneNodes(BM25(), n=None, threshold=0.1),
        PruneEdges(BM25(), n=2, by="triple", connected=True),
        PruneTriples(BM25(), n=1, threshold=0.0, connected=True),
        ShortestPaths(keep="one"),
        AllPaths(max_hops=2, direction="out", cap=3),
        BeamSearch(BM25(), beam_width=2, by="triple", keep="last", cut="mean"),
        BeamSearch(NGram(), beam_width=1, cut=50.0, threshold=0.0, prefilter=BM25(), prefilter_n=2, cap=3),
        Rerank(BM25(), n=2, threshold=0.0),
        RandomSample(n=2, seed=7),
    ],
)
def test_other_parameters_keep_the_contract_too(brick: Brick) -> None:
    check_brick(brick)


def test_model_was_asked_the_question_about_paths(server: ScriptedLLM) -> None:
    asked = len(server.requests)
    check_brick(Generate(LLM(base_url=server.base_url)))
    assert len(server.requests) > asked
    assert "Nairobi <- capital <- Kenya" in server.requests[-1].body["messages"][1]["content"]
