"""Instances 1, 2, 12 and 14 by the code that the authors of LEGO-GraphRAG released, and by the recipes here.

    python benchmarks/beside_released.py RELEASED GRAPH QUESTIONS ... [--limit 50] [--instance 12 ...] [--side recipe]

RELEASED is a checkout of the public repository gzy02/LEGO-GraphRAG; nothing of it is kept here. Without it the script
says so and ends. It also needs igraph and tqdm. QUESTIONS are files that ``graphbrick.questions.load`` reads; seeds are
given. Every side of every instance runs in a process of its own, over the same graph and questions.

What is mended, from outside, because the released modules do not run as they are:

- ``Instance/SE_PPR.py`` is a script that reads files of the authors' machine when it is imported: only its functions
  are taken. The graph is handed over, in place of the file of the authors.
- ``sentence_transformers``, ``torch``, ``transformers``, ``rank_bm25``, ``nltk``, ``psutil``: stand-ins. The model that
  the code wants on a GPU is replaced by the MiniLM that the recipes use, with the same rounding, so that both sides
  have the same vectors.
- Packages are found without their ``__init__``, which import modules that need a language model's client.

Sides: "recipe" is the recipe as it stands, which walks both ways and keeps all shortest paths; "as released" has the
direction and the single path an entity of the released code, and a tolerance of .001, as the default of .1 leaves some
entities at the end of the list in another order; "all shortest" also has every shortest path. Subgraphs are the
entities that have a score: the released code fills them up to 1,000 with others, which no walk from the seeds reaches
("of all 1,000"). Paths are compared as texts, the best 32 of instances 2 and 12 and all of the others, without paths of
no hop, which the released code lists. F1 is that of `PathAnswer` over the first 32 paths of either side, as no language
model answers here. Seconds are of the processor, a question, with and without the embedder; peak memory is that of the
process, with the graph and the model.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time
import types
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from pathlib import Path as File
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick import Evidence, Graph, MiniLM, PathAnswer, RandomSample, parse, recipe
from graphbrick import questions as datasets
from graphbrick.core.path import Path
from graphbrick.questions.grounding import GroundedQuestion, ground
from graphbrick.study.metrics.sets import answer_scores

INSTANCES = ("1", "2", "12", "14")
SIDES = ("recipe", "as released", "all shortest")
KEPT, NODES, RELATIONS = 32, 1000, 64
MODULES = ("utils", "retrieval", "pre_retrieval", "post_retrieval")
PPR_OUT, ONE, ALL = (
    "PPR(k=1000, direction='out', tolerance=0.001)",
    "ShortestPaths(keep='one', direction='out', cap=1000000)",
    "ShortestPaths(direction='out', cap=1000000)",
)
EDGES, RANKED = "PruneEdges(MiniLM(), n=64)", "Rerank(MiniLM(), n=32)"
CLOSE = {
    "1": (f"{PPR_OUT} >> {ONE}", f"{PPR_OUT} >> {ALL}"),
    "2": (f"{PPR_OUT} >> {EDGES} >> {ONE} >> {RANKED}", f"{PPR_OUT} >> {EDGES} >> {ALL} >> {RANKED}"),
    "12": (f"{PPR_OUT} >> {ONE} >> {RANKED}", f"{PPR_OUT} >> {ALL} >> {RANKED}"),
    "14": (f"{PPR_OUT} >> BeamSearch(MiniLM(), direction='out')",),
}
HEAD = (
    "| instance | side | subgraphs equal | Jaccard | of all 1,000 | paths equal | recall of the released | precision "
    "| F1 | released | s CPU | released | without embedder | released | texts | released | peak MB | released |"
)


class Found(NamedTuple):
    """One question on one side: names of the subgraph, those with a score, path texts, and what it took."""

    nodes: frozenset[str]
    reached: frozenset[str]
    paths: tuple[str, ...]
    seconds: float
    embedding: float
    texts: int
    f1: float = 0.0


class Side(NamedTuple):
    """All questions on one side, and the peak memory of its process in MB."""

    found: list[Found]
    peak: float


class Embedding:
    """Counts the seconds of the processor and the texts of MiniLM while it is in place."""

    def __init__(self) -> None:
        self.seconds, self.texts = 0.0, 0
        encode = MiniLM.encode

        def counted(model: MiniLM, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            start = time.process_time()
            vectors = encode(model, texts)
            self.seconds += time.process_time() - start
            self.texts += len(texts)
            return vectors

        MiniLM.encode = counted  # type: ignore[method-assign,assignment]


def stand_ins() -> None:
    """Put modules in place of those that the released code imports and does not need here."""

    class SentenceTransformer:
        def __init__(self, *_: object, **__: object) -> None:
            self.model = MiniLM()

        def eval(self) -> None:
            """Do nothing: the model is always ready."""

        def encode(self, sentences: str | Sequence[str], **_: object) -> npt.NDArray[np.float32]:
            texts = [sentences] if isinstance(sentences, str) else list(sentences)
            vectors: npt.NDArray[np.float32] = self.model.made(texts).astype(np.float32)
            return vectors[0] if isinstance(sentences, str) else vectors

    made: dict[str, dict[str, object]] = {
        "sentence_transformers": {"SentenceTransformer": SentenceTransformer},
        "torch": {"no_grad": nullcontext, "cuda": types.SimpleNamespace(empty_cache=lambda: None)},
        "transformers": {"AutoModelForSequenceClassification": None, "AutoTokenizer": None},
        "rank_bm25": {"BM25Okapi": None},
        "nltk": {},
        "nltk.tokenize": {"word_tokenize": str.split},
        "psutil": {},
    }
    for name, members in made.items():
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(members)


def released_modules(folder: File) -> tuple[Any, Callable[..., dict[Any, float]]]:
    """Import the released modules; returns them by name, and the function of PageRank."""
    import importlib

    import igraph

    stand_ins()
    sys.path.insert(0, str(folder))
    for name in MODULES:
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [str(folder / name)]
    names = {
        "tools": "utils.Tools",
        "query": "utils.Query",
        "shortest": "retrieval.RetrievalModuleLevelA",
        "beam": "retrieval.RetrievalModuleLevelB",
        "edges": "pre_retrieval.PreRetrievalModuleLevelB",
        "rank": "post_retrieval.PostRetrievalModuleLevelB",
    }
    modules = types.SimpleNamespace(**{short: importlib.import_module(name) for short, name in names.items()})
    script = ast.parse((folder / "SE_PPR.py").read_text(encoding="utf-8"))
    script.body = [part for part in script.body if isinstance(part, ast.FunctionDef)]
    space: dict[str, Any] = {"ig": igraph, "List": list}
    exec(compile(script, "SE_PPR.py", "exec"), space)
    return modules, space["personalized_pagerank"]


def whole_graph(graph: Graph) -> Any:
    """Return the graph as the released code holds it: keys as names, labels beside them, relations on the edges."""
    import igraph

    csr = graph.csr
    heads = np.repeat(np.arange(csr.n_nodes), csr.out_degrees())
    made = igraph.Graph(directed=True)
    made.add_vertices([graph.key(node) for node in range(csr.n_nodes)])
    made.vs["label"] = [graph.label(node) for node in range(csr.n_nodes)]
    made.add_edges(np.column_stack([heads, csr.tail]).tolist())
    made.es["name"] = [graph.relation_label(int(relation)) for relation in csr.relation]
    return made


def triples_of(graph: Any, named: str) -> list[list[str]]:
    return [[graph.vs[e.source][named], e["name"], graph.vs[e.target][named]] for e in graph.es]


def run_released(folder: File, place: File, instance: str, questions: Sequence[GroundedQuestion]) -> Side:
    """Run an instance by the released modules, in this process."""
    code, pagerank = released_modules(folder)
    graph = Graph.open(place)
    whole = whole_graph(graph)
    embedding = Embedding()
    edges = code.edges.PreRetrievalModuleEdge(window=RELATIONS, semantic_type="EMB") if instance == "2" else None
    if instance == "14":
        retrieve = code.beam.RetrievalModuleSemanticModel(semantic_type="EMB")
    else:
        retrieve = code.shortest.RetrievalModuleDij()
    rank = code.rank.PostRetrievalModuleSemanticModel(semantic_type="EMB", window=-1)

    def one(question: GroundedQuestion) -> Found:
        start, before, texts = time.process_time(), embedding.seconds, embedding.texts
        scores = pagerank(whole, [graph.key(seed) for seed in question.seeds])
        best = sorted(scores.items(), key=lambda pair: pair[1], reverse=True)[:NODES]
        query = code.query.Query(
            {
                "id": question.question.id,
                "question": question.question.text,
                "answers": [],
                "entities": [graph.label(seed) for seed in question.seeds],
            }
        )
        query.subgraph = code.tools.construct_graph(triples_of(whole.subgraph([v.index for v, _ in best]), "label"))
        if edges is not None:
            query = edges.process(query)
            query.subgraph = code.tools.construct_graph(triples_of(query.subgraph, "name"))
        query = retrieve.process(query)
        if instance in ("2", "12"):
            query = rank.process(query)
        texts_read, in_model = embedding.texts - texts, embedding.seconds - before
        return Found(
            frozenset(vertex["label"] for vertex, _ in best),
            frozenset(vertex["label"] for vertex, score in best if score > 0),
            tuple(text for text in map(str, query.reasoning_paths) if " -> " in text),
            time.process_time() - start,
            in_model,
            texts_read,
        )

    one(questions[0])
    return Side([one(question) for question in questions], peak())


def run_ours(text: str, place: File, instance: str, questions: Sequence[GroundedQuestion]) -> Side:
    """Run a pipeline over a copy of the graph, which holds no vectors yet, in this process."""
    with tempfile.TemporaryDirectory() as folder:
        copied = File(shutil.copytree(place, File(folder) / place.name))
        graph = Graph.open(copied)
        pipeline, extract = parse(text), parse(text.split(" >> ", 1)[0])
        embedding = Embedding()

        def one(question: GroundedQuestion) -> Found:
            start, before, texts = time.process_time(), embedding.seconds, embedding.texts
            run = pipeline.run(graph, question.query())
            seconds = time.process_time() - start
            inside = extract.run(graph, question.query()).subgraph
            assert run.evidence is not None
            assert inside is not None
            assert inside.nodes is not None
            names = frozenset(graph.label(int(node)) for node in inside.nodes)
            in_model, texts_read = embedding.seconds - before, embedding.texts - texts
            kept = RandomSample(n=KEPT).rerank(question.query(), run.evidence) if instance == "1" else run.evidence
            paths = tuple(path.text for path in run.evidence.paths)
            return Found(names, names, paths, seconds, in_model, texts_read, f1_of(question, kept.paths[:KEPT]))

        extract.run(graph, questions[-1].query())  # compiles and loads before the clock runs
        if instance != "1":
            MiniLM().encode(["a text"])
        return Side([one(question) for question in questions], peak())


def peak() -> float:
    """Peak memory of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Reader:
    """Turns path texts back into paths of the graph."""

    def __init__(self, graph: Graph) -> None:
        csr = graph.csr
        self.graph = graph
        self.named: dict[str, list[int]] = defaultdict(list)
        for node in range(csr.n_nodes):
            self.named[graph.label(node)].append(node)
        heads = np.repeat(np.arange(csr.n_nodes), csr.out_degrees())
        ends = zip(heads.tolist(), csr.relation.tolist(), csr.tail.tolist(), strict=True)
        self.triples = {(h, graph.relation_label(r), t): i for i, (h, r, t) in enumerate(ends)}

    def path(self, text: str) -> Path | None:
        """Return the first path of the graph that reads so, all its triples followed forwards; None if none does."""
        parts = text.split(" -> ")
        walks: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((node,), ()) for node in self.named[parts[0]]]
        for relation, name in zip(parts[1::2], parts[2::2], strict=True):
            walks = [
                ((*nodes, node), (*triples, self.triples[nodes[-1], relation, node]))
                for nodes, triples in walks
                for node in self.named[name]
                if (nodes[-1], relation, node) in self.triples
            ]
        return Path(self.graph, *walks[0], (True,) * len(walks[0][1])) if walks else None


