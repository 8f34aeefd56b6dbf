from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from onnx_models import write_cross_encoder, write_embedder
from use_files import write_use

from graphbrick import (
    BM25,
    LLM,
    PPR,
    AllPaths,
    Answer,
    BeamSearch,
    EmbeddingModel,
    EnoughPaths,
    Evidence,
    Expand,
    Generate,
    KHop,
    LinkLabels,
    NGram,
    PageRank,
    PatternHops,
    Patterns,
    PruneEdges,
    PruneNodes,
    PruneTriples,
    Query,
    RandomSample,
    RandomWalk,
    Rerank,
    ShortestPaths,
)
from graphbrick.core import Path, Subgraph
from graphbrick.core.errors import LinkError, PipelineError
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import fact
from graphbrick.embedders import use
from graphbrick.evaluate.datasets import Question
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import (
    ExtractStage,
    GenerateStage,
    Level,
    LinkStage,
    PruneStage,
    RerankStage,
    RetrieveStage,
    Stage,
)
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.catalog import all_bricks
from graphbrick.scorers.scorer import Scorer
from graphbrick.testing import Request, ScriptedLLM, check_brick, tiny_graph
from graphbrick.train import train_patterns


def says(request: Request) -> str:
    """A model that chooses the candidates with a currency, whatever their order, and answers everything else alike."""
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
        "PatternScorer": {"model": str(folder / "made.patterns")},
        "WordAlignment": {"embedder": EmbeddingModel(**embedder)},
        "CrossEncoder": {"model": str(write_cross_encoder(folder / "reranker", table).parent)},
        "LLMEmbedder": {"base_url": server.base_url},
        "LearnedSizer": {"path": str(folder / "sizes.json")},
    }


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


# Bricks that break one rule each. The names of the rules are in the messages that are asserted below.


@dataclass(repr=False)
class Melting(ExtractStage):
    """Not frozen."""

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        return Subgraph(graph)


class Undeclared(ExtractStage):
    """No dataclass at all."""

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        return Subgraph(graph)


@dataclass(frozen=True)
class Chatty(PPR):
    """Prints every parameter.

    Args:
        k: Entities.
        restart: Probability.
        direction: Direction.
        tolerance: Bound.
    """


@dataclass(frozen=True, repr=False, eq=False)
class Lonely(PPR):
    """Equals nothing but itself.

    Args:
        k: Entities.
        restart: Probability.
        direction: Direction.
        tolerance: Bound.
    """

    __eq__ = object.__eq__


@dataclass(frozen=True, repr=False)
class Listed(ExtractStage):
    """Holds a list.

    Args:
        hops: Numbers.
    """

    hops: list[int] = field(default_factory=list)

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        return Subgraph(graph)


@dataclass(frozen=True, repr=False)
class Unpicklable(ExtractStage):
    """Cannot be sent to another process."""

    def __reduce__(self) -> str:
        raise TypeError("stays here")

    def __copy__(self) -> Unpicklable:
        return Unpicklable()

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        return Subgraph(graph)


@dataclass(frozen=True, repr=False)
class Undocumented(ExtractStage):
    def extract(self, graph: Graph, query: Query) -> Subgraph:
        return Subgraph(graph)


@dataclass(frozen=True, repr=False)
class HalfDocumented(ExtractStage):
    """Says what one of its parameters is.

    Args:
        k: Entities.
    """

    k: int = 1
    radius: float = 0.5

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        return Subgraph(graph)


@dataclass(frozen=True, repr=False)
class Unreadable(ExtractStage):
    """Has a parameter that is no literal.

    Args:
        ids: Entity ids.
    """

    ids: frozenset[int] = frozenset({1})

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        return Subgraph(graph)


@dataclass(frozen=True, repr=False)
class Credulous(ExtractStage):
    """Takes anything.

    Args:
        k: Entities.
    """

    k: int = 1

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        return Subgraph(graph)


@dataclass(frozen=True, repr=False)
class Infinite(Credulous):
    """Takes any float that is not below 0, and thereby what is no number.

    Args:
        k: Entities.
        radius: How far.
    """

    k: int = parameter(1, at_least=1)
    radius: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.radius, float) or self.radius <= 0:
            raise PipelineError("Infinite radius must be at least 0; try 1.0")


@dataclass(frozen=True, repr=False)
class Crashing(Credulous):
    """Fails on nonsense with an error of Python.

    Args:
        k: Entities.
    """

    def __post_init__(self) -> None:
        if self.k < 1:
            raise PipelineError("Crashing k must be at least 1; try 10")


@dataclass(frozen=True, repr=False)
class Vague(Credulous):
    """Refuses without a name.

    Args:
        k: Entities.
    """

    def __post_init__(self) -> None:
        if not isinstance(self.k, int):
            raise PipelineError("wrong")


