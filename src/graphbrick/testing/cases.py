"""Inputs that `check_brick` passes to a stage, and the checks of each result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from graphbrick.bricks.retrieve.paths.shortest_paths import ShortestPaths
from graphbrick.core import Answer, Citation, Evidence, Item, Passage, Path, Query, Row, Subgraph, Triple
from graphbrick.core.errors import LinkError
from graphbrick.core.files.digests import sha256
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.kernels.paths.induced import induced_triples
from graphbrick.pipeline import RerankStage, RetrieveStage, Stage
from graphbrick.pipeline.interpreter import execute
from graphbrick.pipeline.run import Run
from graphbrick.testing.graphs import TINY, lasting_folder

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
_ID = "contract"


class Case(NamedTuple):
    """One call of a stage's method.

    Attributes:
        title: Description of the input.
        arguments: The input.
        check: Returns what is wrong with a result; None if it is right.
    """

    title: str
    arguments: tuple[object, ...]
    check: Callable[[object], str | None]


@lru_cache(maxsize=1)
def contract_graph() -> Graph:
    """Return the tiny graph plus an entity without triples, in a folder that lasts as long as the process."""
    return build((*TINY, EntityRecord("Atlantis")), lasting_folder() / "contract.graph")


def plain(value: object) -> object:
    """Return a form of a value that == can compare; for a graph, the hash of every file."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, Graph):
        return {file.name: sha256(file) for file in sorted(value.path.iterdir())}
    if isinstance(value, Subgraph):
        ids = [None if array is None else (array.dtype.str, array.tolist()) for array in (value.nodes, value.triples)]
        return ids, plain(value.graph)
    if isinstance(value, Evidence):
        return tuple((item.kind, item.identity, item.text, item.score, item.source) for item in value.items)
    if isinstance(value, Answer):
        return value.texts, value.entities, value.support, value.from_model, plain(value.evidence)
    return str(value) if isinstance(value, LinkError) else value


# Inputs


def _query(*seeds: str) -> Query:
    return Query(QUESTION, seeds=tuple(contract_graph().entity(seed) for seed in seeds), id=_ID)


def _part(*names: str) -> Subgraph:
    graph = contract_graph()
    nodes = np.array(sorted(graph.entity(name) for name in names), dtype=np.int32)
    return Subgraph(graph, nodes, induced_triples(graph.csr.rows, nodes))


def _subgraphs() -> list[tuple[str, Query, Subgraph, bool]]:
    """Return title, query, subgraph, and whether there can be paths, for each case."""
    whole, part = Subgraph(contract_graph()), _part("Kenya", "Kenyan shilling", "Nairobi", "Rwanda")
    return [
        ("the whole graph", _query("Nairobi", "Rwanda"), whole, True),
        ("a part of the graph", _query("Nairobi"), part, True),
        ("a seed outside the subgraph", _query("Kampala"), part, False),
        ("a seed without triples", _query("Atlantis"), whole, False),
        ("no seed", _query(), part, False),
        ("an empty subgraph", _query("Nairobi"), _part(), False),
    ]


def _evidences() -> list[tuple[str, Evidence]]:
    paths = ShortestPaths(max_hops=3).retrieve(_query("Nairobi"), Subgraph(contract_graph()))
    graph = contract_graph()
    kenya, nairobi = graph.entity("Kenya"), graph.entity("Nairobi")
    mixed = (
        Passage("Nairobi is the capital of Kenya.", (Citation("atlas.txt", 0, 32),), (kenya, nairobi), graph),
        *paths.items[:2],
        Triple(graph, graph.triples_from(kenya)[0]),
        Row(("country", "capital"), ("Kenya", "Nairobi"), (Citation(query="MATCH ..."),), (kenya, nairobi), graph),
        Passage("Nothing about any entity.", (Citation("atlas.txt", 40, 65),)),
    )
    return [
        ("some paths", paths),
        ("one path", Evidence(paths.items[:1])),
        ("items of several kinds", Evidence(mixed)),
        ("empty evidence", Evidence()),
    ]


