"""The answers to a question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphbrick.core.evidence import Evidence

if TYPE_CHECKING:
    from graphbrick.core.trace import Trace


@dataclass(frozen=True, slots=True)
class Answer:
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
        withheld: The best reading of the question as text, such as ``Nairobi -> capital of -> *``, if its answers were
            withheld because their confidence is too low; empty otherwise.
    """

    texts: tuple[str, ...] = ()
    entities: tuple[int | None, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)
    support: tuple[tuple[int, ...], ...] = ()
    trace: Trace | None = None
    from_model: bool = False
    confidence: float | None = None
    withheld: str = ""
