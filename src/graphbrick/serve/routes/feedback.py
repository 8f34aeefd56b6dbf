"""The route that marks answers right or wrong, for the next ``graphbrick learn``."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from graphbrick.graphs.graph import Graph
from graphbrick.learn.feedback import add_feedback, feedback_place
from graphbrick.pipeline.budget import StoppedError
from graphbrick.serve.asking import read_ask, run_of, usage_of
from graphbrick.serve.errors import ServeError
from graphbrick.serve.limits.streams import gone
from graphbrick.serve.models import GiveFeedback
from graphbrick.serve.routes.common import Serving, log_of

router = APIRouter(prefix="/v1", tags=["feedback"])
_MOST_BYTES = 64 << 20  # of the file of a graph


@router.post("/feedback", summary="Mark the answers to a question right or wrong")
async def feedback(body: GiveFeedback, request: Request, service: Serving) -> dict[str, Any]:
    """Answer the question once more, and append the verdict to the file that ``graphbrick learn`` reads.

    The server must have been started with ``--write``. ``learned`` says whether the next ``graphbrick learn`` uses it:
    not if rules computed the answer, nor if it is wrong and nobody named the right answers.
    """
    if not service.options.write:
        raise ServeError(403, "read_only", "the server only reads; graphbrick serve --write lets clients mark answers")
    inquiry = read_ask(service, body)
    log = log_of(request)
    log["graph"] = inquiry.opened.name
    graph = inquiry.opened.graph
    if not isinstance(graph, Graph):
        name = inquiry.opened.name
        raise ServeError(400, "not_a_folder", f"{name} is not a graph folder, so that nothing learns from it")

    def work() -> dict[str, Any]:
        place = feedback_place(graph)
        if place.exists() and place.stat().st_size > _MOST_BYTES:
            raise ServeError(
                507, "feedback_full", "the file of feedback is full; run graphbrick learn and move it away"
            )
        run = run_of(inquiry)
        log.update(usage_of(run))
        if run.stopped is not None:  # what it found until then is not what was said to be right or wrong
            raise StoppedError(f"nothing was marked, as the run did not end: {run.stopped.reason}")
        marked = add_feedback(run, inquiry.pipeline, right=body.right, correct=body.answers)
        return {
            "question": marked.question.encode(errors="backslashreplace").decode(),  # as in the file
            "seeds": marked.seeds,
            "answers": marked.answers,
            "right": marked.right,
            "correct": marked.correct,
            "learned": bool(marked.gold),
        }

    gate = service.gate(inquiry.pipeline)
    return await service.runner.call(work, gate, inquiry.budget, lambda: gone(request.receive))
