"""What is true of a question on documents: its stored answer, or the text of the document that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePath

from graphbrick.graphs.corpus import TextGraph
from graphbrick.questions.question import Question

_LONGEST = 12_000  # characters


@dataclass(frozen=True)
class Reference:
    """What a judge is shown beside question and answer.

    Attributes:
        kind: "answer" for the right answer, "document" for the text of a document that has it.
        text: The text.
        is_cut: Whether the text goes on.
    """

    kind: str
    text: str
    is_cut: bool = False

    @property
    def name(self) -> str:
        """Its name in records, which another text changes: ``answer 0f3a9c21``."""
        return f"{self.kind} {sha256(self.text.encode()).hexdigest()[:8]}"

    @classmethod
    def of_text(cls, kind: str, text: str) -> Reference:
        """Return a reference, cut if it is longer than a judge is shown."""
        return cls(kind, text[:_LONGEST], len(text) > _LONGEST)


def references_of(questions: Iterable[Question], graph: TextGraph) -> Mapping[str, Reference]:
    """Return the reference of each question that has one, by its id.

    The published RagEvaluator rates answers to questions about all documents against the stored answer, and answers to
    questions about a document against the text of that (Klaasse, Lockhorst and De Bleecker, 2025).

    Args:
        questions: The questions; gold answers go before the fact ``document``, an address or the name of a file.
        graph: A graph of the documents.
    """
    texts = _texts(graph)
    names: dict[str, list[str]] = {}
    for address in texts:
        names.setdefault(PurePath(address).name, []).append(address)
    found = {}
    for question in questions:
        document = question.facts.get("document", "")
        addresses = [document] if document in texts else names.get(document, [])
        if question.answers:
            answers = [" / ".join(of_one) for of_one in question.names]
            found[question.id] = Reference.of_text("answer", "; ".join(answers))
        elif len(addresses) == 1:
            found[question.id] = Reference.of_text("document", texts[addresses[0]])
    return found


def _texts(graph: TextGraph) -> dict[str, str]:
    """Return the text of each document, by its address."""
    parts: dict[str, list[str]] = {}
    for passage in map(graph.passage, range(graph.n_passages)):
        parts.setdefault(passage.document, [passage.title] if passage.title else []).append(passage.text)
    return {address: "\n\n".join(texts) for address, texts in parts.items()}
