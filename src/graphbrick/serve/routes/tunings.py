"""Routes about searches for pipelines: results of ``graphbrick tune``."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from graphbrick.core.errors import InputError
from graphbrick.serve.errors import not_found
from graphbrick.serve.models import Name
from graphbrick.serve.routes.common import Serving, look_up
from graphbrick.study.tune.result.reading import read_search

router = APIRouter(prefix="/v1", tags=["searches"])


@router.get("/tunings", summary="List the searches for pipelines")
async def tunings(request: Request, service: Serving) -> dict[str, Any]:
    """Return every search with the pipelines that it recommends, one for each aim."""

    def work() -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = []
        for name, folder in service.searches.folders().items():
            try:
                result = read_search(folder)
                listed.append({"name": name, "metric": result.get("metric"), "recommended": result["recommended"]})
            except InputError as error:
                listed.append({"name": name, "recommended": [], "problem": error.reason})
        return listed

    return {"tunings": await look_up(service, request, work)}


@router.get("/tunings/{name}", summary="What a search found")
async def tuning(name: Name, request: Request, service: Serving) -> dict[str, Any]:
    """Return the recommended pipelines, the measured ones, what each choice brought, and what a reader must know."""
    folders = service.searches.folders()
    if name not in folders:
        raise not_found("search", name, list(folders))
    return await look_up(service, request, lambda: read_search(folders[name]) | {"tuning": name})
