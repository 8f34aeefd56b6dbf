"""WebQSP as Microsoft publishes it: an object with a list ``Questions``, each with one or more parses."""

from __future__ import annotations

from collections.abc import Iterator

from graphbrick.evaluate.datasets.plain import together
from graphbrick.evaluate.datasets.question import Question
from graphbrick.evaluate.datasets.record import Record


def read(records: Iterator[Record], dataset: str) -> Iterator[Question]:
    """Yield the questions; seeds and answers are those of all parses together, in their order.

    The published scorer takes the best parse of each question and leaves out those whose parses are all incomplete;
    here nothing is left out, and the fact ``quality`` is ``good`` where a parse is complete and its question good, else
    ``partial``. ``hops`` is the length of the relation chain of the first parse that has one, the fact ``chain``.
    Answers that are values, such as dates, are kept as they are written.

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
        asked = "RawQuestion" if record.has("RawQuestion") else "ProcessedQuestion"
        distinct, called = together(answers, names)
        yield Question(
            id=record.text("QuestionId"),
            text=record.text(asked),
            seeds=tuple(dict.fromkeys(p.text("TopicEntityMid") for p in parses if p.has("TopicEntityMid"))),
            answers=distinct,
            answer_names=called,
            hops=len(chain) or None,
            dataset=dataset,
            facts={"quality": _quality(parses), **({"chain": " ".join(chain)} if chain else {})},
        )


def _quality(parses: list[Record]) -> str:
    for parse in parses:
        said = parse.inner("AnnotatorComment").values
        if said.get("QuestionQuality") == "Good" and said.get("ParseQuality") == "Complete":
            return "good"
    return "partial"
