"""Routes about studies: what was measured, pipelines compared, and single questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Request

from graphbrick.core.errors import InputError
from graphbrick.serve.errors import not_found
from graphbrick.serve.models import Name
from graphbrick.serve.routes.common import Serving, look_up
from graphbrick.serve.service import Service
from graphbrick.study.report.summary import compare_study, summarize_study
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import Result, StudyQuestion, StudyRun

T = TypeVar("T")
router = APIRouter(prefix="/v1", tags=["studies"])
_ENDINGS = (".sqlite", ".study", ".db")
Metric = Annotated[str, Query(max_length=100, description="The measure that pipelines are ordered by.")]
By = Annotated[str | None, Query(max_length=100, description="Group questions by this, such as hops.")]


@router.get("/studies", summary="List the studies")
async def studies(request: Request, service: Serving) -> dict[str, Any]:
    """Return every study with its runs."""

    def work() -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = []
        for name, file in _files(service).items():
            try:
                with Study.open(file) as study:
                    listed.append({"name": name, "runs": [_run(run) for run in study.runs()], "judge": study.judge})
            except InputError as error:
                listed.append({"name": name, "runs": [], "problem": error.reason})
        return listed

    return {"studies": await look_up(service, request, work)}


@router.get("/studies/{name}", summary="The figures of a study")
async def summary(
    name: Name, request: Request, service: Serving, metric: Metric = "hits_at_1", by: By = None
) -> dict[str, Any]:
    """Return quality with intervals, cost and lost questions of every pipeline, best first."""
    figures = await _read(service, request, name, lambda study: summarize_study(study, metric=metric, by=by).to_dict())
    return figures | {"study": name}


@router.get("/studies/{name}/comparison", summary="Pipelines of a study compared pair by pair")
async def comparison(
    name: Name,
    request: Request,
    service: Serving,
    metric: Metric = "hits_at_1",
    by: By = None,
    baseline: Annotated[str | None, Query(max_length=2_000, description="Compare all others with this one.")] = None,
) -> dict[str, Any]:
    """Return differences with intervals and corrected tests."""

    def work(study: Study) -> dict[str, Any]:
        return compare_study(study, metric=metric, by=by, baseline=baseline).to_dict()

    return await _read(service, request, name, work)


@router.get("/studies/{name}/questions", summary="The questions of a study, page by page")
async def questions(
    name: Name,
    request: Request,
    service: Serving,
    run: Annotated[int | None, Query(ge=1, le=2**31, description="Only questions of this run.")] = None,
    lost_at: Annotated[str | None, Query(max_length=50, description="Only those that the run lost there.")] = None,
    offset: Annotated[int, Query(ge=0)] = 0,
    n: Annotated[int, Query(ge=1, le=1_000)] = 50,
) -> dict[str, Any]:
    """Return questions with the results of every run: measures, seconds, and where the answer was lost."""

    def work(study: Study) -> dict[str, Any]:
        results = {one.id: {result.question: result for result in study.results(one.id)} for one in study.runs()}
        listed = study.questions(run)
        if lost_at is not None:
            losing = list(results.values()) if run is None else [results.get(run, {})]
            listed = [one for one in listed if any(_lost(answers, one.id) == lost_at for answers in losing)]
        page = [
            _question(one)
            | {"results": {str(key): _result(answers[one.id]) for key, answers in results.items() if one.id in answers}}
            for one in listed[offset : offset + n]
        ]
        following = offset + n if offset + n < len(listed) else None
        return {"study": name, "questions": page, "count": len(listed), "next": following}

    return await _read(service, request, name, work)


@router.get("/studies/{name}/questions/{question}", summary="One question of a study")
async def question(name: Name, question: int, request: Request, service: Serving) -> dict[str, Any]:
    """Return a question with the seeds, answers, paths and stages of every run."""

    def work(study: Study) -> dict[str, Any]:
        stored = next((one for one in study.questions() if one.id == question), None)
        if stored is None:
            raise not_found("question", str(question), [])
        details = {str(run.id): study.detail(run.id, question) for run in study.runs()}
        return _question(stored) | {
            "runs": {key: asdict(detail) for key, detail in details.items() if detail is not None}
        }

    return await _read(service, request, name, work)


def _files(service: Service) -> dict[str, Path]:
    """Return the files of studies by name; those of folders are looked for anew, as evaluations add them."""
    named: dict[str, Path] = {}
    for place in map(Path, service.options.studies):
        files = sorted(place.iterdir()) if place.is_dir() else [place]
        for file in files:
            if not place.is_dir() or (file.is_file() and file.suffix in _ENDINGS):
                name, number = file.stem, 1
                while name in named:  # the same name in another folder
                    number += 1
                    name = f"{file.stem}-{number}"
                named[name] = file
    return named


async def _read(service: Service, request: Request, name: str, work: Callable[[Study], T]) -> T:
    """Open a study, and return what ``work`` reads from it."""
    files = _files(service)
    if name not in files:
        raise not_found("study", name, list(files))

    def within() -> T:
        with Study.open(files[name]) as study:
            return work(study)

    return await look_up(service, request, within)


def _run(run: StudyRun) -> dict[str, Any]:
    return {
        "run": run.id,
        "name": run.name,
        "pipeline": run.recipe,
        "started": run.started,
        "finished": run.finished,
        "questions": run.questions,
        "done": run.done,
    }


def _question(one: StudyQuestion) -> dict[str, Any]:
    return {
        "question": one.id,
        "name": one.name,
        "text": one.text,
        "hops": one.hops,
        "answerable": one.answerable,
        "seeds": [{"key": key, "label": label} for key, label in one.seeds],
        "gold": [gold.answer for gold in one.gold],
        "facts": dict(one.facts),
    }


def _result(result: Result) -> dict[str, Any]:
    return {
        "error": result.error,
        "lost_at": result.lost_at,
        "seconds": result.seconds,
        "metrics": dict(result.metrics),
        "answers": result.n_answers,
        "paths": result.n_paths,
    }


def _lost(answers: dict[int, Result], question: int) -> str | None:
    result = answers.get(question)
    return None if result is None else result.lost_at
