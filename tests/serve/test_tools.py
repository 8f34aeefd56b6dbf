"""The MCP tools, called by the official client in this process and over HTTP."""

from __future__ import annotations

import asyncio
import logging

import pytest
from mcp import Client
from served import QUESTION, options, serving
from shop import shop

from graphbrick import index
from graphbrick.serve.hosting import find_questions
from graphbrick.serve.service import Service
from graphbrick.serve.tools import mcp_server


def called(calls, **changes):
    """Return the text and whether it is an error of several calls, and the tools there are."""

    async def run():
        service = Service(options(**changes))
        service.start()
        try:
            async with Client(mcp_server(service)) as client:
                tools = {tool.name: tool for tool in (await client.list_tools()).tools}
                results = [await client.call_tool(name, arguments) for name, arguments in calls]
        finally:
            service.close()
        return tools, [(result.content[0].text, bool(result.is_error)) for result in results]

    return asyncio.run(run())


def test_a_prompt_and_the_schema_name_questions_that_the_graph_answers():
    async def run():
        service = Service(options())
        service.start()
        try:
            find_questions(service.graph())
            async with Client(mcp_server(service)) as client:
                (prompt,) = (await client.list_prompts()).prompts
                told = await client.get_prompt(prompt.name, {"graph": "tiny"})
                schema = await client.call_tool("schema", {})
        finally:
            service.close()
        return service.graph().questions, told.messages[0].content.text, schema.content[0].text

    questions, prompt, schema = asyncio.run(run())
    assert questions
    for one in questions:
        assert f"- {one['question']}" in prompt
        assert f"- {one['question']}" in schema


def test_tools_return_short_texts_with_keys():
    tools, results = called(
        [
            ("search", {"text": "kenya", "n": 1}),
            ("node", {"entity": "Uganda"}),
            ("neighbours", {"entity": "Uganda"}),
            ("neighbours", {"entity": "Uganda", "relation": "borders", "direction": "in"}),
            ("paths", {"start": "Kigali", "end": "Kampala"}),
            ("answer", {"question": QUESTION, "recipe": "paths", "seeds": ["Nairobi"]}),
            ("query", {"text": "MATCH (a)-[:currency]->(b) RETURN b.key ORDER BY b.key", "n": 1}),
            ("schema", {}),
        ]
    )
    assert list(tools) == "schema search where node neighbours paths query answer documents document".split()
    assert all(tool.annotations.read_only_hint for tool in tools.values())
    assert not any(is_error for _, is_error in results)
    search, node, relations, borders, paths, answer, rows, schema = (text for text, _ in results)
    assert "Kenya" in search
    assert "- ← borders: Kenya [Kenya], Rwanda [Rwanda]" in node
    assert "<- borders (2): Kenya, Rwanda" in relations
    assert borders.startswith("Uganda <- borders <- Kenya\nUganda <- borders <- Rwanda")
    assert paths.startswith("Kigali <- capital <- Rwanda -> borders -> Uganda -> ")
    assert answer.startswith("Kenya [1]")
    assert "Kenyan shilling" in rows
    assert "more than these 1 rows" in rows
    assert "graph tiny" in schema


@pytest.mark.whole
def test_entities_are_found_and_told_with_their_properties(tmp_path):
    calls = [
        ("schema", {}),
        ("where", {"name": "unit price", "at_least": "30", "of_type": "Product"}),
        ("where", {"name": "colour", "equals": "blue"}),
        ("node", {"entity": "Blue Kettle"}),
        ("neighbours", {"entity": "lee", "relation": "bought"}),
    ]
    _, results = called(calls, graphs={"shop": str(shop(tmp_path).path)})
    assert [is_error for _, is_error in results] == [False, False, True, False, False]
    schema, matches, unknown, node, bought = (text for text, _ in results)
    assert "properties for where: unit_price (whole number, 2), " in schema
    assert matches == "Lamp [lamp] (Product): 40"
    assert "there are unit_price, " in unknown
    assert "- added: 2020-05-31" in node
    assert "(on = 2021-01-02; on = 2022-03-04)" in bought


@pytest.mark.whole
def test_an_assistant_is_told_what_may_be_meant():
    ask = "Operators(Patterns(BM25(), max_hops=1)) >> PathAnswer()"
    calls = [
        ("answer", {"question": "How many hospitals does Kenya have?"}),
        ("answer", {"question": "country of Nairobbi?", "recipe": "strict"}),
        ("answer", {"question": "Kenya -> capital -> *"}),
    ]
    recipes = {"ask": f"LinkLabels() >> {ask}", "strict": f"LinkLabels(min_score=0.95) >> {ask}"}
    _, results = called(calls, recipes=recipes)
    refused, near, stated = (text for text, _ in results)
    assert "I do not know the word 'hospitals' in this graph" in refused
    assert "capital of Kenya: `Kenya -> capital -> *`" in refused
    assert near.endswith("Did you mean:\n1. country of Nairobi?")
    assert stated.startswith("Nairobi [1]")
    assert not any(is_error for _, is_error in results)


