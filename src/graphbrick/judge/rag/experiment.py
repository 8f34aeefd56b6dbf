"""Evaluation of systems on documents: build, ask, judge; the same call goes on after an end."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from graphbrick.core.compute import Progress, part_of, silent
from graphbrick.core.errors import InputError
from graphbrick.core.files.locks import claim
from graphbrick.core.trace import Trace, record
from graphbrick.judge.rag.building import Built, Documents, build_system
from graphbrick.judge.rag.questions import QuestionWriting, questions_about
from graphbrick.judge.rag.references import Reference, references_of
from graphbrick.judge.rag.scores import Score, Scores, score_answers
from graphbrick.judge.rag.systems import RagSystem
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.naming import name_of
from graphbrick.pipeline.run import Level
from graphbrick.questions.loading import load
from graphbrick.questions.question import Question
from graphbrick.study.runs.experiment import evaluate
from graphbrick.study.runs.judging import JUDGING
from graphbrick.study.store.encoding import plain
from graphbrick.study.store.identity import content_of, identity_of, on_graph
from graphbrick.study.store.reader import Study

if TYPE_CHECKING:
    from filelock import FileLock

QUESTIONS, RUNS, SCORES = "questions.jsonl", "runs.sqlite", "scores.jsonl"
_FILES = (QUESTIONS, RUNS, SCORES, "report.html", "training.csv", "inference.csv", "answers.txt")
WRITING = "writing questions"


@dataclass(frozen=True)
class Asked:
    """One question, as one system answered it.

    Attributes:
        question: The question.
        answer: The answers, one a line; empty for none.
        seconds: Time of all stages.
        error: Why the system failed; empty if it did not.
        score: Its score; None without a judge.
    """

    question: Question
    answer: str
    seconds: float
    error: str
    score: Score | None


@dataclass(frozen=True)
class RagStudy:
    """The result of an evaluation on documents.

    Attributes:
        folder: Where everything is kept.
        built: The graph of each system by its name.
        asked: What each system answered, in the order of the questions.
        judge: Name of the judge; empty for none.
        notes: What a user should know.
        published: The recipe whose published figures stand beside those of a system, by its name.
    """

    folder: Path
    built: dict[str, Built]
    asked: dict[str, list[Asked]]
    judge: str
    notes: list[str]
    published: Mapping[str, str] = field(default_factory=dict)


def evaluate_rag(
    documents: Documents,
    systems: Sequence[RagSystem],
    folder: str | PathLike[str],
    *,
    questions: str | PathLike[str] | QuestionWriting | None = None,
    judge: ChatModel | None = None,
    reference: bool = True,
    retry: bool = False,
    progress: Progress = silent,
) -> RagStudy:
    """Compare systems on documents: cost of building, time of answering, and a judge's score.

    Everything is kept in a folder: the graph of each system, the questions, the answers (a study as of
    `graphbrick.study`), the scores. Whatever ends the evaluation, the same call continues it; nothing is built,
    asked or paid for twice. Documents that change later do not count.

    Args:
        documents: The documents.
        systems: The systems.
        folder: Where everything is kept; made if there is none.
        questions: A file of questions, or an order to write them, which is not needed again once the folder has its
            questions.
        judge: A language model that scores answers from 0 to 100; None for no scores.
        reference: Whether the judge sees what is true, as published: the stored answer of a question, or the text of
            the document that it is about. Without it, or where a question has neither, it sees question and answer.
        retry: Let the judge score again the answers whose score could not be read.
        progress: Called now and then.

    Raises:
        InputError: Two systems are the same, one gives no answer, there are no questions and no order, a system
            was built differently, or another process writes into the folder.
        GraphbrickError: Documents cannot be read, or the folder cannot be written.
        StoppedError: The budget is used up.
    """
    _check(systems)
    place, notes = Path(folder), list[str]()
    with _alone(place):
        built = {one.name: build_system(one, documents, place, part_of(progress, one.name)) for one in systems}
        posed = _questions(place, questions, built[systems[0].name], progress, notes)
        for system in systems:
            pipelines = {system.name: system.pipeline}
            part = part_of(progress, system.name)
            evaluate(built[system.name].graph, posed, pipelines, out=place / RUNS, link=True, progress=part).close()
        published = {system.name: system.published for system in systems if system.published}
        answers = {system.name: _answers(place / RUNS, system, built[system.name], posed) for system in systems}
        if judge is None:
            return RagStudy(place, built, answers, "", notes, published)
        references = references_of(posed, built[systems[0].name].graph) if reference else {}
        notes += _notes_on(references, len(posed)) if reference else []
        judged = _judged(answers, judge, Scores(place / SCORES), references, progress, retry=retry)
        return RagStudy(place, built, judged, name_of(judge), notes, published)


def _alone(folder: Path) -> FileLock:
    """Make the folder of an evaluation, and return its lock, held until the end of a ``with`` block.

    Raises:
        InputError: Another process has it, or it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return claim(folder / ".lock")
    except BlockingIOError as error:
        reason = "another evaluation writes into this folder; wait, or name another one"
        raise InputError(reason, folder, code="rag.locked") from error
    except OSError as error:
        reason = f"the folder cannot be written: {error.strerror or error}"
        raise InputError(reason, folder, code="rag.not_writable") from error


