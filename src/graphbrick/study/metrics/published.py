"""The scorers of RoG, ToG and LEGO-GraphRAG as their authors released them, flaws included.

Use them only to compare a figure with a published one; each docstring lists the flaws of its scorer. This project
reports the measures of `graphbrick.study.metrics.answers`. All three scorers are reimplementations of the released
code. Where that code fails on a question without gold answers, these functions raise ValueError.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from graphbrick.language.folding import normalize
from graphbrick.study.metrics.sets import harmonic, require_gold

PUBLISHED = {
    "rog": "a gold answer that is a part of a word counts (Kansas in Arkansas); hit looks at all answers, however "
    "many; precision counts gold answers for answers, so that it and F1 can exceed 100",
    "tog": "no exact match: an answer counts that contains a gold answer or alias, or is contained in one, without "
    "spaces; one that denies it too",
    "lego": "all answers are one text, which a gold answer is a part of or not, be it of a word; precision is the same "
    "as hit, so that a hundred wrong answers beside a right one cost nothing",
}
"""Flaws of each scorer, by the prefix of its measures."""

PUBLISHED_METRICS = (
    *(f"rog_{name}" for name in ("accuracy", "hit", "precision", "recall", "f1")),
    "tog_exact_match",
    *(f"lego_{name}" for name in ("hit", "precision", "recall", "f1")),
)
"""Names of the measures that `as_published` returns."""


class RogScores(NamedTuple):
    """Scores of RoG's ``evaluate_results.py`` for one question; precision and F1 can exceed 1."""

    accuracy: float
    hit: float
    precision: float
    recall: float
    f1: float


class LegoScores(NamedTuple):
    """Scores of LEGO-GraphRAG's evaluation for one question, all in [0, 1]."""

    hit: float
    precision: float
    recall: float
    f1: float


def as_published(answers: Sequence[str], names: Sequence[Collection[str]]) -> dict[str, float]:
    """Return the answer scores of all three scorers for one question, by `PUBLISHED_METRICS`.

    The original scorers read the reply of a model. This function gives them the answers parsed from the reply: a list
    for RoG, one comma-separated text for ToG and LEGO-GraphRAG. If there is no answer, all scores are 0, although ToG's
    scorer counts an empty reply as right. RoG and LEGO-GraphRAG use one name of each gold answer, here the first; ToG
    uses all names.

    Args:
        answers: The answer texts, best first.
        names: For each gold answer, its name and its aliases, at least one.

    Raises:
        ValueError: There are no gold answers.

    >>> scores = as_published(["Arkansas"], [("Kansas", "Sunflower State")])
    >>> scores["rog_hit"], scores["tog_exact_match"], scores["lego_f1"]
    (1.0, 1.0, 1.0)
    """
    require_gold(names)
    if not answers:
        return dict.fromkeys(PUBLISHED_METRICS, 0.0)
    first, joined = [next(iter(alternatives), "") for alternatives in names], ", ".join(answers)
    right = tog(joined, [name for alternatives in names for name in alternatives])
    values = (*rog(answers, first), right or 0.0, *lego(joined, first))
    return dict(zip(PUBLISHED_METRICS, values, strict=True))


def rog(predictions: str | Sequence[str], gold: Sequence[str], k: int = -1) -> RogScores:
    """Return the scores of RoG for one question, as its released code computes them.

    This is ``evaluate_results.py`` with ``--cal_f1`` (Luo et al., Reasoning on Graphs, ICLR 2024). A gold answer is
    found if its normalised text is a *substring* of all predictions joined by spaces. Accuracy and recall are the share
    of gold answers found. Hit is 1 if any was found. Precision is the number of *gold answers* found divided by the
    number of *predictions*. F1 is the harmonic mean of precision and recall.

    Known flaws:

    - Parts of words match: the prediction "Arkansas" finds the gold answer "Kansas".
    - A gold answer that is empty after normalising ("!!!", "The") is found in every prediction.
    - An answer can be found across two predictions: "New" and "York" find "New York".
    - Precision counts gold answers, not predictions: one prediction that names three gold answers has precision 3, so
      that F1 exceeds 1.
    - Hit uses all predictions, but the published tables call it Hits@1.
    - The order of predictions is ignored, and aliases are not supported: each alias is a separate gold answer.

    Args:
        predictions: A list, or one text with one prediction per line (an empty text is one prediction).
        gold: The gold answers.
        k: Keep only the ``k`` most frequent predictions, ties by order; below 0, keep all. Used only for a list, as in
            the released code.

    Raises:
        ValueError: There are no gold answers (the released code divides by zero).

    >>> rog(["Nairobi, Mombasa and Kisumu"], ["Nairobi", "Mombasa", "Kisumu"]).precision
    3.0
    >>> rog(["Arkansas"], ["Kansas"]).hit
    1.0
    """
    require_gold(gold)
    listed = predictions.split("\n") if isinstance(predictions, str) else _most_frequent(predictions, k)
    matched = _matching(" ".join(listed), _needles(gold))
    share = len(matched) / len(gold)
    if not listed:
        # Accuracy and hit come from the joined text, in which an empty normalised gold answer is always found.
        return RogScores(share, float(bool(matched)), 0.0, 0.0, 0.0)
    precision = len(matched) / len(listed)
    return RogScores(share, float(bool(matched)), precision, share, harmonic(precision, share))


