"""Spans and counts of requests, with the exporters of OpenTelemetry that keep them in memory."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from served import QUESTION, serving

from graphbrick.serve.telemetry import start_telemetry, stop_telemetry


def test_every_run_and_stage_is_a_span_and_every_request_is_counted():
    spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    start_telemetry(spans=provider, metrics=MeterProvider(metric_readers=[reader]))
    try:
        with serving() as client:
            client.post("/v1/ask", json={"question": QUESTION, "recipe": "paths"})
            client.get("/v1/graphs/none")
    finally:
        stop_telemetry()
    told = spans.get_finished_spans()
    assert [span.name.removeprefix("graphbrick.") for span in told] == ["link", "retrieve", "generate", "run"]
    run = told[-1]
    assert run.attributes["graphbrick.graph"] == "tiny"
    for stage in told[:-1]:
        assert stage.parent.span_id == run.context.span_id
        assert run.start_time <= stage.start_time <= stage.end_time
    metrics = {metric.name: metric for metric in reader.get_metrics_data().resource_metrics[0].scope_metrics[0].metrics}
    counts = {tuple(p.attributes.values()): p.value for p in metrics["graphbrick.requests"].data.data_points}
    assert counts == {("/v1/ask", 200): 1, ("/v1/graphs/{name}", 404): 1}


def test_nothing_is_sent_unless_asked_for():
    with serving() as client:
        assert client.post("/v1/ask", json={"question": QUESTION, "recipe": "paths"}).status_code == 200


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(Exception, match=r"pip install 'graphbrick\[telemetry\]'"):
        start_telemetry()
