"""Reader for GrailQA in its original format: a list of objects, each with a graph query."""

from __future__ import annotations

from collections.abc import Iterator

from graphbrick.questions.formats.plain import together
from graphbrick.questions.formats.record import Record
from graphbrick.questions.question import Question

_FACTS = ("level", "function", "num_edge")


def read(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions; the seeds are the entities among the nodes of the graph query.

    The published test file has only ``qid`` and ``question``: its questions are kept, without seeds and gold answers.
    The level of generalisation, the function and the number of relations of the query are stored as facts. The number
    of relations is not the number of hops, because a query may be a tree. Literal answers are kept as written.

    Raises:
        InputError: A field is missing or of another type.
    """
    for record in records:
        answers: list[str] = []
        names: list[tuple[str, ...]] = []
        for answer in record.objects("answer"):
            answers.append(answer.text("answer_argument"))
            names.append((answer.text("entity_name"),) if answer.has("entity_name") else ())
        distinct, called = together(answers, names)
        nodes = record.inner("graph_query").objects("nodes")
        seeds = [node.text("id") for node in nodes if node.values.get("node_type") == "entity"]
        yield Question(
            id=record.text("qid"),
            text=record.text("question"),
            seeds=tuple(dict.fromkeys(seeds)),
            answers=distinct,
            answer_names=called,
            dataset=dataset,
            facts={name: record.text(name) for name in _FACTS if record.has(name)},
        )
