"""The answers to a question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphbrick.core.deferred import Shown
from graphbrick.core.evidence import Evidence

if TYPE_CHECKING:
    from graphbrick.core.trace import Trace


@dataclass(frozen=True, slots=True)
class NearReading:
    """Another reading of a question, in words, with what to send to get its answers.

    Attributes:
        text: The reading in words, such as "services that depend on cart-db".
        question: The question to send, which is read so for sure.
        seeds: Keys of the entities to send with it; empty if the question tells them.
        answers: How many answers it has.
        confidence: The probability that it is what the question means, from 0 to 1; None if no stage estimates it.
        about: For another entity of a name in the question: what tells it from the others; else empty.
        texts: The first answers of such a reading.
    """

    text: str
    question: str
    seeds: tuple[str, ...] = ()
    answers: int = 0
    confidence: float | None = None
    about: str = ""
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Answer(Shown):
    """The answers to a question, best first.

    Attributes:
        texts: The answers as text.
        entities: The entity of each text; None if a text names no entity of the evidence.
        evidence: The items that support the answers.
        support: For each text, the indices in ``evidence.items`` of the items that support it; empty if nothing that
            was retrieved supports the answer.
        trace: What every stage did; set when a pipeline has run.
        from_model: Whether a language model answered from its own knowledge rather than from the evidence. Such an
            answer has no support, and may be given without any evidence.
        confidence: The probability that the first answer is right, from 0 to 1; None if no stage estimates it.
        withheld: The best reading of the question as text, such as ``Nairobi -> capital of -> *``, or the nearest
            sentence of the documents, if answers were withheld because their confidence is too low; empty otherwise.
        readings: Where there is no answer, up to three other readings of the question; else one for each other entity
            of a name in it that has answers too.
        marks: For each text that is quoted, the offsets of its first and after its last character in the text of the
            first item that supports it; empty if the texts are not quotations.
    """

    texts: tuple[str, ...] = ()
    entities: tuple[int | None, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)
    support: tuple[tuple[int, ...], ...] = ()
    trace: Trace | None = None
    from_model: bool = False
    confidence: float | None = None
    withheld: str = ""
    readings: tuple[NearReading, ...] = ()
    marks: tuple[tuple[int, int], ...] = ()
