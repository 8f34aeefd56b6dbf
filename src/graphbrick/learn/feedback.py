"""Questions marked right or wrong by users: JSON lines beside the graph, which `learn` reads.

Each line has the attributes of `Feedback` as a JSON object. The last line about a question from the same seeds counts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graphbrick.bricks.link.labels import LinkLabels
from graphbrick.core import Query, Row
from graphbrick.core.errors import InputError
from graphbrick.core.files.locks import claim
from graphbrick.core.items import ANSWER
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.run import Run
from graphbrick.questions.question import Question

_TEXTS, _LISTS = ("question", "pipeline", "time"), ("seeds", "answers", "correct")


@dataclass(frozen=True, slots=True)
class Feedback:
    """The judgement of a user on the answers to a question.

    Attributes:
        question: The question.
        seeds: Keys of the entities that it was answered from.
        answers: Keys of the entities that were answered, best first.
        right: Whether the answers are right.
        correct: Keys of the right answers, if the user named them.
        pipeline: The pipeline that answered, as recipe text.
        time: UTC, ISO 8601.
        plan: How `Operators` computed the answer, such as "count of: ..."; empty for answers along a pattern. Nothing
            is learned from computed answers: a pattern that leads to them leads there by chance.
    """

    question: str
    seeds: tuple[str, ...]
    answers: tuple[str, ...]
    right: bool
    correct: tuple[str, ...]
    pipeline: str
    time: str
    plan: str = ""

    @property
    def gold(self) -> tuple[str, ...]:
        """Keys of the right answers; empty if computed by rules, or wrong without a better one."""
        if self.plan:
            return ()
        return self.correct or (self.answers if self.right else ())


def feedback_place(graph: Graph) -> Path:
    """Return the file of feedback on a graph: ``films.graph.feedback.jsonl`` beside ``films.graph``."""
    return graph.place.with_name(f"{graph.place.name}.feedback.jsonl")


def add_feedback(run: Run, pipeline: Pipeline, *, right: bool, correct: Iterable[str | int] = ()) -> Feedback:
    """Append the judgement of a user on the answers of a run to the file beside the graph.

    The line is appended under a lock, so that several processes may write at once.

    Args:
        run: The run that answered.
        pipeline: Its pipeline.
        right: Whether its answers are right.
        correct: Keys, labels or ids of the right answers; if there are none and ``right`` is set, those of the run.

    Raises:
        InputError: The answers are said to be right, but the run has none that are entities; ``correct`` is a single
            text; or the file cannot be written.
        LinkError: A correct answer is not an entity of the graph.
    """
    if isinstance(correct, str):
        raise InputError(
            f"the right answers are a list, got {correct!r}; try {[correct]!r}", code="feedback.not_a_list"
        )
    graph = run.graph
    wanted = list(correct)
    named = LinkLabels().resolve(graph, Query(run.query.text), wanted).seeds if wanted else ()
    entities = () if run.answer is None else run.answer.entities
    feedback = Feedback(
        question=run.query.text,
        seeds=tuple(map(graph.key, run.query.seeds)),
        answers=tuple(dict.fromkeys(graph.key(entity) for entity in entities if entity is not None)),
        right=right,
        correct=tuple(map(graph.key, named)),
        pipeline=repr(pipeline),
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        plan=_plan(run),
    )
    if right and not feedback.gold and not feedback.plan:
        raise InputError(
            f"no entity of the graph was answered to {run.query.text!r}, so there is nothing to call right; name the "
            "right answers with --answer (correct=[...])",
            code="feedback.nothing_right",
        )
    _append(feedback_place(graph), json.dumps(asdict(feedback), ensure_ascii=False))
    return feedback


def read_feedback(graph: Graph) -> list[Feedback]:
    """Return the feedback on a graph: the last on each question from the same seeds, in order of the file.

    Raises:
        InputError: A line is damaged, or the file cannot be read.
    """
    place = feedback_place(graph)
    try:
        lines = place.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or error})", place, code="feedback.not_readable") from error
    latest: dict[tuple[str, tuple[str, ...]], Feedback] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            entry = _parsed(line, place, number)
            latest.pop((entry.question, entry.seeds), None)
            latest[entry.question, entry.seeds] = entry
    return list(latest.values())


def feedback_questions(feedback: Sequence[Feedback]) -> list[Question]:
    """Return the questions whose right answers are known."""
    return [
        Question(f"feedback {number}", one.question, one.seeds, one.gold, dataset="feedback")
        for number, one in enumerate(feedback, 1)
        if one.gold
    ]


def _plan(run: Run) -> str:
    """Return the plan that computed the answer of a run; empty for none."""
    items = () if run.answer is None else run.answer.evidence.items
    return next((item.values[1] for item in items if isinstance(item, Row) and item.columns == ANSWER), "")


def _append(place: Path, line: str) -> None:
    lock_file = place.with_name(f".{place.name}.lock")
    try:
        with claim(lock_file, wait=True), place.open("ab+") as out:
            broken = out.seek(0, os.SEEK_END) > 0 and out.seek(-1, os.SEEK_END) >= 0 and out.read(1) != b"\n"
            # A line that was cut off by a crash stays a line of its own.
            out.write(b"\n" * broken + line.encode("utf-8", "backslashreplace") + b"\n")
            out.flush()
            os.fsync(out.fileno())
    except OSError as error:
        raise InputError(
            f"feedback cannot be written: {error.strerror or error}", place, code="feedback.not_writable"
        ) from error


def _parsed(line: bytes, place: Path, number: int) -> Feedback:
    try:
        fields: dict[str, Any] = json.loads(line.decode("utf-8"))
        if not all(isinstance(fields[name], list) for name in _LISTS):
            raise TypeError("seeds, answers and correct are lists")
        lists = [tuple(fields[name]) for name in _LISTS]
        if not all(isinstance(text, str) for row in (*lists, [fields[name] for name in _TEXTS]) for text in row):
            raise TypeError("a text is expected")
        if not isinstance(fields["right"], bool):
            raise TypeError("right must be true or false")
        seeds, answers, correct = lists
        return Feedback(
            fields["question"], seeds, answers, fields["right"], correct, fields["pipeline"], fields["time"],
            str(fields.get("plan", "")),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(
            f"this is not feedback ({type(error).__name__}: {error}); correct or remove the line",
            place, number, line.decode("utf-8", "replace"), code="feedback.bad_line") from error  # fmt: skip
