"""Routes to label answers by hand, over a file that ``graphbrick judge sample`` wrote."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from graphbrick.judge.labels.labelling import Labelling
from graphbrick.serve.errors import ServeError
from graphbrick.serve.models import GiveLabel
from graphbrick.serve.routes.common import Serving, look_up
from graphbrick.serve.service import Service

router = APIRouter(prefix="/v1", tags=["labels"])


@router.get("/labels", summary="What is to be labelled")
async def labels(request: Request, service: Serving) -> dict[str, Any]:
    """Return the labels with what a person is asked, and every value so far, row by row and label by label."""
    return await look_up(service, request, _labelling(service).info)


@router.get("/labels/case", summary="One answer to label")
async def case(request: Request, service: Serving, row: Annotated[int, Query(ge=0)]) -> dict[str, Any]:
    """Return question, evidence and answer of a row; not the system, which the labeller should not know."""
    labelling = _labelling(service)
    return await look_up(service, request, lambda: labelling.case(row))


@router.put("/labels", summary="Give a label, or take it back")
async def give(body: GiveLabel, request: Request, service: Serving) -> dict[str, Any]:
    """Write a label into the file at once."""
    labelling = _labelling(service)
    await look_up(service, request, lambda: labelling.give(body.id, body.label, body.value))
    return {"id": body.id, "label": body.label, "value": body.value}


def _labelling(service: Service) -> Labelling:
    if service.labelling is None:
        raise ServeError(
            404, "no_labels", "the server has nothing to label; start it with --labels FILE (graphbrick judge sample)"
        )
    return service.labelling