def f1_of(question: GroundedQuestion, paths: Iterable[Path | None]) -> float:
    """F1 of the answers that the listed paths lead to."""
    evidence = Evidence(tuple(path for path in paths if path is not None))
    answer = PathAnswer(ends="listed").generate(question.query(), evidence)
    return answer_scores(answer.entities, question.gold).f1


def line(instance: str, name: str, ours: Side, theirs: Side) -> str:
    """One line of the table."""
    rows = list(zip(ours.found, theirs.found, strict=True))
    limit = KEPT if instance in ("2", "12") else None
    sets = [(set(a.paths[:limit]), set(b.paths[:limit])) for a, b in rows]
    both = sum(len(a & b) for a, b in sets)
    figures = [
        f"{statistics.fmean(a.reached == b.reached for a, b in rows):.2f}",
        f"{statistics.fmean(len(a.reached & b.reached) / len(a.reached | b.reached) for a, b in rows):.3f}",
        f"{statistics.fmean(len(a.nodes & b.nodes) / len(a.nodes | b.nodes) for a, b in rows):.3f}",
        f"{statistics.fmean(a == b for a, b in sets):.2f}",
        f"{both / max(1, sum(len(b) for _, b in sets)):.3f}",
        f"{both / max(1, sum(len(a) for a, _ in sets)):.3f}",
        *(f"{statistics.fmean(one.f1 for one in side.found):.3f}" for side in (ours, theirs)),
        *(f"{statistics.median(one.seconds for one in side.found):.3f}" for side in (ours, theirs)),
        *(f"{statistics.median(one.seconds - one.embedding for one in side.found):.3f}" for side in (ours, theirs)),
        *(f"{statistics.median(one.texts for one in side.found):,.0f}" for side in (ours, theirs)),
        *(f"{side.peak:,.0f}" for side in (ours, theirs)),
    ]
    return f"| {instance} | {name} | {' | '.join(figures)} |"


