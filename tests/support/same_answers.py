"""Six pipelines whose answers must not depend on the store of a graph, and the model that two of them ask."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graphbrick import Graph, LocalAround, MiniLM, local_graph, parse, recipe
from graphbrick.demo.graph import world_graph
from graphbrick.graphs.databases.graph import DatabaseGraph
from graphbrick.learn.train.patterns.patterns import train_patterns
from graphbrick.pipeline import Pipeline
from graphbrick.questions.question import Question
from graphbrick.testing import Reply, Request, ScriptedLLM

QUESTIONS = {
    "What is the capital of Kenya?": ("capital",),
    "Which countries border Kenya?": ("borders",),
    "What is the capital of the country that borders Kenya?": ("borders", "capital"),
}
"""Each question with the relations that lead to its answers."""

PIPELINES = ("1", "12", "14", "learned", "E1", "E4")
_RELATIONS = {"borders", "capital", "currency", "language", "time zone"}
_ON_THE_DATABASE = ("E1", "E4")  # the others need adjacency, so they run on a copy around the seeds


def part_of_world() -> Graph:
    """Return some of what is around Kenya in the world graph; without numbers, which RDF writes without commas."""
    world = world_graph()
    relations = [number for number in range(world.n_relations) if world.relation_label(number) in _RELATIONS]
    return local_graph(world, world.named("Kenya")[:1], hops=2, limit_per_node=8, relations=relations)


@contextmanager
def pipelines(part: Graph, folder: Path) -> Iterator[dict[str, Pipeline]]:
    """Yield the pipelines; ``folder`` is where patterns are trained."""
    train_patterns(part, [_trained_on(part, text) for text in QUESTIONS], folder, rounds=3)
    with ScriptedLLM(_reply) as server:
        llm, embedder = f"LLM(base_url={server.base_url!r})", MiniLM()
        yield {
            # Recipe 1 draws paths by the numbers of entities, which differ; here it draws all.
            "1": parse(repr(recipe("1").pipeline(answer="PathAnswer()")).replace("n=32", "n=100000")),
            "12": recipe("12").pipeline(embedder=embedder, answer="PathAnswer()"),
            "14": recipe("14").pipeline(embedder=embedder, answer="PathAnswer()"),
            "learned": parse(f"Operators(Patterns(PatternScorer({str(folder)!r}))) >> PathAnswer()"),
            "E1": recipe("E1").pipeline(llm=llm),
            "E4": recipe("E4").pipeline(llm=llm),
        }


def results(name: str, pipeline: Pipeline, graph: Graph | DatabaseGraph) -> list[list[str]]:
    """Return the answers to each question; of recipe 1 the paths, because it answers from one drawn at random."""
    runs_on: Graph | DatabaseGraph | LocalAround = graph
    if isinstance(graph, DatabaseGraph) and name not in _ON_THE_DATABASE:
        runs_on = LocalAround(graph, hops=4)
    found = []
    for question in [*QUESTIONS][: 1 if name == "1" else None]:
        run = pipeline.run(runs_on, question)
        assert run.answer is not None
        assert run.evidence is not None
        found.append(sorted(run.evidence.texts() if name == "1" else run.answer.texts))
    return found


def _trained_on(part: Graph, text: str) -> Question:
    ends = part.named("Kenya")[:1]
    for label in QUESTIONS[text]:
        ends = [
            tail
            for entity in ends
            for _, relation, tail in part.neighbours([entity], direction="out")[0].triples.tolist()
            if part.relation_label(relation) == label
        ]
    return Question(text, text, ("Kenya",), tuple(dict.fromkeys(map(part.label, ends))))


def _reply(request: Request) -> str | Reply:
    """Answer as a model that has read the prompt."""
    prompt = request.prompt
    (relations,) = (steps for question, steps in QUESTIONS.items() if f"Question: {question}\n" in f"{prompt}\n")
    if request.body.get("tools"):
        return _call(relations, sum(message["role"] == "assistant" for message in request.body["messages"]))
    if "You write a Cypher query" in prompt:
        return _cypher(relations)
    if "You write a SPARQL query" in prompt:
        return _sparql(relations)
    lines = re.findall(r"^(\d+)\. (.*)$", prompt, re.MULTILINE)
    if prompt.endswith("Numbers:"):
        paths = [int(number) for number, text in lines if "place: " in text or text.endswith(_last_step(text))]
        return json.dumps({"numbers": paths})
    answers = [{"answer": re.split(r": | -> ", text)[-1], "paths": [int(number)]} for number, text in lines]
    return json.dumps({"answers": answers})


def _last_step(text: str) -> str:
    """Return the end of a path along a triple; else something with which no text ends."""
    found = re.search(r" -> [^>]+$", text)
    return found[0] if found else "\n"


def _call(relations: tuple[str, ...], step: int) -> Reply:
    """Return the tool call of a step: find Kenya, follow the relations, and finish with the last list."""
    if step == 0:
        name, arguments = "retrieve_node", {"text": "Kenya"}
    elif step <= len(relations):
        place = "Kenya" if step == 1 else f"L{step - 1}"
        name, arguments = "neighbours", {"entity": place, "relation": relations[step - 1]}
    else:
        return Reply(tool_calls=[("finish", json.dumps({"nodes": [f"L{len(relations)}"]}))], finish_reason="tool_calls")
    return Reply(tool_calls=[(name, json.dumps(arguments))], finish_reason="tool_calls")


def _cypher(relations: tuple[str, ...]) -> str:
    """Return a query by the keys of relations, which are the same where their types are not."""
    pattern = "".join(f"-[r{number}]->(n{number})" for number in range(len(relations)))
    where = " AND ".join(f"r{number}.key = '{key}'" for number, key in enumerate(relations))
    last = f"n{len(relations) - 1}"
    return f"MATCH (a {{label: 'Kenya'}}){pattern} WHERE {where} RETURN DISTINCT {last}.label AS place"


def _sparql(relations: tuple[str, ...]) -> str:
    path = "/".join(f"<urn:graphbrick:relation/{key}>" for key in relations)
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    return f"SELECT DISTINCT ?place WHERE {{ ?a {label} 'Kenya' ; {path}/{label} ?place }}"
