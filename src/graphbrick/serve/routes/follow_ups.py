"""The route that completes a follow-up question, so that it can be asked alone."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field

from graphbrick.serve.conversation.standalone import standalone
from graphbrick.serve.conversation.turns import read_conversation
from graphbrick.serve.limits.streams import gone
from graphbrick.serve.models import LONGEST_RECIPE, MOST_MESSAGES, Body, ChatMessage, Name
from graphbrick.serve.routes.common import Serving

router = APIRouter(prefix="/v1", tags=["ask"])


class FollowUp(Body):
    """A conversation whose last message is to be completed."""

    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=MOST_MESSAGES, fail_fast=True)]
    graph: Annotated[Name | None, Field(description="Name of the graph; by default the first.")] = None
    pipeline: Annotated[
        str | None, Field(max_length=LONGEST_RECIPE, description="The recipe text that is going to answer.")
    ] = None


@router.post("/follow-up", summary="Complete a follow-up question")
async def follow_up(body: FollowUp, request: Request, service: Serving) -> dict[str, Any]:
    """Return the last message of a conversation as a question that stands alone.

    «And of Kenya?» after «What is the capital of Uganda?» becomes «What is the capital of Kenya?». Returns:
        ``question``; ``seeds``, keys of entities to start from, if the question alone does not tell them; and ``by``,
        which is empty if the question is as the user wrote it.
    """
    conversation = read_conversation(body.messages)
    opened = service.graph(body.graph)
    pipeline = service.pipeline(opened, text=body.pipeline)
    gate, budget = service.gate(pipeline), service.runner.budget()

    def work() -> dict[str, Any]:
        return standalone(opened.graph, pipeline, conversation).to_dict()

    return await service.runner.call(work, gate, budget, lambda: gone(request.receive))
