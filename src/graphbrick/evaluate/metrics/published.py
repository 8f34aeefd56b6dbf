"""The scorers of RoG, ToG and LEGO-GraphRAG as their authors released them, flaws included.

They are here so that a figure can be set beside a published one, and for nothing else: each docstring says what is
wrong with it. What this project reports is in `evaluate.metrics.answers`. All three were written anew after the
released code. Where that code fails on a question without gold answers, these raise ValueError.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from graphbrick.evaluate.metrics.answers import normalize

PUBLISHED = {
    "rog": "a gold answer that is a part of a word counts (Kansas in Arkansas); hit looks at all answers, however "
    "many; precision counts gold answers for answers, so that it and F1 can exceed 100",
    "tog": "no exact match: an answer counts that contains a gold answer or alias, or is contained in one, without "
    "spaces; one that denies it too",
    "lego": "all answers are one text, which a gold answer is a part of or not, be it of a word; precision is the same "
    "as hit, so that a hundred wrong answers beside a right one cost nothing",
}
"""What each scorer counts wrongly, by the name that its measures begin with."""

PUBLISHED_METRICS = (
    *(f"rog_{name}" for name in ("accuracy", "hit", "precision", "recall", "f1")),
    "tog_exact_match",
    *(f"lego_{name}" for name in ("hit", "precision", "recall", "f1")),
)
"""The measures that `as_published` gives."""


class RogScores(NamedTuple):
    """The scores of RoG's ``evaluate_results.py`` for one question; precision and F1 can exceed 1."""

    accuracy: float
    hit: float
    precision: float
    recall: float
    f1: float


class LegoScores(NamedTuple):
    """The scores of the evaluation of LEGO-GraphRAG for one question; all in [0, 1]."""

    hit: float
    precision: float
    recall: float
    f1: float


def as_published(answers: Sequence[str], names: Sequence[Collection[str]]) -> dict[str, float]:
    """Return the answer scores of all three for one question, by the names of `PUBLISHED_METRICS`.

    Their scorers read what a model said. Here that is the answers that were read out of it: a list for RoG, for ToG and
    LEGO-GraphRAG one text with commas between them. Without an answer all scores are 0, though ToG's scorer takes an
    empty reply for right. RoG and LEGO-GraphRAG know one name of each gold answer, here the first; ToG knows all.

    Args:
        answers: The texts, best first.
        names: For each gold answer its name and its aliases, at least one.

    Raises:
        ValueError: There is no gold.

    >>> scores = as_published(["Arkansas"], [("Kansas", "Sunflower State")])
    >>> scores["rog_hit"], scores["tog_exact_match"], scores["lego_f1"]
    (1.0, 1.0, 1.0)
    """
    _need_gold(names)
    if not answers:
        return dict.fromkeys(PUBLISHED_METRICS, 0.0)
    first, said = [next(iter(some), "") for some in names], ", ".join(answers)
    right = tog(said, [name for some in names for name in some])
    values = (*rog(answers, first), right or 0.0, *lego(said, first))
    return dict(zip(PUBLISHED_METRICS, values, strict=True))


def rog(predictions: str | Sequence[str], gold: Sequence[str], k: int = -1) -> RogScores:
    """The scores of RoG (Luo et al., Reasoning on Graphs, ICLR 2024; ``--cal_f1`` of its ``evaluate_results.py``).

    A gold answer is found if its normalised text is a *substring* of all predictions joined by spaces. Accuracy and
    recall are the share of gold answers found, hit is whether any was, precision is the number of *gold answers* found
    divided by the number of *predictions*, F1 their harmonic mean.

    What is wrong with it:

    - A part of a word counts: a prediction of "Arkansas" finds the gold answer "Kansas".
    - A gold answer of which normalising leaves nothing ("!!!", "The") is found in every prediction.
    - An answer that no single prediction gives is found across two: "New" and "York" find "New York".
    - Precision counts gold answers, not predictions: one prediction that names three gold answers has precision 3, and
      an F1 above 1 follows.
    - Hit looks at all predictions, however many, and is called Hits@1 in the tables it fills.
    - The order of predictions does not count, and aliases are unknown: each is a gold answer of its own.

    Args:
        predictions: A list, or one text of which each line is a prediction (an empty text is one prediction).
        gold: The gold answers.
        k: The most frequent predictions kept, ties by order; below 0, all. Only for a list, as released.

    Raises:
        ValueError: There is no gold (the released code divides by zero).

    >>> rog(["Nairobi, Mombasa and Kisumu"], ["Nairobi", "Mombasa", "Kisumu"]).precision
    3.0
    >>> rog(["Arkansas"], ["Kansas"]).hit
    1.0
    """
    _need_gold(gold)
    listed = predictions.split("\n") if isinstance(predictions, str) else _most_frequent(predictions, k)
    found = _found(" ".join(listed), _needles(gold))
    share = len(found) / len(gold)
    if not listed:
        # Accuracy and hit are taken from the joined text, where a gold answer of punctuation is found even so.
        return RogScores(share, float(bool(found)), 0.0, 0.0, 0.0)
    precision = len(found) / len(listed)
    return RogScores(share, float(bool(found)), precision, share, _harmonic(precision, share))