def alone(work: Callable[..., Side], *given: object) -> Side:
    """Return what a function returns in a new process."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *given).result()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("released", type=File, help="checkout of gzy02/LEGO-GraphRAG")
    arguments.add_argument("graph", type=File)
    arguments.add_argument("questions", type=File, nargs="+")
    arguments.add_argument("--limit", type=int, default=50, help="questions, spread evenly over the files")
    arguments.add_argument(
        "--side", action="append", choices=SIDES, help="default: all but recipe, which reads most paths"
    )
    arguments.add_argument("--instance", action="append", choices=INSTANCES)
    given = arguments.parse_args()
    folder = given.released / "Instance"
    if not (folder / "SE_PPR.py").exists():
        print(f"skipped: {given.released} is no checkout of gzy02/LEGO-GraphRAG (Instance/SE_PPR.py is missing)")
        return
    os.environ["PYTHONHASHSEED"] = "0"  # the released code orders ties by hash
    graph, reader = Graph.open(given.graph), Reader(Graph.open(given.graph))
    loaded = [one for file in given.questions for one in datasets.load(file)]
    grounded = ground(graph, [loaded[i * len(loaded) // given.limit] for i in range(given.limit)]).questions
    questions = [question for question in grounded if question.seeds]
    print(f"{graph}, {len(questions)} questions, seeds given\n\n{HEAD}\n|{'---|' * 18}")
    for instance in given.instance or INSTANCES:
        theirs = alone(run_released, folder, given.graph, instance, questions)
        theirs = Side(
            [
                found._replace(f1=f1_of(question, map(reader.path, found.paths[:KEPT])))
                for question, found in zip(questions, theirs.found, strict=True)
            ],
            theirs.peak,
        )
        whole = repr(recipe(instance).pipeline()).removesuffix(" >> PathAnswer()")
        texts = (whole.removesuffix(" >> RandomSample(n=32)"), *CLOSE[instance])
        sides = {side: text for side, text in zip(SIDES, texts, strict=False) if side in (given.side or SIDES[1:])}
        for name, text in sides.items():
            ours = alone(run_ours, text, given.graph, instance, questions)
            print(line(instance, name, ours, theirs), flush=True)


if __name__ == "__main__":
    main()
