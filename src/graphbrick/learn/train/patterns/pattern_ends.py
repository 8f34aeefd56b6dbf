"""Learning to choose among the entities at the ends of patterns, for `RankEnds`."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.rerank.rank_ends import RankEnds
from graphbrick.bricks.retrieve.patterns.patterns import Patterns
from graphbrick.core import Subgraph
from graphbrick.core.compute import Progress, silent
from graphbrick.graphs.graph import Graph
from graphbrick.learn.train.patterns.adam import Adam
from graphbrick.learn.train.patterns.pattern_examples import Example
from graphbrick.learn.train.patterns.pattern_fit import loss
from graphbrick.models.vectors.store import store_of, using
from graphbrick.patterns.ends.end_candidates import candidates_of
from graphbrick.patterns.ends.end_features import asks_for_many, features_of, preselected
from graphbrick.patterns.model.end_model import ALL, FEATURES, EndModel
from graphbrick.patterns.model.folder import save
from graphbrick.patterns.model.model import PatternModel
from graphbrick.patterns.model.scorer import PatternScorer
from graphbrick.questions.grounding import GroundedQuestion

Floats = npt.NDArray[np.float64]

LEAST = 20
"""Questions needed, to learn from and of those whose best pattern has wrong ends too."""
_SHARE = 0.1  # of all questions must have a best pattern with wrong ends
_STEPS, _RATE, _PENALTY = 400, 0.05, 1.0
_MARGINS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, ALL)
_WORSE = 0.002  # of F1, which a wider margin may lose: fewer answers are left out


@dataclass(frozen=True, slots=True)
class EndExample:
    """The candidates of one question.

    Attributes:
        features: float64 [candidates, features].
        is_right: bool [candidates], whether each is an answer.
        in_walk: bool [walks, candidates], the candidates at the end of the pattern of each walk.
        best_walk: int64 [candidates], the best walk that reaches each.
        unscored: int64 [walks, 2], further ends of that pattern, without features: all, and the answers among them.
        n_answers: Number of answers.
        many: Whether the question asks for several.
    """

    features: Floats
    is_right: npt.NDArray[np.bool_]
    in_walk: npt.NDArray[np.bool_]
    best_walk: npt.NDArray[np.int64]
    unscored: npt.NDArray[np.int64]
    n_answers: int
    many: bool


def is_needed(examples: Sequence[Example]) -> bool:
    """Return whether the best patterns of enough questions also end at entities that are no answers."""
    count = sum(bool(example.f1.any() and example.precision[int(np.argmax(example.f1))] < 1) for example in examples)
    return count >= max(LEAST, _SHARE * len(examples))


def collect_ends(
    graph: Graph,
    questions: Sequence[GroundedQuestion],
    model: PatternModel,
    *,
    progress: Progress = silent,
) -> list[EndExample | None]:
    """Return the candidates of each question, with seeds and answers; None where no pattern leads anywhere.

    Args:
        graph: The graph.
        questions: Questions that the model was not trained on: otherwise its patterns look better than they are.
        model: Scores patterns.
        progress: Told the number of questions done.
    """
    examples = []
    with tempfile.TemporaryDirectory() as folder, using(store_of(graph)):
        place = Path(folder) / "held-out.patterns"
        save(model, place)
        patterns = RankEnds(str(place)).patterns
        stage = Patterns(PatternScorer(str(place)), n=patterns, each=1, max_hops=model.max_hops)
        for done, question in enumerate(questions, 1):
            examples.append(_example(graph, question, stage, model))
            progress("", done, len(questions))
    return examples


def _example(graph: Graph, question: GroundedQuestion, stage: Patterns, model: PatternModel) -> EndExample | None:
    query = question.query()
    subgraph, text, seeds = Subgraph(graph), query.text, list(question.seeds)
    paths = stage.retrieve(query, subgraph).paths
    candidates = candidates_of(paths, seeds, subgraph, stage.n, text=text)
    if candidates is None:
        return None
    gold = np.array(question.answers, dtype=np.int64)
    few = preselected(candidates, graph, seeds)
    in_walk = np.zeros((len(few.walks), len(few.entity)), dtype=np.bool_)
    unscored = np.zeros((len(few.walks), 2), dtype=np.int64)
    for walk in range(len(few.walks)):
        in_walk[walk, few.who[few.ends_of(walk)]] = True
        ends = candidates.entity[candidates.who[candidates.ends_of(walk)]]
        rest = ends[~np.isin(ends, few.entity)]
        unscored[walk] = len(rest), np.isin(rest, gold).sum()
    return EndExample(
        features_of(text, seeds, few, graph, model), np.isin(few.entity, gold), in_walk, few.best_walk(),
        unscored, len(gold), asks_for_many(text),
    )  # fmt: skip


def fit_ends(examples: Sequence[EndExample], least: int = LEAST) -> EndModel | None:
    """Return weights that make answers likely, and margins of best F1; None for too few questions.

    The likelihood is that of any answer under a softmax over the candidates of a question, with features divided by
    their spread and a penalty on squared weights.
    """
    useful = [example for example in examples if example.is_right.any()]
    if len(useful) < least:
        return None
    rows = np.concatenate([example.features - example.features.mean(axis=0) for example in useful])
    spread = np.sqrt(np.mean([example.features.var(axis=0) for example in useful], axis=0))
    rows /= np.where(spread > 0, spread, 1)
    reward = np.concatenate([example.is_right for example in useful]).astype(np.float32)
    group = np.repeat(np.arange(len(useful)), [len(example.is_right) for example in useful])
    values = {"weights": np.zeros(len(FEATURES))}
    adam = Adam(values, {"weights": _RATE})
    for step in range(_STEPS):
        _, by_score = loss(rows @ values["weights"], reward, group)
        gradient = (rows.T @ by_score + _PENALTY * values["weights"]) / len(useful)
        adam.step({"weights": gradient}, 1 - step / _STEPS)
    weights = np.where(spread > 0, values["weights"] / np.where(spread > 0, spread, 1), 0)
    scores = [example.features @ weights for example in examples]
    both = _best_margin(examples, scores)
    margins = []
    for many in (False, True):
        chosen = [i for i, example in enumerate(examples) if example.many == many]
        few = len(chosen) < LEAST
        margins.append(both if few else _best_margin([examples[i] for i in chosen], [scores[i] for i in chosen]))
    return EndModel(weights, margins[0], margins[1], learned=len(examples))


def _best_margin(examples: Sequence[EndExample], scores: Sequence[Floats]) -> float:
    """Return the widest margin with about the best mean F1."""
    means = [
        float(np.mean([_f1(example, score, margin) for example, score in zip(examples, scores, strict=True)]))
        for margin in _MARGINS
    ]
    return max(margin for margin, mean in zip(_MARGINS, means, strict=True) if mean >= max(means) - _WORSE)


def _f1(example: EndExample, scores: Floats, margin: float) -> float:
    """Return the F1 of the answers that `RankEnds` would give."""
    best = int(np.argmax(scores))
    walk = example.best_walk[best]
    low = float(scores[best]) - margin
    answered = example.in_walk[walk] & (scores >= low)
    n, right = int(answered.sum()), int((answered & example.is_right).sum())
    if low <= scores.min():
        n, right = n + int(example.unscored[walk, 0]), right + int(example.unscored[walk, 1])
    return 2 * right / (n + example.n_answers)
