"""Peaks of memory of stages, against blocks of known size."""

from __future__ import annotations

import csv
import json
import sys
import threading
from mmap import mmap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from commands import Run, refused
from faults import fails

from graphbrick import Apply, Evidence, Graph, build, evaluate
from graphbrick.core.errors import GraphbrickError, InputError
from graphbrick.core.memory import peaks
from graphbrick.core.memory.meter import MemoryMeter, measuring_memory
from graphbrick.core.memory.peaks import KernelPeaks, SampledPeaks
from graphbrick.core.query import Query
from graphbrick.core.trace import Trace, record
from graphbrick.questions.question import Question
from graphbrick.study.store.reader import Study

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux has /proc")
_NOISE = 12.0  # MB that other threads of a test process may take or give back meanwhile


def held(megabytes: int) -> np.ndarray:
    """Memory that is really there, as every page is written, and that the system has back when it is freed."""
    block = np.frombuffer(mmap(-1, megabytes << 20), dtype=np.uint8)
    block[:] = 1
    return block


@pytest.mark.whole
@pytest.mark.parametrize("kind", [KernelPeaks, SampledPeaks])
def test_a_stage_has_the_peak_inside_it_and_not_that_of_the_stage_before(kind: type) -> None:
    source = kind()
    meter = MemoryMeter(source)
    figures = []
    for size in (120, 20, 60):
        frame = meter.begin()
        block = held(size)
        if kind is SampledPeaks:
            source._look()  # what the thread does every few milliseconds
        del block  # gone before the end
        figures.append(meter.end(frame)["grown_mb"])
    source.close()
    assert figures == pytest.approx([120, 20, 60], abs=_NOISE)


def test_the_thread_sees_a_block_that_is_held_for_some_looks() -> None:
    source = SampledPeaks(interval=0.001)
    seen = source._is_over  # the thread sets the peak; wait for it without a clock of our own
    before = source.begin()
    block = held(80)
    for _ in range(60_000):
        if source._peak >= before + 60:
            break
        seen.wait(0.001)
    del block
    assert source.peak() >= before + 60
    source.close()
    assert not source._thread.is_alive()


def test_a_stage_counts_what_is_within_it_and_siblings_do_not() -> None:
    trace = Trace()
    with measuring_memory(), record(trace, "outer", "retrieve") as outer:
        for size in (90, 10):
            with record(Trace(outer.children), str(size), "step"):
                block = held(size)
                del block
    first, second = (child.facts["grown_mb"] for child in outer.children)
    assert (first, second) == pytest.approx((90, 10), abs=_NOISE)
    assert outer.facts["grown_mb"] == pytest.approx(90, abs=_NOISE)
    assert outer.facts["peak_mb"] >= outer.children[0].facts["peak_mb"]


def test_what_stays_is_the_beginning_of_the_next_stage() -> None:
    trace = Trace()
    with measuring_memory():
        with record(trace, "first", "extract"):
            stays = held(70)
        with record(trace, "second", "retrieve"):
            more = held(10)
    one, two = (stage.facts for stage in trace.stages)
    assert two["grown_mb"] == pytest.approx(10, abs=_NOISE)
    assert two["peak_mb"] - one["peak_mb"] == pytest.approx(10, abs=_NOISE)
    del stays, more


def test_nothing_is_measured_unless_it_is_asked_for() -> None:
    with record(Trace(), "stage", "extract") as entry:
        pass
    assert entry.facts == {}


def test_without_the_right_to_reset_the_kernels_peak_a_thread_looks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(peaks, "_RESET", tmp_path)  # writing to a folder fails
    with measuring_memory(), record(Trace(), "stage", "extract") as entry:
        block = held(50)
        assert "memory" in {thread.name for thread in threading.enumerate()}
    del block
    assert entry.facts["grown_mb"] == pytest.approx(50, abs=_NOISE)
    monkeypatch.setattr(peaks, "_STATM", tmp_path / "none")
    with fails("memory.not_known", GraphbrickError), measuring_memory():
        pass


class Card:
    """Stands in for torch.cuda with two GPUs: what is allocated, and the peak since it was reset."""

    def __init__(self) -> None:
        self.now, self.peak = [0, 0], [0, 0]

    def is_initialized(self) -> bool:
        return True

    def device_count(self) -> int:
        return 2

    def take(self, device: int, megabytes: int) -> None:
        self.now[device] += megabytes << 20
        self.peak[device] = max(self.peak[device], self.now[device])

    def memory_allocated(self, device: int) -> int:
        return self.now[device]

    def max_memory_allocated(self, device: int) -> int:
        return self.peak[device]

    def reset_peak_memory_stats(self, device: int) -> None:
        self.peak[device] = self.now[device]


