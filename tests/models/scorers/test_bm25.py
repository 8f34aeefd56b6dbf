from __future__ import annotations

import subprocess
import sys
from math import log

import bm25s
import numpy as np
import pytest

from graphbrick import BM25
from graphbrick.language.folding import fold

TEXTS = [
    "Kenya -> currency -> Kenyan shilling",
    "Kenya -> starred_actors -> Lupita Nyong'o",
    "Uganda -> currency -> Ugandan shilling",
    "shilling shilling",
    "",
    "Äthiopien -> währung -> Birr",
]


def by_hand(query: str, texts: list[str], k1: float, b: float) -> list[float]:
    """Lucene's BM25, word by word (Robertson and Zaragoza 2009, with the idf of Lucene)."""
    documents = [fold(text).split() for text in texts]
    mean = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        score = 0.0
        for word in fold(query).split():
            count, having = document.count(word), sum(word in other for other in documents)
            if count:
                idf = log(1 + (len(documents) - having + 0.5) / (having + 0.5))
                score += idf * count / (count + k1 * (1 - b + b * len(document) / mean))
        scores.append(score)
    return scores


@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.0, 0.75), (1.2, 0.0), (3.0, 1.0)])
@pytest.mark.parametrize(
    "query",
    [
        "Which currency is used in Kenya?",
        "shilling",
        "STARRED ACTORS",
        "Athiopien wahrung",
        "shilling shilling",
    ],
)
def test_equals_the_formula_by_hand(query: str, k1: float, b: float) -> None:
    scores = BM25(k1=k1, b=b).score(query, TEXTS)
    np.testing.assert_allclose(scores, by_hand(query, TEXTS, k1, b), rtol=1e-9)
    assert scores.max() > 0


def test_rare_words_count_more() -> None:
    scores = BM25().score("birr currency", ["x currency", "y currency", "z birr"])
    assert scores.argmax() == 2
    assert scores[0] == scores[1] > 0


def test_case_accents_and_punctuation_do_not_count() -> None:
    scores = BM25().score("WÄHRUNG, starred_actors!", ["wahrung", "Starred Actors", "währung?"])
    assert scores[0] == scores[2] > 0
    assert scores[1] > 0


@pytest.mark.parametrize("query", ["", "?!", "nothing of this", "the 内罗毕"])
def test_no_word_in_common_scores_zero(query: str) -> None:
    scores = BM25().score(query, TEXTS)
    assert scores.tolist() == [0] * len(TEXTS)
    assert scores.dtype == np.float64


def test_unspaced_scripts_are_compared_by_character() -> None:
    assert BM25().score("肯尼亚的首都", ["肯尼亚 首都 内罗毕", "乌干达 货币"]).argmax() == 0


def test_only_texts_without_words() -> None:
    assert BM25().score("Kenya", ["", "?", "->"]).tolist() == [0, 0, 0]
    assert BM25().score("Kenya", []).shape == (0,)


def test_one_text_alone() -> None:
    np.testing.assert_allclose(BM25().score("Kenya", ["Kenya"]), by_hand("Kenya", ["Kenya"], 1.5, 0.75))


@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4)])
def test_scores_are_those_of_bm25s_used_directly(k1: float, b: float) -> None:
    texts = [
        "Kenya -> currency -> Kenyan shilling",
        "Kenya -> borders -> Uganda",
        "Uganda -> currency -> Ugandan shilling",
    ]
    texts += [f"Kenya -> borders -> neighbour {i}" for i in range(20)]
    query = "which currency is used in Kenya"
    corpus = [[word for word in text.lower().split() if word != "->"] for text in texts]
    direct = bm25s.BM25(k1=k1, b=b, method="lucene")
    direct.index(corpus, show_progress=False)
    found, scores = direct.retrieve([["currency", "kenya"]], k=len(texts), show_progress=False)
    expected = np.zeros(len(texts))
    expected[found[0]] = scores[0]
    np.testing.assert_allclose(BM25(k1, b).score(query, texts), expected, rtol=1e-5)


THREADS = """
from threading import Barrier, Thread
from graphbrick.language.bm25 import bm25s

start, found = Barrier(8), []

def load():
    start.wait()
    found.append(hasattr(bm25s(), "BM25"))

threads = [Thread(target=load) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sum(found))
"""


def test_threads_wait_for_the_package_that_another_one_imports() -> None:
    """The first requests of a server come at once."""
    run = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["8"]
