"""Dynamic pruning of beam search: how many paths stay follows from their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from beam import Listed, ends, retrieve, starting
from faults import fails

from graphbrick import Subgraph, parse
from graphbrick.bricks.retrieve.paths.beam_search import BeamSearch
from graphbrick.core.errors import PipelineError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.models.scorers.scorer import Scorer

WORDS = " ".join(f"n{i}" for i in range(10))  # scores 0 to 9


@pytest.fixture(scope="module")
def star(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """From s to n0 .. n9."""
    return build([("s", "r", f"n{i}") for i in range(10)], tmp_path_factory.mktemp("star") / "star.graph")


@dataclass(frozen=True, repr=False)
class Fixed(Scorer):
    """The score at the place of the number that a text ends with: n3 has the fourth."""

    values: tuple[float, ...] = (0.0,)

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        return np.array([self.values[int(text.rpartition("n")[2])] for text in texts], dtype=np.float64)


@pytest.mark.parametrize(("cut", "kept"), [("mean", 51), (90, 11), (25, 76)])
def test_without_a_width_the_scores_say_how_many_paths_are_kept(tmp_path: Path, cut: str | float, kept: int) -> None:
    names = [f"n{i}" for i in range(101)]
    graph = build([("s", "r", name) for name in names], tmp_path / "wide.graph")
    # Scores 0 to 99, and -1 for n100: the mean is 49, percentile 90 is 89, and percentile 25 is 24.
    words = " ".join(names[:100])
    brick = BeamSearch(Listed(words), beam_width=None, max_hops=1, cut=cut)
    found = ends(retrieve(brick, starting(graph, "s"), Subgraph(graph))[0])
    assert found == list(reversed(names[100 - kept : 100]))
    assert len(found) > BeamSearch(Listed(words)).beam_width  # type: ignore[operator]


def test_how_many_paths_are_kept_follows_from_the_scores(star: Graph) -> None:
    # One high score among nine low ones lifts the mean above all others; two groups of five are parted in the middle.
    one, half = Fixed((0.9, *[0.1] * 9)), Fixed((*[0.8] * 5, *[0.2] * 5))
    for scorer, kept in ((one, 1), (half, 5)):
        brick = BeamSearch(scorer, beam_width=None, max_hops=1, cut="mean")
        assert ends(retrieve(brick, starting(star, "s"), Subgraph(star))[0]) == [f"n{i}" for i in range(kept)]


@pytest.mark.parametrize("cut", ["mean", 30, 75])
@pytest.mark.parametrize("values", [(3, 1, 4, 1, 5, 9, 2, 6, 5, 3), (-8, -8, -8, 0, 0, 1, 2, 2, 40, 64)])
def test_normalised_scores_keep_the_same_paths(star: Graph, cut: str | float, values: tuple[float, ...]) -> None:
    span = max(values) - min(values)
    normalised = tuple((value - min(values)) / span for value in values)
    kept = [
        ends(
            retrieve(
                BeamSearch(Fixed(scores), beam_width=None, max_hops=1, cut=cut), starting(star, "s"), Subgraph(star)
            )[0]
        )
        for scores in (values, normalised)
    ]
    assert kept[0] == kept[1]
    level = np.mean(normalised) if cut == "mean" else np.percentile(normalised, cut)  # type: ignore[arg-type]
    assert sorted(kept[0]) == [f"n{i}" for i, value in enumerate(normalised) if value >= level]


def test_without_a_width_a_threshold_limits_the_paths(star: Graph) -> None:
    brick = BeamSearch(Listed(WORDS), beam_width=None, max_hops=1, threshold=0)
    assert len(retrieve(brick, starting(star, "s"), Subgraph(star))[0]) == 9
    with fails("beam_search.no_limit", PipelineError):
        BeamSearch(Listed(WORDS), beam_width=None)


def test_no_width_is_part_of_the_text_of_a_pipeline() -> None:
    text = "BeamSearch(BM25(), beam_width=None, cut='mean')"
    assert repr(parse(text)) == text
