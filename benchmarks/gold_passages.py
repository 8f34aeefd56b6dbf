"""Questions with passages that answer them and ones that do not, as the authors of data sets say; none is of ARES."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from graphbrick.evaluate.judge.synthetic.negatives import NEAREST, RANDOM, SAME_ENTITIES
from graphbrick.evaluate.judge.synthetic.rows import OWN, Row
from graphbrick.evaluate.judge.verdicts import Case, Label

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


def _medquad(data: Path, most: int, rng: random.Random) -> Iterator[Row]:
    """Yield the section that answers a question, two others of its document, one of its type, and any one."""
    with gzip.open(data / "medquad" / "documents.jsonl.gz", "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    sections = [(i, part) for i, document in enumerate(documents) for part in document["sections"]]
    for place, section in rng.sample(sections, most):
        others = [part for i, part in sections if i == place and part["question"] != section["question"]]
        alike = [part for i, part in sections if i != place and part["type"] == section["type"]]
        chosen = [(OWN, section), *((SAME_ENTITIES, part) for part in rng.sample(others, min(2, len(others))))]
        chosen += [(NEAREST, rng.choice(alike))] if alike else []
        chosen.append((RANDOM, rng.choice([part for i, part in sections if i != place])))
        for kind, part in chosen:
            yield _row(kind, section["question"], part["answer"], "medquad")


def _row(kind: str, question: str, text: str, source: str) -> Row:
    return Row(Label.CONTEXT_RELEVANCE, int(kind == OWN), kind, Case(question, (text,)), question, source)


def _json(file: Path) -> list[dict]:
    with gzip.open(file, "rt", encoding="utf-8") as text:
        return json.load(text)
