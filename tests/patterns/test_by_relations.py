from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from graphbrick import ByRelations, Query, ShortestPaths, Subgraph
from graphbrick.core import PathPattern, Step
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.testing import tiny_graph

SEEN: list[tuple[str, tuple[str, ...]]] = []


@dataclass(frozen=True, repr=False)
class Likes(Scorer):
    """Scores relations by a table, everything else 0; notes what it is given."""

    comparable: ClassVar[bool] = True

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        SEEN.append((query, tuple(texts)))
        return np.array(
            [{"capital": 0.5, "currency": 1.0, "award winner award nominee": 0.25}.get(text, 0.0) for text in texts]
        )


def test_the_score_is_the_mean_over_relations_and_a_share_of_the_names() -> None:
    texts = [
        "Nairobi <- capital <- Kenya",
        "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling",
        "Nairobi <- capital <- Kenya -> borders -> Uganda",
        "X -> award.award_winner.award_nominee -> Y",
        "a passage without relations",
    ]
    found = ByRelations(Likes(), names=0.5).score("Which shilling is the currency of Nairobi?", texts)
    # Words of the question that count: which, shilling, the, currency.
    np.testing.assert_allclose(found, [0.5, 0.75 + 0.5 * 2 / 4, 0.25, 0.25, 0])
    assert ByRelations(Likes(), names=0.0).score("?", texts)[1] == 0.75


def test_every_relation_is_read_once_without_the_name_of_the_seed() -> None:
    graph = tiny_graph()
    query = Query("Which currency is used around Nairobi?", (graph.entity("Nairobi"),))
    paths = ShortestPaths().retrieve(query, Subgraph(graph)).items
    assert len(paths) > 5
    SEEN.clear()
    scores = ByRelations(Likes()).rate_items(query.text, paths)
    ((question, texts),) = SEEN
    assert question == "Which currency is used around X?"
    assert len(texts) == len(set(texts)) <= graph.n_relations
    np.testing.assert_allclose(scores, ByRelations(Likes()).score(query.text, [path.text for path in paths]))


@pytest.mark.parametrize("name", ["Nairobi", "NBO", "The Green City in the Sun"])
def test_the_name_that_a_question_calls_the_start_by_changes_nothing(name: str) -> None:
    pattern = PathPattern(name, (Step("capital", False),), lambda: "Nairobi <- capital <- country")
    (score,) = ByRelations(Likes(), names=1.0).rate_items(f"Which country is around {name}?", [pattern])
    assert score == 0.5 + 1 / 3  # of: which, country, around


def test_patterns_are_scored_like_their_paths() -> None:
    graph = tiny_graph()
    query = Query("Which currency is used around Nairobi?", (graph.entity("Nairobi"),))
    paths = ShortestPaths().retrieve(query, Subgraph(graph)).paths
    patterns = [PathPattern(path.start_label, path.steps, lambda path=path: path.text) for path in paths]
    scorer = ByRelations(Likes())
    assert scorer.rate_items(query.text, patterns).tolist() == scorer.rate_items(query.text, paths).tolist()
    assert scorer.rate_items(query.text, []).tolist() == []
