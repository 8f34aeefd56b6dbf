"""Answers by a language model."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphbrick.core import Answer, Evidence, Path, Query
from graphbrick.graphs.text import fold
from graphbrick.models.llm import LLM
from graphbrick.models.replies import numbered, one_line, opened, shown
from graphbrick.pipeline import GenerateStage
from graphbrick.trace import event

_NOTHING = "NOT IN THE PATHS"
_INSTRUCTION = (
    "You answer questions from reasoning paths of a knowledge graph, and from nothing else. "
    "In a path, A -> r -> B means that A has the relation r to B, and A <- r <- B that B has the relation r to A.\n"
    "Reply with the answers only, one a line, the most likely first, each written as in the paths, without numbering "
    f"and without explanation. If the paths do not hold the answer, reply {_NOTHING}."
)
_LONGEST_REPORT = 4000  # characters
_MOST = 100  # answers; more are a model that does not stop
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")


@dataclass(frozen=True, repr=False)
class Generate(GenerateStage):
    """The answers a language model reads out of the evidence, by a zero-shot prompt.

    An answer that is the label of no entity on any path is an event in the trace: the model may have made it up. The
    model is not called where there is no evidence.

    Args:
        llm: The language model, such as LLM().

    Returns:
        Distinct answers in the order of the reply; the paths that hold them.

    Raises:
        ModelError: The server is away, refuses, or does not answer in time.
    """

    paper = "Cao et al., LEGO-GraphRAG, VLDB 2025 (generation, zero-shot)"

    llm: LLM

    def __post_init__(self) -> None:
        self.require_part("llm", LLM, example="LLM()")

    def generate(self, query: Query, evidence: Evidence) -> Answer:
        """Ask the model and read its reply."""
        if not evidence.items:
            event("no answer: the evidence is empty; the model was not called")
            return Answer()
        given = f"Paths:\n{numbered(item.text for item in evidence.paths)}\n\n"
        if evidence.reports:
            reports = numbered((item.text for item in evidence.reports), longest=_LONGEST_REPORT)
            given += f"Reports on parts of the graph:\n{reports}\n\n"
        reply = self.llm.complete(
            [
                {"role": "system", "content": _INSTRUCTION},
                {"role": "user", "content": f"{given}Question: {one_line(query.text)}\nAnswers:"},
            ]
        )
        texts = _read(reply)
        if len(texts) > _MOST:
            event(f"of {len(texts):,} answers the first {_MOST} were taken: {shown(reply)}")
            texts = texts[:_MOST]
        if not texts:
            event(f"no answer: the model replied {shown(reply)}")
        return _grounded(texts, evidence)


def _read(reply: str) -> list[str]:
    """The answers of a reply, each once whatever its case; none where the model found nothing.

    They are its lines, without bullets and Markdown, or the items of a JSON list.
    """
    text, value = opened(reply)
    listed = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else value
    found = list(map(str, listed)) if isinstance(listed, list) else text.splitlines()
    answers: dict[str, str] = {}
    for line in found:
        bare = _BULLET.sub("", line).strip().strip("`\"'*").strip()
        if bare:
            answers.setdefault(_key(bare), bare)
    nothing = fold(_NOTHING) in answers or list(answers) == ["none"]
    return [] if nothing else list(answers.values())


def _key(text: str) -> str:
    """What two spellings of one name share; a name without letters and digits is itself."""
    return fold(text) or text


def _grounded(texts: list[str], evidence: Evidence) -> Answer:
    """Each answer with its entity on the paths, and the paths that hold them."""
    entities: dict[str, int] = {}
    for item in evidence.items:
        # The end of a path is the likelier meaning of a name than a station on the way.
        for node in reversed(item.nodes):
            entities.setdefault(_key(item.graph.label(node)), node)
    found = [entities.get(_key(text)) for text in texts]
    for text, entity in zip(texts, found, strict=True):
        if entity is None:
            event(f"the answer {text[:200]!r} stands on no path of the evidence")
    wanted = {entity for entity in found if entity is not None}
    support = tuple(
        item for item in evidence.items if wanted.intersection(item.nodes[1:] if isinstance(item, Path) else item.nodes)
    )
    return Answer(tuple(texts), tuple(found), Evidence(support))
