"""Answers on graphs that nobody has labelled: Hits@1, F1 and milliseconds with and without ``graphbrick learn``.

    python benchmarks/unlabelled.py [DATA] [--graph world ...] [--limit 150] [--linked] [--labels 20] [--json FILE]

DATA (or GRAPHBRICK_DATA, or ``../shared/data``) holds ``metaqa``, ``freebase`` and ``hetionet``; the world graph comes
with packages, and the family graph is made by ``family.py``. Seeds are given, unless ``--linked`` leaves it to the
pipeline to find them. Every question counts, and one without an answer, or whose answer is withheld, scores 0. The
questions measured teach nothing: without labels, what is learned is written from the graph alone, and labelled
questions are others, about other seeds. «Default», «learned» and «trained» are the pipelines that ``graphbrick ask``
runs; «patterns alone» is its second stage, for comparison.

- «before»: ``PPR(k=1000) >> ShortestPaths(max_hops=3) >> Rerank(MiniLM(), n=32, by='pattern') >> PathAnswer()``
- «sentences»: ``Patterns(MiniLM(), n=32) >> PathAnswer()``
- «default»: the pipeline of `ask` for a graph that was not learned, ``Operators(...) >> PathAnswer(...)``
- «default, patterns alone»: ``Patterns(WordAlignment(MiniLM()), n=32) >> PathAnswer()``
- «learned»: the pipeline of `ask` over what ``graphbrick learn`` wrote
- «learned, patterns alone»: ``Patterns(PatternScorer(FOLDER), n=32) >> PathAnswer()`` over it
- «learned, films named»: with ``--call directed_by=film,movie``
- «learned with MODEL»: with ``--llm MODEL``, where it is given; the words that it added are printed
- «learned, N labels»: ``graphbrick learn GRAPH QUESTIONS`` with N questions
- «trained on all»: ``graphbrick learn GRAPH QUESTIONS --questions 0`` with all questions that are not measured
- «hetionet, named»: its relations have the labels of ``metaedges.tsv``, such as «binds gene», instead of «CbG»
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import family
import hetionet_questions
from extraction_recall import graph_of, records
from graphbrick import Graph, Pipeline, build, parse
from graphbrick.core.errors import InputError
from graphbrick.demo.graph import world_graph
from graphbrick.learn.default import DEFAULT_PIPELINE
from graphbrick.learn.learned import pipeline_over
from graphbrick.learn.learning import learn
from graphbrick.models.llm.naming import chat_model
from graphbrick.questions.grounding import ground
from graphbrick.questions.loading import load
from graphbrick.questions.question import Question
from graphbrick.questions.sampling import sample_each
from metaqa import measure

DATA = Path(os.environ.get("GRAPHBRICK_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
WORLD = Path(__file__).resolve().parents[1] / "src/graphbrick/demo/questions.jsonl"
BEFORE = "PPR(k=1000) >> ShortestPaths(max_hops=3) >> Rerank(MiniLM(), n=32, by='pattern') >> PathAnswer()"
SENTENCES = "Patterns(MiniLM(), n=32) >> PathAnswer()"
ALONE = "Patterns(WordAlignment(MiniLM()), n=32) >> PathAnswer()"
FILMS = {"directed_by": ["film", "movie"]}
_FEW = 150  # questions; of fewer none are set aside to teach

Loaded = tuple[Graph, list[Question]]


def world(data: Path, work: Path) -> Loaded:
    """Return the world graph of the demo and its questions."""
    return world_graph(), list(load(WORLD))


def metaqa(data: Path, work: Path) -> Loaded:
    """Return the film graph of MetaQA and its development questions."""
    folder = data / "metaqa"
    questions = [question for hops in (1, 2, 3) for question in load(folder / f"dev_{hops}hop.jsonl.gz")]
    return graph_of(data, "metaqa", work), questions


def people(data: Path, work: Path) -> Loaded:
    """Return the made-up graph of people and its chains of two and three relations."""
    graph, place = family.triples(), work / "family.graph"
    lines = "".join(json.dumps(question) + "\n" for question in family.questions(graph))
    (work / "family_questions.jsonl").write_text(lines, encoding="utf-8")
    built = Graph.open(place) if place.is_dir() else build(graph, place)
    return built, list(load(work / "family_questions.jsonl"))


def freebase(data: Path, work: Path) -> Loaded:
    """Return the core of Freebase and its questions."""
    return graph_of(data, "freebase", work), list(load(data / "freebase" / "questions_dev.jsonl.gz"))


def hetionet(data: Path, work: Path) -> Loaded:
    """Return Hetionet with its codes for relations, and questions that were written from its schema."""
    return graph_of(data, "hetionet", work), hetionet_questions.questions(data)


class HetionetRelation(NamedTuple):
    """A relation of Hetionet: the kinds that it joins, and its words, such as «binds gene»."""

    head: str
    label: str
    tail: str


def hetionet_relations(data: Path) -> dict[str, HetionetRelation]:
    """Return the relations of Hetionet by code, such as CbG."""
    relations = {}
    for line in (data / "hetionet" / "metaedges.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        kinds, code, *_ = line.split("\t")
        head, verb, tail = re.split(" [->] ", kinds)
        relations[code] = HetionetRelation(head, f"{verb} {tail.lower()}", tail)
    return relations


def hetionet_named(data: Path, work: Path) -> Loaded:
    """Return Hetionet with words for its relations."""
    relations = hetionet_relations(data)
    place = work / "hetionet-named.graph"
    if place.is_dir():
        return Graph.open(place), hetionet_questions.questions(data)
    named = (
        (one[0], relations[one[1]].label, one[2]) if isinstance(one, tuple) else one
        for one in records(data, "hetionet")
    )
    return build(named, place), hetionet_questions.questions(data)


GRAPHS: dict[str, Callable[[Path, Path], Loaded]] = {
    "world": world,
    "metaqa": metaqa,
    "family": people,
    "freebase": freebase,
    "hetionet": hetionet,
    "hetionet-named": hetionet_named,
}


def apart(questions: Sequence[Question], limit: int, seed: int) -> tuple[list[Question], list[Question]]:
    """Return questions to measure, and others to teach whose seeds none of those to measure has."""
    few = len(questions) <= limit + _FEW
    measured = list(questions) if len(questions) < 2 * _FEW else sample_each(questions, limit, seed=seed)
    if few and len(questions) >= 2 * _FEW:
        measured = random.Random(seed).sample(list(questions), len(questions) // 2)
    seeds = {entity for question in measured for entity in question.seeds}
    teaching = [question for question in questions if seeds.isdisjoint(question.seeds)]
    random.Random(seed).shuffle(teaching)
    return measured, teaching if len(teaching) >= _FEW else []


def sides(
    graph: Graph, teaching: list[Question], given: argparse.Namespace, work: Path
) -> Iterator[tuple[str, Pipeline, float | None, int]]:
    """Yield what is compared: name, pipeline, seconds to learn and questions to measure at most."""
    if given.slow:
        yield "before", parse(BEFORE), None, given.slow
        yield "sentences", parse(SENTENCES), None, given.slow
    yield "default", parse(DEFAULT_PIPELINE), None, given.limit
    yield "default, patterns alone", parse(ALONE), None, given.limit
    runs: list[tuple[str, list[Question], int, dict[str, list[str]]]] = [("learned", [], given.written, {})]
    if given.llm:
        runs.append((f"learned with {given.llm}", [], given.written, {}))
    if all(any(label == graph.relation_label(r) for r in range(graph.n_relations)) for label in FILMS):
        runs.append(("learned, films named", [], given.written, FILMS))
    runs += [(f"learned, {n} labels", teaching[:n], given.written, {}) for n in given.labels or (20, 200) if teaching]
    if teaching:
        runs.append((f"trained on all {len(teaching):,}", teaching, 0, {}))
    for name, questions, n, call in runs:
        place, started = work / f"{name.replace(' ', '-')}.patterns", time.perf_counter()
        try:
            llm = chat_model(given.llm) if name.startswith("learned with") else None
            report = learn(
                graph, place, questions=questions, n=n, call=call, max_hops=given.max_hops, llm=llm, seed=given.seed
            )
            if report.by_model is not None:
                print(f"| | {name} | {report.by_model.taken} |", flush=True)
        except InputError as error:
            print(f"| | {name} | {error} |", flush=True)
            continue
        seconds = time.perf_counter() - started
        yield name, pipeline_over(str(place)), seconds, given.limit
        alone = f"Patterns(PatternScorer({str(place)!r}), n=32, max_hops={given.max_hops}) >> PathAnswer()"
        yield f"{name}, patterns alone", parse(alone), seconds, given.limit


def main() -> None:
    """Learn, measure, print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path, nargs="?", default=DATA)
    arguments.add_argument("--graph", action="append", choices=[*GRAPHS], help="may be repeated; all without it")
    arguments.add_argument("--limit", type=int, default=150, help="measured questions of each hop count")
    arguments.add_argument("--linked", action="store_true", help="do not give the seeds")
    arguments.add_argument("--slow", type=int, default=20, help="the same for what is slow without learning; 0: none")
    arguments.add_argument("--llm", default="", metavar="MODEL", help="a language model that suggests words to learn")
    arguments.add_argument("--labels", type=int, action="append", help="labelled questions; may be repeated [20, 200]")
    arguments.add_argument("--written", type=int, default=4_000, help="questions to write")
    arguments.add_argument("--max-hops", type=int, default=3)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--json", type=Path, help="write the figures here too")
    given = arguments.parse_args()
    rows: list[dict[str, Any]] = []
    print("| graph | pipeline | hops | n | Hits@1 | F1 | median ms | learned in s |\n|---|---|---|---|---|---|---|---|")
    for name in given.graph or GRAPHS:
        with tempfile.TemporaryDirectory() as temporary:
            work = Path(temporary)
            graph, questions = GRAPHS[name](given.data, work)
            measured, teaching = apart(questions, given.limit, given.seed)
            for label, pipeline, taken, limit in sides(graph, teaching, given, work):
                chosen = ground(graph, sample_each(measured, limit, seed=given.seed))
                pipeline.run(graph, chosen.questions[0].query())  # compile and load before the clock runs
                for hops, some in chosen.split("hops").items():
                    row = measure(graph, pipeline, some.questions, linked=given.linked)
                    rows.append({"graph": name, "pipeline": label, "hops": hops, "seconds": taken, **row})
                    print(f"| {name} | {label} | {hops} | {row['n']} | {row['hits_at_1']:.3f} | {row['f1']:.3f} | "
                          f"{row['ms']:.1f} | {'' if taken is None else f'{taken:.0f}'} |", flush=True)  # fmt: skip
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
