"""The prompt for a language model that writes a query."""

from __future__ import annotations

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

DECLINED = "NONE"
"""The reply of a model that finds nothing in the schema that a question asks for."""
_PARTS_OF_NAMES = (
    "Examples of values in the schema show how values are written. A name of the question that is not among the "
    "entities of the question may be a part of a longer name, or be spelt otherwise: compare such texts with "
    "lower(x.label) CONTAINS 'part in lower case'. For yes or no, return a condition, such as count(*) > 0."
)
_IF_NONE = (
    f"If the question asks for something that no property or relation of the schema holds, reply {DECLINED} and nothing"
    " else; do not take what is merely similar."
)


def messages_for(
    language: str,
    schema: str,
    question: str,
    entities: Sequence[str] = (),
    pairs: Sequence[Pair] = (),
    *,
    declines: bool = False,
) -> list[dict[str, str]]:
    """Return the messages that ask for the query of a question.

    Args:
        language: "Cypher" or "SPARQL".
        schema: The schema as text.
        question: The question.
        entities: Descriptions of the entities that the question names, a line each.
        pairs: Questions with their queries, the most similar last.
        declines: Whether the model may say that the graph has no answer.
    """
    parts = [f"Schema:\n{schema}"]
    if pairs:
        parts.append("Examples:\n" + "\n".join(f"Question: {pair.question}\nQuery: {pair.query}" for pair in pairs))
    if entities:
        parts.append("Entities of the question:\n" + "\n".join(entities))
    parts.append(f"Question: {question}\nQuery:")
    further = [_PARTS_OF_NAMES] * (language == CYPHER) + [_IF_NONE] if declines else []
    return [
        {"role": "system", "content": " ".join((_INSTRUCTIONS[language], *further))},
        {"role": "user", "content": "\n\n".join(parts)},
    ]


def with_notes(messages: Sequence[Mapping[str, str]], notes: Sequence[str]) -> list[dict[str, str]]:
    """Return messages of `messages_for` with notes before the question, such as the faults of other queries."""
    *before, last = messages
    head, question, tail = last["content"].rpartition("\n\nQuestion: ")
    listed = "\n".join(f"- {note}" for note in notes)
    return [*map(dict, before), {**last, "content": f"{head}\n\nNotes:\n{listed}{question}{tail}"}]


def is_declined(reply: str) -> bool:
    """Return whether a reply says that the schema has nothing that is asked for.

    >>> is_declined("NONE"), is_declined("`None`."), is_declined("MATCH (n) RETURN n")
    (True, True, False)
    """
    return reply.strip(" `.\"'\n").removeprefix("cypher\n").strip().upper() == DECLINED
