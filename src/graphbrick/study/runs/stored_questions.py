"""The questions of a study that is open for writing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.questions.grounding import GroundedQuestion
from graphbrick.questions.question import Question
from graphbrick.study.runs.query_scoring import gold_facts
from graphbrick.study.runs.question_graphs import StudyGraph, graph_of
from graphbrick.study.store.database import Database
from graphbrick.study.store.encoding import plain, to_json


class StoredQuestions:
    """The tables of questions and of the files that they came from.

    Args:
        db: The study.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    def file(self, path: Path, checksum: str, questions: int) -> int:
        """Return the number of a file of questions; added if it is new."""
        key = plain(str(path)), checksum
        self._db.execute("INSERT OR IGNORE INTO files (path, sha256, questions) VALUES (?, ?, ?)", (*key, questions))
        return int(self._db.value("SELECT id FROM files WHERE path = ? AND sha256 = ?", key))

    def known(self, graph: StudyGraph, questions: Sequence[Question]) -> dict[int, GroundedQuestion]:
        """Return the questions already asked on this graph, by index, as they were grounded then.

        Raises:
            InputError: A question of the same data set and id has changed, and has results.
        """
        grounded: dict[int, GroundedQuestion] = {}
        for index, question in enumerate(questions):
            row = next(
                self._db.rows(
                    "SELECT id, digest, distance, seeds, missing_seeds, gold FROM questions"
                    " WHERE graph_hash = ? AND dataset = ? AND name = ?",
                    (graph.hash, plain(question.dataset), plain(question.id)),
                ),
                None,
            )
            if row is None:
                continue
            if row["digest"] != digest_of(question):
                self._replace(row["id"], question)
                continue
            gold, entity_of = json.loads(row["gold"]), _entities(graph, question)
            grounded[index] = GroundedQuestion(
                question,
                seeds=tuple(entity_of(key) for key, _ in json.loads(row["seeds"])),
                gold=tuple(tuple(entity_of(key) for key in answer["keys"]) for answer in gold),
                names=tuple(tuple(answer["names"]) for answer in gold),
                missing_seeds=tuple(json.loads(row["missing_seeds"])),
                distance=row["distance"],
            )
        return grounded

    def refuse_changed(self, graph: StudyGraph, questions: Iterable[Question], but: Collection[int]) -> None:
        """Raise an error if a question has changed and has results of runs that are not about to be removed.

        Raises:
            InputError: There is such a question.
        """
        for question in questions:
            key = graph.hash, plain(question.dataset), plain(question.id), digest_of(question)
            number = self._db.value(
                "SELECT id FROM questions WHERE graph_hash = ? AND dataset = ? AND name = ? AND digest != ?", key
            )
            if number is not None:
                self._require_no_results(number, question, but)

    def _require_no_results(self, number: int, question: Question, but: Collection[int] = ()) -> None:
        rows = self._db.rows("SELECT run FROM results WHERE question = ?", (number,))
        results = sum(row["run"] not in but for row in rows)
        if results:
            raise InputError(
                f"the question {question.id!r} of {question.dataset!r} is not what it was when this study asked it "
                f"({results} results); evaluate all its pipelines anew with --fresh, or name another file",
                self._db.path,
                code="study.changed_question",
                id=question.id,
                results=results,
            )

    def _replace(self, number: int, question: Question) -> None:
        """Remove a question that has changed, unless it has results."""
        with self._db.transaction():
            self._require_no_results(number, question)
            self._db.execute("DELETE FROM asked WHERE question = ?", (number,))
            self._db.execute("DELETE FROM questions WHERE id = ?", (number,))

    def add(self, graph: StudyGraph, questions: Sequence[GroundedQuestion], files: Sequence[int | None]) -> list[int]:
        """Return the numbers of questions; new ones are added with the number of their file.

        Facts of known questions that are new or have changed are stored too: they group results.
        """
        numbers = []
        with self._db.transaction():
            for grounded, file in zip(questions, files, strict=True):
                question = grounded.question
                key = graph.hash, plain(question.dataset), plain(question.id)
                self._db.execute(
                    "INSERT OR IGNORE INTO questions (graph_hash, dataset, name, text, hops, distance, answerable,"
                    " seeds, missing_seeds, gold, facts, file, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        *(*key, plain(question.text), question.hops, grounded.distance, grounded.answerable),
                        to_json(_seeds(graph, grounded)),
                        *(to_json(grounded.missing_seeds), _gold(graph, grounded), to_json(dict(question.facts))),
                        *(file, digest_of(question)),
                    ),
                )
                select = "SELECT id, facts FROM questions WHERE graph_hash = ? AND dataset = ? AND name = ?"
                row = next(self._db.rows(select, key))
                facts = to_json({**json.loads(row["facts"]), **question.facts})
                if facts != row["facts"]:
                    self._db.execute("UPDATE questions SET facts = ? WHERE id = ?", (facts, row["id"]))
                numbers.append(int(row["id"]))
        return numbers


def digest_of(question: Question) -> str:
    """Return a checksum of a question; of its facts only gold queries change results."""
    content: tuple[object, ...] = (
        *(question.text, question.seeds, question.answers, question.answer_names, question.hops),
        *gold_facts(question.facts),
    )
    return hashlib.sha256(to_json(content).encode()).hexdigest()


def _entities(graph: StudyGraph, question: Question) -> Callable[[str], int]:
    """Return a function from keys to entities of a question's graph; none without a subgraph."""
    return lambda key: graph_of(graph, question).entity(key)


def _keys(graph: StudyGraph, grounded: GroundedQuestion, entities: Iterable[int]) -> list[str]:
    return [graph_of(graph, grounded.question).key(entity) for entity in entities]


def _seeds(graph: StudyGraph, grounded: GroundedQuestion) -> list[tuple[str, str]]:
    keys = _keys(graph, grounded, grounded.seeds)
    return [
        (key, graph_of(graph, grounded.question).label(seed)) for key, seed in zip(keys, grounded.seeds, strict=True)
    ]


def _gold(graph: StudyGraph, grounded: GroundedQuestion) -> str:
    answers = zip(grounded.question.answers, grounded.names, grounded.gold, strict=True)
    return to_json(
        [
            {"answer": answer, "names": names, "keys": _keys(graph, grounded, entities)}
            for answer, names, entities in answers
        ]
    )
