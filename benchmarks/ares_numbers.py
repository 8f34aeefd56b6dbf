"""More numbers for a judge of context relevance: which help on HotpotQA and MedQuAD, and which on the labels of ARES.

    python benchmarks/ares_numbers.py [DATA] [--work FOLDER] [--ares]

Beside the numbers of the classifier, there are other cuts for the re-ranker (sentences, two sentences, the whole text),
titles, BM25, and numbers that compare a passage with all others of its data set: by how much it is closer to the
question than the closest other one, its rank, its distance from the mean. No label is needed for those. Logistic models
learn from one of HotpotQA (two gold paragraphs and four distractors of the authors for each question) and MedQuAD (the
section that answers, and four of the eight sections that a search finds first) and are measured on the other; settings
are chosen by that alone. Only with --ares are the labels of ARES read; models learn from both then.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import pickle
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ares import ares_rows
from gold_passages import _hotpotqa
from graphbrick.judge.judges.baselines import known_reranker
from graphbrick.judge.judges.classifier.logistic import fit
from graphbrick.judge.judges.parts import Reader, parts_of
from graphbrick.judge.verdicts import Label
from graphbrick.judge.words import content_words
from graphbrick.language.folding import fold
from graphbrick.language.stems import short_stem as stem
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.study.statistics.agreement import auc
from graphbrick.study.statistics.auc_gain import auc_gain
from graphbrick.text.documents.sentences import sentences

Floats = npt.NDArray[np.float64]
_DOCUMENTS, _QUESTIONS = 90, 90  # of MedQuAD
_LINES = 24  # sentences of a passage that are read
ABSOLUTE = ("cosine", "mean cos", "sent cos", "rr part", "rr mean", "cov idf", "cov part", "cov line")
RELATIVE = (
    "z cos q", "z cos d", "rank cos", "gap cos", "z bm q", "z bm d", "rank bm", "gap bm", "rank d cos", "rr gap",
    "rr gap mean",
)  # fmt: skip
MORE = ("sent cos 2", "head cos", "rr sent", "rr win", "rr full", "cov title", "bm25", "bm25 norm", "focus")
GROUPS = {
    "absolute": ABSOLUTE,
    "relative": RELATIVE,
    "absolute and more cuts": ABSOLUTE + MORE,
    "absolute and relative": ABSOLUTE + RELATIVE,
    "all but length": ABSOLUTE + RELATIVE + MORE,
    "all": (*ABSOLUTE, *RELATIVE, *MORE, "short"),
}


class Pool(NamedTuple):
    """The questions and documents of a data set, and which pairs of them are judged, with labels."""

    questions: list[str]
    documents: list[str]
    pairs: list[tuple[int, int, int]]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", nargs="?", type=Path, default=Path("../shared/data"))
    arguments.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "graphbrick-ares-numbers")
    arguments.add_argument("--ares", action="store_true", help="look at the labels of ARES, at the end")
    given = arguments.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    reader = Reader(MiniLM(), known_reranker())
    pools = {"hotpotqa": lambda: hotpotqa(given.data), "medquad": lambda: medquad(given.data, reader)}
    if given.ares:
        pools["ares"] = lambda: ares(given.data, given.work)
    x, y = {}, {}
    for name, pool in pools.items():
        x[name], y[name] = kept(given.work / f"{name}.pickle", pool, reader)
    for number in x["hotpotqa"]:
        print(f"{number:12}", *(f"{name} {auc(y[name], x[name][number]).value:.3f}" for name in x))
    sides = {"hotpotqa": ["medquad"], "medquad": ["hotpotqa"], "ares": ["hotpotqa", "medquad"]}
    for group, names in GROUPS.items():
        for penalty in (0.01, 0.1, 1.0):
            said = {name: learned(x, y, sides[name], name, names, penalty) for name in x}
            print(f"{group}, penalty {penalty}:", *(f"{name} {auc(y[name], said[name]).value:.3f}" for name in x))
            if given.ares:
                area, gain = auc(y["ares"], said["ares"]), auc_gain(y["ares"], said["ares"], x["ares"]["short"])
                print(f"    [{area.low:.3f}, {area.high:.3f}], above length {gain.value:+.3f} [{gain.low:+.3f}, "
                      f"{gain.high:+.3f}]")  # fmt: skip


def learned(
    x: dict[str, dict[str, Floats]], y: dict[str, Floats], sources: list[str], name: str, names: tuple[str, ...],
    penalty: float,
) -> Floats:  # fmt: skip
    """Return the log odds of the pairs of a data set, by a model of others; numbers are standardised in each."""

    def rows(source: str) -> Floats:
        table = np.column_stack([x[source][one] for one in names])
        return (table - table.mean(axis=0)) / (table.std(axis=0) + 1e-9)

    learned_from = np.concatenate([rows(source) for source in sources])
    values = np.concatenate([y[source] for source in sources])
    return fit(learned_from, values, penalty=penalty, signs=np.ones(len(names))).logits(rows(name))


def kept(file: Path, pool: Callable[[], Pool], reader: Reader) -> tuple[dict[str, Floats], Floats]:
    """Return the numbers and the labels of the pairs of a pool, from a file if they are there."""
    if not file.exists():
        made = pool()
        rows = list(numbers(made, reader))
        table = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        labels = np.array([label for _, _, label in made.pairs], dtype=np.float64)
        file.write_bytes(pickle.dumps((table, labels)))
    table, labels = pickle.loads(file.read_bytes())
    return table, labels


def numbers(pool: Pool, reader: Reader) -> Iterator[dict[str, float]]:
    """Yield the numbers of each pair."""
    parts = [parts_of((document,)) or (document,) for document in pool.documents]
    flat = [part for some in parts for part in some]
    own = np.repeat(np.arange(len(parts)), [len(some) for some in parts])
    places = [np.flatnonzero(own == j) for j in range(len(parts))]
    similar = (reader.vectors(pool.questions) @ reader.vectors(flat).T).astype(np.float64)
    close = np.column_stack([similar[:, at].max(axis=1) for at in places])
    words = [Counter(stem(word) for word in fold(part).split()) for part in flat]
    asked = [sorted(content_words(question)) for question in pool.questions]
    within = Counter(word for part in words for word in part)
    rare = {word: math.log(1 + (len(flat) - n + 0.5) / (n + 0.5)) for word, n in within.items()}
    of_documents = Counter(word for at in places for word in set().union(*(words[k] for k in at)))
    weight = {word: math.log(1 + (len(parts) - n + 0.5) / (n + 0.5)) for word, n in of_documents.items()}
    rarest = math.log(1 + (len(parts) + 0.5) / 0.5)
    mean = np.mean([part.total() for part in words])
    matches = np.array([[_bm25(question, part, rare, mean) for part in words] for question in asked])
    best = np.column_stack([matches[:, at].max(axis=1) for at in places])
    for i, j, _ in pool.pairs:
        question, near = pool.questions[i], similar[i, places[j]]
        top = [parts[j][k] for k in np.argsort(-near, kind="stable")[:3]]
        lines = list(dict.fromkeys(line for part in top for line in _lines(part)))[:_LINES]
        lines_near = reader.similar(question, lines)
        order = np.argsort(-lines_near)[:4]
        pairs = [" ".join(lines[k : k + 2]) for k in order[:3]]
        scores = reader.relevant(question, top)
        closest = [int(k) for k in np.argsort(-close[i], kind="stable")[:5] if k != j][:4]
        others = np.array(
            [reader.relevant(question, [parts[k][int(np.argmax(similar[i, places[k]]))]])[0] for k in closest]
        )
        total = max(sum(weight.get(word, rarest) for word in asked[i]), 1e-9)
        most = max(2.2 * sum(rare.get(word, 0.0) for word in asked[i]), 1e-9)

        def share(found: set[str], i: int = i, total: float = total) -> float:
            return sum(weight.get(word, rarest) for word in asked[i] if word in found) / total

        beginning = " ".join(pool.documents[j].split()[:60])
        yield {
            "cosine": near.max(), "mean cos": near.mean(), "sent cos": lines_near.max(),
            "sent cos 2": np.sort(lines_near)[::-1][:3].mean(),
            "head cos": float(reader.similar(question, [beginning])[0]),
            "rr part": scores.max(), "rr mean": scores.mean(),
            "rr sent": reader.relevant(question, [lines[k] for k in order]).max(),
            "rr win": reader.relevant(question, pairs).max(),
            "rr full": reader.relevant(question, [pool.documents[j]])[0],
            "cov idf": share(set().union(*(words[k] for k in places[j]))),
            "cov part": max(share(set(words[k])) for k in places[j]),
            "cov line": max(share(_stems(line)) for line in lines),
            "cov title": share(_stems(pool.documents[j].split(".")[0][:100])),
            "bm25": best[i, j], "bm25 norm": best[i, j] / most,
            "z cos q": _z(close[i], j), "z cos d": _z(close[:, j], i), "rank cos": _rank(close[i], j),
            "gap cos": close[i, j] - np.delete(close[i], j).max(), "rank d cos": _rank(close[:, j], i),
            "z bm q": _z(best[i], j), "z bm d": _z(best[:, j], i), "rank bm": _rank(best[i], j),
            "gap bm": (best[i, j] - np.delete(best[i], j).max()) / most,
            "rr gap": scores.max() - others.max(), "rr gap mean": scores.max() - others.mean(),
            "focus": near.mean() - near.max(), "short": -math.log(len(pool.documents[j].split())),
        }  # fmt: skip


def _bm25(asked: list[str], part: Counter[str], rare: dict[str, float], mean: float) -> float:
    length = 1.2 * (0.25 + 0.75 * part.total() / mean)
    return sum(rare[word] * part[word] * 2.2 / (part[word] + length) for word in asked if word in part)


def _lines(text: str) -> list[str]:
    return [line for start, end in sentences(text) if (line := text[start:end].strip())] or [text]


def _stems(text: str) -> set[str]:
    return {stem(word) for word in fold(text).split()}


def _z(values: Floats, place: int) -> float:
    return float((values[place] - values.mean()) / (values.std() + 1e-6))


def _rank(values: Floats, place: int) -> float:
    """Return minus the logarithm of a rank from 1, so that more is better."""
    return -math.log(1 + float((values > values[place] + 1e-6).sum()))


def hotpotqa(data: Path) -> Pool:
    """Return the questions with two gold paragraphs and four distractors each, and all paragraphs."""
    records, rng = [(question, texts) for _, question, texts in _hotpotqa(data)][:100], random.Random(0)
    documents = list(dict.fromkeys(text for _, texts in records for text, _ in texts))
    at, pairs = {text: i for i, text in enumerate(documents)}, []
    for i, (_, texts) in enumerate(records):
        wrong = [text for text, supports in texts if not supports]
        pairs += [(i, at[text], 1) for text in [text for text, supports in texts if supports][:2]]
        pairs += [(i, at[text], 0) for text in rng.sample(wrong, min(4, len(wrong)))]
    return Pool([question for question, _ in records], documents, pairs)


def medquad(data: Path, reader: Reader) -> Pool:
    """Return questions with the section that answers them, and four of the eight sections that a search finds first."""
    with gzip.open(data / "medquad" / "documents.jsonl.gz", "rt", encoding="utf-8") as lines:
        rng, every = random.Random(0), [json.loads(line) for line in lines]
    sections = [(one["question"], one["answer"]) for part in rng.sample(every, _DOCUMENTS) for one in part["sections"]]
    documents = list(dict.fromkeys(answer for _, answer in sections))
    chosen = rng.sample(sections, _QUESTIONS)
    best = [reader.vectors(parts_of((text,)) or (text,)) for text in documents]
    queries, rng, pairs = reader.vectors([question for question, _ in chosen]), random.Random(1), []
    for i, (question, answer) in enumerate(chosen):
        right = {documents.index(text) for asked, text in sections if asked == question}
        order = np.argsort([-float((vectors @ queries[i]).max()) for vectors in best])
        wrong = [int(j) for j in order if int(j) not in right][:8]
        pairs += [(i, documents.index(answer), 1), *((i, j, 0) for j in rng.sample(wrong, 4))]
    return Pool([question for question, _ in chosen], documents, pairs)


def ares(data: Path, work: Path) -> Pool:
    """Return the rows with labels by people."""
    rows = ares_rows(data, work)[Label.CONTEXT_RELEVANCE]
    documents = list(dict.fromkeys(row.case.evidence[0] for row in rows))
    pairs = [(i, documents.index(row.case.evidence[0]), row.value) for i, row in enumerate(rows)]
    return Pool([row.case.question.strip() for row in rows], documents, pairs)


if __name__ == "__main__":
    main()
