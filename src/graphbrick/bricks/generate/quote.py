"""Answers in the words of the documents, without a language model."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

import numpy as np

from graphbrick.bricks.generate.document_confidence import document_confidence
from graphbrick.bricks.generate.path_answer import computed, withheld_plan
from graphbrick.bricks.generate.restricted import unmet
from graphbrick.bricks.generate.sentence_scores import Floats, SentenceScores, sentence_scores, sentences_before
from graphbrick.core import Answer, Evidence, Item, Query
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import DETAIL, NOTE, REFUSAL, event
from graphbrick.graphs.corpus import TextGraph
from graphbrick.language.small_talk import small_talk
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.scorers.bm25 import BM25
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import GenerateStage
from graphbrick.text.documents.quotable import Quotable, joined_sentences, quotable, snippet, under_name, whole_sentence
from graphbrick.text.documents.respelling import respelled
from graphbrick.text.overview.calling import calling_of
from graphbrick.text.overview.versions import versions_in

_LONGEST = 500  # characters of a quotation
_MARKS = re.compile(r"[\"'“”„‘’«»`*_•·]|(?<!\S)[-–](?!\S)")
_COMPARED = 800  # characters of a sentence and its heading that are compared with the question
_TRIED, _WHOLE = 5, 0.35  # sentences that are compared with all that is quoted with them; its weight


@dataclass(frozen=True, repr=False)
class Quote(GenerateStage):
    """The sentences of the passages that answer the question best, word for word, each with its place.

    It does not say what the answer is, but where it stands: no model writes anything. A sentence is compared with the
    question under its heading; the words that both have and the kind of answer (a date for «when», a number for «how
    many») count too, and for the best sentences all that is quoted with them. A row of a table is quoted with the names
    of its columns, a list with the line above it, and what describes an option or a function under its name.
    Headings and questions are not quoted; code and menus only if the question speaks of them. A sentence that goes on
    in the next passage, such as one over a page break, is quoted whole. What stands around a short sentence is quoted
    with it, as far as there is room: what it goes on from, and the better of the sentences before and after.

    A sentence with the day, month, year or number that the question asks about comes before one with another: «bus 12
    on Sundays» is not bus 14, nor Saturdays. A range of days has those in it. If the first quotation has none of them,
    an event tells it. A sentence that goes on with a pronoun
    («It is closed on Fridays») has the words of the one before. Typing errors are read as the retrieve stage reads
    them.

    Answers that an earlier stage computed, such as those of `Overview`, are given as they are.

    The confidence of the answer is the probability that the passages hold an answer at all. It was fitted to
    documents in English, German and French; of other languages it is less sure.

    Args:
        scorer: Compares sentences with the question, such as MiniLM() or BM25().
        n: Most sentences, at least 1.
        min_confidence: Withhold answers of lower confidence, from 0 to 1; 0 gives every answer.
        around: Most characters of a sentence with what is quoted around it, at least 0; 0 quotes sentences alone.

    Returns:
        Distinct quotations, best first; each is supported by the passages that its sentence stands in, where `marks`
        has the place of the sentence itself. Empty if the evidence has no passage, if the confidence is too low, and
        for greetings and thanks; an event tells which.
    """

    scorer: Scorer = parameter(example="MiniLM()")
    n: int = parameter(3, at_least=1, search=(1, 3, 5))
    min_confidence: float = parameter(0.0, at_least=0, at_most=1)
    around: int = parameter(250, at_least=0, search=(0, 250))

    def generate(self, query: Query, evidence: Evidence) -> Answer:
        """Return the sentences."""
        if small_talk(query.text):
            event(
                "that is not a question; ask what you want to know from the documents",
                "quote.small_talk",
                REFUSAL,
            )
            return Answer()
        if evidence.has_answers:  # about the documents as a whole, or computed from their records
            return withheld_plan(evidence, self.min_confidence) or computed(evidence)
        quotables = quotable(evidence.items)
        if not quotables:
            event(
                f"no answer: {'no item of the evidence is a passage' if evidence.items else 'the evidence is empty'}",
                "quote.no_passage",
                items=len(evidence.items),
            )
            return Answer()
        graph = evidence.items[quotables[0].item].graph
        question = respelled(graph, query.text, tell=False) if isinstance(graph, TextGraph) else query.text
        texts = [f"{one.heading} {one.text}".strip()[:_COMPARED] for one in quotables]
        similarity, is_embedder = self._similarity(question, texts, evidence.items)
        scores = sentence_scores(question, quotables, similarity, evidence.items)
        order = self._order(question, quotables, scores, evidence.items, by_similarity=is_embedder)
        first = self._around(quotables, scores.total.tolist(), order[0])
        confidence = document_confidence(question, evidence.items, first, scores, by_similarity=is_embedder)
        answer = self._answer(evidence, quotables, order, scores)
        if confidence >= self.min_confidence:
            if not scores.versions[first[0].item]:
                place = evidence.items[first[0].item].citations[0]
                versions = calling_of(graph, place.document).versions if isinstance(graph, TextGraph) else ()
                _tell_unmet(question, quotables, [quotables.index(one) for one in first], versions)
            return replace(answer, confidence=confidence)
        event(
            f"not in these documents, as far as their words tell: confidence {confidence:.2f}, and "
            f"{self.min_confidence:.2f} is needed; what comes nearest: {answer.texts[0]}",
            "quote.low_confidence",
            REFUSAL,
            confidence=confidence,
            nearest=answer.texts[0],
        )
        return Answer(evidence=answer.evidence, confidence=confidence, withheld=answer.texts[0])

    def _similarity(self, question: str, texts: list[str], items: Sequence[Item]) -> tuple[Floats, bool]:
        """Return the similarity of each text with the question, and whether it is that of embeddings.

        Words are compared for a question in a script that the embedder was not trained for.
        """
        if not isinstance(self.scorer, Embedder) or self.scorer.reads(question):
            return self.scorer.rate(question, texts), isinstance(self.scorer, Embedder)
        is_told = any(repr(self.scorer) in item.source for item in items)  # by the stage that found the passages
        event(
            f"{self.scorer!r} does not read the script of this question: its sentences were chosen by words (USE() "
            "reads 16 languages)",
            "quote.other_script",
            DETAIL if is_told else NOTE,
        )
        return BM25().rate(question, texts), False

    def _order(
        self,
        question: str,
        quotables: Sequence[Quotable],
        scores: SentenceScores,
        items: Sequence[Item],
        *,
        by_similarity: bool,
    ) -> list[int]:
        """Return the sentences, best first; the very best by the similarity of all that is quoted with them too."""
        order: list[int] = np.argsort(-scores.total, kind="stable").tolist()
        if not by_similarity or not self.around:
            return order
        best, total = order[:_TRIED], scores.total.tolist()
        around = [self._around(quotables, total, i) for i in best]
        texts = [f"{one[0].heading} {joined_sentences(one, items[one[0].item].text)}".strip() for one in around]
        similarity = self.scorer.rate(question, [text[:_COMPARED] for text in texts])
        whole = scores.total[best] + _WHOLE * similarity
        return [best[i] for i in np.argsort(-whole, kind="stable")] + order[_TRIED:]

    def _around(
        self, quotables: Sequence[Quotable], scores: Sequence[float], i: int, quoted: AbstractSet[str] = frozenset()
    ) -> list[Quotable]:
        """Return the sentences of a quotation."""
        return [quotables[j] for j in snippet(quotables, scores, i, self.around, quoted)]

    def _answer(
        self, evidence: Evidence, quotables: Sequence[Quotable], order: Sequence[int], scored: SentenceScores
    ) -> Answer:
        """Return the best distinct quotations, each with the passages that have its sentence or a part of it."""
        alike: dict[str, list[Quotable]] = {}
        for one in quotables:
            alike.setdefault(_bare(one.text), []).append(one)
        chosen: dict[str, list[Quotable]] = {}
        quoted, scores = set[str](), scored.total.tolist()
        for i in order:
            if quotables[i].text in quoted:
                continue
            if len(chosen) == self.n:
                break
            parts = self._around(quotables, scores, i, quoted)
            item = evidence.items[parts[0].item]
            shown = whole_sentence(parts[0], item) if len(parts) == 1 else joined_sentences(parts, item.text)
            quoted.update(one.text for part in parts for one in alike[_bare(part.text)])
            shown, version = under_name(shown, parts[0].heading), scored.versions[quotables[i].item]
            version = version or scored.above[quotables[i].item]
            shown = f"{version}: {shown}" if version and version not in shown else shown
            chosen.setdefault(shown, []).extend((quotables[i], *alike[_bare(quotables[i].text)]))
        used = sorted({one.item for parts in chosen.values() for one in parts})
        place = {item: number for number, item in enumerate(used)}
        return Answer(
            texts=tuple(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..." for text in chosen),
            entities=(None,) * len(chosen),
            evidence=replace(evidence, items=tuple(evidence.items[i] for i in used)),
            support=tuple(tuple(dict.fromkeys(place[one.item] for one in parts)) for parts in chosen.values()),
            marks=tuple((parts[0].start, parts[0].end) for parts in chosen.values()),
        )


def _bare(text: str) -> str:
    """Return a sentence without the marks in which a PDF, a page and a text of one document differ.

    >>> _bare("• The “log” is *old*") == _bare('- The "log" is old')
    True
    """
    return " ".join(_MARKS.sub("", text).split())


def _tell_unmet(question: str, quotables: Sequence[Quotable], first: Sequence[int], versions: Collection[str]) -> None:
    """Record which days, months, years and numbers of the question the first quotation does not speak of.

    Versions that its document is called by are spoken of.
    """
    before = sentences_before(quotables)
    missing = [unmet(question, quotables, before, i) for i in first]
    words = [word for word in missing[0] if all(word in one for one in missing)]
    words = [word for word in words if not any(one.number in versions for one in versions_in(word))]
    if words:
        text = f"the first quotation does not speak of {', '.join(words)}"
        event(text, "quote.other_part", words=words)