def test_the_peak_of_gpus_is_that_of_torch_since_the_stage_began(monkeypatch: pytest.MonkeyPatch) -> None:
    card: Any = Card()
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=card))
    trace = Trace()
    with measuring_memory():
        with record(trace, "model", "rerank"):
            card.take(0, 500)
            card.take(0, -300)
            card.take(1, 40)
        with record(trace, "after", "generate"):
            card.take(0, 10)
    assert [stage.facts["gpu_peak_mb"] for stage in trace.stages] == [540.0, 250.0]
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())  # without GPUs
    with measuring_memory(), record(Trace(), "model", "rerank") as entry:
        pass
    assert "gpu_peak_mb" not in entry.facts


# A study


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    return build([("Kenya", "capital", "Nairobi"), ("Uganda", "capital", "Kampala")], tmp_path / "capitals.graph")


QUESTIONS = [
    Question(str(i), f"What is the capital of {country}?", (country,), (city,), dataset="mine")
    for i, (country, city) in enumerate((("Kenya", "Nairobi"), ("Uganda", "Kampala")))
]


def greedy(query: Query, evidence: Evidence) -> Evidence:
    """Take 100 MB for the question about Kenya."""
    block = held(100 if "Kenya" in query.text else 1)
    del block
    return evidence


def test_a_study_keeps_the_peak_of_each_stage(graph: Graph, tmp_path: Path) -> None:
    from graphbrick import PathAnswer, ShortestPaths

    pipeline = ShortestPaths() >> Apply(rerank=greedy, name="greedy") >> PathAnswer()
    out = tmp_path / "runs.sqlite"
    with evaluate(graph, QUESTIONS, {"greedy": pipeline}, out=out, memory=True) as study:
        (run,) = study.runs()
        first, second = sorted(study.results(run.id), key=lambda result: result.question)
        names = {name for name in first.metrics if name.startswith(("peak_mb", "grown_mb"))}
        assert names == {
            f"{name}_{kind}" for name in ("peak_mb", "grown_mb") for kind in ("retrieve", "rerank", "generate")
        }
        assert first.metrics["grown_mb_rerank"] == pytest.approx(100, abs=_NOISE)
        assert second.metrics["grown_mb_rerank"] == pytest.approx(1, abs=_NOISE)
        assert first.metrics["peak_mb_rerank"] > first.metrics["grown_mb_rerank"]
        stage = next(stage for stage in study.detail(run.id, first.question).stages if stage["kind"] == "rerank")
        assert stage["facts"]["grown_mb"] == first.metrics["grown_mb_rerank"]
    with evaluate(
        graph, QUESTIONS, {"plain": "ShortestPaths() >> PathAnswer()"}, out=tmp_path / "other.sqlite"
    ) as study:
        (run,) = study.runs()
        assert not [name for name in study.results(run.id)[0].metrics if "_mb_" in name]


def test_memory_is_measured_for_one_question_at_a_time(graph: Graph, tmp_path: Path) -> None:
    with fails("evaluate.memory_of_several", InputError):
        evaluate(graph, QUESTIONS, "ShortestPaths() >> PathAnswer()", out=tmp_path / "x", workers=2, memory=True)


def test_the_option_gives_columns_of_the_csv(graph: Graph, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    rows = [{"id": q.id, "question": q.text, "seeds": q.seeds, "answers": q.answers} for q in QUESTIONS]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out, table = tmp_path / "runs.sqlite", tmp_path / "runs.csv"
    command = ("evaluate", graph.path, file, "-p", "ShortestPaths() >> PathAnswer()", "--out", out)
    assert run(*command, "--memory").code == 0
    assert run("report", out, "--csv", table).code == 0
    with table.open(newline="") as opened:
        cells = list(csv.DictReader(opened))
    assert len(cells) == 2
    for row in cells:
        assert float(row["peak_mb_retrieve"]) > 10  # a Python process
        assert 0 <= float(row["grown_mb_retrieve"]) < float(row["peak_mb_retrieve"])
    refused(run(*command, "--memory", "--workers", "2"), "one question at a time")
    with Study.open(out) as study:
        assert study.runs()[0].done == 2
