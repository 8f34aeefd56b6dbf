"""Rows of queries that a scripted model writes, over ladybug and an RDF store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from faults import fails, told
from film_database import CypherFilms, FilmDatabase, SparqlFilms

from graphbrick import BM25, LLM, Generate, LLMListwiseScorer, PathAnswer, Rerank, Run, TextToQuery, build
from graphbrick.core import Citation
from graphbrick.core.errors import GraphbrickError, InputError, UnavailableError
from graphbrick.core.schema import Rows
from graphbrick.testing import Reply, ScriptedLLM

BY_SCOTT = "MATCH (p:Person {name: 'Ridley Scott'})-[:DIRECTED]->(f:Film) RETURN f.title, f.year ORDER BY f.year"
QUESTION = "Which films did Ridley Scott direct?"


@pytest.fixture
def films(tmp_path: Path) -> Iterator[CypherFilms]:
    pytest.importorskip("ladybug")
    graph = CypherFilms(tmp_path / "films.lbdb")
    yield graph
    graph.close()


def run(
    graph: FilmDatabase, replies: Sequence[str | Reply], question: str = QUESTION, **parameters: object
) -> tuple[Run, list[str]]:
    """Ask with scripted replies; return the run and the prompts."""
    with ScriptedLLM(list(replies)) as server:
        brick = TextToQuery(LLM("model", base_url=server.base_url), **parameters)  # type: ignore[arg-type]
        return brick.run(graph, question, seeds=graph.search(question, 3)), [sent.prompt for sent in server.requests]


def rows(done: Run) -> list[str]:
    assert done.evidence is not None
    return done.evidence.texts()


def test_rows_come_with_their_query_and_entities(films: CypherFilms) -> None:
    done, prompts = run(films, [f"```cypher\n{BY_SCOTT}\n```"])
    assert rows(done) == ["f.title: Alien, f.year: 1979", "f.title: Blade Runner, f.year: 1982"]
    assert done.evidence is not None
    assert [item.citations for item in done.evidence.items] == [(Citation(query=BY_SCOTT),)] * 2
    assert [item.entities for item in done.evidence.items] == [(0,), (2,)]
    assert films.queries == [f"{BY_SCOTT} LIMIT 11"]
    assert ("text_to_query.query", {"query": BY_SCOTT}) in told(done.trace.events)
    assert "(:Film {title: 'Alien', year: INT64 such as 1979})\n" in prompts[0]
    assert "\n(:Person)-[:DIRECTED]->(:Film)\n" in prompts[0]
    assert "\n(:Person {name: 'Ridley Scott'})\n" in prompts[0]


def test_paths_answers_and_models_answer_from_rows(films: CypherFilms) -> None:
    with ScriptedLLM([BY_SCOTT, BY_SCOTT, "Alien [1]"]) as server:
        llm = LLM("model", base_url=server.base_url, structured=False)
        by_rows = (TextToQuery(llm) >> PathAnswer())(films, QUESTION, seeds=["Ridley Scott"])
        by_model = (TextToQuery(llm) >> Generate(llm))(films, QUESTION, seeds=["Ridley Scott"])
    assert (by_rows.texts, by_rows.entities, by_rows.support) == (("Alien", "Blade Runner"), (0, 2), ((0,), (1,)))
    assert (by_model.texts, by_model.entities, by_model.support) == (("Alien",), (0,), ((0,),))


def test_rows_are_refined_and_ranked(films: CypherFilms) -> None:
    everything = "MATCH (f:Film) RETURN f.title"
    with ScriptedLLM([everything, "[2]", everything]) as server:
        llm = LLM("model", base_url=server.base_url, structured=False)
        refined = (TextToQuery(llm) >> Rerank(LLMListwiseScorer(llm), threshold=0)).run(films, QUESTION, seeds=[0])
        ranked = (TextToQuery(llm) >> Rerank(BM25(), n=1)).run(films, "What is Heat about?", seeds=[1])
    assert rows(refined) == ["f.title: Heat"]
    assert rows(ranked) == ["f.title: Heat"]


def test_a_question_without_entities_is_asked(films: CypherFilms) -> None:
    with ScriptedLLM(["MATCH (f:Film) RETURN count(f) AS n", BY_SCOTT]) as server:
        brick = TextToQuery(LLM("model", base_url=server.base_url))
        assert rows(brick.run(films, "How many are there?")) == ["n: 3"]
        assert rows(brick.run(films, "What did Ridley Scott make?")) != []
        assert "Entities" not in server.requests[0].prompt
        assert "Entities of the question:\n(:Person {name: 'Ridley Scott'})" in server.requests[1].prompt


def test_a_wrong_direction_is_turned_before_the_query_runs(films: CypherFilms) -> None:
    done, prompts = run(films, ["MATCH (f:film)-[:DIRECTED]->(p:Person {name: 'Michael Mann'}) RETURN f.title"])
    assert rows(done) == ["f.title: Heat"]
    assert len(prompts) == 1
    changes = [values["change"] for code, values in told(done.trace.events) if code == "text_to_query.corrected"]
    assert {"turned the direction of DIRECTED", "wrote 'Film' for 'film'"} <= {*changes}


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("MATCH (f:Movies) RETURN f.title", "there is no class 'Movies'; there are 'Film', 'Person'"),
        ("MATCH (f:Film) RETRUN f.title", "the database refuses the query"),
        ("MATCH (f:Film) DETACH DELETE f", "DETACH at character 16 is not reading"),
        ("```\n```", "the reply has no query"),
        ("MATCH (f:Film {title: 'Nothing'}) RETURN f.title", "it ran, but the graph has no such rows"),
    ],
)
def test_what_is_wrong_goes_back_to_the_model(films: CypherFilms, first: str, said: str) -> None:
    done, prompts = run(films, [first, "MATCH (f:Film) RETURN count(f) AS n"])
    assert rows(done) == ["n: 3"]
    assert said in prompts[1]
    assert any(values.get("number") == 1 for _, values in told(done.trace.events))
    assert not any("DELETE" in text for text in films.queries)


@pytest.mark.parametrize(
    "reply",
    [
        f"{BY_SCOTT}<|im_end|>",
        f"{BY_SCOTT}\n\nExplanation: it follows DIRECTED.",
        json.dumps({"query": BY_SCOTT}),
        f"Sure! {BY_SCOTT}",
        f"<|channel|>analysis<|message|>Who?<|end|><|start|>assistant<|channel|>final<|message|>{BY_SCOTT}",
        f"<cypher>{BY_SCOTT}</cypher>",
    ],
)
def test_a_query_is_run_whatever_is_around_it(films: CypherFilms, reply: str) -> None:
    done, prompts = run(films, [reply], tries=1)
    assert (rows(done), len(prompts)) == (["f.title: Alien, f.year: 1979", "f.title: Blade Runner, f.year: 1982"], 1)


@pytest.mark.whole
def test_of_a_huge_reply_the_model_is_shown_the_beginning(films: CypherFilms) -> None:
    done, prompts = run(films, ["nonsense " * 100_000, BY_SCOTT])
    assert rows(done)
    assert len(prompts[1]) < len(prompts[0]) + 10_000
    assert ("text_to_query.reply_cut", {"size": 900_000, "at_most": 4_000}) in [
        (code, values | {"size": round(values["size"], -2)} if code == "text_to_query.reply_cut" else values)
        for code, values in told(done.trace.events)
    ]


def test_prose_is_not_run(films: CypherFilms) -> None:
    done, _ = run(films, ["With this graph I cannot answer."], tries=1)
    assert (rows(done), films.queries) == ([], [])


def test_tries_come_to_an_end(films: CypherFilms) -> None:
    done, prompts = run(films, ["DROP TABLE Film"] * 3)
    assert (rows(done), len(prompts), films.queries) == ([], 3, [])
    assert told(done.trace.events)[-1] == ("text_to_query.none_ran", {"tries": 3})


def test_directions_that_cannot_be_tried_are_no_fault_of_the_query(
    films: CypherFilms, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = films.query

    def slow(text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        if "RETURN 1 AS one" in text:
            raise GraphbrickError("no answer within 30 s")
        return query(text, parameters, limit)

    monkeypatch.setattr(films, "query", slow)
    nothing = "MATCH (p:Person {name: 'Ridley Scott'})-[:DIRECTED]->(f:Film) WHERE f.year = 1900 RETURN f.title"
    done, _ = run(films, [nothing], tries=1)
    assert rows(done) == []
    assert told(done.trace.events)[-1] == ("text_to_query.query", {"query": nothing})
    assert "text_to_query.directions_not_tried" in done.trace.event_codes


def test_an_empty_result_is_believed_the_second_time(films: CypherFilms) -> None:
    nothing = "MATCH (f:Film {year: 1900}) RETURN f.title"
    done, prompts = run(films, [nothing, nothing])
    assert (rows(done), len(prompts)) == ([], 2)
    assert told(done.trace.events)[-1] == ("text_to_query.query", {"query": nothing})


def test_without_check_the_database_decides(films: CypherFilms) -> None:
    wrong_way = "MATCH (f:Film)-[:DIRECTED]->(p:Person) RETURN f.title"
    done, _ = run(films, [wrong_way], check=False, tries=1)
    assert (rows(done), films.queries) == ([], [f"{wrong_way} LIMIT 11"])


def test_more_rows_than_n_are_cut(films: CypherFilms) -> None:
    done, _ = run(films, ["MATCH (f:Film) RETURN f.title ORDER BY f.title LIMIT 500"], n=2)
    assert rows(done) == ["f.title: Alien", "f.title: Blade Runner"]
    assert films.queries == ["MATCH (f:Film) RETURN f.title ORDER BY f.title LIMIT 3"]
    assert ("text_to_query.more_rows", {"n": 2}) in told(done.trace.events)


def test_the_most_similar_examples_are_shown_last(films: CypherFilms, tmp_path: Path) -> None:
    pairs = [
        ("Who directed Heat?", "Q1"),
        ("How many films are there?", "Q2"),
        ("Which films did Michael Mann direct?", "Q3"),
        (QUESTION, "THE ANSWER ITSELF"),
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps({"question": q, "query": text}) + "\n" for q, text in pairs))
    _, prompts = run(films, [BY_SCOTT], examples=str(file), shots=2)
    shown = prompts[0].split("Examples:\n")[1].split("\n\n")[0]
    assert shown.splitlines()[-2:] == ["Question: Which films did Michael Mann direct?", "Query: Q3"]
    assert shown.count("Question:") == 2
    assert "THE ANSWER ITSELF" not in prompts[0]


def test_a_faulty_example_is_named(films: CypherFilms, tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"question": "Who?", "query": "Q"}\n{"question": "What?"}\n')
    with fails("examples.not_a_pair", InputError, file=file, line=2):
        run(films, [BY_SCOTT], examples=str(file))


def test_sparql_gets_its_prefixes_and_the_same_checks() -> None:
    pytest.importorskip("pyoxigraph")
    films = SparqlFilms()
    first = "SELECT ?t { ?f p1:title ?t ; p1:directed ?p . ?f a p1:Film }"
    done, prompts = run(films, [first])
    assert sorted(rows(done)) == ["t: Alien", "t: Blade Runner", "t: Heat"]
    assert "PREFIX p1: <http://example.org/>" in prompts[0]
    assert films.queries[0].startswith("PREFIX p1: <http://example.org/>\nSELECT ?t { ?f p1:title ?t ; ^p1:directed ?p")
    done, prompts = run(films, ["SELECT * { SERVICE <http://x.example/> { ?s ?p ?o } }", first])
    assert "SERVICE at character 12 is not reading" in prompts[1]


def test_no_other_query_is_asked_for_if_the_database_is_away(
    films: CypherFilms, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise UnavailableError("bolt://films does not answer; is the server running there?")

    monkeypatch.setattr(films, "query", away)
    with ScriptedLLM([BY_SCOTT, BY_SCOTT]) as server, pytest.raises(UnavailableError, match="is the server running"):
        TextToQuery(LLM("model", base_url=server.base_url)).run(films, QUESTION, seeds=["Ridley Scott"])
    assert len(server.requests) == 1


def test_a_model_that_repeats_its_query_is_asked_anew_without_seeing_it(films: CypherFilms) -> None:
    wrong = "MATCH (p:Person)-[:MADE]->(f:Film) RETURN f.title"
    done, prompts = run(films, [wrong, f"```\n{wrong}\n```", BY_SCOTT])
    assert len(rows(done)) == 2
    assert wrong in prompts[1]
    assert wrong not in prompts[2]
    assert f"\n\nNotes:\n- there is no relation 'MADE'; there are 'DIRECTED'\n\nQuestion: {QUESTION}\n" in prompts[2]
    assert "text_to_query.repeated" in done.trace.event_codes


def test_examples_may_be_at_home_and_hold_line_separators(
    films: CypherFilms, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    pair = {"question": "Who wrote\u2028Alien?", "query": "MATCH (n) RETURN n.name"}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pair, ensure_ascii=False) + "\n", encoding="utf-8")
    _, prompts = run(films, [BY_SCOTT], examples="~/pairs.jsonl", shots=1)
    assert "Who wrote" in prompts[0]


def test_a_file_of_examples_whose_name_cannot_be_is_an_error(films: CypherFilms) -> None:
    with pytest.raises(InputError, match="embedded null byte"):
        run(films, [BY_SCOTT], examples="a\0b")


def test_examples_are_compared_without_names(films: CypherFilms, tmp_path: Path) -> None:
    pairs = [
        ("Which films did Michael Mann direct?", "MATCH (:Person {name: 'Michael Mann'})-[:DIRECTED]->(f) RETURN f"),
        ("Is Ridley Scott kin of Ridley Scott?", "MATCH (p {name: 'Ridley Scott'}) RETURN p"),
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps({"question": q, "query": text}) + "\n" for q, text in pairs))
    _, prompts = run(films, [BY_SCOTT], examples=str(file), shots=1)
    assert "Which films did Michael Mann direct?" in prompts[0]
    assert "kin of" not in prompts[0]


CAST = [
    ("Heat", "starred actors", "Al Pacino"),
    ("Heat", "starred actors", "Val Kilmer"),
    ("Scarface", "starred actors", "Al Pacino"),
]


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("(a {label: 'Al Pacino'})-[:starred_actors]->(f)", "(a {label: 'Al Pacino'})<-[:starred_actors]-(f)"),
        ("(f)<-[:starred_actors]-(a {label: 'Al Pacino'})", "(f)-[:starred_actors]->(a {label: 'Al Pacino'})"),
        *(
            (f"(a)-[:starred_actors]->(f) {where}", f"(a)<-[:starred_actors]-(f) {where}")
            for where in (
                "WHERE a.label = 'Al Pacino'",
                "WHERE 'Al Pacino' = a.label",
                "WHERE a.label IN ['Al Pacino', 'Nobody']",
                "WHERE a.label CONTAINS 'Pacino'",
                "WHERE a.label STARTS WITH 'Al P'",
                "WHERE toLower(a.label) = 'al pacino' AND f.label IS NOT NULL",
                "WHERE (f.label <> 'x' AND (a.label = 'Al Pacino'))",
                "WHERE a.label = 'Al Pacino' OR a.label = 'Nobody'",
            )
        ),
        (
            "(a:Entity {label: 'Al Pacino'}) MATCH (a)-[:starred_actors]->(f)",
            "(a:Entity {label: 'Al Pacino'}) MATCH (a)<-[:starred_actors]-(f)",
        ),
        (
            "(f)<-[:starred_actors]-(a) WHERE a.label = 'Al Pacino'",
            "(f)-[:starred_actors]->(a) WHERE a.label = 'Al Pacino'",
        ),
    ],
)
def test_among_nodes_of_one_class_the_graph_tells_the_direction(tmp_path: Path, written: str, right: str) -> None:
    pytest.importorskip("ladybug")
    graph = build(CAST, tmp_path / "cast.graph")
    returned = ("f.label AS film ORDER BY film", "count(f) AS n")
    with ScriptedLLM([f"MATCH {written} RETURN {what}" for what in returned]) as server:
        brick = TextToQuery(LLM("model", base_url=server.base_url))
        found = [brick.run(graph, "In what is Al Pacino?") for _ in range(2)]
    assert [rows(done) for done in found] == [["film: Heat", "film: Scarface"], ["n: 2"]]
    assert ("text_to_query.query", {"query": f"MATCH {right} RETURN count(f) AS n"}) in told(found[1].trace.events)
    assert ("text_to_query.turned", {"change": "turned the direction of starred_actors"}) in told(found[1].trace.events)


def test_a_direction_that_the_graph_has_stays(tmp_path: Path) -> None:
    pytest.importorskip("ladybug")
    graph = build([*CAST, ("Al Pacino", "starred actors", "nobody")], tmp_path / "cast.graph")
    text = "MATCH (a {label: 'Al Pacino'})-[:starred_actors]->(f {label: 'Heat'}) RETURN f.label"
    one = "MATCH (a {label: 'Al Pacino'})-[:starred_actors]->(f) WHERE f.label = 'Heat' RETURN f.label"
    with ScriptedLLM([text, one]) as server:
        done = TextToQuery(LLM("model", base_url=server.base_url), tries=2).run(graph, "Is Al Pacino in Heat?")
    assert rows(done) == []
    assert not any("turned" in event for event in done.trace.events)


def test_without_examples_the_form_of_a_query_is_shown_and_no_address(tmp_path: Path) -> None:
    pytest.importorskip("ladybug")
    triples = [("Heat", "director", "Michael Mann"), ("Heat", "genre", "crime")]
    graph = build(triples, tmp_path / "heat.graph")
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"question": "Who?", "query": "MATCH (n) RETURN n.label"}\n')
    with ScriptedLLM(["MATCH (n) RETURN", "MATCH (n) RETURN count(n) AS n", "MATCH (n) RETURN n.label"]) as server:
        llm = LLM("model", base_url=server.base_url)
        for examples in (None, str(file)):
            TextToQuery(llm, examples=examples).run(graph, "How many are there?")
    form = "MATCH (a:Entity)-[:director]->(b:Entity {label: 'Heat'}), (a)-[:genre]->(c:Entity) RETURN DISTINCT c.label"
    first, second, third = (request.prompt for request in server.requests)
    assert f"\nForm of a query:\n{form}\n\nQuestion: " in first
    assert "That query is not right: the database refuses the query: " in second
    assert "Form of a query" not in third


def test_where_both_directions_mean_something_nothing_is_an_answer(tmp_path: Path) -> None:
    pytest.importorskip("ladybug")
    chain = [(f"gene {i}", "regulates", f"gene {i + 1}") for i in range(9)]
    query = "MATCH (a {label: 'gene 9'})-[:regulates]->(b) RETURN b.label"
    with ScriptedLLM([query, query]) as server:
        brick = TextToQuery(LLM("model", base_url=server.base_url))
        done = brick.run(build(chain, tmp_path / "genes.graph"), "What does gene 9 regulate?")
    assert rows(done) == []
    assert not any("turned" in event for event in done.trace.events)
