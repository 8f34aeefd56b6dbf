"""The questions and pipelines of an evaluation, checked before anything runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from graphbrick.core.errors import InputError, PipelineError
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.parsing import parse
from graphbrick.pipeline.run import Level
from graphbrick.questions.fetching import named_files
from graphbrick.questions.loading import load
from graphbrick.questions.question import Question
from graphbrick.questions.sampling import sample
from graphbrick.study.store.identity import Identity, identity_of

Questions = str | os.PathLike[str] | Question | Iterable["str | os.PathLike[str] | Question | SourcedQuestion"]
Pipelines = str | Pipeline | Sequence[str | Pipeline] | Mapping[str, str | Pipeline]


class SourcedQuestion(NamedTuple):
    """A question with the file that it comes from.

    Attributes:
        question: The question.
        file: The file; None for a question from Python.
        total: Number of questions in the file.
    """

    question: Question
    file: Path | None
    total: int


class NamedPipeline(NamedTuple):
    """A pipeline with its name in tables.

    Attributes:
        name: The name; empty to let the study choose one.
        pipeline: The pipeline.
        identity: Everything that changes its results.
    """

    name: str
    pipeline: Pipeline
    identity: Identity


def read_questions(questions: Questions, limit: int | None = None, seed: int = 0) -> list[SourcedQuestion]:
    """Read all questions, or draw ``limit`` of them in proportion to hops.

    Raises:
        InputError: A file cannot be read, there are no questions, one is empty, two have the same id, or the limit is
            not a positive whole number.
    """
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 1):
        raise InputError(
            f"limit must be a whole number of at least 1, got {limit!r}; try 500",
            code="evaluate.bad_limit",
            limit=limit,
        )
    sources = [questions] if isinstance(questions, str | os.PathLike | Question) else list(questions)
    read: list[SourcedQuestion] = []
    for source in sources:
        if isinstance(source, SourcedQuestion):
            read.append(source)
        elif isinstance(source, Question):
            read.append(SourcedQuestion(source, None, 0))
        elif isinstance(source, str | os.PathLike):
            for path in named_files(os.fspath(source)) or (Path(source),):
                content = load(path)
                read += [SourcedQuestion(question, path.absolute(), len(content)) for question in content]
        else:
            raise InputError(
                f"questions are files or of the type Question, got {source!r:.80}; read a file with "
                "graphbrick.questions.load(file), or write Question(id, text, seeds, answers)",
                code="evaluate.not_questions",
                source=source,
            )
    _check(read)
    if limit is None:
        return read
    by_question = {id(entry.question): entry for entry in read}
    return [by_question[id(question)] for question in sample((entry.question for entry in read), limit, seed=seed)]


def _check(read: Sequence[SourcedQuestion]) -> None:
    if not read:
        raise InputError("there are no questions; give at least one", code="evaluate.no_questions")
    keys = set[tuple[str, str]]()
    for question, file, _ in read:
        key = question.dataset, question.id
        if key in keys:
            raise InputError(
                f"there are two questions {question.id!r} of the data set {question.dataset!r}; give each an id of its "
                "own, or each file a dataset of its own",
                file,
                code="evaluate.question_twice",
                id=question.id,
            )
        if not question.text.strip():
            raise InputError(
                f"the question {question.id!r} is empty", file, code="evaluate.empty_question", id=question.id
            )
        keys.add(key)


def named_pipelines(pipelines: Pipelines) -> list[NamedPipeline]:
    """Parse and check the pipelines.

    Raises:
        PipelineError: There is none, one cannot be read or cannot start a run, or two give the same results.
    """
    if isinstance(pipelines, str | Pipeline):
        pipelines = [pipelines]
    pairs = list(pipelines.items()) if isinstance(pipelines, Mapping) else [("", one) for one in pipelines]
    if not pairs:
        raise PipelineError("there is no pipeline to evaluate; give at least one", code="evaluate.no_pipeline")
    named: dict[str, NamedPipeline] = {}
    for name, source in pairs:
        pipeline = parse(source) if isinstance(source, str) else source
        if not isinstance(pipeline, Pipeline):
            raise PipelineError(
                f"a pipeline is a recipe text or a Pipeline, got {source!r:.80}",
                code="evaluate.not_a_pipeline",
                source=source,
            )
        text = repr(pipeline)
        if Level.QUERY not in pipeline.accepts:
            raise PipelineError(
                f"{text} cannot start a run; put stages such as PPR() >> ShortestPaths() before it",
                code="evaluate.cannot_start",
                pipeline=text,
            )
        identity = identity_of(pipeline)
        if identity.text in named:
            names = f" ({named[identity.text].name!r} and {name!r})" if name else ""
            raise PipelineError(
                f"the pipeline {text} is there twice{names}; leave one out",
                code="evaluate.pipeline_twice",
                pipeline=text,
            )
        named[identity.text] = NamedPipeline("" if name == text else name, pipeline, identity)
    return list(named.values())
