"""Metrics of retrieved evidence and answers by a language model, under the names that RAGAS gave them.

The definitions are those of RAGAS (Es et al., EACL 2024, and its library), computed from verdicts of yes or no. The
prompts are ours, so that figures of other programs compare in kind only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from graphbrick.judge.asking import UnreadableError, prompts_digest
from graphbrick.judge.metrics import formulas
from graphbrick.judge.metrics.steps import PROMPTS, REPLIES, CaseSteps, Step
from graphbrick.judge.verdicts import Case
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.conversations import Conversation, Usage, ask_about
from graphbrick.models.llm.naming import name_of


class Metric(StrEnum):
    """A metric of one case, from 0 to 1 unless said otherwise; high is good except for noise sensitivity."""

    FAITHFULNESS = "faithfulness"
    """Statements of the answer that follow from the evidence / statements of the answer. An answer without statements,
    such as «I do not know», has none; without evidence nothing follows."""
    ANSWER_RELEVANCY = "answer_relevancy"
    """Mean cosine similarity of the question and three questions that a model guesses from the answer; 0 if the answer
    is noncommittal. From -1 to 1. It says nothing about truth."""
    CONTEXT_PRECISION = "context_precision"
    """Average precision of the ranked evidence: the mean, over the useful items, of the share of useful items down to
    it; 0 if no item is of use to arrive at the reference."""
    CONTEXT_PRECISION_WITHOUT_REFERENCE = "context_precision_without_reference"
    """The same, with items that are of use to arrive at the answer of the system."""
    CONTEXT_RECALL = "context_recall"
    """Sentences of the reference that follow from the evidence / sentences of the reference; 0 without evidence."""
    CONTEXT_ENTITY_RECALL = "context_entity_recall"
    """Entities of the reference that the evidence names / entities of the reference, compared without case, accents and
    punctuation. A reference without entities has none; 0 without evidence."""
    ANSWER_CORRECTNESS = "answer_correctness"
    """.75 F1 + .25 cosine similarity of answer and reference. F1 is TP / (TP + (FP + FN) / 2): TP and FP are the
    statements of the answer that follow from the reference, or do not, FN the statements of the reference that do not
    follow from the answer. From -.25 to 1."""
    NOISE_SENSITIVITY = "noise_sensitivity"
    """Statements of the answer that do not follow from the reference, but follow from relevant evidence / statements of
    the answer; low is good. An item of evidence is relevant if a statement of the reference follows from it."""
    NOISE_SENSITIVITY_IRRELEVANT = "noise_sensitivity_irrelevant"
    """The same with statements that follow from irrelevant evidence only."""


_NEEDS = {
    Metric.FAITHFULNESS: ("answer",),
    Metric.ANSWER_RELEVANCY: ("answer",),
    Metric.CONTEXT_PRECISION: ("reference", "evidence"),
    Metric.CONTEXT_PRECISION_WITHOUT_REFERENCE: ("answer", "evidence"),
    Metric.CONTEXT_RECALL: ("reference",),
    Metric.CONTEXT_ENTITY_RECALL: ("reference",),
    Metric.ANSWER_CORRECTNESS: ("answer", "reference"),
    Metric.NOISE_SENSITIVITY: ("answer", "reference", "evidence"),
    Metric.NOISE_SENSITIVITY_IRRELEVANT: ("answer", "reference", "evidence"),
}
USUAL = (
    Metric.FAITHFULNESS,
    Metric.ANSWER_RELEVANCY,
    Metric.CONTEXT_PRECISION,
    Metric.CONTEXT_RECALL,
    Metric.ANSWER_CORRECTNESS,
)
"""Metrics that are computed by default where there are references."""
USUAL_WITHOUT_REFERENCE = (
    Metric.FAITHFULNESS,
    Metric.ANSWER_RELEVANCY,
    Metric.CONTEXT_PRECISION_WITHOUT_REFERENCE,
)
"""The same where there are none."""
NEEDS_EMBEDDER = frozenset({Metric.ANSWER_RELEVANCY, Metric.ANSWER_CORRECTNESS})
"""Metrics that compare texts by their embeddings."""


class MetricValue(NamedTuple):
    """The value of a metric for one case.

    Attributes:
        value: The value; None if there is none, which never stands for 0.
        reason: Why there is none: "no answer", "no reference", "no evidence", "no statements", "no entities", or what
            could not be read; empty if there is one.
        unreadable: Whether there is none because a reply could not be read, or the model refused.
    """

    value: float | None
    reason: str = ""
    unreadable: bool = False


CaseValues = dict[Metric, MetricValue]


@dataclass(frozen=True)
class MetricJudge:
    """A language model that computes metrics of cases.

    Statements, verdicts and guesses of a case are asked for once, whichever metrics need them. A verdict that a reply
    leaves out is asked for once more; if it is still missing, the metrics that need it have no value for this case.
    Where evidence takes more than ``tokens``, it is shown in several calls, and a statement follows from the evidence
    if it follows from what one of them shows.

    The reference is the correct answers of the case (`Case.gold`), joined by commas.

    Args:
        llm: The model; best not the one that gave the answers. With a ``max_tokens`` of 1,000 and more, a call holds
            the verdicts on 16 statements.
        metrics: The metrics, at least one.
        embedder: Compares texts for answer relevancy and answer correctness, such as MiniLM().
        tokens: Most tokens of evidence in a call; at most a quarter of the context of the model is used.

    Raises:
        ValueError: There is no metric, or one needs an embedder.

    Example:
        >>> from graphbrick import LLM
        >>> from graphbrick.testing import ScriptedLLM
        >>> replies = [
        ...     '{"statements": ["Ada founded it.", "Ada was a weaver."]}',
        ...     '{"verdicts": [{"number": 1, "verdict": "yes"}, {"number": 2, "verdict": "no"}]}',
        ... ]
        >>> case = Case("Who founded it?", ("Ada founded it in 1901.",), "Ada, a weaver")
        >>> with ScriptedLLM(replies) as server:
        ...     judge = MetricJudge(LLM(base_url=server.base_url), (Metric.FAITHFULNESS,))
        ...     [(place, values["faithfulness"].value) for place, values in judge.measure([case])]
        [(0, 0.5)]
    """

    llm: ChatModel
    metrics: tuple[Metric, ...]
    embedder: Embedder | None = None
    tokens: int = 3000

    def __post_init__(self) -> None:
        if not self.metrics or self.tokens < 1:
            raise ValueError(f"a judge needs a metric and 1 token at least, got {self.metrics} and {self.tokens}")
        embedding = [metric.value for metric in self.metrics if metric in NEEDS_EMBEDDER]
        if embedding and self.embedder is None:
            raise ValueError(f"{' and '.join(embedding)} compare embeddings; give an embedder, such as MiniLM()")

    def identity(self, metric: Metric) -> str:
        """Return what changes the values of a metric, as text, with a checksum of the prompts."""
        embedder = f", {self.embedder!r}" if metric in NEEDS_EMBEDDER else ""
        prompts = prompts_digest(PROMPTS, *REPLIES)
        return f"MetricJudge({name_of(self.llm)}{embedder}, tokens={self.tokens}, prompts={prompts})"

    @property
    def model(self) -> ChatModel:
        """The model that is asked."""
        return self.llm

    def measure(self, cases: Iterable[Case], usage: Usage | None = None) -> Iterator[tuple[int, CaseValues]]:
        """Yield the values of each case with its place, as soon as they are there.

        Args:
            cases: The cases.
            usage: The calls are added to it.

        Raises:
            ModelError: The model cannot be asked. If the server refuses a prompt, the case has no readable value.
            StoppedError: The budget is used up; what is paid for was yielded.
        """
        return ask_about(self, enumerate(cases), usage=usage)

    def conversation(self, case: Case, /) -> Conversation[CaseValues]:
        """Return what the model is asked about a case."""
        steps = CaseSteps(self.llm, case, self.tokens)
        values: CaseValues = {}
        for metric in self.metrics:
            missing = next((need for need in _NEEDS[metric] if not getattr(steps, need)), None)
            if missing is not None:
                values[metric] = MetricValue(None, f"no {missing}")
                continue
            try:
                value = yield from _COMPUTED[metric](steps, self.embedder)
            except UnreadableError as error:
                values[metric] = MetricValue(None, str(error), unreadable=True)
                continue
            without = "no entities" if metric is Metric.CONTEXT_ENTITY_RECALL else "no statements"
            values[metric] = MetricValue(value, "" if value is not None else without)
        return values

    def refused(self, reason: str) -> CaseValues:
        """Return the values of a case whose prompt a server refused."""
        return {metric: MetricValue(None, reason, unreadable=True) for metric in self.metrics}


def _faithfulness(steps: CaseSteps, _: Embedder | None) -> Step[float | None]:
    return formulas.share((yield from steps.supported("evidence", "answer")))


def _answer_relevancy(steps: CaseSteps, embedder: Embedder | None) -> Step[float | None]:
    questions, noncommittal = yield from steps.guesses()
    return formulas.relevancy(_similarities(embedder, steps.question, questions), noncommittal=noncommittal)


def _context_precision(steps: CaseSteps, _: Embedder | None) -> Step[float | None]:
    return formulas.average_precision((yield from steps.useful("reference")))


def _without_reference(steps: CaseSteps, _: Embedder | None) -> Step[float | None]:
    return formulas.average_precision((yield from steps.useful("answer")))


def _context_recall(steps: CaseSteps, _: Embedder | None) -> Step[float | None]:
    return formulas.share((yield from steps.supported("evidence", "sentences")))


def _entity_recall(steps: CaseSteps, _: Embedder | None) -> Step[float | None]:
    wanted = yield from steps.entities("reference")
    return formulas.recall(wanted, (yield from steps.entities("evidence")) if wanted else set())


def _answer_correctness(steps: CaseSteps, embedder: Embedder | None) -> Step[float | None]:
    right = yield from steps.supported("reference", "answer")
    named = yield from steps.supported("answer", "reference")
    facts = formulas.f1(sum(right), right.count(False), named.count(False))
    similarity = _similarities(embedder, steps.reference, [steps.answer])[0]
    return None if facts is None else formulas.correctness(facts, similarity)


def _noise(steps: CaseSteps, *, relevant: bool) -> Step[float | None]:
    right = yield from steps.supported("reference", "answer")
    if not right:
        return None
    claims = yield from steps.supported_by_each("answer")
    reference = yield from steps.supported_by_each("reference")
    return formulas.noise_sensitivity(right, claims, reference, relevant=relevant)


def _similarities(embedder: Embedder | None, text: str, others: Sequence[str]) -> list[float]:
    assert embedder is not None  # checked by the judge
    return [float(similarity) for similarity in embedder.score(text, others)]


_COMPUTED: dict[Metric, Callable[[CaseSteps, Embedder | None], Step[float | None]]] = {
    Metric.FAITHFULNESS: _faithfulness,
    Metric.ANSWER_RELEVANCY: _answer_relevancy,
    Metric.CONTEXT_PRECISION: _context_precision,
    Metric.CONTEXT_PRECISION_WITHOUT_REFERENCE: _without_reference,
    Metric.CONTEXT_RECALL: _context_recall,
    Metric.CONTEXT_ENTITY_RECALL: _entity_recall,
    Metric.ANSWER_CORRECTNESS: _answer_correctness,
    Metric.NOISE_SENSITIVITY: lambda steps, _: _noise(steps, relevant=True),
    Metric.NOISE_SENSITIVITY_IRRELEVANT: lambda steps, _: _noise(steps, relevant=False),
}