def tog(reply: str, gold: Iterable[str]) -> float | None:
    """Return the "exact match" of ToG for one reply: 1, 0 or None.

    This is ``eval/eval.py`` (Sun et al., Think-on-Graph, ICLR 2024). If the reply has a ``{``, the text between the
    first ``{`` and the first ``}`` is scored, else the whole reply. It is right if it equals a gold answer or alias,
    *contains* one, or *is contained in* one, in lower case and without spaces. The published figure is the number of 1s
    divided by the number of questions, so that None counts as wrong.

    Known flaws:

    - It is not an exact match: "Arkansas" is right for "Kansas", and so is "a".
    - The empty string is contained in everything: a reply of ``{}``, or an empty reply, is always right.
    - A long reply is right if it contains a gold answer anywhere, even in a denial.
    - Removing spaces joins words: "he is in diana's house" contains "India".
    - In "{Yes}. The answer is {Nairobi}", only "Yes" is scored.
    - If there is no ``}``, the last character is cut off. If the ``}`` comes before the ``{``, the text is empty, which
      is right.
    - A reply of ``{NULL}`` is neither right nor wrong (None here). The option to exclude refusals has no effect.

    Args:
        reply: The reply of the model.
        gold: The gold answers and all their aliases; if there are none, every reply is wrong.

    >>> tog("{}", ["Nairobi"]), tog("I do not know", ["Nairobi"]), tog("It is not Nairobi.", ["Nairobi"])
    (1.0, 0.0, 1.0)
    """
    taken = reply
    if "{" in reply:
        # As in the released code, `find` returns -1 if there is no "}".
        taken = reply[reply.find("{") + 1 : reply.find("}")]
        if taken == "NULL":
            return None
    answer_form = _tog_form(taken)
    return float(any(answer_form in form or form in answer_form for form in map(_tog_form, gold)))


def lego(output: str, gold: Sequence[str]) -> LegoScores:
    """Return the answer scores of LEGO-GraphRAG for one question.

    These are ``eval_hit`` and ``eval_f1`` of ``Evaluation.py`` (Cao et al., VLDB 2025). The whole output of the model
    is one prediction. Recall is the share of gold answers whose normalised text is a *substring* of it. Hit is 1 if any
    gold answer is. Precision equals hit. F1 is the harmonic mean of precision and recall.

    Known flaws:

    - Parts of words match: "Arkansas" is a hit for "Kansas". A gold answer of only punctuation is in every output.
    - Precision is 0 or 1: a list of a hundred wrong answers and one right answer has precision 1.
    - The meaning of the output is ignored: "It is not Nairobi" is a hit. The published figures call it Hits@1.
    - Questions with an empty subgraph, or whose evaluation raised an exception, are excluded from the mean.

    Args:
        output: The output of the model; an empty output is still a prediction.
        gold: The gold answers; if there are none, all scores are 0.

    >>> lego("Kampala, Kigali, Dodoma or perhaps Nairobi", ["Nairobi", "Mombasa"])
    LegoScores(hit=1.0, precision=1.0, recall=0.5, f1=0.6666666666666666)
    """
    return _lego_scores([output], gold)


def lego_paths(paths: Sequence[str], gold: Sequence[str], k: int = 32) -> LegoScores:
    """Return the path scores of LEGO-GraphRAG for one question; hit is Hit@k.

    These are ``eval_hr_topk`` and ``eval_f1`` of ``Evaluation.py``. Paths are texts. A path and a gold answer match if
    the normalised gold answer is a *substring* of the path's text. Precision is the share of paths with a match, recall
    the share of gold answers with a match. F1 uses all paths, hit uses the first ``k``.

    Known flaws:

    - The whole text is matched: the seed's own label, the name of a relation (gold "Capital" in
      ``A -> capital -> B``) and parts of words count.
    - Entities with the same label count as one answer.
    - The released pipeline does not score questions whose subgraph contains no answer, so that its mean covers only the
      other questions.

    Args:
        paths: The texts of the paths, best first.
        gold: The gold answers; if there are none, all scores are 0.
        k: Number of top paths that count for the hit.

    >>> lego_paths(["Kenya -> capital -> Nairobi", "Kenya -> borders -> Uganda"], ["Nairobi"]).precision
    0.5
    """
    return _lego_scores(paths, gold, hit_among=k)


def _lego_scores(predictions: Sequence[str], gold: Sequence[str], hit_among: int | None = None) -> LegoScores:
    if not predictions or not gold:
        return LegoScores(0.0, 0.0, 0.0, 0.0)
    needles = _needles(gold)
    matched = [_matching(prediction, needles) for prediction in predictions]
    precision = sum(map(bool, matched)) / len(predictions)
    recall = len(set[int]().union(*matched)) / len(gold)
    hit = float(any(matched[:hit_among]))
    return LegoScores(hit, precision, recall, harmonic(precision, recall))


def _needles(gold: Sequence[str]) -> list[str]:
    return [normalize(answer) for answer in gold]


def _matching(text: str, needles: Sequence[str]) -> list[int]:
    """Return the indices of the gold answers that are a substring of the text, both normalised."""
    haystack = normalize(text)
    return [place for place, needle in enumerate(needles) if needle in haystack]


def _most_frequent(predictions: Sequence[str], k: int) -> list[str]:
    """Return the ``k`` most frequent distinct predictions, ties in order of appearance."""
    counted = [text for text, _ in Counter(predictions).most_common()]
    return counted if k < 0 else counted[:k]


def _tog_form(text: str) -> str:
    return text.strip().replace(" ", "").lower()