def _check(systems: Sequence[RagSystem]) -> None:
    if not systems:
        raise InputError("there is no system to evaluate; give at least one", code="rag.no_system")
    file = next((system.name for system in systems if system.folder.casefold() in _FILES), None)
    if file is not None:
        raise InputError(
            f"a system cannot be called {file!r}, as a file of the evaluation has this name; rename it",
            code="rag.reserved_name",
            name=file,
        )
    other = next((system for system in systems if system.pipeline.gives != Level.ANSWER), None)
    if other is not None:
        raise InputError(
            f"the system {other.name!r} gives no answer: {other.pipeline!r}; end its pipeline with a stage such as "
            "Quote(BM25())",
            code="rag.no_answer_stage",
            name=other.name,
        )
    folders = [system.folder.casefold() for system in systems]
    twice = next((system.name for system in systems if folders.count(system.folder.casefold()) > 1), None)
    if twice is not None:
        raise InputError(
            f"there are two systems {twice!r}, or names that differ only in marks; rename one",
            code="rag.same_name",
            name=twice,
        )
    seen: dict[tuple[str, ...], str] = {}
    for system in systems:
        key = tuple(map(repr, (system.pipeline, system.extractor, system.chunker, system.reports, system.reporter)))
        if key in seen:
            raise InputError(
                f"the systems {seen[key]!r} and {system.name!r} are the same; leave one out",
                code="rag.same_system",
                names=(seen[key], system.name),
            )
        seen[key] = system.name


def _questions(
    folder: Path,
    questions: str | PathLike[str] | QuestionWriting | None,
    built: Built,
    progress: Progress,
    notes: list[str],
) -> list[Question]:
    """Return the questions: those of a file, those of the folder, or new ones."""
    if isinstance(questions, str | PathLike):
        return list(load(Path(questions)))
    file = folder / QUESTIONS
    if not file.is_file():
        if questions is None:
            raise InputError(
                "there are no questions; name a file of them, or a language model that writes some (--llm MODEL)",
                code="rag.no_questions",
            )
        notes += _write(file, built, questions, progress)
    return list(load(file))


def _write(file: Path, built: Built, writing: QuestionWriting, progress: Progress) -> list[str]:
    """Write questions into a file, which is there when all are written; return what a user should know."""
    part, trace = file.with_suffix(".part.jsonl"), Trace()
    if part.is_file() and not part.read_bytes().endswith(b"\n"):  # a process was killed in the middle of a line
        os.truncate(part, part.read_bytes().rfind(b"\n") + 1)
    known = list(load(part)) if part.is_file() and part.stat().st_size else []
    done = len(known)

    def keep(question: Question) -> None:
        nonlocal done
        row = {"id": question.id, "question": question.text, "answers": list(question.answers), **question.facts}
        with part.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
        done += 1
        progress(WRITING, done, writing.overall + writing.single)

    with record(trace, "questions", "questions"):
        questions_about(built.graph, writing, known=known, keep=keep)
    part.replace(file)
    return trace.events


def _answers(runs: Path, system: RagSystem, built: Built, posed: Sequence[Question]) -> list[Asked]:
    """Return what a system answered."""
    identity = on_graph(identity_of(system.pipeline), system.pipeline, built.graph)
    # The study may hold questions of another file, with the same ids.
    by_name = {(plain(one.dataset), plain(one.id)): one for one in posed}
    content = content_of(built.graph)
    with Study.open(runs) as study:
        run = next(run for run in study.runs() if run.identity == identity and run.graph_hash == content)
        names = {question.id: (question.dataset, question.name) for question in study.questions(run.id)}
        texts = {detail.question: "\n".join(one.text for one in detail.answers) for detail in study.details(run.id)}
        return [
            Asked(
                by_name[names[result.question]],
                "" if result.error else texts.get(result.question, ""),
                result.seconds,
                result.error or "",
                None,
            )
            for result in study.results(run.id)
            if names.get(result.question) in by_name
        ]


def _notes_on(references: Mapping[str, Reference], questions: int) -> list[str]:
    """Return what a user should know of what the judge sees."""
    lacking, cut = questions - len(references), sum(one.is_cut for one in references.values())
    lacks = (
        f"{lacking:,} of {questions:,} questions have neither an answer nor a document here, which a judge could see"
    )
    return [lacks] * bool(lacking) + [f"of {cut:,} long documents the judge sees the beginning"] * bool(cut)


def _judged(
    answers: dict[str, list[Asked]],
    judge: ChatModel,
    scores: Scores,
    references: Mapping[str, Reference],
    progress: Progress,
    *,
    retry: bool,
) -> dict[str, list[Asked]]:
    """Return the answers with their scores."""
    rows = [(name, one.question.id, one.question.text, one.answer) for name, part in answers.items() for one in part]
    scored = iter(
        score_answers(
            rows, judge, name_of(judge), scores, part_of(progress, JUDGING), references=references, retry=retry
        )
    )
    return {
        name: [Asked(one.question, one.answer, one.seconds, one.error, next(scored)) for one in part]
        for name, part in answers.items()
    }
