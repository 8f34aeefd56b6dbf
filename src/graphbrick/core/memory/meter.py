"""The peaks of memory of stages, as facts of their traces."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.memory.peaks import KernelPeaks, Peaks, SampledPeaks, gpu_anew, gpu_peak
from graphbrick.core.trace import measured_by

FIGURES = ("peak_mb", "grown_mb", "gpu_peak_mb")
"""The figures of a stage, in MB (1,048,576 bytes); see `MemoryMeter.end`."""


def figure_of_memory(column: str) -> tuple[str, str]:
    """Return figure and kind of stage of a column of a study; both empty for a column of something else.

    >>> figure_of_memory("gpu_peak_mb_rerank"), figure_of_memory("hits_at_1")
    (('gpu_peak_mb', 'rerank'), ('', ''))
    """
    figure = next((name for name in FIGURES if column.startswith(f"{name}_")), "")
    return (figure, column[len(figure) + 1 :]) if figure else ("", "")


@dataclass
class Frame:
    """A stage whose peak is measured, in MB.

    Attributes:
        start: Resident memory of the process at its beginning.
        peak: Largest resident memory until now.
        gpu: Largest memory that torch has allocated on all GPUs together until now; None if it uses none.
    """

    start: float
    peak: float
    gpu: float | None = None


class MemoryMeter:
    """Measures the peaks of stages, also of stages within stages; those that run at the same time count each other.

    Args:
        peaks: Where the peaks come from.
    """

    def __init__(self, peaks: Peaks) -> None:
        self._peaks, self._open, self._lock = peaks, list[Frame](), threading.Lock()

    def begin(self) -> Frame:
        """Begin to measure a stage."""
        with self._lock:
            self._note()
            now = self._peaks.begin()
            frame = Frame(now, now, gpu_anew())
            self._open.append(frame)
            return frame

    def end(self, frame: Frame) -> dict[str, float]:
        """Return the figures of a stage: ``peak_mb``, ``grown_mb`` and, where torch uses GPUs, ``gpu_peak_mb``.

        ``peak_mb`` is the largest resident memory of the process while the stage ran, with all that was loaded before
        and with the pages of mapped files that were read; ``grown_mb`` is how much that is above the stage's beginning.
        """
        with self._lock:
            self._note()
            self._open = [one for one in self._open if one is not frame]
        figures = {"peak_mb": frame.peak, "grown_mb": max(frame.peak - frame.start, 0.0)}
        return figures if frame.gpu is None else {**figures, "gpu_peak_mb": frame.gpu}

    def _note(self) -> None:
        """Add the peaks since the last beginning to those of all open stages."""
        if not self._open:
            return
        peak, gpu = self._peaks.peak(), gpu_peak()
        for frame in self._open:
            frame.peak = max(frame.peak, peak)
            if gpu is not None:
                frame.gpu = max(frame.gpu or 0.0, gpu)


@contextmanager
def measuring_memory() -> Iterator[None]:
    """Measure the peak of memory of every stage inside the block, as facts of its trace (`MemoryMeter.end`).

    Raises:
        GraphbrickError: The system does not tell the memory of a process (there is no /proc).

    >>> from graphbrick.core.trace import Trace, record
    >>> trace = Trace()
    >>> with measuring_memory(), record(trace, "PPR()", "extract"):
    ...     held = bytearray(50_000_000)
    >>> sorted(trace.stages[0].facts)
    ['grown_mb', 'peak_mb']
    """
    try:
        peaks: Peaks = KernelPeaks()
    except OSError:
        try:
            peaks = SampledPeaks()
        except OSError as error:
            raise GraphbrickError(
                f"the memory of stages cannot be measured on this system: {error}; leave memory out",
                code="memory.not_known",
            ) from error
    try:
        with measured_by(MemoryMeter(peaks)):
            yield
    finally:
        peaks.close()