def _link_cases(stage: Stage) -> list[Case]:
    nothing = Query("And what is it?", id=_ID)
    return [
        Case("a question", (contract_graph(), _query()), partial(_wrong_query, query=_query())),
        Case("a question that names nothing", (contract_graph(), nothing), partial(_wrong_query, query=nothing)),
    ]


def _extract_cases(stage: Stage) -> list[Case]:
    seeds = {
        "a seed": ("Nairobi",),
        "seeds": ("Rwanda", "Kenya"),
        "a seed without triples": ("Atlantis",),
        "no seed": (),
    }
    queries = {title: _query(*names) for title, names in seeds.items()}
    whole = Subgraph(contract_graph())
    return [
        Case(title, (whole.graph, query), partial(_wrong_subgraph, query=query, subgraph=whole))
        for title, query in queries.items()
    ]


def _expand_cases(stage: Stage) -> list[Case]:
    return [
        Case(title, (query, subgraph), partial(_wrong_expansion, subgraph=subgraph))
        for title, query, subgraph, _ in _subgraphs()
    ]


def _prune_cases(stage: Stage) -> list[Case]:
    return [
        Case(title, (query, subgraph), partial(_wrong_subgraph, query=query, subgraph=subgraph))
        for title, query, subgraph, _ in _subgraphs()
    ]


def _retrieve_cases(stage: Stage) -> list[Case]:
    return [
        Case(
            title,
            (query, subgraph),
            partial(_wrong_retrieval, stage=stage, query=query, subgraph=subgraph, connected=connected),
        )
        for title, query, subgraph, connected in _subgraphs()
    ]


def _rerank_cases(stage: Stage) -> list[Case]:
    return [
        Case(title, (_query("Nairobi"), evidence), partial(_wrong_ranking, stage=stage, evidence=evidence))
        for title, evidence in _evidences()
    ]


def _generate_cases(stage: Stage) -> list[Case]:
    return [
        Case(title, (_query("Nairobi"), evidence), partial(_wrong_answer, evidence=evidence))
        for title, evidence in _evidences()
    ]


def carried(stage: Stage) -> Iterator[tuple[str, Evidence, Evidence]]:
    """Yield a title, and evidence before and after a stage: after it in a run, or inside it and after it.

    A rerank stage is run on evidence with a confidence and symmetric relations. A retrieve stage with another retrieve
    stage inside must pass on what that one says.
    """
    graph = contract_graph()
    if isinstance(stage, RerankStage):
        for title, evidence in _evidences():
            told = replace(evidence, confidence=0.5, symmetric=frozenset({"borders"}))
            before = Run(graph, _query("Nairobi"), linked=True, subgraph=Subgraph(graph), evidence=told)
            after = execute(stage, before).evidence
            assert after is not None
            yield title, told, after
    if isinstance(stage, RetrieveStage):
        for part in vars(stage).values():
            if isinstance(part, RetrieveStage):
                for title, query, subgraph, _ in _subgraphs():
                    yield title, part.retrieve(query, subgraph), stage.retrieve(query, subgraph)


CASES: Mapping[str, Callable[[Stage], list[Case]]] = {
    "link": _link_cases,
    "extract": _extract_cases,
    "expand": _expand_cases,
    "prune": _prune_cases,
    "retrieve": _retrieve_cases,
    "rerank": _rerank_cases,
    "generate": _generate_cases,
}
"""The cases of each kind of stage."""


# Checks: each returns what is wrong with a result, or None


def _wrong_query(result: object, query: Query) -> str | None:
    if isinstance(result, LinkError):
        return None
    if not isinstance(result, Query):
        return f"a link stage gives a Query, got {result!r}"
    if (result.text, result.id) != (query.text, query.id):
        return "the text or the id of the query was changed; use dataclasses.replace(query, seeds=...)"
    if len(set(result.seeds)) < len(result.seeds):
        return f"seeds are not distinct: {result.seeds}"
    return _outside(result.seeds, contract_graph().n_entities, "seed")


