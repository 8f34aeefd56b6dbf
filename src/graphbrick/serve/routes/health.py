"""Routes for probes and monitoring: whether the server is alive and ready, and its load."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from graphbrick.serve.routes.common import Serving

router = APIRouter(tags=["health"])


@router.get("/healthz", summary="Is the server alive")
async def health() -> dict[str, str]:
    """Return at once, whatever the server is doing; needs no token."""
    return {"status": "ok"}


@router.get("/readyz", summary="Are models and graphs loaded")
async def ready(service: Serving, response: Response) -> dict[str, Any]:
    """Return status 200 when the first question would be answered without loading anything, else 503; no token."""
    if not service.is_ready:
        response.status_code = 503
    return {"status": "ready" if service.is_ready else "loading"}


@router.get("/v1/status", summary="What the server does now")
async def status(service: Serving) -> dict[str, Any]:
    """Return the runs and look-ups that run and wait, in this worker, and the limits of a request."""
    runner, options = service.runner, service.options
    gates = {
        "kernels": runner.kernels,
        "model_runs": runner.models,
        "lookups": runner.lookups,
        "queries": runner.queries,
        "changes": runner.changes,
    }
    return {
        "ready": service.is_ready,
        "gates": {
            name: {"running": gate.running, "waiting": gate.waiting, "places": gate.places, "queue": gate.queue}
            for name, gate in gates.items()
        },
        "limits": {"seconds": options.seconds, "tokens": options.tokens, "usd": options.usd},
        "write": options.write,
        "trust_recipes": options.trust_recipes,
    }
