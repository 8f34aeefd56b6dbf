"""Learning a graph again when it has relations that came after it was learned."""

from __future__ import annotations

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.learned import is_learned, learned_place, unlearned
from graphbrick.learn.learning import LearnReport, learn
from graphbrick.patterns.model.folder import load
from graphbrick.patterns.model.model import note_of_unlearned


def renew(graph: Graph, *, progress: Progress = silent) -> LearnReport | None:
    """Learn a graph that was not learned yet, or has new relations; return None if it is learned as it is.

    It is learned as before: with the same number of questions, length of patterns, embedder and seed, the corrected
    words and the feedback. What a language model wrote is kept, but none is asked.

    Raises:
        InputError: It was learned with questions of the user, which are not kept; or see `learn`.
        ModelError: What was learned is damaged.
    """
    place = learned_place(graph)
    if not is_learned(place):
        return learn(graph, progress=progress)
    fresh = unlearned(graph)
    if not fresh:
        return None
    model = load(str(place))
    if model.about.get("given") != 0:
        raise InputError(
            f"{note_of_unlearned(fresh)} with your questions: it was learned with some that are not kept, or by an "
            "older version",
            code="learn.questions_not_kept",
        )
    return learn(
        graph, n=model.about["written"], max_hops=model.max_hops, embedder=model.embedder, seed=model.about["seed"],
        progress=progress,
    )  # fmt: skip
