"""Sets of questions with gold queries, to measure how well queries are written.

    python benchmarks/query_questions.py [DATA] [--set metaqa ...] [--limit 500] [--work FOLDER]

prints how many questions each set has, and how many of MetaQA's questions could be turned into queries. DATA (or
GRAPHBRICK_DATA, or ``../shared/data``) holds ``metaqa`` and ``hetionet``.

- ``world``: questions about the graph of the demo, from the templates of `graphbrick questions`.
- ``metaqa``: development questions of MetaQA. The relation pattern of a question becomes a query, in which the entity
  of the question is no later node of the pattern; questions whose query does not give exactly the answers of the data
  set are left out.
- ``hetionet-simple``: 300 questions of one relation, and ``hetionet-complex``: 200 questions, of which 120 follow two
  or three relations and 80 come from the templates intersection, count, most, negation and optional. Wordings of
  walks, and how they were written: ``hetionet_questions.py``. Relations have the words of ``metaedges.tsv``.

Queries run over ladybug copies of the graphs. The same seed gives the same questions.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import hetionet_questions
from extraction_recall import graph_of
from graphbrick import Graph
from graphbrick.demo.graph import world_graph
from graphbrick.graphs.export.ladybug_names import identifier
from graphbrick.judge.gold_queries.generator import QueryQuestion, questions_with_queries
from graphbrick.judge.gold_queries.gold_query import Edge, GoldQuery
from graphbrick.judge.gold_queries.queried import QueriedGraph
from graphbrick.questions.formats.metaqa import relation_steps
from graphbrick.questions.loading import load
from graphbrick.questions.question import Question
from unlabelled import hetionet_named, hetionet_relations

DATA = Path(os.environ.get("GRAPHBRICK_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
VARIABLES = "abcd"
EACH_SIMPLE, EACH_COMPLEX, FROM_TEMPLATES = 20, 15, 80  # questions of Hetionet
MOST_ANSWERS = 50
Walk = Sequence[tuple[str, bool]]
Thing = TypeVar("Thing")


def graph(name: str, data: Path, work: Path) -> Graph:
    """Return the graph of a set, built in ``work`` unless it is there already; its copy is made at the first query."""
    if name == "world":
        return world_graph()
    return graph_of(data, "metaqa", work) if name == "metaqa" else hetionet_named(data, work)[0]


def questions(name: str, opened: Graph, data: Path, n: int, *, seed: int = 0) -> list[QueryQuestion]:
    """Return at most ``n`` questions of a set over its opened graph; of MetaQA a third of each hop count."""
    return SETS[name](opened, data, n, seed)


def world(opened: Graph, data: Path, n: int, seed: int) -> list[QueryQuestion]:
    """Return questions about the graph of the demo."""
    return list(questions_with_queries(opened, n, seed=seed))


def metaqa(opened: Graph, data: Path, n: int, seed: int) -> list[QueryQuestion]:
    """Return development questions of MetaQA with the queries of their patterns."""
    made, metaqa_questions = list[QueryQuestion](), _Metaqa(opened)
    for hops in (1, 2, 3):
        drawn = _shuffled(load(data / "metaqa" / f"dev_{hops}hop.jsonl.gz"), seed)
        turned = (one for one in map(metaqa_questions.turned, drawn) if one is not None)
        wanted = (n + hops - 1) // 3
        made += [one for _, one in zip(range(wanted), turned, strict=False)]
    return made


class _Metaqa:
    """Turns questions of MetaQA into questions with gold queries."""

    def __init__(self, opened: Graph) -> None:
        self._graph = QueriedGraph(opened)

    def turned(self, question: Question) -> QueryQuestion | None:
        """Return a question with its query; None if that does not give exactly the answers of the data set."""
        walk = relation_steps(question.facts["pattern"])
        gold = _walk_query(walk, ["Entity"] * (len(walk) + 1), question.seeds[0], keep_out=True)
        rows = self._graph.rows(gold)
        if rows.is_cut or {str(row[0]) for row in rows.rows} != set(question.answers):
            return None
        return _made(self._graph, question.id, question.text, gold, f"{question.hops} hops")


def hetionet_simple(opened: Graph, data: Path, n: int, seed: int) -> list[QueryQuestion]:
    """Return questions about one relation of Hetionet."""
    return _shuffled([*_walks(opened, data, seed, EACH_SIMPLE, lambda hops: hops == 1)], seed)[:n]


def hetionet_complex(opened: Graph, data: Path, n: int, seed: int) -> list[QueryQuestion]:
    """Return questions about several relations of Hetionet, and from templates."""
    walks = _walks(opened, data, seed, EACH_COMPLEX, lambda hops: hops > 1)
    templates = ("intersection", "count", "most", "negation", "optional")
    made = questions_with_queries(opened, FROM_TEMPLATES, seed=seed, templates=templates)
    numbered = (replace(question, id=f"template-{question.id}") for question in made)
    return _shuffled([*walks, *numbered], seed)[:n]


def _walks(opened: Graph, data: Path, seed: int, each: int, has_hops: Callable[[int], bool]) -> Iterator[QueryQuestion]:
    """Yield questions of the walks of ``hetionet_questions``, at most ``each`` of every walk."""
    rng, queried, words = random.Random(seed), QueriedGraph(opened), hetionet_relations(data)
    names, kinds = hetionet_questions.nodes(data / "hetionet/nodes.tsv.gz")
    times = Counter(names.values())
    by_kind: dict[str, list[str]] = {}
    for node, name in names.items():
        if times[name] == 1:  # else the question would not tell which is meant
            by_kind.setdefault(kinds[node], []).append(name)
    for number, (kind, walk, wordings) in enumerate(hetionet_questions.TEMPLATES):
        if not has_hops(len(walk)):
            continue
        steps = [(identifier(words[code].label, "relation"), forwards) for code, forwards in walk]
        classes = [kind] + [(words[code].tail if forwards else words[code].head) for code, forwards in walk]
        classes, count = [identifier(name, "Type") for name in classes], 0
        for name in _shuffled(by_kind[kind], rng.randrange(1 << 30)):
            if count == each:
                break
            gold = _walk_query(steps, classes, name, keep_out=False)
            if 1 <= len(queried.rows(gold).rows) <= MOST_ANSWERS:
                text = rng.choice(wordings).format(name)
                yield _made(queried, f"{number:02}-{count:03}", text, gold, f"{len(walk)} hops")
                count += 1


def _walk_query(walk: Walk, classes: Sequence[str], name: str, *, keep_out: bool) -> GoldQuery:
    """Return the query that follows relations from a name; ``keep_out``: without coming back to it."""
    edges = [
        Edge(here, relation, there) if forwards else Edge(there, relation, here)
        for (relation, forwards), (here, there) in zip(walk, pairwise(VARIABLES), strict=False)
    ]
    ends = VARIABLES[2 : len(walk) + 1] if keep_out else ""
    return GoldQuery(
        dict(zip(VARIABLES, classes, strict=False)), tuple(edges), VARIABLES[len(walk)], {VARIABLES[0]: name},
        different=tuple((end, VARIABLES[0]) for end in ends),
    )  # fmt: skip


def _made(queried: QueriedGraph, number: str, text: str, gold: GoldQuery, kind: str) -> QueryQuestion:
    answers = tuple(dict.fromkeys(str(row[0]) for row in queried.rows(gold).rows))
    seeds, written = tuple(gold.names.values()), queried.both(gold)
    return QueryQuestion(number, text, queried.written(gold), queried.language, answers, seeds, kind, False, *written)


def _shuffled(things: Sequence[Thing], seed: int) -> list[Thing]:
    return random.Random(seed).sample(things, len(things))


SETS: dict[str, Callable[[Graph, Path, int, int], list[QueryQuestion]]] = {
    "world": world,
    "metaqa": metaqa,
    "hetionet-simple": hetionet_simple,
    "hetionet-complex": hetionet_complex,
}


def main() -> None:
    """Print the size of each set, and an example."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path, nargs="?", default=DATA)
    arguments.add_argument("--set", action="append", choices=[*SETS], help="may be repeated; all without it")
    arguments.add_argument("--limit", type=int, default=500, help="questions of each hop count of MetaQA to turn")
    arguments.add_argument("--work", type=Path, help="a folder for graphs that stays")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        for name in given.set or SETS:
            opened = graph(name, given.data, work)
            made = questions(name, opened, given.data, 500)
            print(f"{name}: {len(made)} questions, {dict(Counter(one.template for one in made))}")
            print(f"  {made[0].question}\n  {made[0].query}".replace("\n", "\n  "), flush=True)
            for hops in (1, 2, 3) if name == "metaqa" else ():
                drawn = _shuffled(load(given.data / "metaqa" / f"dev_{hops}hop.jsonl.gz"), 0)[: given.limit]
                turned = sum(_Metaqa(opened).turned(one) is not None for one in drawn)
                print(f"  {hops} hops: the pattern of {turned:,} of {len(drawn):,} questions gives their answers")


if __name__ == "__main__":
    main()
