"""The prompt for a language model that writes a query, and the reader of its reply."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from graphbrick.graphs.queries.examples import Pair
from graphbrick.graphs.queries.tokens import CYPHER, SPARQL

_INSTRUCTIONS = {
    CYPHER: (
        "You write a Cypher query that answers a question over a property graph. Use only classes, relations and "
        "properties of the schema, each relation in its direction: (a)-[:r]->(b), or (b)<-[:r]-(a) from its end. The "
        "query only reads: MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, RETURN, ORDER BY, LIMIT. RETURN DISTINCT only "
        "what the question asks for, names rather than nodes. Names with spaces go in backticks. Reply with the query "
        "only."
    ),
    SPARQL: (
        "You write a SPARQL query that answers a question over an RDF graph. Use only classes, relations and "
        "properties of the schema, each relation in its direction. The query is SELECT or ASK, without FROM and "
        "SERVICE. SELECT DISTINCT only what the question asks for, names rather than IRIs. Declare all prefixes. Reply "
        "with the query only."
    ),
}
_FIRST_WORDS = "MATCH|OPTIONAL|WITH|UNWIND|RETURN|CALL|SELECT|ASK|PREFIX|BASE"  # not names of languages
_FENCE = re.compile(
    rf"```(?:(?!(?:{_FIRST_WORDS})\b)[A-Za-z]+(?![A-Za-z]))?[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE
)
_BEGINNING = re.compile(r"^\s*(?:query|(?:cypher|sparql)(?: query)?)\s*:\s*(?=\S)", re.IGNORECASE)


def messages_for(
    language: str, schema: str, question: str, entities: Sequence[str] = (), pairs: Sequence[Pair] = ()
) -> list[dict[str, str]]:
    """Return the messages that ask for the query of a question.

    Args:
        language: "Cypher" or "SPARQL".
        schema: The schema as text.
        question: The question.
        entities: Descriptions of the entities that the question names, a line each.
        pairs: Questions with their queries, the most similar last.
    """
    parts = [f"Schema:\n{schema}"]
    if pairs:
        parts.append("Examples:\n" + "\n".join(f"Question: {pair.question}\nQuery: {pair.query}" for pair in pairs))
    if entities:
        parts.append("Entities of the question:\n" + "\n".join(entities))
    parts.append(f"Question: {question}\nQuery:")
    return [
        {"role": "system", "content": _INSTRUCTIONS[language]},
        {"role": "user", "content": "\n\n".join(parts)},
    ]


def with_notes(messages: Sequence[Mapping[str, str]], notes: Sequence[str]) -> list[dict[str, str]]:
    """Return messages of `messages_for` with notes before the question, such as the faults of other queries."""
    *before, last = messages
    head, question, tail = last["content"].rpartition("\n\nQuestion: ")
    listed = "\n".join(f"- {note}" for note in notes)
    return [*map(dict, before), {**last, "content": f"{head}\n\nNotes:\n{listed}{question}{tail}"}]


def query_in(reply: str) -> str:
    """Return the query of a reply: its first fenced block, or all of it; empty if it has none.

    >>> query_in("Here it is:\\n```cypher\\nMATCH (n) RETURN n\\n```\\nIt lists all."), query_in("Query: RETURN 1")
    ('MATCH (n) RETURN n', 'RETURN 1')
    >>> query_in("```MATCH (n) RETURN n```")
    'MATCH (n) RETURN n'
    """
    fenced = _FENCE.search(reply)
    return _BEGINNING.sub("", fenced[1] if fenced else reply).strip()
