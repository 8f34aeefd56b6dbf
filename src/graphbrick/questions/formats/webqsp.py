"""Reader for WebQSP in its original format: a list ``Questions``, each with one or more parses."""

from __future__ import annotations

from collections.abc import Iterator

from graphbrick.questions.formats.plain import together
from graphbrick.questions.formats.record import Record
from graphbrick.questions.question import Question


def read(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions; seeds and answers are collected from all parses, in order.

    The published scorer takes the best parse of each question and drops questions whose parses are all incomplete. This
    reader keeps every question. Its fact ``quality`` is ``good`` if a parse is complete and rated a good question, else
    ``partial``. ``hops`` is the length of the first relation chain among the parses, which is the fact ``chain``.
    Literal answers, such as dates, are kept as written.

    Raises:
        InputError: A field is missing or of another type.
    """
    for record in records:
        parses = record.objects("Parses")
        answers: list[str] = []
        names: list[tuple[str, ...]] = []
        for answer in (answer for parse in parses for answer in parse.objects("Answers")):
            answers.append(answer.text("AnswerArgument"))
            names.append((answer.text("EntityName"),) if answer.has("EntityName") else ())
        chain = next((chain for parse in parses if (chain := parse.listed("InferentialChain"))), [])
        field = "RawQuestion" if record.has("RawQuestion") else "ProcessedQuestion"
        distinct, called = together(answers, names)
        yield Question(
            id=record.text("QuestionId"),
            text=record.text(field),
            seeds=tuple(dict.fromkeys(p.text("TopicEntityMid") for p in parses if p.has("TopicEntityMid"))),
            answers=distinct,
            answer_names=called,
            hops=len(chain) or None,
            dataset=dataset,
            facts={"quality": _quality(parses), **({"chain": " ".join(chain)} if chain else {})},
        )


def _quality(parses: list[Record]) -> str:
    for parse in parses:
        quality = parse.inner("AnnotatorComment").values
        if quality.get("QuestionQuality") == "Good" and quality.get("ParseQuality") == "Complete":
            return "good"
    return "partial"