def tog(reply: str, gold: Iterable[str]) -> float | None:
    """Return the "exact match" of ToG (Sun et al., Think-on-Graph, ICLR 2024; its ``eval/eval.py``): 1, 0, or None.

    Where the reply has a ``{``, what stands between the first ``{`` and the first ``}`` is taken, else all of it. It is
    right if it equals a gold answer or alias, *contains* one, or *is contained in* one, in lower case and without
    spaces. The published figure is the number of 1s divided by the number of questions, so that None counts as wrong.

    What is wrong with it:

    - It is no exact match: "Arkansas" is right for "Kansas", and "a" for "Kansas" as well.
    - What is empty is contained in everything: a reply of ``{}``, or an empty one, is always right.
    - A reply that says much is right if a gold answer stands anywhere in it, also where it denies it.
    - Leaving out spaces joins words: "he is in diana's house" contains "India".
    - Of "{Yes}. The answer is {Nairobi}" only "Yes" is looked at.
    - Without a ``}`` the last character is cut off; with one that stands before the ``{``, nothing is left, which is
      right.
    - A reply of ``{NULL}`` is neither right nor wrong (None here). The option that is to leave refusals out does
      nothing.

    Args:
        reply: What the model said.
        gold: The gold answers and all their aliases; without any, every reply is wrong.

    >>> tog("{}", ["Nairobi"]), tog("I do not know", ["Nairobi"]), tog("It is not Nairobi.", ["Nairobi"])
    (1.0, 0.0, 1.0)
    """
    taken = reply
    if "{" in reply:
        # As released, `find` says -1 where there is no "}".
        taken = reply[reply.find("{") + 1 : reply.find("}")]
        if taken == "NULL":
            return None
    said = _tog_form(taken)
    return float(any(said in form or form in said for form in map(_tog_form, gold)))


def lego(output: str, gold: Sequence[str]) -> LegoScores:
    """The answer scores of LEGO-GraphRAG (Cao et al., VLDB 2025; ``eval_hit``, ``eval_f1`` of its ``Evaluation.py``).

    The whole output of the model is one prediction. Recall is the share of gold answers whose normalised text is a
    *substring* of it, hit is whether any is, precision is the same as hit, F1 the harmonic mean.

    What is wrong with it:

    - A part of a word counts: "Arkansas" has a hit for "Kansas"; and a gold answer of only punctuation is in every
      output.
    - Precision is 0 or 1: a list of a hundred wrong answers and one right one has precision 1.
    - What the output says about an answer does not count: "It is not Nairobi" has a hit. It is called Hits@1 in the
      figures.
    - Questions whose subgraph came out empty, or whose evaluation raised an exception, are left out of the mean.

    Args:
        output: What the model said; an empty output is still a prediction.
        gold: The gold answers; without any, all scores are 0.

    >>> lego("Kampala, Kigali, Dodoma or perhaps Nairobi", ["Nairobi", "Mombasa"])
    LegoScores(hit=1.0, precision=1.0, recall=0.5, f1=0.6666666666666666)
    """
    return _lego_scores([output], gold, hit_among=1)


def lego_paths(paths: Sequence[str], gold: Sequence[str], k: int = 32) -> LegoScores:
    """The path scores of LEGO-GraphRAG (``eval_hr_topk`` and ``eval_f1`` of its ``Evaluation.py``); hit is Hit@k.

    Paths are texts. Precision is the share of the paths, recall the share of the gold answers, that have a match: the
    normalised gold answer is a *substring* of the path's text. All paths count for F1, the first ``k`` for the hit.

    What is wrong with it:

    - The match is in the text: the seed's own label, the name of a relation (gold "Capital" in ``A -> capital -> B``)
      and a part of a word count.
    - Entities of one label are one answer.
    - Questions whose subgraph holds no answer are not scored here by the released pipeline, so that its mean is over
      those that are left.

    Args:
        paths: The texts of the paths, best first.
        gold: The gold answers; without any, all scores are 0.
        k: How many paths may make the hit.

    >>> lego_paths(["Kenya -> capital -> Nairobi", "Kenya -> borders -> Uganda"], ["Nairobi"]).precision
    0.5
    """
    return _lego_scores(paths, gold, hit_among=k)


def _lego_scores(predictions: Sequence[str], gold: Sequence[str], hit_among: int) -> LegoScores:
    if not predictions or not gold:
        return LegoScores(0.0, 0.0, 0.0, 0.0)
    needles = _needles(gold)
    matched = [_found(prediction, needles) for prediction in predictions]
    precision = sum(map(bool, matched)) / len(predictions)
    recall = len(set[int]().union(*matched)) / len(gold)
    hit = float(any(matched[:hit_among]))
    return LegoScores(hit, precision, recall, _harmonic(precision, recall))


def _needles(gold: Sequence[str]) -> list[str]:
    return [normalize(answer) for answer in gold]


def _found(text: str, needles: Sequence[str]) -> list[int]:
    """Return the places of the normalised gold answers that are a substring of the normalised text."""
    haystack = normalize(text)
    return [place for place, needle in enumerate(needles) if needle in haystack]


def _most_frequent(predictions: Sequence[str], k: int) -> list[str]:
    """Return the distinct predictions by how often each was given, ties in order of appearance; the first ``k``."""
    counted = [text for text, _ in Counter(predictions).most_common()]
    return counted if k < 0 else counted[:k]


def _harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _tog_form(text: str) -> str:
    return text.strip().replace(" ", "").lower()


def _need_gold(gold: Sequence[object]) -> None:
    if not len(gold):
        raise ValueError("a question without gold answers cannot be scored; leave it out and say so")
