"""Questions to choose by and questions for the final figures."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.core.errors import InputError
from graphbrick.questions.question import Question
from graphbrick.questions.sampling import sample

LEAST = 8
"""Questions that a search needs in all."""
_MOST = 400  # questions to choose by, and as many for the final figures


def split(
    questions: Sequence[Question], *, seed: int, written: bool = False
) -> tuple[tuple[Question, ...], tuple[Question, ...]]:
    """Return questions to choose by and for the final figures: halves by hops, at most 400 each.

    The first are shuffled, so that the first few are of every hop count.

    Args:
        questions: The questions.
        seed: Seed of the random numbers.
        written: Whether the graph wrote them itself, for the error.

    Raises:
        InputError: There are fewer than eight questions with answers.
    """
    usable = [question for question in questions if question.answers]
    if len(usable) < LEAST:
        if written:
            raise InputError(
                f"the graph is too small to write the {LEAST} questions that a search needs, it wrote {len(usable)}; "
                "give questions with answers",
                code="tune.too_few_written",
                n=len(usable),
            )
        raise InputError(
            f"a search needs at least {LEAST} questions with answers, got {len(usable)}; leave the questions out to "
            "search with questions that the graph writes itself",
            code="tune.too_few_questions",
            n=len(usable),
        )
    taken = sample(usable, min(len(usable), 2 * _MOST), seed=seed)
    ours = sample(taken, len(taken) // 2, seed=seed + 1)
    names = {(question.dataset, question.id) for question in ours}
    others = [question for question in taken if (question.dataset, question.id) not in names]
    return mixed(ours), tuple(others)


def mixed(questions: Sequence[Question]) -> tuple[Question, ...]:
    """Return questions so that hop counts take turns."""
    groups: dict[str, list[Question]] = {}
    for question in questions:
        groups.setdefault(question.group("hops"), []).append(question)
    places = [((i + 0.5) / len(group), one) for group in groups.values() for i, one in enumerate(group)]
    return tuple(one for _, one in sorted(places, key=lambda entry: entry[0]))
