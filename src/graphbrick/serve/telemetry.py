"""Spans of runs and stages, and counts of requests, for OpenTelemetry; only if an option asks for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.core.trace import StageTrace
from graphbrick.pipeline.run import Run

_tracer: Any = None
_requests: Any = None
_seconds: Any = None


def start_telemetry(*, spans: Any = None, metrics: Any = None) -> None:
    """Send traces and metrics from now on, to where the variables ``OTEL_EXPORTER_OTLP_...`` say.

    Args:
        spans: A tracer provider; None for one with the exporter of the environment.
        metrics: A meter provider; likewise.

    Raises:
        InputError: The packages are not installed.
    """
    global _tracer, _requests, _seconds
    if spans is None or metrics is None:
        spans, metrics = _providers()
    _tracer = spans.get_tracer("graphbrick")
    meter = metrics.get_meter("graphbrick")
    _requests = meter.create_counter("graphbrick.requests", description="Requests by route and status")
    _seconds = meter.create_histogram("graphbrick.request.duration", unit="s", description="Seconds of requests")


def stop_telemetry() -> None:
    """Send nothing any more."""
    global _tracer, _requests, _seconds
    _tracer = _requests = _seconds = None


def check_packages() -> None:
    """Raise InputError unless the packages of telemetry are installed."""
    _exporters()


def _exporters() -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Return what makes a provider of spans, and one of metrics, from a resource."""
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise InputError(
            f"telemetry needs a package that is not installed ({error.name}): pip install 'graphbrick[telemetry]'",
            code="telemetry.not_installed",
            package=error.name,
        ) from error

    def spans(resource: Any) -> Any:
        provider = TracerProvider(resource=resource)
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        return provider

    def metrics(resource: Any) -> Any:
        reader = PeriodicExportingMetricReader(OTLPMetricExporter())
        return MeterProvider(resource=resource, metric_readers=[reader])

    return spans, metrics


def _providers() -> tuple[Any, Any]:
    spans, metrics = _exporters()
    from opentelemetry.sdk.resources import Resource

    resource = Resource.create({"service.name": "graphbrick"})
    return spans(resource), metrics(resource)


def count_request(route: str, status: int, seconds: float) -> None:
    """Count a request."""
    if _requests is not None:
        attributes = {"http.route": route or "other", "http.response.status_code": status}
        _requests.add(1, attributes)
        _seconds.record(seconds, attributes)


@contextmanager
def trace_run(graph: str) -> Iterator[Callable[[Run], None]]:
    """Open the span of a run; what is yielded adds the spans of its stages, from its trace."""
    if _tracer is None:
        yield lambda run: None
        return
    start = time.time_ns()
    with _tracer.start_as_current_span("graphbrick.run", attributes={"graphbrick.graph": graph}, start_time=start):

        def add(run: Run) -> None:
            at = start
            for stage in run.trace.stages:
                at = _add(stage, at)

        yield add


def _add(stage: StageTrace, start: int) -> int:
    """Add the span of a stage that has ended, and of those within it; return its end in nanoseconds."""
    from opentelemetry import trace

    end = start + round(1e9 * stage.seconds)
    figures = {f"graphbrick.{name}": getattr(stage, name) for name in ("calls", "tokens_in", "tokens_out", "cost")}
    span = _tracer.start_span(
        f"graphbrick.{stage.kind}", start_time=start, attributes={"graphbrick.stage": stage.stage, **figures}
    )
    with trace.use_span(span, end_on_exit=False):
        at = start
        for child in stage.children:
            at = _add(child, at)
    span.end(end_time=end)
    return end
