"""Labelled questions beside written ones: the patterns they may mean, and their weight."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from graphbrick.graphs.graph import Graph
from graphbrick.learn.fitting.fit_alignment import Meant
from graphbrick.learn.train.patterns.pattern_examples import Example, Examples
from graphbrick.patterns.alignment.alignment import Alignment
from graphbrick.patterns.text import Steps, words_of

_SHARE, _MOST_REPEATS = 0.25, 8  # the questions are repeated to count this much beside the written ones
_LEAST = 0.02  # how right a pattern with the right answers remains, however badly the words fit it


def repeats(written: int, labelled: int) -> int:
    """Return how often each labelled question counts beside so many written ones."""
    return max(1, min(_MOST_REPEATS, round(_SHARE * written / labelled))) if labelled else 1


def meant(graph: Graph, examples: Examples, labelled: Sequence[Example]) -> list[Meant]:
    """Return labelled questions with the patterns whose ends fit their answers best."""
    texts, steps, questions = list(examples.masked), examples.steps(graph) if labelled else [], []
    for example in labelled:
        top = float(example.f1.max(initial=0))
        if top > 0:
            masked = example.masked[int(example.f1.argmax())]
            rows = np.flatnonzero(example.masked == masked)
            patterns = [steps[number] for number in example.pattern[rows].tolist()]
            best = np.flatnonzero(example.f1[rows] >= top).tolist()
            questions.append(Meant(texts[masked], [patterns[i] for i in best], patterns))
    return questions


def plausible(graph: Graph, examples: Examples, labelled: Sequence[Example], alignment: Alignment) -> list[Example]:
    """Return labelled questions in which patterns count less if the words do not describe their hops.

    Many patterns lead to the right answer by chance: «Oslo» is the place of birth of the person, of a child, of a
    neighbour. The one that the question means is not known, but the alignment says which are likely.
    """
    texts, steps = list(examples.masked), examples.steps(graph) if labelled else []
    return [_weighed(example, texts, steps, alignment) for example in labelled]


def _weighed(example: Example, texts: Sequence[str], steps: Sequence[Steps], alignment: Alignment) -> Example:
    top = float(example.f1.max(initial=0))
    if top <= 0:
        return example
    patterns = [steps[number] for number in example.pattern.tolist()]
    scores: npt.NDArray[np.float64] = np.empty(len(patterns))
    for masked in np.unique(example.masked).tolist():
        rows = np.flatnonzero(example.masked == masked)
        tokens = alignment.read(words_of(texts[masked]))
        scores[rows] = alignment.features(tokens, [patterns[row] for row in rows.tolist()]) @ alignment.weights
    behind = scores - scores[example.f1 >= top].max()
    f1 = (example.f1 * np.exp(behind.clip(np.log(_LEAST), 0))).astype(np.float32)
    best = defaultdict[tuple[int, Steps], float](float)  # of all patterns that begin in the same way
    for masked, pattern, value in zip(example.masked.tolist(), patterns, f1.tolist(), strict=True):
        for hops in range(1, len(pattern) + 1):
            beginning = masked, pattern[:hops]
            best[beginning] = max(best[beginning], value)
    promise = [best[masked, pattern] for masked, pattern in zip(example.masked.tolist(), patterns, strict=True)]
    return replace(example, f1=f1, promise=np.array(promise, dtype=np.float32))
