"""Answers in the words of the documents, without a language model."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from graphbrick.core import Answer, Evidence, Query
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import GenerateStage
from graphbrick.text.documents.sentences import sentences

_LONGEST = 500  # characters of a quotation
_LEAST_WORDS = 3


@dataclass(frozen=True, repr=False)
class Quote(GenerateStage):
    """The sentences of the passages that are nearest to the question, word for word, each with its place.

    It does not say what the answer is, but where it stands: no model writes anything. A sentence is compared under the
    heading that it stands under. Headings and questions are not quoted.

    Args:
        scorer: Compares sentences with the question, such as MiniLM() or BM25().
        n: Most sentences, at least 1.

    Returns:
        Distinct sentences, nearest first; each is supported by the passages that it stands in. Empty if the evidence
        has no passage.
    """

    scorer: Scorer = parameter(example="MiniLM()")
    n: int = parameter(3, at_least=1, search=(1, 3, 5))

    def generate(self, query: Query, evidence: Evidence) -> Answer:
        """Return the sentences."""
        support: dict[str, list[int]] = {}
        heading: dict[str, str] = {}
        for i, item in enumerate(evidence.items):
            cited = [citation for citation in item.citations if citation.document]
            section = cited[0].section.rpartition(" > ")[2] if cited else ""
            for start, end in sentences(item.text) if cited else ():
                sentence = " ".join(item.text[start:end].split())
                is_long = len(sentence.split()) >= _LEAST_WORDS or not sentence.isascii()
                if is_long and not sentence.endswith(("?", "？")) and sentence.strip("# ") != section:
                    support.setdefault(sentence, []).append(i)
                    heading.setdefault(sentence, section)
        if not support:
            event(
                f"no answer: {'no item of the evidence is a passage' if evidence.items else 'the evidence is empty'}",
                "quote.no_passage",
                items=len(evidence.items),
            )
            return Answer()
        listed = list(support)
        scores = self.scorer.rate(query.text, [f"{heading[sentence]} {sentence}".strip() for sentence in listed])
        chosen = [listed[i] for i in np.argsort(-scores, kind="stable")[: self.n]]
        used = sorted({i for sentence in chosen for i in support[sentence]})
        place = {i: number for number, i in enumerate(used)}
        return Answer(
            texts=tuple(sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST]}..." for sentence in chosen),
            entities=(None,) * len(chosen),
            evidence=replace(evidence, items=tuple(evidence.items[i] for i in used)),
            support=tuple(tuple(place[i] for i in dict.fromkeys(support[sentence])) for sentence in chosen),
        )
