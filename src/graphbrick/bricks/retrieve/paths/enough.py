"""Conditions that end a `Repeat` when there is enough evidence."""

from __future__ import annotations

from dataclasses import dataclass

from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.enough import is_enough
from graphbrick.pipeline import Condition, Run


@dataclass(frozen=True, repr=False)
class EnoughPaths(Condition):
    """A condition that holds if the evidence has at least ``n`` items.

    Args:
        n: Items of evidence, at least 1.
    """

    n: int = parameter(8, at_least=1, search=(1, 8, 32))

    def holds(self, run: Run) -> bool:
        """Tell whether the evidence has at least ``n`` items."""
        return run.evidence is not None and len(run.evidence) >= self.n


@dataclass(frozen=True, repr=False)
class LLMEnough(Condition):
    """A condition that holds if a language model finds the answer in the evidence.

    The model is not asked while there is no evidence. A reply that says neither yes nor no is an event, and counts as
    no. If not all items fit the context of the model, it is shown the last ones, which is an event.

    Args:
        llm: The language model, such as LLM().

    Raises:
        ModelError: The server cannot be reached, refuses the request, or does not answer in time.
    """

    paper = "Sun et al., Think-on-Graph, ICLR 2024 (whether the paths are enough); LEGO-GraphRAG, technical report"

    llm: ChatModel = parameter(example="LLM()")

    def holds(self, run: Run) -> bool:
        """Tell whether the model finds the answer in the evidence."""
        if run.evidence is None or not run.evidence.items:
            return False
        enough = is_enough(self.llm, run.query.text, run.evidence.texts())
        if enough:
            event(f"{self.llm.model} found the evidence to be enough", "enough.by_model")
        return enough
