"""Choice of the pipeline over trained patterns: whether `RankEnds` helps, and with which weights."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from graphbrick.core.compute import Progress, silent
from graphbrick.graphs.graph import Graph
from graphbrick.learn.learned import pipeline_over
from graphbrick.learn.train.patterns.pattern_ends import LEAST, collect_ends, fit_ends
from graphbrick.learn.train.patterns.pattern_fit import Quality
from graphbrick.models.vectors.store import store_of, using
from graphbrick.patterns.model.end_model import DEFAULT, EndModel
from graphbrick.patterns.model.folder import save
from graphbrick.patterns.model.model import PatternModel
from graphbrick.questions.grounding import GroundedQuestion

_FOLDS = 3
_MEASURED = 300  # questions
PLAIN, FIXED, LEARNED = "without RankEnds", "RankEnds with fixed weights", "RankEnds with learned weights"


@dataclass(frozen=True, slots=True)
class EndChoice:
    """What was compared on held-out questions, and what was chosen.

    Attributes:
        quality: Of the first answer and of all answers, by pipeline.
        chosen: The pipeline with the best mean of both; of equal ones the first.
    """

    quality: dict[str, Quality]
    chosen: str

    def __str__(self) -> str:
        figures = ", ".join(f"{name} {one.hits_at_1:.3f}" for name, one in self.quality.items())
        return f"Hits@1 of {self.quality[PLAIN].questions:,} questions kept apart: {figures}; chosen: {self.chosen}"


def choose_ends(
    graph: Graph,
    questions: Sequence[GroundedQuestion],
    model: PatternModel,
    *,
    seed: int,
    progress: Progress = silent,
) -> tuple[EndModel | None, EndChoice | None]:
    """Return what chooses among the ends of patterns, if that is better than all ends of the best one.

    Weights are measured on questions that they were not learned from, by three folds; those that are returned are
    learned from all.

    Args:
        graph: The graph.
        questions: Questions with seeds and answers that the model was not trained on.
        model: Scores patterns.
        seed: Of the questions that the pipelines are measured on, if there are many.
        progress: Told the step, the number of questions done and the total.

    Returns:
        The weights, None for no `RankEnds`; and the comparison, None for too few questions to compare anything.
    """
    usable = [question for question in questions if question.seeds and question.answers]
    if len(usable) < LEAST:
        return None, None
    examples = collect_ends(graph, usable, model, progress=progress)
    learned = fit_ends([example for example in examples if example is not None])
    weights = {PLAIN: None} | ({} if learned is None else {LEARNED: learned}) | {FIXED: DEFAULT}
    measures: dict[str, list[tuple[float, float]]] = {name: [] for name in weights}
    order = np.random.default_rng(seed).permutation(len(usable))[:_MEASURED].tolist()
    with tempfile.TemporaryDirectory() as folder, using(store_of(graph)):
        for fold in range(_FOLDS):
            apart = order[fold::_FOLDS]
            others = [one for at, one in enumerate(examples) if one is not None and at not in set(apart)]
            for name, ends in weights.items():
                place = str(Path(folder) / f"{name} {fold}.patterns")
                save(replace(model, ends=fit_ends(others, least=1) if name == LEARNED else ends), Path(place))
                measures[name] += _measured(graph, place, [usable[at] for at in apart])
                done = sum(map(len, measures.values()))
                progress("ways to choose compared", done, len(order) * len(weights))
    quality = {name: Quality(len(rows), *np.mean(rows, axis=0).tolist()) for name, rows in measures.items()}
    chosen = max(quality, key=lambda name: quality[name].hits_at_1 + quality[name].f1)
    return weights[chosen], EndChoice(quality, chosen)


def _measured(graph: Graph, place: str, questions: Sequence[GroundedQuestion]) -> list[tuple[float, float]]:
    """Return Hits@1 and F1 of each question with the pipeline over a folder, which `ask` runs."""
    pipeline, measures = pipeline_over(place), []
    for question in questions:
        answer = pipeline.run(graph, question.query()).answer
        entities = [] if answer is None else list(dict.fromkeys(answer.entities))
        gold = set(question.answers)
        right = len(gold.intersection(entities))
        measures.append((float(bool(entities) and entities[0] in gold), 2 * right / (len(entities) + len(gold))))
    return measures
