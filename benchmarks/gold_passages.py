"""Questions with passages that answer them and ones that do not, as the authors of data sets say; none is of ARES."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from graphbrick.judge.synthetic.making import NO_ANSWER, REFUSALS
from graphbrick.judge.synthetic.negatives import ANSWER_REMOVED, NEAREST, RANDOM, SAME_ENTITIES
from graphbrick.judge.synthetic.rows import OWN, Row
from graphbrick.judge.verdicts import Case, Label
from graphbrick.text.documents.sentences import sentences

DISTRACTOR = "distractor"
"""A paragraph that the authors of HotpotQA or MuSiQue put beside those that answer the question, to mislead."""


def gold_rows(data: Path, *, questions: int, seed: int = 0) -> list[Row]:
    """Return rows of context relevance from HotpotQA, MuSiQue and MedQuAD.

    Args:
        data: The folder with ``hipporag/`` and ``medquad/``.
        questions: Most questions of each data set.
        seed: Seed of the draw.
    """
    rng = random.Random(seed)
    paragraphs = [*_hotpotqa(data), *_musique(data)]
    texts = [text for _, _, found in paragraphs for text, _ in found]
    made = list(_with_distractors(paragraphs, texts, questions, rng))
    return made + list(_medquad(data, questions, rng))


def _hotpotqa(data: Path) -> Iterator[tuple[str, str, list[tuple[str, bool]]]]:
    """Yield data set, question, and its paragraphs with whether they support the answer."""
    for record in _json(data / "hipporag" / "hotpotqa_train.json.gz"):
        titles = {title for title, _ in record["supporting_facts"]}
        texts = [(f"{title}. {''.join(lines)}", title in titles) for title, lines in record["context"]]
        yield "hotpotqa", record["question"], texts


def _musique(data: Path) -> Iterator[tuple[str, str, list[tuple[str, bool]]]]:
    for record in _json(data / "hipporag" / "musique_train.json.gz"):
        texts = [(f"{one['title']}. {one['paragraph_text']}", one["is_supporting"]) for one in record["paragraphs"]]
        yield "musique", record["question"], texts


def _with_distractors(
    records: Sequence[tuple[str, str, list[tuple[str, bool]]]], texts: Sequence[str], most: int, rng: random.Random
) -> Iterator[Row]:
    """Yield two paragraphs that support each answer, four that do not, and one of another question."""
    counts: dict[str, int] = {}
    for source, question, paragraphs in records:
        counts[source] = counts.get(source, 0) + 1
        if counts[source] > most:
            continue
        right = [text for text, supports in paragraphs if supports]
        wrong = [text for text, supports in paragraphs if not supports]
        own = {text for text, _ in paragraphs}
        other = next(text for text in rng.sample(list(texts), 50) if text not in own)
        for kind, chosen in ((OWN, right[:2]), (DISTRACTOR, rng.sample(wrong, min(4, len(wrong)))), (RANDOM, [other])):
            for text in chosen:
                yield _row(kind, question, text, source)


def long_rows(data: Path, *, questions: int, seed: int = 0) -> list[Row]:
    """Return rows of context relevance with long documents, of HotpotQA, MuSiQue and MedQuAD.

    A document is the paragraphs that the authors put beside each other, in random order, with those that support the
    answer or with other ones in their place; or a whole document of MedQuAD, with the section that answers the question
    or without it. The wrong one of another question is about something else.

    Args:
        data: The folder with ``hipporag/`` and ``medquad/``.
        questions: Most questions of each data set.
        seed: Seed of the draw.
    """
    rng = random.Random(seed + 2)
    made = list(_of_paragraphs([*_hotpotqa(data), *_musique(data)], questions, rng))
    return made + list(_of_documents(data, questions, rng))


def _of_paragraphs(
    records: Sequence[tuple[str, str, list[tuple[str, bool]]]], most: int, rng: random.Random
) -> Iterator[Row]:
    counts: dict[str, int] = {}
    for source, question, paragraphs in records:
        counts[source] = counts.get(source, 0) + 1
        right = [text for text, supports in paragraphs if supports]
        wrong = [text for text, supports in paragraphs if not supports]
        if counts[source] > most or len(wrong) < len(right) + 1:
            continue
        n = rng.randint(len(right) + 1, min(12, len(wrong)))
        chosen = rng.sample(wrong, n)
        for kind, texts in ((OWN, right + chosen[len(right) :]), (DISTRACTOR, chosen)):
            yield _row(kind, question, "\n\n".join(rng.sample(texts, n)), source)


def _of_documents(data: Path, most: int, rng: random.Random) -> Iterator[Row]:
    documents = [document for document in _documents(data) if len(document["sections"]) > 2]
    for document in rng.sample(documents, most):
        place = rng.randrange(len(document["sections"]))
        question = document["sections"][place]["question"]
        texts = [section["answer"] for section in document["sections"]]
        yield _row(OWN, question, "\n\n".join(texts), "medquad")
        yield _row(ANSWER_REMOVED, question, "\n\n".join(texts[:place] + texts[place + 1 :]), "medquad")


def answer_rows(data: Path, *, questions: int, seed: int = 0) -> list[Row]:
    """Return rows of answer faithfulness and relevance from MedQuAD, without a model.

    An answer is two sentences of the section that answers the question, in which every fifth word is left out, so that
    it does not stand there word for word. Wrong evidence, and wrong answers, are of the sections of `gold_rows`.

    Args:
        data: The folder with ``medquad/``.
        questions: Most questions.
        seed: Seed of the draw.
    """
    rng, made = random.Random(seed + 1), list[Row]()
    for question, chosen in _sections(data, questions, rng):
        answer = _answer(chosen[0][1], rng)
        for kind, text in chosen:
            case = Case(question, (text,), answer)
            made.append(Row(Label.ANSWER_FAITHFULNESS, int(kind == OWN), kind, case, question, "medquad"))
            case = Case(question, (), answer if kind == OWN else _answer(text, rng))
            made.append(Row(Label.ANSWER_RELEVANCE, int(kind == OWN), kind, case, question, "medquad"))
        none = Case(question, (), rng.choice(REFUSALS))
        made.append(Row(Label.ANSWER_RELEVANCE, 0, NO_ANSWER, none, question, "medquad"))
    return made


def _answer(text: str, rng: random.Random) -> str:
    lines = [text[start:end] for start, end in sentences(text)]
    first = rng.randrange(max(1, len(lines) - 1))
    words = " ".join(lines[first : first + 2]).split()
    return " ".join(word for i, word in enumerate(words) if i % 5 != 3)


def _medquad(data: Path, most: int, rng: random.Random) -> Iterator[Row]:
    """Yield the section that answers a question, two others of its document, one of its type, and any one."""
    for question, chosen in _sections(data, most, rng):
        for kind, text in chosen:
            yield _row(kind, question, text, "medquad")


def _sections(data: Path, most: int, rng: random.Random) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield questions with the sections that are right and wrong for them; the right one is first."""
    documents = _documents(data)
    sections = [(i, part) for i, document in enumerate(documents) for part in document["sections"]]
    for place, section in rng.sample(sections, most):
        others = [part for i, part in sections if i == place and part["question"] != section["question"]]
        alike = [part for i, part in sections if i != place and part["type"] == section["type"]]
        chosen = [(OWN, section), *((SAME_ENTITIES, part) for part in rng.sample(others, min(2, len(others))))]
        chosen += [(NEAREST, rng.choice(alike))] if alike else []
        chosen.append((RANDOM, rng.choice([part for i, part in sections if i != place])))
        yield section["question"], [(kind, part["answer"]) for kind, part in chosen]


def _row(kind: str, question: str, text: str, source: str) -> Row:
    return Row(Label.CONTEXT_RELEVANCE, int(kind == OWN), kind, Case(question, (text,)), question, source)


def _documents(data: Path) -> list[dict]:
    with gzip.open(data / "medquad" / "documents.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _json(file: Path) -> list[dict]:
    with gzip.open(file, "rt", encoding="utf-8") as text:
        return json.load(text)