def _wrong_subgraph(result: object, query: Query, subgraph: Subgraph) -> str | None:
    if not isinstance(result, Subgraph):
        return f"a Subgraph is expected, got {result!r}"
    if result.nodes is None or result.triples is None:
        return None if subgraph.is_whole else "the whole graph came back for a part of it"
    wrong = _wrong_ids(result.nodes, "nodes") or _wrong_ids(result.triples, "triples")
    nodes, triples = set(result.nodes.tolist()), set(result.triples.tolist())
    wrong = wrong or _outside(nodes, subgraph.graph.n_entities, "node")
    wrong = wrong or _outside(triples, subgraph.graph.n_triples, "triple")
    if wrong:
        return wrong
    for head, _, tail in map(subgraph.graph.triple, triples):
        if not {head, tail} <= nodes:
            return f"a triple from node {head} to {tail} has an end that is not among the nodes {sorted(nodes)}"
    if not (len(subgraph.local(nodes)) == len(nodes) and _within(triples, subgraph)):
        return "it holds nodes or triples that were not in the subgraph given"
    lost = [seed for seed in query.seeds if subgraph.local([seed]) and seed not in nodes]
    return f"seed {lost[0]} was dropped; the seeds are always kept" if lost else None


def _wrong_expansion(result: object, subgraph: Subgraph) -> str | None:
    wrong = _wrong_subgraph(result, Query(QUESTION), Subgraph(subgraph.graph))
    if (
        wrong
        or not isinstance(result, Subgraph)
        or result.is_whole
        or subgraph.nodes is None
        or subgraph.triples is None
    ):
        return wrong
    lost = [node for node in subgraph.nodes.tolist() if not result.local([node])]
    if lost or not _within(set(subgraph.triples.tolist()), result):
        return "it lost nodes or triples of the subgraph given; an expand stage only adds"
    return None


def _wrong_retrieval(result: object, stage: Stage, query: Query, subgraph: Subgraph, connected: bool) -> str | None:
    if not isinstance(result, Evidence):
        return f"a retrieve stage gives Evidence, got {result!r}"
    inside = subgraph if not isinstance(stage, RetrieveStage) or stage.stays_inside else Subgraph(subgraph.graph)
    wrong = _first(_wrong_item(item, inside) for item in result.items)
    if wrong:
        return wrong
    if isinstance(stage, RetrieveStage) and stage.starts_at_seeds:
        if any(path.start not in query.seeds for path in result.paths):
            return "a path does not start at a seed; a stage whose paths start elsewhere sets starts_at_seeds = False"
        if result.paths and not connected:
            return f"there can be no path, got {result.paths[0]!r}"
    return _repeated([item.identity for item in result.items])


def _wrong_ranking(result: object, stage: Stage, evidence: Evidence) -> str | None:
    if not isinstance(result, Evidence):
        return f"a rerank stage gives Evidence, got {result!r}"
    if isinstance(stage, RerankStage) and stage.writes_items:
        wrong = _first(_wrong_item(item, Subgraph(contract_graph())) for item in result.items)
        if wrong:
            return wrong
        if result.items and not evidence.items:
            return f"there is no evidence to write from, yet the item {result.items[0]!r}"
    else:
        identities = {item.identity for item in evidence.items}
        strange = [item for item in result.items if item.identity not in identities]
        if strange:
            return (
                f"a rerank stage keeps a part of what it is given, but gave also {strange[0]!r}; a stage that writes "
                "items anew declares writes_items = True"
            )
    n = getattr(stage, "n", None)
    if isinstance(n, int) and len(result) > n:
        return f"{len(result)} items were kept, more than n={n}"
    return _repeated([item.identity for item in result.items])


