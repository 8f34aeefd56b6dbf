"""Features of a case for a judge that learns: one row of numbers, each with a name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import log

import numpy as np

from graphbrick.judge.judges.parts import Floats, Reader, parts_of
from graphbrick.judge.verdicts import Case, Label
from graphbrick.judge.words import content_words, coverage
from graphbrick.language.folding import fold
from graphbrick.language.stems import short_stem
from graphbrick.text.documents.sentences import sentences

_MOST_WORDS = 20_000  # of which document frequencies are kept
_NUMBER = re.compile(r"\d[\d.,:/-]*")
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w-]+")
_AMOUNT = re.compile(
    r"\b(?:how (?:many|much|long|old|far|often|tall|high|deep|big|large)|when|what (?:year|date|time))\b", re.I
)
_PERSON = re.compile(r"\b(?:who|whom|whose|which|where)\b", re.I)
# Replies of systems that found nothing, as people and models write them.
_NO_ANSWER = re.compile(
    r"\bi (?:do not|don't) (?:know|have)\b"
    r"|\b(?:can(?:no|')t|could not|couldn't|unable to) (?:find|answer|determine|provide)\b"
    r"|(?:\bnot|n't) (?:explicitly |specifically |directly )?"
    r"(?:mention(?:ed)?|provided?|specif(?:y|ied)|stated?|say|said|contain|includ(?:e|ed)|given|clear|available)\b"
    r"|\b(?:no|not any|not enough|no relevant|no specific) (?:information|answer|mention)\b",
    re.I,
)

QUESTION_AND_TEXT = (
    "cosine", "mean cosine", "second cosine", "sentence cosine", "re-ranker", "mean re-ranker", "second re-ranker",
    "words", "words in one part", "words in a sentence", "pairs of words", "rare words", "names", "amount",
    "name asked",
)  # fmt: skip
ANSWER_AND_TEXT = (
    "answer cosine", "mean answer cosine", "worst answer cosine", "answer re-ranker", "answer words",
    "answer words in one part", "answer in text", "numbers of answer", "names of answer", "no answer",
)  # fmt: skip
QUESTION_AND_ANSWER = (
    "cosine of answer", "words in answer", "re-ranker of answer", "amount in answer", "new words", "no answer",
)  # fmt: skip
_OF = {
    Label.CONTEXT_RELEVANCE: QUESTION_AND_TEXT,
    Label.ANSWER_FAITHFULNESS: ANSWER_AND_TEXT,
    Label.ANSWER_RELEVANCE: QUESTION_AND_ANSWER,
}
"""Lengths are not among them: a judge that learns that short texts are right is a judge of length."""


def names_of(label: Label) -> tuple[str, ...]:
    """Return the names of the numbers that are made for a label; none if it cannot be learned."""
    return _OF.get(label, ())


def signs_of(label: Label) -> Floats:
    """Return 1 for numbers that speak for a label and -1 for those against it, float64 [names].

    A number that correlates with better ones gets a weight of the other sign in training, which holds for passages of
    that kind only: with these signs, judges do better on data sets that they have not seen.
    """
    return np.array([-1.0 if name == "no answer" else 1.0 for name in names_of(label)])


def rarity(texts: Iterable[str]) -> dict[str, float]:
    """Return the inverse document frequency, ln(n / texts with it), of the most frequent stems.

    A word that is not among them counts as much as the rarest.

    Args:
        texts: The texts, each a document.
    """
    counts: Counter[str] = Counter()
    n = 0
    for text in texts:
        counts.update(content_words(text))
        n += 1
    most = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:_MOST_WORDS]
    return {word: round(log(n / count), 3) for word, count in most}


class Features:
    """Makes the numbers of cases.

    Args:
        reader: Compares texts.
        weight: Inverse document frequencies, see `rarity`.
    """

    def __init__(self, reader: Reader, weight: Mapping[str, float]) -> None:
        self._reader, self._weight = reader, weight
        self._rarest = max(weight.values(), default=1.0)

    def of(self, label: Label, cases: Sequence[Case]) -> Floats:
        """Return the numbers of cases, float64 [cases, names], in the order of `names_of`."""
        make = {
            Label.CONTEXT_RELEVANCE: self._question_and_text,
            Label.ANSWER_FAITHFULNESS: self._answer_and_text,
            Label.ANSWER_RELEVANCE: self._question_and_answer,
        }[label]
        self._embed(cases)
        return np.array([make(case) for case in cases], dtype=np.float64).reshape(len(cases), len(_OF[label]))

    def _embed(self, cases: Sequence[Case]) -> None:
        """Embed the parts of all cases together, which is faster than one case at a time."""
        texts = [text for case in cases for text in (case.question, *parts_of(case.evidence))]
        self._reader.vectors(list(dict.fromkeys(texts)))

    def _share(self, words: Iterable[str], text: frozenset[str]) -> float:
        """Return the share of words that a text has, rare ones counting more."""
        return coverage(frozenset(words), text, {word: self._weight.get(word, self._rarest) for word in words})

    def _question_and_text(self, case: Case) -> list[float]:
        question, parts = case.question, parts_of(case.evidence)
        words = content_words(question)
        if not parts or not words:
            return [0.0] * len(QUESTION_AND_TEXT)
        similar = np.sort(self._reader.similar(question, parts))[::-1]
        # The re-ranker is slow: it reads the parts that the embedding model prefers.
        best = [parts[i] for i in np.argsort(-self._reader.similar(question, parts), kind="stable")[:4]]
        relevant = np.sort(self._reader.relevant(question, best))[::-1]
        by_part = [content_words(part) for part in parts]
        whole = frozenset[str]().union(*by_part)
        lines = [line for part in best[:2] for line in _lines(part)]
        by_line = [content_words(line) for line in lines]
        closest = lines[int(np.argmax([self._share(words, line) for line in by_line]))]
        rare = {word for word in words if self._weight.get(word, self._rarest) >= 0.7 * self._rarest}
        return [
            similar[0], similar.mean(), similar[min(1, len(similar) - 1)],
            float(self._reader.similar(question, lines).max()),
            relevant[0], relevant.mean(), relevant[min(1, len(relevant) - 1)],
            self._share(words, whole), max(self._share(words, part) for part in by_part),
            max(self._share(words, line) for line in by_line), _pairs_shared(question, " . ".join(parts)),
            coverage(rare, whole) if rare else 1.0, coverage(_names(question), whole) if _names(question) else 1.0,
            float(not _AMOUNT.search(question) or bool(_NUMBER.search(closest))),
            float(not _PERSON.search(question) or bool(_names(closest) - _names(question) - words)),
        ]  # fmt: skip

    def _answer_and_text(self, case: Case) -> list[float]:
        answer, parts = case.answer, parts_of(case.evidence)
        if not parts or not content_words(answer):
            return [0.0] * (len(ANSWER_AND_TEXT) - 1) + [float(_is_no_answer(answer))]
        lines = [line for line in _lines(answer) if content_words(line)]
        similar = np.array([self._reader.similar(line, parts).max() for line in lines])
        closest = [parts[int(np.argmax(self._reader.similar(line, parts)))] for line in lines[:3]]
        relevant = [
            float(self._reader.relevant(line, [part]).max()) for line, part in zip(lines, closest, strict=False)
        ]
        words, by_part = content_words(answer), [content_words(part) for part in parts]
        whole = frozenset[str]().union(*by_part)
        numbers, names = _numbers(answer), _names(answer)
        text = " ".join(parts)
        return [
            similar.max(), similar.mean(), similar.min(), float(np.mean(relevant)), self._share(words, whole),
            max(self._share(words, part) for part in by_part), float(f" {fold(answer)} " in f" {fold(text)} "),
            coverage(numbers, _numbers(text)) if numbers else 1.0, coverage(names, whole) if names else 1.0,
            float(_is_no_answer(answer)),
        ]  # fmt: skip

    def _question_and_answer(self, case: Case) -> list[float]:
        question, answer = case.question, case.answer
        if not fold(answer):
            return [0.0] * (len(QUESTION_AND_ANSWER) - 1) + [1.0]
        parts = parts_of((answer,))
        words, said = content_words(question), content_words(answer)
        return [
            float(self._reader.similar(question, parts).max()), self._share(words, said),
            float(self._reader.relevant(question, parts).max()),
            float(not _AMOUNT.search(question) or bool(_NUMBER.search(answer))),
            float(bool(said - words)), float(_is_no_answer(answer)),
        ]  # fmt: skip


def _is_no_answer(answer: str) -> bool:
    """Return whether an answer says that there is none."""
    return not fold(answer) or _NO_ANSWER.search(answer) is not None


def _lines(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)] or [text]


def _names(text: str) -> frozenset[str]:
    """Return the stems of words with a capital that do not begin a sentence."""
    return frozenset(short_stem(fold(match.group())) for match in _NAME.finditer(text))


def _numbers(text: str) -> frozenset[str]:
    return frozenset(match.group().strip(".,:/-") for match in _NUMBER.finditer(text))


def _pairs_shared(question: str, text: str) -> float:
    """Return the share of adjacent content words of a question that are adjacent in a text."""
    wanted, said = _neighbours(question), _neighbours(text)
    return len(wanted & said) / len(wanted) if wanted else 0.0


def _neighbours(text: str) -> set[frozenset[str]]:
    known = content_words(text)
    words = [word for word in map(short_stem, fold(text).split()) if word in known]
    return {frozenset(pair) for pair in pairwise(words)}
