"""Queries in the wrappings that models put around them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from graphbrick.graphs.queries.guard import RefusedQueryError, check_read_only
from graphbrick.graphs.queries.reply import query_in

CYPHER = "MATCH (p:Person {name: 'Ridley Scott'})-[:DIRECTED]->(f:Film) RETURN DISTINCT f.title"
NAMES = "MATCH (a:`my film`)-[:`acted in`]->(b) WHERE a.title IN ['Heat', \"St. Elmo's Fire\"] RETURN b.name"
LINES = "MATCH (p:Person)-[:DIRECTED]->(f:Film)\n\nWHERE f.year > 1980\nRETURN f.title,\n  f.year\nORDER BY f.year"
VERSION = "CYPHER 5 MATCH (n:Film) RETURN n.title LIMIT 3"
WITHOUT_MATCH = "UNWIND [1, 2] AS x RETURN sum(x) AS total"
SPARQL = 'PREFIX ex: <http://ex.org/>\nSELECT ?f WHERE { ?f ex:by "Ridley Scott" ; rdfs:label ?l }\nORDER BY ?l'
ASK = "ASK { ?f ?p 'Heat' }"
QUERIES = {"Cypher": [CYPHER, NAMES, LINES, VERSION, WITHOUT_MATCH], "SPARQL": [SPARQL, ASK]}
ALL = [(language, query) for language, queries in QUERIES.items() for query in queries]

WRAPPINGS = {
    "plain": "{}",
    "fence": "```\n{}\n```",
    "fence of a language": "```cypher\n{}\n```",
    "fence without line": "```{}```",
    "fence in prose": "Here it is:\n```sql\n{}\n```\nIt lists all films.",
    "open fence": "```cypher\n{}",
    "lone closing fence": "{}\n```",
    "end of turn": "{}<|im_end|>",
    "end of sentence": "{}</s>",
    "end of turn, Gemma": "{}<end_of_turn>\n<start_of_turn>user\nNext question?",
    "end of text, and more": "{}<|endoftext|>Human: What else?",
    "explanation": "{}\n\nExplanation: the query follows DIRECTED from the person.",
    "note": "{}\n\nNote: names are matched exactly.",
    "explanation in the next line": "{}\nThis query returns every film of the director.",
    "bold explanation": "{}\n\n**Explanation**\n\n1. It finds the person.\n2. It returns the films.",
    "label": "query: {}",
    "label and quotes": 'query: "{}"',
    "label, quotes, and more": 'query: "{}"\nIt lists them all.',
    "label of the language": "Cypher: {}",
    "bold label": "**Cypher query:**\n{}",
    "label and blank line": "Query:\n\n{}",
    "inline code": "`{}`",
    "inline code in prose": "The query is `{}` which lists them.",
    "quotes": '"{}"',
    "curly quotes": "“{}”",
    "sure": "Sure! {}",
    "sure, here": "Sure, here is the query: {}",
    "list": "1. {}",
    "dash": "- {}",
    "quotation": "> {}",
    "tags": "<cypher>{}</cypher>",
    "tags of queries": "<query>\n{}\n</query>\nDone.",
    "final channel": "<|channel|>final<|message|>{}",
    "analysis and final channel": (
        "<|channel|>analysis<|message|>I need MATCH (x) RETURN x here.<|end|><|start|>assistant<|channel|>final"
        "<|message|>{}<|return|>"
    ),
    "tildes": "~~~\n{}\n~~~",
}


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_a_query_is_taken_out_of_its_wrapping(wrapping: str) -> None:
    for language, query in ALL:
        assert query_in(WRAPPINGS[wrapping].replace("{}", query), language) == query


@pytest.mark.parametrize(
    "value",
    [
        lambda query: {"query": query},
        lambda query: {"cypher": query},
        lambda query: {"reasoning": "It follows the relation.", "sparql": query},
        lambda query: {"name": "run", "arguments": {"query": query}},
        lambda query: query,
    ],
)
@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "```\n{}\n```\nDone.", "{}<|im_end|>"])
def test_a_query_is_taken_out_of_json(value: Callable[[str], object], around: str) -> None:
    for language, query in ALL:
        assert query_in(around.replace("{}", json.dumps(value(query))), language) == query


@pytest.mark.parametrize(
    "reply",
    [
        "With this graph I cannot answer the question.",
        "Return nothing.",
        "Match the film with its director and return the name of the person.",
        "Select the films that Ridley Scott made, then ask for names.",
        "Ask the user which film is meant.",
        "Call me if you need more.",
        "Unwind the list of films and count them.",
        "Optional: look at the schema again.",
        "I would use MATCH and RETURN, but the schema has no films.",
        "```\n```",
        "",
        "   \n",
        '{"query": ""}',
        '{"query": "I do not know"}',
    ],
)
@pytest.mark.parametrize("language", ["Cypher", "SPARQL"])
def test_prose_is_not_run(reply: str, language: str) -> None:
    with pytest.raises(
        RefusedQueryError
    ):  # what is not taken for a query and is no text at all goes to the guard, which tells the model more
        check_read_only(query_in(reply, language), language)


def test_curly_quotes_within_a_query_become_straight() -> None:
    reply = "MATCH (f:Film {title: ‘St. Elmo’s Fire’}) WHERE f.note = “good” RETURN f.year"
    assert query_in(reply, "Cypher") == (
        "MATCH (f:Film {title: 'St. Elmo’s Fire'}) WHERE f.note = 'good' RETURN f.year"
    )


def test_what_the_guard_refuses_is_given_to_it() -> None:
    assert query_in("DROP TABLE Film", "Cypher") == "DROP TABLE Film"
    assert query_in("MATCH (f:Film) DETACH DELETE f", "Cypher") == "MATCH (f:Film) DETACH DELETE f"
    assert query_in("MATCH (f:Film) RETRUN f.title", "Cypher") == "MATCH (f:Film) RETRUN f.title"