def test_what_is_wrong_is_told_to_the_assistant():
    _, results = called(
        [
            ("node", {"entity": "Atlantis"}),
            ("node", {"entity": "Uganda", "graph": "films"}),
            ("search", {"text": "x", "n": 1000}),
            ("query", {"text": "CREATE (a)"}),
            ("answer", {"question": QUESTION, "recipe": "none"}),
        ]
    )
    assert all(is_error for _, is_error in results)
    texts = [text for text, _ in results]
    assert texts[0].startswith("no node is called 'Atlantis'")
    assert texts[1] == "there is no graph 'films'; there are tiny"
    assert texts[2] == "the arguments of search are wrong: n must be at most 100, got 1000"
    assert "CREATE" in texts[3]
    assert texts[4].startswith("there is no recipe 'none'")


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("search", {}, "the arguments of search are wrong: text is missing"),
        ("search", {"text": 5}, "the arguments of search are wrong: text must be a text, got 5"),
        ("search", {"text": ""}, "the arguments of search are wrong: text must not be empty"),
        ("search", {"text": "x" * 501}, "the arguments of search are wrong: text may have at most 500 characters"),
        ("search", {"text": "x", "n": "many"}, "the arguments of search are wrong: n must be a whole number"),
        ("search", {"text": "x", "n": 1.5}, "the arguments of search are wrong: n must be a whole number, got 1.5"),
        (
            "search",
            {"text": "x", "grph": "tiny"},
            "search has no argument 'grph'; did you mean graph; it takes text, n, graph",
        ),
        ("nodes", {}, "there is no tool 'nodes'; there are schema, search, "),
        ("neighbours", {"entity": "Kenya", "direction": "up"}, "direction must be 'auto', 'out', 'in' or 'both'"),
        ("paths", {"start": "a", "end": "b", "max_hops": 0}, "max_hops must be at least 1, got 0"),
        ("answer", {"question": "x", "seeds": "Kenya"}, "seeds must be a list"),
        ("answer", {"question": " "}, "question the question is empty"),
        ("documents", {}, "the graph tiny was not made from documents; use search, node and answer"),
        ("document", {"document": "a.md"}, "the graph tiny was not made from documents"),
    ],
)
def test_wrong_arguments_are_refused_in_words(tool, arguments, told):
    _, ((text, is_error),) = called([(tool, arguments)])
    assert is_error
    assert told in text
    assert "\n" not in text


def test_documents_are_listed_and_opened(tmp_path):
    folder = tmp_path / "docs" / "deep"
    folder.mkdir(parents=True)
    text = "# Fjord Ferries\n\nAlma Berg founded Fjord Ferries. Olav Berg lives in Voss."
    (folder / "ferry.md").write_text(text)
    (tmp_path / "docs" / "long.txt").write_text("Alma Berg saw Voss. " * 3_000)
    index([tmp_path / "docs"], tmp_path / "d.graph")
    calls = [
        ("documents", {}),
        ("documents", {"words": "FJORD"}),
        ("documents", {"n": 1}),
        ("documents", {"words": "zebra"}),
        ("document", {"document": "deep/ferry.md"}),
        ("document", {"document": "deep/ferry.md", "start": 17, "end": 49}),
        ("document", {"document": "long.txt"}),
        ("document", {"document": "none.md"}),
        ("node", {"entity": "Alma Berg"}),
    ]
    _, results = called(calls, graphs={"d": str(tmp_path / "d.graph")}, recipes={})
    every, fjord, first, none, whole, part, long, missing, card = (text for text, _ in results)
    assert every.splitlines()[0] == "deep/ferry.md: Fjord Ferries (1 passage)"
    assert fjord == every.splitlines()[0]
    assert first.endswith("(1 more; go on with offset 1)")
    assert none.startswith("none of the 2 documents has these words")
    assert whole == f"deep/ferry.md: Fjord Ferries\n(characters 0 to {len(text)} of {len(text)})\n\n{text}"
    assert part.endswith("\n\nAlma Berg founded Fjord Ferries.")
    assert "(characters 0 to 19,500 of " in long
    assert "there is no document 'none.md'" in missing
    assert card.startswith("Alma Berg [alma berg]")
    assert str(tmp_path) not in "".join(text for text, _ in results)


@pytest.mark.whole
def test_tools_are_served_over_http():
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "search", "arguments": {"text": "kenya", "n": 1}},
    }
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    with serving(token="secret") as client:
        assert client.post("/mcp", json=request, headers=headers).status_code == 401
        reply = client.post("/mcp", json=request, headers=headers | {"authorization": "Bearer secret"})
    assert reply.status_code == 200, reply.text
    assert "Kenya" in reply.json()["result"]["content"][0]["text"]


def test_no_stream_is_opened_that_would_always_be_empty(client):
    reply = client.get("/mcp", headers={"accept": "text/event-stream"})
    assert (reply.status_code, reply.headers["allow"]) == (405, "POST")


def test_the_logging_of_the_program_is_left_alone():
    root = logging.getLogger()
    before = list(root.handlers), root.level
    mcp_server(Service(options()))
    assert (list(root.handlers), root.level) == before


@pytest.mark.parametrize("name", ["schema", "search"])
def test_tools_say_what_they_take(name):
    tools, _ = called([])
    assert tools[name].description
    assert all("description" in one for one in tools[name].input_schema["properties"].values())


def test_wrong_arguments_are_told_in_one_line_without_their_values():
    calls = [
        ("answer", {"question": "Kenya " * 2_000}),
        ("answer", {}),
        ("search", {"text": "", "n": "secret-value"}),
    ]
    _, results = called(calls)
    texts = [text for text, is_error in results if is_error]
    assert len(texts) == 3
    assert all("\n" not in text and "pydantic" not in text and "secret-value" not in text for text in texts)
    assert "12,000 characters" in texts[0]
    assert "question" in texts[1]
    assert "text" in texts[2]
    assert "n must be a whole number" in texts[2]