def _wrong_answer(result: object, evidence: Evidence) -> str | None:
    if not isinstance(result, Answer):
        return f"a generate stage gives an Answer, got {result!r}"
    if len(result.texts) != len(result.entities):
        return f"there are {len(result.texts)} texts but {len(result.entities)} entities; an unknown one is None"
    if result.from_model and any(result.support):
        return "an answer from the model's own knowledge has no support; leave support empty, or from_model False"
    if result.texts and not evidence.items and not result.from_model:
        return (
            f"there is no evidence, yet the answer {result.texts[0]!r}; an answer from the model's own knowledge is "
            "flagged with from_model=True"
        )
    if result.support and len(result.support) != len(result.texts):
        return f"there are {len(result.texts)} texts but {len(result.support)} entries of support; leave none out"
    if any(not 0 <= place < len(result.evidence) for places in result.support for place in places):
        return "support names an item that is not in the evidence of the answer"
    known = [entity for entity in result.entities if entity is not None]
    wrong = _outside(known, contract_graph().n_entities, "entity")
    wrong = wrong or _repeated(known) or _repeated(list(zip(result.texts, result.entities, strict=True)))
    return wrong or _first(_wrong_item(item, Subgraph(contract_graph())) for item in result.evidence.items)


def _wrong_ids(ids: object, name: str) -> str | None:
    if not isinstance(ids, np.ndarray) or ids.dtype != np.int32 or ids.ndim != 1:
        return f"{name} must be int32 [n], got {ids!r}"
    return None if bool((np.diff(ids) > 0).all()) else f"{name} must be ascending and distinct, got {ids.tolist()}"


def _wrong_item(item: Item, subgraph: Subgraph) -> str | None:
    if (item.kind == "path") != isinstance(item, Path):
        return f"an item of the kind {item.kind!r} is a {type(item).__name__}; only a Path is of the kind 'path'"
    if item.with_score(item.score + 1) != item:
        return f"a {item.kind} with another score is not equal to it; declare the class with dataclass(eq=False)"
    if isinstance(item, Path):
        return _wrong_path(item, subgraph)
    if not item.text.strip():
        return f"a {item.kind} has no text"
    if item.entities and item.graph is None:
        return f"a {item.kind} speaks of entities but does not say of which graph"
    outside = [entity for entity in item.entities if not subgraph.local([entity])]
    return f"a {item.kind} speaks of entity {outside[0]}, which is not in the subgraph" if outside else None


def _wrong_path(path: Path, subgraph: Subgraph) -> str | None:
    if not len(path.nodes) - 1 == len(path.triples) == len(path.forward) or not path.triples:
        return (
            "a path of n triples, at least one, has n + 1 nodes and n directions, got nodes "
            f"{path.nodes}, triples {path.triples}, forward {path.forward}"
        )
    wrong = _outside(path.triples, subgraph.graph.n_triples, "triple")
    if wrong:
        return wrong
    for i, (triple, forward) in enumerate(zip(path.triples, path.forward, strict=True)):
        head, _, tail = subgraph.graph.triple(triple)
        if path.nodes[i : i + 2] != ((head, tail) if forward else (tail, head)):
            ends = " to ".join(map(str, path.nodes[i : i + 2]))
            return (
                f"triple {triple} goes from node {head} to {tail}; with forward={forward} no path takes it from {ends}"
            )
    inside = len(subgraph.local(path.nodes)) == len(path.nodes) and _within(path.triples, subgraph)
    return None if inside else f"{path!r} leaves the subgraph"


def _within(triples: Iterable[int], subgraph: Subgraph) -> bool:
    return subgraph.triples is None or set(triples) <= set(subgraph.triples.tolist())


def _outside(ids: Iterable[int], size: int, name: str) -> str | None:
    strange = [i for i in ids if not 0 <= i < size]
    return f"{name} {strange[0]} is not in the graph" if strange else None


def _repeated(values: Collection[object]) -> str | None:
    return None if len(set(values)) == len(values) else f"results must be distinct, got {values}"


def _first(messages: Iterable[str | None]) -> str | None:
    return next(filter(None, messages), None)
