"""Routes that run pipelines: ask and retrieve."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response

from graphbrick.serve.asking import SHORT, Inquiry, events_of, read_ask, reply_of, run_of, usage_of
from graphbrick.serve.limits.streams import EventStream, gone
from graphbrick.serve.models import Ask
from graphbrick.serve.routes.common import Serving, id_of, log_of
from graphbrick.serve.service import Service

router = APIRouter(prefix="/v1", tags=["ask"])
EvidenceSize = Annotated[
    Literal["short", "all"], Query(description=f"How much of the evidence is sent: {SHORT} items, or all.")
]
_REPLY: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The run as JSON: answers, the evidence that supports them, the trace; or events.",
        "content": {
            "application/json": {
                "example": {
                    "pipeline": "ShortestPaths() >> PathAnswer()",
                    "question": "What is the capital of Kenya?",
                    "graph": {"name": "world", "hash": "9f2c..."},
                    "seeds": [{"key": "Kenya", "label": "Kenya", "mention": "Kenya", "score": 1.0, "others": []}],
                    "answers": [{"text": "Nairobi", "key": "Nairobi", "support": [0]}],
                    "support": [{"text": "Kenya -> capital -> Nairobi", "score": 1.0}],
                    "evidence": [{"text": "Kenya -> capital -> Nairobi", "score": 1.0}],
                    "evidence_count": 1,
                    "stopped": None,
                }
            },
            "text/event-stream": {"example": 'event: stage\ndata: {"stage": "PPR(k=1000)", "seconds": 0.01}\n\n'},
        },
    }
}


@router.post("/ask", summary="Answer a question", responses=_REPLY)
async def ask(body: Ask, request: Request, service: Serving, evidence: EvidenceSize = "short") -> Response:
    """Run a pipeline on a question.

    ``support`` is the evidence of the answers, ``evidence`` the first 10 items of all that the last stage read, best
    first. ``?evidence=all`` sends every item; ``evidence_count`` says how many there are.

    With ``stream``, or with ``Accept: text/event-stream``, the reply is a stream of events: ``start`` (the stages to
    come), ``progress`` (what is done now: step, done, total, seconds_left), ``stage`` (each as it ends, with counts,
    seconds, tokens and events), ``token`` (what a language model writes as the answer), and ``result`` (as without a
    stream) or ``error``.
    """
    inquiry = read_ask(service, body, all_evidence=evidence == "all")
    return await _reply(service, request, inquiry, stream=body.stream)


@router.post("/retrieve", summary="Retrieve the evidence for a question", responses=_REPLY)
async def retrieve(body: Ask, request: Request, service: Serving, evidence: EvidenceSize = "all") -> Response:
    """Run a pipeline without its last stage, so that no answer is made: seeds, subgraph and evidence.

    All evidence is sent; ``?evidence=short`` sends the first 10 items.
    """
    inquiry = read_ask(service, body, retrieve=True, all_evidence=evidence == "all")
    return await _reply(service, request, inquiry, stream=body.stream)


async def _reply(service: Service, request: Request, inquiry: Inquiry, *, stream: bool) -> Response:
    """Return the result of a run, at its end or as events."""
    log, gate = log_of(request), service.gate(inquiry.pipeline)
    log["graph"] = inquiry.opened.name
    if stream or "text/event-stream" in request.headers.get("accept", ""):
        gate.check()  # as long as there is a status to say it with
        return EventStream(events_of(service, inquiry, log, id_of(request)))

    def work() -> bytes:
        run = run_of(inquiry)
        log.update(usage_of(run))
        return json.dumps(reply_of(inquiry, run)).encode()

    content = await service.runner.call(work, gate, inquiry.budget, lambda: gone(request.receive))
    return Response(content, media_type="application/json")