@dataclass(frozen=True, repr=False)
class NumberlessName(ExtractStage):
    """Takes any name.

    Args:
        name: A text, or nothing.
    """

    name: str | None = None

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        return Subgraph(graph)


Score = Callable[[str, Sequence[str]], Any]


def scorer(score: Score) -> Scorer:
    @dataclass(frozen=True, repr=False)
    class Broken(Scorer):
        """A broken scorer."""

        def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
            return score(query, texts)  # type: ignore[no-any-return]

    return publish(Broken)


def stage(kind: type[Stage], method: Callable[..., Any]) -> Stage:
    """A stage of a kind whose one method is given."""
    broken = type("Broken", (kind,), {kind.kind: method, "__doc__": "A broken stage."})
    return publish(dataclass(frozen=True, repr=False)(broken))


def publish(kind: type[Any]) -> Any:
    """An instance of a class that pickle finds, so that not this is what the contract finds wrong."""
    kind.__module__, kind.__qualname__ = __name__, "Broken"
    globals()["Broken"] = kind
    return kind()


def random_scores(query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
    return np.random.default_rng().random(len(texts))


def place_scores(query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
    return np.arange(len(texts), dtype=np.float64)


def sorting(query: str, texts: list[str]) -> npt.NDArray[np.float64]:
    texts.sort()
    return np.zeros(len(texts))


def undefined_for_nothing(query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
    return np.array([len(text) / max(map(len, texts)) for text in texts]) if max(map(len, texts)) else np.zeros(1)


def ids(*values: int) -> npt.NDArray[np.int32]:
    return np.array(values, dtype=np.int32)


EMPTY = ids()


def path_of(query: Query, subgraph: Subgraph) -> Path | None:
    """A right path, to be spoilt."""
    found = ShortestPaths().retrieve(query, subgraph).items
    return found[0] if found else None


def spoilt(**changes: Any) -> Callable[..., Evidence]:
    def retrieve(self: object, query: Query, subgraph: Subgraph) -> Evidence:
        path = path_of(query, subgraph)
        return Evidence((replace(path, **changes),) if path else ())

    return retrieve


def flipped(self: object, query: Query, subgraph: Subgraph) -> Evidence:
    path = path_of(query, subgraph)
    return Evidence((replace(path, forward=tuple(not way for way in path.forward)),) if path else ())


def outside(self: object, query: Query, subgraph: Subgraph) -> Evidence:
    return ShortestPaths().retrieve(query, Subgraph(subgraph.graph))


def backwards(self: object, query: Query, subgraph: Subgraph) -> Evidence:
    path = path_of(query, subgraph)
    if path is None:
        return Evidence()
    ways = tuple(not way for way in path.forward[::-1])
    return Evidence((replace(path, nodes=path.nodes[::-1], triples=path.triples[::-1], forward=ways),))


def twice(self: object, query: Query, subgraph: Subgraph) -> Evidence:
    return Evidence(ShortestPaths().retrieve(query, subgraph).items * 2)


class Toggle:
    """Another truth at each call."""

    on = False

    def __call__(self) -> bool:
        self.on = not self.on
        return self.on


toggle = Toggle()


def spoil_input(self: object, query: Query, subgraph: Subgraph) -> Subgraph:
    if subgraph.nodes is not None and len(subgraph.nodes):
        subgraph.nodes[0] += 1
    return subgraph


def write_into_graph(self: object, graph: Graph, query: Query) -> Subgraph:
    (graph.path / "notes.txt").write_text("I was here" if toggle() else "and here")
    return Subgraph(graph)


def uncoded_trace(self: object, graph: Graph, query: Query) -> Subgraph:
    fact(error_bound=np.float32(0.5))
    return Subgraph(graph)


def own_answer(*answers: tuple[str, int | None]) -> Callable[..., Answer]:
    def generate(self: object, query: Query, evidence: Evidence) -> Answer:
        return Answer(tuple(a for a, _ in answers), tuple(e for _, e in answers)) if evidence.items else Answer()

    return generate


EXTRACT, PRUNE, RETRIEVE, RERANK = ExtractStage, PruneStage, RetrieveStage, RerankStage
BROKEN: list[tuple[Callable[[], Brick], str]] = [
    (Melting, "Melting(): is no frozen dataclass"),
    (Undeclared, "Undeclared: is no frozen dataclass"),
    (Chatty, "has a repr of its own"),
    (Lonely, "does not equal its copy"),
    (Listed, "hash() raised TypeError"),
    (Unpicklable, "pickling raised TypeError: stays here"),
    (Undocumented, "has no docstring"),
    (HalfDocumented, "does not say in the Args of its docstring what these are: radius"),
    (lambda: Unreadable(frozenset({2})), "reading its repr raised RecipeSyntaxError"),
    (Credulous, "k='a lot' is not refused; declare it with graphbrick.core.parameters.parameter"),
    (Infinite, "radius=nan is not refused"),
    (Crashing, "k='a lot' raises TypeError, not PipelineError"),
    (Vague, "the refusal of k='a lot' does not name the parameter: wrong"),
    (NumberlessName, "name=b'bytes' is not refused"),
    # Scorers
    (lambda: scorer(lambda query, texts: [0.0] * len(texts)), "must give float64 [5], got [0.0"),
    (lambda: scorer(lambda query, texts: np.zeros(len(texts), np.float32)), "must give float64 [5]"),
    (lambda: scorer(lambda query, texts: np.zeros(3)), "must give float64 [5]"),
    (lambda: scorer(lambda query, texts: np.full(len(texts), np.nan)), "scores must be finite"),
    (lambda: scorer(random_scores), "differs the second time"),
    (lambda: scorer(place_scores), "scores depend on the order of the texts"),
    (lambda: scorer(sorting), "changed the list of texts"),
    (lambda: scorer(undefined_for_nothing), "0 texts) raised ValueError"),
    # Link
    (lambda: stage(LinkStage, lambda self, graph, query: (1,)), "link with a question: a link stage gives a Query"),
    (lambda: stage(LinkStage, lambda self, graph, query: Query("else", (1,))), "the text or the id of the query"),
    (lambda: stage(LinkStage, lambda self, graph, query: replace(query, seeds=(1, 1))), "seeds are not distinct"),
    (lambda: stage(LinkStage, lambda self, graph, query: replace(query, seeds=(99,))), "seed 99 is not in the graph"),
    (lambda: stage(LinkStage, lambda self, graph, query: query.seeds[0]), "raised IndexError"),
    # Extract and prune
    (lambda: stage(EXTRACT, lambda self, graph, query: query.seeds), "a Subgraph is expected, got (2,)"),
    (lambda: stage(EXTRACT, lambda self, graph, query: Subgraph(graph, EMPTY, EMPTY)), "seed 2 was dropped"),
    (
        lambda: stage(EXTRACT, lambda self, graph, query: Subgraph(graph, ids(0, 2, 1), EMPTY)),
        "nodes must be ascending and distinct, got [0, 2, 1]",
    ),
    (
        lambda: stage(EXTRACT, lambda self, graph, query: Subgraph(graph, np.arange(4), EMPTY)),
        "nodes must be int32 [n]",
    ),
    (lambda: stage(EXTRACT, lambda self, graph, query: Subgraph(graph, ids(2, 99), EMPTY)), "node 99 is not in"),
    (lambda: stage(EXTRACT, lambda self, graph, query: Subgraph(graph, ids(2), ids(99))), "triple 99 is not in"),
    (
        lambda: stage(EXTRACT, lambda self, graph, query: Subgraph(graph, ids(2), ids(1))),
        "a triple from node 0 to 2 has an end that is not among the nodes [2]",
    ),
    (lambda: stage(EXTRACT, lambda self, graph, query: 1 / len(query.seeds) and Subgraph(graph)), "no seed raised"),
    (
        lambda: stage(EXTRACT, lambda self, graph, query: PPR(k=2 + toggle()).extract(graph, query)),
        "gives another result the second time; break ties by id",
    ),
    (lambda: stage(EXTRACT, write_into_graph), "changed its input"),
    (lambda: stage(EXTRACT, uncoded_trace), "writing its trace as JSON"),
    (lambda: stage(PRUNE, spoil_input), "prune with a part of the graph changed its input; copy what you change"),
    (lambda: stage(PRUNE, lambda self, query, subgraph: Subgraph(subgraph.graph)), "the whole graph came back"),
    (
        lambda: stage(PRUNE, lambda self, query, subgraph: PPR(k=9).extract(subgraph.graph, query)),
        "it holds nodes or triples that were not in the subgraph given",
    ),
    (lambda: stage(PRUNE, lambda self, query, given: Subgraph(given.graph, EMPTY, EMPTY)), "was dropped"),
    (
        lambda: stage(PRUNE, lambda self, query, given: given if given.n_nodes else given.nodes[0]),
        "prune with an empty subgraph raised IndexError",
    ),
    # Retrieve
    (lambda: stage(RETRIEVE, lambda self, query, subgraph: []), "a retrieve stage gives Evidence, got []"),
    (lambda: stage(RETRIEVE, spoilt(triples=(99,))), "triple 99 is not in the graph"),
    (lambda: stage(RETRIEVE, spoilt(triples=(5,))), "triple 5 goes from node"),
    (lambda: stage(RETRIEVE, spoilt(forward=())), "has n + 1 nodes and n directions"),
    (lambda: stage(RETRIEVE, spoilt(nodes=(2,), triples=(), forward=())), "a path of n triples, at least one"),
    (lambda: stage(RETRIEVE, flipped), "takes it from"),
    (lambda: stage(RETRIEVE, outside), "leaves the subgraph"),
    (lambda: stage(RETRIEVE, backwards), "a path does not start at a seed"),
    (lambda: stage(RETRIEVE, twice), "results must be distinct"),
    (
        lambda: stage(RETRIEVE, lambda self, query, given: Evidence() if given.local(query.seeds)[0] else 0),
        "raised IndexError",
    ),
    # Rerank
    (lambda: stage(RERANK, lambda self, query, evidence: list(evidence.items)), "a rerank stage gives Evidence"),
    (
        lambda: stage(RERANK, lambda self, query, given: Evidence(given.items[:1] or given.items[0])),
        "with empty evidence raised",
    ),
    (lambda: stage(RERANK, lambda self, query, evidence: Evidence(evidence.items * 2)), "results must be distinct"),
    (
        lambda: stage(
            RERANK,
            lambda self, query, evidence: Evidence(tuple(p.with_score(float(toggle())) for p in evidence.items)),
        ),
        "gives another result the second time",
    ),
    # Generate
    (lambda: stage(GenerateStage, lambda self, query, evidence: "Kenya"), "a generate stage gives an Answer"),
    (lambda: stage(GenerateStage, lambda self, query, evidence: Answer(("a", "b"), (1,))), "2 texts but 1 entities"),
    (lambda: stage(GenerateStage, lambda self, query, evidence: Answer(("a",), (1,))), "there is no evidence, yet"),
    (lambda: stage(GenerateStage, own_answer(("Kenya", 0), ("Kenia", 0))), "results must be distinct, got [0, 0]"),
    (lambda: stage(GenerateStage, own_answer(("Mars", None), ("Mars", None))), "results must be distinct"),
    (lambda: stage(GenerateStage, own_answer(("Kenya", 99))), "entity 99 is not in the graph"),
]


@pytest.mark.parametrize(("make", "message"), BROKEN, ids=[message for _, message in BROKEN])
def test_a_broken_brick_is_caught(make: Callable[[], Brick], message: str) -> None:
    brick = make()
    with pytest.raises(AssertionError) as caught:
        check_brick(brick, installed=False)
    assert message in str(caught.value)


@dataclass(frozen=True, repr=False)
class Whole(ExtractStage):
    """The whole graph."""

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        return Subgraph(graph)


@dataclass(frozen=True, repr=False)
class Reversed(RerankStage):
    """The ``n`` last paths.

    Args:
        n: Paths kept, at least 1.
        scorer: Not used.
    """

    n: int = parameter(2, at_least=1)
    scorer: Scorer = parameter(BM25())

    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        return Evidence(evidence.items[::-1][: self.n])


@dataclass(frozen=True, repr=False)
class Greedy(Reversed):
    """All paths, whatever ``n``.

    Args:
        n: Paths kept, at least 1.
        scorer: Not used.
    """

    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        return evidence


@dataclass(frozen=True, repr=False)
class Resigned(LinkStage):
    """Finds nothing, ever."""

    def link(self, graph: Graph, query: Query) -> Query:
        raise LinkError("nothing found")


@dataclass(frozen=True, repr=False)
class Homeless(Stage):
    """Of no kind."""

    kind = "magic"
    _accepts = frozenset({Level.QUERY})
    _gives = Level.SUBGRAPH


@pytest.mark.parametrize("brick", [Whole(), Reversed(), Reversed(n=5, scorer=BM25(b=0.5)), Resigned()])
def test_a_right_brick_of_a_third_party_passes(brick: Brick) -> None:
    check_brick(brick, installed=False)


def test_a_brick_without_entry_point_is_told_how_to_declare_one() -> None:
    with pytest.raises(AssertionError, match="cannot be read from recipe text by name") as caught:
        check_brick(Whole())
    assert '[project.entry-points."graphbrick.bricks"] Whole = ' in str(caught.value)


def test_keeping_more_than_n_is_caught() -> None:
    with pytest.raises(AssertionError, match="items were kept, more than n=2"):
        check_brick(Greedy(), installed=False)


def test_a_stage_of_no_kind_is_caught() -> None:
    with pytest.raises(AssertionError, match="of the kind 'magic'; derive it from one of link, extract, expand, prune"):
        check_brick(Homeless(), installed=False)


def test_a_name_taken_by_another_class_is_caught() -> None:
    @dataclass(frozen=True, repr=False)
    class PathAnswer(GenerateStage):
        """Has the name of a brick there is."""

        def generate(self, query: Query, evidence: Evidence) -> Answer:
            return Answer()

    PathAnswer.__qualname__ = "Impostor"
    globals()["Impostor"] = PathAnswer
    with pytest.raises(AssertionError, match="cannot be read from recipe text by name"):
        check_brick(PathAnswer())
