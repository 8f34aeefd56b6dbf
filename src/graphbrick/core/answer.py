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
        entities: The entity of each text, None where a text names no entity of the evidence.
        evidence: The items that support the answers.
        support: For each text, the places of those in ``evidence.items`` that support it; none where nothing that was
            retrieved holds the answer.
        trace: What every stage did; set when a pipeline has run.
    """

    texts: tuple[str, ...] = ()
    entities: tuple[int | None, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)
    support: tuple[tuple[int, ...], ...] = ()
    trace: Trace | None = None
