"""Two towers, one for questions and one for relations of paths, compared by cosine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick.core import Path, PathPattern, Scorable
from graphbrick.core.parameters import parameter
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.patterns.learned_file import load_learned
from graphbrick.patterns.text import Steps, labelled, masked, readable, split_start, steps_of

KIND = "towers"
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, repr=False)
class PathTowers(Scorer):
    """A scorer of paths by two towers trained on questions with answers (``graphbrick train towers``).

    One tower reads the question, the other only the relations of the path, as in KELP. Each is an embedder whose
    weights do not change, and a square matrix that is trained; the score is the cosine of the two results. All paths of
    one pattern from one start score alike. The name of the start is masked in the question.

    Args:
        model: The file that ``graphbrick train towers`` wrote.

    Returns:
        One score an item, in [-1, 1]; items without relations are compared by their whole text.

    Raises:
        ModelError: The file is missing or damaged, or its embedder is not installed.
    """

    paper = "Liu et al., Knowledge Graph-Enhanced Large Language Models via Path Selection (KELP), ACL 2024 (findings)"

    comparable: ClassVar[bool] = True

    model: str = parameter(path=True, example="films.towers")

    def rate_items(self, query: str, items: Sequence[Scorable], *, by_pattern: bool = False) -> npt.NDArray[np.float64]:
        """Return the score of each item, from its steps where it is a path or a pattern."""
        walks = []
        for item in items:
            if isinstance(item, Path | PathPattern):
                walks.append((item.start_label, relations_text(labelled(item.steps)) or item.text))
            else:
                walks.append(("", item.text))
        return self._scores(query, walks)

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the score of each text; paths are read by their arrows."""
        walks = []
        for text in texts:
            start, walked = split_start(text)
            steps = steps_of(walked)
            walks.append((start, relations_text(steps)) if steps else ("", text))
        return self._scores(query, walks)

    def _scores(self, query: str, walks: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Return the score of each (label of the start, text of the relations)."""
        if not walks:
            return np.zeros(0)
        learned = load_learned(self.model, KIND)
        heads = learned.arrays
        texts = list(dict.fromkeys(text for _, text in walks))
        row = {text: i for i, text in enumerate(texts)}
        paths = towered(learned.embedder.embed(texts).astype(np.float32), heads["path"])
        questions = {start: masked(query, start) for start in dict.fromkeys(start for start, _ in walks)}
        distinct = list(dict.fromkeys(questions.values()))
        vectors = towered(learned.embedder.embed(distinct).astype(np.float32), heads["question"])
        of = {start: vectors[distinct.index(question)] for start, question in questions.items()}
        return np.array([float(of[start] @ paths[row[text]]) for start, text in walks], dtype=np.float64)


def relations_text(steps: Steps) -> str:
    """Return the relations of a path as words, for an embedder.

    >>> relations_text((("directed_by", False), ("in_language", True)))
    'directed by of, in language'
    """
    return ", ".join(readable(label) if forward else f"{readable(label)} of" for label, forward in steps)


def towered(vectors: Floats, head: Floats) -> Floats:
    """Return vectors after a head, float32 [vectors, dimensions], each of length 1."""
    turned = vectors @ head
    made: Floats = turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-9)
    return made
