"""The REST routes over a small graph: what they return, and their errors."""

from __future__ import annotations

import json

import pytest
from served import PATHS, QUESTION, events, serving

from graphbrick import parse
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.pipeline.blocks import from_blocks
from graphbrick.testing import tiny_graph

ASK = {"question": QUESTION, "pipeline": "ShortestPaths() >> Rerank(BM25(), n=2) >> PathAnswer()"}


def test_an_answer_is_the_one_of_a_call_in_python(client):
    reply = client.post("/v1/ask", json=ASK)
    assert reply.status_code == 200
    found = reply.json()
    run = parse(ASK["pipeline"]).run(tiny_graph(), QUESTION)
    assert [answer["text"] for answer in found["answers"]] == list(run.answer.texts) == ["Kenyan shilling"]
    assert found["evidence"] == json.loads(json.dumps(run.to_dict()["evidence"]))
    assert found["pipeline"] == ASK["pipeline"]
    assert found["graph"] == {"name": "tiny", "hash": tiny_graph().hash}
    assert found["entities"]["Kenya"] == {"label": "Kenya", "type": ""}
    assert found["relations"]["currency"] == "currency"
    assert str(tiny_graph().path) not in reply.text


@pytest.mark.whole
def test_the_first_evidence_is_sent_unless_all_is_asked_for():
    with serving(recipes={"all": "AllPaths(max_hops=3) >> PathAnswer()"}) as client:

        def sent(route, size=""):
            reply = client.post(f"/v1/{route}{size}", json={"question": QUESTION, "recipe": "all"}).json()
            return len(reply["evidence"]), reply["evidence_count"]

        count = sent("ask")[1]
        assert count > 10
        assert sent("ask") == sent("ask", "?evidence=short") == sent("retrieve", "?evidence=short") == (10, count)
        assert sent("ask", "?evidence=all") == sent("retrieve") == (count, count)
        wrong = client.post("/v1/ask?evidence=few", json={"question": QUESTION}).json()["error"]
        assert wrong["message"] == "query.evidence: must be 'short' or 'all'"
        described = client.get("/openapi.json").json()["paths"]["/v1/ask"]["post"]
        assert "?evidence=all" in described["description"]
        chat = {"model": "all", "messages": [{"role": "user", "content": QUESTION}]}
        assert len(client.post("/v1/chat/completions", json=chat).json()["graphbrick"]["evidence"]) == 10


def test_retrieve_leaves_the_answer_out_and_sends_the_subgraph(client):
    ask = {"question": QUESTION, "pipeline": f"PPR(k=4) >> {ASK['pipeline']}", "subgraph": True}
    found = client.post("/v1/retrieve", json=ask).json()
    assert (found["answers"], len(found["evidence"])) == ([], 2)
    assert found["subgraph"] == {"nodes": len(found["nodes"]), "triples": len(found["triples"])}
    assert ["Kenya", "capital", "Nairobi"] in found["triples"]
    assert set(found["nodes"]) <= set(found["entities"])


def test_the_seeds_of_a_request_replace_linking(client):
    found = client.post("/v1/retrieve", json=ASK | {"seeds": ["Rwanda"]}).json()
    assert [seed["key"] for seed in found["seeds"]] == ["Rwanda"]


def test_a_stream_tells_every_stage_as_it_ends_and_then_the_result(client):
    plain = client.post("/v1/ask", json=ASK).json()
    reply = client.post("/v1/ask", json=ASK | {"stream": True})
    assert reply.headers["content-type"].startswith("text/event-stream")
    sent = [(name, json.loads(data)) for name, data in events(reply.text)]
    told = [name for name, _ in sent]
    assert [name for name in told if name != "progress"] == ["start", "stage", "stage", "stage", "stage", "result"]
    kinds = ["link", "retrieve", "rerank", "generate"]
    assert [stage["kind"] for stage in sent[0][1]["stages"]] == kinds
    assert [data["kind"] for name, data in sent if name == "stage"] == kinds
    steps = [data["step"] for name, data in sent if name == "progress"]
    assert steps == [stage["stage"] for stage in sent[0][1]["stages"]]  # each as it begins
    result = sent[-1][1]
    assert (result["answers"], result["evidence"]) == (plain["answers"], plain["evidence"])


def test_an_error_in_a_stream_is_its_last_event(client):
    reply = client.post("/v1/ask", json=ASK | {"question": "xyzzy?", "stream": True})
    name, data = events(reply.text)[-1]
    assert (name, json.loads(data)["error"]["code"]) == ("error", "no_entity")


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"question": ""}, 422, "invalid_request"),
        ({"question": "  "}, 422, "invalid_request"),
        ({"question": "xyzzy?"}, 422, "no_entity"),
        ({"seeds": ["Atlantis"]}, 422, "no_entity"),
        ({"graph": "films"}, 404, "no_graph"),
        ({"pipeline": None, "recipe": "none"}, 404, "no_recipe"),
        ({"recipe": "paths"}, 400, "two_recipes"),
        ({"pipeline": "PPR("}, 400, "recipe_syntax"),
        ({"pipeline": "PPR(k=0)"}, 400, "recipe"),
        ({"pipeline": "PPR()"}, 200, None),
        ({"depth": 3}, 422, "invalid_request"),
        ({"min_confidence": 2}, 422, "invalid_request"),
    ],
)
def test_what_cannot_be_asked_is_a_typed_error(client, change, status, code):
    reply = client.post("/v1/ask", json=ASK | change)
    assert reply.status_code == status, reply.text
    if code is not None:
        error = reply.json()["error"]
        assert error["code"] == code
        assert error["message"]


