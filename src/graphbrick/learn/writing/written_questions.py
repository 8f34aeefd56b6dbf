"""Questions with answers that a graph gives by itself, where nobody has any."""

from __future__ import annotations

import random
from dataclasses import replace

from graphbrick.graphs.graph import Graph
from graphbrick.learn.learned import learned_place
from graphbrick.learn.writing.sampling import samples
from graphbrick.learn.writing.writer import Writer
from graphbrick.patterns.words.phrasebook import Phrasebook
from graphbrick.patterns.words_file import WORDS
from graphbrick.questions.question import Question

DATASET = "written from the graph"
"""The data set of these questions."""
_MANY = 50  # answers above which nobody asks for a list


def phrasebook_of(graph: Graph) -> Phrasebook:
    """Return the words of a graph: as its user has corrected them, if it was learned, else by rules."""
    words = learned_place(graph) / WORDS
    return Phrasebook.read(words) if words.exists() else Phrasebook.of(graph)


def written_questions(graph: Graph, n: int, *, max_hops: int = 3, seed: int = 0) -> tuple[Question, ...]:
    """Return questions that are written from relation patterns of a graph, each with all its answers.

    They are written as `graphbrick.learn.learn` writes its own, with another seed of the random numbers. A
    pipeline that was trained on such questions looks better on them than on questions by people, so use their figures
    to compare pipelines only.

    Args:
        graph: The graph.
        n: Questions; fewer come back where the graph has no more patterns.
        max_hops: The longest pattern.
        seed: Of the random numbers.

    Example:
        >>> from graphbrick.testing import tiny_graph
        >>> question = written_questions(tiny_graph(), 5)[0]
        >>> bool(question.text and question.seeds and question.answers)
        True
    """
    writer, rng = Writer(phrasebook_of(graph)), random.Random(seed)
    questions: dict[str, Question] = {}
    for sample in samples(graph, 4 * n, max_hops=max_hops, n_seeds=max(20, n), seed=seed + 104_729):
        if len(sample.ends) > _MANY or len(questions) == n:
            continue
        text = writer.write(sample.pattern, rng).text(graph.label(sample.seed))
        answers = tuple(graph.key(int(end)) for end in sample.ends)
        question = Question("", text, (graph.key(sample.seed),), answers, hops=len(sample.pattern), dataset=DATASET)
        questions.setdefault(text, question)
    return tuple(replace(question, id=str(place)) for place, question in enumerate(questions.values(), 1))