def test_an_error_of_a_recipe_has_its_place_and_fix(client):
    error = client.post("/v1/ask", json=ASK | {"pipeline": "PPR() >>\n PathAnswer()"}).json()["error"]
    assert (error["line"], error["column"], error["end_column"]) == (2, 2, 14)
    assert error["fix"] == "put a retrieve stage such as ShortestPaths() between them"


def test_a_budget_ends_a_run_with_what_there_is(client):
    found = client.post("/v1/ask", json=ASK | {"budget": {"seconds": 1e-9}}).json()
    assert found["stopped"]["reason"] == "the budget of 1e-09 seconds is used up"
    assert found["answers"] == []


def test_graphs_and_recipes_are_listed(client):
    (graph,) = client.get("/v1/graphs").json()["graphs"]
    assert (graph["name"], graph["entities"], graph["triples"]) == ("tiny", 8, 10)
    assert list(graph["recipes"]) == ["default", "paths"]
    assert client.get("/v1/graphs/tiny").json()["info"]["top_relations"][0] == {"label": "borders", "triples": 4}
    found = client.get("/v1/recipes").json()
    assert [(one["name"], one["pipeline"]) for one in found["recipes"]][1] == ("paths", PATHS)
    allowed = {one["recipe"]: one["allowed"] for one in found["published"]}
    assert allowed["12"]
    assert not allowed["E1"]  # it writes queries with a language model


def test_bricks_have_the_ranges_of_their_parameters(client):
    (brick,) = client.get("/v1/bricks", params={"name": "PPR"}).json()["bricks"]
    restart = next(one for one in brick["parameters"] if one["name"] == "restart")
    assert (restart["default"], restart["above"] or restart["at_least"], restart["below"]) == ("0.2", 0.001, 1)
    assert len(client.get("/v1/bricks").json()["bricks"]) > 50
    assert client.get("/v1/bricks", params={"name": "Nope"}).status_code == 404


def test_text_and_blocks_are_converted_both_ways(client):
    text = "PPR(k=5) >> (ShortestPaths() | AllPaths()) >> Rerank(BM25(k1=1.2), n=8) >> PathAnswer()"
    found = client.post("/v1/check", json={"pipeline": text}).json()
    assert found["ok"]
    assert found["allowed"]
    assert [stage["gives"] for stage in found["stages"]] == ["subgraph", "evidence", "evidence", "answer"]
    assert from_blocks(found["blocks"]) == parse(text)
    assert client.post("/v1/check", json={"blocks": found["blocks"]}).json()["pipeline"] == text


@pytest.mark.parametrize(
    ("blocks", "at", "message"),
    [
        ({"then": [{"brick": "PPR"}, {"brick": "PathAnswer"}]}, ["then", 1], "PathAnswer needs evidence"),
        ({"then": [{"brick": "PPR", "parameters": {"k": 0}}]}, ["then", 0], "PPR k must be a whole number"),
        ({"then": [{"brick": "Nope"}]}, ["then", 0], "there is no brick 'Nope'"),
        ({"brick": "Rerank", "parameters": {"scorer": {"brick": "PPR"}}}, [], "Rerank scorer must be"),
        ({"brick": "Rerank"}, [], "Rerank needs scorer"),
        ({"brick": "PPR", "parameters": {"q": 1}}, [], "PPR has no parameter 'q'"),
        ({"then": []}, ["then"], "needs a list of at least one block"),
        ({"brick": "BM25"}, [], "is not a stage"),
        ({}, [], "a block is"),
    ],
)
def test_blocks_that_are_wrong_name_the_block(client, blocks, at, message):
    found = client.post("/v1/check", json={"blocks": blocks}).json()
    assert not found["ok"]
    assert found["error"]["at"] == at
    assert message in found["error"]["message"]


def test_entities_are_searched_shown_and_walked(client):
    found = client.get("/v1/entities", params={"q": "kenya"}).json()["entities"]
    assert found[0]["key"] == "Kenya"
    uganda = client.get("/v1/entities/one", params={"key": "uganda"}).json()
    assert (uganda["key"], uganda["degree"]) == ("Uganda", 6)
    (borders,) = (row for row in uganda["relations"] if (row["label"], row["direction"]) == ("borders", "in"))
    assert (borders["triples"], borders["count"]) == (2, 2)
    assert borders["best"] == [{"key": "Kenya", "label": "Kenya"}, {"key": "Rwanda", "label": "Rwanda"}]
    assert client.get("/v1/entities/one", params={"key": "Atlantis"}).json()["error"]["code"] == "no_entity"


def test_pages_of_neighbours_hold_every_triple_once(client):
    ask = {"key": "Uganda", "n": 4}
    first = client.get("/v1/entities/neighbours", params=ask).json()
    rest = client.get("/v1/entities/neighbours", params=ask | {"offset": first["next"]}).json()
    assert (len(first["triples"]), len(rest["triples"]), rest["next"]) == (4, 2, None)
    whole = client.get("/v1/entities/neighbours", params={"key": "Uganda"}).json()["triples"]
    assert first["triples"] + rest["triples"] == whole
    by = client.get(
        "/v1/entities/neighbours", params={"key": "Uganda", "relation": "borders", "direction": "in"}
    ).json()
    assert [triple["entity"]["key"] for triple in by["triples"]] == ["Kenya", "Rwanda"]
    none = client.get("/v1/entities/neighbours", params={"key": "Uganda", "relation": "flag"})
    assert (none.status_code, none.json()["error"]["code"]) == (404, "no_relation")


def test_paths_join_two_entities(client):
    found = client.get("/v1/paths", params={"start": "Kigali", "end": "Kampala"}).json()["paths"]
    assert found[0]["text"].startswith("Kigali <- capital <- Rwanda -> borders -> Uganda -> ")
    assert [step["end"]["key"] for step in found[0]["steps"]] == ["Rwanda", "Uganda", "Kampala"]


def test_queries_only_read(client):
    rows = client.post("/v1/query", json={"query": "MATCH (a)-[:capital]->(b) RETURN b.key ORDER BY b.key"})
    assert rows.json()["rows"] == [["Kampala"], ["Kigali"], ["Nairobi"]]
    refused = client.post("/v1/query", json={"query": "CREATE (a {key: 'x'})"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "query_refused")
    wrong = client.post("/v1/query", json={"query": "MATCH (a) RETURN b"})
    assert wrong.status_code == 400
    wrong = client.post("/v1/query", json={"query": "MATCH (a:Entity) RETURN a.name"})
    assert wrong.status_code == 400
    assert "Entity has key, label" in wrong.json()["error"]["message"]


def test_the_page_about_the_api_has_examples(client):
    found = client.get("/openapi.json").json()
    assert {"/v1/ask", "/v1/retrieve", "/v1/check", "/v1/entities", "/healthz"} <= set(found["paths"])
    assert found["components"]["schemas"]["Ask"]["examples"]
    page = client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert all(f"</span>{path}</code>" in page.text for path in found["paths"])
    assert "<script" not in page.text
    assert "`" not in page.text  # docstrings mark code with it
    assert "string up to 10,000 (needed)" in page.text


def test_no_route_is_an_error_like_all_others(client):
    assert client.get("/v1/nothing").json()["error"]["code"] == "no_route"
    assert client.get("/v1/ask").json()["error"]["code"] == "wrong_method"


def test_several_graphs_are_served_by_their_names(tmp_path):
    from graphbrick import build

    other = build([("Oslo", "capital of", "Norway")], tmp_path / "north.graph")
    with serving(graphs={"tiny": str(tiny_graph().path), "north": str(other.path)}) as client:
        found = client.post("/v1/ask", json={"question": "What is Oslo?", "recipe": "paths", "graph": "north"}).json()
        assert [answer["text"] for answer in found["answers"]] == ["Norway"]
        assert "serve.first_graph" not in [note["code"] for note in found["notes"]]
        first = client.post("/v1/ask", json={"question": "What is Kenya?", "recipe": "paths"}).json()
        (note,) = [note["text"] for note in first["notes"] if note["code"] == "serve.first_graph"]
        assert note == "Asked in the graph tiny, the first of 2, as the request names none"
        assert [graph["name"] for graph in client.get("/v1/graphs").json()["graphs"]] == ["tiny", "north"]


@pytest.mark.whole
def test_a_database_is_served_like_a_folder(client, tmp_path):
    to_ladybug(tiny_graph(), tmp_path / "tiny.lbdb")
    gets = (
        "/v1/entities/one?key=Uganda",
        "/v1/entities?q=kenya",
        "/v1/paths?start=Kigali&end=Kampala",
    )
    with serving(graphs={"tiny": f"ladybug:{tmp_path / 'tiny.lbdb'}"}) as database:
        for get in gets:
            assert database.get(get).json() == client.get(get).json()
        there, here = (one.post("/v1/ask", json=ASK | {"seeds": ["Nairobi"]}).json() for one in (database, client))
        assert there["answers"] == here["answers"]
        assert database.get("/v1/graphs/tiny/schema").json()["language"] == "Cypher"
        assert database.get("/v1/documents").json()["error"]["code"] == "not_from_text"
